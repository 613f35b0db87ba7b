/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/area-tile.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/canvas/palette.h"

enum { EDGE_PX = 96, STRIPE_PX = 3, RADIUS_PX = 4, MARK_PX = 9 };

struct _UrbariumAreaTile
{
  GtkWidget           parent_instance;
  UrbariumTileSource *source;  /* owned */
  UrbariumAreaItem   *item;    /* owned; nullable */
  GdkTexture         *texture; /* owned; nullable */
};

G_DEFINE_FINAL_TYPE (UrbariumAreaTile, urbarium_area_tile, GTK_TYPE_WIDGET)

char *
urbarium_area_describe (const UrbRankedArea *area, const UrbariumTile *tile)
{
  g_autofree char *variance = urbarium_format_number (area->variance, 2);
  static const char *const splits[URB_N_SPLITS] = {
    [URB_SPLIT_TRAIN] = N_ ("For training, variance %s"), /* translators: %s is a number: 0.52 */
    [URB_SPLIT_TEST] = N_ ("For testing, variance %s"),
    [URB_SPLIT_VALIDATION] = N_ ("For validation, variance %s"),
  };
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, _ (splits[area->split]), variance);
  if (area->forced)
    g_string_append_printf (text, ", %s", _ ("added by hand"));
  if (tile != NULL)
    {
      g_autofree char *building = urbarium_format_percent (tile->share[0]);
      g_autofree char *road = urbarium_format_percent (tile->share[1]);
      g_autofree char *other = urbarium_format_percent (tile->share[2]);
      g_string_append_c (text, '\n');
      /* translators: shares of an area: percentages */
      g_string_append_printf (text, _ ("Buildings %s, roads %s, other %s"), building, road, other);
    }
  return g_string_free (text, FALSE);
}

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumAreaTile *self = URBARIUM_AREA_TILE (widget);
  float edge = (float) MIN (gtk_widget_get_width (widget), gtk_widget_get_height (widget));
  float left = ((float) gtk_widget_get_width (widget) - edge) / 2;
  float top = ((float) gtk_widget_get_height (widget) - edge) / 2;
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (left, top, edge, edge);
  const UrbRankedArea *area;
  GdkRGBA color, placeholder;
  GskRoundedRect clip;
  if (self->item == NULL)
    return;
  area = urbarium_area_item_get_area (self->item);
  color = urbarium_color_to_rgba (urb_split_get_color (area->split), 1);
  gsk_rounded_rect_init_from_rect (&clip, &bounds, RADIUS_PX);
  gtk_snapshot_push_rounded_clip (snapshot, &clip);
  if (self->texture != NULL)
    gtk_snapshot_append_texture (snapshot, self->texture, &bounds);
  else
    {
      gtk_style_context_get_color (gtk_widget_get_style_context (widget), &placeholder);
      placeholder.alpha *= 0.08f;
      gtk_snapshot_append_color (snapshot, &placeholder, &bounds);
    }
  gtk_snapshot_append_color (
    snapshot, &color, &GRAPHENE_RECT_INIT (left, top + edge - STRIPE_PX, edge, STRIPE_PX));
  if (area->forced)
    gtk_snapshot_append_color (snapshot, &color,
                               &GRAPHENE_RECT_INIT (left, top, MARK_PX, MARK_PX));
  gtk_snapshot_pop (snapshot);
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = EDGE_PX;
  if (orientation == GTK_ORIENTATION_VERTICAL && for_size > 0)
    *minimum = *natural = for_size;
}

/* Shows the tile, or requests it. */
static void
update (UrbariumAreaTile *self)
{
  const UrbRankedArea *area = urbarium_area_item_get_area (self->item);
  const UrbariumTile *tile
    = urbarium_tile_source_get (self->source, urbarium_area_item_get_search (self->item), area);
  g_autofree char *text = urbarium_area_describe (area, tile);
  g_clear_object (&self->texture);
  if (tile != NULL)
    self->texture = g_object_ref (tile->texture);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
ready_cb (UrbariumAreaTile *self, gint64 id)
{
  if (self->item != NULL && urbarium_area_item_get_area (self->item)->id == id)
    update (self);
}

static void
invalidated_cb (UrbariumAreaTile *self)
{
  if (self->item != NULL)
    update (self);
}

void
urbarium_area_tile_set_item (UrbariumAreaTile *self, UrbariumAreaItem *item)
{
  g_return_if_fail (URBARIUM_IS_AREA_TILE (self));
  if (self->item != NULL && self->texture == NULL)
    urbarium_tile_source_cancel (self->source, urbarium_area_item_get_search (self->item),
                                 urbarium_area_item_get_area (self->item)->id);
  g_set_object (&self->item, item);
  g_clear_object (&self->texture);
  if (item != NULL)
    update (self);
}

static void
dispose (GObject *object)
{
  UrbariumAreaTile *self = URBARIUM_AREA_TILE (object);
  if (self->source != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->source, self);
      urbarium_area_tile_set_item (self, NULL);
    }
  g_clear_object (&self->source);
  G_OBJECT_CLASS (urbarium_area_tile_parent_class)->dispose (object);
}

static void
urbarium_area_tile_class_init (UrbariumAreaTileClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  widget_class->get_request_mode = get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "areatile");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
urbarium_area_tile_init (UrbariumAreaTile *self)
{
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
urbarium_area_tile_new (UrbariumTileSource *source)
{
  UrbariumAreaTile *self = g_object_new (URBARIUM_TYPE_AREA_TILE, NULL);
  self->source = g_object_ref (source);
  g_signal_connect_swapped (source, "ready", G_CALLBACK (ready_cb), self);
  g_signal_connect_swapped (source, "invalidated", G_CALLBACK (invalidated_cb), self);
  return GTK_WIDGET (self);
}
