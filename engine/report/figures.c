/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - see figures.h.
 *
 * A score arrives long after its step, so scores, which are few, are read first.
 */
#include "report/figures.h"

#include <math.h>

enum { PAGE = 4096 };

typedef struct
{
  GArray  *scores; /* (element-type UrbScores) owned; by ascending steps */
  guint    next;   /* of the scores */
  GString *text;   /* owned; lines that were not given away yet */
  gint64   seq;
} Table;

/* ------------------------------------------------------------------------ */
/* Lines                                                                     */

static void
add_integer (Table *self, gint64 value)
{
  g_string_append_printf (self->text, ",%" G_GINT64_FORMAT, value);
}

static void
add_number (Table *self, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (self->text, ',');
  if (isfinite (value))
    g_string_append (self->text, g_ascii_dtostr (digits, sizeof digits, value));
}

static void
add_nothing (Table *self, int n)
{
  while (n-- > 0)
    g_string_append_c (self->text, ',');
}

static void
add_names (Table *self)
{
  g_string_append (self->text, "step,time,images,seconds");
  for (int i = 0; i < URB_N_METRICS; i++)
    g_string_append_printf (self->text, ",%s", urb_step_metric_names[i]);
  for (int i = 0; i < URB_N_SCORES; i++)
    g_string_append_printf (self->text, ",%s", urb_score_names[i]);
  g_string_append (self->text, ",flaws,scoring_seconds\n");
}

/* @scores: (nullable) */
static void
end_line (Table *self, const UrbScores *scores)
{
  if (scores == NULL)
    add_nothing (self, URB_N_SCORES + 2);
  else
    {
      for (int i = 0; i < URB_N_SCORES; i++)
        add_number (self, scores->values[i]);
      add_integer (self, scores->flaws);
      add_number (self, scores->seconds);
    }
  g_string_append_c (self->text, '\n');
}

/* Scores of steps before @step that are not in the history, as it was lost. */
static void
add_scores_before (Table *self, gint64 step)
{
  for (; self->next < self->scores->len; self->next++)
    {
      const UrbScores *scores = &g_array_index (self->scores, UrbScores, self->next);

      if (scores->step >= step)
        break;
      g_string_append_printf (self->text, "%" G_GINT64_FORMAT, scores->step);
      add_nothing (self, 3 + URB_N_METRICS);
      end_line (self, scores);
    }
}

static void
add_step (Table *self, const UrbRunRecord *record)
{
  const UrbScores *scores = NULL;

  add_scores_before (self, record->step);
  if (self->next < self->scores->len && g_array_index (self->scores, UrbScores, self->next).step == record->step)
    scores = &g_array_index (self->scores, UrbScores, self->next++);
  g_string_append_printf (self->text, "%" G_GINT64_FORMAT, record->step);
  add_number (self, record->time);
  add_integer (self, record->metrics.images);
  add_number (self, record->metrics.seconds);
  for (int i = 0; i < URB_N_METRICS; i++)
    add_number (self, record->metrics.values[i]);
  end_line (self, scores);
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

static void
score_cb (const UrbRunRecord *record, gpointer user_data)
{
  Table *self = user_data;

  self->seq = record->seq;
  if (record->type == URB_RUN_RECORD_SCORE)
    g_array_append_val (self->scores, record->scores);
}

static void
step_cb (const UrbRunRecord *record, gpointer user_data)
{
  Table *self = user_data;

  self->seq = record->seq;
  if (record->type == URB_RUN_RECORD_STEP)
    add_step (self, record);
}

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  gint64 first = ((const UrbScores *) a)->step, second = ((const UrbScores *) b)->step;

  return first < second ? -1 : first > second;
}

static gboolean
write_pages (Table *self, UrbRunDb *db, UrbFiguresFunc func, gpointer user_data, GError **error)
{
  int n = PAGE;

  while (n == PAGE)
    {
      n = urb_run_db_read (db, self->seq, PAGE, step_cb, self, error);
      if (n < 0)
        return FALSE;
      if (n < PAGE)
        add_scores_before (self, G_MAXINT64);
      if (!func (self->text->str, self->text->len, user_data, error))
        return FALSE;
      g_string_truncate (self->text, 0);
    }
  return TRUE;
}

gboolean
urb_figures_write (UrbRunDb *db, UrbFiguresFunc func, gpointer user_data, GError **error)
{
  g_autoptr(GArray) scores = g_array_new (FALSE, FALSE, sizeof (UrbScores));
  g_autoptr(GString) text = g_string_new (NULL);
  Table self = { .scores = scores, .text = text };
  int n = PAGE;

  while (n == PAGE)
    n = urb_run_db_read (db, self.seq, PAGE, score_cb, &self, error);
  if (n < 0)
    return FALSE;
  g_array_sort (scores, compare_steps);
  self.seq = 0;
  add_names (&self);
  return write_pages (&self, db, func, user_data, error);
}
