/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-server.h - starts servers of small maps: the Web Feature Service wfs-server, and postgis-server.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* @log: a file that gets a line for each request; @other: (nullable): the address of another server
 * @port: (out): on which it listens at 127.0.0.1
 * Returns: (nullable) (transfer full): NULL if Python is not installed */
GSubprocess *wfs_start       (const char *log, const char *other, int *port);
/* Returns: (nullable) (transfer full): NULL if Python, PostgreSQL or PostGIS is not installed */
GSubprocess *postgis_start   (int *port);
/* @server: (transfer full) */
void         map_server_stop (GSubprocess *server);

G_END_DECLS
