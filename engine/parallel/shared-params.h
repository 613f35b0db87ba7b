/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-params.h - one block of memory in which several workers train the
 * same networks, each whenever it is ready (Hogwild: Recht et al. 2011,
 * 1106.5730).
 *
 * In front a control part: who works, who is in which step, how stale updates
 * were.  Behind it the networks' parameters, moments, averages and batch norm
 * statistics as flat blocks.  A supervisor makes the control part and hands it
 * on; it never sees a tensor.  The first worker (rank 0) adds the blocks, fills
 * them and calls the others in.
 *
 * Nothing here locks.  What a step costs when its worker is killed is that
 * step: every count is kept such that a worker's own entry says what it still
 * owes, and urb_shared_params_reap() takes it back from there.
 *
 * A worker is a process or a thread, known by its rank; each call with a rank
 * comes from that worker alone unless it says otherwise.
 */
#pragma once

#include <gio/gio.h>

#include "kernels/uk.h"
#include "settings/strategy.h"

G_BEGIN_DECLS

enum
{
  URB_SHARED_MAX_WORKERS = URB_MAX_ASYNC_RANKS,
  URB_SHARED_MAX_LAG = 16, /* staleness is counted as 0, 1, …, 15, more */
  URB_SHARED_MAX_SLICES = 16
};

typedef enum { URB_SHARED_G, URB_SHARED_D, URB_SHARED_N_NETS } UrbSharedNet;

typedef enum
{
  URB_SHARED_PARAMS,
  URB_SHARED_MOMENT1,
  URB_SHARED_MOMENT2,
  URB_SHARED_EMA,
  URB_SHARED_STATE, /* running statistics of batch norm */
  URB_SHARED_N_BLOCKS
} UrbSharedBlock;

/* What the blocks are; every worker works it out from its own networks. */
typedef struct
{
  gint64 n_bytes[URB_SHARED_N_NETS][URB_SHARED_N_BLOCKS]; /* 0: not shared */
  guint8 hash[32]; /* of all names, shapes and options that must be the same */
} UrbSharedLayout;

typedef struct _UrbSharedParams UrbSharedParams;

/* ------------------------------------------------------------------------ */
/* The segment                                                               */

/* A new control part for @n_workers; nobody works yet.
 *
 * _memfd: nameless, goes with the last process that has it (sharing
 *   "file_descriptor").  Pass urb_shared_params_get_fd() to the workers.
 * _named: a file in /dev/shm that its workers open by urb_shared_params_get_name()
 *   (sharing "file_system"); removed when this is freed.  What makers that were
 *   killed have left there is removed here.
 * _heap: for threads of one process, which all use this one object; it has no
 *   blocks of its own: see urb_shared_params_lend().
 *
 * Fail with a %G_FILE_ERROR. */
UrbSharedParams *urb_shared_params_new_memfd (int n_workers, GError **error);
UrbSharedParams *urb_shared_params_new_named (int n_workers, GError **error);
UrbSharedParams *urb_shared_params_new_heap  (int n_workers);

/* A worker's view of what another process made.  Everything in it is checked: it
 * may be another file, cut short, or of another version; %G_FILE_ERROR then.
 * @fd: stays the caller's, and may be closed at once. */
UrbSharedParams *urb_shared_params_open_fd   (int fd, GError **error);
UrbSharedParams *urb_shared_params_open_name (const char *name, GError **error);
void             urb_shared_params_free (UrbSharedParams *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSharedParams, urb_shared_params_free)

int         urb_shared_params_get_fd   (UrbSharedParams *self); /* -1: heap */
const char *urb_shared_params_get_name (UrbSharedParams *self); /* "urbarium-…"; NULL: has none */

/* Maps the blocks.  Rank 0, while nothing is ready, makes them first (zeros); the others wait until
 * they are there (urb_shared_params_wait_until_ready).  Fails with a %G_FILE_ERROR if there is no
 * room, or if the blocks are those of other networks or options. */
gboolean urb_shared_params_map       (UrbSharedParams *self, int rank, const UrbSharedLayout *layout,
                                      GError **error);
/* Heap only: @memory, which outlives all use, is that block. */
void     urb_shared_params_lend      (UrbSharedParams *self, UrbSharedNet net, UrbSharedBlock block,
                                      void *memory);
void    *urb_shared_params_get_block (UrbSharedParams *self, UrbSharedNet net, UrbSharedBlock block);

/* The blocks as memory of a device (shared-device.c): rank 0's process has it, the others open it,
 * on the same device.  It goes with that process, and with it what was trained: nobody can take its
 * place.  @backend: has export_memory(); stays the caller's, and open until unmap_device().  Fails
 * with %G_IO_ERROR_NOT_SUPPORTED where the device cannot, or where it is another one; with
 * %G_IO_ERROR_CLOSED where the owner has ended; else with a %G_FILE_ERROR. */
gboolean urb_shared_params_map_device   (UrbSharedParams *self, int rank,
                                         const UrbSharedLayout *layout, UkBackend *backend,
                                         GError **error);
/* After the last use.  The owner first closes, and waits for the others to let go, @timeout_s at
 * most: what they still had open then would be gone.  Nothing for blocks of another kind. */
void     urb_shared_params_unmap_device (UrbSharedParams *self, int rank, int timeout_s);
/* Anybody: whether the blocks are memory of rank 0's process. */
gboolean urb_shared_params_has_owner    (UrbSharedParams *self);
/* Who has opened them: fails with %G_IO_ERROR_CLOSED once that process has ended, or has been
 * replaced. */
gboolean urb_shared_params_check_owner  (UrbSharedParams *self, GError **error);

/* Rank 0: the blocks are filled and @n_done of @n_steps steps are done; calls the others in.  With
 * threads, also after urb_shared_params_close(), once all have left. */
void     urb_shared_params_set_ready (UrbSharedParams *self, gint64 n_done, gint64 n_steps);
gboolean urb_shared_params_is_ready  (UrbSharedParams *self);
/* Until then, or until @timeout_s have passed (%G_IO_ERROR_TIMED_OUT), or it was closed. */
gboolean urb_shared_params_wait_until_ready (UrbSharedParams *self, int timeout_s, GError **error);

/* Any thread, any process: every take(), also one that waits, ends with "all done". */
void     urb_shared_params_close     (UrbSharedParams *self);

/* ------------------------------------------------------------------------ */
/* Workers and their steps                                                   */

/* This process (or thread) is worker @rank from now on.  Its clock begins at
 * that of the slowest.  Fails with %G_IO_ERROR_EXISTS if another one is. */
gboolean urb_shared_params_join  (UrbSharedParams *self, int rank, GError **error);
void     urb_shared_params_leave (UrbSharedParams *self, int rank);

/* Whether every worker has joined, and is still there. */
gboolean urb_shared_params_is_complete (UrbSharedParams *self);

/* Supervisor: the process @pid is dead.  Its place is free, its step is given
 * back, nobody waits for it.
 * Returns: the number of steps it did not finish: 0 or 1 */
int      urb_shared_params_reap  (UrbSharedParams *self, gint64 pid);

/* Begins a step, once
 *  - no checkpoint is being saved (urb_shared_params_hold),
 *  - with @staleness > 0, this worker will not be more than @staleness finished
 *    steps ahead of the slowest one (stale synchronous parallel: Ho et al. 2013),
 *  - fewer than n_steps are done or under way.
 * Waits for that, looking every millisecond.
 * Returns: the step's number, from n_done at the start, that of a lost step first: each is done
 *   once (shared-tickets.c says what a worker's death between two lines may cost); -1: all steps
 *   are done, or it was closed */
gint64   urb_shared_params_take   (UrbSharedParams *self, int rank, int staleness);
/* The step is done.  Returns: how many are done now, a number that no other step gets. */
gint64   urb_shared_params_finish (UrbSharedParams *self, int rank);
/* It failed: somebody else may do it. */
void     urb_shared_params_give_up (UrbSharedParams *self, int rank);
/* What was finished has been told to whom it concerns; take() and leave() imply it.
 * A worker between finish() and this still counts as busy for hold(). */
void     urb_shared_params_rest   (UrbSharedParams *self, int rank);

/* Lets nobody but @rank begin a step, and waits until nobody else is in one: the
 * blocks then hold still.  FALSE: after @timeout_s somebody still was, and all may go on. */
gboolean urb_shared_params_hold    (UrbSharedParams *self, int rank, int timeout_s, GError **error);
void     urb_shared_params_release (UrbSharedParams *self, int rank);

gint64   urb_shared_params_get_n_done  (UrbSharedParams *self);
gint64   urb_shared_params_get_n_steps (UrbSharedParams *self); /* 0: not ready */
gint64   urb_shared_params_get_n_lost  (UrbSharedParams *self); /* steps that died with their worker */

/* ------------------------------------------------------------------------ */
/* How stale updates are                                                     */

/* @rank is about to copy the parameters of @net, from which its next update is computed. */
void urb_shared_params_begin_read    (UrbSharedParams *self, int rank, UrbSharedNet net);
/* … to update them.  In slices: after each, a canary is fed. */
void urb_shared_params_begin_publish (UrbSharedParams *self, int rank, UrbSharedNet net);
void urb_shared_params_feed_canary   (UrbSharedParams *self, int rank, UrbSharedNet net, int slice);
void urb_shared_params_end_publish   (UrbSharedParams *self, int rank, UrbSharedNet net);

/* What one worker published, of one network. */
typedef struct
{
  gint64 n_publishes;
  gint64 n_overlapped; /* another worker published at the same time */
  gint64 lags[URB_SHARED_MAX_LAG + 1]; /* updates of others between read and publish */
} UrbSharedRecord;

void   urb_shared_params_get_record (UrbSharedParams *self, int rank, UrbSharedNet net,
                                     UrbSharedRecord *out);
/* Estimated share of an update's elements that another one's overwrote, in [0, 1].  See
 * shared-record.c for what the estimate is worth. */
double urb_shared_params_get_lost_share (UrbSharedParams *self, UrbSharedNet net);
/* The most steps that a worker was ahead of the slowest, ever. */
gint64 urb_shared_params_get_max_lead   (UrbSharedParams *self);

/* All of that as one line of JSON: {"workers": [{"rank": 0, "clock": …, "g": {"publishes": …,
 * "overlapped": …, "staleness": [17 numbers]}, "d": …}, …], "lost_share": {"g": …, "d": …},
 * "max_lead": …, "lost_steps": …} */
char  *urb_shared_params_dup_json (UrbSharedParams *self);
/* The same of all workers together, as a sentence for people. */
char  *urb_shared_params_dup_text (UrbSharedParams *self);

G_END_DECLS
