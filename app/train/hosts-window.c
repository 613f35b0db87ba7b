/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts-window.c - see hosts-window.h.  Read add_row() first.
 */
#include "app/train/hosts-window.h"

#include <glib/gi18n.h>

#include "app/base/engine-texts.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/train/engine-query.h"
#include "app/train/host-list.h"
#include "base/show-text.h"
#include "settings/strategy.h"

typedef struct
{
  GtkWidget     *widget; /* borrowed, as are its parts */
  GtkEntry      *name;
  GtkSpinButton *slots;
  GtkWidget     *remove;
  GtkLabel      *text;   /* what is wrong with the name, or what the host answered */
  gboolean       is_open; /* the file does not say how many slots it has, and nobody has changed it */
  UrbHost       *read;   /* owned: what the file says, comments included */
} Row;

struct _UrbariumHostsWindow
{
  AdwWindow     parent_instance;

  char         *file;    /* owned */
  char         *dataset; /* (nullable) owned */
  gboolean      is_new; /* there is no file yet, and none is used */
  GError       *unread; /* (nullable) owned: why there is a file that cannot be read; it is not replaced */
  gboolean      was_changed;
  GArray       *rows;    /* (element-type Row) owned; the first is this machine */
  GCancellable *testing; /* (nullable) owned */
  GPtrArray    *answers; /* (nullable) owned: of the newest test */
  GArray       *indices; /* (nullable) (element-type guint) owned: the rows of @answers */

  GtkListBox   *list;
  GtkSwitch    *use_switch, *send_switch;
  GtkButton    *test_button;
  GtkSpinner   *spinner;
};

G_DEFINE_FINAL_TYPE (UrbariumHostsWindow, urbarium_hosts_window, ADW_TYPE_WINDOW)

enum { DONE, N_SIGNALS };
static guint signals[N_SIGNALS];

static Row *
get_row (UrbariumHostsWindow *self, guint i)
{
  return &g_array_index (self->rows, Row, i);
}

static void
clear_row (gpointer row)
{
  urb_host_free (((Row *) row)->read);
}

static char *
dup_name (const Row *row)
{
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row->name))));
}

/* ------------------------------------------------------------------------ */
/* What a row says                                                           */

/* @style: (nullable): "error", "warning" or "success"; NULL: none of them */
static void
show_text (Row *row, const char *text, const char *style)
{
  const char *const classes[] = { "caption", style != NULL ? style : "dim-label", NULL };
  gtk_label_set_text (row->text, text);
  gtk_widget_set_css_classes (GTK_WIDGET (row->text), (const char **) classes);
  gtk_widget_set_visible (GTK_WIDGET (row->text), *text != '\0');
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->name), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

/* Whether its name can be saved; a damaged line, which is shown as a name, cannot. */
static gboolean
check_name (const Row *row, const char *name, GError **error)
{
  if (row->read->damage == NULL || !g_str_equal (name, row->read->name))
    return urb_host_check_name (name, error);
  return urb_options_fail (error, "%s", row->read->damage);
}

/* Before it was asked. */
static void
show_unknown (UrbariumHostsWindow *self, guint i)
{
  Row *row = get_row (self, i);
  g_autofree char *name = dup_name (row);
  g_autoptr(GError) error = NULL;
  if ((*name == '\0' && i > 0) || check_name (row, name, &error))
    show_text (row, i == 0 ? _ ("This machine, by a name or an address that the others can reach") : "", NULL);
  else
    show_text (row, error->message, "error");
}

static void
show_all_unknown (UrbariumHostsWindow *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    show_unknown (self, i);
}

/* "NVIDIA H200 (151 GB)".  Another host may say anything. */
static void
add_gpus (GPtrArray *parts, const UrbariumDevices *devices)
{
  for (guint i = 0; i < devices->gpus->len; i++)
    {
      const UrbariumGpu *gpu = devices->gpus->pdata[i];
      g_autofree char *memory = urbarium_format_bytes (gpu->memory_bytes);
      g_autofree char *name = urb_show_text (gpu->name != NULL ? gpu->name : _ ("GPU"));
      /* translators: the name of a GPU, and its memory or why it cannot be used */
      g_ptr_array_add (parts, g_strdup_printf (_ ("%s (%s)"), name,
                                               gpu->device != NULL ? memory : _ ("cannot be used")));
    }
  if (devices->gpus->len == 0)
    g_ptr_array_add (parts, g_strdup (_ ("no GPU")));
}

/* "8 cores · 12 GB of 16 GB of memory free · no GPU" */
static char *
dup_devices_text (const UrbariumDevices *devices)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *available = urbarium_format_bytes (devices->available_bytes);
  g_autofree char *memory = urbarium_format_bytes (devices->memory_bytes);
  g_ptr_array_add (parts, g_strdup_printf (ngettext ("%d core", "%d cores", devices->n_cores), devices->n_cores));
  /* translators: two amounts of memory */
  g_ptr_array_add (parts, g_strdup_printf (_ ("%s of %s of memory free"), available, memory));
  add_gpus (parts, devices);
  g_ptr_array_add (parts, NULL);
  return g_strjoinv (" · ", (char **) parts->pdata);
}

/* What is known of the dataset there; NULL: it was not looked for. */
static const char *
get_dataset_text (UrbariumHostsWindow *self, const UrbariumHostAnswer *answer)
{
  if (self->dataset == NULL || answer->problem != URB_HOST_READY)
    return NULL;
  if (!answer->lacks_dataset)
    return _ ("It has the dataset.");
  return gtk_switch_get_active (self->send_switch)
           ? _ ("The dataset will be sent to it.")
           : _ ("It has no dataset of that path: copy it there, or switch on “Send the dataset”.");
}

static void
show_answer (UrbariumHostsWindow *self, guint i, const UrbariumHostAnswer *answer)
{
  gboolean is_ready = answer->problem == URB_HOST_READY;
  gboolean lacks = is_ready && answer->lacks_dataset && !gtk_switch_get_active (self->send_switch);
  const char *dataset = get_dataset_text (self, answer);
  g_autofree char *devices = answer->devices != NULL ? dup_devices_text (answer->devices) : NULL;
  g_autoptr(GString) text = g_string_new (_ (urb_host_problems[answer->problem].text));
  if (answer->details != NULL)
    g_string_append_printf (text, " (%s)", answer->details);
  if (devices != NULL)
    g_string_append_printf (text, "%s%s", is_ready ? ": " : "\n", devices);
  if (dataset != NULL)
    g_string_append_printf (text, "\n%s", dataset);
  show_text (get_row (self, i), text->str, lacks ? "warning" : is_ready ? "success" : "error");
}

static void
show_answers (UrbariumHostsWindow *self)
{
  for (guint i = 0; self->answers != NULL && i < MIN (self->answers->len, self->indices->len); i++)
    show_answer (self, g_array_index (self->indices, guint, i), self->answers->pdata[i]);
}

/* ------------------------------------------------------------------------ */
/* Testing                                                                   */

static void
update_test (UrbariumHostsWindow *self)
{
  gtk_button_set_label (self->test_button, self->testing != NULL ? _ ("_Stop") : _ ("_Test connections"));
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), self->testing != NULL);
}

static void
forget_answers (UrbariumHostsWindow *self)
{
  g_clear_pointer (&self->answers, g_ptr_array_unref);
  g_clear_pointer (&self->indices, g_array_unref);
}

static void
stop_testing (UrbariumHostsWindow *self)
{
  if (self->testing != NULL)
    g_cancellable_cancel (self->testing);
  g_clear_object (&self->testing);
  forget_answers (self);
  update_test (self);
}

/* Rows without a name are left out. @indices: (out) (element-type guint): their rows
 * Returns: (element-type UrbHost): NULL with an error if a row has a wrong name, which it says */
static GPtrArray *
read_rows (UrbariumHostsWindow *self, GArray *indices, GError **error)
{
  g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_host_free);
  for (guint i = 0; i < self->rows->len; i++)
    {
      Row *row = get_row (self, i);
      g_autofree char *name = dup_name (row);
      UrbHost *host;
      if (*name == '\0' && i > 0)
        {
          urb_host_keep_lines (hosts->pdata[hosts->len - 1], row->read);
          continue;
        }
      if (!check_name (row, name, error))
        {
          gtk_widget_grab_focus (GTK_WIDGET (row->name));
          return NULL;
        }
      host = urb_host_new (name, row->is_open ? 0 : gtk_spin_button_get_value_as_int (row->slots));
      urb_host_copy_rest (host, row->read);
      g_ptr_array_add (hosts, host);
      if (indices != NULL)
        g_array_append_val (indices, i);
    }
  return g_steal_pointer (&hosts);
}

static void
answers_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumHostsWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) answers = urbarium_engine_query_hosts_finish (result, &error);
  if (self->testing == NULL || g_task_get_cancellable (G_TASK (result)) != self->testing)
    return; /* stopped, or the list was changed */
  g_clear_object (&self->testing);
  update_test (self);
  if (answers == NULL)
    {
      show_all_unknown (self);
      urbarium_message_error (GTK_WIDGET (self), _ ("The connections could not be tested"), error);
      return;
    }
  self->answers = g_steal_pointer (&answers);
  show_answers (self);
}

static void
test_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumHostsWindow *self = URBARIUM_HOSTS_WINDOW (widget);
  g_autoptr(GPtrArray) hosts = NULL;
  if (self->testing != NULL)
    {
      stop_testing (self);
      show_all_unknown (self);
      return;
    }
  forget_answers (self);
  self->indices = g_array_new (FALSE, FALSE, sizeof (guint));
  hosts = read_rows (self, self->indices, NULL);
  if (hosts == NULL)
    return;
  for (guint i = 0; i < self->indices->len; i++)
    show_text (get_row (self, g_array_index (self->indices, guint, i)), _ ("Being asked…"), NULL);
  self->testing = g_cancellable_new ();
  urbarium_engine_query_hosts_async (hosts, self->dataset, self->testing, answers_cb, g_object_ref (self));
  update_test (self);
}

/* ------------------------------------------------------------------------ */
/* Rows                                                                      */

/* Names of what screen readers read in a row. */
static void
name_parts (UrbariumHostsWindow *self, guint i)
{
  Row *row = get_row (self, i);
  g_autofree char *entered = dup_name (row);
  /* translators: the number of a row whose host has no name yet */
  g_autofree char *host = *entered != '\0' ? g_strdup (entered) : g_strdup_printf (_ ("host %u"), i + 1);
  /* translators: the name of a host */
  g_autofree char *slots = g_strdup_printf (_ ("Slots of %s"), host);
  /* translators: the name of a host */
  g_autofree char *removing = g_strdup_printf (_ ("Remove %s"), host);
  g_autofree char *name = i == 0 ? g_strdup (_ ("Name of this machine"))
                                 /* translators: the number of a row */
                                 : g_strdup_printf (_ ("Name or address of host %u"), i + 1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->name), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->slots), GTK_ACCESSIBLE_PROPERTY_LABEL, slots, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->remove), GTK_ACCESSIBLE_PROPERTY_LABEL, removing, -1);
  gtk_widget_set_tooltip_text (row->remove, removing);
}

/* Answers to old questions would stand at the wrong hosts. */
static void
list_changed (UrbariumHostsWindow *self)
{
  self->was_changed = TRUE;
  stop_testing (self);
  show_all_unknown (self);
  for (guint i = 0; i < self->rows->len; i++)
    name_parts (self, i);
}

static guint
find_row (UrbariumHostsWindow *self, GtkWidget *part)
{
  guint i = 0;
  while (i < self->rows->len && !gtk_widget_is_ancestor (part, get_row (self, i)->widget))
    i++;
  return i;
}

static void
slots_changed_cb (UrbariumHostsWindow *self, GtkWidget *slots)
{
  get_row (self, find_row (self, slots))->is_open = FALSE;
  self->was_changed = TRUE;
}

static void
remove_cb (UrbariumHostsWindow *self, GtkWidget *button)
{
  guint i = find_row (self, button);
  urb_host_keep_lines (get_row (self, i - 1)->read, get_row (self, i)->read);
  gtk_list_box_remove (self->list, get_row (self, i)->widget);
  g_array_remove_index (self->rows, i);
  gtk_widget_grab_focus (GTK_WIDGET (get_row (self, i - 1)->name));
  list_changed (self);
}

static GtkWidget *
new_line (const Row *row)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9), *label = gtk_label_new (_ ("Slots"));
  gtk_widget_add_css_class (label, "dim-label");
  g_object_set (row->name, "hexpand", TRUE, "width-chars", 8, "placeholder-text", _ ("Name or address"), NULL);
  g_object_set (row->remove, "valign", GTK_ALIGN_CENTER, NULL);
  gtk_widget_add_css_class (row->remove, "flat");
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (row->name));
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (row->slots));
  gtk_box_append (GTK_BOX (line), row->remove);
  return line;
}

/* This machine stays the first host: it cannot be removed, but keeps the place of the button.
 * @host: (transfer full) */
static void
add_row (UrbariumHostsWindow *self, UrbHost *host)
{
  guint i = self->rows->len;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4), *widget = gtk_list_box_row_new ();
  Row row = { .widget = widget, .is_open = host->n_slots == 0, .read = host,
              .name = GTK_ENTRY (gtk_entry_new ()), .text = GTK_LABEL (gtk_label_new (NULL)),
              .slots = GTK_SPIN_BUTTON (gtk_spin_button_new_with_range (1, URB_MAX_RANKS, 1)),
              .remove = gtk_button_new_from_icon_name ("list-remove-symbolic") };
  g_object_set (row.text, "xalign", 0.0, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "selectable", TRUE,
                "can-focus", FALSE, NULL);
  g_object_set (box, "margin-top", 9, "margin-bottom", 9, "margin-start", 12, "margin-end", 6, NULL);
  gtk_box_append (GTK_BOX (box), new_line (&row));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (row.text));
  g_object_set (widget, "child", box, "activatable", FALSE, "focusable", FALSE, NULL);
  gtk_list_box_append (self->list, widget);
  g_array_append_val (self->rows, row);
  gtk_editable_set_text (GTK_EDITABLE (row.name), host->name);
  gtk_spin_button_set_value (row.slots, MAX (host->n_slots, 1));
  gtk_widget_set_sensitive (row.remove, i > 0);
  gtk_widget_set_opacity (row.remove, i > 0 ? 1 : 0);
  show_unknown (self, i);
  name_parts (self, i);
  g_signal_connect_object (row.name, "changed", G_CALLBACK (list_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (row.slots, "value-changed", G_CALLBACK (slots_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (row.remove, "clicked", G_CALLBACK (remove_cb), self, G_CONNECT_SWAPPED);
}

static void
add_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumHostsWindow *self = URBARIUM_HOSTS_WINDOW (widget);
  add_row (self, urb_host_new ("", 1));
  list_changed (self);
  gtk_widget_grab_focus (GTK_WIDGET (get_row (self, self->rows->len - 1)->name));
}

/* ------------------------------------------------------------------------ */

void
urbarium_hosts_window_apply (UrbariumHostsWindow *self, UrbRunConfig *config)
{
  g_free (config->hosts);
  config->hosts = gtk_switch_get_active (self->use_switch) ? g_strdup (self->file) : NULL;
  config->train.send_dataset = gtk_switch_get_active (self->send_switch);
}

/* Returns: whether nothing that was entered would be lost */
static gboolean
save (UrbariumHostsWindow *self, GError **error)
{
  gboolean is_needed = self->was_changed || (self->is_new && gtk_switch_get_active (self->use_switch));
  g_autoptr(GPtrArray) hosts = NULL;
  if (is_needed && self->unread != NULL)
    {
      g_propagate_error (error, g_error_copy (self->unread));
      return FALSE;
    }
  hosts = is_needed ? read_rows (self, NULL, error) : NULL;
  return !is_needed || (hosts != NULL && urbarium_host_list_save (self->file, hosts, error));
}

/* Whether to close without saving was answered. */
static void
asked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  if (g_task_propagate_boolean (G_TASK (result), NULL))
    gtk_window_destroy (GTK_WINDOW (source));
}

/* While the list cannot be saved, stays open, unless the user gives it up. */
static gboolean
close_request (GtkWindow *window)
{
  UrbariumHostsWindow *self = URBARIUM_HOSTS_WINDOW (window);
  g_autoptr(GError) error = NULL;
  if (!save (self, &error))
    {
      urbarium_engine_texts_translate_error (error);
      urbarium_message_ask (GTK_WIDGET (self), _ ("The hosts could not be saved"), error->message,
                            _ ("_Close without saving"), g_task_new (self, NULL, asked_cb, NULL));
      return TRUE;
    }
  g_signal_emit (self, signals[DONE], 0);
  return GTK_WINDOW_CLASS (urbarium_hosts_window_parent_class)->close_request (window);
}

/* Not in dispose(): a test has a reference. */
static void
unmap (GtkWidget *widget)
{
  stop_testing (URBARIUM_HOSTS_WINDOW (widget));
  GTK_WIDGET_CLASS (urbarium_hosts_window_parent_class)->unmap (widget);
}

static void
finalize (GObject *object)
{
  UrbariumHostsWindow *self = URBARIUM_HOSTS_WINDOW (object);
  g_free (self->file);
  g_free (self->dataset);
  forget_answers (self);
  g_clear_error (&self->unread);
  g_array_unref (self->rows);
  G_OBJECT_CLASS (urbarium_hosts_window_parent_class)->finalize (object);
}

static void
urbarium_hosts_window_class_init (UrbariumHostsWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->unmap = unmap;
  GTK_WINDOW_CLASS (klass)->close_request = close_request;
  signals[DONE] = g_signal_new ("done", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "hosts-window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumHostsWindow, list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumHostsWindow, use_switch);
  gtk_widget_class_bind_template_child (widget_class, UrbariumHostsWindow, send_switch);
  gtk_widget_class_bind_template_child (widget_class, UrbariumHostsWindow, test_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumHostsWindow, spinner);
  gtk_widget_class_bind_template_callback (widget_class, show_answers);
  gtk_widget_class_install_action (widget_class, "hosts.add", NULL, add_action);
  gtk_widget_class_install_action (widget_class, "hosts.test", NULL, test_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_hosts_window_init (UrbariumHostsWindow *self)
{
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (self->rows, clear_row);
  gtk_widget_init_template (GTK_WIDGET (self));
  update_test (self);
}

/* If there is no list, or none that can be read, this machine alone. */
static void
load (UrbariumHostsWindow *self, gboolean is_used)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) hosts = urbarium_host_list_load_any (self->file, &error);
  gboolean is_missing = g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  if (hosts == NULL)
    add_row (self, urb_host_new (g_get_host_name (), 1));
  else
    while (hosts->len > 0)
      add_row (self, g_ptr_array_steal_index (hosts, 0));
  self->is_new = !is_used && is_missing;
  if (hosts == NULL && !self->is_new)
    show_text (get_row (self, 0), error->message, "error");
  if (hosts == NULL && error->domain == G_FILE_ERROR && !is_missing)
    self->unread = g_steal_pointer (&error);
}

UrbariumHostsWindow *
urbarium_hosts_window_new (const char *file, const UrbRunConfig *config)
{
  UrbariumHostsWindow *self = g_object_new (URBARIUM_TYPE_HOSTS_WINDOW, NULL);
  gboolean is_used = g_strcmp0 (config->hosts, file) == 0;
  self->file = g_strdup (file);
  self->dataset = g_strdup (config->train.dataset);
  load (self, is_used);
  gtk_switch_set_active (self->use_switch, is_used);
  gtk_switch_set_active (self->send_switch, config->train.send_dataset);
  return self;
}
