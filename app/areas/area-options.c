/* SPDX-License-Identifier: Apache-2.0 */
/*
 * area-options.c - a change becomes a decision after a short delay, so that undo does not go
 * through every step of a spin button.
 */
#include "app/areas/area-options.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"

enum { DELAY_MS = 300, N_RESOLUTIONS = 6, RESOLUTION_MIN_LOG2 = 5 };

struct _UrbariumAreaOptions
{
  AdwBin            parent_instance;
  UrbariumCuration *curation; /* owned */
  AdwComboRow      *preset, *fill, *encoding, *resolution;
  GtkSpinButton    *area_size, *stride, *rotations, *coverage, *overlap, *test_share, *seed, *top;
  GtkSwitch        *soft;
  gboolean          updating; /* the rows are being set by update(), not by the user */
  const char       *label;    /* undo label of the pending decision */
  guint             delay;    /* source */
};

G_DEFINE_FINAL_TYPE (UrbariumAreaOptions, urbarium_area_options, ADW_TYPE_BIN)

static const double preset_sizes_m[] = { 120, 250, 500 };

/* Label for undo. */
static const char *
label_for (UrbariumAreaOptions *self, gpointer row)
{
  const struct
  {
    gpointer    row;
    const char *label;
  } labels[] = {
    { self->preset, _ ("Change the size") },
    { self->area_size, _ ("Change the area") },
    { self->stride, _ ("Change the step") },
    { self->rotations, _ ("Change the rotations") },
    { self->coverage, _ ("Change the minimum coverage") },
    { self->fill, _ ("Change the uncovered ground") },
    { self->overlap, _ ("Change the overlap") },
    { self->test_share, _ ("Change the test share") },
    { self->seed, _ ("Shuffle the test regions") },
    { self->top, _ ("Change the number of areas") },
    { self->encoding, _ ("Change the encoding") },
    { self->resolution, _ ("Change the resolution") },
    { self->soft, _ ("Change the edges") },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    if (labels[i].row == row)
      return labels[i].label;
  return _ ("Change the options");
}

static void
update (UrbariumAreaOptions *self)
{
  const UrbCurateOptions *o = &urbarium_curation_get_decisions (self->curation)->options;
  int resolution = (int) lround (log2 (o->resolution_px)) - RESOLUTION_MIN_LOG2;
  double pixel_m = o->area_size_m / o->resolution_px;
  g_autofree char *length = urbarium_format_number (pixel_m, pixel_m < 1 ? 2 : 1);
  /* translators: size of a pixel on the ground: 0.98 m */
  g_autofree char *pixel = g_strdup_printf (_ ("A pixel is %s m wide"), length);
  guint preset = 0;
  while (preset < G_N_ELEMENTS (preset_sizes_m)
         && (o->area_size_m != preset_sizes_m[preset] || o->stride_m != o->area_size_m / 2))
    preset++;
  g_clear_handle_id (&self->delay, g_source_remove);
  self->updating = TRUE;
  adw_combo_row_set_selected (self->preset, preset);
  gtk_spin_button_set_value (self->area_size, o->area_size_m);
  gtk_spin_button_set_value (self->stride, o->stride_m);
  gtk_spin_button_set_value (self->rotations, o->n_rotations);
  gtk_spin_button_set_value (self->coverage, 100 * o->min_coverage);
  adw_combo_row_set_selected (self->fill, o->fill);
  gtk_spin_button_set_value (self->overlap, 100 * o->max_overlap);
  gtk_spin_button_set_value (self->test_share, 100 * o->test_share);
  gtk_spin_button_set_value (self->seed, (double) o->seed);
  gtk_spin_button_set_value (self->top, (double) o->top);
  adw_combo_row_set_selected (self->encoding, o->encoding);
  adw_combo_row_set_selected (self->resolution, (guint) CLAMP (resolution, 0, N_RESOLUTIONS - 1));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->resolution), pixel);
  gtk_switch_set_active (self->soft, o->soft);
  self->updating = FALSE;
}

static UrbCurateOptions
read_rows (UrbariumAreaOptions *self)
{
  UrbCurateOptions o = urbarium_curation_get_decisions (self->curation)->options;
  o.area_size_m = gtk_spin_button_get_value (self->area_size);
  o.stride_m = gtk_spin_button_get_value (self->stride);
  o.n_rotations = gtk_spin_button_get_value_as_int (self->rotations);
  o.min_coverage = round (gtk_spin_button_get_value (self->coverage)) / 100;
  o.fill = (UrbFill) adw_combo_row_get_selected (self->fill);
  o.max_overlap = round (gtk_spin_button_get_value (self->overlap)) / 100;
  o.test_share = round (gtk_spin_button_get_value (self->test_share)) / 100;
  o.seed = (guint64) gtk_spin_button_get_value (self->seed);
  o.top = (gint64) gtk_spin_button_get_value (self->top);
  o.encoding = (UrbEncoding) adw_combo_row_get_selected (self->encoding);
  o.resolution_px = 1 << (RESOLUTION_MIN_LOG2 + adw_combo_row_get_selected (self->resolution));
  o.soft = gtk_switch_get_active (self->soft);
  return o;
}

static void
delay_cb (gpointer data)
{
  UrbariumAreaOptions *self = data;
  UrbCurateOptions options = read_rows (self);
  self->delay = 0;
  urbarium_curation_set_options (self->curation, &options, self->label);
}

static void
change (UrbariumAreaOptions *self, gpointer row)
{
  if (self->updating || self->curation == NULL)
    return;
  self->label = label_for (self, row);
  g_clear_handle_id (&self->delay, g_source_remove);
  self->delay = g_timeout_add_once (DELAY_MS, delay_cb, self);
}

static void
value_cb (UrbariumAreaOptions *self, GtkSpinButton *spin)
{
  change (self, spin);
}

static void
notify_cb (UrbariumAreaOptions *self, GParamSpec *pspec, gpointer row)
{
  change (self, row);
}

/* Keeps a step of half an area. */
static void
area_size_cb (UrbariumAreaOptions *self, GtkSpinButton *spin)
{
  double half = gtk_spin_button_get_value (spin) / 2;
  const UrbCurateOptions *o;
  if (self->updating || self->curation == NULL)
    return;
  o = &urbarium_curation_get_decisions (self->curation)->options;
  if (o->stride_m == o->area_size_m / 2)
    gtk_spin_button_set_value (self->stride, half);
  change (self, spin);
}

static void
preset_cb (UrbariumAreaOptions *self)
{
  guint preset = adw_combo_row_get_selected (self->preset);
  if (self->updating || preset >= G_N_ELEMENTS (preset_sizes_m))
    return;
  gtk_spin_button_set_value (self->area_size, preset_sizes_m[preset]);
  gtk_spin_button_set_value (self->stride, preset_sizes_m[preset] / 2);
  change (self, self->preset);
}

static void
dispose (GObject *object)
{
  UrbariumAreaOptions *self = URBARIUM_AREA_OPTIONS (object);
  g_clear_handle_id (&self->delay, g_source_remove);
  g_clear_object (&self->curation);
  G_OBJECT_CLASS (urbarium_area_options_parent_class)->dispose (object);
}

static void
urbarium_area_options_class_init (UrbariumAreaOptionsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "area-options.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, UrbariumAreaOptions, name)
  BIND (preset);
  BIND (area_size);
  BIND (stride);
  BIND (rotations);
  BIND (coverage);
  BIND (fill);
  BIND (overlap);
  BIND (test_share);
  BIND (seed);
  BIND (top);
  BIND (encoding);
  BIND (resolution);
  BIND (soft);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, value_cb);
  gtk_widget_class_bind_template_callback (widget_class, notify_cb);
  gtk_widget_class_bind_template_callback (widget_class, area_size_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_cb);
}

static void
urbarium_area_options_init (UrbariumAreaOptions *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
urbarium_area_options_set_curation (UrbariumAreaOptions *self, UrbariumCuration *curation)
{
  g_return_if_fail (URBARIUM_IS_AREA_OPTIONS (self) && self->curation == NULL);
  self->curation = g_object_ref (curation);
  g_signal_connect_object (curation, "decisions-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}
