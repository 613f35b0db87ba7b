/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-error.h - replaces the engine's error messages, which name command-line options, by messages
 * for the window, chosen by domain and code.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where the error is shown, which decides what the user can do about it. */
typedef enum
{
  URBARIUM_RUN_ERROR_SETTINGS, /* a new run, whose settings can be changed */
  URBARIUM_RUN_ERROR_RUN,      /* a command to an existing run, whose settings are fixed */
  URBARIUM_RUN_ERROR_ENDED     /* why a run ended */
} UrbariumRunErrorPlace;

/* Returns: (transfer full): an error of the same domain and code; unknown codes keep the engine's
 * text */
GError *urbarium_run_error_translate (const GError *error, UrbariumRunErrorPlace place);

/* Returns: (transfer none) (nullable): two words for a list of runs: "Disk full" */
const char *urbarium_run_error_get_short (const GError *error);

G_END_DECLS
