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

enum { PRESET, AREA_SIZE, STRIDE, RESOLUTION, SOFT, FILL };

/* Each widget of the template, for one setting. */
static const struct
{
  const char *name;     /* of the widget */
  const char *key;      /* (nullable) the setting that it shows; NULL: shown by its own code */
  const char *property; /* of the widget: its value */
  double      factor;   /* 100: it shows percent */
  const char *label;    /* of the decision, for undo */
} widgets[] = {
  [PRESET] = { "preset", NULL, "selected", 1, N_ ("Change the size") },
  [AREA_SIZE] = { "area_size", "area-size-m", "value", 1, N_ ("Change the area") },
  [STRIDE] = { "stride", "stride-m", "value", 1, N_ ("Change the step") },
  [RESOLUTION] = { "resolution", NULL, "selected", 1, N_ ("Change the resolution") },
  [SOFT] = { "soft", NULL, "active", 1, N_ ("Change the edges") },
  [FILL] = { "fill", "fill-uncovered", "selected", 1, N_ ("Change the uncovered ground") },
  { "rotations", "rotations", "value", 1, N_ ("Change the rotations") },
  { "coverage", "min-coverage", "value", 100, N_ ("Change the minimum coverage") },
  { "overlap", "max-overlap", "value", 100, N_ ("Change the overlap") },
  { "test_share", "test-share", "value", 100, N_ ("Change the test share") },
  { "validation_share", "validation-share", "value", 100, N_ ("Change the validation share") },
  { "seed", "seed", "value", 1, N_ ("Shuffle the test regions") },
  { "top", "top", "value", 1, N_ ("Change the number of areas") },
  { "encoding", "encoding", "selected", 1, N_ ("Change the encoding") },
};

struct _UrbariumAreaOptions
{
  AdwBin            parent_instance;
  UrbariumCuration *curation; /* owned */
  GObject          *widgets[G_N_ELEMENTS (widgets)];
  gboolean          updating; /* the widgets are being set by update(), not by the user */
  const char       *label;    /* undo label of the pending decision */
  guint             delay;    /* source */
};

G_DEFINE_FINAL_TYPE (UrbariumAreaOptions, urbarium_area_options, ADW_TYPE_BIN)

static const double preset_sizes_m[] = { 120, 250, 500 };

static const UrbSetting *
get_setting (gsize i)
{
  return widgets[i].key == NULL ? NULL : urb_settings_find (&urb_curate_settings, widgets[i].key);
}

static double
get_value (UrbariumAreaOptions *self, gsize i)
{
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init (&value, G_TYPE_DOUBLE);
  g_object_get_property (self->widgets[i], widgets[i].property, &value);
  return g_value_get_double (&value);
}

static void
set_value (UrbariumAreaOptions *self, gsize i, double number)
{
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init (&value, G_TYPE_DOUBLE);
  g_value_set_double (&value, number);
  g_object_set_property (self->widgets[i], widgets[i].property, &value);
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
  for (gsize i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (get_setting (i) != NULL)
      set_value (self, i, widgets[i].factor * urb_setting_get_number (get_setting (i), o));
  set_value (self, PRESET, preset);
  set_value (self, RESOLUTION, CLAMP (resolution, 0, N_RESOLUTIONS - 1));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->widgets[RESOLUTION]), pixel);
  g_object_set (self->widgets[SOFT], "active", o->soft, NULL);
  self->updating = FALSE;
}

/* What "Automatic" has decided for this map. */
static void
update_fill_note (UrbariumAreaOptions *self)
{
  const UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  const char *note;
  if (ranked == NULL || ranked->search->options.fill != URB_FILL_AUTO)
    note = _ ("Between the objects");
  else if (urb_curator_is_filled (ranked->search->curator))
    note = _ ("Counts as other: this map leaves ground open beside its buildings");
  else
    note = _ ("Stays empty: this map covers the ground beside its buildings");
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->widgets[FILL]), note);
}

static UrbCurateOptions
read_widgets (UrbariumAreaOptions *self)
{
  UrbCurateOptions o = urbarium_curation_get_decisions (self->curation)->options;
  for (gsize i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (get_setting (i) != NULL)
      {
        double value = get_value (self, i), factor = widgets[i].factor;
        urb_setting_set_number (get_setting (i), &o, factor == 1 ? value : round (value) / factor);
      }
  o.resolution_px = 1 << (RESOLUTION_MIN_LOG2 + (int) get_value (self, RESOLUTION));
  g_object_get (self->widgets[SOFT], "active", &o.soft, NULL);
  return o;
}

static void
delay_cb (gpointer data)
{
  UrbariumAreaOptions *self = data;
  UrbCurateOptions options = read_widgets (self);
  self->delay = 0;
  urbarium_curation_set_options (self->curation, &options, self->label);
}

static void
change (UrbariumAreaOptions *self, gpointer widget)
{
  if (self->updating || self->curation == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (self->widgets[i] == widget)
      self->label = _ (widgets[i].label);
  g_clear_handle_id (&self->delay, g_source_remove);
  self->delay = g_timeout_add_once (DELAY_MS, delay_cb, self);
}

static void
changed_cb (UrbariumAreaOptions *self, GParamSpec *pspec, gpointer widget)
{
  change (self, widget);
}

/* Keeps a step of half an area. */
static void
area_size_cb (UrbariumAreaOptions *self)
{
  const UrbCurateOptions *o;
  if (self->updating || self->curation == NULL)
    return;
  o = &urbarium_curation_get_decisions (self->curation)->options;
  if (o->stride_m == o->area_size_m / 2)
    set_value (self, STRIDE, get_value (self, AREA_SIZE) / 2);
  change (self, self->widgets[AREA_SIZE]);
}

static void
preset_cb (UrbariumAreaOptions *self)
{
  guint preset = adw_combo_row_get_selected (ADW_COMBO_ROW (self->widgets[PRESET]));
  if (self->updating || preset >= G_N_ELEMENTS (preset_sizes_m))
    return;
  set_value (self, AREA_SIZE, preset_sizes_m[preset]);
  set_value (self, STRIDE, preset_sizes_m[preset] / 2);
  change (self, self->widgets[PRESET]);
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
  for (gsize i = 0; i < G_N_ELEMENTS (widgets); i++)
    gtk_widget_class_bind_template_child_full (
      widget_class, widgets[i].name, FALSE,
      G_STRUCT_OFFSET (UrbariumAreaOptions, widgets) + (gssize) (i * sizeof (GObject *)));
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, area_size_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_cb);
}

static void
urbarium_area_options_init (UrbariumAreaOptions *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* The template has narrower ranges for some settings; the others have the range of the setting. */
  for (gsize i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (GTK_IS_SPIN_BUTTON (self->widgets[i]))
      {
        GtkSpinButton *spin = GTK_SPIN_BUTTON (self->widgets[i]);
        const UrbSetting *setting = get_setting (i);
        if (gtk_adjustment_get_upper (gtk_spin_button_get_adjustment (spin)) == 0)
          gtk_spin_button_set_range (spin, widgets[i].factor * setting->min,
                                     widgets[i].factor * setting->max);
      }
}

void
urbarium_area_options_set_curation (UrbariumAreaOptions *self, UrbariumCuration *curation)
{
  g_return_if_fail (URBARIUM_IS_AREA_OPTIONS (self) && self->curation == NULL);
  self->curation = g_object_ref (curation);
  g_signal_connect_object (curation, "decisions-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (curation, "result-changed", G_CALLBACK (update_fill_note), self,
                           G_CONNECT_SWAPPED);
  update (self);
  update_fill_note (self);
}
