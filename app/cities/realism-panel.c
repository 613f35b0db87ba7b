/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs at most two jobs: one reads the cache, one evaluates.  Neither keeps the panel alive, and
 * outdated results are dropped.
 */
#include "app/cities/realism-panel.h"

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"
#include "app/base/job-bar.h"
#include "app/base/ui-path.h"
#include "app/cities/blind-test.h"
#include "app/cities/realism-card.h"
#include "app/cities/realism-job.h"
#include "app/cities/realism-pairs.h"
#include "app/cities/realism-scale.h"
#include "app/cities/realism-words.h"
#include "app/plot/wrap-layout.h"

struct _UrbariumRealismPanel
{
  AdwBin                 parent_instance;
  char                  *checkpoint, *dataset; /* (nullable) owned */
  char                  *chosen;  /* (nullable) owned: the dataset chosen here */
  UrbariumCitySource    *source;  /* (nullable) owned */
  UrbariumJob           *recall, *evaluation; /* (nullable) owned */
  UrbariumRealismResult *result;  /* (nullable) owned */
  guint                  next_card; /* index of its measure */
  guint                  adding;    /* source */

  GtkStack              *content;
  AdwActionRow          *dataset_row;
  GtkSpinButton         *count;
  GtkButton             *evaluate, *reset;
  UrbariumJobBar        *job_bar;
  AdwStatusPage         *error_page;
  GtkBox                *conclusion_box;
  GtkImage              *conclusion_icon, *copies_icon;
  GtkLabel              *conclusion, *score, *sets, *basis, *copies_title, *copies;
  GtkWidget             *copies_box;
  UrbariumRealismScale  *scale;
  GtkFlowBox            *grid;
  UrbariumRealismPairs  *pairs;
};

G_DEFINE_FINAL_TYPE (UrbariumRealismPanel, urbarium_realism_panel, ADW_TYPE_BIN)

static const char *
get_dataset (UrbariumRealismPanel *self)
{
  return self->chosen != NULL ? self->chosen : self->dataset;
}

static void
update_controls (UrbariumRealismPanel *self)
{
  gboolean evaluating = self->evaluation != NULL;
  const char *dataset = get_dataset (self);
  g_autofree char *name = NULL;
  if (dataset == NULL && self->result != NULL)
    dataset = self->result->dataset;
  name = dataset != NULL ? g_filename_display_basename (dataset)
                         : g_strdup (_ ("The dataset it was trained on"));
  adw_action_row_set_subtitle (self->dataset_row, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->dataset_row), dataset);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "realism.evaluate",
                                 self->checkpoint != NULL && !evaluating);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "realism.blind-test", self->checkpoint != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "realism.choose-dataset",
                                 self->checkpoint != NULL && !evaluating);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "realism.reset-dataset",
                                 self->chosen != NULL && !evaluating);
  gtk_widget_set_visible (GTK_WIDGET (self->reset), self->chosen != NULL);
  gtk_button_set_label (self->evaluate,
                        self->result != NULL ? _ ("_Evaluate again") : _ ("_Evaluate"));
}

/* ------------------------------------------------------------------------ */
/* The result                                                                */

static void
set_level_style (GtkWidget *widget, UrbariumRealismLevel level)
{
  for (int i = 0; i <= URBARIUM_REALISM_UNKNOWN; i++)
    gtk_widget_remove_css_class (widget, urbarium_realism_get_style ((UrbariumRealismLevel) i));
  gtk_widget_add_css_class (widget, urbarium_realism_get_style (level));
}

static void
show_score (UrbariumRealismPanel *self)
{
  UrbariumRealismLevel level = urbarium_realism_get_overall_level (self->result);
  g_autofree char *score = urbarium_realism_dup_score (self->result);
  g_autofree char *sets = urbarium_realism_dup_sets (self->result);
  g_autofree char *basis = urbarium_realism_dup_basis (self->result);
  gtk_image_set_from_icon_name (self->conclusion_icon, urbarium_realism_get_icon (level));
  gtk_label_set_label (self->conclusion, urbarium_realism_get_conclusion (level));
  set_level_style (GTK_WIDGET (self->conclusion_box), level);
  gtk_label_set_label (self->score, score);
  gtk_label_set_label (self->sets, sets != NULL ? sets : "");
  gtk_widget_set_visible (GTK_WIDGET (self->sets), sets != NULL);
  gtk_label_set_label (self->basis, basis);
  urbarium_realism_scale_set (self->scale, self->result->score, self->result->untrained_score,
                              self->result->train_score);
}

static void
show_copies (UrbariumRealismPanel *self)
{
  gboolean copies = self->result->copies, shared = self->result->n_shared > 0;
  g_autofree char *text = urbarium_realism_dup_copies (self->result);
  set_level_style (self->copies_box, copies || shared ? URBARIUM_REALISM_FAR
                                                      : URBARIUM_REALISM_ALIKE);
  gtk_image_set_from_icon_name (self->copies_icon, copies || shared ? "dialog-warning-symbolic"
                                                                    : "emblem-ok-symbolic");
  gtk_label_set_label (self->copies_title,
                       copies   ? _ ("The generator copies training areas")
                       : shared ? _ ("Real areas were not kept out of training")
                                : _ ("The generator does not copy"));
  gtk_label_set_label (self->copies, text);
}

static gboolean
add_card_cb (gpointer data)
{
  UrbariumRealismPanel *self = data;
  const UrbariumRealismMeasure *measure;
  g_autoptr(GtkWidget) card = NULL;
  GtkWidget *child;
  g_autofree char *name = NULL;
  if (self->next_card >= self->result->measures->len)
    {
      self->adding = 0;
      return G_SOURCE_REMOVE;
    }
  measure = self->result->measures->pdata[self->next_card++];
  name = g_strdup_printf ("%s: %s", urbarium_realism_get_title (measure),
                          urbarium_realism_get_verdict (urbarium_realism_get_level (measure)));
  card = urbarium_realism_card_new (measure);
  child = gtk_flow_box_child_new ();
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), card);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_flow_box_append (self->grid, child);
  return G_SOURCE_CONTINUE;
}

/* Hides the other pages: a stack of pages with different heights would request the width of
 * unwrapped text. */
static void
show_content (UrbariumRealismPanel *self, const char *name)
{
  GtkWidget *shown = gtk_stack_get_child_by_name (self->content, name), *child;
  gtk_widget_set_visible (shown, TRUE);
  gtk_stack_set_visible_child (self->content, shown);
  for (child = gtk_widget_get_first_child (GTK_WIDGET (self->content)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_set_visible (child, child == shown);
}

/* @result: (transfer full) (nullable) */
static void
take_result (UrbariumRealismPanel *self, UrbariumRealismResult *result)
{
  GtkWidget *card;
  g_clear_handle_id (&self->adding, g_source_remove);
  while ((card = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_flow_box_remove (self->grid, card);
  g_clear_pointer (&self->result, urbarium_realism_result_free);
  self->result = result;
  if (result != NULL)
    {
      show_score (self);
      show_copies (self);
      /* A card takes about 8 ms because of its band, so add one per idle call. */
      self->next_card = 0;
      self->adding = g_idle_add (add_card_cb, self);
    }
  urbarium_realism_pairs_set (self->pairs, self->source, result);
  show_content (self, result != NULL             ? "result"
                      : self->checkpoint != NULL ? "ask"
                                                 : "none");
  update_controls (self);
}

/* ------------------------------------------------------------------------ */
/* Jobs                                                                      */

static void
drop_job (UrbariumJob **job)
{
  if (*job != NULL)
    urbarium_job_cancel (*job);
  g_clear_object (job);
}

static void
recalled_cb (GObject *source, GAsyncResult *answer, gpointer data)
{
  UrbariumRealismPanel *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRealismResult) result
    = urbarium_job_finish (URBARIUM_JOB (source), answer, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* by drop_job(): the panel may have been freed */
  g_clear_object (&self->recall);
  if (self->evaluation == NULL && result != NULL)
    take_result (self, g_steal_pointer (&result));
}

static void
recall (UrbariumRealismPanel *self)
{
  drop_job (&self->recall);
  if (self->checkpoint == NULL)
    return;
  self->recall = urbarium_job_new (_ ("Looking for an earlier evaluation"));
  urbarium_job_run (self->recall, urbarium_realism_recall,
                    urbarium_realism_question_new (self->checkpoint, get_dataset (self), 0),
                    urbarium_realism_question_free, (GDestroyNotify) urbarium_realism_result_free,
                    recalled_cb, self);
}

static void
evaluated_cb (GObject *source, GAsyncResult *answer, gpointer data)
{
  GWeakRef *weak = data;
  g_autoptr(UrbariumRealismPanel) self = g_weak_ref_get (weak);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRealismResult) result
    = urbarium_job_finish (URBARIUM_JOB (source), answer, &error);
  g_weak_ref_clear (weak);
  g_free (weak);
  if (self == NULL || self->evaluation != URBARIUM_JOB (source))
    return;
  g_clear_object (&self->evaluation);
  urbarium_job_bar_set_job (self->job_bar, NULL);
  if (result != NULL)
    take_result (self, g_steal_pointer (&result));
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_autofree char *escaped = g_markup_escape_text (error->message, -1);
      adw_status_page_set_description (self->error_page, escaped);
      show_content (self, "error");
    }
  update_controls (self);
}

static void
blind_test_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  UrbariumRealismPanel *self = URBARIUM_REALISM_PANEL (widget);
  urbarium_blind_test_open (widget, self->checkpoint, get_dataset (self));
}

static void
evaluate_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  UrbariumRealismPanel *self = URBARIUM_REALISM_PANEL (widget);
  int count = gtk_spin_button_get_value_as_int (self->count);
  GWeakRef *weak;
  if (self->checkpoint == NULL || self->evaluation != NULL)
    return;
  weak = g_new (GWeakRef, 1);
  g_weak_ref_init (weak, self);
  drop_job (&self->recall);
  show_content (self, self->result != NULL ? "result" : "ask");
  self->evaluation = urbarium_job_new (_ ("Evaluating the generator"));
  urbarium_job_run (self->evaluation, urbarium_realism_evaluate,
                    urbarium_realism_question_new (self->checkpoint, get_dataset (self), count),
                    urbarium_realism_question_free, (GDestroyNotify) urbarium_realism_result_free,
                    evaluated_cb, weak);
  urbarium_job_bar_set_job (self->job_bar, self->evaluation);
  update_controls (self);
}

static void
reset (UrbariumRealismPanel *self)
{
  drop_job (&self->evaluation);
  urbarium_job_bar_set_job (self->job_bar, NULL);
  take_result (self, NULL);
  recall (self);
}

/* Checkpoints of one run are in one folder. */
static gboolean
are_of_one_run (const char *a, const char *b)
{
  g_autofree char *folder = a != NULL ? g_path_get_dirname (a) : NULL;
  g_autofree char *other = b != NULL ? g_path_get_dirname (b) : NULL;
  return g_strcmp0 (folder, other) == 0;
}

void
urbarium_realism_panel_set_checkpoint (UrbariumRealismPanel *self, const char *checkpoint,
                                       const char *dataset)
{
  g_return_if_fail (URBARIUM_IS_REALISM_PANEL (self));
  if (g_strcmp0 (checkpoint, self->checkpoint) == 0 && g_strcmp0 (dataset, self->dataset) == 0)
    return;
  if (g_strcmp0 (dataset, self->dataset) != 0 || !are_of_one_run (checkpoint, self->checkpoint))
    g_clear_pointer (&self->chosen, g_free);
  g_free (self->checkpoint);
  self->checkpoint = g_strdup (checkpoint);
  g_free (self->dataset);
  self->dataset = g_strdup (dataset);
  reset (self);
}

void
urbarium_realism_panel_set_source (UrbariumRealismPanel *self, UrbariumCitySource *source)
{
  g_return_if_fail (URBARIUM_IS_REALISM_PANEL (self));
  if (g_set_object (&self->source, source))
    urbarium_realism_pairs_set (self->pairs, source, self->result);
}

/* ------------------------------------------------------------------------ */
/* Choosing a dataset                                                        */

void
urbarium_realism_panel_choose_dataset (UrbariumRealismPanel *self, const char *dataset)
{
  g_return_if_fail (URBARIUM_IS_REALISM_PANEL (self) && dataset != NULL);
  g_free (self->chosen);
  self->chosen = g_strdup (dataset);
  reset (self);
}

static void
choose_dataset_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  GtkFileChooser *chooser = urbarium_file_chooser_new (widget, GTK_FILE_CHOOSER_ACTION_OPEN,
                                                       _ ("Choose dataset"), _ ("_Choose"));
  urbarium_file_chooser_add_filter (chooser, _ ("Datasets (.gpkg)"), "gpkg", NULL);
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (urbarium_realism_panel_choose_dataset),
                              widget, NULL);
}

static void
reset_dataset_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  UrbariumRealismPanel *self = URBARIUM_REALISM_PANEL (widget);
  g_clear_pointer (&self->chosen, g_free);
  reset (self);
}

static void
dispose (GObject *object)
{
  UrbariumRealismPanel *self = URBARIUM_REALISM_PANEL (object);
  g_clear_handle_id (&self->adding, g_source_remove);
  drop_job (&self->recall);
  drop_job (&self->evaluation);
  g_clear_object (&self->source);
  G_OBJECT_CLASS (urbarium_realism_panel_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumRealismPanel *self = URBARIUM_REALISM_PANEL (object);
  g_free (self->checkpoint);
  g_free (self->dataset);
  g_free (self->chosen);
  urbarium_realism_result_free (self->result);
  G_OBJECT_CLASS (urbarium_realism_panel_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, dataset_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, count);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, evaluate);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, reset);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, job_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, error_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, conclusion_box);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, conclusion_icon);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, conclusion);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, score);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, sets);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, basis);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, scale);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, grid);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, copies_box);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, copies_icon);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, copies_title);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, copies);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRealismPanel, pairs);
}

static void
urbarium_realism_panel_class_init (UrbariumRealismPanelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  g_type_ensure (URBARIUM_TYPE_REALISM_PAIRS);
  g_type_ensure (URBARIUM_TYPE_REALISM_SCALE);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "realism-panel.ui");
  bind_children (widget_class);
  gtk_widget_class_install_action (widget_class, "realism.evaluate", NULL, evaluate_action);
  gtk_widget_class_install_action (widget_class, "realism.blind-test", NULL, blind_test_action);
  gtk_widget_class_install_action (widget_class, "realism.choose-dataset", NULL,
                                   choose_dataset_action);
  gtk_widget_class_install_action (widget_class, "realism.reset-dataset", NULL,
                                   reset_dataset_action);
}

static void
urbarium_realism_panel_init (UrbariumRealismPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  take_result (self, NULL);
}

