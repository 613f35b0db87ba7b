/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-crs.h - the coordinate system that a model of a city names: by a code, or by a definition (WKT).
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char    *name;    /* (nullable) owned; as GeoJSON names it; %NULL: unknown */
  char    *unknown; /* (nullable) owned; the last name that was not understood, or tells no place on earth; for messages */
  gboolean is_north_first;
} UrbCityCrs;

void urb_city_crs_clear (UrbCityCrs *self);

/* The first name that is understood counts.  @keeps_order: whether numbers come in the order of the system's own axes,
 * which may be north first */
void urb_city_crs_set (UrbCityCrs *self, const char *name, gboolean keeps_order);

G_END_DECLS
