/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - urbarium-engine verify: whether an exported file holds the cities that it says it does.
 */
#include <stdio.h>
#include <string.h>

#include "city/verify.h"
#include "cli/cli.h"
#include "run/store/folder.h"

/* Beside URB_EXIT_INTERRUPTED, these are all; wrong options are “cannot tell” too. */
enum { SAME = 0, DIFFERENT = 1, CANNOT_TELL = 2 };

static int
fail (const GError *error)
{
  UrbExit code = urb_cli_fail (error);

  return code == URB_EXIT_INTERRUPTED ? (int) code : CANNOT_TELL;
}

static int
print (const char *path, const UrbVerification *result)
{
  if (result->n_different == 0)
    {
      printf ("Same: '%s' has %s\n", path, result->made);
      return SAME;
    }
  printf ("Different: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " parts of '%s' are not those of %s\nThe first is %s\n",
          result->n_different, result->n_parts, path, result->made, result->first);
  if (strcmp (result->program, "Urbarium " URBARIUM_VERSION) != 0)
    printf ("It says that it was made by %s; this is Urbarium %s.\n", result->program, URBARIUM_VERSION);
  puts ("Another version, device or processor may draw a wall elsewhere.");
  return DIFFERENT;
}

int
urb_cli_verify (int argc, char **argv)
{
  g_autofree char *checkpoint = NULL, *device = NULL, *usual = urb_run_dup_usual_place ();
  const GOptionEntry entries[] = {
    { "checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &checkpoint,
      "The checkpoint that drew the file, or its run (the run of that name in this folder, or in the window's)", "RUN|CHECKPOINT" },
    { "device", 0, 0, G_OPTION_ARG_STRING, &device, "Device of the generator (that which drew the file)", "NAME" },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "FILE", "Makes the cities of a file of generate again, from the checkpoint that it names, and compares.\n"
            "Exits with 0: same, 1: different, 2: cannot tell.", entries);
  g_auto(UrbVerification) result = { 0 };
  g_autoptr(GError) error = NULL;
  gboolean good;

  if (!urb_cli_parse (context, &argc, &argv))
    return CANNOT_TELL;
  if (argc != 2)
    return urb_cli_fail_usage ("specify a file");
  good = urb_verify (argv[1], checkpoint, (const char *const[]){ ".", usual, NULL }, device, &result, urb_cli_progress, NULL,
                     urb_cli_get_cancellable (), &error);
  urb_cli_progress_done ();
  return good ? print (argv[1], &result) : fail (error);
}
