/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-result.h - the output of `urbarium-engine evaluate --json --values`; docs/evaluation.md
 * explains the values.
 */
#pragma once

#include <gio/gio.h>

#include "city/neighbors.h"

G_BEGIN_DECLS

/* Undefined numbers are NaN. */
typedef struct
{
  char   *key;   /* "building_share" */
  char   *title; /* the engine's, untranslated */
  char   *unit;  /* "%", "m²", "" */
  double  rho, untrained_rho, train_rho; /* 1: the limit of chance */
  gboolean half_off; /* the generated median is off by half or more */
  gint64  rank; /* 1: the largest rho of the plans; 0: none */
  GArray *real, *generated; /* (element-type double): values in the unit */
  GArray *ends;             /* (element-type guint): end index in real of each real area */
} UrbariumRealismMeasure;

typedef struct
{
  gint64 generated; /* from 0 */
  UrbNearest nearest; /* the training area; without its shift in cells */
  double shift_m;
  gboolean repeats; /* enough for a copy */
} UrbariumRealismPair;

typedef struct
{
  char      *dataset, *dataset_id; /* dataset: its path */
  gboolean   same_dataset;         /* the one that the checkpoint was trained on */
  gint64     seed;
  gint64     n_real, n_generated;
  gint64     n_places;             /* of the real areas */
  double     score, untrained_score, train_score; /* geometric means of rho */
  char      *verdict;  /* (nullable): "none", "alike", "close", "similar", "far"; NULL: of an older
                        * version, which had none */
  double     precision, recall;    /* shares of generated areas like real ones, and vice versa */
  double     train_precision, train_recall; /* the same of training areas */
  GPtrArray *measures; /* (element-type UrbariumRealismMeasure): worst first */
  guint      n_worst;  /* the first measures, as far as the verdict names them */
  gboolean   copies;   /* the generator repeats training areas */
  gint64     n_repeats; /* generated areas that do; -1: not measured */
  double     share_repeats, share_real_repeats;
  gint64     n_shared; /* held-out areas that are training areas too */
  GArray    *closest;  /* (element-type UrbariumRealismPair): those that repeat first, then by share */
} UrbariumRealismResult;

/* @json: (@length) bytes, untrusted: the file may be damaged.
 * Returns: (transfer full): or %NULL with an error */
UrbariumRealismResult *urbarium_realism_result_parse (const char *json, gsize length,
                                                      GError **error);
void                   urbarium_realism_result_free  (UrbariumRealismResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumRealismResult, urbarium_realism_result_free)

G_END_DECLS
