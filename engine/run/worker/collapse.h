/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collapse.h - when to say that the samples of a run have become too much alike.
 *
 * Not because of one wall, nor of a generator that has not learnt anything yet: what is untrained draws
 * much the same everywhere.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  URB_COLLAPSE_NOTHING_NEW,
  URB_COLLAPSE_BEGUN,
  URB_COLLAPSE_OVER
} UrbCollapseNews;

/* Begins with all 0. */
typedef struct
{
  gboolean has_learnt; /* its samples were different once */
  gboolean collapsed;
  int      n_low;      /* walls in a row */
} UrbCollapse;

/**
 * urb_collapse_look:
 * @diversity: of the newest wall, see train/diversity.h; NaN if it is not known
 * @images: that the run has seen
 */
UrbCollapseNews urb_collapse_look (UrbCollapse *self, double diversity, gint64 images);

/* A sentence about it. */
char *urb_collapse_dup_text (UrbCollapseNews news, double diversity);

G_END_DECLS
