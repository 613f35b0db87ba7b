/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control-socket.h - the sockets in a run folder: listening, connecting, checking the peer, passing
 * a descriptor.
 */
#pragma once

#include "run/store/run.h"

G_BEGIN_DECLS

#define URB_CONTROL_SOCKET_NAME "control.sock"
/* Of a run that mpirun starts: where rank 0 connects, and where all ranks get the status board. */
#define URB_WORKER_SOCKET_NAME "worker.sock"
#define URB_BOARD_SOCKET_NAME "board.sock"
/* Rank 0 prints it if it cannot connect, and the supervisor finds it in the log. */
#define URB_RANK_ELSEWHERE "The first rank must run where the run was started"

/**
 * urb_control_socket_listen:
 * @folder_fd: the run folder; the caller holds its lock, so that an existing socket is stale
 * @name: URB_CONTROL_SOCKET_NAME or another of the above
 *
 * The path of the folder may have any length.
 *
 * Returns: a listening socket, close-on-exec and non-blocking; -1 with an error
 */
int      urb_control_socket_listen  (int folder_fd, const char *name, GError **error);

/* @listen_fd: readable Returns: a connection, close-on-exec; -1 if there is none.  Waits a moment
 * if no descriptor is free: the caller may try again at once */
int      urb_control_socket_accept  (int listen_fd);

/* Returns: a connected socket; -1 with %URB_RUN_ERROR_OFFLINE if nobody listens */
int      urb_control_socket_connect (const char *folder, const char *name, GError **error);

/* Passes @descriptor to the peer, at once or not at all.  Takes the connection @fd. */
void     urb_control_socket_send_fd    (int fd, int descriptor);
/* Blocks until the peer has passed one.  Takes the connection @fd.
 * Returns: the descriptor, close-on-exec; -1 if none came */
int      urb_control_socket_receive_fd (int fd);

/* Whether the peer is a process of the same user. */
gboolean urb_control_socket_is_own_peer (int fd);

G_END_DECLS
