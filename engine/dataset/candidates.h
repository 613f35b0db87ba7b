/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidates.h - all places of a map where an area could be cut.
 *
 * Areas lie on a grid of the given stride, in as many rotations as wanted, each
 * snapped to whole pixels of its rotation's frame: what is measured here is to
 * the pixel what the tile will show.
 */
#pragma once

#include "dataset/dataset.h"
#include "dataset/raster.h"
#include "dataset/square.h"

G_BEGIN_DECLS

typedef struct
{
  double      area_size_m;
  double      stride_m;    /* at least one pixel */
  int         resolution_px;
  int         n_rotations; /* N: at k * 90 / N degrees; 1..URB_MAX_ROTATIONS */
  UrbEncoding encoding;    /* of the variance */
  double      min_variance;
  double      min_coverage;
  int         n_threads;   /* 0: as many as there are processors */
} UrbSearch;

#define URB_MAX_ROTATIONS 90
#define URB_SHARE_UNIT 65535 /* the whole area */

typedef struct
{
  float   variance;
  guint16 rotation;
  guint16 share[3]; /* of building, road and other among all pixels, of URB_SHARE_UNIT */
  gint32  col, row; /* pixels in the rotation's frame; of the upper left corner */
} UrbCandidate;

typedef struct
{
  UrbSearch search;
  UrbFrame  frames[URB_MAX_ROTATIONS];
  GArray   *items;       /* of UrbCandidate; owned; the highest variance first */
  gint64    n_positions; /* that were looked at */
  gint64    n_uncovered; /* refused: the map covers too little of them */
  gint64    n_nearly_empty; /* of these: covered by less than a twentieth */
  gint64    n_dull;      /* refused: too little variance */
  double    best_dull;   /* the highest variance among these; 0 if there are none */
} UrbCandidates;

/**
 * urb_candidates_find:
 * @hull: the map's, from urb_hull_new_of_map()
 * @ground: (nullable): see urb_raster_set_ground(): x, y pairs
 *
 * Returns: (transfer full): possibly without items; or %NULL with
 *   URB_DATASET_ERROR_OPTIONS or G_IO_ERROR_CANCELLED
 */
UrbCandidates *urb_candidates_find (UrbMap *map, GArray *hull, GArray *ground,
                                    const UrbSearch *search, UrbProgressFunc progress,
                                    gpointer user_data, GCancellable *cancellable,
                                    GError **error);
void           urb_candidates_free (UrbCandidates *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCandidates, urb_candidates_free)

UrbSquare urb_candidates_get_square (const UrbCandidates *self, const UrbCandidate *candidate);

G_END_DECLS
