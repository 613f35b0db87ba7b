/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-result.h - what `urbarium-engine evaluate --json --values` said; see
 * docs/evaluation.md for what the numbers mean.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Numbers that cannot be said are NaN. */
typedef struct
{
  char   *key;   /* "building_share" */
  char   *title; /* as the engine says it */
  char   *unit;  /* "%", "m²", "" */
  double  rho, untrained_rho, train_rho; /* 1: the limit of chance */
  GArray *real, *generated; /* (element-type double): values in the unit */
  GArray *ends;             /* (element-type guint): where those of each real area end */
} UrbariumRealismMeasure;

typedef struct
{
  gint64 generated; /* from 0 */
  gint64 area;      /* index in the dataset */
  double distance;  /* share of the built and paved ground that differs */
} UrbariumRealismPair;

typedef struct
{
  char      *dataset, *dataset_id; /* dataset: its path */
  gboolean   same_dataset;         /* the one that the checkpoint was trained on */
  gint64     seed;
  gint64     n_real, n_generated;
  double     score, untrained_score, train_score; /* geometric means of rho */
  GPtrArray *measures; /* (element-type UrbariumRealismMeasure): the worst first */
  gboolean   copies;   /* the generator repeats training areas */
  double     share_repeats, share_real_repeats;
  double     nearest_generated, nearest_real; /* median distances to the nearest training area */
  GArray    *closest;  /* (element-type UrbariumRealismPair): the closest first */
} UrbariumRealismResult;

/* @json: (@length) bytes, hostile: it may come from a damaged file.
 * Returns: (transfer full): or %NULL with an error */
UrbariumRealismResult *urbarium_realism_result_parse (const char *json, gsize length,
                                                      GError **error);
void                   urbarium_realism_result_free  (UrbariumRealismResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumRealismResult, urbarium_realism_result_free)

G_END_DECLS
