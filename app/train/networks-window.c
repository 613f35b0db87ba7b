/* SPDX-License-Identifier: Apache-2.0 */
/*
 * networks-window.c - a layer, with the batch norm and the bias that follow it, has one row.
 *
 * Gradients of a checkpoint are not stored; the root of Adam's second moment is what they were lately.
 */
#include "app/train/networks-window.h"

#include <glib/gi18n.h>

#include "app/base/engine-texts.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "app/train/engine-query.h"
#include "app/train/network-diagram.h"
#include "app/train/value-histogram.h"
#include "model/networks.h"
#include "settings/recipe.h"

enum { WIDTH_PX = 640, HEIGHT_PX = 760, SHARE_PX = 72, MEASURED_STEPS = 3 };

/* What one network of the window has. */
typedef struct
{
  const char   *title;  /* translated */
  const UrbNet *net;    /* borrowed; its layers @first to @end - 1 are shown */
  int           first, end;
  const UrbNet *trained; /* borrowed: the same layers, from 0, as training has them: a refiner's are of crops */
  const char   *name;   /* of these layers in a profile, where they are counted from 0 */
  gint64        batch;
  double        value_bytes;
} Network;

struct _UrbariumNetworksWindow
{
  AdwWindow parent_instance;

  char               *checkpoint; /* (nullable) owned */
  GMutex              mutex;      /* of the next field */
  UrbSafetensors     *file;       /* (nullable) owned: the checkpoint, checked when a row is first opened */
  GCancellable       *reading;    /* owned */
  AdwPreferencesPage *page;       /* borrowed */

  UrbTrainOptions     options;    /* owned: what is measured */
  GCancellable       *measuring;  /* (nullable) owned */
  GtkWidget          *button, *spinner; /* borrowed */
  GArray             *rows;       /* (element-type Row) owned */
};

/* A row, once it is shown. */
typedef struct
{
  GtkWidget *widget, *share; /* borrowed */
  char      *subtitle;       /* owned: without times */
  char      *name;           /* owned: of its network in a profile */
  int        first, end;     /* layers there */
} Row;

G_DEFINE_FINAL_TYPE (UrbariumNetworksWindow, urbarium_networks_window, ADW_TYPE_WINDOW)

/* ------------------------------------------------------------------------ */
/* What a row says                                                           */

typedef struct
{
  int    first, end; /* layers */
  gint64 n_params;
  double flops;      /* of an image, forward */
} Part;

/* The layers at @first that belong together: what follows a layer and only changes its values, not their shape. */
static Part
part_at (const UrbNet *net, int first)
{
  Part part = { .first = first, .end = first };
  do
    {
      const UrbLayer *layer = urb_net_get_layer (net, part.end);
      UkOpDesc desc = urb_net_get_forward_desc (net, part.end, 1);
      part.flops += uk_op_flops (&desc);
      part.n_params += layer->weight < 0 ? 0 : urb_net_get_param (net, layer->weight)->count;
      part.n_params += layer->bias < 0 ? 0 : urb_net_get_param (net, layer->bias)->count;
      part.end++;
    }
  while (part.end < urb_net_get_n_layers (net)
         && (urb_net_get_layer (net, part.end)->kind == URB_LAYER_BATCH_NORM
             || urb_net_get_layer (net, part.end)->kind == URB_LAYER_BIAS_ACT));
  return part;
}

static char *
dup_conv (const UrbLayer *layer)
{
  gboolean from_vector = layer->in.h == 1 && layer->in.w == 1;
  if (from_vector || (layer->out.h == 1 && layer->out.w == 1 && layer->kernel == layer->in.h))
    return g_strdup (_ ("Fully connected"));
  /* translators: twice the edge of the kernel; a number of pixels */
  return g_strdup_printf (layer->transposed ? _ ("Transposed convolution %d × %d, stride %d")
                                            : _ ("Convolution %d × %d, stride %d"),
                          layer->kernel, layer->kernel, layer->stride);
}

static char *
dup_layer (const UrbLayer *layer)
{
  switch (layer->kind)
    {
    case URB_LAYER_CONV:
      return dup_conv (layer);
    case URB_LAYER_BATCH_NORM:
      return g_strdup (_ ("Batch norm"));
    case URB_LAYER_BIAS_ACT:
      return g_strdup (_ ("Bias"));
    case URB_LAYER_UPSAMPLE:
      return g_strdup (_ ("Upsampling"));
    case URB_LAYER_DOWNSAMPLE:
      return g_strdup (_ ("Downsampling"));
    case URB_LAYER_ADD:
      return g_strdup (_ ("Sum of two branches"));
    case URB_LAYER_DEPTHWISE:
      return g_strdup (_ ("Depthwise convolution"));
    }
  return g_strdup ("");
}

static const char *
get_activation (UkAct act)
{
  static const char *const names[] = {
    [UK_ACT_NONE] = NULL, [UK_ACT_RELU] = "ReLU", [UK_ACT_LEAKY_RELU] = "leaky ReLU", [UK_ACT_TANH] = "tanh",
    [UK_ACT_SIGMOID] = "sigmoid", [UK_ACT_SOFTMAX] = "softmax",
  };
  return names[act];
}

/* "Convolution 4 × 4, stride 2 · Batch norm · ReLU" */
static char *
dup_title (const UrbNet *net, const Part *part)
{
  g_autoptr(GString) title = g_string_new (NULL);
  for (int i = part->first; i < part->end; i++)
    {
      const UrbLayer *layer = urb_net_get_layer (net, i);
      g_autofree char *text = dup_layer (layer);
      const char *activation = get_activation (layer->act);
      g_string_append_printf (title, "%s%s", i > part->first ? " · " : "", text);
      if (activation != NULL)
        g_string_append_printf (title, " · %s", activation);
    }
  return g_string_free (g_steal_pointer (&title), FALSE);
}

/* "8 × 8 × 256 · output of a batch: 4.2 MB · 524,544 parameters · 12.3 % of the arithmetic" */
static char *
dup_subtitle (const Network *network, const Part *part, double flops)
{
  const UkShape *out = &urb_net_get_layer (network->net, part->end - 1)->out;
  const UkShape *trained = &urb_net_get_layer (network->trained, part->end - 1 - network->first)->out;
  double bytes = (double) (trained->h * trained->w * trained->c * network->batch) * network->value_bytes;
  g_autofree char *count = urbarium_format_count (part->n_params);
  g_autofree char *output = urbarium_format_bytes ((gint64) bytes);
  g_autofree char *share = urbarium_format_percent (part->flops / flops);
  g_autoptr(GString) text = g_string_new (NULL);
  g_string_append_printf (text, "%" G_GINT64_FORMAT " × %" G_GINT64_FORMAT " × %" G_GINT64_FORMAT, out->h, out->w, out->c);
  g_string_append (text, " · ");
  /* translators: an amount of memory */
  g_string_append_printf (text, _ ("output of a batch: %s"), output);
  if (part->n_params > 0)
    {
      g_string_append (text, " · ");
      /* translators: a count, formatted */
      g_string_append_printf (text, ngettext ("%s parameter", "%s parameters", (gulong) part->n_params), count);
    }
  g_string_append (text, " · ");
  /* translators: a share */
  g_string_append_printf (text, _ ("%s of the arithmetic"), share);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ------------------------------------------------------------------------ */
/* Values of a checkpoint                                                    */

typedef struct
{
  char          *name; /* owned: of the tensor */
  UrbariumValues weights, gradients;
  gboolean       has_gradients;
} Reading;

static void
reading_free (gpointer data)
{
  Reading *self = data;
  g_free (self->name);
  g_free (self);
}

/* It stays open, so that it is checked once, and need not stay in its folder. */
static UrbSafetensors *
open_checkpoint (UrbariumNetworksWindow *self, GError **error)
{
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  if (self->file == NULL)
    self->file = urb_safetensors_open (self->checkpoint, error);
  return self->file;
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  g_autofree char *moment = g_strconcat ("moment2.", reading->name, NULL);
  g_autoptr(GError) error = NULL;
  UrbSafetensors *file = open_checkpoint (source, &error);
  const UrbTensor *weights = file == NULL ? NULL : urb_safetensors_lookup (file, reading->name);
  const UrbTensor *squares = file == NULL ? NULL : urb_safetensors_lookup (file, moment);
  if (file == NULL)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  if (weights == NULL)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _ ("The checkpoint has no tensor “%s”."),
                               reading->name);
      return;
    }
  urbarium_values_count (&reading->weights, weights, FALSE);
  reading->has_gradients = squares != NULL;
  if (squares != NULL)
    urbarium_values_count (&reading->gradients, squares, TRUE);
  g_task_return_boolean (task, TRUE);
}

static GtkWidget *
new_text (const char *text)
{
  GtkWidget *label = gtk_label_new (text);
  g_object_set (label, "wrap", TRUE, "xalign", 0.0, "margin-start", 12, "margin-end", 12, "margin-top", 9, NULL);
  gtk_widget_add_css_class (label, "caption");
  return label;
}

static void
add_histogram (AdwExpanderRow *row, const char *title, const UrbariumValues *values)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *histogram = urbarium_value_histogram_new (title);
  GtkWidget *list_row = gtk_list_box_row_new ();
  g_autofree char *summary = NULL;
  urbarium_value_histogram_set_values (URBARIUM_VALUE_HISTOGRAM (histogram), values);
  summary = urbarium_value_histogram_dup_summary (URBARIUM_VALUE_HISTOGRAM (histogram));
  gtk_box_append (GTK_BOX (box), new_text (summary));
  gtk_box_append (GTK_BOX (box), histogram);
  g_object_set (list_row, "child", box, "activatable", FALSE, "focusable", FALSE, NULL);
  adw_expander_row_add_row (row, list_row);
}

static void expanded_cb (AdwExpanderRow *row, GParamSpec *pspec, UrbariumNetworksWindow *self);

/* Until the row is opened once more. */
static void
show_problem (UrbariumNetworksWindow *self, AdwExpanderRow *row, const char *text)
{
  GtkWidget *problem = gtk_list_box_row_new ();
  g_object_set (problem, "child", new_text (text), "activatable", FALSE, NULL);
  adw_expander_row_add_row (row, problem);
  g_object_set_data (G_OBJECT (row), "problem", problem);
  g_signal_connect_object (row, "notify::expanded", G_CALLBACK (expanded_cb), self, 0);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(AdwExpanderRow) row = data;
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr(GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          urbarium_engine_texts_translate_error (error);
          show_problem (URBARIUM_NETWORKS_WINDOW (source), row, error->message);
        }
      return;
    }
  add_histogram (row, _ ("Weights"), &reading->weights);
  if (reading->has_gradients)
    add_histogram (row, _ ("Recent gradients (root mean square)"), &reading->gradients);
}

/* When the row is opened for the first time. */
static void
expanded_cb (AdwExpanderRow *row, GParamSpec *pspec, UrbariumNetworksWindow *self)
{
  GtkWidget *problem = g_object_steal_data (G_OBJECT (row), "problem");
  Reading *reading;
  g_autoptr(GTask) task = NULL;
  if (problem != NULL)
    adw_expander_row_remove (row, problem);
  if (!adw_expander_row_get_expanded (row))
    return;
  reading = g_new0 (Reading, 1);
  task = g_task_new (self, self->reading, read_cb, g_object_ref (row));
  g_signal_handlers_disconnect_by_func (row, expanded_cb, self);
  reading->name = g_strdup (gtk_widget_get_name (GTK_WIDGET (row)));
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_thread);
}

/* ------------------------------------------------------------------------ */
/* Rows                                                                      */

static void
clear_row (gpointer data)
{
  Row *row = data;
  g_free (row->subtitle);
  g_free (row->name);
}

static GtkWidget *
new_share (double share)
{
  GtkWidget *bar = gtk_level_bar_new ();
  gtk_level_bar_set_value (GTK_LEVEL_BAR (bar), share);
  gtk_level_bar_add_offset_value (GTK_LEVEL_BAR (bar), "low", 1.0);
  gtk_widget_set_size_request (bar, SHARE_PX, -1);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Share of the arithmetic"),
                                  -1);
  return bar;
}

static void
add_part (UrbariumNetworksWindow *self, AdwPreferencesGroup *group, const Network *network, const Part *part, double flops)
{
  int weight = urb_net_get_layer (network->net, part->first)->weight;
  gboolean opens = self->checkpoint != NULL && weight >= 0;
  Row row = { .widget = opens ? adw_expander_row_new () : adw_action_row_new (), .share = new_share (part->flops / flops),
              .subtitle = dup_subtitle (network, part, flops), .name = g_strdup (network->name),
              .first = part->first - network->first, .end = part->end - network->first };
  g_autofree char *title = dup_title (network->net, part);
  g_object_set (row.widget, "use-markup", FALSE, "title", title, "subtitle", row.subtitle, NULL);
  if (opens)
    {
      gtk_widget_set_name (row.widget, urb_net_get_param (network->net, weight)->name);
      adw_expander_row_add_action (ADW_EXPANDER_ROW (row.widget), row.share);
      g_signal_connect_object (row.widget, "notify::expanded", G_CALLBACK (expanded_cb), self, 0);
    }
  else
    adw_action_row_add_suffix (ADW_ACTION_ROW (row.widget), row.share);
  adw_preferences_group_add (group, row.widget);
  g_array_append_val (self->rows, row);
}

/* @text, and that the network trains on crops: (transfer full) (nullable): NULL: on whole images */
static char *
dup_crops (const Network *network, const char *text)
{
  int px = (int) network->trained->in.h;
  g_autofree char *crops = NULL;
  if (network->first == 0)
    return NULL;
  /* translators: twice the edge of a crop in pixels */
  crops = g_strdup_printf (_ ("Training runs these layers on crops of %d × %d pixels, and the output is that of crops."), px, px);
  return g_strdup_printf ("%s %s", text, crops);
}

static void
add_network (UrbariumNetworksWindow *self, const Network *network)
{
  AdwPreferencesGroup *whole = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
  AdwPreferencesGroup *parts = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
  g_autofree char *count = NULL, *rate = NULL, *images = NULL, *text = NULL, *crops = NULL;
  gint64 n_params = 0;
  double flops = 0;
  for (Part part = { .end = network->first }; part.end < network->end;)
    {
      part = part_at (network->net, part.end);
      n_params += part.n_params;
      flops += part.flops;
    }
  count = urbarium_format_count (n_params);
  rate = urbarium_format_value (flops * 1e-9);
  images = urbarium_format_count (network->batch);
  /* translators: a count of parameters; billions of floating-point operations; a count of images */
  text = g_strdup_printf (_ ("%s parameters · %s GFLOP per image, forward. The output is that of a batch of %s. Boxes are as "
                             "high as the image and as wide as it has channels, on logarithmic scales."), count, rate, images);
  crops = dup_crops (network, text);
  adw_preferences_group_set_title (whole, network->title);
  adw_preferences_group_set_description (whole, crops != NULL ? crops : text);
  adw_preferences_group_add (whole, urbarium_network_diagram_new (network->net, network->first, network->end));
  adw_preferences_page_add (self->page, whole);
  for (Part part = { .end = network->first }; part.end < network->end;)
    {
      part = part_at (network->net, part.end);
      add_part (self, parts, network, &part, flops);
    }
  adw_preferences_page_add (self->page, parts);
}

/* ------------------------------------------------------------------------ */
/* Times                                                                     */

static void
show_time (const Row *row, GHashTable *shares)
{
  g_autofree char *percent = NULL, *time = NULL, *subtitle = NULL;
  double share = 0;
  for (int i = row->first; i < row->end; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%d", row->name, i);
      const double *known = g_hash_table_lookup (shares, name);
      share += known != NULL ? *known : 0;
    }
  percent = urbarium_format_percent (share);
  /* translators: a share */
  time = g_strdup_printf (_ ("%s of the time of a step"), percent);
  subtitle = g_strdup_printf ("%s · %s", row->subtitle, time);
  g_object_set (row->widget, "subtitle", subtitle, NULL);
  gtk_level_bar_set_value (GTK_LEVEL_BAR (row->share), CLAMP (share, 0, 1));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->share), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Share of the time of a step"), -1);
}

static void
update_measuring (UrbariumNetworksWindow *self)
{
  gtk_button_set_label (GTK_BUTTON (self->button), self->measuring != NULL ? _ ("_Stop") : _ ("_Measure"));
  gtk_widget_set_visible (self->spinner, self->measuring != NULL);
}

/* If cancelled, the window may be gone. */
static void
measured_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumNetworksWindow *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GHashTable) shares = urbarium_engine_query_layers_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  g_clear_object (&self->measuring);
  update_measuring (self);
  if (shares == NULL)
    {
      urbarium_message_error (GTK_WIDGET (self), _ ("The times of the layers could not be measured"), error);
      return;
    }
  for (guint i = 0; i < self->rows->len; i++)
    show_time (&g_array_index (self->rows, Row, i), shares);
}

static void
stop_measuring (UrbariumNetworksWindow *self)
{
  if (self->measuring != NULL)
    g_cancellable_cancel (self->measuring);
  g_clear_object (&self->measuring);
}

static void
measure_cb (UrbariumNetworksWindow *self)
{
  if (self->measuring != NULL)
    stop_measuring (self);
  else
    {
      self->measuring = g_cancellable_new ();
      urbarium_engine_query_layers_async (&self->options, MEASURED_STEPS, self->measuring, measured_cb, self);
    }
  update_measuring (self);
}

/* ------------------------------------------------------------------------ */

static gboolean
has_halves (const UrbTrainOptions *options)
{
  return (options->precision == UK_BF16 || options->precision == UK_FP16) && !g_str_equal (options->backend, "cpu");
}

UrbariumNetworksWindow *
urbarium_networks_window_new (const UrbTrainOptions *options, const char *checkpoint, GError **error)
{
  g_autoptr(UrbPreset) preset = urb_preset_load (options->preset, error);
  g_auto(UrbTrainOptions) resolved = { 0 };
  g_autoptr(UrbNet) g = NULL;
  g_autoptr(UrbNet) base = NULL;
  g_autoptr(UrbNet) refiner = NULL;
  g_autoptr(UrbNet) d = NULL;
  int n_base;
  Network shown;
  UrbariumNetworksWindow *self;
  if (preset == NULL)
    return NULL;
  urb_train_options_copy (&resolved, options);
  if (!urb_recipe_resolve (&resolved, preset, options->n_channels > 0 ? options->n_channels : 3, error))
    return NULL;
  g = urb_preset_build_generator (preset, resolved.n_channels, resolved.refine && preset->refined_px > 0, error);
  base = urb_preset_build_generator (preset, resolved.n_channels, FALSE, error);
  if (g == NULL || base == NULL)
    return NULL;
  n_base = urb_net_get_n_layers (base);
  if (n_base < urb_net_get_n_layers (g))
    {
      refiner = urb_preset_build_refiner (preset, g, urb_preset_get_crop_px (preset), error);
      if (refiner == NULL)
        return NULL;
    }
  d = urb_preset_build_discriminator (preset, resolved.n_channels, urb_recipe_norms_discriminator (&resolved), error);
  if (d == NULL)
    return NULL;
  self = g_object_new (URBARIUM_TYPE_NETWORKS_WINDOW, NULL);
  self->checkpoint = g_strdup (checkpoint);
  urb_train_options_copy (&self->options, options);
  shown = (Network){ _ ("Generator"), g, 0, n_base, g, g->name, resolved.batch,
                     has_halves (&resolved) ? 2 : 4 };
  add_network (self, &shown);
  if (refiner != NULL)
    {
      shown = (Network){ _ ("Refiner"), g, n_base, urb_net_get_n_layers (g), refiner, refiner->name, shown.batch,
                         shown.value_bytes };
      add_network (self, &shown);
    }
  shown = (Network){ _ ("Discriminator"), d, 0, urb_net_get_n_layers (d), d, d->name, shown.batch, shown.value_bytes };
  add_network (self, &shown);
  return self;
}

void
urbarium_networks_window_show (GtkWidget *where, const UrbTrainOptions *options, const char *checkpoint,
                               const char *title)
{
  g_autoptr(GError) error = NULL;
  UrbariumNetworksWindow *window = urbarium_networks_window_new (options, checkpoint, &error);
  if (window == NULL)
    {
      urbarium_message_error (where, _ ("The networks cannot be shown"), error);
      return;
    }
  if (title != NULL)
    gtk_window_set_title (GTK_WINDOW (window), title);
  gtk_window_set_transient_for (GTK_WINDOW (window), GTK_WINDOW (gtk_widget_get_root (where)));
  gtk_window_present (GTK_WINDOW (window));
}

static void
dispose (GObject *object)
{
  g_cancellable_cancel (URBARIUM_NETWORKS_WINDOW (object)->reading);
  stop_measuring (URBARIUM_NETWORKS_WINDOW (object));
  G_OBJECT_CLASS (urbarium_networks_window_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumNetworksWindow *self = URBARIUM_NETWORKS_WINDOW (object);
  g_free (self->checkpoint);
  urb_train_options_clear (&self->options);
  g_array_unref (self->rows);
  g_clear_pointer (&self->file, urb_safetensors_free);
  g_mutex_clear (&self->mutex);
  g_object_unref (self->reading);
  G_OBJECT_CLASS (urbarium_networks_window_parent_class)->finalize (object);
}

static void
urbarium_networks_window_class_init (UrbariumNetworksWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_networks_window_init (UrbariumNetworksWindow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *header = adw_header_bar_new ();
  g_mutex_init (&self->mutex);
  self->reading = g_cancellable_new ();
  self->page = ADW_PREFERENCES_PAGE (adw_preferences_page_new ());
  gtk_widget_set_vexpand (GTK_WIDGET (self->page), TRUE);
  self->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (self->rows, clear_row);
  self->button = gtk_button_new ();
  self->spinner = gtk_spinner_new ();
  g_object_set (self->button, "use-underline", TRUE, "tooltip-text", _ ("Run some steps on this machine, and show what each layer takes"),
                NULL);
  gtk_spinner_start (GTK_SPINNER (self->spinner));
  g_signal_connect_object (self->button, "clicked", G_CALLBACK (measure_cb), self, G_CONNECT_SWAPPED);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->button);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), self->spinner);
  update_measuring (self);
  gtk_box_append (GTK_BOX (box), header);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->page));
  adw_window_set_content (ADW_WINDOW (self), box);
  gtk_window_set_title (GTK_WINDOW (self), _ ("Networks"));
  gtk_window_set_default_size (GTK_WINDOW (self), WIDTH_PX, HEIGHT_PX);
}
