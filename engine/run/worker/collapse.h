/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapse.h - detects that the samples of a run have become too similar (mode collapse).
 *
 * A single sample grid does not count, nor does a generator that has learned nothing yet:
 * untrained, it draws much the same everywhere.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_COLLAPSE_UNCHANGED,
  URB_COLLAPSE_BEGUN,
  URB_COLLAPSE_OVER
} UrbCollapseNews;

/* All zero at first. */
typedef struct
{
  gboolean has_learnt; /* its samples differed at some time */
  gboolean collapsed;
  int      n_low;      /* sample grids in a row */
  gint64   diverse_step; /* of the last sample grid that was not too similar; 0: none */
} UrbCollapse;

/**
 * urb_collapse_update:
 * @diversity: of the newest sample grid, see train/diversity.h; NaN if unknown
 * @step, @images: that the run has done, and seen
 */
UrbCollapseNews urb_collapse_update (UrbCollapse *self, double diversity, gint64 step,
                                     gint64 images);

/* A sentence about it, without its end. */
char *urb_collapse_dup_text (UrbCollapseNews news, double diversity);

G_END_DECLS
