/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - how a long job tells its caller how far it is.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * UrbProgressFunc:
 * @fraction: done so far, in [0, 1]; negative if it cannot be known
 * @what: what is being done, for people: "Reading buildings"; the callee copies it
 *
 * Called from the thread that does the work, at most some ten times a second.
 * Jobs that can be cancelled take a #GCancellable beside it.
 */
typedef void (*UrbProgressFunc) (double fraction, const char *what, gpointer user_data);

G_END_DECLS
