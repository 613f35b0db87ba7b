/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidates.h - the candidate areas of a map.
 *
 * Candidates lie on a grid of the given stride, once per rotation, and are snapped
 * to whole pixels of their rotation's frame, so the shares measured here match the
 * final tile pixel by pixel.
 */
#pragma once

#include "dataset/curate.h"
#include "dataset/raster.h"
#include "dataset/square.h"

G_BEGIN_DECLS

#define URB_MAX_ROTATIONS 90
#define URB_SHARE_UNIT 65535 /* the whole area */

typedef struct
{
  float   variance;
  guint16 rotation;
  guint16 share[3]; /* building, road, other; fractions of all pixels, in 1 / URB_SHARE_UNIT */
  gint32  col, row; /* upper left corner, in pixels of the rotation's frame */
} UrbCandidate;

typedef struct
{
  UrbCurateOptions options;
  UrbFrame  frames[URB_MAX_ROTATIONS];
  GArray   *items;       /* of UrbCandidate, by falling variance; owned */
  gint64    n_positions; /* examined */
  gint64    n_uncovered; /* rejected: coverage too low */
  gint64    n_low_variance; /* rejected: variance too low */
  double    best_low_variance; /* the highest variance among these; 0 if none */
} UrbCandidates;

/**
 * urb_candidates_find:
 * @hull: of the map, from urb_hull_new_of_map()
 * @fills: whether open ground counts as "other": see open-ground.h
 * @options: in range, with a minimum variance of at least 0; what limits the selection
 *   afterwards is ignored
 *
 * Returns: (transfer full): possibly without items; or %NULL with
 *   URB_DATASET_ERROR_OPTIONS or G_IO_ERROR_CANCELLED
 */
UrbCandidates *urb_candidates_find (UrbMap *map, GArray *hull, gboolean fills,
                                    const UrbCurateOptions *options,
                                    UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                                    GError **error);
void           urb_candidates_free (UrbCandidates *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbCandidates, urb_candidates_free)

UrbSquare urb_candidates_get_square (const UrbCandidates *self, const UrbCandidate *candidate);

G_END_DECLS
