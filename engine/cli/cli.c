/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.c - what the sub-commands share: options, failing, Ctrl+C.
 *
 * The hard part is Ctrl+C: most commands have no main loop, and a signal
 * handler may hardly do anything.  So the handler writes one byte into a pipe
 * and a small thread turns that byte into g_cancellable_cancel().  The handler
 * puts the default actions back at once, hence a second Ctrl+C always ends the
 * process, however stuck it is.  Handlers, unlike a blocked signal mask, are
 * not inherited by the programs we start.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "city/class-map.h"
#include "dataset/dataset.h"
#include "map/map.h"
#include "settings/preset.h"
#include "run/store/json-line.h"
#include "step/program.h"
#include "train/device.h"
#include "train/safetensors.h"
#include "train/trainer.h"

/* ------------------------------------------------------------------------ */
/* Options                                                                   */

gboolean
urb_cli_wants_help (int argc, char *const *argv)
{
  for (int i = 1; i < argc && strcmp (argv[i], "--") != 0; i++)
    if (strcmp (argv[i], "--help") == 0 || strcmp (argv[i], "-h") == 0 ||
        strcmp (argv[i], "--help-all") == 0 || strcmp (argv[i], "-?") == 0)
      return TRUE;
  return FALSE;
}

/* GOption leaves the "--" that ends the options among the arguments. */
static void
drop_end_of_options (int *argc, char **argv)
{
  for (int i = 1; i < *argc; i++)
    if (strcmp (argv[i], "--") == 0)
      {
        memmove (argv + i, argv + i + 1, (size_t) (*argc - i) * sizeof *argv);
        (*argc)--;
        return;
      }
}

gboolean
urb_cli_parse (int *argc, char ***argv, const GOptionEntry *entries,
               const char *arguments, const char *summary)
{
  gboolean wants_help = urb_cli_wants_help (*argc, *argv);
  GOptionEntry help_entry[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &wants_help, "Show this help and exit", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr(GOptionContext) context = g_option_context_new (arguments);
  g_autofree char *program = g_strdup_printf ("urbarium-engine %s", (*argv)[0]);
  g_autoptr(GError) error = NULL;

  g_set_prgname (program);
  g_option_context_set_help_enabled (context, FALSE); /* GLib's own would exit */
  g_option_context_set_summary (context, summary);
  if (entries != NULL)
    g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, help_entry, NULL);

  if (wants_help)
    {
      g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);

      fputs (help, stdout);
      return FALSE; /* main() knows that this is no mistake */
    }
  if (!g_option_context_parse (context, argc, argv, &error))
    {
      urb_cli_fail_usage ((*argv)[0], "%s.", error->message);
      return FALSE;
    }
  drop_end_of_options (argc, *argv);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Failing                                                                   */

static UrbExit
exit_for_map_error (int code)
{
  /* That maps were not built in is nobody's bad file. */
  return code == URB_MAP_ERROR_UNAVAILABLE ? URB_EXIT_FAILURE : URB_EXIT_BAD_INPUT;
}

static UrbExit
exit_for_dataset_error (int code)
{
  switch (code)
    {
    case URB_DATASET_ERROR_OPTIONS:
      return URB_EXIT_USAGE;
    case URB_DATASET_ERROR_WRITE:
      return URB_EXIT_FAILURE;
    default:
      return URB_EXIT_BAD_INPUT;
    }
}

static UrbExit
exit_for_train_error (int code)
{
  switch (code)
    {
    case URB_TRAIN_ERROR_OPTIONS:
      return URB_EXIT_USAGE;
    case URB_TRAIN_ERROR_DATASET:
    case URB_TRAIN_ERROR_CHECKPOINT:
      return URB_EXIT_BAD_INPUT;
    case URB_TRAIN_ERROR_MEMORY:
    case URB_TRAIN_ERROR_NO_DEVICE:
      return URB_EXIT_DOES_NOT_FIT;
    default:
      return URB_EXIT_FAILURE;
    }
}

static UrbExit
exit_for_city_error (int code)
{
  switch (code)
    {
    case URB_CITY_ERROR_OPTIONS:
      return URB_EXIT_USAGE;
    case URB_CITY_ERROR_IMAGE:
    case URB_CITY_ERROR_DATASET:
      return URB_EXIT_BAD_INPUT;
    default:
      return URB_EXIT_FAILURE;
    }
}

static UrbExit
exit_for_file_error (int code)
{
  switch (code)
    {
    case G_FILE_ERROR_NOENT:
    case G_FILE_ERROR_ISDIR:
    case G_FILE_ERROR_NOTDIR:
    case G_FILE_ERROR_ACCES:
    case G_FILE_ERROR_NAMETOOLONG:
    case G_FILE_ERROR_LOOP:
      return URB_EXIT_BAD_INPUT;
    case G_FILE_ERROR_NOSPC:
    case G_FILE_ERROR_NOMEM:
    case G_FILE_ERROR_MFILE:
      return URB_EXIT_DOES_NOT_FIT;
    default:
      return URB_EXIT_FAILURE;
    }
}

static UrbExit
exit_for_io_error (int code)
{
  switch (code)
    {
    case G_IO_ERROR_CANCELLED:
      return URB_EXIT_INTERRUPTED;
    case G_IO_ERROR_NOT_FOUND:
    case G_IO_ERROR_IS_DIRECTORY:
    case G_IO_ERROR_NOT_DIRECTORY:
    case G_IO_ERROR_PERMISSION_DENIED:
    case G_IO_ERROR_INVALID_DATA:
      return URB_EXIT_BAD_INPUT;
    case G_IO_ERROR_INVALID_ARGUMENT:
      return URB_EXIT_USAGE;
    case G_IO_ERROR_NO_SPACE:
      return URB_EXIT_DOES_NOT_FIT;
    default:
      return URB_EXIT_FAILURE;
    }
}

static UrbExit
exit_for_error (const GError *error)
{
  if (error->domain == URB_MAP_ERROR)
    return exit_for_map_error (error->code);
  if (error->domain == URB_DATASET_ERROR)
    return exit_for_dataset_error (error->code);
  if (error->domain == URB_TRAIN_ERROR)
    return exit_for_train_error (error->code);
  if (error->domain == URB_CITY_ERROR)
    return exit_for_city_error (error->code);
  if (error->domain == URB_MODEL_ERROR) /* no such preset, or a wrong one */
    return URB_EXIT_USAGE;
  if (error->domain == URB_STEP_ERROR)
    return error->code == URB_STEP_ERROR_MEMORY ? URB_EXIT_DOES_NOT_FIT : URB_EXIT_FAILURE;
  if (error->domain == URB_SAFETENSORS_ERROR)
    return error->code == URB_SAFETENSORS_ERROR_WRITE ? URB_EXIT_FAILURE : URB_EXIT_BAD_INPUT;
  if (error->domain == G_FILE_ERROR)
    return exit_for_file_error (error->code);
  if (error->domain == G_IO_ERROR)
    return exit_for_io_error (error->code);
  if (error->domain == G_KEY_FILE_ERROR || error->domain == JSON_PARSER_ERROR)
    return URB_EXIT_BAD_INPUT;
  if (error->domain == G_OPTION_ERROR)
    return URB_EXIT_USAGE;
  return URB_EXIT_FAILURE;
}

/* For a program that has words of its own: before ours, so that the last line is for people. */
static void
tell_program (GQuark domain, int code, const char *message)
{
  g_autoptr(GError) error = g_error_new_literal (domain, code, message);
  g_autofree char *text = NULL;
  JsonBuilder *json;

  if (g_strcmp0 (g_getenv ("URBARIUM_ERRORS"), "json") != 0)
    return;
  json = urb_json_new ();
  urb_json_add_error (json, "error", error);
  text = urb_json_end (json);
  fprintf (stderr, "%s\n", text);
}

UrbExit
urb_cli_fail (const char *command, const GError *error)
{
  UrbExit code;

  g_return_val_if_fail (error != NULL, URB_EXIT_FAILURE);

  code = exit_for_error (error);
  urb_cli_progress_done ();
  if (code == URB_EXIT_INTERRUPTED)
    fprintf (stderr, "urbarium-engine %s: interrupted\n", command);
  else
    {
      tell_program (error->domain, error->code, error->message);
      fprintf (stderr, "urbarium-engine %s: %s\n", command, error->message);
    }
  return code;
}

UrbExit
urb_cli_fail_usage (const char *command, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  urb_cli_progress_done ();
  tell_program (G_OPTION_ERROR, G_OPTION_ERROR_FAILED, message);
  fprintf (stderr, "urbarium-engine %s: %s\nTry: urbarium-engine %s --help\n", command, message,
           command);
  return URB_EXIT_USAGE;
}

void
urb_cli_warn_of_cache (const char *command, const char *device)
{
  g_autofree char *problem = device != NULL ? urb_device_dup_cache_problem (device) : NULL;

  if (problem != NULL)
    fprintf (stderr, "urbarium-engine %s: %s\n", command, problem);
}

/* ------------------------------------------------------------------------ */
/* Ctrl+C                                                                    */

static const int stop_signals[] = { SIGINT, SIGTERM };

/* A signal handler is given nothing but a number, so this one is global. */
static int signal_pipe[2] = { -1, -1 };

static void
set_signal_handler (void (*handler) (int))
{
  for (gsize i = 0; i < G_N_ELEMENTS (stop_signals); i++)
    {
      struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

      sigemptyset (&action.sa_mask);
      sigaction (stop_signals[i], NULL, &before);
      if (before.sa_handler != SIG_IGN) /* started by nohup or with & by a script */
        sigaction (stop_signals[i], &action, NULL);
    }
}

static void
stop_signal_cb (int signal_number)
{
  int saved_errno = errno;

  set_signal_handler (SIG_DFL);
  if (write (signal_pipe[1], "", 1) < 0)
    _exit (URB_EXIT_INTERRUPTED); /* nobody could hear of it */
  errno = saved_errno;
}

static gpointer
wait_for_signal_thread (gpointer data)
{
  GCancellable *cancellable = data; /* lives as long as the process */
  char byte;

  while (read (signal_pipe[0], &byte, 1) < 0 && errno == EINTR)
    ;
  g_cancellable_cancel (cancellable);
  return NULL;
}

static gpointer
create_cancellable (gpointer data)
{
  GCancellable *cancellable = g_cancellable_new ();

  /* No pipe: the default action, which is to end, is then the right one. */
  if (pipe2 (signal_pipe, O_CLOEXEC) == 0)
    {
      g_thread_unref (g_thread_new ("ctrl-c", wait_for_signal_thread, cancellable));
      set_signal_handler (stop_signal_cb);
    }
  return cancellable;
}

GCancellable *
urb_cli_get_cancellable (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, create_cancellable, NULL);
}
