/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-blind.h - writes a blind test: pairs of a real and a generated plan.
 */
#pragma once

#include "base/progress.h"
#include "city/blind.h"
#include "train/sampler.h"

G_BEGIN_DECLS

typedef struct
{
  const char *checkpoint; /* a file or a run folder */
  const char *dataset;    /* (nullable): NULL: that of the checkpoint */
  const char *folder;     /* created if needed; must not have a blind test already */
  guint       n_pairs;    /* 0: URB_BLIND_PAIRS, or as many as there are test areas */
  guint64     seed;
  UrbSamplerPlace on;     /* device of the generator */
} UrbBlindOptions;

/**
 * urb_blind_write:
 * @n_pairs: (out): how many were written
 *
 * The real plans are test areas, each used once, chosen by the seed.  They are drawn as vectors by the same
 * code as the generated ones, at the same scale; the seed decides which is on the left.  Writes sheet.png
 * with all pairs, an image of each plan, answers.txt to fill in, and, last, key.txt.
 *
 * Returns: %FALSE with an error of the checkpoint, the dataset or the disk, or G_IO_ERROR_CANCELLED
 */
gboolean urb_blind_write (const UrbBlindOptions *options, guint *n_pairs, UrbProgressFunc progress,
                          gpointer user_data, GCancellable *cancellable, GError **error);

G_END_DECLS
