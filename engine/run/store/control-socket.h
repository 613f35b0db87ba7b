/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control-socket.h - control.sock: listening, connecting, and knowing the peer.
 */
#pragma once

#include "run/store/run.h"

G_BEGIN_DECLS

#define URB_CONTROL_SOCKET_NAME "control.sock"
/* Of a run that mpirun starts: where rank 0 connects, and where all ranks get the status board. */
#define URB_WORKER_SOCKET_NAME "worker.sock"
#define URB_BOARD_SOCKET_NAME "board.sock"
/* What rank 0 prints if it cannot connect, and the supervisor finds in the log. */
#define URB_RANK_ELSEWHERE "The first rank must run where the run was started"

/**
 * urb_control_socket_listen:
 * @folder_fd: the run folder; the caller holds its lock, so what lies there is stale
 *
 * Works however long the path of the folder is.
 *
 * Returns: a listening socket, close-on-exec and not blocking; -1 with an error
 */
int      urb_control_socket_listen  (int folder_fd, GError **error);

/* @listen_fd: which is readable
 * Returns: a connection, close-on-exec; -1 if there is none, or none can be had now: it may be asked
 *   again at once, and takes its time where no descriptor is free */
int      urb_control_socket_accept  (int listen_fd);

/* Returns: a connected socket; -1 with %URB_RUN_ERROR_OFFLINE if nobody listens */
int      urb_control_socket_connect (const char *folder, GError **error);

/* The same with another name, for sockets beside it. */
int      urb_control_socket_listen_as  (int folder_fd, const char *name, GError **error);
int      urb_control_socket_connect_to (const char *folder, const char *name, GError **error);

/* Whether the other end belongs to this process's user. */
gboolean urb_control_socket_is_own_peer (int fd);

G_END_DECLS
