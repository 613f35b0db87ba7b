/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid-image.c - drawn with Cairo, since GTK 4.8 always interpolates enlarged textures.  The render
 * node caches the drawing.
 */
#include "app/train/grid-image.h"

#include <math.h>

struct _UrbariumGridImage
{
  GtkWidget        parent_instance;
  cairo_surface_t *surface; /* (nullable) owned */
};

G_DEFINE_FINAL_TYPE (UrbariumGridImage, urbarium_grid_image, GTK_TYPE_WIDGET)

static void
snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  UrbariumGridImage *self = URBARIUM_GRID_IMAGE (widget);
  double width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  double image_width, image_height, scale, device;
  graphene_rect_t bounds;
  cairo_t *cr;
  if (self->surface == NULL)
    return;
  image_width = cairo_image_surface_get_width (self->surface);
  image_height = cairo_image_surface_get_height (self->surface);
  scale = MIN (width / image_width, height / image_height);
  device = scale * gtk_widget_get_scale_factor (widget);
  if (device > 1)
    scale *= floor (device) / device; /* integer scale: all pixels get the same size */
  graphene_rect_init (&bounds, (float) floor ((width - scale * image_width) / 2),
                      (float) floor ((height - scale * image_height) / 2),
                      (float) (scale * image_width), (float) (scale * image_height));
  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  cairo_translate (cr, bounds.origin.x, bounds.origin.y);
  cairo_scale (cr, scale, scale);
  cairo_set_source_surface (cr, self->surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr),
                            device > 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_destroy (cr);
}

static void
measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  *minimum = 160;
  *natural = 320;
}

void
urbarium_grid_image_set (UrbariumGridImage *self, cairo_surface_t *surface, const char *text)
{
  g_clear_pointer (&self->surface, cairo_surface_destroy);
  self->surface = surface == NULL ? NULL : cairo_surface_reference (surface);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  text == NULL ? "" : text, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

gboolean
urbarium_grid_image_is_empty (UrbariumGridImage *self)
{
  return self->surface == NULL;
}

static void
finalize (GObject *object)
{
  g_clear_pointer (&URBARIUM_GRID_IMAGE (object)->surface, cairo_surface_destroy);
  G_OBJECT_CLASS (urbarium_grid_image_parent_class)->finalize (object);
}

static void
urbarium_grid_image_class_init (UrbariumGridImageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = finalize;
  widget_class->snapshot = snapshot;
  widget_class->measure = measure;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
urbarium_grid_image_init (UrbariumGridImage *self)
{
}
