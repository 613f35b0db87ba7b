/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake-scorer.c - see fake-scorer.h.
 */
#include "fake-scorer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/store/json-line.h"

enum { SOCKET = 3 }; /* to the supervisor */

const char *const fake_scorer_argv[] = { "/proc/self/exe", "score", NULL };

gboolean
fake_scorer_is_meant (int argc, char **argv)
{
  return argc > 1 && strcmp (argv[1], fake_scorer_argv[1]) == 0;
}

int
fake_scorer_main (void)
{
  FILE *in = fdopen (SOCKET, "r"), *out = fdopen (dup (SOCKET), "w");
  char line[4096];

  while (fgets (line, sizeof line, in) != NULL)
    {
      g_autoptr(JsonObject) request = urb_json_parse_line (line, strlen (line), NULL);
      gint64 step = urb_json_get_int (request, "step", -1);

      if (!g_file_test (urb_json_get_string (request, "checkpoint", ""), G_FILE_TEST_EXISTS))
        return 1; /* it was deleted too early */
      fprintf (out, "{\"type\":\"score\",\"step\":%d,\"seconds\":0.1,\"score\":%d,\"flaws\":%d}\n", (int) step,
               (int) step, step >= 30);
      fflush (out);
    }
  return 0;
}
