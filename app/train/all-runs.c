/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/all-runs.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/train/compare-list.h"
#include "app/train/run-plots.h"
#include "app/train/run-table.h"

struct _UrbariumAllRuns
{
  AdwBin             parent_instance;

  GPtrArray         *followed; /* (element-type UrbariumRun) owned: those whose curves are drawn */
  gboolean           chosen;   /* runs were selected once */
  gboolean           shown;    /* curves were shown once: which ones is the user's choice */

  UrbariumRunTable  *table;
  UrbariumRunPlots  *plots;
  GtkStack          *stack;
  GtkLabel          *hint_label;
  GtkEditable       *filter_entry;
};

G_DEFINE_FINAL_TYPE (UrbariumAllRuns, urbarium_all_runs, ADW_TYPE_BIN)

enum { SHOW_RUN, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
unfollow (gpointer run)
{
  urbarium_run_unfollow (run);
  g_object_unref (run);
}

/* Only while the page is shown: the history of a long run takes memory. */
static void
update (UrbariumAllRuns *self)
{
  g_autoptr(GPtrArray) selected = urbarium_run_table_dup_selected (self->table);
  g_autoptr(GPtrArray) followed = g_ptr_array_new_with_free_func (unfollow);
  gboolean shown = gtk_widget_get_mapped (GTK_WIDGET (self));
  g_autofree char *hint = NULL;
  for (guint i = 0; shown && i < MIN (selected->len, URBARIUM_COMPARE_MAX); i++)
    {
      urbarium_run_follow (selected->pdata[i]);
      g_ptr_array_add (followed, g_object_ref (selected->pdata[i]));
    }
  urbarium_run_plots_set_runs (self->plots, followed);
  g_ptr_array_unref (self->followed);
  self->followed = g_steal_pointer (&followed);
  if (selected->len > URBARIUM_COMPARE_MAX)
    hint = g_strdup_printf (_ ("The curves of the first %d of %u selected runs are shown."), URBARIUM_COMPARE_MAX,
                            selected->len);
  gtk_label_set_text (self->hint_label,
                      hint != NULL ? hint : _ ("Select several with Ctrl or Shift to compare their curves."));
  gtk_stack_set_visible_child_name (self->stack, selected->len > 0 ? "curves" : "none");
}

static gboolean
has_score (GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    {
      double score;
      g_object_get (runs->pdata[i], "score", &score, NULL);
      if (!isnan (score))
        return TRUE;
    }
  return FALSE;
}

/* At first, the newest runs are compared, by what they are judged by. */
static void
map_cb (UrbariumAllRuns *self)
{
  if (!self->chosen)
    urbarium_run_table_select_first (self->table, URBARIUM_COMPARE_MAX);
  update (self);
  if (!self->shown && has_score (self->followed))
    urbarium_run_plots_show_score (self->plots);
  self->shown |= self->followed->len > 0;
}

static void
selection_changed_cb (UrbariumAllRuns *self)
{
  g_autoptr(GPtrArray) selected = urbarium_run_table_dup_selected (self->table);
  self->chosen |= selected->len > 0;
  update (self);
}

static void
filter_cb (UrbariumAllRuns *self, GtkEditable *entry)
{
  urbarium_run_table_set_filter (self->table, gtk_editable_get_text (entry));
}

static void
activated_cb (UrbariumAllRuns *self, UrbariumRun *run)
{
  g_signal_emit (self, signals[SHOW_RUN], 0, run);
}

void
urbarium_all_runs_set_library (UrbariumAllRuns *self, UrbariumRunLibrary *library)
{
  urbarium_run_table_set_runs (self->table, G_LIST_MODEL (library));
}

void
urbarium_all_runs_select (UrbariumAllRuns *self, GPtrArray *runs)
{
  gtk_editable_set_text (self->filter_entry, "");
  filter_cb (self, self->filter_entry); /* the entry tells later */
  urbarium_run_table_select (self->table, runs);
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (URBARIUM_ALL_RUNS (object)->followed);
  G_OBJECT_CLASS (urbarium_all_runs_parent_class)->finalize (object);
}

static void
urbarium_all_runs_class_init (UrbariumAllRunsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[SHOW_RUN] = g_signal_new ("show-run", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 1, URBARIUM_TYPE_RUN);
  g_type_ensure (URBARIUM_TYPE_RUN_TABLE);
  g_type_ensure (URBARIUM_TYPE_RUN_PLOTS);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "all-runs.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumAllRuns, table);
  gtk_widget_class_bind_template_child (widget_class, UrbariumAllRuns, plots);
  gtk_widget_class_bind_template_child (widget_class, UrbariumAllRuns, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumAllRuns, hint_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumAllRuns, filter_entry);
  gtk_widget_class_bind_template_callback (widget_class, map_cb);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_bind_template_callback (widget_class, selection_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, filter_cb);
}

static void
urbarium_all_runs_init (UrbariumAllRuns *self)
{
  self->followed = g_ptr_array_new_with_free_func (unfollow);
  gtk_widget_init_template (GTK_WIDGET (self));
}
