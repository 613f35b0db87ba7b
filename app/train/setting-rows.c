/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting-rows.c - see setting-rows.h.
 */
#include "app/train/setting-rows.h"

#include <string.h>

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "settings/args.h"
#include "settings/note.h"
#include "settings/recipe.h"

enum { LEAST_CHARS = 8 }; /* of an entry on a page that may be as narrow as a phone */

typedef struct
{
  const UrbSetting *setting; /* static */
  GtkWidget        *row;     /* borrowed */
  GtkWidget        *control; /* borrowed: a switch, a combo row or an entry */
  GtkWidget        *reset;   /* borrowed */
  char             *problem; /* (nullable) owned: why its entry cannot be used */
} Row;

struct _UrbariumSettingRows
{
  GObject parent_instance;

  UrbRunConfig config;
  int          dataset_channels;
  GStrv        devices; /* (nullable) owned: usable ones; NULL: not known */
  GArray      *rows;    /* (element-type Row) owned */
  const Row   *edited;  /* (nullable) the user is typing in it */
  gboolean     showing; /* rows are set by us, not by the user */
  gboolean     in_window; /* wide rows, with the setting's key */
};

G_DEFINE_FINAL_TYPE (UrbariumSettingRows, urbarium_setting_rows, G_TYPE_OBJECT)

enum { CHANGED, PROBLEM, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
is_combo (const UrbSetting *setting)
{
  return setting->choices != NULL;
}

/* Whether the first item of the combo row is "not set". */
static gboolean
has_unset_item (const UrbSetting *setting)
{
  return is_combo (setting) && setting->source != URB_SOURCE_CONSTANT;
}

/* ------------------------------------------------------------------------ */
/* Showing the configuration                                                 */

/* The problem, or the help without the markup of manual pages: `literal`, and two spaces after a
 * sentence.  In a window, below it, the key, by which the search finds the row, and the strategies that know
 * it. */
static char *
dup_subtitle (UrbariumSettingRows *self, const Row *row)
{
  const UrbSetting *setting = row->setting;
  g_autofree char *names = urb_strategies_join (setting->strategies, ", ");
  const char *text = setting->effect != NULL    ? setting->effect
                     : setting->details != NULL ? setting->details
                                                : setting->help;
  g_autofree char *words = row->problem != NULL
                             ? g_strdup (row->problem)
                             : urb_setting_fill_in (setting, URB_SETTING_TRAIN, _ (text));
  /* `literal` words keep their case. */
  g_autofree char *first = *words == '`' ? g_strdup ("`")
                                         : g_utf8_strup (words, g_utf8_next_char (words) - words);
  g_autoptr(GString) subtitle = g_string_new (first);
  g_string_append (subtitle, g_utf8_next_char (words));
  g_string_replace (subtitle, "`", "", 0);
  g_string_replace (subtitle, ".  ", ". ", 0);
  if (self->in_window)
    g_string_append_printf (subtitle, "\n%s%s%s", setting->key, *names != '\0' ? " · " : "", names);
  return g_string_free (g_steal_pointer (&subtitle), FALSE);
}

/* What is used if the setting is not set: "0.001 (the recipe's)". */
static char *
dup_placeholder (const UrbSetting *setting, const UrbRunConfig *resolved)
{
  g_autofree char *usual = urb_setting_dup_default (setting), *number = NULL;
  if (setting->source == URB_SOURCE_CONSTANT || setting->source == URB_SOURCE_MACHINE
      || resolved == NULL || !urb_setting_is_set (setting, resolved))
    return g_steal_pointer (&usual);
  number = setting->type == URB_SETTING_ENUM
             ? urb_setting_dup_text (setting, resolved)
             : urbarium_format_value (urb_setting_get_number (setting, resolved));
  /* translators: a value, and where it comes from: “0.001 (the recipe's)” */
  return g_strdup_printf (_ ("%s (%s)"), number, usual);
}

/* The configuration with every value that recipe, preset and dataset provide. */
static gboolean
resolve (UrbariumSettingRows *self, UrbRunConfig *resolved)
{
  g_autoptr(UrbPreset) preset = urb_preset_load (self->config.train.preset, NULL);
  int n_channels = self->dataset_channels > 0 ? self->dataset_channels : 3;
  urb_run_config_copy (resolved, &self->config);
  return preset != NULL && urb_recipe_resolve (&resolved->train, preset, n_channels, NULL);
}

static void
show_entry (const Row *row, const UrbRunConfig *config, const char *placeholder, gboolean keep_text)
{
  gboolean set = urb_setting_is_set (row->setting, config);
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  /* To be edited, hence neither grouped nor rounded as for reading. */
  g_autofree char *text
    = !set ? g_strdup ("")
      : row->setting->type == URB_SETTING_DOUBLE
        ? g_strdup (g_ascii_formatd (digits, sizeof digits, "%.9g",
                                     urb_setting_get_number (row->setting, config)))
        : urb_setting_dup_text (row->setting, config);
  gtk_entry_set_placeholder_text (GTK_ENTRY (row->control), placeholder);
  if (!keep_text && g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (row->control)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (row->control), text);
  if (row->problem != NULL)
    gtk_widget_add_css_class (row->control, "error");
  else
    gtk_widget_remove_css_class (row->control, "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (row->control), GTK_ACCESSIBLE_STATE_INVALID,
                               row->problem != NULL ? GTK_ACCESSIBLE_INVALID_TRUE
                                                    : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

static void
show_combo (const Row *row, const UrbRunConfig *config, const char *placeholder)
{
  const UrbSetting *setting = row->setting;
  AdwComboRow *combo = ADW_COMBO_ROW (row->control);
  GtkStringList *list = GTK_STRING_LIST (adw_combo_row_get_model (combo));
  guint first = has_unset_item (setting) ? 1 : 0, selected = 0;
  g_autofree char *text = urb_setting_dup_text (setting, config);
  for (guint i = 0; setting->choices[i] != NULL; i++)
    if (g_strcmp0 (setting->choices[i], text) == 0)
      selected = first + i;
  if (first > 0 && g_strcmp0 (gtk_string_list_get_string (list, 0), placeholder) != 0)
    gtk_string_list_splice (list, 0, 1, (const char *const[]) { placeholder, NULL });
  adw_combo_row_set_selected (combo, selected);
}

static void
show_row (UrbariumSettingRows *self, Row *row, const UrbRunConfig *resolved)
{
  const UrbSetting *setting = row->setting;
  gboolean known = setting->strategies == 0 || setting->strategies & 1u << self->config.train.strategy;
  g_autofree char *subtitle = NULL, *placeholder = dup_placeholder (setting, resolved);
  gboolean resettable;
  if (!known)
    g_clear_pointer (&row->problem, g_free);
  subtitle = dup_subtitle (self, row);
  resettable = row->problem != NULL || urb_setting_is_set (setting, &self->config);
  gtk_widget_set_sensitive (row->row, known);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row->row), subtitle);
  urbarium_message_mark (row->row, row->problem != NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->control),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, subtitle, -1);
  /* Hidden buttons keep their place, so that entries stay aligned. */
  gtk_widget_set_sensitive (row->reset, resettable);
  gtk_widget_set_opacity (row->reset, resettable ? 1 : 0);
  if (setting->type == URB_SETTING_BOOLEAN)
    gtk_switch_set_active (GTK_SWITCH (row->control),
                           urb_setting_get_number (setting, &self->config) > 0);
  else if (is_combo (setting))
    show_combo (row, &self->config, placeholder);
  else
    show_entry (row, &self->config, placeholder, row->problem != NULL || row == self->edited);
}

static void
show (UrbariumSettingRows *self)
{
  g_auto(UrbRunConfig) resolved = { 0 };
  gboolean good = resolve (self, &resolved);
  self->showing = TRUE;
  for (guint i = 0; i < self->rows->len; i++)
    show_row (self, &g_array_index (self->rows, Row, i), good ? &resolved : NULL);
  self->showing = FALSE;
}

/* ------------------------------------------------------------------------ */
/* Changes                                                                   */

static void
changed (UrbariumSettingRows *self, const UrbSetting *setting)
{
  show (self);
  g_signal_emit (self, signals[CHANGED], 0, setting);
}

static Row *
find_row (UrbariumSettingRows *self, gpointer widget)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      Row *row = &g_array_index (self->rows, Row, i);
      if (row->control == widget || row->reset == widget)
        return row;
    }
  return NULL;
}

/* @text: "": not set
 * Returns: whether it is a value of the setting, which is unchanged otherwise */
static gboolean
set (UrbariumSettingRows *self, const UrbSetting *setting, const char *text, GError **error)
{
  g_auto(UrbRunConfig) tried = { 0 };
  urb_run_config_copy (&tried, &self->config);
  if (*text == '\0')
    urb_setting_reset (setting, &tried);
  else if (!urb_setting_set_text (&urb_run_settings, setting, &tried, text, error)
           || !urb_setting_check_given (&urb_run_settings, setting, &tried, error))
    return FALSE;
  urb_run_config_copy (&self->config, &tried);
  if (g_str_equal (setting->key, "strategy"))
    urb_run_config_set_strategy (&self->config, tried.train.strategy,
                                 tried.train.strategy == URB_STRATEGY_SINGLE
                                   ? 1 : MAX (tried.train.n_ranks, 2));
  changed (self, setting);
  return TRUE;
}

/* All of a list. */
static gboolean
has_devices (UrbariumSettingRows *self, const char *name)
{
  const char *const *devices = (const char *const *) self->devices;
  g_autoptr(GArray) gpus = urb_device_parse_gpus (name, NULL);
  for (guint i = 0; gpus != NULL && i < gpus->len; i++)
    {
      g_autofree char *gpu = urb_device_dup_gpu (g_array_index (gpus, int, i));
      if (!g_strv_contains (devices, gpu))
        return FALSE;
    }
  return gpus != NULL && (gpus->len > 0 || g_strv_contains (devices, urb_device_get_full (name)));
}

static char *
check_device (UrbariumSettingRows *self, const char *name)
{
  g_autofree char *names = g_strjoinv (", ", self->devices != NULL ? self->devices
                                                                   : (char *[]) { "cpu", "cuda:0", NULL });
  gboolean good = self->devices != NULL
                    ? has_devices (self, name)
                    : g_str_equal (name, "cpu") || urb_device_is_gpu (name);
  /* translators: what was entered, and names of devices: “cpu, cuda:0” */
  return good ? NULL : g_strdup_printf (_ ("There is no device “%s” here; choose %s."), name, names);
}

/* What the table of settings cannot tell of a text: whether there is such a thing.
 * Returns: (nullable): why it cannot be used */
static char *
check_exists (UrbariumSettingRows *self, const UrbSetting *setting, const char *text)
{
  g_autoptr(UrbPreset) preset = NULL;
  g_autoptr(GError) error = NULL;
  if (g_str_equal (setting->key, "device"))
    return check_device (self, text);
  if (g_str_equal (setting->key, "note") && !urb_note_check (text, NULL))
    return g_strdup_printf (_ ("A note is one line of at most %d bytes, without tabs or other control characters."),
                            URB_NOTE_MOST_BYTES);
  if (g_str_equal (setting->key, "preset") && (preset = urb_preset_load (text, &error)) == NULL)
    return g_strdup (error->message);
  if (setting->type == URB_SETTING_FILE
      && !(g_path_is_absolute (text) && g_file_test (text, G_FILE_TEST_IS_REGULAR)))
    return g_strdup_printf (_ ("There is no file “%s”; enter its full path."), text);
  if (g_str_equal (setting->key, "offload") && !g_str_equal (text, URB_OFFLOAD_HOST)
      && !(g_path_is_absolute (text) && g_file_test (text, G_FILE_TEST_IS_DIR)))
    return g_strdup_printf (_ ("There is no folder “%s”; enter its full path."), text);
  return NULL;
}

static void
entry_cb (UrbariumSettingRows *self, GtkEditable *entry)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (entry)));
  g_autoptr(GError) error = NULL;
  Row *row = find_row (self, entry);
  if (self->showing || row == NULL)
    return;
  if (row->setting->type == URB_SETTING_DOUBLE)
    g_strdelimit (text, ",", '.'); /* as many languages write it */
  g_free (row->problem);
  row->problem = *text != '\0' ? check_exists (self, row->setting, text) : NULL;
  self->edited = row;
  if (row->problem == NULL && !set (self, row->setting, text, &error))
    row->problem = g_strdup_printf ("%s %s", _ (row->setting->title), error->message);
  self->edited = NULL;
  row = find_row (self, entry); /* "changed" may have added rows */
  if (row->problem == NULL)
    return;
  show (self);
  g_signal_emit (self, signals[PROBLEM], 0);
}

static void
combo_cb (UrbariumSettingRows *self, GParamSpec *pspec, AdwComboRow *combo)
{
  const Row *row = find_row (self, combo);
  guint selected = adw_combo_row_get_selected (combo), first;
  if (self->showing || row == NULL)
    return;
  first = has_unset_item (row->setting) ? 1 : 0;
  set (self, row->setting, selected < first ? "" : row->setting->choices[selected - first], NULL);
}

static void
switch_cb (UrbariumSettingRows *self, GParamSpec *pspec, GtkSwitch *toggle)
{
  const Row *row = find_row (self, toggle);
  if (!self->showing && row != NULL)
    set (self, row->setting, gtk_switch_get_active (toggle) ? "true" : "false", NULL);
}

static void
reset_cb (UrbariumSettingRows *self, GtkButton *button)
{
  Row *row = find_row (self, button);
  g_clear_pointer (&row->problem, g_free);
  gtk_widget_grab_focus (row->control); /* the button vanishes */
  set (self, row->setting, "", NULL);
}

static void
choose_file_cb (GtkWidget *button)
{
  GtkWidget *entry = g_object_get_data (G_OBJECT (button), "entry");
  GtkFileChooser *chooser
    = urbarium_file_chooser_new (button, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Choose a file"), _ ("_Open"));
  urbarium_file_chooser_show (chooser, button, G_CALLBACK (gtk_editable_set_text), entry,
                              NULL);
}

/* ------------------------------------------------------------------------ */
/* Rows                                                                      */

/* "Batch size (images)", but just "Steps". */
static char *
dup_title (const UrbSetting *setting)
{
  g_autofree char *title = g_utf8_casefold (_ (setting->title), -1);
  g_autofree char *unit = setting->unit != NULL ? g_utf8_casefold (_ (setting->unit), -1) : NULL;
  if (unit == NULL || strstr (title, unit) != NULL)
    return g_strdup (_ (setting->title));
  /* translators: the title of a setting, and its unit */
  return g_strdup_printf (_ ("%s (%s)"), _ (setting->title), _ (setting->unit));
}

static GtkWidget *
new_button (const char *icon, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  return button;
}

static GtkWidget *
new_entry (UrbariumSettingRows *self, const UrbSetting *setting, GtkWidget *row)
{
  GtkWidget *entry = gtk_entry_new ();
  int n_chars = urb_setting_is_text (setting) ? 22 : 16;
  gtk_editable_set_width_chars (GTK_EDITABLE (entry), self->in_window ? n_chars : LEAST_CHARS);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), n_chars);
  gtk_widget_set_valign (entry, GTK_ALIGN_CENTER);
  g_signal_connect_object (entry, "changed", G_CALLBACK (entry_cb), self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), entry);
  if (setting->type == URB_SETTING_FILE || g_str_equal (setting->key, "preset"))
    {
      GtkWidget *button = new_button ("document-open-symbolic", _ ("Choose a file"));
      g_object_set_data (G_OBJECT (button), "entry", entry);
      g_signal_connect (button, "clicked", G_CALLBACK (choose_file_cb), NULL);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
    }
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), entry);
  return entry;
}

static GtkWidget *
new_switch (UrbariumSettingRows *self, GtkWidget *row)
{
  GtkWidget *toggle = gtk_switch_new ();
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  g_signal_connect_object (toggle, "notify::active", G_CALLBACK (switch_cb), self,
                           G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  return toggle;
}

static void
new_value_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, gtk_label_new (NULL));
}

static void
show_value_cb (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      gtk_string_object_get_string (gtk_list_item_get_item (item)));
}

/* The row's own label of the chosen item shrinks to "…" beside a long help. */
static void
show_value_whole (AdwComboRow *combo)
{
  g_autoptr(GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  g_signal_connect (factory, "setup", G_CALLBACK (new_value_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (show_value_cb), NULL);
  adw_combo_row_set_list_factory (combo, adw_combo_row_get_factory (combo));
  adw_combo_row_set_factory (combo, factory);
}

GtkWidget *
urbarium_setting_rows_add (UrbariumSettingRows *self, const UrbSetting *setting)
{
  GtkWidget *widget = is_combo (setting) ? adw_combo_row_new () : adw_action_row_new ();
  Row row = { .setting = setting, .row = widget, .control = widget };
  g_autofree char *title = dup_title (setting);
  g_object_set (widget, "use-markup", FALSE, "title", title, NULL);
  gtk_widget_set_name (widget, setting->key);
  if (is_combo (setting))
    {
      g_autoptr(GtkStringList) list = gtk_string_list_new (setting->choices);
      if (has_unset_item (setting))
        gtk_string_list_splice (list, 0, 0, (const char *const[]) { "", NULL });
      adw_combo_row_set_model (ADW_COMBO_ROW (widget), G_LIST_MODEL (list));
      show_value_whole (ADW_COMBO_ROW (widget));
      g_signal_connect_object (widget, "notify::selected", G_CALLBACK (combo_cb), self,
                               G_CONNECT_SWAPPED);
    }
  else
    row.control = setting->type == URB_SETTING_BOOLEAN ? new_switch (self, widget)
                                                       : new_entry (self, setting, widget);
  if (row.control != widget)
    gtk_accessible_update_property (GTK_ACCESSIBLE (row.control), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    _ (setting->title), -1);
  row.reset = new_button ("edit-clear-symbolic", _ ("Back to the default"));
  g_signal_connect_object (row.reset, "clicked", G_CALLBACK (reset_cb), self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (widget), row.reset);
  g_array_append_val (self->rows, row);
  return widget;
}

void
urbarium_setting_rows_set_config (UrbariumSettingRows *self, const UrbRunConfig *config, int dataset_channels)
{
  urb_run_config_copy (&self->config, config);
  self->dataset_channels = dataset_channels;
  for (guint i = 0; i < self->rows->len; i++)
    g_clear_pointer (&g_array_index (self->rows, Row, i).problem, g_free);
  show (self);
}

void
urbarium_setting_rows_set_devices (UrbariumSettingRows *self, const char *const *devices)
{
  g_strfreev (self->devices);
  self->devices = g_strdupv ((char **) devices);
}

const char *
urbarium_setting_rows_get_problem (UrbariumSettingRows *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (g_array_index (self->rows, Row, i).problem != NULL)
      return g_array_index (self->rows, Row, i).problem;
  return NULL;
}

const UrbRunConfig *
urbarium_setting_rows_get_config (UrbariumSettingRows *self)
{
  return &self->config;
}

UrbariumSettingRows *
urbarium_setting_rows_new (gboolean in_window)
{
  UrbariumSettingRows *self = g_object_new (URBARIUM_TYPE_SETTING_ROWS, NULL);
  self->in_window = in_window;
  return self;
}

static void
clear_row (gpointer row)
{
  g_free (((Row *) row)->problem);
}

static void
finalize (GObject *object)
{
  UrbariumSettingRows *self = URBARIUM_SETTING_ROWS (object);
  urb_run_config_clear (&self->config);
  g_strfreev (self->devices);
  g_array_unref (self->rows);
  G_OBJECT_CLASS (urbarium_setting_rows_parent_class)->finalize (object);
}

static void
urbarium_setting_rows_class_init (UrbariumSettingRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[PROBLEM] = g_signal_new ("problem", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_setting_rows_init (UrbariumSettingRows *self)
{
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (self->rows, clear_row);
  urb_run_config_init (&self->config);
}
