/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress-lines.c - progress as JSON lines for a parent process, on stderr, separate from
 * the result.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "run/store/json-line.h"

enum { INTERVAL_US = 100 * 1000 };

/* A process has one stderr, as for the bar. */
static GMutex lines_lock;
static gint64 last_line_us; /* guarded by lines_lock */

void
urb_cli_progress_lines (double fraction, const char *what, gpointer user_data)
{
  gint64 now_us = g_get_monotonic_time ();

  g_mutex_lock (&lines_lock);
  if (now_us - last_line_us >= INTERVAL_US || fraction >= 1)
    {
      JsonBuilder *json = urb_json_new ();
      g_autofree char *line = NULL;

      urb_json_add_double (json, "fraction", CLAMP (fraction, 0, 1));
      urb_json_add_string (json, "what", what);
      line = urb_json_end (json);
      fprintf (stderr, "%s\n", line);
      fflush (stderr);
      last_line_us = now_us;
    }
  g_mutex_unlock (&lines_lock);
}
