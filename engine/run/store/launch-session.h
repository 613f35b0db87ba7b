/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch-session.h - a folder for the temporary files of mpirun and its ranks: sockets, and memory
 * that the ranks of a machine share.
 *
 * Open MPI cleans up after itself, unless it is killed; then several megabytes of memory would be
 * left for each rank.  So each launch has a folder of its own, and a link in the run folder names
 * it.
 */
#pragma once

#include "run/store/run.h"

G_BEGIN_DECLS

/* The link's name in the run folder. */
#define URB_LAUNCH_SESSION_LINK "mpi-session"

/* Removes the leftovers of an earlier launch of the run in @folder_fd, then makes an empty folder
 * with a short path, since it will contain sockets.
 * @lock_fd: (out): close it when the run has ended; -1: no folder
 * Returns: (transfer full) (nullable): NULL with an error if no file system has room for @n_ranks;
 * NULL without one if the run folder cannot hold links: mpirun then uses its default */
char *urb_launch_session_new   (int folder_fd, int n_ranks, int *lock_fd, GError **error);
/* Removes the folder, if there is one. */
void  urb_launch_session_sweep (int folder_fd);
/* The same for a run folder that is about to be deleted and has no supervisor. */
void  urb_launch_session_sweep_path (const char *path);
/* Removes those of this user whose supervisor is dead: its run folder may be gone. */
void  urb_launch_session_sweep_all (void);

/* @environment: (transfer full) (array zero-terminated=1): mpirun's Returns: (transfer full): with
 * @session as its temporary folder; the user's own settings stay */
char **urb_launch_session_add  (char **environment, const char *session);

G_END_DECLS
