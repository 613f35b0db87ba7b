/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.h - which elements of a network's blocks a rank holds.
 *
 * Runs are in the order of both blocks.  There may be room between them in the rank's.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Consecutive elements. */
typedef struct
{
  gint64 whole; /* the first one in the block of the whole network */
  gint64 local; /* and in the rank's */
  gint64 count;
} UrbRun;

/* Elements of the rank's block up to the end of the last run.  @runs: (element-type UrbRun) */
gint64 urb_runs_count (const GArray *runs);
/* The place of element @whole in the rank's block; -1 if it is on another rank.
 * @runs: (nullable): NULL: the rank holds everything
 * @count: (out) (nullable): of how many elements from @whole on the same is true */
gint64 urb_runs_find  (const GArray *runs, gint64 whole, gint64 *count);
/* Appends runs for elements [@first, @first + @count) of a block that holds @of (nullable), which are
 * in another block from @local on.  They come after the runs in @self. */
void   urb_runs_append (GArray *self, const GArray *of, gint64 first, gint64 count, gint64 local);

G_END_DECLS
