/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch-finder.h - finds the largest batch that fits into memory, and the one with which an image takes least time.
 *
 * What fits is planned; what is fast is measured by short trials, of which the caller knows how to make one.
 */
#pragma once

#include "train/preflight.h"

G_BEGIN_DECLS

typedef struct
{
  int    batch;
  gint64 bytes;             /* of all ranks on this host, or of a GPU */
  double images_per_second; /* NaN: not measured */
  gboolean has_failed;
} UrbBatchTrial;

/* What the search found. */
typedef struct
{
  GArray  *trials;    /* (element-type UrbBatchTrial) owned: by rising batch, all of which fit */
  guint    fastest;   /* of trials */
  guint    largest;   /* the last of them that did not fail */
  char    *failure;   /* (nullable) owned: why the last trial failed, if it did: no larger batch was tried */
  gint64   n_areas;   /* of the dataset, for training, if fewer than settings may have; 0: else */
  gint64   available; /* bytes; G_MAXINT64: unknown */
  gboolean is_bound;  /* the last is the largest that settings may have, or that has no area twice */
  gboolean is_short;  /* of time: larger batches might be faster */
} UrbBatchSearch;

UrbBatchTrial *urb_batch_search_get_trial (const UrbBatchSearch *self, guint i); /* (transfer none) */
void           urb_batch_search_clear     (UrbBatchSearch *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbBatchSearch, urb_batch_search_clear)

/**
 * UrbBatchMeasure:
 * @options: with a batch
 * @n_steps: to measure, after some that do not count
 *
 * Returns: images per second; 0 with @error
 */
typedef double (*UrbBatchMeasure) (const UrbTrainOptions *options, int n_steps, gpointer user_data, GError **error);

/**
 * urb_batches_find:
 * @options: resolved; all but the batch stays
 * @seconds: no trial but the first is begun that would end later
 * @out: (out caller-allocates)
 *
 * Tries batches that ranks and microbatches divide equally, each twice the one before, until they are
 * not faster any more, or one fails.  With a dataset, none has more images than that has areas for
 * training.
 *
 * Returns: %FALSE if not even the smallest batch fits, or its trial fails
 */
gboolean urb_batches_find (const UrbTrainOptions *options, const UrbKeeping *keeping, const UrbLimits *limits,
                           double seconds, UrbBatchMeasure measure, gpointer user_data, GCancellable *cancellable,
                           UrbBatchSearch *out, GError **error);

G_END_DECLS
