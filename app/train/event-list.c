/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list view would keep its scroll position when rows are added on top; a list box keeps the
 * newest event in view.  Only the newest events have rows, which bounds the cost of long runs.
 */
#include "app/train/event-list.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/train/reversed-list.h"

enum { MAX_ROWS = 500 };

struct _UrbariumEventList
{
  AdwBin              parent_instance;

  GListModel         *events;  /* (nullable) owned; those that have rows, newest first */
  UrbariumRunLibrary *library; /* (nullable) owned */

  GtkStack           *stack;
  GtkListBox         *list;
  GtkWidget          *more_label;
};

G_DEFINE_FINAL_TYPE (UrbariumEventList, urbarium_event_list, ADW_TYPE_BIN)

/* In the language of the user; the engine's sentence is the tooltip, or a second line. */
static const struct
{
  const char *code;
  const char *level; /* (nullable): only of this level */
  const char *words; /* %s: the step, if there is one */
} sentences[] = {
  { "diverged", NULL,
    N_ ("Training diverged and is paused at the last good checkpoint. Roll back to an earlier "
        "one, or start a similar run with lower learning rates.") },
  { "explosion", "warning",
    N_ ("Training explodes: its values have grown far beyond those of a healthy run. Roll back to an "
        "earlier checkpoint, or start a similar run with lower learning rates.") },
  { "explosion", "info", N_ ("The values of training are those of a healthy run again") },
  { "diversity", "warning",
    N_ ("The cities have become too similar. If that persists, roll back to an earlier "
        "checkpoint, or start a similar run with lower learning rates.") },
  { "diversity", "info", N_ ("The cities differ enough again") },
  { "hook", "warning", N_ ("The hook fails. Training goes on; the file hooks.log of the run says more.") },
  { "hook-unknown", NULL,
    N_ ("The hook of this run is not called, since it was not chosen on this machine. To allow it, type it again in All settings.") },
  { "hook", "info", N_ ("The hook succeeds again") },
  { "half-tones", "warning",
    N_ ("Large parts of the cities are half-tones, neither building nor road nor ground. If that persists, go on "
        "from the best checkpoint with lower learning rates, or choose more areas.") },
  { "half-tones", "info", N_ ("The cities have no more half-tones than real areas have") },
  { "ragged-buildings", "warning",
    N_ ("Buildings are ragged, far from rectangles. If that persists, train longer, with the refiner, or choose more "
        "areas.") },
  { "ragged-buildings", "info", N_ ("Buildings are about as rectangular as in healthy runs again") },
  { "broken-streets", "warning",
    N_ ("The streets of the cities lie in pieces. If that persists, train longer, with the refiner, or choose grey "
        "levels on the page Areas, which keep narrow streets.") },
  { "broken-streets", "info", N_ ("Streets are connected again") },
  { "setting", NULL, N_ ("A setting of the run was changed") },
  { "signal", NULL, N_ ("A signal warned the run: a checkpoint is saved, and training continues") },
  { "trace", NULL, N_ ("The timeline of a step was recorded") },
  { "trace-failed", NULL, N_ ("The timeline of a step could not be recorded; training continues") },
  { "log", NULL, N_ ("From the log of the run") },
  { "queued", NULL, N_ ("The run waits for no other one") }, /* there is no subject */
  { "quiet-hours", NULL, N_ ("The run waits for the end of its quiet hours") },
  { "interrupted", NULL, N_ ("The run was interrupted by a signal") },
  { "checkpoint-failed", NULL, N_ ("The checkpoint of step %s could not be saved; training continues") },
  { "checkpoint-damaged", NULL, N_ ("A checkpoint is damaged and was set aside") },
  { "sample-failed", NULL, N_ ("The cities of step %s could not be drawn; training continues") },
  { "slow-kernels", NULL, N_ ("Some convolutions are slow on this GPU, since its libraries cannot compute them") },
  { "overflow", NULL,
    N_ ("A gradient was too large for its number format: its network skipped an update, and its loss scale was halved") },
  { "scoring", NULL, N_ ("All steps are done; the last cities are being scored") },
  { "score-failed", NULL, N_ ("The cities cannot be scored; training continues") },
  { "waiting", NULL, N_ ("Rank 0 waits for the other ranks, which are started one by one") },
  { "branch", NULL, N_ ("The run goes on from step %s of another one") },
  { "rewound", NULL, N_ ("The run is back at step %s; later steps no longer count") },
  { "worker-died", "error", N_ ("The training process ended, and would end again") },
  { "worker-died", "warning", N_ ("A training process ended unexpectedly") },
  { "restart", NULL, N_ ("Training starts again from the last checkpoint") },
  { "parameters-lost", NULL, N_ ("The networks were lost with the process that owned the GPU’s memory") },
  { "suspended", NULL, N_ ("The run was not supervised for a while: this computer or its supervisor was suspended") },
  { "history-lost", NULL, N_ ("The history of the run was missing; it was made again without the curves so far") },
  { "extended", NULL, N_ ("The run was extended") },
  { "renamed", NULL, N_ ("The run was renamed") },
  { "noted", NULL, N_ ("The note of the run was changed") },
  { "time-limit", NULL, N_ ("The time limit is reached") },
  { "killed", NULL, N_ ("The run ended without a checkpoint") },
  { "patience", NULL, N_ ("The scores have not improved for long enough: the run stops") },
  { "gpu-lost", NULL, N_ ("A GPU of the run does not respond any more") },
  { "failed", NULL, N_ ("The run cannot go on") },
};

/* Returns: (transfer full) (nullable): in place of the engine's text, which names command-line options */
static char *
dup_window_text (const char *level, const char *code, gint64 step)
{
  for (guint i = 0; i < G_N_ELEMENTS (sentences); i++)
    if (g_strcmp0 (code, sentences[i].code) == 0
        && (sentences[i].level == NULL || g_strcmp0 (level, sentences[i].level) == 0))
      {
        g_autofree char *number = urbarium_format_count (step);
        g_auto(GStrv) parts = g_strsplit (_ (sentences[i].words), "%s", 2);
        return g_strjoinv (number, parts);
      }
  return NULL;
}

/* Returns: (transfer full) (nullable): %NULL: the engine told no figures */
static char *
dup_score_words (gpointer event)
{
  g_autofree char *count = NULL, *number = NULL;
  double score;
  gint64 step;
  gboolean is_best;
  g_object_get (event, "score", &score, "scored-step", &step, "is-best", &is_best, NULL);
  if (isnan (score))
    return NULL;
  count = urbarium_format_count (step);
  number = urbarium_format_number (score, 2);
  return g_strdup_printf (is_best
                            /* translators: a training step, and the score of its cities */
                            ? _ ("The cities of step %1$s score %2$s (lower is better; 1: like real areas), the best "
                                 "so far")
                            : _ ("The cities of step %1$s score %2$s (lower is better; 1: like real areas)"),
                          count, number);
}

char *
urbarium_event_list_dup_words (const char *level, const char *code, const char *text, gint64 step)
{
  static const struct
  {
    const char *state, *words;
  } states[] = {
    { "starting", N_ ("The run is starting") },
    { "running", N_ ("Training continues") },
    { "pausing", N_ ("The run is pausing") },
    { "paused", N_ ("The run is paused and has freed its memory") },
    { "stopping", N_ ("The run is stopping") },
    { "stopped", N_ ("The run was stopped; it can be resumed") },
    { "finished", N_ ("All steps are done") },
    { "failed", N_ ("The run failed") },
    { "queued", N_ ("The run waits for another one") },
  };
  char *words;
  if (g_strcmp0 (code, "state") == 0 && g_strcmp0 (text, "running") == 0 && step <= 0)
    return g_strdup (_ ("Training has started"));
  if (g_strcmp0 (code, "state") == 0)
    for (guint i = 0; i < G_N_ELEMENTS (states); i++)
      if (g_strcmp0 (text, states[i].state) == 0)
        return g_strdup (_ (states[i].words));
  words = dup_window_text (level, code, step);
  return words != NULL ? words : g_strdup (text == NULL ? "" : text);
}

/* @folder: of the run to wait for */
static char *
dup_queued_words (UrbariumEventList *self, const char *folder)
{
  g_autofree char *base = g_filename_display_basename (folder);
  UrbariumRun *run = self->library != NULL ? urbarium_run_library_find (self->library, folder) : NULL;
  /* translators: the name of a run */
  return g_strdup_printf (_ ("Waits until “%s” has ended"), run != NULL ? urbarium_run_get_name (run) : base);
}

/* Returns: (transfer full) (nullable): %NULL: the engine told no details, or there are none of such an event */
static char *
dup_words_of_details (UrbariumEventList *self, gpointer event, const char *code)
{
  g_autofree char *subject = NULL;
  if (g_strcmp0 (code, "score") == 0)
    return dup_score_words (event);
  g_object_get (event, "subject", &subject, NULL);
  if (subject == NULL)
    return NULL;
  if (g_strcmp0 (code, "queued") == 0)
    return dup_queued_words (self, subject);
  /* translators: %s is a processor or a GPU */
  return g_strcmp0 (code, "device") == 0 ? g_strdup_printf (_ ("Trains on %s"), subject) : NULL;
}

/* Whether the engine's sentence is shown, too: which rank, which signal, which GPU, which file.  These name no
 * command-line options. */
static gboolean
tells_more (const char *code)
{
  static const char *const codes[] = { "worker-died", "gpu-lost", "checkpoint-failed", "sample-failed", "setting", "signal",
                                       "trace", "log", NULL };
  return code != NULL && g_strv_contains (codes, code);
}

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  static const char *const time_classes[] = { "dim-label", "numeric", NULL };
  static const char *const detail_classes[] = { "dim-label", "caption", NULL };
  UrbariumEventList *self = data;
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *words_label, *time_label;
  g_autofree char *level = NULL, *code = NULL, *text = NULL, *words = NULL, *when = NULL;
  gint64 step;
  double time;
  g_object_get (item, "level", &level, "code", &code, "text", &text, "step", &step, "time", &time,
                NULL);
  words = dup_words_of_details (self, item, code);
  if (words == NULL)
    words = urbarium_event_list_dup_words (level, code, text, step);
  when = urbarium_format_time ((gint64) time);
  words_label = g_object_new (GTK_TYPE_LABEL, "label", words, "xalign", 0.0, "wrap", TRUE,
                              "wrap-mode", PANGO_WRAP_WORD_CHAR, "hexpand", TRUE, NULL);
  time_label = g_object_new (GTK_TYPE_LABEL, "label", when, "valign", GTK_ALIGN_START,
                             "css-classes", time_classes, NULL);
  gtk_box_append (GTK_BOX (texts), words_label);
  if (g_strcmp0 (text, words) != 0 && tells_more (code))
    gtk_box_append (GTK_BOX (texts), g_object_new (GTK_TYPE_LABEL, "label", text, "xalign", 0.0, "wrap", TRUE,
                                                   "wrap-mode", PANGO_WRAP_WORD_CHAR, "css-classes", detail_classes,
                                                   NULL));
  else if (g_strcmp0 (text, words) != 0 && g_strcmp0 (code, "state") != 0)
    gtk_widget_set_tooltip_text (row, text);
  /* Most events are neither: icons on all of them would be noise. */
  if (g_strcmp0 (level, "error") == 0 || g_strcmp0 (level, "warning") == 0)
    {
      gboolean error = g_str_equal (level, "error");
      GtkWidget *icon = gtk_image_new_from_icon_name (error ? "dialog-error-symbolic"
                                                            : "dialog-warning-symbolic");
      gtk_widget_add_css_class (icon, level);
      gtk_widget_set_valign (icon, GTK_ALIGN_START);
      gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      error ? _ ("Error") : _ ("Warning"), -1);
      gtk_box_append (GTK_BOX (box), icon);
    }
  gtk_box_append (GTK_BOX (box), texts);
  gtk_box_append (GTK_BOX (box), time_label);
  gtk_widget_add_css_class (row, "train-event");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  return row;
}

/* Each new checkpoint ends an old one, which nobody needs to read; the tab Checkpoints lists what is left. */
static gboolean
is_of_interest (gpointer item, gpointer data)
{
  g_autofree char *code = NULL;
  g_object_get (item, "code", &code, NULL);
  return g_strcmp0 (code, "checkpoint-deleted") != 0;
}

static void
count_cb (UrbariumEventList *self)
{
  guint n = self->events == NULL ? 0 : g_list_model_get_n_items (self->events);
  gtk_stack_set_visible_child_name (self->stack, n > 0 ? "events" : "empty");
  gtk_widget_set_visible (self->more_label, n > MAX_ROWS);
}

void
urbarium_event_list_set_events (UrbariumEventList *self, GListModel *events,
                                UrbariumRunLibrary *library)
{
  if (self->events != NULL)
    g_signal_handlers_disconnect_by_data (self->events, self);
  gtk_list_box_bind_model (self->list, NULL, NULL, NULL, NULL);
  g_clear_object (&self->events);
  g_set_object (&self->library, library);
  if (events != NULL)
    {
      GtkFilter *filter = GTK_FILTER (gtk_custom_filter_new (is_of_interest, NULL, NULL));
      g_autoptr(GtkSliceListModel) slice = NULL;
      self->events = G_LIST_MODEL (gtk_filter_list_model_new (G_LIST_MODEL (urbarium_reversed_list_new (events)), filter));
      slice = gtk_slice_list_model_new (g_object_ref (self->events), 0, MAX_ROWS);
      gtk_list_box_bind_model (self->list, G_LIST_MODEL (slice), create_row, self, NULL);
      g_signal_connect_object (self->events, "items-changed", G_CALLBACK (count_cb), self, G_CONNECT_SWAPPED);
    }
  count_cb (self);
}

static void
dispose (GObject *object)
{
  UrbariumEventList *self = URBARIUM_EVENT_LIST (object);
  g_clear_object (&self->events);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_event_list_parent_class)->dispose (object);
}

static void
urbarium_event_list_class_init (UrbariumEventListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "event-list.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumEventList, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumEventList, list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumEventList, more_label);
}

static void
urbarium_event_list_init (UrbariumEventList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
