/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep-window.c - see sweep-window.h.  Read update() first.
 */
#include "app/train/sweep-window.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "settings/recipe.h"
#include "settings/sweep.h"

enum { MAX_NAMES = 6 };

/* A setting, and the values that it takes. */
typedef struct
{
  GtkWidget   *widget; /* borrowed, as are its parts */
  GtkDropDown *setting;
  GtkEntry    *values;
} Row;

struct _UrbariumSweepWindow
{
  AdwWindow           parent_instance;

  UrbariumRunLibrary *library;  /* owned */
  UrbRunConfig        config;
  int                 n_channels;
  GPtrArray          *settings; /* (element-type UrbSetting) owned: those that can be varied */
  GtkStringList      *titles;   /* owned: of @settings */
  GArray             *rows;     /* (element-type Row) owned */
  GArray             *configs;  /* (element-type UrbRunConfig) owned: of the runs; empty: none are possible */
  GCancellable       *starting; /* (nullable) owned */

  GtkListBox         *list;
  GtkSpinButton      *at_once_spin;
  GtkLabel           *summary_label, *names_label;
  GtkButton          *start_button;
  GtkSpinner         *spinner;
};

G_DEFINE_FINAL_TYPE (UrbariumSweepWindow, urbarium_sweep_window, ADW_TYPE_WINDOW)

enum { STARTED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ------------------------------------------------------------------------ */
/* The runs                                                                  */

static const UrbSetting *
get_setting (UrbariumSweepWindow *self, const Row *row)
{
  guint selected = gtk_drop_down_get_selected (row->setting);
  return selected < self->settings->len ? self->settings->pdata[selected] : NULL;
}

/* "1, 2 3;4" -> "1,2,3,4".  Of a fraction, a comma inside of a word is a decimal one, as many languages write
 * it: "0,5 1,5" -> "0.5,1.5"; but not beside a point: "0.5,1.5". */
static char *
dup_list (const UrbSetting *setting, const char *text)
{
  g_auto(GStrv) words = g_strsplit_set (text, "; \t", -1);
  g_autoptr(GString) list = g_string_new (NULL);
  for (char **word = words; *word != NULL; word++)
    {
      gsize length = strlen (*word);
      if (length > 0 && (*word)[length - 1] == ',')
        (*word)[--length] = '\0';
      if (length == 0)
        continue;
      if (setting->type == URB_SETTING_DOUBLE && strchr (*word, '.') == NULL
          && strchr (*word, ',') == strrchr (*word, ','))
        g_strdelimit (*word, ",", '.');
      g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", *word);
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* Returns: (transfer full): NULL with an error if a setting has no values, or wrong ones */
static UrbSweep *
parse (UrbariumSweepWindow *self, GError **error)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_auto(GStrv) lists = NULL;
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      const UrbSetting *setting = get_setting (self, row);
      g_autofree char *values = setting == NULL ? NULL
                                                : dup_list (setting, gtk_editable_get_text (GTK_EDITABLE (row->values)));
      g_autofree char *list = setting == NULL ? NULL : g_strdup_printf ("%s=%s", setting->key, values);
      if (list == NULL)
        continue;
      if (*values == '\0')
        {
          /* translators: the title of a setting */
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                       _ ("Enter values of “%s”, with spaces or commas between them."), _ (setting->title));
          return NULL;
        }
      g_strv_builder_add (builder, list);
    }
  lists = g_strv_builder_end (builder);
  return urb_sweep_parse ((const char *const *) lists, error);
}

/* Whether the preset can have these settings. */
static gboolean
check (UrbariumSweepWindow *self, const UrbRunConfig *config, GError **error)
{
  g_auto(UrbTrainOptions) resolved = { 0 };
  g_autoptr(UrbPreset) preset = urb_preset_load (config->train.preset, error);
  if (preset == NULL)
    return FALSE;
  urb_train_options_copy (&resolved, &config->train);
  return urb_recipe_resolve (&resolved, preset, self->n_channels, error);
}

/* Fills @configs. */
static gboolean
make_configs (UrbariumSweepWindow *self, const UrbSweep *sweep, GError **error)
{
  guint n_at_once = (guint) gtk_spin_button_get_value_as_int (self->at_once_spin);
  for (guint i = 0; i < sweep->runs->len; i++)
    {
      const UrbSweepRun *run = sweep->runs->pdata[i];
      UrbRunConfig *config;
      g_array_set_size (self->configs, i + 1);
      config = &g_array_index (self->configs, UrbRunConfig, i);
      if (urb_sweep_make_config (sweep, run, &self->config, n_at_once, config, error) && check (self, config, error))
        continue;
      g_prefix_error (error, "%s: ", run->name);
      return FALSE;
    }
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Showing them                                                              */

static void
show_names (UrbariumSweepWindow *self, const UrbSweep *sweep)
{
  g_autoptr(GString) names = g_string_new (NULL);
  guint n = sweep->runs->len, shown = MIN (n, MAX_NAMES);
  for (guint i = 0; i < shown; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? "\n" : "", ((UrbSweepRun *) sweep->runs->pdata[i])->name);
  if (n > shown)
    {
      g_string_append_c (names, '\n');
      g_string_append_printf (names, ngettext ("and %u more", "and %u more", n - shown), n - shown);
    }
  gtk_label_set_text (self->names_label, names->str);
}

static void
update (UrbariumSweepWindow *self)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSweep) sweep = NULL;
  g_autofree char *steps = NULL, *summary = NULL, *label = NULL;
  guint n;
  g_array_set_size (self->configs, 0);
  sweep = parse (self, &error);
  if (sweep == NULL || !make_configs (self, sweep, &error))
    g_array_set_size (self->configs, 0);
  n = self->configs->len;
  steps = urbarium_format_count (self->config.train.n_steps);
  if (error != NULL)
    summary = g_strdup (error->message);
  else
    /* translators: a number of runs, and a count of training steps */
    summary = g_strdup_printf (ngettext ("%u run of %s steps", "%u runs of %s steps each", n), n, steps);
  label = n == 0 ? g_strdup (_ ("_Start")) : g_strdup_printf (ngettext ("_Start %u run", "_Start %u runs", n), n);
  gtk_label_set_text (self->summary_label, summary);
  if (error != NULL && error->domain != G_IO_ERROR) /* nothing is wrong before a value was entered */
    gtk_widget_add_css_class (GTK_WIDGET (self->summary_label), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->summary_label), "error");
  gtk_label_set_text (self->names_label, "");
  if (error == NULL)
    show_names (self, sweep);
  gtk_button_set_label (self->start_button, label);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.start", n > 0 && self->starting == NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sweep.add", self->rows->len < self->settings->len);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), self->starting != NULL);
}

/* ------------------------------------------------------------------------ */
/* Rows                                                                      */

/* Values as they could be. */
static char *
dup_placeholder (const UrbSetting *setting)
{
  double usual = setting->number;
  if (g_str_equal (setting->key, "strategy"))
    return g_strdup ("single, hogwild:2, ddp:2");
  if (g_str_equal (setting->key, "preset"))
    return g_strdup ("tiny, small");
  if (setting->choices != NULL && setting->choices[0] != NULL && setting->choices[1] != NULL)
    return g_strdup_printf ("%s, %s", setting->choices[0], setting->choices[1]);
  if (setting->type == URB_SETTING_BOOLEAN)
    return g_strdup ("true, false");
  if (setting->type == URB_SETTING_DOUBLE)
    return g_strdup ("0.5, 1");
  return usual > 1 ? g_strdup_printf ("%g, %g", usual, 2 * usual) : g_strdup ("1, 2, 3");
}

static void
setting_changed_cb (UrbariumSweepWindow *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      const UrbSetting *setting = get_setting (self, row);
      g_autofree char *placeholder = setting != NULL ? dup_placeholder (setting) : NULL;
      g_autofree char *name = setting != NULL ? g_strdup_printf (_ ("Values of “%s”"), _ (setting->title)) : NULL;
      gtk_entry_set_placeholder_text (row->values, placeholder);
      gtk_accessible_update_property (GTK_ACCESSIBLE (row->values), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      name != NULL ? name : "", -1);
    }
  update (self);
}

static void
remove_cb (UrbariumSweepWindow *self, GtkWidget *button)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *widget = g_array_index (self->rows, Row, i).widget;
      if (!gtk_widget_is_ancestor (button, widget))
        continue;
      gtk_list_box_remove (self->list, widget);
      g_array_remove_index (self->rows, i);
      break;
    }
  update (self);
}

/* The first setting from @first on that no row has. */
static guint
find_free (UrbariumSweepWindow *self, const char *first)
{
  guint start = 0, n = self->settings->len;
  while (start + 1 < n && !g_str_equal (((UrbSetting *) self->settings->pdata[start])->key, first))
    start++;
  for (guint i = 0; i < n; i++)
    {
      guint at = (start + i) % n, k = 0;
      while (k < self->rows->len && gtk_drop_down_get_selected (g_array_index (self->rows, Row, k).setting) != at)
        k++;
      if (k == self->rows->len)
        return at;
    }
  return GTK_INVALID_LIST_POSITION;
}

static void
add_row (UrbariumSweepWindow *self, const char *key, const char *values)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12), *row = gtk_list_box_row_new ();
  GtkWidget *remove = gtk_button_new_from_icon_name ("list-remove-symbolic");
  Row parts = { row, GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (g_object_ref (self->titles)), NULL)),
                GTK_ENTRY (gtk_entry_new ()) };
  g_autoptr(GtkExpression) string = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");
  gtk_drop_down_set_expression (parts.setting, string);
  gtk_drop_down_set_enable_search (parts.setting, TRUE);
  gtk_drop_down_set_selected (parts.setting, find_free (self, key));
  gtk_accessible_update_property (GTK_ACCESSIBLE (parts.setting), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Setting to vary"), -1);
  gtk_editable_set_text (GTK_EDITABLE (parts.values), values);
  g_object_set (parts.setting, "valign", GTK_ALIGN_CENTER, "width-request", 200, NULL);
  g_object_set (parts.values, "valign", GTK_ALIGN_CENTER, "hexpand", TRUE, "width-chars", 8, NULL);
  g_object_set (remove, "valign", GTK_ALIGN_CENTER, "tooltip-text", _ ("Vary this setting no more"), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Vary this setting no more"), -1);
  gtk_widget_add_css_class (remove, "flat");
  g_object_set (box, "margin-top", 9, "margin-bottom", 9, "margin-start", 12, "margin-end", 6, NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (parts.setting));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (parts.values));
  gtk_box_append (GTK_BOX (box), remove);
  g_object_set (row, "child", box, "activatable", FALSE, "focusable", FALSE, NULL);
  g_array_append_val (self->rows, parts);
  gtk_list_box_append (self->list, row);
  g_signal_connect_object (parts.setting, "notify::selected", G_CALLBACK (setting_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (parts.values, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (remove, "clicked", G_CALLBACK (remove_cb), self, G_CONNECT_SWAPPED);
  setting_changed_cb (self);
}

static void
add_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumSweepWindow *self = URBARIUM_SWEEP_WINDOW (widget);
  add_row (self, "lr-g", "");
  gtk_widget_grab_focus (GTK_WIDGET (g_array_index (self->rows, Row, self->rows->len - 1).values));
}

/* ------------------------------------------------------------------------ */
/* Starting                                                                  */

static void
started_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumSweepWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) runs
    = urbarium_run_library_start_many_finish (URBARIUM_RUN_LIBRARY (source), result, &error);
  if (self->starting == NULL)
    return; /* the window was closed */
  g_clear_object (&self->starting);
  update (self);
  if (runs == NULL)
    {
      urbarium_message_error (GTK_WIDGET (self), _ ("Not all runs were started"), error);
      return;
    }
  g_signal_emit (self, signals[STARTED], 0, runs);
  gtk_window_destroy (GTK_WINDOW (self));
}

static void
start_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumSweepWindow *self = URBARIUM_SWEEP_WINDOW (widget);
  if (self->starting != NULL || self->configs->len == 0)
    return;
  self->starting = g_cancellable_new ();
  urbarium_run_library_start_many_async (self->library, (const UrbRunConfig *) (gpointer) self->configs->data,
                                         self->configs->len,
                                         (guint) gtk_spin_button_get_value_as_int (self->at_once_spin),
                                         self->starting, started_cb, g_object_ref (self));
  update (self);
}

/* ------------------------------------------------------------------------ */

static void
dispose (GObject *object)
{
  UrbariumSweepWindow *self = URBARIUM_SWEEP_WINDOW (object);
  if (self->starting != NULL)
    g_cancellable_cancel (self->starting); /* the runs that have been started stay */
  g_clear_object (&self->starting);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_sweep_window_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumSweepWindow *self = URBARIUM_SWEEP_WINDOW (object);
  urb_run_config_clear (&self->config);
  g_ptr_array_unref (self->settings);
  g_object_unref (self->titles);
  g_array_unref (self->rows);
  g_array_unref (self->configs);
  G_OBJECT_CLASS (urbarium_sweep_window_parent_class)->finalize (object);
}

static void
urbarium_sweep_window_class_init (UrbariumSweepWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[STARTED] = g_signal_new ("started", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_PTR_ARRAY);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "sweep-window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumSweepWindow, list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSweepWindow, at_once_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSweepWindow, summary_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSweepWindow, names_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSweepWindow, start_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSweepWindow, spinner);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_install_action (widget_class, "sweep.add", NULL, add_action);
  gtk_widget_class_install_action (widget_class, "sweep.start", NULL, start_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_sweep_window_init (UrbariumSweepWindow *self)
{
  self->settings = g_ptr_array_new ();
  self->titles = gtk_string_list_new (NULL);
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  self->configs = g_array_new (FALSE, TRUE, sizeof (UrbRunConfig));
  g_array_set_clear_func (self->configs, (GDestroyNotify) urb_run_config_clear);
  urb_run_config_init (&self->config);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urb_run_settings.rows[i].flags & URB_SETTING_SWEEP)
      {
        g_ptr_array_add (self->settings, (gpointer) &urb_run_settings.rows[i]);
        gtk_string_list_append (self->titles, _ (urb_run_settings.rows[i].title));
      }
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_adjustment_set_upper (gtk_spin_button_get_adjustment (self->at_once_spin), g_get_num_processors ());
}

UrbariumSweepWindow *
urbarium_sweep_window_new (UrbariumRunLibrary *library, const UrbRunConfig *config, int n_channels)
{
  UrbariumSweepWindow *self = g_object_new (URBARIUM_TYPE_SWEEP_WINDOW, NULL);
  self->library = g_object_ref (library);
  urb_run_config_copy (&self->config, config);
  self->n_channels = n_channels;
  add_row (self, "seed", "1, 2, 3");
  return self;
}
