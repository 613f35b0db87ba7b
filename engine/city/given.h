/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given.h - what stays of an area, as polygons.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "city/vectorize.h"

G_BEGIN_DECLS

typedef struct
{
  UrbClass class_;
  guint    first_ring, n_rings; /* of UrbGiven.sizes; filled by the even-odd rule */
  guint    first_vertex;        /* of UrbGiven.xy; the rings follow one another */
} UrbGivenPolygon;

/* Immutable once it is made, with an atomic reference count.  Polygons may overlap and reach beyond the
 * area; where they overlap, the class with the smaller number is on top.  Coordinates are meters
 * east and north of the area's lower left corner. */
struct _UrbGiven
{
  gatomicrefcount ref_count;
  double  size_m;   /* of the area's edge */
  GArray *polygons; /* UrbGivenPolygon */
  GArray *sizes;    /* guint: vertices of each ring; the first is not repeated */
  GArray *xy;       /* double, in pairs */
};

UrbGiven *urb_given_new   (double size_m); /* nothing */
UrbGiven *urb_given_ref   (UrbGiven *self);
void      urb_given_unref (UrbGiven *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGiven, urb_given_unref)

/* Adds a polygon of one ring, before anyone else has a reference.  @xy: (2 * @n) */
void      urb_given_add (UrbGiven *self, UrbClass class_, const double *xy, guint n);

/* The polygons of a map that meet the area whose lower left corner is at @x, @y.
 * Returns: (transfer full) */
UrbGiven *urb_given_new_from_map (UrbMap *map, double x, double y, double size_m);

/**
 * urb_given_new_from_plan:
 * @outline: (2 * @n_corners): x, y of a polygon, filled by the even-odd rule
 * @keeps_inside: what is inside of @outline stays, and else what is outside
 *
 * Buildings of which at least half stays stay whole; other buildings do not stay.  Streets and open
 * land are cut at the outline.
 *
 * Returns: (transfer full)
 */
UrbGiven *urb_given_new_from_plan (const UrbCityVectors *plan, const double *outline, guint n_corners,
                                   gboolean keeps_inside);

/* As an array of objects {"class": "road", "rings": [[x, y, x, y, …], …]}, to the millimeter. */
void      urb_given_add_to_json (UrbGiven *self, JsonBuilder *json, const char *key);
/* Returns: (transfer full): or %NULL with a %URB_CITY_ERROR_OPTIONS */
UrbGiven *urb_given_new_from_json (JsonArray *array, double size_m, GError **error);

G_END_DECLS
