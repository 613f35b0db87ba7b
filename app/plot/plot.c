/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/plot.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/message.h"
#include "app/plot/plot-area.h"
#include "app/plot/plot-legend.h"
#include "app/plot/wrap-layout.h"

enum { LEGEND_SPACING = 6 };

struct _UrbariumPlot
{
  GtkWidget         parent_instance;
  UrbariumPlotArea *area;   /* child */
  GtkWidget        *legend; /* child: a box of toggle buttons, in the order of the curves */
  gboolean          show_legend;
};

enum
{
  PROP_TITLE = 1,
  PROP_X_LABEL,
  PROP_Y_LABEL,
  PROP_SMOOTHING,
  PROP_LOG_X,
  PROP_LOG_Y,
  PROP_SHOW_ENVELOPE,
  PROP_SHOW_LEGEND,
  PROP_ALL_DATA,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (UrbariumPlot, urbarium_plot, GTK_TYPE_WIDGET)

static UrbariumChart *
get_chart (UrbariumPlot *self)
{
  return urbarium_plot_area_get_chart (self->area);
}

static void
update_legend (UrbariumPlot *self)
{
  gtk_widget_set_visible (self->legend, self->show_legend && get_chart (self)->curves->len > 0);
}

static GtkWidget *
get_entry (UrbariumPlot *self, guint index)
{
  GtkWidget *entry = gtk_widget_get_first_child (self->legend);

  while (index-- > 0)
    entry = gtk_widget_get_next_sibling (entry);
  return entry;
}

static void
toggled_cb (UrbariumPlot *self, GtkToggleButton *button)
{
  UrbariumChart *chart = get_chart (self);

  for (guint i = 0; i < chart->curves->len; i++)
    if (get_entry (self, i) == GTK_WIDGET (button))
      ((UrbariumCurve *) chart->curves->pdata[i])->visible = gtk_toggle_button_get_active (button);
  urbarium_plot_area_changed (self->area);
}

static void
changed_cb (UrbariumPlot *self, guint64 from, UrbariumSeries *series)
{
  UrbariumCurve *curve = urbarium_chart_find_curve (get_chart (self), series);

  g_return_if_fail (curve != NULL);
  urbarium_curve_truncate_smooth (curve, (gsize) from);
  urbarium_plot_area_changed (self->area);
}

void
urbarium_plot_add (UrbariumPlot *self, UrbariumSeries *series, guint color_index,
                   UrbariumPlotDash dash)
{
  UrbariumCurve *curve;
  GtkWidget *entry;

  g_return_if_fail (URBARIUM_IS_PLOT (self));
  g_return_if_fail (URBARIUM_IS_SERIES (series));
  g_return_if_fail (urbarium_chart_find_curve (get_chart (self), series) == NULL);

  curve = g_new0 (UrbariumCurve, 1);
  curve->series = g_object_ref (series);
  curve->color_index = color_index;
  curve->dash = dash;
  curve->visible = TRUE;
  g_ptr_array_add (get_chart (self)->curves, curve);
  g_signal_connect_swapped (series, "changed", G_CALLBACK (changed_cb), self);

  entry = urbarium_plot_legend_entry_new (curve);
  g_signal_connect_swapped (entry, "toggled", G_CALLBACK (toggled_cb), self);
  gtk_box_append (GTK_BOX (self->legend), entry);
  update_legend (self);
  urbarium_plot_area_changed (self->area);
}

static void
remove_at (UrbariumPlot *self, guint index)
{
  UrbariumChart *chart = get_chart (self);
  UrbariumCurve *curve = chart->curves->pdata[index];

  g_signal_handlers_disconnect_by_func (curve->series, changed_cb, self);
  /* First the entry, since it draws the curve. */
  gtk_box_remove (GTK_BOX (self->legend), get_entry (self, index));
  g_ptr_array_remove_index (chart->curves, index);
}

void
urbarium_plot_remove (UrbariumPlot *self, UrbariumSeries *series)
{
  guint index = 0;
  GPtrArray *curves;

  g_return_if_fail (URBARIUM_IS_PLOT (self));

  curves = get_chart (self)->curves;
  while (index < curves->len && ((UrbariumCurve *) curves->pdata[index])->series != series)
    index++;
  g_return_if_fail (index < curves->len);
  remove_at (self, index);
  update_legend (self);
  urbarium_plot_area_changed (self->area);
}

void
urbarium_plot_clear (UrbariumPlot *self)
{
  g_return_if_fail (URBARIUM_IS_PLOT (self));

  while (get_chart (self)->curves->len > 0)
    remove_at (self, get_chart (self)->curves->len - 1);
  update_legend (self);
  urbarium_plot_area_zoom (self->area, 0, 0);
}

void
urbarium_plot_set_visible (UrbariumPlot *self, UrbariumSeries *series, gboolean visible)
{
  GPtrArray *curves;

  g_return_if_fail (URBARIUM_IS_PLOT (self));

  curves = get_chart (self)->curves;
  for (guint i = 0; i < curves->len; i++)
    if (((UrbariumCurve *) curves->pdata[i])->series == series)
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (get_entry (self, i)), visible);
}

gboolean
urbarium_plot_get_visible (UrbariumPlot *self, UrbariumSeries *series)
{
  UrbariumCurve *curve;

  g_return_val_if_fail (URBARIUM_IS_PLOT (self), FALSE);
  curve = urbarium_chart_find_curve (get_chart (self), series);
  return curve != NULL && curve->visible;
}

void
urbarium_plot_set_mark (UrbariumPlot *self, const char *id, double x, const char *text)
{
  g_return_if_fail (URBARIUM_IS_PLOT (self));
  g_return_if_fail (id != NULL);

  urbarium_chart_set_mark (get_chart (self), id, x, text);
  urbarium_plot_area_changed (self->area);
}

void
urbarium_plot_zoom (UrbariumPlot *self, double x_min, double x_max)
{
  g_return_if_fail (URBARIUM_IS_PLOT (self));
  urbarium_plot_area_zoom (self->area, x_min, x_max);
}

gboolean
urbarium_plot_get_range (UrbariumPlot *self, double *x_min, double *x_max)
{
  g_return_val_if_fail (URBARIUM_IS_PLOT (self), FALSE);

  if (!urbarium_chart_get_view (get_chart (self), x_min, x_max))
    *x_min = *x_max = NAN;
  return get_chart (self)->zoomed;
}

gboolean
urbarium_plot_export (UrbariumPlot *self, const char *path, GError **error)
{
  g_return_val_if_fail (URBARIUM_IS_PLOT (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);
  return urbarium_chart_export (get_chart (self), path, error);
}

static void
reset_zoom_action (GtkWidget *widget, const char *action_name, GVariant *param)
{
  urbarium_plot_area_zoom (URBARIUM_PLOT (widget)->area, 0, 0);
}

static void
copy_action (GtkWidget *widget, const char *action_name, GVariant *param)
{
  cairo_surface_t *image = urbarium_chart_to_image (get_chart (URBARIUM_PLOT (widget)));
  g_autoptr(GdkTexture) texture = urbarium_chart_surface_finish (image);

  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
  urbarium_message_toast (widget, _ ("Plot copied"));
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const char *path = g_object_get_data (G_OBJECT (task), "path");
  GError *error = NULL;

  if (urbarium_chart_export (data, path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
exported_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  GtkWidget *widget = GTK_WIDGET (source);
  g_autoptr(GError) error = NULL;

  if (gtk_widget_get_root (widget) == NULL)
    return; /* the window has been closed */
  if (g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_autofree char *name = g_filename_display_basename (
        g_object_get_data (G_OBJECT (result), "path"));
      g_autofree char *text = g_strdup_printf (_ ("Plot saved as “%s”"), name);
      urbarium_message_toast (widget, text);
    }
  else
    urbarium_message_error (widget, _ ("The plot cannot be saved"), error);
}

static char *
with_suffix (char *path)
{
  const char *suffixes[] = { ".svg", ".png", ".csv" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  char *longer;

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return path;
  longer = g_strconcat (path, ".svg", NULL);
  g_free (path);
  return longer;
}

static void
response_cb (UrbariumPlot *self, int response, GtkNativeDialog *dialog)
{
  g_autoptr(GFile) file = NULL;
  g_autoptr(GTask) task = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  if (file != NULL && g_file_peek_path (file) == NULL)
    urbarium_message_toast (GTK_WIDGET (self), _ ("Choose a folder on this computer"));
  else if (file != NULL)
    {
      /* A copy, since curves may grow during the export. */
      task = g_task_new (self, NULL, exported_cb, NULL);
      g_task_set_task_data (task, urbarium_chart_copy (get_chart (self)),
                            (GDestroyNotify) urbarium_chart_free);
      g_object_set_data_full (G_OBJECT (task), "path", with_suffix (g_file_get_path (file)),
                              g_free);
      g_task_run_in_thread (task, export_thread);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
add_filter (GtkFileChooser *chooser, const char *name, const char *suffix)
{
  g_autoptr(GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_suffix (filter, suffix);
  gtk_file_chooser_add_filter (chooser, filter);
}

static void
export_action (GtkWidget *widget, const char *action_name, GVariant *param)
{
  UrbariumChart *chart = get_chart (URBARIUM_PLOT (widget));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
    _ ("Export plot"), GTK_WINDOW (gtk_widget_get_root (widget)), GTK_FILE_CHOOSER_ACTION_SAVE,
    _ ("_Export"), NULL);
  GtkFileChooser *chooser = GTK_FILE_CHOOSER (dialog);
  g_autofree char *name = g_strdup_printf ("%s.svg", chart->title != NULL && *chart->title != '\0'
                                                       ? chart->title : _ ("Plot"));

  g_strdelimit (name, "/\\:", '-');
  gtk_file_chooser_set_current_name (chooser, name);
  add_filter (chooser, _ ("Drawing (SVG)"), "svg");
  add_filter (chooser, _ ("Image (PNG)"), "png");
  add_filter (chooser, _ ("Values (CSV)"), "csv");
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (response_cb), widget, G_CONNECT_SWAPPED);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumPlot *self = URBARIUM_PLOT (object);
  UrbariumChart *chart = get_chart (self);

  switch (id)
    {
    case PROP_TITLE: g_value_set_string (value, chart->title); break;
    case PROP_X_LABEL: g_value_set_string (value, chart->x_label); break;
    case PROP_Y_LABEL: g_value_set_string (value, chart->y_label); break;
    case PROP_SMOOTHING: g_value_set_double (value, chart->smoothing); break;
    case PROP_LOG_X: g_value_set_boolean (value, chart->log_x); break;
    case PROP_LOG_Y: g_value_set_boolean (value, chart->log_y); break;
    case PROP_SHOW_ENVELOPE: g_value_set_boolean (value, chart->show_envelope); break;
    case PROP_SHOW_LEGEND: g_value_set_boolean (value, self->show_legend); break;
    case PROP_ALL_DATA: g_value_set_boolean (value, chart->all_data); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
take_string (char **string, const GValue *value)
{
  g_free (*string);
  *string = g_value_dup_string (value);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumPlot *self = URBARIUM_PLOT (object);
  UrbariumChart *chart = get_chart (self);

  switch (id)
    {
    case PROP_TITLE: take_string (&chart->title, value); break;
    case PROP_X_LABEL: take_string (&chart->x_label, value); break;
    case PROP_Y_LABEL: take_string (&chart->y_label, value); break;
    case PROP_SMOOTHING: chart->smoothing = g_value_get_double (value); break;
    case PROP_LOG_X: chart->log_x = g_value_get_boolean (value); break;
    case PROP_LOG_Y: chart->log_y = g_value_get_boolean (value); break;
    case PROP_SHOW_ENVELOPE: chart->show_envelope = g_value_get_boolean (value); break;
    case PROP_SHOW_LEGEND: self->show_legend = g_value_get_boolean (value); break;
    case PROP_ALL_DATA: chart->all_data = g_value_get_boolean (value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
  update_legend (self);
  urbarium_plot_area_changed (self->area);
}

static void
dispose (GObject *object)
{
  UrbariumPlot *self = URBARIUM_PLOT (object);

  if (self->area != NULL)
    {
      while (get_chart (self)->curves->len > 0)
        remove_at (self, get_chart (self)->curves->len - 1);
      gtk_widget_unparent (GTK_WIDGET (self->area));
      self->area = NULL;
    }
  g_clear_pointer (&self->legend, gtk_widget_unparent);
  G_OBJECT_CLASS (urbarium_plot_parent_class)->dispose (object);
}

static void
urbarium_plot_class_init (UrbariumPlotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  props[PROP_X_LABEL] = g_param_spec_string ("x-label", NULL, NULL, NULL, flags);
  props[PROP_Y_LABEL] = g_param_spec_string ("y-label", NULL, NULL, NULL, flags);
  props[PROP_SMOOTHING] = g_param_spec_double ("smoothing", NULL, NULL, 0, 0.999, 0, flags);
  props[PROP_LOG_X] = g_param_spec_boolean ("log-x", NULL, NULL, FALSE, flags);
  props[PROP_LOG_Y] = g_param_spec_boolean ("log-y", NULL, NULL, FALSE, flags);
  props[PROP_SHOW_ENVELOPE] = g_param_spec_boolean ("show-envelope", NULL, NULL, TRUE, flags);
  props[PROP_SHOW_LEGEND] = g_param_spec_boolean ("show-legend", NULL, NULL, TRUE, flags);
  props[PROP_ALL_DATA] = g_param_spec_boolean ("all-data", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_action (widget_class, "plot.reset-zoom", NULL, reset_zoom_action);
  gtk_widget_class_install_action (widget_class, "plot.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "plot.export", NULL, export_action);
  gtk_widget_class_install_property_action (widget_class, "plot.all-data", "all-data");
}

static void
urbarium_plot_init (UrbariumPlot *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->area = URBARIUM_PLOT_AREA (urbarium_plot_area_new ());
  gtk_widget_set_parent (GTK_WIDGET (self->area), GTK_WIDGET (self));
  self->legend = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  self->show_legend = TRUE;
  gtk_widget_set_layout_manager (self->legend, urbarium_wrap_layout_new (LEGEND_SPACING));
  gtk_widget_add_css_class (self->legend, "plot-legend");
  gtk_widget_set_visible (self->legend, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->legend), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Curves"), -1);
  gtk_widget_set_parent (self->legend, GTK_WIDGET (self));
}

