/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-private.h - the dataset to compare a generator with, and the measuring of tiles.
 */
#pragma once

#include "city/evaluate.h"

G_BEGIN_DECLS

/* Generated areas @first .. @first + @count: of the generator, or of the images.
 * @levels: (out): (@count, size_px, size_px, n_channels) */
gboolean urb_evaluation_read_generated (UrbEvaluation *self, gint64 first, gint64 count,
                                        guint8 *levels, GError **error);

/**
 * urb_evaluate_open_dataset:
 * @generator: (nullable): NULL: any size will do
 * @path: (nullable): NULL: the one that the generator was trained on
 * @full_path: (out): absolute, (transfer full)
 * @min_test: test areas that are needed
 *
 * Returns: (transfer full): NULL with an error if its tiles are smaller than the generator's, or its
 *   test areas too few
 */
UrbDataset *urb_evaluate_open_dataset (const UrbSamplerInfo *generator, const char *path,
                                       char **full_path, gint64 min_test, GError **error);

/* Measures tiles into an evaluation. */
typedef struct
{
  UrbEvaluation  *evaluation; /* borrowed */
  GArray         *thumbs[URB_N_GROUPS]; /* UrbThumb; NULL unless neighbors are needed */
  double          area_size_m;
  int             n_threads; /* 0: all cores */
  gint64          n_done, n_total; /* tiles, for the progress */
  UrbProgressFunc progress; /* (nullable) */
  gpointer        user_data;
  GCancellable   *cancellable;
} UrbEvaluateJob;

/* Makes the comparisons, without values, of an evaluation that has a dataset, and a sampler or images. */
void     urb_evaluate_prepare (UrbEvaluateJob *job);
/* Reports progress.  Returns: FALSE if cancelled */
gboolean urb_evaluate_report_tiles (UrbEvaluateJob *job, gint64 n_tiles, const char *what,
                                    GError **error);
/* @group: URB_GROUP_GENERATED or URB_GROUP_UNTRAINED */
gboolean urb_evaluate_measure_generated (UrbEvaluateJob *job, UrbGroup group, gint64 count,
                                         const char *what, GError **error);
/* Measures at most @limit areas of a split, chosen by the seed. */
gboolean urb_evaluate_measure_real (UrbEvaluateJob *job, UrbGroup group, UrbSplit split, gint64 limit,
                                    const char *what, GError **error);

G_END_DECLS
