/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate-private.h - the dataset to compare a generator with.
 */
#pragma once

#include "dataset/dataset.h"
#include "train/sampler.h"

G_BEGIN_DECLS

/**
 * urb_evaluate_open_dataset:
 * @path: (nullable): NULL: the one that the generator was trained on
 * @full_path: (out): absolute, (transfer full)
 * @min_test: test areas that are needed
 *
 * Returns: (transfer full): NULL with an error if its tiles are smaller than the generator's, or its
 *   test areas too few
 */
UrbDataset *urb_evaluate_open_dataset (UrbSampler *sampler, const char *path, char **full_path,
                                       gint64 min_test, GError **error);

G_END_DECLS
