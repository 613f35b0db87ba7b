/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy-group.c - a strategy's own settings have rows that are visible while it is selected;
 * strategies share settings with the same meaning.
 */
#include "app/train/strategy-group.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/train/rank-memory.h"
#include "app/train/setting-rows.h"
#include "app/train/strategy-diagram.h"
#include "app/train/strategy-rows.h"
#include "app/train/strategy.h"
#include "model/networks.h"
#include "settings/recipe.h"

enum
{
  MAX_GPU_RANKS = 16, /* the forecast checks the memory; more ranks would only wait */
  USUAL_RANKS = 2
};

typedef struct
{
  AdwActionRow   *row;   /* borrowed */
  GtkCheckButton *check; /* borrowed */
  gboolean        available;
  GtkWidget      *badge;     /* borrowed: "Recommended" */
  GtkWidget      *ranks_row, *switch_row; /* (nullable) borrowed */
  GtkWidget      *axis_rows[URBARIUM_N_AXES]; /* (nullable) borrowed: of a mesh */
  GtkWidget      *more_row;                   /* borrowed: opens to the rest of its settings */
  gboolean        has_more;                   /* it is filled */
  GtkWidget      *memory_row;                 /* borrowed */
} Choice;

struct _UrbariumStrategyGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumForecast *forecast; /* (nullable) owned */
  UrbariumStrategyComparison *comparison; /* (nullable) owned */
  GtkWidget        *measure;  /* borrowed: a button */
  GArray           *choices;  /* (element-type Choice) owned: in the order of the table */
  UrbStrategy       strategy;
  gboolean          known;    /* the engine has reported its strategies */
  gboolean          has_batch_norm;
  int               n_wanted; /* ranks, regardless of the number of cores; 0: not set */
  int               n_local;  /* ranks that this machine may run */
  int               n_slots;  /* ranks that other hosts and this one may run; 0: there are no others */
  GtkAdjustment    *n_ranks;  /* owned */
  GtkAdjustment    *axes[URBARIUM_N_AXES]; /* owned: ranks along each axis of a mesh */
  GtkSwitch        *stale_lr, *sync_batch_norm; /* borrowed: the first of two bound switches */
  UrbariumSettingRows *more;                    /* owned: the other settings */
};

G_DEFINE_FINAL_TYPE (UrbariumStrategyGroup, urbarium_strategy_group, ADW_TYPE_PREFERENCES_GROUP)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static Choice *
get_choice (UrbariumStrategyGroup *self, guint i)
{
  return &g_array_index (self->choices, Choice, i);
}

/* Whether a rank needs more than it may have. */
static gboolean
exceeds_limit (UrbariumStrategyGroup *self, const UrbariumPlan *plan)
{
  return plan->bytes_rank > urbarium_forecast_get_rank_bytes (self->forecast);
}

/* The memory needed, and whether it is free. */
static char *
dup_memory (UrbariumStrategyGroup *self, const UrbariumPlan *plan)
{
  gboolean limited = exceeds_limit (self, plan), fits = !limited && plan->bytes_total <= plan->bytes_available;
  g_autofree char *needed = urbarium_format_bytes (limited ? plan->bytes_rank : plan->bytes_total);
  g_autofree char *available = urbarium_format_bytes (limited ? urbarium_forecast_get_rank_bytes (self->forecast)
                                                              : plan->bytes_available);
  const char *format;
  if (limited)
    /* translators: two amounts of memory */
    format = _ ("Does not fit: a rank needs %s of memory, and may have %s");
  else if (urbarium_forecast_is_on_gpu (self->forecast))
    /* translators: two amounts of memory */
    format = fits ? _ ("Fits: needs %s of %s of free GPU memory")
                  : _ ("Does not fit: needs %s of the GPU’s memory, and %s are free");
  else
    /* translators: two amounts of memory */
    format = fits ? _ ("Fits: needs %s of %s of free memory")
                  : _ ("Does not fit: needs %s of memory, and %s are free");
  return g_strdup_printf (format, needed, available);
}

/* Speed, if known, and memory. */
static char *
dup_forecast (UrbariumStrategyGroup *self)
{
  UrbariumSpeedSource source;
  const UrbariumPlan *plan = urbarium_forecast_get_plan (self->forecast);
  double speed = urbarium_forecast_get_speed (self->forecast, &source, NULL);
  g_autofree char *memory = NULL, *rate = NULL;
  if (urbarium_forecast_get_error (self->forecast) != NULL)
    return g_strdup (urbarium_forecast_get_error (self->forecast));
  if (plan == NULL)
    return NULL;
  memory = dup_memory (self, plan);
  if (source == URBARIUM_SPEED_UNKNOWN)
    return g_steal_pointer (&memory);
  rate = urbarium_format_number (speed, speed < 10 ? 1 : 0);
  /* translators: a speed; then a sentence about memory */
  return g_strdup_printf (_ ("%s images/s. %s"), rate, memory);
}

/* Of one process, which has nothing to vary: then what is expected of it would be a second speed. */
static gboolean
tells_speed (UrbariumStrategyGroup *self, guint i)
{
  UrbariumSpeedSource source = URBARIUM_SPEED_UNKNOWN;
  if (i == URB_STRATEGY_SINGLE && i == self->strategy && self->forecast != NULL
      && urbarium_forecast_get_plan (self->forecast) != NULL && urbarium_forecast_get_error (self->forecast) == NULL)
    urbarium_forecast_get_speed (self->forecast, &source, NULL);
  return source != URBARIUM_SPEED_UNKNOWN;
}

/* What the engine expects of a strategy with as many ranks as are best. (nullable) */
static char *
dup_expected (UrbariumStrategyGroup *self, guint i)
{
  const UrbariumStrategyForecast *expected =
    self->comparison == NULL ? NULL : urbarium_strategy_comparison_get (self->comparison, i);
  g_autofree char *rate = NULL, *memory = NULL;
  if (expected == NULL || tells_speed (self, i))
    return NULL;
  rate = urbarium_format_number (expected->images_per_s, expected->images_per_s < 10 ? 1 : 0);
  memory = urbarium_format_bytes (expected->bytes_most);
  if (i == URB_STRATEGY_SINGLE)
    return g_strdup_printf (expected->measured
                              /* translators: a speed; an amount of memory */
                              ? _ ("Expected: %s images/s, %s of memory")
                              /* translators: a speed; an amount of memory */
                              : _ ("Roughly: %s images/s, %s of memory"), rate, memory);
  if (i == URB_STRATEGY_MESH)
    {
      g_autofree char *mesh = urb_mesh_dup_text (&expected->mesh);
      return g_strdup_printf (expected->measured
                                /* translators: "data=2,pipe=2"; a speed; an amount of memory */
                                ? _ ("Expected with %s: %s images/s, at most %s of memory each")
                                /* translators: "data=2,pipe=2"; a speed; an amount of memory */
                                : _ ("Roughly, with %s: %s images/s, at most %s of memory each"),
                              mesh, rate, memory);
    }
  if (urb_strategy_is_pipeline (i))
    return g_strdup_printf (
      expected->measured
        /* translators: numbers of processes or threads and of microbatches; a speed; memory */
        ? _ ("Expected with %d ranks and %d microbatches: %s images/s, at most %s of memory each")
        /* translators: numbers of processes or threads and of microbatches; a speed; memory */
        : _ ("Roughly, with %d ranks and %d microbatches: %s images/s, at most %s of memory each"),
      expected->n_ranks, expected->accumulate, rate, memory);
  return g_strdup_printf (expected->measured
                            /* translators: a number of processes or threads; a speed; an amount of memory */
                            ? _ ("Expected with %d ranks: %s images/s, at most %s of memory each")
                            /* translators: a number of processes or threads; a speed; an amount of memory */
                            : _ ("Roughly, with %d ranks: %s images/s, at most %s of memory each"),
                          expected->n_ranks, rate, memory);
}

/* Whether the forecast rejects the settings. */
static gboolean
is_refused (UrbariumStrategyGroup *self)
{
  const UrbariumPlan *plan =
    self->forecast == NULL ? NULL : urbarium_forecast_get_plan (self->forecast);
  if (self->forecast != NULL && urbarium_forecast_get_error (self->forecast) != NULL)
    return TRUE;
  return plan != NULL && (exceeds_limit (self, plan) || plan->bytes_total > plan->bytes_available);
}

/* @why: (nullable) (transfer none): why it is unavailable */
static void
set_text (UrbariumStrategyGroup *self, guint i, const char *why)
{
  g_autofree char *forecast =
    self->forecast == NULL || i != self->strategy ? NULL : dup_forecast (self);
  g_autofree char *expected = why != NULL ? NULL : dup_expected (self, i);
  gboolean refused = i == self->strategy && why == NULL && is_refused (self);
  const char *more = why != NULL ? why : forecast;
  g_autofree char *known = g_strconcat (_ (urbarium_strategies[i].text),
                                        more == NULL ? NULL : "\n", more, NULL);
  g_autofree char *text = g_strconcat (known, expected == NULL ? NULL : "\n", expected, NULL);
  AdwActionRow *row = get_choice (self, i)->row;
  adw_action_row_set_subtitle (row, refused ? forecast : text);
  urbarium_message_mark (GTK_WIDGET (row), refused);
}

/* The button, and what is said while it measures. */
static void
update_measure (UrbariumStrategyGroup *self)
{
  UrbariumStrategyComparison *comparison = self->comparison;
  gboolean measuring = comparison != NULL && urbarium_strategy_comparison_is_measuring (comparison);
  const char *error = comparison == NULL ? NULL : urbarium_strategy_comparison_get_error (comparison);
  gtk_widget_set_visible (self->measure, self->comparison != NULL);
  gtk_button_set_label (GTK_BUTTON (self->measure), measuring ? _ ("Stop") : _ ("Measure"));
  adw_preferences_group_set_description (
    ADW_PREFERENCES_GROUP (self),
    measuring ? _ ("Measuring what the operations take on this machine…") : error);
}

/* Shows the plan of the chosen strategy below its settings. */
static void
update_memory (UrbariumStrategyGroup *self, const Choice *choice, gboolean chosen)
{
  const UrbariumPlan *plan = self->forecast == NULL || !chosen ? NULL : urbarium_forecast_get_plan (self->forecast);
  UrbariumRankMemory *memory
    = URBARIUM_RANK_MEMORY (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (choice->memory_row)));
  urbarium_rank_memory_set_plan (memory, plan);
  gtk_widget_set_visible (choice->memory_row, plan != NULL && plan->n_ranks > 0);
}

/* Updates the texts of available strategies, the badge, and the visible settings. */
static void
update (UrbariumStrategyGroup *self)
{
  UrbStrategy best = self->comparison == NULL
                       ? URB_STRATEGY_SINGLE
                       : urbarium_strategy_comparison_get_best (self->comparison);
  update_measure (self);
  for (guint i = 0; i < self->choices->len; i++)
    gtk_widget_set_visible (get_choice (self, i)->badge, i == best);
  for (guint i = 0; i < URB_N_STRATEGIES; i++)
    {
      const Choice *choice = get_choice (self, i);
      gboolean chosen = choice->available && i == self->strategy;
      if (choice->available)
        set_text (self, i, NULL);
      update_memory (self, choice, chosen);
      gtk_widget_set_visible (choice->more_row, chosen);
      for (int axis = 0; axis < URBARIUM_N_AXES && choice->axis_rows[axis] != NULL; axis++)
        gtk_widget_set_visible (choice->axis_rows[axis], chosen);
      if (choice->ranks_row == NULL)
        continue;
      gtk_widget_set_visible (choice->ranks_row, chosen);
      if (choice->switch_row != NULL)
        gtk_widget_set_visible (choice->switch_row,
                                chosen && (urb_strategy_is_asynchronous (i)
                                           || self->has_batch_norm));
    }
}

static void
emit_changed (UrbariumStrategyGroup *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

/* Shows the settings of @config that belong to the selected strategy. */
static void
show_more (UrbariumStrategyGroup *self, const UrbRunConfig *config)
{
  g_auto(UrbRunConfig) own = { 0 };
  Choice *choice = get_choice (self, self->strategy);
  urb_run_config_copy (&own, config);
  own.train.strategy = self->strategy;
  if (!choice->has_more)
    urbarium_strategy_rows_fill_more (choice->more_row, self->strategy, self->more);
  choice->has_more = TRUE;
  urbarium_setting_rows_set_config (self->more, &own, 0);
}

static void
choose (UrbariumStrategyGroup *self, UrbStrategy strategy)
{
  if (strategy == self->strategy)
    return;
  self->strategy = strategy;
  show_more (self, urbarium_setting_rows_get_config (self->more));
  gtk_check_button_set_active (get_choice (self, strategy)->check, TRUE);
  update (self);
  emit_changed (self);
}

static void
toggled_cb (UrbariumStrategyGroup *self, GtkCheckButton *check)
{
  for (guint i = 0; i < URB_N_STRATEGIES && gtk_check_button_get_active (check); i++)
    if (get_choice (self, i)->check == check)
      choose (self, i);
}

static void
n_ranks_cb (UrbariumStrategyGroup *self)
{
  self->n_wanted = (int) gtk_adjustment_get_value (self->n_ranks);
  emit_changed (self);
}

static void
measure_cb (UrbariumStrategyGroup *self)
{
  if (urbarium_strategy_comparison_is_measuring (self->comparison))
    urbarium_strategy_comparison_cancel (self->comparison);
  else
    urbarium_strategy_comparison_measure (self->comparison);
}

static UrbMesh
get_mesh (UrbariumStrategyGroup *self)
{
  return (UrbMesh) { (int) gtk_adjustment_get_value (self->axes[0]), (int) gtk_adjustment_get_value (self->axes[1]),
                     (int) gtk_adjustment_get_value (self->axes[2]) };
}

/* Does not emit "changed". */
static void
show_mesh (UrbariumStrategyGroup *self, const UrbMesh *mesh)
{
  const int sizes[URBARIUM_N_AXES] = { mesh->tensor, mesh->data, mesh->pipe };
  for (int axis = 0; axis < URBARIUM_N_AXES; axis++)
    {
      g_signal_handlers_block_by_func (self->axes[axis], emit_changed, self);
      gtk_adjustment_set_value (self->axes[axis], sizes[axis]);
      g_signal_handlers_unblock_by_func (self->axes[axis], emit_changed, self);
    }
}

/* Does not emit "changed", since n_wanted stays. */
static void
show_ranks (UrbariumStrategyGroup *self)
{
  g_signal_handlers_block_by_func (self->n_ranks, n_ranks_cb, self);
  gtk_adjustment_set_upper (self->n_ranks, MAX (self->n_local, self->n_slots));
  gtk_adjustment_set_value (self->n_ranks, self->n_wanted > 0 ? self->n_wanted : USUAL_RANKS);
  g_signal_handlers_unblock_by_func (self->n_ranks, n_ranks_cb, self);
}

/* Binds switches with the same meaning together. */
static void
add_switch (UrbariumStrategyGroup *self, UrbStrategy strategy, Choice *choice)
{
  GtkSwitch **first = urb_strategy_is_asynchronous (strategy) ? &self->stale_lr
                                                             : &self->sync_batch_norm;
  GtkSwitch *toggle;
  choice->switch_row = urbarium_strategy_rows_new_switch (strategy, &toggle);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), choice->switch_row);
  if (*first != NULL)
    {
      g_object_bind_property (*first, "active", toggle, "active", G_BINDING_BIDIRECTIONAL);
      return;
    }
  *first = toggle;
  g_signal_connect_object (toggle, "notify::active", G_CALLBACK (emit_changed), self,
                           G_CONNECT_SWAPPED);
}

static void
add_choice (UrbariumStrategyGroup *self, guint i)
{
  const UrbariumStrategy *strategy = &urbarium_strategies[i];
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *check = gtk_check_button_new ();
  Choice choice = { .row = ADW_ACTION_ROW (row), .check = GTK_CHECK_BUTTON (check),
                    .available = i == URB_STRATEGY_SINGLE };
  g_object_set (row, "use-markup", FALSE, "title", _ (strategy->title), "subtitle",
                _ (strategy->text), "subtitle-lines", 7, NULL);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (strategy->title), -1);
  if (i > 0)
    gtk_check_button_set_group (choice.check, get_choice (self, 0)->check);
  else
    gtk_check_button_set_active (choice.check, TRUE);
  g_signal_connect_object (check, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  adw_action_row_add_prefix (choice.row, urbarium_strategy_diagram_new (i));
  adw_action_row_add_prefix (choice.row, check);
  adw_action_row_set_activatable_widget (choice.row, check);
  gtk_widget_set_sensitive (row, choice.available);
  choice.badge = gtk_label_new (_ ("Recommended"));
  gtk_widget_add_css_class (choice.badge, "train-badge");
  gtk_widget_set_valign (choice.badge, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (choice.row, choice.badge);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
  for (int axis = 0; axis < URBARIUM_N_AXES && i == URB_STRATEGY_MESH; axis++)
    {
      choice.axis_rows[axis] = urbarium_strategy_rows_new_axis (axis, self->axes[axis]);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), choice.axis_rows[axis]);
    }
  if (i != URB_STRATEGY_SINGLE && i != URB_STRATEGY_MESH)
    {
      choice.ranks_row = urbarium_strategy_rows_new_ranks (i, self->n_ranks);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), choice.ranks_row);
      if (urb_strategy_is_asynchronous (i) || urb_strategy_has_replicas (i))
        add_switch (self, i, &choice);
    }
  choice.more_row = urbarium_strategy_rows_new_more (i);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), choice.more_row);
  choice.memory_row = urbarium_strategy_rows_new_memory ();
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), choice.memory_row);
  g_array_append_val (self->choices, choice);
}

/* Why it is unavailable: the engine's text, which has a translation. */
static const char *
get_why (const UrbariumDevices *devices, guint i)
{
  const char *why = devices->strategies_why == NULL
                      ? NULL
                      : g_hash_table_lookup (devices->strategies_why, urb_strategy_names[i]);
  return why != NULL ? _ (why) : _ ("Not in this version");
}

void
urbarium_strategy_group_set_devices (UrbariumStrategyGroup *self, const UrbariumDevices *devices,
                                     const UrbariumGpu *gpu)
{
  const char *const *reported = (const char *const *) devices->strategies;
  for (guint i = 0; i < self->choices->len; i++)
    {
      Choice *choice = get_choice (self, i);
      choice->available = urbarium_strategy_is_available (i, reported);
      gtk_widget_set_sensitive (GTK_WIDGET (choice->row), choice->available);
      set_text (self, i, choice->available ? NULL : get_why (devices, i));
      if (choice->ranks_row != NULL)
        urbarium_strategy_rows_set_on_gpu (choice->ranks_row, i, gpu != NULL);
    }
  self->known = TRUE;
  self->n_local = gpu != NULL ? MAX_GPU_RANKS : devices->n_cores;
  show_ranks (self);
  update (self);
  if (!get_choice (self, self->strategy)->available)
    choose (self, URB_STRATEGY_SINGLE);
}

void
urbarium_strategy_group_set_forecast (UrbariumStrategyGroup *self, UrbariumForecast *forecast)
{
  g_return_if_fail (self->forecast == NULL);
  self->forecast = g_object_ref (forecast);
  g_signal_connect_object (forecast, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

void
urbarium_strategy_group_set_comparison (UrbariumStrategyGroup *self,
                                        UrbariumStrategyComparison *comparison)
{
  g_return_if_fail (self->comparison == NULL);
  self->comparison = g_object_ref (comparison);
  g_signal_connect_object (comparison, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

void
urbarium_strategy_group_set_networks (UrbariumStrategyGroup *self, const UrbPreset *preset,
                                      const char *recipe)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbNet) g = urb_preset_build_generator (preset, 3, FALSE, NULL);
  g_autoptr(UrbNet) d = NULL;
  urb_train_options_init (&options);
  g_free (options.recipe);
  options.recipe = g_strdup (recipe);
  options.n_channels = 3;
  if (g != NULL && urb_recipe_resolve (&options, preset, options.n_channels, NULL))
    d = urb_preset_build_discriminator (preset, 3, urb_recipe_norms_discriminator (&options), NULL);
  self->has_batch_norm = d != NULL && (urb_net_has_batch_norm (g) || urb_net_has_batch_norm (d));
  update (self);
}

void
urbarium_strategy_group_set_config (UrbariumStrategyGroup *self, const UrbRunConfig *config)
{
  const UrbTrainOptions *options = &config->train;
  gboolean available = !self->known || get_choice (self, options->strategy)->available;
  UrbMesh mesh;
  choose (self, available ? options->strategy : URB_STRATEGY_SINGLE);
  if (options->strategy == URB_STRATEGY_MESH && urb_mesh_parse (options->mesh, &mesh, NULL))
    show_mesh (self, &mesh);
  else if (options->strategy != URB_STRATEGY_SINGLE)
    self->n_wanted = options->n_ranks;
  show_ranks (self);
  gtk_switch_set_active (self->stale_lr, options->stale_lr);
  gtk_switch_set_active (self->sync_batch_norm, options->sync_batch_norm);
  show_more (self, config);
  emit_changed (self);
}

void
urbarium_strategy_group_apply (UrbariumStrategyGroup *self, UrbRunConfig *config)
{
  UrbTrainOptions *options = &config->train;
  UrbMesh mesh = get_mesh (self);
  options->strategy = self->strategy;
  if (self->strategy == URB_STRATEGY_MESH)
    {
      g_free (options->mesh);
      options->mesh = urb_mesh_dup_text (&mesh);
      options->n_ranks = urb_mesh_count (&mesh, URB_ALL_AXES);
    }
  else if (self->strategy != URB_STRATEGY_SINGLE)
    options->n_ranks = (int) gtk_adjustment_get_value (self->n_ranks);
  if (urb_strategy_is_asynchronous (self->strategy))
    options->stale_lr = gtk_switch_get_active (self->stale_lr);
  if (urb_strategy_has_replicas (self->strategy) && self->has_batch_norm)
    options->sync_batch_norm = gtk_switch_get_active (self->sync_batch_norm);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    if (urbarium_strategy_rows_is_more (&urb_run_settings.rows[i], self->strategy))
      urb_setting_copy (&urb_run_settings.rows[i], config, urbarium_setting_rows_get_config (self->more));
}

UrbStrategy
urbarium_strategy_group_get_strategy (UrbariumStrategyGroup *self)
{
  return self->strategy;
}

const UrbRunConfig *
urbarium_strategy_group_get_config (UrbariumStrategyGroup *self)
{
  return urbarium_setting_rows_get_config (self->more);
}

void
urbarium_strategy_group_set_n_slots (UrbariumStrategyGroup *self, int n_slots)
{
  self->n_slots = MIN (n_slots, URB_MAX_RANKS);
  show_ranks (self);
}

void
urbarium_strategy_group_set_hosts (UrbariumStrategyGroup *self, const UrbRunConfig *config, int n_slots)
{
  int n_before = self->n_slots;
  self->n_slots = MIN (n_slots, URB_MAX_RANKS);
  if (self->n_slots > 0 && self->n_slots != n_before)
    self->n_wanted = self->n_slots;
  show_ranks (self);
  show_more (self, config);
  emit_changed (self);
}

void
urbarium_strategy_group_spread (UrbariumStrategyGroup *self, guint n_gpus, guint n_before)
{
  if (n_gpus < 2 && (self->strategy != URB_STRATEGY_DDP || n_before < 2 || self->n_wanted != (int) n_before))
    return;
  if (self->strategy == URB_STRATEGY_MESH || self->n_slots > 0)
    return; /* their ranks have another meaning */
  if (n_gpus > 1)
    self->n_wanted = (int) n_gpus;
  show_ranks (self);
  if (n_gpus < 2)
    choose (self, URB_STRATEGY_SINGLE);
  else if (!urb_strategy_is_synchronous (self->strategy))
    choose (self, URB_STRATEGY_DDP);
}

char *
urbarium_strategy_group_check (UrbariumStrategyGroup *self, const UrbTrainOptions *options)
{
  UrbMesh mesh = get_mesh (self);
  const char *problem = urbarium_setting_rows_get_problem (self->more);
  int n_ranks = self->strategy == URB_STRATEGY_MESH ? urb_mesh_count (&mesh, URB_AXES_SAMPLES)
                                                    : (int) gtk_adjustment_get_value (self->n_ranks);
  if (problem != NULL)
    return g_strdup (problem);
  return urbarium_strategy_check_batch (self->strategy, n_ranks, options);
}

static void
dispose (GObject *object)
{
  UrbariumStrategyGroup *self = URBARIUM_STRATEGY_GROUP (object);
  g_clear_object (&self->forecast);
  g_clear_object (&self->comparison);
  G_OBJECT_CLASS (urbarium_strategy_group_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumStrategyGroup *self = URBARIUM_STRATEGY_GROUP (object);
  g_array_unref (self->choices);
  g_object_unref (self->more);
  g_object_unref (self->n_ranks);
  for (int axis = 0; axis < URBARIUM_N_AXES; axis++)
    g_object_unref (self->axes[axis]);
  G_OBJECT_CLASS (urbarium_strategy_group_parent_class)->finalize (object);
}

static void
urbarium_strategy_group_class_init (UrbariumStrategyGroupClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
urbarium_strategy_group_init (UrbariumStrategyGroup *self)
{
  self->choices = g_array_new (FALSE, FALSE, sizeof (Choice));
  self->n_local = URB_MAX_RANKS;
  self->n_ranks = g_object_ref_sink (gtk_adjustment_new (USUAL_RANKS, 1, URB_MAX_RANKS, 1, 4, 0));
  g_signal_connect_object (self->n_ranks, "value-changed", G_CALLBACK (n_ranks_cb), self,
                           G_CONNECT_SWAPPED);
  for (int axis = 0; axis < URBARIUM_N_AXES; axis++)
    {
      self->axes[axis] = g_object_ref_sink (gtk_adjustment_new (1, 1, URB_MAX_RANKS, 1, 4, 0));
      g_signal_connect_object (self->axes[axis], "value-changed", G_CALLBACK (emit_changed), self, G_CONNECT_SWAPPED);
    }
  show_mesh (self, &(UrbMesh) { .tensor = 1, .data = USUAL_RANKS, .pipe = USUAL_RANKS });
  self->measure = gtk_button_new ();
  gtk_widget_add_css_class (self->measure, "flat");
  gtk_widget_set_tooltip_text (self->measure,
                               _ ("Measure for some seconds how fast each strategy is on this machine"));
  g_signal_connect_object (self->measure, "clicked", G_CALLBACK (measure_cb), self, G_CONNECT_SWAPPED);
  adw_preferences_group_set_header_suffix (ADW_PREFERENCES_GROUP (self), self->measure);
  self->more = urbarium_setting_rows_new (FALSE);
  g_signal_connect_object (self->more, "changed", G_CALLBACK (emit_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->more, "problem", G_CALLBACK (emit_changed), self, G_CONNECT_SWAPPED);
  for (guint i = 0; i < URB_N_STRATEGIES; i++)
    add_choice (self, i);
  show_more (self, urbarium_setting_rows_get_config (self->more));
  update (self);
}
