/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/model-group.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/train/networks-window.h"

struct _UrbariumModelGroup
{
  AdwPreferencesGroup parent_instance;

  GPtrArray   *presets; /* (element-type UrbPreset) owned: smallest first, then files */
  GPtrArray   *sources; /* (element-type char*) owned: what each is loaded from */

  AdwComboRow *preset_row, *recipe_row;
  GtkLabel    *generator_label, *discriminator_label, *weights_label, *size_label;
};

G_DEFINE_FINAL_TYPE (UrbariumModelGroup, urbarium_model_group, ADW_TYPE_PREFERENCES_GROUP)

enum { PRESET_CHANGED, CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* In the order of the template */
static const struct
{
  const char *name, *text;
} recipes[] = {
  { "r3", N_ ("Stable without tuning; the recipe for new runs") },
  { "dcgan", N_ ("Simple and fast per step, but often unstable") },
};

static int
compare_presets (gconstpointer a, gconstpointer b)
{
  const UrbPreset *left = *(UrbPreset *const *) a, *right = *(UrbPreset *const *) b;
  return left->size_px != right->size_px ? left->size_px - right->size_px
                                         : g_strcmp0 (left->name, right->name);
}

static void
load_presets (UrbariumModelGroup *self)
{
  g_auto(GStrv) names = urb_preset_list ();
  g_autoptr(GtkStringList) list = gtk_string_list_new (NULL);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr(GError) error = NULL;
      UrbPreset *preset = urb_preset_load (names[i], &error);
      if (preset == NULL)
        g_warning ("%s", error->message); /* a bug: presets are compiled in */
      else
        g_ptr_array_add (self->presets, preset);
    }
  g_ptr_array_sort (self->presets, compare_presets);
  for (guint i = 0; i < self->presets->len; i++)
    {
      const UrbPreset *preset = g_ptr_array_index (self->presets, i);
      gtk_string_list_append (list, preset->name);
      g_ptr_array_add (self->sources, g_strdup (preset->name));
    }
  adw_combo_row_set_model (self->preset_row, G_LIST_MODEL (list));
}

const UrbPreset *
urbarium_model_group_get_preset (UrbariumModelGroup *self)
{
  guint index = adw_combo_row_get_selected (self->preset_row);
  return g_ptr_array_index (self->presets, index < self->presets->len ? index : 0);
}

const char *
urbarium_model_group_get_preset_source (UrbariumModelGroup *self)
{
  guint index = adw_combo_row_get_selected (self->preset_row);
  return g_ptr_array_index (self->sources, index < self->sources->len ? index : 0);
}

gboolean
urbarium_model_group_set_preset (UrbariumModelGroup *self, const char *source)
{
  guint index;
  if (source == NULL)
    return FALSE;
  if (!g_ptr_array_find_with_equal_func (self->sources, source, g_str_equal, &index))
    {
      UrbPreset *preset = urb_preset_load (source, NULL);
      if (preset == NULL)
        return FALSE;
      index = self->presets->len;
      g_ptr_array_add (self->presets, preset);
      g_ptr_array_add (self->sources, g_strdup (source));
      gtk_string_list_append (GTK_STRING_LIST (adw_combo_row_get_model (self->preset_row)),
                              preset->name);
    }
  adw_combo_row_set_selected (self->preset_row, index);
  return TRUE;
}

const char *
urbarium_model_group_get_recipe (UrbariumModelGroup *self)
{
  return recipes[MIN (adw_combo_row_get_selected (self->recipe_row), G_N_ELEMENTS (recipes) - 1)]
    .name;
}

void
urbarium_model_group_set_recipe (UrbariumModelGroup *self, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    if (g_strcmp0 (recipes[i].name, name) == 0)
      adw_combo_row_set_selected (self->recipe_row, i);
}

static void
show (GtkLabel *label, char *text)
{
  gtk_label_set_text (label, text);
  g_free (text);
}

/* "304,115", "32.2 million" */
static char *
format_parameters (gint64 n)
{
  g_autofree char *number = NULL;
  if (n < 1000000)
    return urbarium_format_count (n);
  number = urbarium_format_number ((double) n / 1e6, 1);
  /* translators: a count of parameters: 32.2 million */
  return g_strdup_printf (_ ("%s million"), number);
}

void
urbarium_model_group_set_plan (UrbariumModelGroup *self, const UrbariumPlan *plan)
{
  const UrbPreset *preset = urbarium_model_group_get_preset (self);
  /* translators: how many pixels a generated city has along its edge */
  show (self->size_label, g_strdup_printf (_ ("%d px"), preset->size_px));
  if (plan == NULL)
    {
      gtk_label_set_text (self->generator_label, "…");
      gtk_label_set_text (self->discriminator_label, "…");
      gtk_label_set_text (self->weights_label, "…");
      return;
    }
  show (self->generator_label, format_parameters (plan->n_params_g));
  show (self->discriminator_label, format_parameters (plan->n_params_d));
  show (self->weights_label, urbarium_format_bytes (4 * (plan->n_params_g + plan->n_params_d
                                                            + plan->n_params_refiner)));
}

char *
urbarium_model_group_check (UrbariumModelGroup *self, int resolution_px)
{
  int size_px = urbarium_model_group_get_preset (self)->size_px;
  int factor = resolution_px / size_px;
  if (resolution_px <= 0)
    return NULL;
  /* Tiles can be halved repeatedly, but not enlarged. */
  if (factor > 0 && resolution_px % size_px == 0 && (factor & (factor - 1)) == 0)
    return NULL;
  return g_strdup_printf (_ ("These networks draw tiles of %d pixels, which cannot be derived from "
                             "the dataset’s %d. Choose other networks, or save the dataset with "
                             "%d pixels."),
                          size_px, resolution_px, size_px);
}

static void
layers_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumModelGroup *self = URBARIUM_MODEL_GROUP (widget);
  g_auto(UrbTrainOptions) options = { 0 };
  urb_train_options_init (&options);
  g_free (options.preset);
  g_free (options.recipe);
  options.preset = g_strdup (urbarium_model_group_get_preset_source (self));
  options.recipe = g_strdup (urbarium_model_group_get_recipe (self));
  urbarium_networks_window_show (widget, &options, NULL, NULL);
}

static void
preset_changed_cb (UrbariumModelGroup *self)
{
  const UrbPreset *preset = urbarium_model_group_get_preset (self);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->preset_row), _ (preset->title));
  g_signal_emit (self, signals[PRESET_CHANGED], 0);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
recipe_changed_cb (UrbariumModelGroup *self)
{
  guint index = MIN (adw_combo_row_get_selected (self->recipe_row), G_N_ELEMENTS (recipes) - 1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->recipe_row), _ (recipes[index].text));
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
finalize (GObject *object)
{
  UrbariumModelGroup *self = URBARIUM_MODEL_GROUP (object);
  g_ptr_array_unref (self->presets);
  g_ptr_array_unref (self->sources);
  G_OBJECT_CLASS (urbarium_model_group_parent_class)->finalize (object);
}

static void
urbarium_model_group_class_init (UrbariumModelGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[PRESET_CHANGED] = g_signal_new ("preset-changed", G_TYPE_FROM_CLASS (klass),
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_install_action (widget_class, "model.layers", NULL, layers_action);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "model-group.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelGroup, preset_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelGroup, recipe_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelGroup, generator_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelGroup, discriminator_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelGroup, weights_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumModelGroup, size_label);
  gtk_widget_class_bind_template_callback (widget_class, preset_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, recipe_changed_cb);
}

static void
urbarium_model_group_init (UrbariumModelGroup *self)
{
  self->presets = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_preset_free);
  self->sources = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  load_presets (self);
  urbarium_model_group_set_preset (self, "tiny");
  preset_changed_cb (self);
  recipe_changed_cb (self);
  urbarium_model_group_set_plan (self, NULL);
}
