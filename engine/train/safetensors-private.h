/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safetensors-private.h - the JSON header of a safetensors file, without its data.
 */
#pragma once

#include "train/safetensors.h"

G_BEGIN_DECLS

typedef struct
{
  char     *name;       /* owned */
  UrbTensor tensor;     /* with that name; data: NULL until the file's data is found */
  guint64   begin, end; /* bytes, from the start of the data */
} UrbSafetensorsEntry;

/* (element-type UrbSafetensorsEntry); clears its elements. */
GArray *urb_safetensors_entries_new (void);

/* Bytes of one element. */
gsize urb_tensor_type_size (UrbTensorType type);

/**
 * urb_safetensors_header_parse:
 * @text: @length bytes, not terminated; untrusted
 * @data_bytes: size of the data after the header
 * @entries: (out): filled in the order of their data
 * @metadata: (out) (element-type utf8 utf8): filled; owns both
 * @why: (out) (transfer full): the error as a sentence fragment
 *
 * Returns: %FALSE unless @text is a strict header whose tensors have known types and ranks and
 *   unique names, and cover the data without gap or overlap
 */
gboolean urb_safetensors_header_parse (const char *text, gsize length, guint64 data_bytes,
                                       GArray *entries, GHashTable *metadata, char **why);

G_END_DECLS
