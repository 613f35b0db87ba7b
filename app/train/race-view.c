/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/race-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/plot/plot.h"
#include "app/train/race-text.h"

struct _UrbariumRaceView
{
  AdwBin          parent_instance;

  UrbariumRace   *race;     /* (nullable) owned */
  guint           n_points; /* that the plot shows */

  GtkLabel       *answer_label, *stage_label, *note_label;
  GtkProgressBar *progress_bar;
  UrbariumPlot   *plot;
  GtkGrid        *grid;
};

G_DEFINE_FINAL_TYPE (UrbariumRaceView, urbarium_race_view, ADW_TYPE_BIN)

/* ------------------------------------------------------------------------ */
/* Curves                                                                    */

static guint
count_points (const UrbQualityRace *race)
{
  guint n = 0;
  for (guint i = 0; i < race->curves->len; i++)
    n += ((const UrbQualityCurve *) race->curves->pdata[i])->points->len;
  return n;
}

static void
add_curve (UrbariumRaceView *self, const UrbQualityRace *race, const UrbQualityCurve *curve)
{
  g_autofree char *arm = urbarium_race_dup_arm (race, curve->arm);
  /* translators: a way to train, and the seed of a training */
  g_autofree char *name = g_strdup_printf (_ ("%s, seed %d"), arm, (int) curve->seed);
  g_autoptr(UrbariumSeries) series = urbarium_series_new (name);
  for (guint i = URB_RACE_SMOOTH - 1; i < curve->points->len; i++)
    urbarium_series_append (series, g_array_index (curve->points, UrbQualityPoint, i).seconds,
                            urb_quality_curve_smooth (curve, i));
  urbarium_plot_add (self->plot, series, (guint) curve->arm, URBARIUM_PLOT_SOLID);
}

/* The score to be reached, as a line. */
static void
add_threshold (UrbariumRaceView *self, const UrbQualityRace *race)
{
  UrbQualityVerdict verdict;
  g_autoptr(UrbariumSeries) series = urbarium_series_new (_ ("Good enough"));
  if (!urb_quality_race_judge (race, &verdict))
    return;
  urbarium_series_append (series, 0, verdict.threshold);
  urbarium_series_append (series, race->budget_s, verdict.threshold);
  urbarium_plot_add (self->plot, series, URB_RACE_N_ARMS, URBARIUM_PLOT_DASHED);
}

/* Points come every few minutes, so the plot starts anew with each. */
static void
show_curves (UrbariumRaceView *self)
{
  const UrbQualityRace *race = urbarium_race_get_race (self->race);
  guint n = count_points (race);
  if (n == self->n_points)
    return;
  self->n_points = n;
  urbarium_plot_clear (self->plot);
  for (guint i = 0; i < race->curves->len; i++)
    add_curve (self, race, race->curves->pdata[i]);
  add_threshold (self, race);
}

/* ------------------------------------------------------------------------ */
/* Figures                                                                   */

static void
add_cell (UrbariumRaceView *self, int column, int row, const char *text, gboolean strong)
{
  GtkWidget *label = gtk_label_new (text);
  g_object_set (label, "xalign", 0.0, "wrap", TRUE, "hexpand", column > 0, NULL);
  if (strong)
    gtk_widget_add_css_class (label, "heading");
  else if (column == 0)
    gtk_widget_add_css_class (label, "dim-label");
  gtk_grid_attach (self->grid, label, column, row, 1, 1);
}

/* @texts: (transfer full) of both arms */
static void
add_row (UrbariumRaceView *self, int row, const char *title, char *texts[URB_RACE_N_ARMS], int winner)
{
  add_cell (self, 0, row, title, FALSE);
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      add_cell (self, 1 + arm, row, texts[arm], arm == winner);
      g_free (texts[arm]);
    }
}

static void
show_figures (UrbariumRaceView *self)
{
  const UrbQualityRace *race = urbarium_race_get_race (self->race);
  UrbQualityVerdict verdict;
  gboolean done = urb_quality_race_judge (race, &verdict) && verdict.n_seeds > 0;
  g_autofree char *threshold = urbarium_format_number (verdict.threshold, 2), *time = NULL;
  char *names[URB_RACE_N_ARMS], *times[URB_RACE_N_ARMS], *scores[URB_RACE_N_ARMS], *speeds[URB_RACE_N_ARMS],
       *rates[URB_RACE_N_ARMS];
  int n = verdict.n_seeds, winner;
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
  gtk_widget_set_visible (GTK_WIDGET (self->grid), done);
  if (!done)
    return;
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      names[arm] = urbarium_race_dup_arm (race, arm);
      times[arm] = urbarium_race_dup_time (verdict.seconds[arm], n);
      scores[arm] = urbarium_race_dup_spread (verdict.best[arm], 2, n);
      speeds[arm] = urbarium_race_dup_spread (verdict.images_per_s[arm], 1, n);
      rates[arm] = g_strdup_printf ("%g ×", race->lr_factor[arm]);
    }
  winner = urbarium_race_get_progress (self->race)->state == URB_RACE_FINISHED ? verdict.winner : -1;
  /* translators: a score */
  time = g_strdup_printf (_ ("Time until the score is %s"), threshold);
  add_row (self, 0, "", names, -1);
  add_row (self, 1, time, times, verdict.by_time ? winner : -1);
  add_row (self, 2, _ ("Best score (lower is better)"), scores, verdict.by_time ? -1 : winner);
  add_row (self, 3, _ ("Images/s"), speeds, -1);
  add_row (self, 4, _ ("Learning rates"), rates, -1);
}

/* ------------------------------------------------------------------------ */
/* State                                                                     */

/* What the figures are worth, or what went wrong. */
static char *
dup_note (UrbariumRace *race)
{
  const UrbRaceProgress *progress = urbarium_race_get_progress (race);
  g_autofree char *minutes = urbarium_format_duration (urbarium_race_get_race (race)->budget_s), *plain = NULL;
  if (progress->state == URB_RACE_FAILED && progress->problem != NULL && *progress->problem != '\0')
    return g_strdup (progress->problem);
  /* translators: a number of trainings, and how long each takes */
  plain = g_strdup_printf (ngettext ("%d training each of %s, on the same threads.",
                                     "%d trainings each of %s, on the same threads.", progress->n_seeds),
                           progress->n_seeds, minutes);
  return progress->n_seeds < 3 ? g_strdup_printf ("%s %s", plain, _ ("Fewer than three are not reliable."))
                               : g_steal_pointer (&plain);
}

static void
show_progress (UrbariumRaceView *self)
{
  const UrbRaceProgress *progress = urbarium_race_get_progress (self->race);
  gboolean running = urbarium_race_is_running (self->race);
  g_autofree char *stage = NULL, *left = NULL, *text = NULL;
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), running);
  gtk_widget_set_visible (GTK_WIDGET (self->stage_label), running);
  if (!running)
    return;
  stage = urbarium_race_dup_stage (self->race);
  left = urbarium_format_duration (fmax (progress->planned_s - progress->trained_s, 0));
  /* translators: what it does now, and a duration */
  text = g_strdup_printf (_ ("%s. %s of training left"), stage, left);
  gtk_label_set_text (self->stage_label, text);
  if (progress->planned_s > 0)
    gtk_progress_bar_set_fraction (self->progress_bar, CLAMP (progress->trained_s / progress->planned_s, 0, 1));
}

static void
update (UrbariumRaceView *self)
{
  g_autofree char *answer = urbarium_race_dup_answer (self->race), *note = dup_note (self->race);
  gtk_label_set_text (self->answer_label, answer);
  gtk_label_set_text (self->note_label, note);
  show_progress (self);
  show_curves (self);
  show_figures (self);
}

void
urbarium_race_view_set_race (UrbariumRaceView *self, UrbariumRace *race)
{
  if (self->race != NULL)
    g_signal_handlers_disconnect_by_func (self->race, update, self);
  g_set_object (&self->race, race);
  self->n_points = G_MAXUINT;
  if (race == NULL)
    return;
  g_signal_connect_object (race, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
dispose (GObject *object)
{
  urbarium_race_view_set_race (URBARIUM_RACE_VIEW (object), NULL);
  G_OBJECT_CLASS (urbarium_race_view_parent_class)->dispose (object);
}

static void
urbarium_race_view_class_init (UrbariumRaceViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_PLOT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "race-view.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceView, answer_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceView, stage_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceView, note_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceView, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceView, plot);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceView, grid);
}

static void
urbarium_race_view_init (UrbariumRaceView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
