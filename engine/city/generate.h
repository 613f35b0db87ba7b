/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate.h - generates cities from a checkpoint and writes them to files.
 */
#pragma once

#include "base/progress.h"
#include "city/city-writer.h"
#include "city/proposals.h"

G_BEGIN_DECLS

typedef enum
{
  URB_OUTPUT_PNG = 1 << 0,     /* one plan per city, city-0001.png, and of single areas a sample grid, wall.png */
  URB_OUTPUT_GPKG = 1 << 1,
  URB_OUTPUT_GEOJSON = 1 << 2,
  URB_OUTPUT_SVG = 1 << 3,
  URB_OUTPUT_DXF = 1 << 4,
  URB_OUTPUT_CITYJSON = 1 << 5
} UrbOutputs;

typedef struct
{
  const char *checkpoint; /* a file or a run folder */
  guint64     seed;
  gint64      first, count; /* cities first .. first + count - 1 of the seed */
  int         n_cols, n_rows; /* areas of a city: see urb_city_check_areas(); 0: 1 */
  const char *out;        /* a folder, or a .gpkg, .geojson, .svg, .dxf, .city.json or .png (sample grid;
                           * with several areas the plan of one city) */
  UrbOutputs  outputs;    /* for a folder; 0: PNG and GeoPackage (GeoJSON without GDAL) */
  int         n_columns;  /* of sample grids and layouts; 0: roughly square */
  UrbPlace    place;      /* of the vectors */
  gboolean    replace;     /* replace existing outputs */
  gboolean    keep_specks; /* vectorize without cleanup */
  const char *keep;        /* (nullable) what stays of the area, for urb_site_load(): the cities are
                            * proposals for the rest; at most URB_PROPOSALS_MAX, first is 0 */
  UrbSamplerPlace on;     /* device of the generator */
  const UrbProvenance *provenance; /* (nullable) borrowed: what the files tell in place of what they come from, to
                                    * make a file again */
  const UrbShareWish *shares; /* (nullable): asked of all cities; NULL: as in the data */
} UrbGenerateOptions;

/* Sums over all cities. */
typedef struct
{
  gint64 n_cities, n_buildings, n_straight, n_corners, n_square_corners, n_invalid, n_missing, n_vertices;
  gint64 n_frames;       /* of a film */
  gint64 n_removed;      /* images of earlier cities, or of an earlier film, with other numbers */
  double agreement;      /* mean share of pixels preserved by the vectors */
  double area_size_m;
  double width_m, height_m; /* of a city */
  int    size_px;
  double given;          /* share of the area that stays */
  int    n_proposals;    /* 0 without UrbGenerateOptions.keep */
  UrbProposal proposals[URB_PROPOSALS_MAX];
  char  *warning;        /* (nullable) owned: shares that the data do not have */
} UrbGenerateSummary;

/**
 * urb_generate:
 * @summary: (out)
 *
 * Works in batches, so memory does not grow with the number of cities; the sample grid shows
 * at most the first 144.  Fails if outputs exist, unless @options.replace is set, which
 * also deletes images of cities with other numbers.
 *
 * Returns: %FALSE with an error of the checkpoint or the disk; finished images are kept, a
 *   vector file appears only when it is complete
 */
gboolean urb_generate (const UrbGenerateOptions *options, UrbGenerateSummary *summary,
                       UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                       GError **error);

/* The most cities that a film passes, and images from one to the next. */
#define URB_FILM_MAX_CITIES 1000
#define URB_FILM_MAX_STEPS  1000

/**
 * urb_generate_film:
 * @options: with at least two cities, each of one area; without keep, outputs, place and columns
 * @n_steps: images from a city to the next
 *
 * Writes the way from each city to the next as UrbGenerateOptions.out: a film (.webm), made by GStreamer, or a folder of its
 * images, frame-0001.png and so on.  Replacing a folder's images deletes, at the end, the others that are called so.
 *
 * Returns: %FALSE with an error, as urb_generate(); summary.n_frames and the sizes are set
 */
gboolean urb_generate_film (const UrbGenerateOptions *options, int n_steps, UrbGenerateSummary *summary,
                            UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable, GError **error);

/**
 * urb_generate_check_out:
 * @out: a path for UrbGenerateOptions.out
 * @outputs: requested formats; 0: none given
 * @grid_only: only a sample grid is requested
 *
 * @out is a folder if it is an existing folder, ends in a slash, or has no suffix.
 *
 * Returns: %FALSE with an error if the suffix is unknown or conflicts with the requested
 *   formats
 */
gboolean urb_generate_check_out (const char *out, UrbOutputs outputs, gboolean grid_only,
                                 GError **error);

/* Whether @out is a film by its name, as urb_generate_film() takes it. */
gboolean urb_generate_out_is_film (const char *out);
/* Fails if @out is neither a film nor a folder. */
gboolean urb_generate_check_film_out (const char *out, GError **error);

/* Whether @out is a single file by its name and not an existing folder. */
gboolean urb_generate_out_is_file (const char *out);

/* "png,gpkg" → flags; 0 with an error if a format is unknown. */
UrbOutputs urb_outputs_parse (const char *text, GError **error);

G_END_DECLS
