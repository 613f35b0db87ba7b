/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-params.h - memory in which several workers train the same networks asynchronously
 * (Hogwild: Recht et al. 2011, 1106.5730).
 *
 * It starts with a control part: which workers are present, which steps they are in, how stale
 * updates were.  The networks' parameters, moments, averages and batch norm statistics follow as
 * flat blocks.  A supervisor creates the control part and passes it on; it handles no tensors.  The
 * first worker (rank 0) adds the blocks, initializes them and lets the others in.
 *
 * There are no locks.  A killed worker loses its step only: its own entry says what has to be
 * undone, and urb_shared_params_reap() does so.
 *
 * A worker is a process or a thread, identified by its rank; calls with a rank come from that
 * worker only, unless noted.
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

/* The layout of the blocks, which every worker computes from its own networks. */
typedef struct
{
  gint64 n_bytes[URB_SHARED_N_NETS][URB_SHARED_N_BLOCKS]; /* 0: not shared */
  guint8 hash[32]; /* of all names, shapes and options that must be equal */
} UrbSharedLayout;

typedef struct _UrbSharedParams UrbSharedParams;

/* ------------------------------------------------------------------------ */
/* The segment                                                               */

/* A new control part for @n_workers, without any worker.
 * _memfd: without a name, freed with the last process that has it (sharing "file_descriptor").
 * Pass urb_shared_params_get_fd() to the workers.
 * _named: a file in /dev/shm that workers open by urb_shared_params_get_name() (sharing
 * "file_system"); deleted when this is freed.  Leftovers of killed makers are deleted, too.
 * _heap: for threads of one process, which share this object; without blocks of its own: see
 * urb_shared_params_lend().
 * Fail with a %G_FILE_ERROR. */
UrbSharedParams *urb_shared_params_new_memfd (int n_workers, GError **error);
UrbSharedParams *urb_shared_params_new_named (int n_workers, GError **error);
UrbSharedParams *urb_shared_params_new_heap  (int n_workers);
/* Removes what killed makers of named ones left; _named() does so, too. */
void             urb_shared_params_sweep     (void);

/* Opens what another process created.  Everything is checked: it may be another file, truncated, or
 * of another version; %G_FILE_ERROR then.
 * @fd: stays the caller's, and may be closed at once. */
UrbSharedParams *urb_shared_params_open_fd   (int fd, GError **error);
UrbSharedParams *urb_shared_params_open_name (const char *name, GError **error);
void             urb_shared_params_free (UrbSharedParams *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSharedParams, urb_shared_params_free)

int         urb_shared_params_get_fd   (UrbSharedParams *self); /* -1: heap */
const char *urb_shared_params_get_name (UrbSharedParams *self); /* "urbarium-…"; NULL: has none */

/* Rank 0's process, before it plans its program, which tells how large the blocks are: the others wait for it
 * as long as it lives. */
void        urb_shared_params_plan     (UrbSharedParams *self);

/* Maps the blocks.  Rank 0 creates them first (zeros) unless they are ready; the others wait for
 * that (urb_shared_params_wait_until_ready).  Fails with a %G_FILE_ERROR if there is no room, or if
 * the blocks are those of other networks or options. */
gboolean urb_shared_params_map       (UrbSharedParams *self, int rank, const UrbSharedLayout *layout,
                                      GError **error);
/* Heap only: uses @memory, which outlives all use, as that block. */
void     urb_shared_params_lend      (UrbSharedParams *self, UrbSharedNet net, UrbSharedBlock block,
                                      void *memory);
void    *urb_shared_params_get_block (UrbSharedParams *self, UrbSharedNet net, UrbSharedBlock block);

/* Maps the blocks in a device's memory (shared-device.c): rank 0's process owns them, the others
 * open them, on the same device.  They are lost with that process, which cannot be replaced.
 * @backend: has export_memory(); borrowed, and open until unmap_device().  Fails with
 * %G_IO_ERROR_NOT_SUPPORTED if the device cannot do it, or is another one; with %G_IO_ERROR_CLOSED
 * if the owner has ended; else with a %G_FILE_ERROR. */
gboolean urb_shared_params_map_device   (UrbSharedParams *self, int rank,
                                         const UrbSharedLayout *layout, UkBackend *backend,
                                         GError **error);
/* After the last use.  The owner first closes, and waits for the others to unmap, for at most
 * @timeout_s: after that their memory would be gone.  Does nothing for other blocks. */
void     urb_shared_params_unmap_device (UrbSharedParams *self, int rank, int timeout_s);
/* Whether the blocks are in the memory of rank 0's process.  Any process may call it. */
gboolean urb_shared_params_has_owner    (UrbSharedParams *self);
/* For importers: fails with %G_IO_ERROR_CLOSED once the owner has ended, or has been replaced. */
gboolean urb_shared_params_check_owner  (UrbSharedParams *self, GError **error);

/* Rank 0: the blocks are initialized and @n_done of @n_steps steps are done; lets the others in.
 * With threads, also after urb_shared_params_close(), once all have left. */
void     urb_shared_params_set_ready (UrbSharedParams *self, gint64 n_done, gint64 n_steps);
gboolean urb_shared_params_is_ready  (UrbSharedParams *self);
/* Waits for that, for @timeout_s (%G_IO_ERROR_TIMED_OUT), or until it is closed. */
gboolean urb_shared_params_wait_until_ready (UrbSharedParams *self, int timeout_s, GError **error);

/* Any thread, any process: every take(), also a waiting one, returns -1. */
void     urb_shared_params_close     (UrbSharedParams *self);

/* ------------------------------------------------------------------------ */
/* Workers and their steps                                                   */

/* This process (or thread) is worker @rank from now on.  Its clock starts at that of the slowest.
 * Fails with %G_IO_ERROR_EXISTS if the rank is taken. */
gboolean urb_shared_params_join  (UrbSharedParams *self, int rank, GError **error);
void     urb_shared_params_leave (UrbSharedParams *self, int rank);

/* Whether every worker has joined, and is still present. */
gboolean urb_shared_params_is_complete (UrbSharedParams *self);

/* Supervisor: the process @pid is dead.  Frees its rank and returns its step.
 * Returns: the number of its unfinished steps: 0 or 1 */
int      urb_shared_params_reap  (UrbSharedParams *self, gint64 pid);

/* Starts a step, as soon as
 * - no checkpoint is being saved (urb_shared_params_hold),
 * - with @staleness > 0, this worker is less than @staleness finished steps ahead of the slowest
 * (stale synchronous parallel: Ho et al. 2013),
 * - fewer than n_steps are done or under way.
 * Polls every millisecond.
 * Returns: the step's number, counted from n_done at the start; lost steps first: each is done once
 * (shared-tickets.c says what a kill at a critical line may cost); -1: all steps are done, or it
 * was closed */
gint64   urb_shared_params_take   (UrbSharedParams *self, int rank, int staleness);
/* Finishes the step.   Returns: the number of steps done now, unique to this step. */
gint64   urb_shared_params_finish (UrbSharedParams *self, int rank);
/* The step failed: another worker may do it. */
void     urb_shared_params_give_up (UrbSharedParams *self, int rank);
/* The finished step was reported; implied by take() and leave().  A worker between finish() and
 * this still counts as busy for hold(). */
void     urb_shared_params_rest   (UrbSharedParams *self, int rank);

/* Keeps other workers from starting a step, and waits until none is in one: the blocks do not
 * change then.  FALSE after @timeout_s, and all may continue. */
gboolean urb_shared_params_hold    (UrbSharedParams *self, int rank, int timeout_s, GError **error);
void     urb_shared_params_release (UrbSharedParams *self, int rank);

gint64   urb_shared_params_get_n_done  (UrbSharedParams *self);
gint64   urb_shared_params_get_n_lost  (UrbSharedParams *self); /* steps that died with their worker */

/* ------------------------------------------------------------------------ */
/* How stale updates are                                                     */

/* @rank is about to copy the parameters of @net, for its next update … */
void urb_shared_params_begin_read    (UrbSharedParams *self, int rank, UrbSharedNet net);
/* … and to update them.  In slices, each followed by a canary. */
void urb_shared_params_begin_publish (UrbSharedParams *self, int rank, UrbSharedNet net);
void urb_shared_params_feed_canary   (UrbSharedParams *self, int rank, UrbSharedNet net, int slice);
void urb_shared_params_end_publish   (UrbSharedParams *self, int rank, UrbSharedNet net);

/* The updates of one network by one worker. */
typedef struct
{
  gint64 n_publishes;
  gint64 n_overlapped; /* at the same time as another worker */
  gint64 lags[URB_SHARED_MAX_LAG + 1]; /* updates by others between read and update */
} UrbSharedRecord;

void   urb_shared_params_get_record (UrbSharedParams *self, int rank, UrbSharedNet net,
                                     UrbSharedRecord *out);
/* The estimated share of an update's elements that other updates overwrote, in [0, 1].  See
 * shared-record.c for its accuracy. */
double urb_shared_params_get_lost_share (UrbSharedParams *self, UrbSharedNet net);
/* The most steps that any worker was ahead of the slowest. */
gint64 urb_shared_params_get_max_lead   (UrbSharedParams *self);

/* All of that as a line of JSON: {"workers": [{"rank": 0, "clock": …, "g": {"publishes": …,
 * "overlapped": …, "staleness": [17 numbers]}, "d": …}, …], "lost_share": {"g": …, "d": …},
 * "max_lead": …, "lost_steps": …} */
char  *urb_shared_params_dup_json (UrbSharedParams *self);
/* A summary over all workers, as a sentence. */
char  *urb_shared_params_dup_text (UrbSharedParams *self);

G_END_DECLS
