/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening another checkpoint in the source redraws all cities.  The child process starts when the
 * page is first shown.
 */
#include "app/cities/cities-page-private.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/cities/city-export.h"
#include "app/cities/city-tile.h"
#include "app/plot/wrap-layout.h"

/* The gallery grows by a multiple of 2, 3, 4, 5 and 6, which fills all rows. */
enum { GROWTH = 120, MAX_CITIES = 1000000 };

enum { PROP_0, PROP_SHOW_PANEL, N_PROPS };

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (UrbariumCitiesPage, urbarium_cities_page, ADW_TYPE_BIN)

/* ------------------------------------------------------------------------ */
/* Content                                                                   */

static gboolean
shows (UrbariumCitiesPage *self, const char *name)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->content), name) == 0;
}

static void
update_star (UrbariumCitiesPage *self)
{
  gboolean favorite = self->city != NULL && urbarium_city_get_favorite (self->city);
  urbarium_city_tile_show_star (self->star_button, favorite);
  gtk_widget_set_tooltip_text (self->star_button, favorite ? _ ("Remove from favorites (S)")
                                                           : _ ("Add to favorites (S)"));
}

GPtrArray *
urbarium_cities_page_dup_chosen (UrbariumCitiesPage *self)
{
  GPtrArray *cities;
  UrbariumCity *one = shows (self, "city") ? self->city
                      : shows (self, "walk") ? urbarium_city_walk_get_city (self->walk)
                                             : NULL;
  if (shows (self, "views"))
    return urbarium_gallery_get_selection (self->gallery);
  cities = g_ptr_array_new_with_free_func (g_object_unref);
  if (one != NULL)
    g_ptr_array_add (cities, g_object_ref (one));
  return cities;
}

static gboolean
shows_realism (UrbariumCitiesPage *self)
{
  return shows (self, "views")
         && g_strcmp0 (adw_view_stack_get_visible_child_name (self->views), "realism") == 0;
}

/* A newer checkpoint must not replace cities that are viewed, selected or evaluated. */
static void
update_held (UrbariumCitiesPage *self)
{
  g_autoptr(GPtrArray) selection = urbarium_gallery_get_selection (self->gallery);
  gboolean busy = shows (self, "city") || shows (self, "walk") || shows_realism (self)
                  || selection->len > 0;
  urbarium_model_chooser_set_held (
    self->chooser, self->seen && (busy || !gtk_widget_get_mapped (GTK_WIDGET (self))));
}

static void
update_tools (UrbariumCitiesPage *self)
{
  gboolean city = shows (self, "city"), walk = shows (self, "walk"), views = shows (self, "views");
  gboolean realism = shows_realism (self), gallery = views && !realism;
  gboolean drawings = !shows (self, "empty") && !realism;
  g_autoptr(GPtrArray) chosen = urbarium_cities_page_dup_chosen (self);
  gtk_widget_set_visible (self->star_button, city);
  gtk_widget_set_visible (GTK_WIDGET (self->switcher),
                          views && g_list_model_get_n_items (G_LIST_MODEL (
                                     adw_view_stack_get_pages (self->views))) > 1);
  gtk_widget_set_visible (GTK_WIDGET (self->options), drawings);
  gtk_widget_set_sensitive (self->export_button, chosen->len > 0);
  gtk_stack_set_visible_child_name (self->panels, city ? "city" : "gallery");
  gtk_revealer_set_reveal_child (self->selection_bar, gallery && chosen->len > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.walk",
                                 gallery && chosen->len == 2
                                   && urbarium_city_can_walk (chosen->pdata[0], chosen->pdata[1]));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.place", chosen->len == 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.new-seed", !realism);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.back", city || walk);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.next", city);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.previous", city && self->position > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cities.star", city && self->city != NULL);
  update_star (self);
  update_held (self);
}

static void
show_content (UrbariumCitiesPage *self, const char *name)
{
  gtk_stack_set_visible_child_name (self->content, name);
  update_tools (self);
}

static void
update_content (UrbariumCitiesPage *self)
{
  gboolean only = gtk_switch_get_active (self->favorites_switch);
  gboolean none = only && g_list_model_get_n_items (G_LIST_MODEL (self->favorites)) == 0;
  gtk_stack_set_visible_child_name (self->gallery_stack, none ? "no-favorites" : "cities");
  if (self->checkpoint == NULL)
    show_content (self, "empty");
  else if (!shows (self, "city") && !shows (self, "walk"))
    show_content (self, "views");
}

static void
update_selection (UrbariumCitiesPage *self)
{
  g_autoptr(GPtrArray) cities = urbarium_gallery_get_selection (self->gallery);
  g_autofree char *count = urbarium_format_count (cities->len);
  g_autofree char *text
    /* translators: %s is a number of cities */
    = g_strdup_printf (ngettext ("%s city selected", "%s cities selected",
                                    cities->len), count);
  gtk_label_set_label (self->selection_label, text);
  update_tools (self);
}

/* Replaces the cities from position @first on by those of the seed, until there are @n. */
static void
set_cities (UrbariumCitiesPage *self, guint first, guint n)
{
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (self->cities));
  g_autoptr(GPtrArray) added = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = first; i < n; i++)
    {
      UrbariumCity *city = urbarium_city_options_make_city (self->options, (gint64) i + 1);
      urbarium_favorites_mark (self->favorites, city);
      g_ptr_array_add (added, city);
    }
  g_list_store_splice (self->cities, first, n_before - first, added->pdata, added->len);
}

static void
reset_cities (UrbariumCitiesPage *self)
{
  set_cities (self, 0, urbarium_city_source_get_model (self->source) != NULL ? GROWTH : 0);
  urbarium_gallery_unselect (self->gallery);
}

/* @n: at least so many */
static void
grow_cities (UrbariumCitiesPage *self, guint n)
{
  guint n_before = g_list_model_get_n_items (G_LIST_MODEL (self->cities));
  n = MAX (n_before + GROWTH, n);
  if (n <= MAX_CITIES)
    set_cities (self, n_before, n);
}

static void
favorites_only_cb (UrbariumCitiesPage *self)
{
  gboolean only = gtk_switch_get_active (self->favorites_switch);
  urbarium_gallery_set_model (self->gallery, only ? G_LIST_MODEL (self->favorites)
                                                  : G_LIST_MODEL (self->cities));
  update_content (self);
}

static void
end_reached_cb (UrbariumCitiesPage *self)
{
  if (!gtk_switch_get_active (self->favorites_switch)
      && g_list_model_get_n_items (G_LIST_MODEL (self->cities)) > 0)
    grow_cities (self, 0);
}

static void
favorites_changed_cb (UrbariumCitiesPage *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->cities));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr(UrbariumCity) city = g_list_model_get_item (G_LIST_MODEL (self->cities), i);
      urbarium_favorites_mark (self->favorites, city);
    }
  update_content (self);
}

static void
favorite_cb (UrbariumCitiesPage *self, UrbariumCity *city, gboolean favorite)
{
  urbarium_favorites_set (self->favorites, city, favorite);
}

/* ------------------------------------------------------------------------ */
/* One city, and a walk                                                      */

static void set_city (UrbariumCitiesPage *self, UrbariumCity *city, gboolean keep);

static void
turn_city (UrbariumCitiesPage *self)
{
  g_autoptr(UrbariumCity) turned = urbarium_city_copy (self->city);
  UrbTurn turn = urbarium_city_panel_get_turn (self->panel);
  urbarium_city_set_turn (turned, &turn);
  if (urbarium_city_equal (turned, self->city)) /* other directions, in the middle */
    return;
  urbarium_favorites_mark (self->favorites, turned);
  set_city (self, turned, TRUE);
  update_tools (self);
}

static void
show_drawn (UrbariumCitiesPage *self)
{
  urbarium_city_view_set_city (self->view, self->city);
  if (!self->turn_waits)
    return;
  self->turn_waits = FALSE;
  turn_city (self);
}

/* If each movement replaced a city that is not drawn yet, none would be seen until the pointer stops. */
static void
turned_cb (UrbariumCitiesPage *self)
{
  if (self->city == NULL)
    return;
  self->turn_waits = urbarium_city_get_tile (self->city) == NULL && urbarium_city_get_failure (self->city) == NULL;
  if (!self->turn_waits)
    turn_city (self);
}

/* @city: (nullable)
 * @keep: the view keeps the city before until this one is drawn */
static void
set_city (UrbariumCitiesPage *self, UrbariumCity *city, gboolean keep)
{
  g_autoptr(UrbariumCity) before = g_steal_pointer (&self->city);
  self->turn_waits = FALSE;
  if (before != NULL)
    g_signal_handlers_disconnect_by_data (before, self);
  if (city != NULL)
    {
      self->city = g_object_ref (city);
      g_object_connect (city, "swapped-signal::notify::favorite", update_star, self,
                        "swapped-signal::notify::drawn", show_drawn, self,
                        "swapped-signal::notify::failure", show_drawn, self, NULL);
      urbarium_city_source_want (self->source, city);
      urbarium_shares_set_wishes (urbarium_city_options_get_shares (self->options),
                                  urbarium_city_get_shares (city)); /* a favorite may have its own */
    }
  if (before != NULL)
    urbarium_city_source_unwant (self->source, before);
  if (!keep)
    urbarium_city_view_set_city (self->view, city);
  urbarium_city_panel_set_city (self->panel, city);
}

static void
opened_cb (UrbariumCitiesPage *self, UrbariumCity *city)
{
  GListModel *cities = urbarium_gallery_get_model (self->gallery);
  for (guint i = 0; i < g_list_model_get_n_items (cities); i++)
    {
      g_autoptr(UrbariumCity) item = g_list_model_get_item (cities, i);
      if (item == city)
        self->position = i;
    }
  set_city (self, city, FALSE);
  show_content (self, "city");
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
show_asked (UrbariumCitiesPage *self)
{
  g_autoptr(UrbariumCity) city = NULL;
  if (self->asked == 0 || urbarium_city_source_get_model (self->source) == NULL)
    return;
  gtk_switch_set_active (self->favorites_switch, FALSE);
  if (g_list_model_get_n_items (G_LIST_MODEL (self->cities)) < self->asked)
    grow_cities (self, (guint) self->asked);
  city = g_list_model_get_item (G_LIST_MODEL (self->cities), (guint) self->asked - 1);
  self->asked = 0;
  if (city != NULL)
    opened_cb (self, city);
}

static void
go_back (UrbariumCitiesPage *self)
{
  gboolean was_city = shows (self, "city");
  gboolean there = self->position
                   < g_list_model_get_n_items (urbarium_gallery_get_model (self->gallery));
  set_city (self, NULL, FALSE);
  urbarium_city_walk_stop (self->walk);
  show_content (self, self->checkpoint != NULL ? "views" : "empty");
  if (was_city && there)
    urbarium_gallery_show (self->gallery, self->position);
}

static void
back_action (GtkWidget *widget, const char *name, GVariant *param)
{
  go_back (URBARIUM_CITIES_PAGE (widget));
}

static void
show_neighbor (UrbariumCitiesPage *self, int change)
{
  GListModel *cities = urbarium_gallery_get_model (self->gallery);
  gint64 position = (gint64) self->position + change;
  g_autoptr(UrbariumCity) city = NULL;
  if (position >= (gint64) g_list_model_get_n_items (cities)
      && !gtk_switch_get_active (self->favorites_switch))
    grow_cities (self, (guint) position + 1);
  city = position >= 0 ? g_list_model_get_item (cities, (guint) position) : NULL;
  if (city == NULL)
    return;
  self->position = (guint) position;
  set_city (self, city, FALSE);
  update_tools (self);
}

static void
neighbor_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_neighbor (URBARIUM_CITIES_PAGE (widget), g_str_equal (name, "cities.next") ? 1 : -1);
}

static void
star_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  if (self->city != NULL)
    urbarium_favorites_set (self->favorites, self->city,
                            !urbarium_city_get_favorite (self->city));
}

/* A city that is shown follows the shares. */
static void
options_cb (UrbariumCitiesPage *self)
{
  g_autoptr(UrbariumCity) changed
    = self->city != NULL ? urbarium_city_options_change_city (self->options, self->city) : NULL;
  reset_cities (self);
  if (changed == NULL)
    return;
  urbarium_favorites_mark (self->favorites, changed);
  set_city (self, changed, TRUE);
  update_tools (self);
}

static void
walk_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  g_autoptr(GPtrArray) cities = urbarium_gallery_get_selection (self->gallery);
  if (cities->len != 2)
    return;
  urbarium_city_walk_start (self->walk, self->source, cities->pdata[0], cities->pdata[1]);
  show_content (self, "walk");
}

static void
vectors_cb (UrbariumCitiesPage *self)
{
  urbarium_city_panel_set_vectors (self->panel, gtk_toggle_button_get_active (self->vector_button));
}

/* ------------------------------------------------------------------------ */
/* The generator                                                             */

static void
open_checkpoint (UrbariumCitiesPage *self)
{
  if (self->seen)
    {
      urbarium_city_source_open (self->source, self->checkpoint);
      urbarium_realism_panel_set_checkpoint (self->realism, self->checkpoint, NULL);
    }
  update_content (self);
}

static void
chosen_cb (UrbariumCitiesPage *self, const char *checkpoint, const char *run)
{
  g_free (self->checkpoint);
  self->checkpoint = g_strdup (checkpoint);
  urbarium_favorites_set_run (self->favorites, run);
  urbarium_model_chooser_set_text (self->chooser, NULL);
  open_checkpoint (self);
}

/* After fewer images a generator is young: see the tables of docs/evaluation.md, of 16 images a step. */
#define FEW_IMAGES 100000

/* What the generator is. (transfer full) */
static char *
dup_model_text (const UrbariumCityModel *model)
{
  g_autofree char *size = urbarium_format_number (model->area_size_m, 0);
  g_autofree char *step = urbarium_format_count (model->step), *images = NULL, *more = NULL;
  g_autofree char *text
    /* translators: name of a preset, how long it was trained, edge of a city, edge of its image */
    = g_strdup_printf (_ ("Preset “%s” after %s steps: cities of %s m × %s m in %d × %d pixels"),
                       model->preset, step, size, size, model->size_px, model->size_px);
  if (model->images >= FEW_IMAGES)
    return g_steal_pointer (&text);
  images = urbarium_format_count (model->images);
  /* translators: a number of images */
  more = g_strdup_printf (_ ("Trained on %s images so far. Cities become clearly better up to about 400,000."), images);
  return g_strdup_printf ("%s\n\n%s", text, more);
}

static void
source_opened_cb (UrbariumCitiesPage *self)
{
  const UrbariumCityModel *model = urbarium_city_source_get_model (self->source);
  g_autofree char *text = dup_model_text (model);
  urbarium_model_chooser_set_text (self->chooser, text);
  urbarium_city_options_set_model (self->options, model);
  reset_cities (self);
  urbarium_favorites_renew (self->favorites);
  if (shows (self, "walk") || shows (self, "error"))
    go_back (self);
  show_asked (self);
  if (self->city != NULL) /* redraw the same seed and index with the new model */
    {
      g_autoptr(UrbariumCity) city = urbarium_city_options_change_city (self->options, self->city);
      if (city == NULL)
        city = urbarium_city_copy (self->city);
      urbarium_favorites_mark (self->favorites, city);
      set_city (self, city, FALSE);
    }
  update_content (self);
}

static void
source_failed_cb (UrbariumCitiesPage *self, const GError *error)
{
  g_autofree char *text = g_markup_escape_text (error->message, -1);
  set_city (self, NULL, FALSE);
  urbarium_city_walk_stop (self->walk);
  set_cities (self, 0, 0);
  adw_status_page_set_description (self->error_page, text);
  show_content (self, "error");
}

static void
source_restarted_cb (UrbariumCitiesPage *self, const GError *error)
{
  g_autofree char *text
    /* translators: %s is a sentence that says what happened */
    = g_strdup_printf (_ ("%s It was restarted."), error->message);
  urbarium_message_toast (GTK_WIDGET (self), text);
}

static void
favorites_failed_cb (UrbariumCitiesPage *self, const GError *error)
{
  urbarium_message_error (GTK_WIDGET (self), _ ("The favorites cannot be saved"), error);
}

static void
new_seed_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  gtk_switch_set_active (self->favorites_switch, FALSE);
  urbarium_city_options_renew_seed (self->options);
}

static void
unselect_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_gallery_unselect (URBARIUM_CITIES_PAGE (widget)->gallery);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_model_chooser_ask (URBARIUM_CITIES_PAGE (widget)->chooser);
}

static void
retry_action (GtkWidget *widget, const char *name, GVariant *param)
{
  open_checkpoint (URBARIUM_CITIES_PAGE (widget));
}

void
urbarium_cities_page_set_library (UrbariumCitiesPage *self, UrbariumRunLibrary *library)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  urbarium_model_chooser_set_library (self->chooser, library);
}

void
urbarium_cities_page_set_ground (UrbariumCitiesPage *self, UrbariumGround *ground)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  g_set_object (&self->ground, ground);
}

void
urbarium_cities_page_show_run (UrbariumCitiesPage *self, UrbariumRun *run)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  urbarium_model_chooser_show_run (self->chooser, run);
}

void
urbarium_cities_page_show_city (UrbariumCitiesPage *self, UrbariumRun *run, gint64 step, gint64 seed, gint64 index)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self) && index > 0 && index <= MAX_CITIES);
  urbarium_model_chooser_show_step (self->chooser, run, step);
  urbarium_city_options_set_seed (self->options, seed);
  self->asked = index;
  show_asked (self);
}

void
urbarium_cities_page_open (UrbariumCitiesPage *self, const char *checkpoint)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  urbarium_model_chooser_open (self->chooser, checkpoint);
}

void
urbarium_cities_page_bind_settings (UrbariumCitiesPage *self, GSettings *settings)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self) && self->settings == NULL);
  g_settings_bind (settings, "cities-vectors", self->vector_button, "active",
                   G_SETTINGS_BIND_DEFAULT);
  g_settings_bind (settings, "cities-tile-size", self->size_adjustment, "value",
                   G_SETTINGS_BIND_DEFAULT);
  urbarium_city_options_bind_settings (self->options, settings);
  adw_flap_set_reveal_flap (self->flap, g_settings_get_boolean (settings, "cities-show-panel"));
  self->settings = g_object_ref (settings);
}

/* A panel that folds because the window is narrow keeps its setting. */
static void
reveal_cb (UrbariumCitiesPage *self)
{
  if (self->settings != NULL && !adw_flap_get_folded (self->flap))
    g_settings_set_boolean (self->settings, "cities-show-panel",
                            adw_flap_get_reveal_flap (self->flap));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_SHOW_PANEL]);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOW_PANEL)
    g_value_set_boolean (value, adw_flap_get_reveal_flap (URBARIUM_CITIES_PAGE (object)->flap));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOW_PANEL)
    adw_flap_set_reveal_flap (URBARIUM_CITIES_PAGE (object)->flap, g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
map (GtkWidget *widget)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  gboolean first = !self->seen;
  GTK_WIDGET_CLASS (urbarium_cities_page_parent_class)->map (widget);
  self->seen = TRUE;
  if (first && self->checkpoint != NULL)
    open_checkpoint (self);
  update_held (self);
}

static void
unmap (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (urbarium_cities_page_parent_class)->unmap (widget);
  update_held (URBARIUM_CITIES_PAGE (widget));
}

static void
dispose (GObject *object)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (object);
  if (self->view != NULL)
    {
      set_city (self, NULL, FALSE);
      urbarium_city_panel_set_source (self->panel, NULL);
      urbarium_realism_panel_set_source (self->realism, NULL);
      urbarium_gallery_set_model (self->gallery, NULL);
      urbarium_gallery_set_source (self->gallery, NULL);
    }
  g_clear_object (&self->cities);
  g_clear_object (&self->favorites);
  g_clear_object (&self->source);
  g_clear_object (&self->settings);
  g_clear_object (&self->ground);
  g_clear_pointer (&self->checkpoint, g_free);
  G_OBJECT_CLASS (urbarium_cities_page_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, flap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, panels);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, gallery_stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, views);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, switcher);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, realism);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, error_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, chooser);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, gallery);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, view);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, panel);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, tools);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, walk);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, star_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, export_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, options);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, job_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, size_adjustment);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, favorites_switch);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, vector_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, spinner);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, selection_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, selection_label);
}

static void
urbarium_cities_page_class_init (UrbariumCitiesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  props[PROP_SHOW_PANEL] = g_param_spec_boolean (
    "show-panel", NULL, NULL, TRUE,
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, props);
  widget_class->map = map;
  widget_class->unmap = unmap;
  g_type_ensure (URBARIUM_TYPE_CITY_OPTIONS);
  g_type_ensure (URBARIUM_TYPE_CITY_PANEL);
  g_type_ensure (URBARIUM_TYPE_CITY_TOOLS);
  g_type_ensure (URBARIUM_TYPE_CITY_VIEW);
  g_type_ensure (URBARIUM_TYPE_CITY_WALK);
  g_type_ensure (URBARIUM_TYPE_GALLERY);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  g_type_ensure (URBARIUM_TYPE_MODEL_CHOOSER);
  g_type_ensure (URBARIUM_TYPE_REALISM_PANEL);
  g_type_ensure (URBARIUM_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "cities-page.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, end_reached_cb);
  gtk_widget_class_bind_template_callback (widget_class, favorite_cb);
  gtk_widget_class_bind_template_callback (widget_class, favorites_only_cb);
  gtk_widget_class_bind_template_callback (widget_class, opened_cb);
  gtk_widget_class_bind_template_callback (widget_class, options_cb);
  gtk_widget_class_bind_template_callback (widget_class, reveal_cb);
  gtk_widget_class_bind_template_callback (widget_class, turned_cb);
  gtk_widget_class_bind_template_callback (widget_class, update_selection);
  gtk_widget_class_bind_template_callback (widget_class, update_tools);
  gtk_widget_class_bind_template_callback (widget_class, vectors_cb);
  gtk_widget_class_install_action (widget_class, "cities.new-seed", NULL, new_seed_action);
  gtk_widget_class_install_action (widget_class, "cities.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "cities.retry", NULL, retry_action);
  gtk_widget_class_install_action (widget_class, "cities.unselect", NULL, unselect_action);
  gtk_widget_class_install_action (widget_class, "cities.back", NULL, back_action);
  urbarium_cities_page_install_windows (widget_class);
  gtk_widget_class_install_action (widget_class, "cities.next", NULL, neighbor_action);
  gtk_widget_class_install_action (widget_class, "cities.previous", NULL, neighbor_action);
  gtk_widget_class_install_action (widget_class, "cities.star", NULL, star_action);
  gtk_widget_class_install_action (widget_class, "cities.walk", NULL, walk_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_r, 0, "cities.new-seed", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_s, 0, "cities.star", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "cities.back", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, 0, "cities.previous", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Right, 0, "cities.next", NULL);
}

static void
urbarium_cities_page_init (UrbariumCitiesPage *self)
{
  self->source = urbarium_city_source_new ();
  self->favorites = urbarium_favorites_new (NULL);
  self->cities = g_list_store_new (URBARIUM_TYPE_CITY);
  gtk_widget_init_template (GTK_WIDGET (self));
  urbarium_city_export_set_menu (GTK_MENU_BUTTON (self->export_button), "cities.export", URBARIUM_EXPORT_ALL);
  urbarium_gallery_set_source (self->gallery, self->source);
  urbarium_gallery_set_model (self->gallery, G_LIST_MODEL (self->cities));
  urbarium_city_panel_set_source (self->panel, self->source);
  urbarium_city_panel_set_shares (self->panel, urbarium_city_options_get_shares (self->options));
  urbarium_realism_panel_set_source (self->realism, self->source);
  g_object_bind_property (self->source, "opening", self->spinner, "spinning",
                          G_BINDING_SYNC_CREATE);
  g_object_connect (self->source, "swapped-object-signal::opened", source_opened_cb, self,
                    "swapped-object-signal::failed", source_failed_cb, self,
                    "swapped-object-signal::restarted", source_restarted_cb, self, NULL);
  g_object_connect (self->favorites, "swapped-object-signal::items-changed",
                    favorites_changed_cb, self, "swapped-object-signal::failed",
                    favorites_failed_cb, self, NULL);
  update_content (self);
}
