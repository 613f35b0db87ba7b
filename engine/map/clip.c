/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clip.c - reads a part of a map.
 *
 * The part is chosen in degrees.  In the map it is the smallest rectangle along the axes that holds it, so that the
 * squares of a dataset fit into it.  Objects are cut at its edges: whole ones would stick out of it as a road of forty
 * kilometers does, with ground around them that the map no longer covers.
 */
#include <math.h>

#include "map/ogr-private.h"

/* Edges of a rectangle become curves elsewhere: this many points of each are looked at. */
#define POINTS_OF_EDGE 21
/* A road is wider than its line, which may lie outside. */
#define MARGIN_M 100

gboolean
urb_clip_transform (UrbBox box, OGRCoordinateTransformationH transform, UrbBox *to)
{
  *to = box;
  if (transform != NULL
      && !OCTTransformBounds (transform, box.min_x, box.min_y, box.max_x, box.max_y, &to->min_x, &to->min_y,
                              &to->max_x, &to->max_y, POINTS_OF_EDGE))
    return FALSE;
  return to->min_x <= to->max_x && to->min_y <= to->max_y && isfinite (to->max_x - to->min_x)
         && isfinite (to->max_y - to->min_y);
}

char *
urb_clip_format (UrbBox box, const char *format)
{
  const double values[] = { box.min_x, box.min_y, box.max_x, box.max_y };
  char texts[G_N_ELEMENTS (values)][G_ASCII_DTOSTR_BUF_SIZE];

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    g_ascii_formatd (texts[i], sizeof texts[i], format, values[i]);
  return g_strdup_printf ("%s,%s,%s,%s", texts[0], texts[1], texts[2], texts[3]);
}

UrbBox
urb_clip_find_near (const UrbBox *clip, OGRCoordinateTransformationH transform)
{
  g_auto(UrbOgrTransform) back = transform != NULL ? OCTGetInverse (transform) : NULL;
  UrbBox near;

  if ((transform != NULL && back == NULL)
      || !urb_clip_transform (urb_box_widen (*clip, MARGIN_M), back, &near))
    return (UrbBox){ -G_MAXDOUBLE, -G_MAXDOUBLE, G_MAXDOUBLE, G_MAXDOUBLE };
  return near;
}

gboolean
urb_clip_is_quick (const char *driver)
{
  static const char *const drivers[]
    = { "GPKG", "FlatGeobuf", "ESRI Shapefile", "Parquet", "WFS", "PostgreSQL", NULL };

  return g_strv_contains (drivers, driver);
}

static OGRGeometryH
make_rectangle (const UrbBox *box)
{
  const double x[] = { box->min_x, box->max_x, box->max_x, box->min_x, box->min_x };
  const double y[] = { box->min_y, box->min_y, box->max_y, box->max_y, box->min_y };
  OGRGeometryH polygon = OGR_G_CreateGeometry (wkbPolygon), ring = OGR_G_CreateGeometry (wkbLinearRing);

  OGR_G_SetPoints (ring, G_N_ELEMENTS (x), x, sizeof *x, y, sizeof *y, NULL, 0);
  OGR_G_AddGeometryDirectly (polygon, ring);
  return polygon;
}

OGRGeometryH
urb_clip_cut (const UrbBox *clip, OGRGeometryH polygon)
{
  g_auto(UrbOgrGeometry) rectangle = make_rectangle (clip);

  return OGR_G_Intersection (polygon, rectangle);
}
