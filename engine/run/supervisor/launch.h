/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - starting the ranks of a run through mpirun, on this machine or on
 * others.
 *
 * Rank 0 connects to worker.sock in the run folder and is from then on what
 * another run's worker is.  Every rank that can see board.sock is handed the
 * status board there.
 */
#pragma once

#include "parallel/board.h"
#include "run/store/control-socket.h"
#include "run/store/folder.h"

G_BEGIN_DECLS

/* Rank 0 has come.  Takes @fd. */
typedef void (*UrbLaunchFunc) (int fd, gpointer user_data);

typedef struct _UrbLaunch UrbLaunch;

/* Whether the options ask for processes that MPI connects: `mpi`, or `auto` where there are
 * other hosts. */
gboolean   urb_launch_is_wanted (const UrbRunConfig *config);

/**
 * urb_launch_new:
 * @folder: borrowed; outlives it
 * @board: borrowed; outlives it
 * @worker_argv: (array zero-terminated=1): program and arguments; "--connect FOLDER" is added
 *
 * Listens, and prepares the command; starts nothing.
 *
 * Returns: %NULL with a %URB_RUN_ERROR if there is no mpirun
 */
UrbLaunch *urb_launch_new  (UrbRunFolder *folder, const UrbRunConfig *config, UrbBoard *board,
                            const char *const *worker_argv, UrbLaunchFunc func, gpointer user_data,
                            GError **error);
/* Removes the sockets, and what mpirun may have left. */
void       urb_launch_free (UrbLaunch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbLaunch, urb_launch_free)

const char *const *urb_launch_get_argv        (UrbLaunch *self);
const char *const *urb_launch_get_environment (UrbLaunch *self);

/**
 * urb_launch_find_culprit:
 * @said: what mpirun has printed
 * @rank: (out): which rank brought it down
 * @how: (out) (transfer full): "was killed by signal 9"
 * @host: (out) (nullable) (transfer full): where, as the hosts file calls it, if that was said
 *
 * Returns: FALSE if it named none
 */
gboolean   urb_launch_find_culprit (const char *said, int *rank, char **how, char **host);

/* The host that does not answer any more, as the hosts file calls it, if mpirun has @said so.
 * Returns: (transfer full) (nullable) */
char      *urb_launch_find_lost_host (const char *said);

/* Whether rank 0 came up on another host than ours, which trying again does not change; @error
 * then says so.  @said: what the ranks have printed */
gboolean   urb_launch_is_elsewhere (const char *said, GError **error);

G_END_DECLS
