/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset.h - the dataset file: areas of a map with their encoded tiles.
 *
 * A GeoPackage, hence an SQLite file: layer `areas` (polygon, variance, class shares,
 * split, source) opens in QGIS; the tiles are blobs in a separate table.  Reading
 * and writing need only SQLite, not GDAL.  docs/dataset-format.md documents the
 * format.  Files are untrusted: everything read from them is bounds-checked.
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
  URB_DATASET_ERROR_OPTIONS,
  URB_DATASET_ERROR_LARGE /* the map is too large for the options */
} UrbDatasetError;

typedef enum
{
  URB_SPLIT_TRAIN,
  URB_SPLIT_TEST,       /* never looked at in training */
  URB_SPLIT_VALIDATION, /* a run in training is scored by these */
  URB_N_SPLITS
} UrbSplit;

typedef enum
{
  URB_ENCODING_RGB, /* three channels: building, road, other */
  URB_ENCODING_GREY /* one channel: road 0, other 128, building 255 */
} UrbEncoding;

typedef struct
{
  double   center_x, center_y; /* meters in the dataset's CRS */
  double   angle_deg;          /* counter-clockwise, from the x axis to the tile's rows */
  double   variance;           /* in [0, 1]; see variance.h */
  double   share[3];           /* of building, road, other; sums to 1 */
  double   coverage;           /* share of the area that the map covers */
  UrbSplit split;
} UrbArea;

typedef struct
{
  UrbEncoding encoding;
  gboolean    soft;          /* 16 levels of coverage instead of 0 and 1 */
  int         resolution_px; /* edge of a stored tile */
  double      area_size_m;   /* edge of an area */
  gint64      n_areas;
  gint64      n_split[URB_N_SPLITS];
  char       *recipe_json;   /* the curate options that produced it */
  char       *crs_name;
  int         epsg;
  char       *id;            /* content hash; lets a run detect a changed dataset */
} UrbDatasetInfo;

typedef struct _UrbDataset UrbDataset;

/* Files up to this size are verified when they are opened: it takes less than a tenth of a second. */
#define URB_DATASET_SMALL_BYTES (16 * 1024 * 1024)

/* Opens for reading; use one reader per thread.  Checks the structure and, if the file is small, its
 * tiles: see urb_dataset_verify(). */
UrbDataset           *urb_dataset_open     (const char *path, GError **error);
/* Does not check the tiles of a small file either: for a reader that verifies in a thread. */
UrbDataset           *urb_dataset_open_unverified (const char *path, GError **error);
void                  urb_dataset_free     (UrbDataset *self);
const UrbDatasetInfo *urb_dataset_get_info (UrbDataset *self);
const UrbArea        *urb_dataset_get_area (UrbDataset *self, gint64 index);
/* Indices of a split, ascending; (transfer none), @n: (out). */
const gint64         *urb_dataset_get_split (UrbDataset *self, UrbSplit split, gint64 *n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDataset, urb_dataset_free)

/**
 * urb_dataset_verify:
 * @cancellable: (nullable): ends it early, with %G_IO_ERROR_CANCELLED
 *
 * Reads all tiles and compares their checksum with the stored one, on which the dataset's id rests.
 * Blocks: about six seconds for a gigabyte.
 *
 * Returns: %FALSE with a %URB_DATASET_ERROR_DAMAGED if the tiles are not those that were written
 */
gboolean urb_dataset_verify      (UrbDataset *self, GCancellable *cancellable, GError **error);
/* Whether urb_dataset_verify() has succeeded. */
gboolean urb_dataset_is_verified (UrbDataset *self);

/* 3 for rgb, 1 for grey. */
int urb_encoding_get_n_channels (UrbEncoding encoding);

/**
 * urb_dataset_read_tile:
 * @size_px: edge of the requested tile: the stored resolution, or that divided by a
 *   power of two up to 64, by averaging pixels
 * @levels: (out): (@size_px, @size_px, channels) bytes, 0..255, row 0 at the top
 *
 * Returns: %FALSE with a %URB_DATASET_ERROR_DAMAGED that names the area
 */
gboolean urb_dataset_read_tile (UrbDataset *self, gint64 index, int size_px,
                                guint8 *levels, GError **error);

/* Whether urb_dataset_read_tile() can read tiles of @size_px. */
gboolean urb_dataset_has_size (UrbDataset *self, int size_px);

/* Whether tiles of @size_px have only the values 0 and 255: sharp rgb tiles at their stored
 * resolution. */
gboolean urb_dataset_is_binary (UrbDataset *self, int size_px);

/* Like urb_dataset_read_tile() at the stored resolution, one bit per value; requires
 * urb_dataset_is_binary().
 * @bits: (out): (size * size * channels + 7) / 8 bytes, lowest bit first. */
gboolean urb_dataset_read_tile_bits (UrbDataset *self, gint64 index, guint8 *bits, GError **error);

G_END_DECLS
