/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curate.h - makes a dataset from a map, in two steps.
 *
 * urb_curation_new() finds, splits and selects the areas; it is fast enough to be
 * repeated whenever an option changes.  urb_curation_write() encodes and stores
 * them.
 */
#pragma once

#include "dataset/dataset.h"
#include "dataset/split.h"
#include "settings/setting.h"

G_BEGIN_DECLS

typedef enum
{
  URB_FILL_AUTO, /* like YES if the map leaves much ground beside its buildings open */
  URB_FILL_NO,   /* ground without an object stays empty */
  URB_FILL_YES   /* it becomes "other" near objects: see open-ground.h */
} UrbFill;

typedef struct
{
  double      area_size_m;
  double      stride_m;
  int         n_rotations;  /* N: at k * 90 / N degrees */
  double      min_variance; /* negative: the encoding's default */
  double      min_coverage; /* share of the area */
  double      max_overlap;  /* of two areas, as a share of one; within a pixel's width */
  gint64      top;          /* maximum number of areas; 0: all */
  UrbEncoding encoding;
  gboolean    soft;
  int         resolution_px;
  double      test_share, validation_share;
  UrbFill     fill;
  guint64     seed;         /* of the test and validation blocks */
  int         n_threads;    /* 0: one per processor */
} UrbCurateOptions;

/* Ranges and defaults, as fields of UrbCurateOptions. */
extern const UrbSettingTable urb_curate_settings;

/* The defaults: 250 m every 125 m, not rotated, 256 pixels, rgb, sharp. */
void urb_curate_options_init (UrbCurateOptions *options);

/* Areas below this variance are mostly one class: fields, forest, a lake. */
double urb_curate_get_default_variance (UrbEncoding encoding);

typedef struct
{
  UrbCurateOptions options; /* with min_variance resolved */
  GArray   *areas;       /* of UrbArea: those added by hand, then by falling variance; owned.
                          * Shares and coverage are set by urb_curation_write() */
  gboolean  filled;      /* whether open ground became "other" */
  UrbBlocks *blocks;     /* owned */
  GPtrArray *warnings;   /* of char *, sentences; owned */
  gint64    n_positions; /* examined: the sum of the counts below */
  gint64    n_uncovered;   /* rejected: coverage too low */
  gint64    n_low_variance; /* rejected: variance too low */
  gint64    n_straddling;  /* rejected: across blocks of different splits */
  gint64    n_overlapping; /* rejected: overlaps a better area */
  gint64    n_beyond_top;  /* rejected: the limit was reached */
  gint64    n_removed;     /* removed by hand despite sufficient variance */
  gint64    n_split[URB_N_SPLITS]; /* selected */
  gint64    n_added;       /* of these: by hand, see curator.h */
} UrbCuration;

/**
 * urb_curation_new:
 *
 * Finds the candidates, divides the map into training and test blocks, and selects
 * the areas of highest variance within the overlap limit.
 *
 * Returns: (transfer full): at least one area; or %NULL with
 *   URB_DATASET_ERROR_EMPTY (the message counts rejections by limit),
 *   URB_DATASET_ERROR_OPTIONS, or G_IO_ERROR_CANCELLED
 */
UrbCuration *urb_curation_new  (UrbMap *map, const UrbCurateOptions *options,
                                UrbProgressFunc progress, gpointer user_data,
                                GCancellable *cancellable, GError **error);
void         urb_curation_free (UrbCuration *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCuration, urb_curation_free)

/**
 * urb_curation_write:
 * @sources: (array zero-terminated=1): the map's source files; their base names are
 *   stored
 *
 * Encodes the areas in threads and writes the dataset atomically.  Sets variance,
 * shares and coverage of the areas to the values of their encoded tiles.
 */
gboolean urb_curation_write (UrbCuration *self, UrbMap *map, const char *const *sources,
                             const char *path, UrbProgressFunc progress, gpointer user_data,
                             GCancellable *cancellable, GError **error);

/* The recipe stored in the dataset, a JSON object: program, sources, options, and
 * the counts of selected and rejected areas. */
char *urb_curation_dup_recipe (UrbCuration *self, UrbMap *map, const char *const *sources);

G_END_DECLS
