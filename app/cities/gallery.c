/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GtkGridView binds tiles far outside the visible rows.  After each scroll, the tiles in sight
 * and half a page around are found by position, and only their cities are requested.
 */
#include "app/cities/gallery.h"

#include "app/base/ui-path.h"
#include "app/cities/city-tile.h"

enum { TILE_GAP = 12 }; /* as in style.css */

struct _UrbariumGallery
{
  AdwBin              parent_instance;
  UrbariumCitySource *source;    /* (nullable) owned */
  GtkMultiSelection  *selection; /* owned */
  gboolean            vectors;
  int                 tile_size;
  GPtrArray          *tiles;     /* bound UrbariumCityTile, borrowed */
  GHashTable         *wanted;    /* UrbariumCity, owned; a set */
  guint               update;    /* tick callback */
  int                 n_updates; /* remaining */

  GtkScrolledWindow  *scroller;
  GtkGridView        *grid;
};

G_DEFINE_FINAL_TYPE (UrbariumGallery, urbarium_gallery, ADW_TYPE_BIN)

enum
{
  PROP_VECTORS = 1,
  PROP_TILE_SIZE,
  N_PROPS
};

enum { OPENED, END_REACHED, SELECTION_CHANGED, FAVORITE_TOGGLED, N_SIGNALS };

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

/* ------------------------------------------------------------------------ */
/* Visible cities                                                            */

static gboolean
is_in_sight (UrbariumGallery *self, GtkWidget *tile)
{
  float height = (float) gtk_widget_get_height (GTK_WIDGET (self->scroller));
  graphene_rect_t bounds;
  return gtk_widget_get_mapped (tile)
         && gtk_widget_compute_bounds (tile, GTK_WIDGET (self->scroller), &bounds)
         && bounds.size.height > 0 && bounds.origin.y < 1.5f * height
         && bounds.origin.y + bounds.size.height > -0.5f * height;
}

static void
unwant (UrbariumGallery *self, UrbariumCity *city)
{
  if (self->source != NULL)
    urbarium_city_source_unwant (self->source, city);
}

static gint
compare_cities (gconstpointer a, gconstpointer b)
{
  gint64 x = urbarium_city_get_index (*(UrbariumCity *const *) a);
  gint64 y = urbarium_city_get_index (*(UrbariumCity *const *) b);
  return (x > y) - (x < y);
}

static void
update_wanted (UrbariumGallery *self)
{
  g_autoptr(GHashTable) before = g_steal_pointer (&self->wanted);
  g_autoptr(GPtrArray) new_ones = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer city;
  self->wanted = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  for (guint i = 0; i < self->tiles->len && self->source != NULL; i++)
    {
      city = urbarium_city_tile_get_city (self->tiles->pdata[i]);
      if (city == NULL || !is_in_sight (self, self->tiles->pdata[i]))
        continue;
      if (g_hash_table_add (self->wanted, g_object_ref (city))
          && !g_hash_table_contains (before, city))
        g_ptr_array_add (new_ones, city);
    }
  /* Withdraw old requests first, so that new cities are drawn at once. */
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &city, NULL))
    if (!g_hash_table_contains (self->wanted, city))
      unwant (self, city);
  g_ptr_array_sort (new_ones, compare_cities);
  for (guint i = 0; i < new_ones->len; i++)
    urbarium_city_source_want (self->source, new_ones->pdata[i]);
}

static gboolean
update_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  UrbariumGallery *self = URBARIUM_GALLERY (widget);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  double page = gtk_adjustment_get_page_size (adjustment);
  int width = gtk_widget_get_width (GTK_WIDGET (self->scroller));
  /* No more columns than fit: the grid creates tiles for 30 rows of its maximum. */
  guint n_columns = (guint) CLAMP (width / (self->tile_size + TILE_GAP), 1, 24);
  if (gtk_grid_view_get_max_columns (self->grid) != n_columns)
    gtk_grid_view_set_max_columns (self->grid, n_columns);
  update_wanted (self);
  if (page > 0 && gtk_adjustment_get_value (adjustment) + 3 * page
                    >= gtk_adjustment_get_upper (adjustment))
    g_signal_emit (self, signals[END_REACHED], 0);
  if (--self->n_updates > 0)
    return G_SOURCE_CONTINUE;
  self->update = 0;
  return G_SOURCE_REMOVE;
}

/* Runs in the next three frames: tiles are placed after the first. */
static void
queue_update (UrbariumGallery *self)
{
  self->n_updates = 3;
  if (self->update == 0)
    self->update = gtk_widget_add_tick_callback (GTK_WIDGET (self), update_cb, NULL, NULL);
}

static void
unmap (GtkWidget *widget)
{
  UrbariumGallery *self = URBARIUM_GALLERY (widget);
  GTK_WIDGET_CLASS (urbarium_gallery_parent_class)->unmap (widget);
  update_wanted (self); /* withdraws all requests */
}

static void
map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (urbarium_gallery_parent_class)->map (widget);
  queue_update (URBARIUM_GALLERY (widget));
}

/* ------------------------------------------------------------------------ */
/* Tiles                                                                     */

static void
favorite_cb (UrbariumGallery *self, UrbariumCity *city, gboolean favorite)
{
  g_signal_emit (self, signals[FAVORITE_TOGGLED], 0, city, favorite);
}

/* Before the grid's own gestures: with rubber bands, these take many a double click for something else. */
static void
pressed_cb (GtkGestureClick *click, int n_press, double x, double y, UrbariumGallery *self)
{
  GtkWidget *tile = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (click));
  GtkWidget *at = gtk_widget_pick (tile, x, y, GTK_PICK_DEFAULT);
  UrbariumCity *city = urbarium_city_tile_get_city (URBARIUM_CITY_TILE (tile));
  if (n_press != 2 || city == NULL || (at != NULL && gtk_widget_get_ancestor (at, GTK_TYPE_BUTTON) != NULL))
    return;
  gtk_gesture_set_state (GTK_GESTURE (click), GTK_EVENT_SEQUENCE_CLAIMED);
  g_signal_emit (self, signals[OPENED], 0, city);
}

static void
setup_cb (UrbariumGallery *self, GtkListItem *item)
{
  GtkWidget *tile = urbarium_city_tile_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  g_signal_connect_object (click, "pressed", G_CALLBACK (pressed_cb), self, 0);
  gtk_widget_add_controller (tile, GTK_EVENT_CONTROLLER (click));
  g_object_bind_property (self, "vectors", tile, "vectors", G_BINDING_SYNC_CREATE);
  g_object_bind_property (self, "tile-size", tile, "edge", G_BINDING_SYNC_CREATE);
  g_signal_connect_object (tile, "favorite-toggled", G_CALLBACK (favorite_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_list_item_set_child (item, tile);
}

static void
bind_cb (UrbariumGallery *self, GtkListItem *item)
{
  UrbariumCityTile *tile = URBARIUM_CITY_TILE (gtk_list_item_get_child (item));
  urbarium_city_tile_set_city (tile, gtk_list_item_get_item (item));
  g_ptr_array_add (self->tiles, tile);
  queue_update (self);
}

static void
unbind_cb (UrbariumGallery *self, GtkListItem *item)
{
  UrbariumCityTile *tile = URBARIUM_CITY_TILE (gtk_list_item_get_child (item));
  urbarium_city_tile_set_city (tile, NULL);
  g_ptr_array_remove_fast (self->tiles, tile);
  queue_update (self);
}

static void
activate_cb (UrbariumGallery *self, guint position)
{
  g_autoptr(UrbariumCity) city
    = g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  if (city != NULL)
    g_signal_emit (self, signals[OPENED], 0, city);
}

static void
selection_changed_cb (UrbariumGallery *self)
{
  g_signal_emit (self, signals[SELECTION_CHANGED], 0);
}

void
urbarium_gallery_set_source (UrbariumGallery *self, UrbariumCitySource *source)
{
  g_return_if_fail (URBARIUM_IS_GALLERY (self));
  g_set_object (&self->source, source);
  queue_update (self);
}

void
urbarium_gallery_set_model (UrbariumGallery *self, GListModel *cities)
{
  g_return_if_fail (URBARIUM_IS_GALLERY (self));
  if (gtk_multi_selection_get_model (self->selection) == cities)
    return;
  gtk_multi_selection_set_model (self->selection, cities);
  selection_changed_cb (self);
}

GListModel *
urbarium_gallery_get_model (UrbariumGallery *self)
{
  return G_LIST_MODEL (self->selection);
}

GPtrArray *
urbarium_gallery_get_selection (UrbariumGallery *self)
{
  g_autoptr(GtkBitset) set = gtk_selection_model_get_selection (GTK_SELECTION_MODEL (self->selection));
  GPtrArray *cities = g_ptr_array_new_with_free_func (g_object_unref);
  GtkBitsetIter iter;
  guint position;
  for (gboolean more = gtk_bitset_iter_init_first (&iter, set, &position); more;
       more = gtk_bitset_iter_next (&iter, &position))
    g_ptr_array_add (cities, g_list_model_get_item (G_LIST_MODEL (self->selection), position));
  return cities;
}

void
urbarium_gallery_unselect (UrbariumGallery *self)
{
  gtk_selection_model_unselect_all (GTK_SELECTION_MODEL (self->selection));
}

void
urbarium_gallery_show (UrbariumGallery *self, guint position)
{
  gtk_selection_model_select_item (GTK_SELECTION_MODEL (self->selection), position, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->grid));
  gtk_widget_activate_action (GTK_WIDGET (self->grid), "list.scroll-to-item", "u", position);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumGallery *self = URBARIUM_GALLERY (object);
  if (id == PROP_VECTORS)
    g_value_set_boolean (value, self->vectors);
  else if (id == PROP_TILE_SIZE)
    g_value_set_int (value, self->tile_size);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumGallery *self = URBARIUM_GALLERY (object);
  if (id == PROP_VECTORS)
    self->vectors = g_value_get_boolean (value);
  else if (id == PROP_TILE_SIZE)
    self->tile_size = g_value_get_int (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  queue_update (self);
}

static void
dispose (GObject *object)
{
  UrbariumGallery *self = URBARIUM_GALLERY (object);
  GHashTableIter iter;
  gpointer city;
  if (self->wanted != NULL)
    {
      g_hash_table_iter_init (&iter, self->wanted);
      while (g_hash_table_iter_next (&iter, &city, NULL))
        unwant (self, city);
      g_hash_table_remove_all (self->wanted);
    }
  g_clear_object (&self->source);
  if (self->update != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->update);
  self->update = 0;
  G_OBJECT_CLASS (urbarium_gallery_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumGallery *self = URBARIUM_GALLERY (object);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->wanted, g_hash_table_unref);
  g_clear_pointer (&self->tiles, g_ptr_array_unref);
  G_OBJECT_CLASS (urbarium_gallery_parent_class)->finalize (object);
}

static void
urbarium_gallery_class_init (UrbariumGalleryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  GType type = G_TYPE_FROM_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  widget_class->map = map;
  widget_class->unmap = unmap;
  props[PROP_VECTORS] = g_param_spec_boolean ("vectors", NULL, NULL, FALSE, flags);
  props[PROP_TILE_SIZE] = g_param_spec_int ("tile-size", NULL, NULL, 64, 1024, 180, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[OPENED] = g_signal_new ("opened", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, URBARIUM_TYPE_CITY);
  signals[END_REACHED] = g_signal_new ("end-reached", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 0);
  signals[SELECTION_CHANGED] = g_signal_new ("selection-changed", type, G_SIGNAL_RUN_LAST, 0, NULL,
                                             NULL, NULL, G_TYPE_NONE, 0);
  signals[FAVORITE_TOGGLED] = g_signal_new ("favorite-toggled", type, G_SIGNAL_RUN_LAST, 0, NULL,
                                             NULL, NULL, G_TYPE_NONE, 2, URBARIUM_TYPE_CITY,
                                             G_TYPE_BOOLEAN);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "gallery.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumGallery, scroller);
  gtk_widget_class_bind_template_child (widget_class, UrbariumGallery, grid);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, setup_cb);
  gtk_widget_class_bind_template_callback (widget_class, bind_cb);
  gtk_widget_class_bind_template_callback (widget_class, unbind_cb);
}

static void
urbarium_gallery_init (UrbariumGallery *self)
{
  GtkAdjustment *adjustment;
  self->tile_size = 180;
  self->tiles = g_ptr_array_new ();
  self->wanted = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  self->selection = gtk_multi_selection_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_grid_view_set_model (self->grid, GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->selection, "selection-changed",
                           G_CALLBACK (selection_changed_cb), self, G_CONNECT_SWAPPED);
  adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_object_connect (adjustment, "swapped-object-signal::value-changed", queue_update, self,
                    "swapped-object-signal::changed", queue_update, self, NULL);
}

