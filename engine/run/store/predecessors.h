/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predecessors.h - the runs that a queued run waits for.
 *
 * A run's lock is released when the run ends, however that ends.  A queued run waits for all runs
 * before it, not only for the last one, which may leave the queue before it begins.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbPredecessors UrbPredecessors;

/**
 * urb_predecessors_new:
 * @folders: (nullable) (array zero-terminated=1): of runs, absolute
 * @run: of the one that waits; need not exist yet
 *
 * Returns: (transfer full): or %NULL with a URB_RUN_ERROR if one is no run, or is @run
 */
UrbPredecessors *urb_predecessors_new  (const char *const *folders, const char *run, GError **error);
void             urb_predecessors_free (UrbPredecessors *self); /* %NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbPredecessors, urb_predecessors_free)

/* Returns: (transfer none) (nullable): the folder of the last of them that has a supervisor; %NULL
 * if none has, and for @self %NULL */
const char      *urb_predecessors_get_last (UrbPredecessors *self);
/* The folders of all that have a supervisor, in their order; none for %NULL. (transfer full) */
GStrv            urb_predecessors_dup_held (UrbPredecessors *self);

G_END_DECLS
