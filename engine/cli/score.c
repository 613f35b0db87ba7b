/* SPDX-License-Identifier: Apache-2.0 */
/*
 * score.c - `urbarium-engine score`: internal; what a supervisor starts to score checkpoints.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/json-build.h"
#include "city/score.h"
#include "cli/cli.h"
#include "run/store/json-line.h"
#include "run/worker/worker.h"

/* Training comes first. */
enum { NICENESS = 10 };

/* Of this process, its threads included. */
static double
read_processor_s (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

static char *
answer (UrbScorer *scorer, JsonObject *request)
{
  JsonBuilder *line = urb_json_new ();
  const char *checkpoint = urb_json_get_string (request, "checkpoint", "");
  const char *dataset = urb_json_get_string (request, "dataset", "");
  UrbScores scores;
  g_autoptr(GError) error = NULL;
  double begin_s = read_processor_s ();
  gboolean good = urb_scorer_score (scorer, checkpoint, dataset, &scores, &error);

  urb_json_add_string (line, "type", good ? "score" : "error");
  urb_json_add_int (line, "step", urb_json_get_int (request, "step", -1));
  if (!good)
    {
      urb_json_add_string (line, "text", error->message);
      return urb_json_end (line);
    }
  urb_json_add_double (line, "seconds", scores.seconds);
  urb_json_add_double (line, "processor_seconds", read_processor_s () - begin_s);
  urb_json_add_int (line, "flaws", scores.flaws);
  for (int i = 0; i < URB_N_SCORES; i++)
    if (isfinite (scores.values[i]))
      urb_json_add_double (line, urb_score_names[i], scores.values[i]);
  return urb_json_end (line);
}

static int
answer_all (int fd)
{
  FILE *in = fdopen (fd, "r"), *out = fdopen (dup (fd), "w");
  g_autoptr(UrbScorer) scorer = urb_scorer_new ();
  char *line = NULL;
  size_t size = 0;
  ssize_t n;

  while (in != NULL && out != NULL && (n = getline (&line, &size, in)) > 0)
    {
      g_autoptr(JsonObject) request = urb_json_parse_line (line, (gsize) n, NULL);
      g_autofree char *text = request != NULL ? answer (scorer, request) : NULL;

      if (text != NULL && (fprintf (out, "%s\n", text) < 0 || fflush (out) != 0))
        break; /* the supervisor has ended */
    }
  free (line);
  return URB_EXIT_OK;
}

int
urb_cli_score (int argc, char **argv)
{
  int fd = -1;
  const GOptionEntry entries[] = {
    { "fd", 0, 0, G_OPTION_ARG_INT, &fd, "Socket to the supervisor", "N" },
    G_OPTION_ENTRY_NULL,
  };
  GOptionContext *context
    = urb_cli_options_new (NULL, "Started by train and resume; not for people.", entries);

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (fd < 0)
    return urb_cli_fail_usage ("it is started by train and resume; to score a checkpoint, use evaluate");
  urb_worker_ignore_signals ();
  if (nice (NICENESS) < 0)
    g_debug ("the priority cannot be lowered"); /* then it competes with the training */
  return answer_all (fd);
}
