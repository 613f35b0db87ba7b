/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - the pre-flight check in a terminal: as a table, as JSON, and before a run starts.
 *
 * The checks plan in a child process, so that the caller keeps no threads or memory of the kernels;
 * call them before the first thread starts.  They change nothing, print what does not fit on stderr
 * and return the exit code.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "run/store/run.h"
#include "train/preflight.h"

G_BEGIN_DECLS

void urb_cli_preflight_print (const UrbPreflight *self);
/* Adds the member "preflight" to the open object. */
void urb_cli_preflight_build_json (JsonBuilder *json, const UrbPreflight *self);

typedef struct
{
  const char *folder;    /* of the run, absolute; need not exist for a new run */
  gint64      last_step; /* checkpoints of later steps will be deleted; -1: a new run */
  gboolean    quiet;     /* no advice for what fits badly */
} UrbCliPreflightRun;

/* @config: resolved */
int  urb_cli_preflight_check (const UrbRunConfig *config, const UrbCliPreflightRun *run);

/* Whether any @n_at_once of @configs fit together, since each run's own check does not see the memory
 * that the others will take.  The configs differ in preset and recipe at most, as far as memory is
 * concerned.  @folder: of their folders; need not exist. */
int  urb_cli_preflight_check_many (const UrbRunConfig *configs, guint n_configs, guint n_at_once,
                                   const char *folder);

/* Whether this machine has @device. */
int  urb_cli_preflight_check_device (const char *device);

G_END_DECLS
