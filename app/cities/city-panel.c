/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-panel.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/cities/city-tile.h"
#include "app/cities/latent-pad.h"
#include "app/cities/real-areas.h"
#include "app/cities/share-rows.h"
#include "app/plot/rose.h"
#include "city/copying.h"

typedef enum { SHARE, COUNT, AREA, LENGTH } Unit;

/* Titles for planners; the engine's own are meant for reports. */
static const struct { UrbMeasure measure; Unit unit; const char *title; } figures[] = {
  { URB_MEASURE_BUILDING_SHARE, SHARE, N_("Built-up share") },
  { URB_MEASURE_BUILDING_COUNT, COUNT, N_("Buildings") },
  { URB_MEASURE_FOOTPRINT_AREA, AREA, N_("Typical footprint") },
  { URB_MEASURE_BUILDING_SPACING, LENGTH, N_("Typical building spacing") },
  { URB_MEASURE_ROAD_SHARE, SHARE, N_("Road share") },
  { URB_MEASURE_ROAD_CONNECTIVITY, SHARE, N_("Roads in one network") },
  { URB_MEASURE_JUNCTIONS, COUNT, N_("Junctions") },
  { URB_MEASURE_DEAD_ENDS, COUNT, N_("Dead ends") },
  { URB_MEASURE_BLOCKS, COUNT, N_("Blocks") },
  { URB_MEASURE_OTHER_SHARE, SHARE, N_("Other") },
};

struct _UrbariumCityPanel
{
  AdwBin               parent_instance;
  UrbariumCitySource  *source; /* (nullable) owned */
  UrbariumCity        *city;   /* (nullable) owned */
  UrbariumRealAreas   *areas;  /* (nullable) owned */
  UrbariumJob         *job;    /* (nullable) owned; reads the areas */
  char                *failure; /* (nullable) owned: why the areas could not be read */
  UrbariumCity        *nearest; /* owned; stands for the nearest area in the tile */
  guint                generation;
  gboolean             comparing;
  gint64               directions; /* of turns, from 1 */

  AdwPreferencesGroup *title_group, *figures_group;
  UrbariumShareRows   *share_rows;
  UrbariumLatentPad   *pad;
  GtkLabel            *directions_label;
  UrbariumCityTile    *picture;
  GtkLabel            *verdict, *detail;
  GtkWidget           *verdict_icon;
  GtkProgressBar      *progress;
  UrbariumRose        *rose;
  GtkLabel            *values[G_N_ELEMENTS (figures)];
  AdwActionRow        *rows[G_N_ELEMENTS (figures)];
};

G_DEFINE_FINAL_TYPE (UrbariumCityPanel, urbarium_city_panel, ADW_TYPE_BIN)

static guint turned_signal;

static char *
format_figure (Unit unit, double value)
{
  if (isnan (value))
    return g_strdup ("–");
  switch (unit)
    {
    case SHARE: return urbarium_format_percent (value);
    case COUNT: return urbarium_format_number (value, 0);
    case AREA: return urbarium_format_area (exp2 (value));
    default: return urbarium_format_length (value);
    }
}

static void
show_figures (UrbariumCityPanel *self, const UrbariumComparison *comparison)
{
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_autofree char *value = format_figure (figures[i].unit,
                                              comparison->values[figures[i].measure]);
      g_autofree char *real = NULL;
      g_autofree char *text = NULL;
      if (self->areas != NULL)
        {
          real = format_figure (figures[i].unit,
                                urbarium_real_areas_get_median (self->areas, figures[i].measure));
          /* translators: Median of training areas: 21 % */
          text = g_strdup_printf (_ ("Median of training areas: %s"), real);
        }
      gtk_label_set_label (self->values[i], value);
      adw_action_row_set_subtitle (self->rows[i], text != NULL ? text : "");
    }
}

static void
show_nearest (UrbariumCityPanel *self, const UrbariumComparison *comparison)
{
  gboolean repeats = comparison->nearest.share >= URB_COPYING_ALONE_LIMIT;
  gboolean there = comparison->nearest_tile != NULL;
  g_autofree char *percent = urbarium_format_percent (comparison->nearest.share);
  g_autofree char *number = urbarium_format_count (comparison->nearest.index + 1);
  g_autofree char *text = NULL, *all = NULL;
  urbarium_city_set_tile (self->nearest, comparison->nearest_tile);
  gtk_widget_set_visible (GTK_WIDGET (self->picture), there);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->verdict_icon),
                                repeats ? "dialog-warning-symbolic" : "emblem-ok-symbolic");
  if (self->areas != NULL && comparison->nearest.index < 0)
    {
      gtk_label_set_label (self->verdict, _ ("Not a copy"));
      gtk_label_set_label (self->detail, _ ("No training area repeats any block of this city."));
      return;
    }
  if (!there)
    {
      gtk_label_set_label (self->verdict, _ ("No real area to compare with"));
      gtk_label_set_label (self->detail, self->failure != NULL ? self->failure : "");
      return;
    }
  gtk_label_set_label (self->verdict, repeats ? _ ("Repeats a real area")
                                              : _ ("Not a copy"));
  /* translators: number of an area, a share in percent */
  text = g_strdup_printf (_ ("Of all training areas, area %s is repeated most, in %s of the built or "
                             "paved ground of this city, turned, mirrored and shifted to fit."), number, percent);
  all = g_strconcat (text, " ", _ (urb_copying_alone_text), NULL);
  gtk_label_set_label (self->detail, all);
}

/* ------------------------------------------------------------------------ */
/* Comparing, in threads                                                     */

typedef struct
{
  UrbariumTile      *tile;  /* owned */
  UrbariumRealAreas *areas; /* (nullable) owned */
  guint              generation;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;
  urbarium_tile_unref (question->tile);
  g_clear_pointer (&question->areas, urbarium_real_areas_unref);
  g_free (question);
}

static void
compare_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  g_task_return_pointer (task, urbarium_comparison_new (question->tile, question->areas),
                         (GDestroyNotify) urbarium_comparison_free);
}

static void start_comparing (UrbariumCityPanel *self);

static void
compared_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumCityPanel *self = URBARIUM_CITY_PANEL (source);
  const Question *question = g_task_get_task_data (G_TASK (result));
  UrbariumComparison *comparison = g_task_propagate_pointer (G_TASK (result), NULL);
  if (question->generation == self->generation)
    {
      show_figures (self, comparison);
      urbarium_rose_set_weights (self->rose, comparison->rose,
                                 self->areas != NULL ? urbarium_real_areas_get_rose (self->areas)
                                                     : NULL,
                                 URBARIUM_ROSE_SECTORS);
      if (self->areas != NULL || self->failure != NULL)
        show_nearest (self, comparison);
    }
  urbarium_comparison_free (comparison);
  self->comparing = FALSE;
  if (question->generation != self->generation)
    start_comparing (self);
}

/* One at a time: the city may change with every movement of the pointer. */
static void
start_comparing (UrbariumCityPanel *self)
{
  g_autoptr(GTask) task = NULL;
  Question *question;
  if (self->comparing || self->city == NULL || urbarium_city_get_tile (self->city) == NULL)
    return;
  question = g_new0 (Question, 1);
  question->tile = urbarium_tile_ref (urbarium_city_get_tile (self->city));
  question->areas = self->areas != NULL ? urbarium_real_areas_ref (self->areas) : NULL;
  question->generation = self->generation;
  task = g_task_new (self, NULL, compared_cb, NULL);
  g_task_set_task_data (task, question, question_free);
  self->comparing = TRUE;
  g_task_run_in_thread (task, compare_thread);
}

static void
compare (UrbariumCityPanel *self)
{
  self->generation++;
  start_comparing (self);
}

static void
drop_job (UrbariumCityPanel *self)
{
  if (self->job == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->job, self);
  urbarium_job_cancel (self->job);
  g_clear_object (&self->job);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumCityPanel) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRealAreas) areas = urbarium_job_finish (URBARIUM_JOB (source), result, &error);
  if (URBARIUM_JOB (source) != self->job)
    return; /* for another dataset */
  drop_job (self);
  self->areas = g_steal_pointer (&areas);
  g_free (self->failure);
  self->failure = error != NULL ? g_strdup (error->message) : NULL;
  gtk_widget_set_visible (GTK_WIDGET (self->progress), FALSE);
  compare (self);
}

static void
progress_cb (UrbariumCityPanel *self)
{
  double fraction = 0;
  g_object_get (self->job, "fraction", &fraction, NULL);
  gtk_progress_bar_set_fraction (self->progress, CLAMP (fraction, 0, 1));
}

static void
load_areas (UrbariumCityPanel *self)
{
  const UrbariumCityModel *model
    = self->source != NULL ? urbarium_city_source_get_model (self->source) : NULL;
  if (model == NULL || self->areas != NULL || self->job != NULL || self->failure != NULL)
    return;
  self->job = urbarium_job_new (_ ("Reading the real areas"));
  gtk_label_set_label (self->verdict, _ ("Reading the real areas…"));
  gtk_label_set_label (self->detail, "");
  gtk_widget_set_visible (GTK_WIDGET (self->progress), TRUE);
  g_signal_connect_swapped (self->job, "notify::fraction", G_CALLBACK (progress_cb), self);
  urbarium_real_areas_load_async (model, self->job, loaded_cb, g_object_ref (self));
}

static void
opened_cb (UrbariumCityPanel *self)
{
  drop_job (self);
  g_clear_pointer (&self->areas, urbarium_real_areas_unref);
  g_clear_pointer (&self->failure, g_free);
  if (self->city != NULL)
    load_areas (self);
}

void
urbarium_city_panel_set_source (UrbariumCityPanel *self, UrbariumCitySource *source)
{
  g_return_if_fail (URBARIUM_IS_CITY_PANEL (self));
  if (self->source != NULL)
    g_signal_handlers_disconnect_by_data (self->source, self);
  g_set_object (&self->source, source);
  if (source != NULL)
    g_signal_connect_object (source, "opened", G_CALLBACK (opened_cb), self, G_CONNECT_SWAPPED);
}

/* What was asked for: "\nBuilt 30.0 %, Roads 12.0 %" */
static char *
dup_shares (UrbariumCity *city)
{
  const UrbariumShareWish *wish = urbarium_city_get_shares (city);
  GString *text = g_string_new (NULL);
  for (int i = 0; i < URBARIUM_N_SHARES; i++)
    if (wish->share[i] >= 0)
      {
        g_autofree char *percent = urbarium_format_percent (wish->share[i]);
        g_string_append (text, text->len == 0 ? "\n" : ", ");
        /* translators: a share that was asked for: Built: 30.0 % */
        g_string_append_printf (text, _ ("%s: %s"), _ (urbarium_share_titles[i]), percent);
      }
  return g_string_free (text, FALSE);
}

/* "\nVariation: 20 % right, 5 % down, directions 3"; "" in the middle */
static char *
dup_turn (UrbariumCity *city)
{
  g_autofree char *turn = urbarium_city_dup_turn_text (city), *text = NULL;
  if (turn == NULL)
    return g_strdup ("");
  /* translators: where it is: Variation: 20 % right, 5 % down, directions 3 */
  text = g_strdup_printf (_ ("Variation: %s"), turn);
  return g_strconcat ("\n", text, NULL);
}

static void
show_title (UrbariumCityPanel *self)
{
  g_autofree char *title = urbarium_city_dup_title (self->city);
  g_autofree char *truncation
    = urbarium_format_number (urbarium_city_get_truncation (self->city), 2);
  g_autofree char *seed
    = g_strdup_printf ("%" G_GINT64_FORMAT, urbarium_city_get_seed (self->city));
  /* translators: the parameters that reproduce a city */
  g_autofree char *text = g_strdup_printf (_ ("Seed %s, truncation %s"), seed, truncation);
  g_autofree char *turn = dup_turn (self->city), *shares = dup_shares (self->city);
  g_autofree char *all = g_strconcat (text, turn, shares, NULL);
  adw_preferences_group_set_title (self->title_group, title);
  adw_preferences_group_set_description (self->title_group, all);
}

static void
show_directions (UrbariumCityPanel *self)
{
  g_autofree char *number = urbarium_format_count (self->directions);
  /* translators: the number of a pair of directions in which a city can be varied: Directions 3 */
  g_autofree char *text = g_strdup_printf (_ ("Directions %s"), number);
  gtk_label_set_label (self->directions_label, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "city-panel.previous-directions", self->directions > 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "city-panel.next-directions", self->directions < URB_TURN_MAX_DIRECTIONS);
}

static void
show_turn (UrbariumCityPanel *self)
{
  const UrbTurn *turn = urbarium_city_get_turn (self->city);
  if (urbarium_city_is_turned (self->city))
    self->directions = turn->directions;
  show_directions (self);
  urbarium_latent_pad_set_point (self->pad, turn->x, turn->y);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "city-panel.middle", urbarium_city_is_turned (self->city));
}

UrbTurn
urbarium_city_panel_get_turn (UrbariumCityPanel *self)
{
  return (UrbTurn) { urbarium_latent_pad_get_x (self->pad), urbarium_latent_pad_get_y (self->pad), self->directions };
}

static void
moved_cb (UrbariumCityPanel *self)
{
  g_signal_emit (self, turned_signal, 0);
}

static void
middle_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCityPanel *self = URBARIUM_CITY_PANEL (widget);
  urbarium_latent_pad_set_point (self->pad, 0, 0);
  g_signal_emit (self, turned_signal, 0);
}

static void
directions_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCityPanel *self = URBARIUM_CITY_PANEL (widget);
  self->directions += g_str_equal (name, "city-panel.next-directions") ? 1 : -1;
  show_directions (self);
  g_signal_emit (self, turned_signal, 0);
}

void
urbarium_city_panel_set_city (UrbariumCityPanel *self, UrbariumCity *city)
{
  g_return_if_fail (URBARIUM_IS_CITY_PANEL (self));
  if (self->city == city)
    return;
  if (self->city != NULL)
    g_signal_handlers_disconnect_by_data (self->city, self);
  g_set_object (&self->city, city);
  if (city == NULL)
    {
      self->generation++;
      return;
    }
  g_signal_connect_object (city, "notify::drawn", G_CALLBACK (compare), self, G_CONNECT_SWAPPED);
  show_title (self);
  show_turn (self);
  load_areas (self);
  compare (self);
}

void
urbarium_city_panel_set_shares (UrbariumCityPanel *self, UrbariumShares *shares)
{
  g_object_set (self->share_rows, "shares", shares, NULL);
  g_object_bind_property (shares, "there", self->share_rows, "visible", G_BINDING_SYNC_CREATE);
}

void
urbarium_city_panel_set_vectors (UrbariumCityPanel *self, gboolean vectors)
{
  urbarium_city_tile_set_vectors (self->picture, vectors);
}

static void
dispose (GObject *object)
{
  UrbariumCityPanel *self = URBARIUM_CITY_PANEL (object);
  drop_job (self);
  g_clear_object (&self->source);
  g_clear_object (&self->city);
  G_OBJECT_CLASS (urbarium_city_panel_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumCityPanel *self = URBARIUM_CITY_PANEL (object);
  g_clear_pointer (&self->areas, urbarium_real_areas_unref);
  g_clear_object (&self->nearest);
  g_free (self->failure);
  G_OBJECT_CLASS (urbarium_city_panel_parent_class)->finalize (object);
}

static void
urbarium_city_panel_class_init (UrbariumCityPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  g_type_ensure (URBARIUM_TYPE_CITY_TILE);
  g_type_ensure (URBARIUM_TYPE_LATENT_PAD);
  g_type_ensure (URBARIUM_TYPE_ROSE);
  g_type_ensure (URBARIUM_TYPE_SHARE_ROWS);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "city-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, title_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, figures_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, share_rows);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, pad);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, directions_label);
  gtk_widget_class_bind_template_callback (widget_class, moved_cb);
  gtk_widget_class_install_action (widget_class, "city-panel.middle", NULL, middle_action);
  gtk_widget_class_install_action (widget_class, "city-panel.previous-directions", NULL, directions_action);
  gtk_widget_class_install_action (widget_class, "city-panel.next-directions", NULL, directions_action);
  turned_signal = g_signal_new ("turned", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, picture);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, verdict);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, detail);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, progress);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityPanel, rose);
}

static void
urbarium_city_panel_init (UrbariumCityPanel *self)
{
  self->directions = 1;
  gtk_widget_init_template (GTK_WIDGET (self));
  show_directions (self);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      GtkWidget *row = adw_action_row_new (), *value = gtk_label_new ("–");
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (figures[i].title));
      gtk_widget_add_css_class (value, "numeric");
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), value);
      adw_preferences_group_add (self->figures_group, row);
      self->rows[i] = ADW_ACTION_ROW (row);
      self->values[i] = GTK_LABEL (value);
    }
  /* A city of a walk has no star. */
  self->nearest = urbarium_city_new_between (0, 1, 1, 0);
  urbarium_city_tile_set_city (self->picture, self->nearest);
}
