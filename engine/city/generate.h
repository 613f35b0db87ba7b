/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.h - from a checkpoint to files of cities.
 */
#pragma once

#include "base/progress.h"
#include "city/city-writer.h"
#include "train/sampler.h"

G_BEGIN_DECLS

typedef enum
{
  URB_OUTPUT_PNG = 1 << 0,     /* one plan per city, city-0001.png, and a wall.png */
  URB_OUTPUT_GPKG = 1 << 1,
  URB_OUTPUT_GEOJSON = 1 << 2,
  URB_OUTPUT_SVG = 1 << 3,
  URB_OUTPUT_DXF = 1 << 4
} UrbOutputs;

typedef struct
{
  const char *checkpoint; /* a file or a run folder */
  guint64     seed;
  gint64      first, count; /* cities first .. first + count - 1 of the seed */
  const char *out;        /* a folder; or one .gpkg, .geojson, .svg, .dxf, or .png (a wall) */
  UrbOutputs  outputs;    /* into a folder; 0: PNG and GeoPackage (GeoJSON without GDAL) */
  int         n_columns;  /* of walls and layouts; 0: about as wide as high */
  double      place_x, place_y; /* lower left corner of the vectors */
  int         epsg;       /* of that place; 0: local metres */
  gboolean    replace;     /* what is there under the names of the outputs */
  gboolean    keep_specks; /* vectors of every pixel as the generator made it */
  UrbSamplerPlace on;     /* what the generator computes on */
} UrbGenerateOptions;

/* Sums over all cities. */
typedef struct
{
  gint64 n_cities, n_buildings, n_straight, n_corners, n_square_corners, n_invalid, n_vertices;
  gint64 n_removed;      /* pictures of an earlier set, of other numbers */
  double agreement;      /* mean: pixels that the vectors keep */
  double area_size_m;
  int    size_px;
} UrbGenerateSummary;

/**
 * urb_generate:
 * @summary: (out)
 *
 * Works in batches: memory does not grow with the number of cities, but for
 * the wall, which shows the first 144 at most.  Unless told to replace them,
 * begins nothing where files of such names are; else pictures of cities with
 * other numbers go, too.
 *
 * Returns: %FALSE with the error of the checkpoint or of the disk; finished
 *   pictures stay, a file of vectors appears only when it is complete
 */
gboolean urb_generate (const UrbGenerateOptions *options, UrbGenerateSummary *summary,
                       UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                       GError **error);

/**
 * urb_generate_check_out:
 * @out: a path for UrbGenerateOptions.out
 * @outputs: formats that were asked for; 0: none
 * @wall_only: nothing but a wall is wanted
 *
 * A folder that exists, a path that ends in a slash, or a name without a suffix is a folder.
 *
 * Returns: %FALSE with a sentence if the suffix says no format, or another one
 *   than what was asked for
 */
gboolean urb_generate_check_out (const char *out, UrbOutputs outputs, gboolean wall_only,
                                 GError **error);

/* Is @out a single file, by its name?  An existing folder is not. */
gboolean urb_generate_out_is_file (const char *out);

/* "png,gpkg" → flags; 0 with an error for what is not known. */
UrbOutputs urb_outputs_parse (const char *text, GError **error);

G_END_DECLS
