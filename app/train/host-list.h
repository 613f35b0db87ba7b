/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host-list.h - the hosts that the user has entered, kept as a hosts file for all runs.
 */
#pragma once

#include "settings/hosts.h"

G_BEGIN_DECLS

/* Its hosts file, which need not exist. (transfer full) */
char      *urbarium_host_list_dup_path (void);
/* (transfer full) (element-type UrbHost): NULL with an error if @file cannot be read: G_FILE_ERROR_NOENT if
 * there is none */
GPtrArray *urbarium_host_list_load     (const char *file, GError **error);
/* As urbarium_host_list_load(), but keeps damaged lines, to be mended. */
GPtrArray *urbarium_host_list_load_any (const char *file, GError **error);
/* Creates the folder of @file if needed. */
gboolean   urbarium_host_list_save     (const char *file, const GPtrArray *hosts, GError **error);
/* Ranks that the hosts may run together, which may be more than a run can have. */
int        urbarium_host_list_count_slots (const GPtrArray *hosts);

G_END_DECLS
