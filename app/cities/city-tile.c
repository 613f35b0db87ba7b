/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-tile.h"

#include <glib/gi18n.h>

#include "dataset/plan-style.h"

struct _UrbariumCityTile
{
  GtkWidget     parent_instance;
  UrbariumCity *city;    /* (nullable) owned */
  gboolean      vectors;
  int           edge;
  GtkWidget    *star, *label; /* children */
};

G_DEFINE_FINAL_TYPE (UrbariumCityTile, urbarium_city_tile, GTK_TYPE_WIDGET)

enum
{
  PROP_VECTORS = 1,
  PROP_EDGE,
  N_PROPS
};

static GParamSpec *props[N_PROPS];
static guint toggled_signal;

void
urbarium_city_tile_show_star (GtkWidget *button, gboolean favorite)
{
  const char *text = favorite ? _ ("Remove from favorites") : _ ("Add to favorites");
  gtk_button_set_icon_name (GTK_BUTTON (button),
                            favorite ? "starred-symbolic" : "non-starred-symbolic");
  gtk_widget_set_tooltip_text (button, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void
update_star (UrbariumCityTile *self)
{
  gboolean favorite = self->city != NULL && urbarium_city_get_favorite (self->city);
  urbarium_city_tile_show_star (self->star, favorite);
  if (favorite)
    gtk_widget_add_css_class (GTK_WIDGET (self), "favorite");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "favorite");
  gtk_widget_set_visible (self->star,
                          self->city != NULL && !urbarium_city_is_between (self->city));
}

static void
star_cb (UrbariumCityTile *self)
{
  if (self->city != NULL)
    g_signal_emit (self, toggled_signal, 0, self->city, !urbarium_city_get_favorite (self->city));
}

/* A variation is told from others of the same city by its second line. */
static char *
dup_caption (UrbariumCity *city)
{
  g_autofree char *title = urbarium_city_dup_title (city), *turn = urbarium_city_dup_turn_text (city);
  return turn != NULL ? g_strjoin ("\n", title, turn, NULL) : g_steal_pointer (&title);
}

static void
update_texts (UrbariumCityTile *self)
{
  g_autofree char *caption = self->city != NULL ? dup_caption (self->city) : g_strdup ("");
  const char *failure = self->city != NULL ? urbarium_city_get_failure (self->city) : NULL;
  gtk_label_set_label (GTK_LABEL (self->label), caption);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), failure);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, caption, -1);
}

void
urbarium_city_tile_set_city (UrbariumCityTile *self, UrbariumCity *city)
{
  g_return_if_fail (URBARIUM_IS_CITY_TILE (self));
  if (self->city == city)
    return;
  if (self->city != NULL)
    g_signal_handlers_disconnect_by_data (self->city, self);
  g_set_object (&self->city, city);
  if (city != NULL)
    g_object_connect (city, "swapped-object-signal::notify::drawn", gtk_widget_queue_draw, self,
                      "swapped-object-signal::notify::raster", gtk_widget_queue_draw, self,
                      "swapped-object-signal::notify::vector", gtk_widget_queue_draw, self,
                      "swapped-object-signal::notify::failure", update_texts, self,
                      "swapped-object-signal::notify::failure", gtk_widget_queue_draw, self,
                      "swapped-object-signal::notify::favorite", update_star, self, NULL);
  update_star (self);
  update_texts (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

UrbariumCity *
urbarium_city_tile_get_city (UrbariumCityTile *self)
{
  return self->city;
}

void
urbarium_city_tile_set_vectors (UrbariumCityTile *self, gboolean vectors)
{
  if (self->vectors == vectors)
    return;
  self->vectors = vectors;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_VECTORS]);
}

void
urbarium_city_tile_set_edge (UrbariumCityTile *self, int edge)
{
  if (self->edge == edge)
    return;
  self->edge = edge;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_EDGE]);
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* Always square. */
static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  UrbariumCityTile *self = URBARIUM_CITY_TILE (widget);
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL && for_size > self->edge
                          ? for_size
                          : self->edge;
}

static void
size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  UrbariumCityTile *self = URBARIUM_CITY_TILE (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkRequisition size;
  GtkAllocation box;
  gtk_widget_get_preferred_size (self->star, &size, NULL);
  box = (GtkAllocation) { rtl ? 6 : width - size.width - 6, 6, size.width, size.height };
  if (gtk_widget_get_visible (self->star))
    gtk_widget_size_allocate (self->star, &box, -1);
  gtk_widget_measure (self->label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &size.width, NULL, NULL);
  size.width = MIN (size.width, width - 12);
  gtk_widget_measure (self->label, GTK_ORIENTATION_VERTICAL, size.width, NULL, &size.height, NULL, NULL);
  box = (GtkAllocation) { rtl ? width - size.width - 6 : 6, height - size.height - 6, size.width,
                          size.height };
  gtk_widget_size_allocate (self->label, &box, -1);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumCityTile *self = URBARIUM_CITY_TILE (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  GdkPaintable *picture = NULL;
  UrbColor paper = URB_COLOR_OTHER;
  graphene_rect_t box = GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height);
  GskRoundedRect round;
  if (self->city != NULL)
    {
      picture = self->vectors ? urbarium_city_get_vector (self->city)
                              : urbarium_city_get_raster (self->city);
      if (picture == NULL && self->vectors) /* the plan takes longer to paint */
        picture = urbarium_city_get_raster (self->city);
    }
  gsk_rounded_rect_init_from_rect (&round, &box, 6);
  gtk_snapshot_push_rounded_clip (snapshot, &round);
  if (picture != NULL)
    gdk_paintable_snapshot (picture, snapshot, width, height);
  else
    {
      GdkRGBA color = { paper.r / 255.f, paper.g / 255.f, paper.b / 255.f, 0.25f };
      gtk_snapshot_append_color (snapshot, &color, &box);
    }
  gtk_snapshot_pop (snapshot);
  gtk_widget_snapshot_child (widget, self->label, snapshot);
  gtk_widget_snapshot_child (widget, self->star, snapshot);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumCityTile *self = URBARIUM_CITY_TILE (object);
  if (id == PROP_VECTORS)
    g_value_set_boolean (value, self->vectors);
  else if (id == PROP_EDGE)
    g_value_set_int (value, self->edge);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumCityTile *self = URBARIUM_CITY_TILE (object);
  if (id == PROP_VECTORS)
    urbarium_city_tile_set_vectors (self, g_value_get_boolean (value));
  else if (id == PROP_EDGE)
    urbarium_city_tile_set_edge (self, g_value_get_int (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumCityTile *self = URBARIUM_CITY_TILE (object);
  g_clear_object (&self->city);
  g_clear_pointer (&self->star, gtk_widget_unparent);
  g_clear_pointer (&self->label, gtk_widget_unparent);
  G_OBJECT_CLASS (urbarium_city_tile_parent_class)->dispose (object);
}

static void
urbarium_city_tile_class_init (UrbariumCityTileClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  widget_class->get_request_mode = get_request_mode;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot;
  props[PROP_VECTORS] = g_param_spec_boolean ("vectors", NULL, NULL, FALSE, flags);
  props[PROP_EDGE] = g_param_spec_int ("edge", NULL, NULL, 1, 4096, 180, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  toggled_signal = g_signal_new ("favorite-toggled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                 0, NULL, NULL, NULL, G_TYPE_NONE, 2, URBARIUM_TYPE_CITY,
                                 G_TYPE_BOOLEAN);
  gtk_widget_class_set_css_name (widget_class, "citytile");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
urbarium_city_tile_init (UrbariumCityTile *self)
{
  static const char *const label_classes[] = { "caption", "city-caption", NULL };
  static const char *const star_classes[] = { "circular", "osd", "city-star", NULL };
  self->edge = 180;
  self->label = g_object_new (GTK_TYPE_LABEL, "ellipsize", PANGO_ELLIPSIZE_END, "lines", 3, "wrap", TRUE, "xalign", 0.0,
                              "can-target", FALSE,
                              "css-classes", label_classes, NULL);
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  self->star = g_object_new (GTK_TYPE_BUTTON, "css-classes", star_classes, NULL);
  gtk_widget_set_parent (self->star, GTK_WIDGET (self));
  g_signal_connect_object (self->star, "clicked", G_CALLBACK (star_cb), self, G_CONNECT_SWAPPED);
  update_star (self);
}

GtkWidget *
urbarium_city_tile_new (void)
{
  return g_object_new (URBARIUM_TYPE_CITY_TILE, NULL);
}
