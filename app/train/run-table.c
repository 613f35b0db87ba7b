/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-table.c - see run-table.h.
 *
 * The columns of settings follow the runs: they are replaced when a run appears, or its settings have
 * been read.
 */
#include "app/train/run-table.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/train/run-differences.h"
#include "app/train/run-filter.h"
#include "app/train/run-text.h"

enum { MAX_SETTINGS = 8, REFRESH_S = 5, MAX_CHARS = 24 };

typedef struct _Column Column;

/* What a column shows, and what it sorts by. */
struct _Column
{
  char  *(*dup_text)   (UrbariumRun *run, const Column *column); /* (nullable): of the cell */
  double (*get_number) (UrbariumRun *run, const Column *column); /* (nullable): sorts by text */
  const UrbSetting *setting; /* (nullable): not one of the run's figures */
};

struct _UrbariumRunTable
{
  AdwBin             parent_instance;

  GListModel        *runs;      /* (nullable) owned */
  GtkMultiSelection *selection; /* (nullable) owned */
  GtkFilter         *filter;    /* owned */
  char              *words;     /* owned: of the filter */
  GPtrArray         *settings;  /* (element-type UrbSetting) owned: those that have a column */
  guint              refresh_id, columns_id;

  GtkColumnView     *view;
};

G_DEFINE_FINAL_TYPE (UrbariumRunTable, urbarium_run_table, ADW_TYPE_BIN)

enum { SELECTION_CHANGED, ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ------------------------------------------------------------------------ */
/* Cells                                                                     */

static char *
dup_name (UrbariumRun *run, const Column *column)
{
  return g_strdup (urbarium_run_get_name (run));
}

static char *
dup_state (UrbariumRun *run, const Column *column)
{
  char *text;
  g_object_get (run, "state-text", &text, NULL);
  return text;
}

static double
get_step (UrbariumRun *run, const Column *column)
{
  gint64 step;
  g_object_get (run, "step", &step, NULL);
  return (double) step;
}

static char *
dup_step (UrbariumRun *run, const Column *column)
{
  return urbarium_format_count ((gint64) get_step (run, column));
}

static double
get_speed (UrbariumRun *run, const Column *column)
{
  double speed;
  g_object_get (run, "last-images-per-s", &speed, NULL);
  return speed > 0 ? speed : NAN;
}

static char *
dup_speed (UrbariumRun *run, const Column *column)
{
  double speed = get_speed (run, column);
  return speed > 0 ? urbarium_format_number (speed, speed < 10 ? 1 : 0) : NULL;
}

static double
get_score (UrbariumRun *run, const Column *column)
{
  double score;
  g_object_get (run, "score", &score, NULL);
  return score;
}

static char *
dup_score (UrbariumRun *run, const Column *column)
{
  double score = get_score (run, column);
  return isnan (score) ? NULL : urbarium_format_number (score, 2);
}

static double
get_created (UrbariumRun *run, const Column *column)
{
  gint64 created;
  g_object_get (run, "created", &created, NULL);
  return (double) created;
}

static char *
dup_created (UrbariumRun *run, const Column *column)
{
  double created = get_created (run, column);
  return created > 0 ? urbarium_format_time ((gint64) created) : NULL;
}

static char *
dup_setting (UrbariumRun *run, const Column *column)
{
  return urbarium_run_dup_setting (run, column->setting);
}

static double
get_setting (UrbariumRun *run, const Column *column)
{
  const UrbRunConfig *config = urbarium_run_get_config (run);
  return config == NULL ? NAN : urb_setting_get_number (column->setting, config);
}

static void
write_cell (GtkListItem *item)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  const Column *column = g_object_get_data (G_OBJECT (label), "column");
  g_autofree char *text = column->dup_text (gtk_list_item_get_item (item), column);
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "–");
  gtk_widget_set_tooltip_text (label, text); /* in full, if the column is too narrow */
}

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const Column *column = data;
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), column->get_number != NULL ? 1 : 0);
  if (column->get_number == NULL)
    g_object_set (label, "ellipsize", PANGO_ELLIPSIZE_END, "max-width-chars", MAX_CHARS, NULL);
  gtk_widget_add_css_class (label, "numeric");
  g_object_set_data (G_OBJECT (label), "column", data);
  gtk_list_item_set_child (item, label);
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  g_signal_connect_object (gtk_list_item_get_item (item), "notify", G_CALLBACK (write_cell), item,
                           G_CONNECT_SWAPPED);
  write_cell (item);
}

static void
unbind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), write_cell, item);
}

/* ------------------------------------------------------------------------ */
/* Columns                                                                   */

/* Runs that have no value follow the greatest. */
static int
compare_runs (gconstpointer a, gconstpointer b, gpointer data)
{
  const Column *column = data;
  UrbariumRun *runs[] = { (UrbariumRun *) a, (UrbariumRun *) b };
  g_autofree char *first = NULL, *second = NULL;
  if (column->get_number != NULL)
    {
      double x = column->get_number (runs[0], column), y = column->get_number (runs[1], column);
      return isnan (x) || isnan (y) ? isnan (x) - isnan (y) : (x > y) - (x < y);
    }
  first = column->dup_text (runs[0], column);
  second = column->dup_text (runs[1], column);
  return g_utf8_collate (first != NULL ? first : "", second != NULL ? second : "");
}

/* @position: %G_MAXUINT: last */
static void
add_column (UrbariumRunTable *self, guint position, const char *title, Column column)
{
  Column *own = g_memdup2 (&column, sizeof column);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr(GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_runs, own, NULL));
  g_autoptr(GtkColumnViewColumn) added = gtk_column_view_column_new (title, factory);
  g_object_set_data_full (G_OBJECT (added), "column", own, g_free);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), own);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), own);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), own);
  gtk_column_view_column_set_sorter (added, sorter);
  gtk_column_view_column_set_expand (added, column.dup_text == dup_name);
  gtk_column_view_column_set_resizable (added, TRUE);
  gtk_column_view_insert_column (self->view, MIN (position, g_list_model_get_n_items (
                                   gtk_column_view_get_columns (self->view))), added);
}

static gboolean
is_number (const UrbSetting *setting)
{
  return !urb_setting_is_text (setting) && setting->type != URB_SETTING_ENUM
         && setting->type != URB_SETTING_BOOLEAN;
}

/* The columns of settings stand after those of name and state. */
enum { FIRST_SETTING = 2 };

static gboolean
update_columns (gpointer data)
{
  UrbariumRunTable *self = data;
  g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref), settings = NULL;
  GListModel *columns = gtk_column_view_get_columns (self->view);
  self->columns_id = 0;
  for (guint i = 0; self->runs != NULL && i < g_list_model_get_n_items (self->runs); i++)
    g_ptr_array_add (runs, g_list_model_get_item (self->runs, i));
  settings = urbarium_run_find_differences (runs);
  g_ptr_array_set_size (settings, (int) MIN (settings->len, MAX_SETTINGS));
  if (settings->len == self->settings->len
      && (settings->len == 0
          || memcmp (settings->pdata, self->settings->pdata, settings->len * sizeof (gpointer)) == 0))
    return G_SOURCE_REMOVE;
  for (guint i = 0; i < self->settings->len; i++)
    {
      g_autoptr(GtkColumnViewColumn) old = g_list_model_get_item (columns, FIRST_SETTING);
      gtk_column_view_remove_column (self->view, old);
    }
  for (guint i = 0; i < settings->len; i++)
    {
      const UrbSetting *setting = settings->pdata[i];
      add_column (self, FIRST_SETTING + i, _ (setting->title),
                  (Column) { dup_setting, is_number (setting) ? get_setting : NULL, setting });
    }
  g_ptr_array_unref (self->settings);
  self->settings = g_steal_pointer (&settings);
  return G_SOURCE_REMOVE;
}

static void
update_columns_soon (UrbariumRunTable *self)
{
  if (self->columns_id == 0)
    self->columns_id = g_idle_add (update_columns, self);
}

/* ------------------------------------------------------------------------ */
/* Runs                                                                      */

static gboolean
matches (gpointer item, gpointer data)
{
  UrbariumRunTable *self = data;
  const UrbRunConfig *config = urbarium_run_get_config (item);
  g_autofree char *state = dup_state (item, NULL);
  return urbarium_run_filter_matches (self->words, urbarium_run_get_name (item), config != NULL ? config->note : NULL, state);
}

/* What the filter looks at has changed. */
static void
filter_again (UrbariumRunTable *self)
{
  if (*self->words != '\0')
    gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

void
urbarium_run_table_set_filter (UrbariumRunTable *self, const char *words)
{
  g_free (self->words);
  self->words = g_strdup (words);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
runs_changed_cb (UrbariumRunTable *self, guint position, guint n_removed, guint n_added)
{
  static const char *const filtered[] = { "notify::name", "notify::note", "notify::state-text" };
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (self->runs, i);
      g_signal_handlers_disconnect_by_func (run, update_columns_soon, self); /* it may just have moved */
      g_signal_handlers_disconnect_by_func (run, filter_again, self);
      for (gsize k = 0; k < G_N_ELEMENTS (filtered); k++)
        g_signal_connect_object (run, filtered[k], G_CALLBACK (filter_again), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (run, "notify::note", G_CALLBACK (update_columns_soon), self,
                               G_CONNECT_SWAPPED); /* it may be the first one */
      g_signal_connect_object (run, "notify::created", G_CALLBACK (update_columns_soon), self,
                               G_CONNECT_SWAPPED); /* its settings have been read */
    }
  update_columns_soon (self);
}

static void
selection_changed_cb (UrbariumRunTable *self)
{
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

void
urbarium_run_table_set_runs (UrbariumRunTable *self, GListModel *runs)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (self->view);
  GtkFilterListModel *shown = gtk_filter_list_model_new (g_object_ref (runs), g_object_ref (self->filter));
  GtkSortListModel *sorted = gtk_sort_list_model_new (G_LIST_MODEL (shown), g_object_ref (sorter));
  g_return_if_fail (self->runs == NULL);
  self->runs = g_object_ref (runs);
  self->selection = gtk_multi_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "selection-changed", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  /* A selected run may have been deleted. */
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (runs, "items-changed", G_CALLBACK (runs_changed_cb), self, G_CONNECT_SWAPPED);
  runs_changed_cb (self, 0, 0, g_list_model_get_n_items (runs));
}

void
urbarium_run_table_select_first (UrbariumRunTable *self, guint n)
{
  if (self->selection == NULL)
    return;
  if (n == 0)
    gtk_selection_model_unselect_all (GTK_SELECTION_MODEL (self->selection));
  else
    gtk_selection_model_select_range (GTK_SELECTION_MODEL (self->selection), 0, n, TRUE);
}

void
urbarium_run_table_select (UrbariumRunTable *self, GPtrArray *runs)
{
  guint n = self->selection == NULL ? 0 : g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  g_autoptr(GtkBitset) chosen = gtk_bitset_new_empty (), mask = gtk_bitset_new_range (0, n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self->selection), i);
      if (g_ptr_array_find (runs, run, NULL))
        gtk_bitset_add (chosen, i);
    }
  if (n > 0)
    gtk_selection_model_set_selection (GTK_SELECTION_MODEL (self->selection), chosen, mask);
}

GPtrArray *
urbarium_run_table_dup_selected (UrbariumRunTable *self)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = self->selection == NULL ? 0 : g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  for (guint i = 0; i < n; i++)
    if (gtk_selection_model_is_selected (GTK_SELECTION_MODEL (self->selection), i))
      g_ptr_array_add (runs, g_list_model_get_item (G_LIST_MODEL (self->selection), i));
  return runs;
}

static void
activate_cb (UrbariumRunTable *self, guint position)
{
  g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  if (run != NULL)
    g_signal_emit (self, signals[ACTIVATED], 0, run);
}

/* Nothing else tells the score of a live run that is not followed. */
static gboolean
refresh_cb (gpointer data)
{
  UrbariumRunTable *self = data;
  for (guint i = 0; self->runs != NULL && i < g_list_model_get_n_items (self->runs); i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (self->runs, i);
      if (urbarium_run_text_is_active (run))
        urbarium_run_peek (run);
    }
  return G_SOURCE_CONTINUE;
}

static void
map_cb (UrbariumRunTable *self)
{
  refresh_cb (self);
  if (self->refresh_id == 0)
    self->refresh_id = g_timeout_add_seconds (REFRESH_S, refresh_cb, self);
}

static void
unmap_cb (UrbariumRunTable *self)
{
  g_clear_handle_id (&self->refresh_id, g_source_remove);
}

/* ------------------------------------------------------------------------ */

static void
dispose (GObject *object)
{
  UrbariumRunTable *self = URBARIUM_RUN_TABLE (object);
  g_clear_handle_id (&self->refresh_id, g_source_remove);
  g_clear_handle_id (&self->columns_id, g_source_remove);
  g_clear_object (&self->selection);
  g_clear_object (&self->runs);
  G_OBJECT_CLASS (urbarium_run_table_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumRunTable *self = URBARIUM_RUN_TABLE (object);
  g_ptr_array_unref (self->settings);
  g_object_unref (self->filter);
  g_free (self->words);
  G_OBJECT_CLASS (urbarium_run_table_parent_class)->finalize (object);
}

static void
urbarium_run_table_class_init (UrbariumRunTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[SELECTION_CHANGED] = g_signal_new ("selection-changed", G_TYPE_FROM_CLASS (klass),
                                             G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED] = g_signal_new ("activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 1, URBARIUM_TYPE_RUN);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "run-table.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRunTable, view);
  gtk_widget_class_bind_template_callback (widget_class, map_cb);
  gtk_widget_class_bind_template_callback (widget_class, unmap_cb);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
}

static void
urbarium_run_table_init (UrbariumRunTable *self)
{
  self->settings = g_ptr_array_new ();
  self->words = g_strdup ("");
  self->filter = GTK_FILTER (gtk_custom_filter_new (matches, self, NULL));
  gtk_widget_init_template (GTK_WIDGET (self));
  add_column (self, G_MAXUINT, _ ("Name"), (Column) { dup_name, NULL, NULL });
  add_column (self, G_MAXUINT, _ ("State"), (Column) { dup_state, NULL, NULL });
  add_column (self, G_MAXUINT, _ ("Step"), (Column) { dup_step, get_step, NULL });
  add_column (self, G_MAXUINT, _ ("Images/s"), (Column) { dup_speed, get_speed, NULL });
  /* translators: how far the cities are from real areas; the lowest is the best */
  add_column (self, G_MAXUINT, _ ("Best score"), (Column) { dup_score, get_score, NULL });
  add_column (self, G_MAXUINT, _ ("Created"), (Column) { dup_created, get_created, NULL });
}
