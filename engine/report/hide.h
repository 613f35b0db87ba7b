/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hide.h - hides who somebody is in what is given to others.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * urb_hide_home:
 * @text: any bytes
 *
 * Replaces the user's home folder by "~", and the user's name, where it is a word, by "USER".
 *
 * Returns: (transfer full)
 */
char *urb_hide_home (const char *text);

G_END_DECLS
