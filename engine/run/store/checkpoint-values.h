/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint-values.h - how the weights and gradients of a checkpoint are distributed, tensor by tensor.
 *
 * A checkpoint has no gradients; the root of Adam's second moment is their root mean square over the last steps.
 */
#pragma once

#include <glib.h>

#include "train/safetensors.h"

G_BEGIN_DECLS

enum { URB_N_VALUE_BINS = 30 }; /* as many as TensorFlow's summaries have */

typedef struct
{
  char  *tag;      /* owned; "weights/g.0.weight" */
  double min, max; /* of the finite elements; the bins between them are equal */
  gint64 counts[URB_N_VALUE_BINS];
} UrbValueCounts;

/* (transfer full) (element-type UrbValueCounts): frees its elements */
GPtrArray *urb_value_counts_new_array (void);

/* Counts at most so many elements of a tensor, at equal distances. */
#define URB_MAX_COUNTED ((gint64) 1 << 18)

/**
 * urb_checkpoint_count_values:
 *
 * Reads the whole file.  Weights of the averaged generator and tensors without any finite element are left out.
 *
 * Returns: (transfer full) (element-type UrbValueCounts): %NULL with a %URB_SAFETENSORS_ERROR
 */
GPtrArray *urb_checkpoint_count_values (const char *path, GError **error);

G_END_DECLS
