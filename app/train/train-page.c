/* SPDX-License-Identifier: Apache-2.0 */
/*
 * train-page.c - the list of runs, next to the selected run or the settings of a new one.
 */
#include "app/train/train-page.h"

#include <glib/gi18n.h>

#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/train/all-runs.h"
#include "app/train/run-row.h"
#include "app/train/run-settings.h"
#include "app/train/run-view.h"

struct _UrbariumTrainPage
{
  AdwBin               parent_instance;

  UrbariumRunLibrary  *library; /* (nullable) owned */
  char                *wanted;  /* (nullable) owned: folder of a run to show once it is found */

  AdwFlap             *flap;
  GtkStack            *stack;
  GtkListBox          *list;
  GtkWidget           *empty_label;
  UrbariumRunSettings *settings;
  UrbariumRunView     *view;
  UrbariumAllRuns     *all_runs;
};

G_DEFINE_FINAL_TYPE (UrbariumTrainPage, urbarium_train_page, ADW_TYPE_BIN)

enum { PROP_0, PROP_SESSION, PROP_SHOW_PANEL, N_PROPS };
static GParamSpec *props[N_PROPS];

enum { SHOW_CITIES, SHOW_CITY, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
session_changed (UrbariumTrainPage *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SESSION]);
}

static void
reveal_changed_cb (UrbariumTrainPage *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_PANEL]);
}

static void
hide_list_if_folded (UrbariumTrainPage *self)
{
  if (adw_flap_get_folded (self->flap))
    adw_flap_set_reveal_flap (self->flap, FALSE);
}

/* @name: of a page of the stack that shows no single run */
static void
show_page (UrbariumTrainPage *self, const char *name)
{
  g_clear_pointer (&self->wanted, g_free);
  gtk_list_box_unselect_all (self->list);
  urbarium_run_view_set_run (self->view, NULL, NULL);
  gtk_stack_set_visible_child_name (self->stack, name);
  hide_list_if_folded (self);
  session_changed (self);
}

static void
show_settings (UrbariumTrainPage *self)
{
  show_page (self, "settings");
}

static void
view_run (UrbariumTrainPage *self, UrbariumRun *run)
{
  g_clear_pointer (&self->wanted, g_free);
  urbarium_run_view_set_run (self->view, run, self->library);
  gtk_stack_set_visible_child_name (self->stack, "run");
  session_changed (self);
}

static void
select_row (UrbariumTrainPage *self, UrbariumRun *run)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (URBARIUM_IS_RUN_ROW (row) && urbarium_run_row_get_run (URBARIUM_RUN_ROW (row)) == run)
      gtk_list_box_select_row (self->list, GTK_LIST_BOX_ROW (row));
}

static void
select_run (UrbariumTrainPage *self, UrbariumRun *run)
{
  select_row (self, run);
  view_run (self, run);
  hide_list_if_folded (self);
}

static void
row_selected_cb (UrbariumTrainPage *self, GtkListBoxRow *row)
{
  UrbariumRun *run = row == NULL ? NULL : urbarium_run_row_get_run (URBARIUM_RUN_ROW (row));
  if (run == NULL || run == urbarium_run_view_get_run (self->view))
    return;
  view_run (self, run);
}

static void
show_wanted (UrbariumTrainPage *self)
{
  UrbariumRun *run = self->wanted == NULL || self->library == NULL
                       ? NULL
                       : urbarium_run_library_find (self->library, self->wanted);
  if (run != NULL)
    select_run (self, run);
}

/* The run in view may have been deleted, and the wanted one found. */
static void
runs_changed_cb (UrbariumTrainPage *self)
{
  UrbariumRun *shown = urbarium_run_view_get_run (self->view);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->library));
  gboolean found = shown == NULL;
  gtk_widget_set_visible (self->empty_label, n == 0);
  for (guint i = 0; i < n && !found; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (G_LIST_MODEL (self->library), i);
      found = run == shown;
    }
  if (!found)
    show_settings (self);
  else if (shown != NULL)
    select_row (self, shown); /* its row may have been recreated */
  show_wanted (self);
}

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  return urbarium_run_row_new (item, URBARIUM_TRAIN_PAGE (data)->library);
}

static void
show_cities_cb (UrbariumTrainPage *self, UrbariumRun *run)
{
  g_signal_emit (self, signals[SHOW_CITIES], 0, run);
}

static void
show_city_cb (UrbariumTrainPage *self, UrbariumRun *run, gint64 step, gint64 seed, gint64 index)
{
  g_signal_emit (self, signals[SHOW_CITY], 0, run, step, seed, index);
}

static void
new_run_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_settings (URBARIUM_TRAIN_PAGE (widget));
}

static void
all_runs_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_page (URBARIUM_TRAIN_PAGE (widget), "all");
}

static void
several_started_cb (UrbariumTrainPage *self, GPtrArray *runs)
{
  show_page (self, "all");
  urbarium_all_runs_select (self->all_runs, runs);
}

static void
repeat_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumTrainPage *self = URBARIUM_TRAIN_PAGE (widget);
  UrbariumRun *run = urbarium_run_view_get_run (self->view);
  g_auto(UrbRunConfig) config = { 0 };
  if (run == NULL || !urbarium_run_copy_config (run, &config))
    return;
  if (urbarium_run_settings_set_config (self->settings, &config))
    show_settings (self);
  else
    urbarium_message_toast (widget, _ ("The networks of this run cannot be read: its preset file is "
                                       "missing"));
}

/* The text of a run.ini with another group for the run in view, and for whether the user chose the
 * hardware: if not, a GPU added to the machine is proposed. */
static char *
dup_session (UrbariumTrainPage *self)
{
  UrbariumRun *run = urbarium_run_view_get_run (self->view);
  const char *folder = run != NULL ? urbarium_run_get_folder (run) : self->wanted;
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *text = NULL;
  g_autoptr(GKeyFile) file = g_key_file_new ();
  urbarium_run_settings_get_config (self->settings, &config);
  text = urb_run_config_to_text (&config);
  if (!g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, NULL))
    return NULL;
  g_key_file_set_string (file, "session", "run", folder == NULL ? "" : folder);
  g_key_file_set_boolean (file, "session", "hardware-chosen",
                          urbarium_run_settings_is_device_chosen (self->settings));
  return g_key_file_to_data (file, NULL, NULL);
}

/* Silently ignores text that cannot be parsed: it is of another version. */
static void
set_session (UrbariumTrainPage *self, const char *text)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = NULL, *run = NULL;
  g_autofree char *now = dup_session (self);
  gboolean is_chosen;
  if (text == NULL || *text == '\0' || g_strcmp0 (text, now) == 0)
    return;
  if (!g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, NULL))
    return;
  is_chosen = g_key_file_get_boolean (file, "session", "hardware-chosen", NULL);
  folder = g_key_file_get_string (file, "session", "run", NULL);
  g_key_file_remove_group (file, "session", NULL);
  run = g_key_file_to_data (file, NULL, NULL);
  urb_run_config_init (&config);
  if (!urb_run_config_from_text (&config, run, NULL))
    return;
  urbarium_run_settings_set_config (self->settings, &config);
  if (!is_chosen)
    urbarium_run_settings_propose_device (self->settings);
  g_free (self->wanted);
  self->wanted = folder == NULL || *folder == '\0' ? NULL : g_steal_pointer (&folder);
  show_wanted (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SESSION)
    g_value_take_string (value, dup_session (URBARIUM_TRAIN_PAGE (object)));
  else if (id == PROP_SHOW_PANEL)
    g_value_set_boolean (value, adw_flap_get_reveal_flap (URBARIUM_TRAIN_PAGE (object)->flap));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SESSION)
    set_session (URBARIUM_TRAIN_PAGE (object), g_value_get_string (value));
  else if (id == PROP_SHOW_PANEL)
    adw_flap_set_reveal_flap (URBARIUM_TRAIN_PAGE (object)->flap, g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

void
urbarium_train_page_set_library (UrbariumTrainPage *self, UrbariumRunLibrary *library)
{
  g_return_if_fail (self->library == NULL);
  self->library = g_object_ref (library);
  urbarium_run_settings_set_library (self->settings, library);
  urbarium_all_runs_set_library (self->all_runs, library);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (library), create_row, self, NULL);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (runs_changed_cb), self,
                           G_CONNECT_SWAPPED);
  runs_changed_cb (self);
}

void
urbarium_train_page_set_dataset (UrbariumTrainPage *self, const char *path)
{
  urbarium_run_settings_set_dataset (self->settings, path);
  show_settings (self);
}

void
urbarium_train_page_show_run (UrbariumTrainPage *self, UrbariumRun *run)
{
  g_return_if_fail (run != NULL);
  select_run (self, run);
}

static void
dispose (GObject *object)
{
  g_clear_object (&URBARIUM_TRAIN_PAGE (object)->library);
  G_OBJECT_CLASS (urbarium_train_page_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_free (URBARIUM_TRAIN_PAGE (object)->wanted);
  G_OBJECT_CLASS (urbarium_train_page_parent_class)->finalize (object);
}

static void
urbarium_train_page_class_init (UrbariumTrainPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  G_OBJECT_CLASS (klass)->get_property = get_property;
  G_OBJECT_CLASS (klass)->set_property = set_property;
  props[PROP_SESSION] = g_param_spec_string (
    "session", NULL, NULL, NULL,
    G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  props[PROP_SHOW_PANEL] = g_param_spec_boolean (
    "show-panel", NULL, NULL, TRUE,
    G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  signals[SHOW_CITY]
    = g_signal_new ("show-city", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 4,
                    URBARIUM_TYPE_RUN, G_TYPE_INT64, G_TYPE_INT64, G_TYPE_INT64);
  signals[SHOW_CITIES] = g_signal_new ("show-cities", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 1, URBARIUM_TYPE_RUN);
  g_type_ensure (URBARIUM_TYPE_ALL_RUNS);
  g_type_ensure (URBARIUM_TYPE_RUN_SETTINGS);
  g_type_ensure (URBARIUM_TYPE_RUN_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "train-page.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, flap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, empty_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, settings);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, view);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainPage, all_runs);
  gtk_widget_class_bind_template_callback (widget_class, row_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, hide_list_if_folded);
  gtk_widget_class_bind_template_callback (widget_class, reveal_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, session_changed);
  gtk_widget_class_bind_template_callback (widget_class, select_run);
  gtk_widget_class_bind_template_callback (widget_class, several_started_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_cities_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_city_cb);
  gtk_widget_class_install_action (widget_class, "train.new-run", NULL, new_run_action);
  gtk_widget_class_install_action (widget_class, "train.all-runs", NULL, all_runs_action);
  gtk_widget_class_install_action (widget_class, "train.repeat", NULL, repeat_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_n, GDK_CONTROL_MASK, "train.new-run",
                                       NULL);
}

static void
urbarium_train_page_init (UrbariumTrainPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
