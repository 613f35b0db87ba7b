/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-hosts.h - `devices --hosts`: whether the hosts of a run can take part, and what each has.
 */
#pragma once

#include "cli/cli.h"

G_BEGIN_DECLS

typedef struct
{
  const char *file;       /* borrowed: the hosts file; "-": standard input */
  const char *dataset;    /* (nullable) borrowed: absolute; hosts are asked only if it can be read here */
  int         patience_s; /* seconds that a host has to answer */
  gboolean    json;
} UrbDevicesHosts;

/* @own: (transfer full): what `devices --json` prints on this machine
 * Returns: the exit code: a failure if a host cannot take part; with JSON, which says so, only if none was
 *   asked */
int urb_cli_devices_hosts (const UrbDevicesHosts *self, JsonBuilder *own);

G_END_DECLS
