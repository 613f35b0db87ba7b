/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - how a long job reports its progress.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * UrbProgressFunc:
 * @fraction: done so far, in [0, 1]; negative if unknown
 * @what: what is being done, for people: "Reading buildings"; copied by the callee
 *
 * Called from the working thread, at most about ten times a second.  Jobs that can be
 * cancelled also take a #GCancellable.
 */
typedef void (*UrbProgressFunc) (double fraction, const char *what, gpointer user_data);

G_END_DECLS
