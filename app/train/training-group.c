/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/training-group.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "settings/recipe.h"

enum { N_PRECISIONS = 4 };

enum { STEPS, BATCH, ACCUMULATE, SEED, SAMPLE_EVERY, CHECKPOINT_EVERY, KEEP_CHECKPOINTS, N_SPINS };

/* The settings with a spin button, whose name in the template is the setting's key. */
static const char *const keys[N_SPINS]
  = { "steps", "batch", "accumulate", "seed", "sample-every", "checkpoint-every",
      "keep-checkpoints" };

struct _UrbariumTrainingGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumForecast *forecast; /* (nullable) owned */
  gboolean          offering; /* the name is being set by this group */
  gboolean          named;    /* by the user */
  UkPrecision       precision;
  UkPrecision       offered[N_PRECISIONS]; /* in the order of the row */
  gboolean          filling;               /* the row is set by this group */
  gboolean          known, on_gpu, bf16;   /* of the device; bf16: in hardware */

  AdwActionRow  *steps_row;
  AdwComboRow   *precision_row;
  GtkEditable   *name_row, *lr_g_row, *lr_d_row;
  GtkSpinButton *spins[N_SPINS];
  GtkButton     *measure_button;
  GtkSpinner    *measure_spinner;
};

G_DEFINE_FINAL_TYPE (UrbariumTrainingGroup, urbarium_training_group, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static const UrbSetting *
get_setting (guint spin)
{
  return urb_settings_find (&urb_run_settings, keys[spin]);
}

/* Empty means 0, the recipe's rate.  Accepts the locale's decimal separator and a point. */
static gboolean
read_rate (GtkEditable *editable, double *rate)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (editable)));
  char *end;
  *rate = 0;
  if (*text == '\0')
    return TRUE;
  *rate = g_ascii_strtod (text, &end);
  if (*end != '\0')
    *rate = g_strtod (text, &end);
  return *end == '\0' && isfinite (*rate) && *rate > 0 && *rate <= 1;
}

static void
mark (GtkEditable *row, gboolean valid)
{
  if (valid)
    gtk_widget_remove_css_class (GTK_WIDGET (row), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (row), "error");
}

static gboolean
name_is_valid (UrbariumTrainingGroup *self)
{
  g_autofree char *name = g_strstrip (g_strdup (gtk_editable_get_text (self->name_row)));
  return *name != '\0';
}

/* ------------------------------------------------------------------------ */
/* Precision                                                                 */

static const char *
get_precision_title (UkPrecision precision)
{
  switch (precision)
    {
    case UK_BF16:
      return _ ("16 bit (bfloat16)");
    case UK_FP16:
      return _ ("16 bit (fp16)");
    case UK_TF32:
      return _ ("32 bit, rounded (TF32)");
    default:
      return _ ("32 bit");
    }
}

static const char *
get_gpu_text (UrbariumTrainingGroup *self)
{
  switch (self->precision)
    {
    case UK_BF16:
      return _ ("About half the memory and usually fastest; slightly less exact");
    case UK_FP16:
      return self->bf16 ? _ ("Memory and speed of bfloat16, more digits but less range; some steps are skipped")
                        : _ ("About half the memory and usually fastest; some steps are skipped");
    case UK_TF32:
      return _ ("Usually faster than 32 bit and hardly less exact; same memory");
    default:
      return _ ("Most exact and usually slowest on this GPU");
    }
}

static const char *
get_processor_text (UrbariumTrainingGroup *self)
{
  switch (self->precision)
    {
    case UK_FP32:
      return _ ("Exact and fast on every processor");
    case UK_BF16:
      return _ ("Less memory and faster on this processor; slightly less exact");
    default:
      return _ ("Needs a GPU");
    }
}

/* All GPUs have fp16. */
static gboolean
is_offered (UrbariumTrainingGroup *self, UkPrecision precision)
{
  if (precision == UK_FP32 || (!self->known && precision == self->precision))
    return TRUE;
  return self->on_gpu ? self->bf16 || precision == UK_FP16 : self->bf16 && precision == UK_BF16;
}

static void
update_precision_text (UrbariumTrainingGroup *self)
{
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->precision_row),
                               self->on_gpu ? get_gpu_text (self) : get_processor_text (self));
}

/* Does not emit "changed". */
static void
update_precision (UrbariumTrainingGroup *self)
{
  static const UkPrecision all[N_PRECISIONS] = { UK_FP32, UK_TF32, UK_BF16, UK_FP16 };
  const char *titles[N_PRECISIONS + 1] = { NULL };
  g_autoptr(GtkStringList) list = NULL;
  guint n = 0, selected = 0;
  for (guint i = 0; i < N_PRECISIONS; i++)
    if (is_offered (self, all[i]))
      {
        if (all[i] == self->precision)
          selected = n;
        titles[n] = get_precision_title (all[i]);
        self->offered[n++] = all[i];
      }
  list = gtk_string_list_new (titles);
  self->precision = self->offered[selected];
  self->filling = TRUE;
  adw_combo_row_set_model (self->precision_row, G_LIST_MODEL (list));
  adw_combo_row_set_selected (self->precision_row, selected);
  self->filling = FALSE;
  update_precision_text (self);
}

void
urbarium_training_group_set_device (UrbariumTrainingGroup *self, const UrbariumDevices *devices,
                                    const UrbariumGpu *gpu)
{
  gboolean on_gpu = gpu != NULL, bf16 = on_gpu ? gpu->has_bf16 : devices->has_bf16;
  if (self->known && on_gpu == self->on_gpu && bf16 == self->bf16)
    return; /* do not close an open list */
  self->known = TRUE;
  self->on_gpu = on_gpu;
  self->bf16 = bf16;
  update_precision (self);
}

/* Not bfloat16, although it needs least memory: it also rounds the gradient of the gradient in the
 * penalty of the R3 recipe, and no run has shown yet that this is harmless. */
void
urbarium_training_group_propose_precision (UrbariumTrainingGroup *self)
{
  self->precision = self->on_gpu && self->bf16 ? UK_TF32 : UK_FP32;
  update_precision (self);
}

/* The duration and its source. */
static char *
dup_estimate (UrbariumTrainingGroup *self)
{
  UrbariumSpeedSource source;
  const char *run_name, *error = urbarium_forecast_get_measure_error (self->forecast);
  double speed = urbarium_forecast_get_speed (self->forecast, &source, &run_name);
  double n_images = gtk_spin_button_get_value (self->spins[STEPS])
                    * gtk_spin_button_get_value (self->spins[BATCH]);
  g_autofree char *time = NULL, *rate = NULL;
  if (urbarium_forecast_get_measuring (self->forecast))
    return g_strdup (_ ("Measuring the speed on random tiles…"));
  if (error != NULL)
    /* translators: %s: why, as a sentence */
    return g_strdup_printf (_ ("The speed could not be measured. %s"), error);
  if (source == URBARIUM_SPEED_UNKNOWN)
    return g_strdup (_ ("The duration is not known yet"));
  time = urbarium_format_duration (n_images / speed);
  rate = urbarium_format_number (speed, speed < 10 ? 1 : 0);
  if (source == URBARIUM_SPEED_MEASURED)
    /* translators: a duration, and a speed */
    return g_strdup_printf (_ ("About %s, at %s images/s measured here"), time, rate);
  if (source == URBARIUM_SPEED_DISTURBED)
    /* translators: a duration, and a speed */
    return g_strdup_printf (_ ("About %s, at %s images/s measured while another run trained"), time,
                            rate);
  /* translators: a duration, a speed, and the name of a run */
  return g_strdup_printf (_ ("About %s, at the %s images/s of “%s”"), time, rate, run_name);
}

static void
update_estimate (UrbariumTrainingGroup *self)
{
  g_autofree char *text = NULL;
  gboolean measuring;
  if (self->forecast == NULL)
    return;
  text = dup_estimate (self);
  measuring = urbarium_forecast_get_measuring (self->forecast);
  adw_action_row_set_subtitle (self->steps_row, text);
  urbarium_message_mark (GTK_WIDGET (self->steps_row),
                         urbarium_forecast_get_measure_error (self->forecast) != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->measure_spinner), measuring);
  gtk_button_set_label (self->measure_button, measuring ? _ ("_Cancel") : _ ("_Measure"));
}

static void
changed_cb (UrbariumTrainingGroup *self)
{
  double rate;
  update_estimate (self);
  mark (self->lr_g_row, read_rate (self->lr_g_row, &rate));
  mark (self->lr_d_row, read_rate (self->lr_d_row, &rate));
  mark (self->name_row, name_is_valid (self));
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
precision_cb (UrbariumTrainingGroup *self)
{
  if (self->filling)
    return;
  self->precision = self->offered[adw_combo_row_get_selected (self->precision_row)];
  update_precision_text (self);
  changed_cb (self);
}

static void
name_changed_cb (UrbariumTrainingGroup *self)
{
  if (!self->offering)
    self->named = *gtk_editable_get_text (self->name_row) != '\0';
  changed_cb (self);
}

static void
measure_cb (UrbariumTrainingGroup *self)
{
  if (urbarium_forecast_get_measuring (self->forecast))
    urbarium_forecast_cancel_measure (self->forecast);
  else
    urbarium_forecast_measure (self->forecast);
}

/* Shows 0 as a word. */
static gboolean
automatic_output_cb (GtkSpinButton *spin, gpointer data)
{
  if (gtk_spin_button_get_value_as_int (spin) != 0)
    return FALSE;
  gtk_editable_set_text (GTK_EDITABLE (spin), _ ("Automatic"));
  return TRUE;
}

static int
automatic_input_cb (GtkSpinButton *spin, double *value, gpointer data)
{
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (spin)), _ ("Automatic")) != 0)
    return FALSE;
  *value = 0;
  return TRUE;
}

void
urbarium_training_group_set_preset (UrbariumTrainingGroup *self, const UrbPreset *preset)
{
  gtk_spin_button_set_value (self->spins[BATCH], preset->batch);
  gtk_spin_button_set_value (self->spins[STEPS], preset->n_steps);
}

void
urbarium_training_group_set_recipe (UrbariumTrainingGroup *self, const UrbPreset *preset,
                                    const char *recipe)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *value_g = NULL, *value_d = NULL, *title_g = NULL, *title_d = NULL;
  urb_train_options_init (&options);
  g_free (options.recipe);
  options.recipe = g_strdup (recipe);
  if (!urb_recipe_resolve (&options, preset, 3, NULL))
    return;
  value_g = urbarium_format_value (options.lr_g);
  value_d = urbarium_format_value (options.lr_d);
  /* translators: %s: a number, used where nothing else is entered */
  title_g = g_strdup_printf (_ ("Generator’s learning rate (recipe: %s)"), value_g);
  title_d = g_strdup_printf (_ ("Discriminator’s learning rate (recipe: %s)"), value_d);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->lr_g_row), title_g);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->lr_d_row), title_d);
}

void
urbarium_training_group_offer_name (UrbariumTrainingGroup *self, const char *name)
{
  if (self->named || g_strcmp0 (gtk_editable_get_text (self->name_row), name) == 0)
    return;
  self->offering = TRUE;
  gtk_editable_set_text (self->name_row, name);
  self->offering = FALSE;
}

void
urbarium_training_group_set_forecast (UrbariumTrainingGroup *self, UrbariumForecast *forecast)
{
  g_return_if_fail (self->forecast == NULL);
  self->forecast = g_object_ref (forecast);
  g_signal_connect_object (forecast, "changed", G_CALLBACK (update_estimate), self,
                           G_CONNECT_SWAPPED);
  update_estimate (self);
}

static void
set_rate (GtkEditable *row, double rate)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE] = "";
  if (rate > 0)
    g_ascii_formatd (text, sizeof text, "%.9g", rate);
  gtk_editable_set_text (row, text);
}

void
urbarium_training_group_set_config (UrbariumTrainingGroup *self, const UrbRunConfig *config)
{
  const UrbTrainOptions *train = &config->train;
  for (guint i = 0; i < N_SPINS; i++)
    {
      double value = urb_setting_get_number (get_setting (i), config);
      if (value >= get_setting (i)->min) /* else not set: keep the preset's */
        gtk_spin_button_set_value (self->spins[i], value);
    }
  self->precision = train->precision;
  update_precision (self);
  set_rate (self->lr_g_row, train->lr_g);
  set_rate (self->lr_d_row, train->lr_d);
}

void
urbarium_training_group_apply (UrbariumTrainingGroup *self, UrbRunConfig *config)
{
  UrbTrainOptions *train = &config->train;
  g_free (config->name);
  config->name = g_strstrip (g_strdup (gtk_editable_get_text (self->name_row)));
  for (guint i = 0; i < N_SPINS; i++)
    urb_setting_set_number (get_setting (i), config, gtk_spin_button_get_value (self->spins[i]));
  train->precision = self->precision;
  read_rate (self->lr_g_row, &train->lr_g);
  read_rate (self->lr_d_row, &train->lr_d);
}

char *
urbarium_training_group_check (UrbariumTrainingGroup *self, const UrbTrainOptions *options)
{
  double rate;
  if (!name_is_valid (self))
    return g_strdup (_ ("Enter a name for the run."));
  if (options->batch % options->accumulate != 0)
    return g_strdup_printf (_ ("A batch of %d cannot be split into %d equal microbatches."), options->batch,
                            options->accumulate);
  if (!read_rate (self->lr_g_row, &rate) || !read_rate (self->lr_d_row, &rate))
    return g_strdup (_ ("A learning rate must be above 0 and at most 1, such as 0.001. Leave it "
                        "empty to use the recipe’s."));
  return NULL;
}

static void
dispose (GObject *object)
{
  UrbariumTrainingGroup *self = URBARIUM_TRAINING_GROUP (object);
  g_clear_object (&self->forecast);
  G_OBJECT_CLASS (urbarium_training_group_parent_class)->dispose (object);
}

static void
urbarium_training_group_class_init (UrbariumTrainingGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "training-group.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, steps_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, precision_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, name_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, lr_g_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, lr_d_row);
  for (guint i = 0; i < N_SPINS; i++)
    gtk_widget_class_bind_template_child_full (widget_class, keys[i], FALSE,
                                               G_STRUCT_OFFSET (UrbariumTrainingGroup, spins[i]));
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, measure_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumTrainingGroup, measure_spinner);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, name_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, precision_cb);
  gtk_widget_class_bind_template_callback (widget_class, measure_cb);
  gtk_widget_class_bind_template_callback (widget_class, automatic_output_cb);
  gtk_widget_class_bind_template_callback (widget_class, automatic_input_cb);
}

static void
urbarium_training_group_init (UrbariumTrainingGroup *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < N_SPINS; i++)
    {
      const UrbSetting *setting = get_setting (i);
      GtkAdjustment *adjustment = gtk_spin_button_get_adjustment (self->spins[i]);
      /* Spin buttons have doubles, which are exact up to 2^53. */
      double largest = setting->type == URB_SETTING_INT ? G_MAXINT : 9007199254740992.0;
      gtk_adjustment_set_lower (adjustment, setting->min);
      gtk_adjustment_set_upper (adjustment, MIN (setting->max, largest));
      gtk_adjustment_set_value (adjustment, setting->number);
    }
  update_precision (self);
}
