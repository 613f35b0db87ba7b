/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - the runs that wait for others, and how to change their order.
 *
 * No process keeps the queue: each waiting run has a supervisor, which knows the runs that it waits for.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char  *folder; /* owned; as its supervisor names it */
  char  *name;   /* owned */
  char **after;  /* owned; folders of the runs that it waits for, as its supervisor names them */
  /* owned; the same without symbolic links */
  char  *real_folder;
  char **real_after;
  guint  turn;   /* as in UrbQueuePlace */
} UrbQueuedRun;

/**
 * urb_queue_read:
 * @places: (array zero-terminated=1): folders of runs, or runs
 *
 * Asks the supervisors of these runs; leaves out one that does not answer.  Blocks.
 *
 * Returns: (transfer full) (element-type UrbQueuedRun): those that wait, in the order in which they will begin; %NULL with
 *   an error if one of @places cannot be read
 */
GPtrArray *urb_queue_read (const char *const *places, GError **error);

typedef enum
{
  URB_QUEUE_EARLIER,
  URB_QUEUE_LATER
} UrbQueueMove;

/**
 * urb_queue_move:
 * @places: (array zero-terminated=1): as of urb_queue_read()
 * @folder: of the run to move
 *
 * The run changes places with the nearest one that begins earlier or later: each waits for what the other one has waited
 * for, and what waits for one of them waits for the other.  How many train at a time stays as it is.  Calls that share one of
 * @places take turns, and signals that end a program are held back until the order is whole.  Runs that wait for each other,
 * since an earlier change was killed, are given an order first.  Blocks.
 *
 * Returns: %FALSE with a URB_RUN_ERROR if @folder does not wait, or is first or last, or if a supervisor refuses
 */
gboolean   urb_queue_move (const char *const *places, const char *folder, UrbQueueMove move, GError **error);

/* Whether some wait for each other, and would never begin.  @queue: as read */
gboolean   urb_queue_is_circular (GPtrArray *queue);

G_END_DECLS
