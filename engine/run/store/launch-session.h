/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch-session.h - a folder for what mpirun and its ranks put down while they
 * run: sockets, and memory that ranks of one machine share.
 *
 * Open MPI tidies up after itself, unless it is killed; then several megabytes
 * of memory would stay behind for each rank.  So each launch has a folder of
 * its own, and a link in the run folder says which, whoever dies.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

/* The link's name in the run folder. */
#define URB_LAUNCH_SESSION_LINK "mpi-session"

/* Removes what an earlier launch of the run left, then makes an empty folder; its path is short,
 * since there will be sockets in it.
 * Returns: (transfer full) (nullable): NULL with an error if no place has room for @n_ranks; NULL
 *   without one if the run folder cannot hold links: mpirun has its own place then */
char *urb_launch_session_new   (UrbRunFolder *folder, int n_ranks, GError **error);
/* Removes the folder, if there is one. */
void  urb_launch_session_sweep (UrbRunFolder *folder);
/* The same for a run folder that is about to be deleted: nobody supervises the run. */
void  urb_launch_session_sweep_path (const char *path);

/* @environment: (transfer full) (array zero-terminated=1): mpirun's
 * Returns: (transfer full): with @session as the place for everything; what the user chose stays */
char **urb_launch_session_add  (char **environment, const char *session);

G_END_DECLS
