/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - starts the ranks of a run through mpirun, on this machine or on others.
 *
 * Rank 0 connects to worker.sock in the run folder and then acts as the run's worker.  Every rank
 * that can reach board.sock gets the status board there.
 */
#pragma once

#include "parallel/board.h"
#include "run/store/control-socket.h"
#include "run/store/folder.h"

G_BEGIN_DECLS

/* Rank 0 has connected.  Takes @fd. */
typedef void (*UrbLaunchFunc) (int fd, gpointer user_data);

typedef struct _UrbLaunch UrbLaunch;

/* Whether the options ask for MPI processes: `mpi`, or `auto` with other hosts. */
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
/* Removes the sockets, and leftovers of mpirun. */
void       urb_launch_free (UrbLaunch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbLaunch, urb_launch_free)

/* Whether all ranks are on this machine, and its kernel can give them a network of their own. */
gboolean           urb_launch_is_alone        (UrbLaunch *self);
const char *const *urb_launch_get_argv        (UrbLaunch *self);
const char *const *urb_launch_get_environment (UrbLaunch *self);

/**
 * urb_launch_find_culprit:
 * @output: the output of mpirun
 * @rank: (out): which rank failed
 * @how: (out) (transfer full): "was killed by signal 9"
 * @host: (out) (nullable) (transfer full): its host as in the hosts file, if known
 *
 * Returns: FALSE if the output names none
 */
gboolean   urb_launch_find_culprit (const char *output, int *rank, char **how, char **host);

/* The host, as in the hosts file, that mpirun reports as unreachable in its @output.
 * Returns: (transfer full) (nullable) */
char      *urb_launch_find_lost_host (const char *output);

/* Whether rank 0 started on another host, which a restart would not change; @error then says so.
 * @output: the output of the ranks */
gboolean   urb_launch_is_elsewhere (const char *output, GError **error);

G_END_DECLS
