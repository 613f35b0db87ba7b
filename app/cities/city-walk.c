/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-walk.h"

#include <math.h>

#include "app/base/job-bar.h"
#include "app/base/play-button.h"
#include "app/base/ui-path.h"
#include "app/cities/city-export.h"
#include "app/cities/city-tile.h"
#include "app/cities/city-view.h"
#include "city/film.h"

/* The steps are small enough to look like motion; the strip shows every eighth city. */
enum { N_CITIES = 65, STRIP_EVERY = 8, FRAME_MS = 70 };

struct _UrbariumCityWalk
{
  AdwBin            parent_instance;
  GPtrArray        *cities; /* UrbariumCity, owned */
  UrbariumCitySource *source; /* (nullable) owned */
  gboolean          vectors;
  guint             play;   /* source */
  int               direction;

  GtkBox           *strip;
  UrbariumCityView *view;
  GtkAdjustment    *adjustment;
  GtkToggleButton  *play_button;
  UrbariumJobBar   *job_bar;
};

G_DEFINE_FINAL_TYPE (UrbariumCityWalk, urbarium_city_walk, ADW_TYPE_BIN)

enum
{
  PROP_VECTORS = 1,
  N_PROPS
};

UrbariumCity *
urbarium_city_walk_get_city (UrbariumCityWalk *self)
{
  guint position = (guint) rint (gtk_adjustment_get_value (self->adjustment));
  return position < self->cities->len ? self->cities->pdata[position] : NULL;
}

GPtrArray *
urbarium_city_walk_get_cities (UrbariumCityWalk *self)
{
  return self->cities;
}

static void
value_cb (UrbariumCityWalk *self)
{
  urbarium_city_view_set_city (self->view, urbarium_city_walk_get_city (self));
}

static gboolean
play_cb (gpointer data)
{
  UrbariumCityWalk *self = data;
  double position = rint (gtk_adjustment_get_value (self->adjustment));
  if (position >= N_CITIES - 1)
    self->direction = -1;
  if (position <= 0)
    self->direction = 1;
  gtk_adjustment_set_value (self->adjustment, position + self->direction);
  return G_SOURCE_CONTINUE;
}

static void
play_toggled_cb (UrbariumCityWalk *self)
{
  g_clear_handle_id (&self->play, g_source_remove);
  if (gtk_toggle_button_get_active (self->play_button))
    self->play = g_timeout_add (FRAME_MS, play_cb, self);
  urbarium_play_button_update (self->play_button);
}

static void
tile_clicked_cb (GtkButton *button, UrbariumCityWalk *self)
{
  gtk_toggle_button_set_active (self->play_button, FALSE);
  gtk_adjustment_set_value (
    self->adjustment, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "position")));
}

static void
clear_strip (UrbariumCityWalk *self)
{
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->strip))) != NULL)
    gtk_box_remove (self->strip, child);
}

static void
fill_strip (UrbariumCityWalk *self)
{
  clear_strip (self);
  for (guint i = 0; i < self->cities->len; i += STRIP_EVERY)
    {
      GtkWidget *button = gtk_button_new (), *tile = urbarium_city_tile_new ();
      g_autofree char *title = urbarium_city_dup_title (self->cities->pdata[i]);
      urbarium_city_tile_set_edge (URBARIUM_CITY_TILE (tile), 84);
      urbarium_city_tile_set_city (URBARIUM_CITY_TILE (tile), self->cities->pdata[i]);
      g_object_bind_property (self, "vectors", tile, "vectors", G_BINDING_SYNC_CREATE);
      gtk_button_set_child (GTK_BUTTON (button), tile);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_add_css_class (button, "city-strip");
      gtk_widget_set_tooltip_text (button, title);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                      -1);
      g_object_set_data (G_OBJECT (button), "position", GINT_TO_POINTER (i));
      g_signal_connect_object (button, "clicked", G_CALLBACK (tile_clicked_cb), self, 0);
      gtk_box_append (self->strip, button);
    }
}

/* As a film, or as its images where no film can be made. */
static void
film_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCityWalk *self = URBARIUM_CITY_WALK (widget);
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  if (self->source == NULL)
    return;
  /* The export outlives the walk. */
  for (guint i = 0; i < self->cities->len; i++)
    g_ptr_array_add (cities, g_object_ref (self->cities->pdata[i]));
  urbarium_city_export_ask (widget, self->source, cities, urb_film_can_write () ? "webm" : "png", self->job_bar);
}

void
urbarium_city_walk_start (UrbariumCityWalk *self, UrbariumCitySource *source, UrbariumCity *from,
                          UrbariumCity *to)
{
  g_return_if_fail (URBARIUM_IS_CITY_WALK (self));
  urbarium_city_walk_stop (self);
  for (int i = 0; i < N_CITIES; i++)
    {
      UrbariumCity *city = urbarium_city_new_between (urbarium_city_get_seed (from), i + 1,
                                                      urbarium_city_get_truncation (from),
                                                      (double) i / (N_CITIES - 1));
      urbarium_city_set_shares (city, urbarium_city_get_shares (from));
      g_ptr_array_add (self->cities, city);
    }
  g_set_object (&self->source, source);
  urbarium_city_source_walk (source, from, to, self->cities);
  gtk_adjustment_set_value (self->adjustment, 0);
  fill_strip (self);
  value_cb (self);
}

void
urbarium_city_walk_stop (UrbariumCityWalk *self)
{
  g_return_if_fail (URBARIUM_IS_CITY_WALK (self));
  gtk_toggle_button_set_active (self->play_button, FALSE);
  urbarium_city_view_set_city (self->view, NULL);
  clear_strip (self);
  g_ptr_array_set_size (self->cities, 0);
  g_clear_object (&self->source);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_VECTORS)
    g_value_set_boolean (value, URBARIUM_CITY_WALK (object)->vectors);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_VECTORS)
    URBARIUM_CITY_WALK (object)->vectors = g_value_get_boolean (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumCityWalk *self = URBARIUM_CITY_WALK (object);
  g_clear_handle_id (&self->play, g_source_remove);
  g_clear_object (&self->source);
  G_OBJECT_CLASS (urbarium_city_walk_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (URBARIUM_CITY_WALK (object)->cities);
  G_OBJECT_CLASS (urbarium_city_walk_parent_class)->finalize (object);
}

static void
urbarium_city_walk_class_init (UrbariumCityWalkClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  g_object_class_install_property (
    object_class, PROP_VECTORS,
    g_param_spec_boolean ("vectors", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  g_type_ensure (URBARIUM_TYPE_CITY_VIEW);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "city-walk.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityWalk, strip);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityWalk, view);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityWalk, adjustment);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityWalk, play_button);
  gtk_widget_class_bind_template_callback (widget_class, value_cb);
  gtk_widget_class_bind_template_callback (widget_class, play_toggled_cb);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityWalk, job_bar);
  gtk_widget_class_install_action (widget_class, "walk.film", NULL, film_action);
}

static void
urbarium_city_walk_init (UrbariumCityWalk *self)
{
  self->cities = g_ptr_array_new_with_free_func (g_object_unref);
  self->direction = 1;
  gtk_widget_init_template (GTK_WIDGET (self));
}
