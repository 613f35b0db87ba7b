/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program-data.h - files that belong to the program, installed or in the build tree.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @installed, @built: paths relative to the program's folder
 * Returns: (transfer full) (nullable): the one that exists, preferring @built */
char *urb_program_data_find (const char *installed, const char *built);

/* Finds the translations for gettext(); the locale of messages decides the language. */
void  urb_program_data_bind_translations (void);

G_END_DECLS
