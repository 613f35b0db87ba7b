/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - the pre-flight in a terminal: as a table, as JSON, and as a
 * question before a run begins.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "run/store/run.h"
#include "train/preflight.h"

G_BEGIN_DECLS

void urb_cli_preflight_print (const UrbPreflight *self);
/* A member "preflight" of the object that is being built. */
void urb_cli_preflight_build_json (JsonBuilder *json, const UrbPreflight *self);

typedef enum
{
  URB_CLI_PREFLIGHT_TELL_ALL,
  URB_CLI_PREFLIGHT_TELL_ERRORS /* not what fits badly */
} UrbCliPreflightTell;

typedef struct
{
  const char *folder;    /* of the run; absolute */
  gint64      last_step; /* checkpoints of later steps will be deleted; -1: a new run, whose
                          * folder need not be there */
  gboolean    waits;     /* for other runs: it will find another memory than there is now */
} UrbCliPreflightRun;

/**
 * urb_cli_preflight_check:
 *
 * Changes nothing: call it before anything of the run is made or deleted.
 * Plans in a child process, so that the caller stays free of the kernels'
 * threads and memory.  Call it before anything starts a thread.  Prints on the
 * standard error what does not fit, or fits badly.
 *
 * Returns: URB_EXIT_OK, or the exit code
 */
int  urb_cli_preflight_check (const char *command, const UrbRunConfig *config,
                              const UrbCliPreflightRun *run, UrbCliPreflightTell tell);

/**
 * urb_cli_preflight_check_many:
 * @configs: (array length=n_configs): of runs that differ in preset and recipe at most, as far as
 *   memory goes; presets are found from the current folder
 * @n_at_once: of them, so many train at the same time
 * @folder: that their folders will be in; need not be there
 *
 * Each run's own pre-flight sees memory that the others have not taken yet; so
 * this one asks, in a child process, whether any @n_at_once of them fit
 * together.  Prints on the standard error how many would.
 *
 * Returns: URB_EXIT_OK, or the exit code
 */
int  urb_cli_preflight_check_many (const char *command, const UrbRunConfig *configs,
                                   guint n_configs, guint n_at_once, const char *folder);

/* Whether this machine has @device at all; says so on stderr where it has not.
 * Returns: the exit code */
int  urb_cli_preflight_check_device (const char *command, const char *device);

G_END_DECLS
