/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.h - compares generated cities with real ones that the generator has never
 * seen; see docs/evaluation.md.
 */
#pragma once

#include "base/progress.h"
#include "city/comparison.h"
#include "city/copying.h"
#include "city/image-set.h"
#include "dataset/dataset.h"
#include "train/sampler.h"

G_BEGIN_DECLS

typedef struct
{
  gint64     generated; /* number of the city */
  UrbNearest nearest;   /* the training area */
  gboolean   repeats;   /* by the limit of UrbCopying */
} UrbResemblance;

typedef struct
{
  UrbDataset      *dataset;  /* owned */
  char            *dataset_path; /* owned; absolute */
  UrbSampler      *sampler;  /* (nullable) owned; NULL: images are evaluated */
  UrbSampler      *untrained; /* (nullable) owned */
  UrbImageSet     *images;   /* (nullable) owned */
  guint64          seed;
  int              size_px, base_px, n_channels; /* of the generated areas, as in UrbSamplerInfo */
  gboolean         same_dataset; /* the checkpoint was trained on it */
  UrbComparison   *plans;    /* owned; generated areas as they are exported, as vectors */
  UrbComparison   *pixels;   /* owned; all as the generator's pixels, without any cleanup */
  UrbCopying       copying;        /* whether training areas are copied */
  gint64           n_missing; /* shapes of all plans that could not be made, which they lack */
  GArray          *closest;        /* UrbResemblance, owned; at most 16: those that repeat an area
                                    * first, then by share */
} UrbEvaluation;

typedef struct
{
  const char *checkpoint; /* (nullable): a file or a run folder; NULL: evaluate the images */
  const char *dataset;    /* (nullable): NULL: that of the checkpoint */
  gint64      count;      /* generated tiles; 0: 256, or all images */
  guint64     seed;
  UrbSamplerPlace on;     /* device of the generators; all else runs on the CPU */
  const char *images;     /* (nullable): a folder as for urb_image_set_open(); needs a dataset */
} UrbEvaluateOptions;

/**
 * urb_evaluate:
 *
 * Of images, what networks produce before training is not known: nothing is measured in that group.
 *
 * Memory: a few kilobytes per tile; images are generated and read in batches.
 *
 * Returns: (transfer full): or %NULL with the error of the checkpoint or the dataset, or
 *   G_IO_ERROR_CANCELLED
 */
UrbEvaluation *urb_evaluate (const UrbEvaluateOptions *options, UrbProgressFunc progress,
                             gpointer user_data, GCancellable *cancellable, GError **error);
void           urb_evaluation_free (UrbEvaluation *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbEvaluation, urb_evaluation_free)

typedef enum
{
  URB_EVALUATION_SUMMARY,
  URB_EVALUATION_VALUES /* also the measured values, thinned */
} UrbEvaluationDetail;

/* Values kept per measure and group. */
#define URB_EVALUATION_MAX_VALUES 2000

/* JSON with the keys of docs/evaluation.md; with values, a single line of up to several hundred
 * kilobytes. */
char          *urb_evaluation_to_json (const UrbEvaluation *self, UrbEvaluationDetail detail);
/* A table for display. */
char          *urb_evaluation_to_text (const UrbEvaluation *self);

/* Writes evaluation.json, evaluation.txt, distributions.png and sample grids to @folder, which
 * is created if needed. */
gboolean urb_evaluation_write_report (UrbEvaluation *self, const char *folder, GError **error);

G_END_DECLS
