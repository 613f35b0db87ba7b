/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/strategy-rows.h"

#include <glib/gi18n.h>

#include "app/train/rank-memory.h"
#include "settings/run-config.h"

enum { INDENT = 18 };

static GtkWidget *
new_indent (void)
{
  GtkWidget *indent = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_size_request (indent, INDENT, -1);
  return indent;
}

/* A wide suffix leaves little room, so the subtitle may take several lines. */
static GtkWidget *
new_row (const char *title, const char *subtitle, GtkWidget *suffix)
{
  GtkWidget *row = adw_action_row_new ();
  g_object_set (row, "use-markup", FALSE, "title", title, "subtitle", subtitle, "subtitle-lines", 4,
                NULL);
  gtk_widget_set_valign (suffix, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (suffix), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), new_indent ());
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), suffix);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), suffix);
  return row;
}

GtkWidget *
urbarium_strategy_rows_new_ranks (UrbStrategy strategy, GtkAdjustment *n_ranks)
{
  const char *title = strategy == URB_STRATEGY_HOGWILD   ? _ ("Processes")
                      : strategy == URB_STRATEGY_STREAMS ? _ ("Threads")
                      : urb_strategy_is_pipeline (strategy) ? _ ("Stages")
                      : strategy == URB_STRATEGY_TENSOR  ? _ ("Ranks")
                                                            : _ ("Copies");
  GtkWidget *spin = gtk_spin_button_new (n_ranks, 1, 0), *row = new_row (title, NULL, spin);
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), TRUE);
  urbarium_strategy_rows_set_on_gpu (row, strategy, FALSE);
  return row;
}

GtkWidget *
urbarium_strategy_rows_new_axis (int axis, GtkAdjustment *ranks)
{
  static const struct { const char *title, *text; } axes[URBARIUM_N_AXES] = {
    { N_ ("Channels (tensor)"), N_ ("Ranks that divide the channels of wide layers") },
    { N_ ("Samples (data)"), N_ ("Copies that divide each batch") },
    { N_ ("Layers (pipe)"), N_ ("Stages that divide the layers, as a pipeline") },
  };
  GtkWidget *spin = gtk_spin_button_new (ranks, 1, 0);
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), TRUE);
  return new_row (_ (axes[axis].title), _ (axes[axis].text), spin);
}

GtkWidget *
urbarium_strategy_rows_new_memory (void)
{
  GtkWidget *row = adw_preferences_row_new (), *memory = urbarium_rank_memory_new ();
  g_object_set (memory, "margin-start", 24 + INDENT, "margin-end", 12, "margin-top", 9, "margin-bottom", 9, NULL);
  g_object_set (row, "child", memory, "activatable", FALSE, "focusable", FALSE, "title", _ ("Memory of each rank"), NULL);
  return row;
}

void
urbarium_strategy_rows_set_on_gpu (GtkWidget *ranks_row, UrbStrategy strategy, gboolean on_gpu)
{
  const char *text;
  if (!on_gpu && urb_strategy_is_asynchronous (strategy))
    text = _ ("Each trains on its own batches, with its share of the processor’s threads");
  else if (!on_gpu && strategy == URB_STRATEGY_LAYERS)
    text = _ ("Each computes a part of the layers, with its share of the processor’s threads");
  else if (!on_gpu && urb_strategy_is_pipeline (strategy))
    text = _ ("Each computes a part of the layers, with its share of the processor’s threads.  The "
              "more microbatches, the less they wait");
  else if (!on_gpu && strategy == URB_STRATEGY_TENSOR)
    text = _ ("Each computes some channels of the wide layers, with its share of the processor’s threads");
  else if (!on_gpu)
    text = _ ("Each computes an equal part of every batch, with its share of the processor’s "
              "threads");
  else if (strategy == URB_STRATEGY_HOGWILD)
    text = _ ("Each needs GPU memory, and they take turns on the GPU: one process is usually "
              "fastest");
  else if (strategy == URB_STRATEGY_STREAMS)
    text = _ ("They share the GPU and its memory: one process is usually fastest");
  else
    text = _ ("They share one GPU and its memory: one process is faster");
  adw_action_row_set_subtitle (ADW_ACTION_ROW (ranks_row), text);
}

GtkWidget *
urbarium_strategy_rows_new_switch (UrbStrategy strategy, GtkSwitch **toggle)
{
  gboolean asynchronous = urb_strategy_is_asynchronous (strategy);
  const UrbSetting *setting
    = urb_settings_find (&urb_run_settings, asynchronous ? "stale-lr" : "sync-batch-norm");
  GtkWidget *widget = gtk_switch_new ();
  gtk_switch_set_active (GTK_SWITCH (widget), setting->number > 0);
  *toggle = GTK_SWITCH (widget);
  return new_row (asynchronous ? _ ("Lower the learning rate with the number of workers")
                               : _ ("Batch statistics over all copies"),
                  _ (setting->effect), widget);
}

gboolean
urbarium_strategy_rows_is_more (const UrbSetting *setting, UrbStrategy strategy)
{
  static const char *const shown[] = { "ranks", "mesh", "stale-lr", NULL };
  /* The window does not start ranks one by one. */
  static const char *const elsewhere[] = { "master", "token-file", NULL };
  if (!(setting->strategies & 1u << strategy) || g_strv_contains (shown, setting->key)
      || g_strv_contains (elsewhere, setting->key))
    return FALSE;
  return !g_str_equal (setting->key, "sync-batch-norm") || strategy == URB_STRATEGY_MESH;
}

GtkWidget *
urbarium_strategy_rows_new_more (UrbStrategy strategy)
{
  GtkWidget *row = adw_expander_row_new ();
  g_autoptr(GString) titles = g_string_new (NULL);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urbarium_strategy_rows_is_more (&urb_run_settings.rows[i], strategy))
      g_string_append_printf (titles, "%s%s", titles->len > 0 ? " · " : "", _ (urb_run_settings.rows[i].title));
  g_object_set (row, "use-markup", FALSE, "title", _ ("More settings"), "subtitle", titles->str, NULL);
  adw_expander_row_add_prefix (ADW_EXPANDER_ROW (row), new_indent ());
  return row;
}

void
urbarium_strategy_rows_fill_more (GtkWidget *more, UrbStrategy strategy, UrbariumSettingRows *rows)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urbarium_strategy_rows_is_more (&urb_run_settings.rows[i], strategy))
      adw_expander_row_add_row (ADW_EXPANDER_ROW (more), urbarium_setting_rows_add (rows, &urb_run_settings.rows[i]));
}
