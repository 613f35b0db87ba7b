/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/plot.h"

#include <glib/gi18n.h>

#include "app/base/message.h"
#include "app/plot/plot-area.h"
#include "app/plot/wrap-layout.h"

enum { LEGEND_SPACING = 6, LEGEND_MAX_HEIGHT = 84, SAMPLE_WIDTH = 22, SAMPLE_HEIGHT = 12 };

struct _UrbariumPlot
{
  GtkWidget         parent_instance;
  UrbariumPlotArea *area;   /* child */
  GtkWidget        *legend_frame; /* child; visible if there are curves */
  GtkWidget        *legend; /* a box of toggle buttons */
};

enum
{
  PROP_TITLE = 1,
  PROP_X_LABEL,
  PROP_Y_LABEL,
  PROP_SMOOTHING,
  PROP_LOG_X,
  PROP_LOG_Y,
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
draw_sample_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  g_auto(UrbariumChartStyle) style = { 0 };

  urbarium_chart_style_init_widget (&style, GTK_WIDGET (area));
  urbarium_curve_draw_sample (data, &style, cr, 0, height / 2.0, width);
}

/* A toggle button with the curve's line and name.  @curve must outlive it. */
static GtkWidget *
legend_entry_new (UrbariumCurve *curve)
{
  const char *name = urbarium_series_get_name (curve->series);
  /* translators: a switch in a plot's legend: “Show Generator” */
  g_autofree char *tooltip = g_strdup_printf (_ ("Show %s"), name);
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *sample = gtk_drawing_area_new (), *label = gtk_label_new (name);

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (sample), SAMPLE_WIDTH);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (sample), SAMPLE_HEIGHT);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (sample), draw_sample_cb, curve, NULL);
  gtk_widget_set_valign (sample, GTK_ALIGN_CENTER);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  gtk_box_append (GTK_BOX (box), sample);
  gtk_box_append (GTK_BOX (box), label);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), curve->visible);
  return button;
}

static void
toggled_cb (UrbariumPlot *self, GtkToggleButton *button)
{
  UrbariumCurve *curve = g_object_get_data (G_OBJECT (button), "curve");

  curve->visible = gtk_toggle_button_get_active (button);
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

  entry = legend_entry_new (curve);
  g_object_set_data (G_OBJECT (entry), "curve", curve);
  g_signal_connect_swapped (entry, "toggled", G_CALLBACK (toggled_cb), self);
  gtk_box_append (GTK_BOX (self->legend), entry);
  gtk_widget_set_visible (self->legend_frame, TRUE);
  urbarium_plot_area_changed (self->area);
}

static void
remove_curves (UrbariumPlot *self)
{
  GPtrArray *curves = get_chart (self)->curves;
  GtkWidget *entry;

  /* First the entries, since they draw the curves. */
  while ((entry = gtk_widget_get_first_child (self->legend)) != NULL)
    gtk_box_remove (GTK_BOX (self->legend), entry);
  for (guint i = 0; i < curves->len; i++)
    g_signal_handlers_disconnect_by_func (((UrbariumCurve *) curves->pdata[i])->series, changed_cb,
                                          self);
  g_ptr_array_set_size (curves, 0);
}

void
urbarium_plot_clear (UrbariumPlot *self)
{
  g_return_if_fail (URBARIUM_IS_PLOT (self));

  remove_curves (self);
  gtk_widget_set_visible (self->legend_frame, FALSE);
  urbarium_plot_area_zoom (self->area, 0, 0);
}

void
urbarium_plot_set_mark (UrbariumPlot *self, const char *id, double x, const char *text)
{
  g_return_if_fail (URBARIUM_IS_PLOT (self));
  g_return_if_fail (id != NULL);

  urbarium_chart_set_mark (get_chart (self), id, x, text);
  urbarium_plot_area_changed (self->area);
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
  g_autofree char *name = g_strdup_printf ("%s.svg",
                                           chart->title != NULL ? chart->title : _ ("Plot"));

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
  UrbariumChart *chart = get_chart (URBARIUM_PLOT (object));

  switch (id)
    {
    case PROP_TITLE: g_value_set_string (value, chart->title); break;
    case PROP_X_LABEL: g_value_set_string (value, chart->x_label); break;
    case PROP_Y_LABEL: g_value_set_string (value, chart->y_label); break;
    case PROP_SMOOTHING: g_value_set_double (value, chart->smoothing); break;
    case PROP_LOG_X: g_value_set_boolean (value, chart->log_x); break;
    case PROP_LOG_Y: g_value_set_boolean (value, chart->log_y); break;
    case PROP_ALL_DATA: g_value_set_boolean (value, chart->all_data); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumPlot *self = URBARIUM_PLOT (object);
  UrbariumChart *chart = get_chart (self);

  switch (id)
    {
    case PROP_TITLE: urbarium_chart_set_text (&chart->title, value); break;
    case PROP_X_LABEL: urbarium_chart_set_text (&chart->x_label, value); break;
    case PROP_Y_LABEL: urbarium_chart_set_text (&chart->y_label, value); break;
    case PROP_SMOOTHING: chart->smoothing = g_value_get_double (value); break;
    case PROP_LOG_X: chart->log_x = g_value_get_boolean (value); break;
    case PROP_LOG_Y: chart->log_y = g_value_get_boolean (value); break;
    case PROP_ALL_DATA: chart->all_data = g_value_get_boolean (value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
  urbarium_plot_area_changed (self->area);
}

static void
dispose (GObject *object)
{
  UrbariumPlot *self = URBARIUM_PLOT (object);

  if (self->area != NULL)
    {
      remove_curves (self);
      gtk_widget_unparent (GTK_WIDGET (self->area));
      self->area = NULL;
    }
  g_clear_pointer (&self->legend_frame, gtk_widget_unparent);
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
  props[PROP_ALL_DATA] = g_param_spec_boolean ("all-data", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_action (widget_class, "plot.reset-zoom", NULL, reset_zoom_action);
  gtk_widget_class_install_action (widget_class, "plot.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "plot.export", NULL, export_action);
  gtk_widget_class_install_property_action (widget_class, "plot.all-data", "all-data");
}

static GtkSizeRequestMode
get_legend_mode (GtkWidget *frame)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* As high as the legend, up to a limit: a scrolled window alone would not know its width. */
static void
measure_legend (GtkWidget *frame, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *legend = URBARIUM_PLOT (gtk_widget_get_parent (frame))->legend;
  gtk_widget_measure (legend, orientation, for_size, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *natural = MIN (*natural, LEGEND_MAX_HEIGHT);
      *minimum = MIN (*minimum, *natural);
    }
}

static void
allocate_legend (GtkWidget *frame, int width, int height, int baseline)
{
  gtk_widget_allocate (gtk_widget_get_first_child (frame), width, height, baseline, NULL);
}

static void
urbarium_plot_init (UrbariumPlot *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->area = URBARIUM_PLOT_AREA (urbarium_plot_area_new ());
  gtk_widget_set_parent (GTK_WIDGET (self->area), GTK_WIDGET (self));
  self->legend = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_layout_manager (self->legend, urbarium_wrap_layout_new (LEGEND_SPACING));
  gtk_widget_add_css_class (self->legend, "plot-legend");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->legend), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Curves"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->legend);
  self->legend_frame = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_box_append (GTK_BOX (self->legend_frame), scroller);
  gtk_widget_set_layout_manager (self->legend_frame,
                                 gtk_custom_layout_new (get_legend_mode, measure_legend, allocate_legend));
  gtk_widget_set_visible (self->legend_frame, FALSE);
  gtk_widget_set_parent (self->legend_frame, GTK_WIDGET (self));
}

