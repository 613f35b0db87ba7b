/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what the sub-commands share.
 *
 * One file per sub-command, each with one function that is given its own name
 * as argv[0] and returns an exit code.
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

#include "base/out-of-memory.h"
#include "base/progress.h"

G_BEGIN_DECLS

/* Exit codes, as in urbarium-engine(1); cli.c has a table of errors. */
typedef enum
{
  URB_EXIT_OK = 0,
  URB_EXIT_FAILURE = 1,     /* it could not be done: the message says why */
  URB_EXIT_USAGE = 2,       /* wrong options */
  URB_EXIT_BAD_INPUT = 3,   /* a file is missing, damaged or not what it should be */
  /* not enough memory, disk, or a device that is not there */
  URB_EXIT_DOES_NOT_FIT = URB_OUT_OF_MEMORY_EXIT_CODE,
  URB_EXIT_INTERRUPTED = 130 /* Ctrl+C; what was done so far is safe */
} UrbExit;

int urb_cli_bench     (int argc, char **argv);
int urb_cli_curate    (int argc, char **argv);
int urb_cli_debug_report (int argc, char **argv);
int urb_cli_devices   (int argc, char **argv);
int urb_cli_settings  (int argc, char **argv);
int urb_cli_draw      (int argc, char **argv);
int urb_cli_evaluate  (int argc, char **argv);
int urb_cli_figures   (int argc, char **argv);
int urb_cli_mlflow    (int argc, char **argv);
int urb_cli_note      (int argc, char **argv);
int urb_cli_generate  (int argc, char **argv);
int urb_cli_inspect   (int argc, char **argv);
int urb_cli_plan      (int argc, char **argv);
int urb_cli_queue     (int argc, char **argv);
int urb_cli_report    (int argc, char **argv);
int urb_cli_resume    (int argc, char **argv);
int urb_cli_sample    (int argc, char **argv);
int urb_cli_train     (int argc, char **argv);
int urb_cli_vectorize (int argc, char **argv);
int urb_cli_verify    (int argc, char **argv);
int urb_cli_worker    (int argc, char **argv);
int urb_cli_score     (int argc, char **argv);

/**
 * urb_cli_options_new:
 * @arguments: (nullable): what follows the name in the usage line: "MAP... --out FILE"
 * @summary: one or two sentences on what the command does
 * @entries: (nullable) (array zero-terminated=1): the command's own options
 *
 * Returns: (transfer full): for urb_cli_parse(), and before that for options that several commands
 *   share
 */
GOptionContext *urb_cli_options_new (const char *arguments, const char *summary,
                                     const GOptionEntry *entries);

/**
 * urb_cli_parse:
 * @options: (transfer full)
 *
 * Parses the options of @argv, whose first element is the command's name; other arguments stay.
 * --help and -h win over all other options: they print the help and end the process.
 *
 * Returns: %FALSE after printing why; return URB_EXIT_USAGE then
 */
gboolean urb_cli_parse (GOptionContext *options, int *argc, char ***argv);

/* The exit code for the error's domain and code. */
UrbExit urb_cli_get_exit (const GError *error);
/* After urb_cli_parse(): prints "urbarium-engine curate: message" on stderr.  With $URBARIUM_ERRORS
 * set to "json", a line of JSON comes before: see docs/protocol.md.
 * Returns: urb_cli_get_exit() */
UrbExit urb_cli_fail (const GError *error);
/* The same for wrong usage. */
UrbExit urb_cli_fail_usage (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Warns on stderr if measurements of @device (nullable: "cpu") cannot be kept for the next process. */
void urb_cli_warn_of_cache (const char *device);

/* Ends the outermost object of @json, prints it on stdout, indented and in UTF-8 in every locale, and frees it. */
void urb_cli_print_json (JsonBuilder *json);
/* The same if an array is outermost. */
void urb_cli_print_json_array (JsonBuilder *json);

/* Cancelled by the first SIGINT or SIGTERM; a second one ends the process. */
GCancellable *urb_cli_get_cancellable (void);

/* A progress bar on stderr with the time left; nothing unless stderr is a
 * terminal.  Pass urb_cli_progress as the UrbProgressFunc, any user_data. */
void urb_cli_progress (double fraction, const char *what, gpointer user_data);
/* The same for programs: lines of JSON on stderr, at most ten a second:
 * {"fraction":0.25,"what":"Generating"} */
void urb_cli_progress_lines (double fraction, const char *what, gpointer user_data);
void urb_cli_progress_done (void); /* clears the bar's line */

G_END_DECLS
