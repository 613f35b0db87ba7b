/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/dataset-group.h"

#include <glib/gi18n.h>

#include "app/base/engine-texts.h"
#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"

struct _UrbariumDatasetGroup
{
  AdwPreferencesGroup  parent_instance;

  char                *path;  /* (nullable) owned */
  UrbDatasetInfo       info;  /* its strings are NULL */
  gboolean             known; /* info is valid */
  gboolean             gone;  /* the file does not exist */
  char                *error; /* (nullable) owned */
  GCancellable        *cancellable; /* (nullable) owned: being read */

  AdwActionRow *file_row;
  GtkSpinner   *spinner;
  GtkWidget    *error_icon;
  GtkWidget    *figures_row, *untested_label, *choose_button;
  GtkLabel     *areas_label, *training_label, *testing_label, *tile_label, *encoding_label;
};

G_DEFINE_FINAL_TYPE (UrbariumDatasetGroup, urbarium_dataset_group, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
show_count (GtkLabel *label, gint64 count)
{
  g_autofree char *text = urbarium_format_count (count);
  gtk_label_set_text (label, text);
}

static void
show_figures (UrbariumDatasetGroup *self)
{
  const UrbDatasetInfo *info = &self->info;
  gboolean whole = info->area_size_m == (int) info->area_size_m;
  g_autofree char *size = urbarium_format_number (info->area_size_m, whole ? 0 : 1);
  g_autofree char *tile = NULL;
  const char *encoding = info->encoding == URB_ENCODING_GREY ? _ ("Gray levels")
                                                             : _ ("Three classes");
  show_count (self->areas_label, info->n_areas);
  show_count (self->training_label, info->n_split[URB_SPLIT_TRAIN]);
  show_count (self->testing_label, info->n_split[URB_SPLIT_TEST]);
  gtk_widget_set_visible (self->untested_label, info->n_split[URB_SPLIT_TEST] < 1);
  /* translators: resolution of a tile in pixels, and how many meters it shows: 256 px, 250 m */
  tile = g_strdup_printf (_ ("%d px, %s m"), info->resolution_px, size);
  gtk_label_set_text (self->tile_label, tile);
  gtk_label_set_text (self->encoding_label, encoding);
}

static void
update (UrbariumDatasetGroup *self)
{
  g_autofree char *name = self->path == NULL ? NULL : g_filename_display_basename (self->path);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->file_row),
                                 name != NULL ? name : _ ("No dataset yet"));
  if (self->path == NULL)
    adw_action_row_set_subtitle (self->file_row,
                                 _ ("Save one on the Areas page, choose a file, or drop one here"));
  else if (self->error != NULL)
    adw_action_row_set_subtitle (self->file_row, self->error);
  else
    {
      g_autofree char *folder = g_path_get_dirname (self->path);
      g_autofree char *shown = g_filename_display_name (folder);
      adw_action_row_set_subtitle (self->file_row, shown);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), self->cancellable != NULL);
  gtk_widget_set_visible (self->error_icon, self->error != NULL);
  urbarium_message_mark (GTK_WIDGET (self->file_row), self->error != NULL);
  if (self->path == NULL)
    gtk_widget_add_css_class (self->choose_button, "suggested-action");
  else
    gtk_widget_remove_css_class (self->choose_button, "suggested-action");
  gtk_widget_set_visible (self->figures_row, self->known);
  if (self->known)
    show_figures (self);
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autoptr(UrbDataset) dataset = urb_dataset_open (data, &error);
  UrbDatasetInfo *info;
  if (dataset == NULL && !g_file_test (data, G_FILE_TEST_EXISTS))
    {
      g_autofree char *folder = g_path_get_dirname (data);
      g_autofree char *shown = g_filename_display_name (folder);
      g_error_free (error);
      /* translators: a folder */
      error = g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _ ("There is no such file in “%s”"),
                           shown);
    }
  if (dataset == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  info = g_memdup2 (urb_dataset_get_info (dataset), sizeof *info);
  info->recipe_json = info->crs_name = info->id = NULL;
  g_task_return_pointer (task, info, g_free);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumDatasetGroup *self = URBARIUM_DATASET_GROUP (source);
  g_autoptr(GError) error = NULL;
  g_autofree UrbDatasetInfo *info = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->error, g_free);
  self->known = info != NULL;
  self->gone = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  urbarium_engine_texts_translate_error (error);
  if (info != NULL)
    self->info = *info;
  else
    self->error = g_strdup (error->message);
  update (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
stop (UrbariumDatasetGroup *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
start_reading (UrbariumDatasetGroup *self)
{
  g_autoptr(GTask) task = NULL;
  self->cancellable = g_cancellable_new ();
  task = g_task_new (self, self->cancellable, read_cb, NULL);
  g_task_set_task_data (task, g_strdup (self->path), g_free);
  g_task_run_in_thread (task, read_thread);
}

/* Shows the old figures until the new ones arrive: they rarely change. */
void
urbarium_dataset_group_refresh (UrbariumDatasetGroup *self)
{
  if (self->path != NULL && self->cancellable == NULL)
    start_reading (self);
}

static void
map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (urbarium_dataset_group_parent_class)->map (widget);
  urbarium_dataset_group_refresh (URBARIUM_DATASET_GROUP (widget));
}

void
urbarium_dataset_group_set_path (UrbariumDatasetGroup *self, const char *path)
{
  stop (self);
  g_free (self->path);
  self->path = path == NULL ? NULL : g_canonicalize_filename (path, NULL);
  self->known = FALSE;
  g_clear_pointer (&self->error, g_free);
  if (self->path != NULL)
    start_reading (self);
  update (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

const char *
urbarium_dataset_group_get_path (UrbariumDatasetGroup *self)
{
  return self->path;
}

const UrbDatasetInfo *
urbarium_dataset_group_get_info (UrbariumDatasetGroup *self)
{
  return self->known ? &self->info : NULL;
}

char *
urbarium_dataset_group_check (UrbariumDatasetGroup *self)
{
  if (self->path == NULL)
    return g_strdup (_ ("Choose a dataset to train on."));
  if (self->error != NULL && self->gone)
    return g_strdup (_ ("The dataset does not exist. Choose another one, or save it again on the "
                        "Areas page."));
  if (self->error != NULL)
    return g_strdup (_ ("This dataset cannot be used. Choose another one."));
  if (!self->known)
    return g_strdup (_ ("The dataset is being read…"));
  if (self->info.n_split[URB_SPLIT_TRAIN] < 1)
    return g_strdup (_ ("The dataset has no training areas. Save it again with a lower threshold "
                        "or a smaller share for testing."));
  return NULL;
}

gboolean
urbarium_dataset_group_drop (UrbariumDatasetGroup *self, const GValue *file_list)
{
  GSList *files = G_VALUE_HOLDS (file_list, GDK_TYPE_FILE_LIST) ? g_value_get_boxed (file_list)
                                                                : NULL;
  g_autofree char *path = files == NULL ? NULL : g_file_get_path (files->data);
  if (path == NULL)
    return FALSE;
  urbarium_dataset_group_set_path (self, path);
  return TRUE;
}

static void
choose_action (GtkWidget *widget, const char *name, GVariant *param)
{
  GtkFileChooser *chooser = urbarium_file_chooser_new (widget, GTK_FILE_CHOOSER_ACTION_OPEN,
                                                       _ ("Choose a dataset"), _ ("_Choose"));
  urbarium_file_chooser_add_filter (chooser, _ ("Datasets"), "gpkg", "urbarium", NULL);
  urbarium_file_chooser_add_filter (chooser, _ ("All files"), NULL);
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (urbarium_dataset_group_set_path), widget,
                              NULL);
}

static void
dispose (GObject *object)
{
  UrbariumDatasetGroup *self = URBARIUM_DATASET_GROUP (object);
  stop (self);
  G_OBJECT_CLASS (urbarium_dataset_group_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumDatasetGroup *self = URBARIUM_DATASET_GROUP (object);
  g_free (self->path);
  g_free (self->error);
  G_OBJECT_CLASS (urbarium_dataset_group_parent_class)->finalize (object);
}

static void
urbarium_dataset_group_class_init (UrbariumDatasetGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->map = map;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "dataset-group.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, file_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, spinner);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, error_icon);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, figures_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, untested_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, choose_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, areas_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, training_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, testing_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, tile_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDatasetGroup, encoding_label);
  gtk_widget_class_install_action (widget_class, "dataset.choose", NULL, choose_action);
}

static void
urbarium_dataset_group_init (UrbariumDatasetGroup *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  update (self);
}
