/* SPDX-License-Identifier: Apache-2.0 */
/*
 * how-made.h - how a dataset was made of its map, as its recipe tells, so that it can be made again.
 */
#pragma once

#include "base/json-build.h"
#include "dataset/curate.h"

G_BEGIN_DECLS

typedef struct
{
  /* owned: what was chosen when the map was read; the rest is recognized again.  The width of roads may be any number. */
  UrbMapOptions    map;
  UrbCurateOptions curate;
  gboolean         fills_hull; /* an earlier version counted all ground within the map's convex hull as "other" */
  gint64           n_by_hand; /* areas that were added or removed by hand, which are not told one by one */
} UrbHowMade;

/* Adds to the open object what was chosen by hand when the map was read; nothing for what was recognized.  Files are told by
 * their names alone. */
void     urb_how_made_add_choices (JsonBuilder *json, const UrbMapOptions *choices);

/* @self: (out): cleared by urb_how_made_clear().  What a recipe of an earlier version does not tell is as by default.
 * Fails with a %URB_DATASET_ERROR that names what is wrong in the recipe */
gboolean urb_how_made_read  (UrbHowMade *self, const char *dataset, GError **error);
void     urb_how_made_clear (UrbHowMade *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbHowMade, urb_how_made_clear)

/* Adds a sentence for the layers, and one for the values, for which something was chosen and which @map does not have.
 * @warnings: (element-type utf8): frees its elements */
void     urb_how_made_compare (const UrbHowMade *self, UrbMap *map, GPtrArray *warnings);

G_END_DECLS
