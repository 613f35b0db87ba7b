/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-safetensors.c - an untrusted checkpoint.
 *
 * It has no checksum, which would reject nearly all inputs.
 */
#include <string.h>

#include "fuzz.h"
#include "train/safetensors.h"

static const char header[] =
  "{\"__metadata__\":{\"step\":\"12\",\"options\":\"[train]\\nseed=1\\u00e4\"},"
  "\"a.weight\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]},"
  "\"b\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}}     ";

void
fuzz_add_seeds (GPtrArray *inputs)
{
  g_autoptr(GByteArray) file = g_byte_array_new ();
  const guint64 length = sizeof header - 1;
  const guint8 data[32] = { 1, 2, 3 };
  g_byte_array_append (file, (const guint8 *) &length, sizeof length);
  g_byte_array_append (file, (const guint8 *) header, (guint) length);
  g_byte_array_append (file, data, sizeof data);
  fuzz_add_input (inputs, file->data, file->len);
}

/* Reads all data that the header declares. */
static void
read_tensor (const UrbTensor *tensor)
{
  gsize n_bytes = tensor->type == URB_TENSOR_F64 ? 8 : 4;
  guint8 sum = 0;
  for (int i = 0; i < tensor->n_dims; i++)
    n_bytes *= (gsize) tensor->shape[i];
  for (gsize i = 0; i < n_bytes; i++)
    sum ^= ((const guint8 *) tensor->data)[i];
  g_assert_nonnull (tensor->name);
  g_assert_cmpuint (sum, <, 256);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (fuzz_write_file (data, size), &error);
  if (file == NULL)
    {
      g_assert_nonnull (error);
      return 0;
    }
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (file); i++)
    read_tensor (urb_safetensors_get_tensor (file, i));
  return 0;
}
