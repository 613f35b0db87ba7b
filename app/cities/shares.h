/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shares.h - what generators with shares can be asked for: how much of an area is built, how much is
 * road, and how much is large buildings.  See docs/presets.md.
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_SHARE_BUILT,
  URBARIUM_SHARE_ROADS,
  URBARIUM_SHARE_HALLS,
  URBARIUM_N_SHARES
} UrbariumShare;

/* Keys of the drawing protocol: "built", "roads", "halls" */
extern const char *const urbarium_share_keys[URBARIUM_N_SHARES];
/* Titles, to be translated */
extern const char *const urbarium_share_titles[URBARIUM_N_SHARES];

/* Of the areas that a generator was trained on, from 0 to 1: 1st and 99th percentile, and mean */
typedef struct
{
  double low, high, mean;
} UrbariumShareRange;

/* From 0 to 1; negative: as in the map */
typedef struct
{
  double share[URBARIUM_N_SHARES];
} UrbariumShareWish;

#define URBARIUM_SHARES_AS_IN_MAP ((UrbariumShareWish) { { -1, -1, -1 } })

gboolean urbarium_share_wish_equal    (const UrbariumShareWish *a, const UrbariumShareWish *b);
/* Whether anything is asked for. */
gboolean urbarium_share_wish_is_given (const UrbariumShareWish *self);

#define URBARIUM_TYPE_SHARES (urbarium_shares_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumShares, urbarium_shares, URBARIUM, SHARES, GObject)

/* What the user asks for, and within which range.
 *
 * Property: there (boolean, read-only, with notify: the generator has shares).
 *
 * Signals:
 *  "changed": the wish
 *  "ranges-changed": another generator
 */
UrbariumShares *urbarium_shares_new (void);

/* @ranges: (nullable): (URBARIUM_N_SHARES); NULL: the generator has no shares, and the wish is dropped.
 * A wish beyond the range is moved to it. */
void            urbarium_shares_set_ranges (UrbariumShares *self, const UrbariumShareRange *ranges);
/* Returns: (transfer none) (nullable) */
const UrbariumShareRange *urbarium_shares_get_ranges (UrbariumShares *self);
/* @value: negative: as in the map */
void            urbarium_shares_set_wish (UrbariumShares *self, UrbariumShare share, double value);
/* All shares at once, each within its range. */
void            urbarium_shares_set_wishes (UrbariumShares *self, const UrbariumShareWish *wish);
const UrbariumShareWish  *urbarium_shares_get_wish   (UrbariumShares *self);

G_END_DECLS
