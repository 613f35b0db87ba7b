/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-town.h - a procedural town, drawn like a land-cover map.
 *
 * For a first try without a map, and for tests: a dense center with closed blocks,
 * perimeter blocks, slabs, rows, detached houses, industry along a railway, a river
 * with bridges, and fields and woods at the edge.  Every point of the square belongs
 * to exactly one polygon, as in a cadastral land cover.
 */
#pragma once

#include <gio/gio.h>

#include "base/progress.h"
#include "map/map.h"

G_BEGIN_DECLS

/* Kinds of polygons; each belongs to one class. */
typedef enum
{
  URB_TOWN_HOUSE,
  URB_TOWN_ROW_HOUSES,
  URB_TOWN_APARTMENTS,
  URB_TOWN_TOWN_HOUSE,
  URB_TOWN_ANNEX,
  URB_TOWN_GARAGE,
  URB_TOWN_HALL,
  URB_TOWN_CHURCH,
  URB_TOWN_SCHOOL,
  URB_TOWN_BARN,
  URB_TOWN_STREET,
  URB_TOWN_LANE,
  URB_TOWN_PATH,
  URB_TOWN_SQUARE,
  URB_TOWN_GARDEN,
  URB_TOWN_COURTYARD,
  URB_TOWN_YARD,
  URB_TOWN_GREEN,
  URB_TOWN_PARK,
  URB_TOWN_SPORTS,
  URB_TOWN_FIELD,
  URB_TOWN_WOOD,
  URB_TOWN_RIVER,
  URB_TOWN_POND,
  URB_TOWN_RAILWAY,
  URB_N_TOWN_KINDS
} UrbTownKind;

const char *urb_town_kind_get_name  (UrbTownKind kind); /* "row_houses" */
UrbClass    urb_town_kind_get_class (UrbTownKind kind);

enum { URB_SAMPLE_TOWN_EPSG = 2056 }; /* LV95 */

/* The first ring of a polygon is its outline. */
typedef struct
{
  guint64 first_ring;
  guint32 n_rings;
  guint8  kind; /* UrbTownKind */
} UrbTownPolygon;

typedef struct
{
  double  size_m;   /* edge of the square */
  UrbBox  extent;   /* LV95 */
  GArray *polygons; /* of UrbTownPolygon, owned */
  GArray *rings;    /* of guint32: vertices per ring, closed implicitly; owned */
  GArray *xy;       /* of double: x, y pairs, ring after ring; owned */
} UrbSampleTown;

#define URB_SAMPLE_TOWN_MIN_SIZE_M 250.0
#define URB_SAMPLE_TOWN_MAX_SIZE_M 20000.0

/**
 * urb_sample_town_new:
 * @size_m: edge of the square, within the two limits above
 *
 * The same seed and size give the same town.  Takes about one second per square
 * kilometer of dense town.
 *
 * Returns: (transfer full): the town, or %NULL with G_IO_ERROR_CANCELLED or a
 *   %URB_MAP_ERROR
 */
UrbSampleTown *urb_sample_town_new  (guint64 seed, double size_m, UrbProgressFunc progress,
                                     gpointer user_data, GCancellable *cancellable,
                                     GError **error);
void           urb_sample_town_free (UrbSampleTown *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSampleTown, urb_sample_town_free)

/* Writes the layer `landcover` (class, kind) as a GeoPackage; replaces @path atomically. */
gboolean urb_sample_town_write (UrbSampleTown *self, const char *path, GError **error);

G_END_DECLS
