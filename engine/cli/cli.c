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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/show-text.h"
#include "city/class-map.h"
#include "dataset/dataset.h"
#include "map/map.h"
#include "run/store/json-line.h"
#include "settings/preset.h"
#include "step/program.h"
#include "train/device.h"
#include "train/safetensors.h"
#include "train/trainer.h"

/* ------------------------------------------------------------------------ */
/* Options                                                                   */

static gboolean
wants_help (int argc, char *const *argv)
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

GOptionContext *
urb_cli_options_new (const char *arguments, const char *summary, const GOptionEntry *entries)
{
  GOptionContext *self = g_option_context_new (arguments);

  g_option_context_set_help_enabled (self, FALSE); /* GLib's own loses to a wrong option before it */
  g_option_context_set_summary (self, summary);
  if (entries != NULL)
    g_option_context_add_main_entries (self, entries, NULL);
  return self;
}

gboolean
urb_cli_parse (GOptionContext *options, int *argc, char ***argv)
{
  g_autoptr(GOptionContext) owned = options;
  gboolean help = FALSE;
  const GOptionEntry help_entry[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help and exit", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autofree char *program = g_strdup_printf ("urbarium-engine %s", (*argv)[0]);
  g_autoptr(GError) error = NULL;

  g_set_prgname (program);
  g_option_context_add_main_entries (options, help_entry, NULL);
  if (wants_help (*argc, *argv))
    {
      g_autofree char *text = g_option_context_get_help (options, TRUE, NULL);

      fputs (text, stdout);
      exit (URB_EXIT_OK);
    }
  if (!g_option_context_parse (options, argc, argv, &error))
    {
      urb_cli_fail_usage ("%s.", error->message);
      return FALSE;
    }
  drop_end_of_options (argc, *argv);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Failing                                                                   */

enum { ANY = -1 };

/* The first row that matches decides; an error without a row is URB_EXIT_FAILURE. */
static const struct
{
  GQuark (*domain) (void);
  int      code;
  UrbExit  exit;
} exits[] = {
  { g_io_error_quark, G_IO_ERROR_CANCELLED, URB_EXIT_INTERRUPTED },

  { urb_train_error_quark, URB_TRAIN_ERROR_OPTIONS, URB_EXIT_USAGE },
  { urb_dataset_error_quark, URB_DATASET_ERROR_OPTIONS, URB_EXIT_USAGE },
  { urb_city_error_quark, URB_CITY_ERROR_OPTIONS, URB_EXIT_USAGE },
  { urb_model_error_quark, ANY, URB_EXIT_USAGE }, /* no such preset, or a wrong one */
  { g_io_error_quark, G_IO_ERROR_INVALID_ARGUMENT, URB_EXIT_USAGE },
  { g_option_error_quark, ANY, URB_EXIT_USAGE },

  { urb_map_error_quark, URB_MAP_ERROR_UNAVAILABLE, URB_EXIT_FAILURE }, /* built without GDAL */
  { urb_dataset_error_quark, URB_DATASET_ERROR_WRITE, URB_EXIT_FAILURE },
  { urb_safetensors_error_quark, URB_SAFETENSORS_ERROR_WRITE, URB_EXIT_FAILURE },

  { urb_map_error_quark, ANY, URB_EXIT_BAD_INPUT },
  { urb_dataset_error_quark, ANY, URB_EXIT_BAD_INPUT },
  { urb_safetensors_error_quark, ANY, URB_EXIT_BAD_INPUT },
  { urb_train_error_quark, URB_TRAIN_ERROR_DATASET, URB_EXIT_BAD_INPUT },
  { urb_train_error_quark, URB_TRAIN_ERROR_CHECKPOINT, URB_EXIT_BAD_INPUT },
  { urb_city_error_quark, URB_CITY_ERROR_IMAGE, URB_EXIT_BAD_INPUT },
  { urb_city_error_quark, URB_CITY_ERROR_DATASET, URB_EXIT_BAD_INPUT },
  { urb_run_error_quark, URB_RUN_ERROR_FOLDER, URB_EXIT_BAD_INPUT },
  { urb_run_error_quark, URB_RUN_ERROR_CONFIG, URB_EXIT_BAD_INPUT },
  { urb_run_error_quark, URB_RUN_ERROR_DATABASE, URB_EXIT_BAD_INPUT },
  { g_key_file_error_quark, ANY, URB_EXIT_BAD_INPUT },
  { json_parser_error_quark, ANY, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_NOENT, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_ISDIR, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_NOTDIR, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_ACCES, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_NAMETOOLONG, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_LOOP, URB_EXIT_BAD_INPUT },
  { g_file_error_quark, G_FILE_ERROR_INVAL, URB_EXIT_BAD_INPUT }, /* a device, or too large */
  { g_io_error_quark, G_IO_ERROR_NOT_FOUND, URB_EXIT_BAD_INPUT },
  { g_io_error_quark, G_IO_ERROR_IS_DIRECTORY, URB_EXIT_BAD_INPUT },
  { g_io_error_quark, G_IO_ERROR_NOT_DIRECTORY, URB_EXIT_BAD_INPUT },
  { g_io_error_quark, G_IO_ERROR_PERMISSION_DENIED, URB_EXIT_BAD_INPUT },
  { g_io_error_quark, G_IO_ERROR_INVALID_DATA, URB_EXIT_BAD_INPUT },

  { urb_train_error_quark, URB_TRAIN_ERROR_MEMORY, URB_EXIT_DOES_NOT_FIT },
  { urb_train_error_quark, URB_TRAIN_ERROR_NO_DEVICE, URB_EXIT_DOES_NOT_FIT },
  { urb_step_error_quark, URB_STEP_ERROR_MEMORY, URB_EXIT_DOES_NOT_FIT },
  { g_file_error_quark, G_FILE_ERROR_NOSPC, URB_EXIT_DOES_NOT_FIT },
  { g_file_error_quark, G_FILE_ERROR_NOMEM, URB_EXIT_DOES_NOT_FIT },
  { g_file_error_quark, G_FILE_ERROR_MFILE, URB_EXIT_DOES_NOT_FIT },
  { g_io_error_quark, G_IO_ERROR_NO_SPACE, URB_EXIT_DOES_NOT_FIT },
};

UrbExit
urb_cli_get_exit (const GError *error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (exits); i++)
    if (error->domain == exits[i].domain ()
        && (exits[i].code == ANY || exits[i].code == error->code))
      return exits[i].exit;
  return URB_EXIT_FAILURE;
}

/* One line of JSON for programs; the line for people comes last. */
static void
print_message (const GError *error)
{
  g_autofree char *shown = NULL;

  urb_cli_progress_done ();
  if (g_strcmp0 (g_getenv ("URBARIUM_ERRORS"), "json") == 0)
    {
      JsonBuilder *json = urb_json_new ();
      g_autofree char *text = NULL;

      urb_json_add_error (json, "error", error);
      text = urb_json_end (json);
      fprintf (stderr, "%s\n", text);
    }
  shown = urb_show_text (error->message);
  fprintf (stderr, "%s: %s\n", g_get_prgname (), shown);
}

UrbExit
urb_cli_fail (const GError *error)
{
  g_return_val_if_fail (error != NULL, URB_EXIT_FAILURE);

  if (urb_cli_get_exit (error) != URB_EXIT_INTERRUPTED)
    print_message (error);
  else
    {
      urb_cli_progress_done ();
      fprintf (stderr, "%s: interrupted\n", g_get_prgname ());
    }
  return urb_cli_get_exit (error);
}

UrbExit
urb_cli_fail_usage (const char *format, ...)
{
  g_autoptr(GError) error = NULL;
  va_list args;

  va_start (args, format);
  error = g_error_new_valist (G_OPTION_ERROR, G_OPTION_ERROR_FAILED, format, args);
  va_end (args);
  print_message (error);
  fprintf (stderr, "Try: %s --help\n", g_get_prgname ());
  return URB_EXIT_USAGE;
}

void
urb_cli_warn_of_cache (const char *device)
{
  g_autofree char *problem = device != NULL ? urb_device_dup_cache_problem (device) : NULL;

  if (problem != NULL)
    fprintf (stderr, "%s: %s\n", g_get_prgname (), problem);
}

/* Not by g_print(), which replaces what the locale cannot show. */
static void
print_ended (JsonBuilder *json)
{
  g_autofree char *text = urb_json_dup_text (json);

  puts (text);
  g_object_unref (json);
}

void
urb_cli_print_json (JsonBuilder *json)
{
  urb_json_end_object (json);
  print_ended (json);
}

void
urb_cli_print_json_array (JsonBuilder *json)
{
  urb_json_end_array (json);
  print_ended (json);
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
    _exit (URB_EXIT_INTERRUPTED); /* the thread cannot be told */
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

  /* Without a pipe, signals keep their default action, which ends the process. */
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
