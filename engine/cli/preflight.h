/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - the pre-flight in a terminal: as a table, as JSON, and as a
 * question before a run begins.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "run/run.h"
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

/**
 * urb_cli_preflight_check:
 * @folder: of the run; absolute
 *
 * Plans in a child process, so that the caller stays free of the kernels'
 * threads and memory.  Call it before anything starts a thread.  Prints on the
 * standard error what does not fit, or fits badly.
 *
 * Returns: URB_EXIT_OK, or the exit code
 */
int  urb_cli_preflight_check (const char *command, const UrbRunConfig *config, const char *folder,
                              UrbCliPreflightTell tell);

G_END_DECLS
