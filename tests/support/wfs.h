/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wfs.h - starts the small Web Feature Service wfs-server.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* @log: a file that gets a line for each request; @other: (nullable): the address of another server
 * @port: (out): on which it listens at 127.0.0.1
 * Returns: (nullable) (transfer full): NULL if Python is not installed */
GSubprocess *wfs_start (const char *log, const char *other, int *port);
/* @server: (transfer full) */
void         wfs_stop  (GSubprocess *server);

G_END_DECLS
