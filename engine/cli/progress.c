/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - progress on stderr, at most ten times a second: lines of JSON for a parent process, or
 * a bar if stderr is a terminal with control sequences.
 *
 *   Reading buildings  ━━━━━━━━━━━━────────────  48 %  0:12 left
 *
 * The state is global, guarded by a lock, since a process has one stderr.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json-build.h"
#include "cli/cli.h"

enum
{
  INTERVAL_US = 100 * 1000,
  SETTLE_US = 1500 * 1000, /* before this, estimates of the time left fluctuate */
  MAX_BAR_COLUMNS = 40,
  MAX_WHAT_COLUMNS = 64 /* a step, its losses and its GPU */
};

typedef struct
{
  gboolean drawn;
  char    *what;          /* owned */
  double   first_fraction, last_fraction;
  gint64   first_us, last_drawn_us;
} Bar;

static GMutex lock;
static Bar bar;             /* guarded by lock */
static gint64 last_line_us; /* guarded by lock */

static int
character_columns (gunichar c)
{
  if (g_unichar_iszerowidth (c))
    return 0;
  return g_unichar_iswide (c) ? 2 : 1;
}

/* Appends as much of @text as fits.  Returns: the columns used */
static int
append_clipped (GString *line, const char *text, int max_columns)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  int columns = 0;

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (g_unichar_iscntrl (c))
        c = ' ';
      if (columns + character_columns (c) > max_columns)
        break;
      columns += character_columns (c);
      g_string_append_unichar (line, c);
    }
  return columns;
}

/* "  48 %  0:12 left" */
static char *
dup_tail (double fraction, gint64 now_us)
{
  gint64 elapsed_us = now_us - bar.first_us;
  double done = fraction - bar.first_fraction;
  gint64 left_s;

  if (elapsed_us < SETTLE_US || done <= 0)
    return g_strdup_printf (" %3.0f %%", 100 * fraction);
  left_s = (gint64) (1e-6 * elapsed_us * (1 - fraction) / done + 0.5);
  if (left_s >= 3600)
    return g_strdup_printf (" %3.0f %%  %" G_GINT64_FORMAT ":%02d:%02d left", 100 * fraction,
                            left_s / 3600, (int) (left_s / 60 % 60), (int) (left_s % 60));
  return g_strdup_printf (" %3.0f %%  %d:%02d left", 100 * fraction, (int) (left_s / 60),
                          (int) (left_s % 60));
}

static void
draw (double fraction, const char *what, gint64 now_us)
{
  g_autoptr(GString) line = g_string_new ("\r\033[K");
  struct winsize size;
  gboolean has_size = ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  int columns = (has_size ? size.ws_col : 80) - 1; /* the last column may wrap */
  g_autofree char *tail = fraction < 0 ? g_strdup ("") : dup_tail (fraction, now_us);
  int tail_columns = (int) g_utf8_strlen (tail, -1);
  int used = append_clipped (line, what, CLAMP (columns - tail_columns, 0, MAX_WHAT_COLUMNS));
  int room = columns - used - tail_columns - 2;

  if (fraction >= 0 && room >= 4)
    {
      gboolean utf8 = g_get_charset (NULL);
      int bar_columns = MIN (room, MAX_BAR_COLUMNS);
      int full = (int) (fraction * bar_columns + 0.5);

      g_string_append (line, "  ");
      for (int i = 0; i < bar_columns; i++)
        g_string_append (line, i < full ? (utf8 ? "━" : "#") : (utf8 ? "─" : "-"));
    }
  if (used + tail_columns <= columns)
    g_string_append (line, tail);
  fputs (line->str, stderr);
  fflush (stderr);
}

static void
update (double fraction, const char *what, gint64 now_us)
{
  /* A different job, or the same restarted: reset the timer. */
  if (bar.what == NULL || fraction < bar.last_fraction
      || (strcmp (bar.what, what) != 0 && fraction <= 0))
    {
      bar.first_fraction = MAX (fraction, 0);
      bar.first_us = now_us;
    }
  else if (now_us - bar.last_drawn_us < INTERVAL_US && strcmp (bar.what, what) == 0)
    return;

  if (g_strcmp0 (bar.what, what) != 0)
    {
      g_free (bar.what);
      bar.what = g_strdup (what);
    }
  bar.last_fraction = fraction;
  bar.last_drawn_us = now_us;
  bar.drawn = TRUE;
  draw (fraction, what, now_us);
}

void
urb_cli_progress (double fraction, const char *what, gpointer user_data)
{
  const char *term = g_getenv ("TERM");

  if (!isatty (STDERR_FILENO) || term == NULL || strcmp (term, "dumb") == 0)
    return;
  g_mutex_lock (&lock);
  update (MIN (fraction, 1), what != NULL ? what : "", g_get_monotonic_time ());
  g_mutex_unlock (&lock);
}

void
urb_cli_progress_done (void)
{
  g_mutex_lock (&lock);
  if (bar.drawn)
    {
      fputs ("\r\033[K", stderr);
      fflush (stderr);
    }
  g_clear_pointer (&bar.what, g_free);
  bar.drawn = FALSE;
  g_mutex_unlock (&lock);
}

void
urb_cli_progress_lines (double fraction, const char *what, gpointer user_data)
{
  gint64 now_us = g_get_monotonic_time ();

  g_mutex_lock (&lock);
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
  g_mutex_unlock (&lock);
}
