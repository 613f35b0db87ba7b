/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate.h - from a map to a dataset: the whole job, in two steps.
 *
 * urb_curation_new() finds, splits and chooses the areas, which is quick enough
 * to be done again whenever an option changes; urb_curation_write() encodes and
 * stores them.
 */
#pragma once

#include "dataset/candidates.h"
#include "dataset/dataset.h"
#include "dataset/split.h"

G_BEGIN_DECLS

typedef enum
{
  URB_FILL_AUTO, /* as YES if the map leaves nearly every area partly uncovered */
  URB_FILL_NO,   /* what the map does not cover is nothing */
  URB_FILL_YES   /* within the map's convex hull it is "other" */
} UrbFill;

typedef struct
{
  double      area_size_m;
  double      stride_m;
  int         n_rotations;  /* N: at k * 90 / N degrees */
  double      min_variance; /* negative: the encoding's default */
  double      min_coverage; /* share of the area */
  double      max_overlap;  /* of two areas, share of one; to within a pixel's width */
  gint64      top;          /* at most so many areas; 0: all */
  UrbEncoding encoding;
  gboolean    soft;
  int         resolution_px;
  double      test_share;
  UrbFill     fill;
  guint64     seed;         /* of the places for testing */
  int         n_threads;    /* 0: as many as there are processors */
} UrbCurateOptions;

/* The defaults: 250 m every 125 m, not rotated, 256 pixels, rgb, sharp. */
void urb_curate_options_init (UrbCurateOptions *options);

/* Below this an area is mostly one class: fields, forest, a lake. */
double urb_curate_get_default_variance (UrbEncoding encoding);

typedef struct
{
  UrbCurateOptions options; /* with min_variance resolved */
  GArray   *areas;       /* of UrbArea, those added by hand, then the best first; owned.
                          * Shares and coverage are set by urb_curation_write() */
  GArray   *hull;        /* of double, x, y pairs; owned */
  gboolean  filled;      /* whether what is uncovered was taken as "other" */
  UrbBlocks *blocks;     /* owned */
  GPtrArray *warnings;   /* of char *, sentences; owned */
  gint64    n_positions; /* looked at = all of the following together */
  gint64    n_uncovered;   /* refused */
  gint64    n_dull;        /* refused */
  gint64    n_straddling;  /* refused: between training and test places */
  gint64    n_overlapping; /* refused: a better one is there */
  gint64    n_beyond_top;  /* refused: enough are chosen */
  gint64    n_removed;     /* refused: by hand, though not dull */
  gint64    n_split[URB_N_SPLITS]; /* chosen */
  gint64    n_added;       /* of these: by hand, see curator.h */
  double    split_variance; /* the places for testing were chosen by the areas from here up */
} UrbCuration;

/**
 * urb_curation_new:
 *
 * Finds the candidates, divides the map into places for training and testing,
 * and takes the areas of the highest variance that overlap little.
 *
 * Returns: (transfer full): at least one area; or %NULL with
 *   URB_DATASET_ERROR_EMPTY that says which limit refused how many,
 *   URB_DATASET_ERROR_OPTIONS, or G_IO_ERROR_CANCELLED
 */
UrbCuration *urb_curation_new  (UrbMap *map, const UrbCurateOptions *options,
                                UrbProgressFunc progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);
void         urb_curation_free (UrbCuration *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCuration, urb_curation_free)

/**
 * urb_curation_write:
 * @sources: (array zero-terminated=1): the files the map was read from; their
 *   base names are stored
 *
 * Encodes the areas, in threads, and writes them as a dataset, atomically.  Sets
 * the variance, shares and coverage of the areas to what their tiles show.
 */
gboolean urb_curation_write (UrbCuration *self, UrbMap *map, const char *const *sources,
                             const char *path, UrbProgressFunc progress, gpointer user_data,
                             GCancellable *cancellable, GError **error);

/* The recipe that is stored in the dataset: program, sources, options, and what
 * was found and refused, as a JSON object. */
char *urb_curation_dup_recipe (UrbCuration *self, UrbMap *map, const char *const *sources);

G_END_DECLS
