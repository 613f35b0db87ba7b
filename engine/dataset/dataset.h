/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset.h - the dataset file: areas of a map with their encoded tiles.
 *
 * A GeoPackage, hence SQLite: layer `areas` (polygon, variance, class shares,
 * split, source) opens in QGIS; the tiles are blobs beside it.  Reading and
 * writing need SQLite alone, so the bare engine does both.  The format is
 * documented in docs/dataset-format.md.  A file that is read is hostile until
 * its bounds are checked.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URB_DATASET_ERROR (urb_dataset_error_quark ())
GQuark urb_dataset_error_quark (void);

typedef enum
{
  URB_DATASET_ERROR_OPEN,
  URB_DATASET_ERROR_DAMAGED,
  URB_DATASET_ERROR_EMPTY,
  URB_DATASET_ERROR_WRITE,
  URB_DATASET_ERROR_OPTIONS
} UrbDatasetError;

typedef enum { URB_SPLIT_TRAIN, URB_SPLIT_TEST, URB_N_SPLITS } UrbSplit;

typedef enum
{
  URB_ENCODING_RGB, /* three channels: building, road, other */
  URB_ENCODING_GREY /* one channel: road 0, other 128, building 255 */
} UrbEncoding;

typedef struct
{
  double   center_x, center_y; /* metres in the dataset's CRS */
  double   angle_deg;          /* counter-clockwise, of the tile's rows against the x axis */
  double   variance;           /* in [0, 1]; see curate */
  double   share[3];           /* of building, road, other; sum to 1 */
  double   coverage;           /* share of the area that the map covers */
  UrbSplit split;
} UrbArea;

typedef struct
{
  UrbEncoding encoding;
  gboolean    soft;          /* 16 levels of coverage rather than 0 and 1 */
  int         resolution_px; /* edge of a stored tile */
  double      area_size_m;   /* edge of an area */
  gint64      n_areas;
  gint64      n_split[URB_N_SPLITS];
  char       *recipe_json;   /* the curate options that made it */
  char       *crs_name;
  int         epsg;
  char       *id;            /* content hash: a run checks that its dataset is still the same */
} UrbDatasetInfo;

typedef struct _UrbDataset UrbDataset;

/* Opens for reading; one reader per thread.  Checks the whole structure (not
 * each blob). */
UrbDataset           *urb_dataset_open     (const char *path, GError **error);
void                  urb_dataset_free     (UrbDataset *self);
const UrbDatasetInfo *urb_dataset_get_info (UrbDataset *self);
const UrbArea        *urb_dataset_get_area (UrbDataset *self, gint64 index);
/* Indices of a split, ascending; (transfer none), @n: (out). */
const gint64         *urb_dataset_get_split (UrbDataset *self, UrbSplit split, gint64 *n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDataset, urb_dataset_free)

/* 3 for rgb, 1 for grey. */
int urb_encoding_get_n_channels (UrbEncoding encoding);

/**
 * urb_dataset_read_tile:
 * @size_px: edge of the tile that is wanted: the stored resolution, or that
 *   divided by a power of two up to 64 (pixels are then averaged)
 * @levels: (out): (@size_px, @size_px, channels) bytes, 0..255, row 0 at the top
 *
 * Returns: %FALSE with a %URB_DATASET_ERROR_DAMAGED that names the area
 */
gboolean urb_dataset_read_tile (UrbDataset *self, gint64 index, int size_px,
                                guint8 *levels, GError **error);

/* Whether all values of the tiles of @size_px are 0 or 255: three sharp channels, as they are stored. */
gboolean urb_dataset_is_binary (UrbDataset *self, int size_px);

/* Where urb_dataset_is_binary(), the same tile of the stored resolution with one bit for each value:
 * @bits: (out): (size * size * channels + 7) / 8 bytes, each from its lowest bit up. */
gboolean urb_dataset_read_tile_bits (UrbDataset *self, gint64 index, guint8 *bits, GError **error);

/* Reads every tile and compares all of them with the checksum that was stored
 * when they were written; urb_dataset_open() does not take that time. */
gboolean urb_dataset_verify (UrbDataset *self, GCancellable *cancellable, GError **error);

G_END_DECLS
