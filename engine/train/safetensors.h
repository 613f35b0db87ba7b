/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safetensors.h - the file format of checkpoints.
 *
 * The format of Hugging Face: 8 bytes of header length (little endian), a JSON header { name: {
 * dtype, shape, data_offsets }, "__metadata__": { string: string } }, then the data.  We add a
 * checksum to the metadata, "checksum": "xxh3-128:" and 32 digits: XXH3-128 of the header, with
 * zeros for these digits, and of the data.  It is checked on reading if present; files of other
 * writers may lack it.  Files are untrusted until their bounds are checked.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define URB_SAFETENSORS_ERROR (urb_safetensors_error_quark ())
GQuark urb_safetensors_error_quark (void);

typedef enum
{
  URB_SAFETENSORS_ERROR_OPEN,
  URB_SAFETENSORS_ERROR_DAMAGED,
  URB_SAFETENSORS_ERROR_MISSING, /* no such tensor, or other shape or type */
  URB_SAFETENSORS_ERROR_WRITE
} UrbSafetensorsError;

typedef enum { URB_TENSOR_F32, URB_TENSOR_F64 } UrbTensorType;

enum { URB_TENSOR_MAX_DIMS = 4 };

typedef struct
{
  const char   *name;   /* borrowed */
  UrbTensorType type;
  int           n_dims;
  gint64        shape[URB_TENSOR_MAX_DIMS];
  const void   *data;   /* (nullable) borrowed, row-major; NULL: in pieces */
} UrbTensor;

/* The product of its dimensions. */
gint64 urb_tensor_count_elements (const UrbTensor *tensor);

/* Elements of a tensor that are in memory at a time: whole rows, which are entries of its first dimension, in up to
 * 16 MiB if a row is not larger. */
gint64 urb_tensor_get_piece (int n_dims, const gint64 *shape, gsize element_size);

/* Reads elements [@first, @first + @count) of tensor @index, a piece, into @values. */
typedef gboolean (*UrbTensorFunc) (gpointer data, gsize index, gint64 first, gint64 count,
                                   void *values, GError **error);

/**
 * urb_safetensors_write:
 * @metadata: (element-type utf8 utf8)
 *
 * Writes to a temporary name in the same folder, syncs, renames, syncs the folder: at any time
 * @path is the whole old file or the whole new one.
 */
gboolean urb_safetensors_write (const char *path, const UrbTensor *tensors, gsize n_tensors,
                                GHashTable *metadata, GError **error);
/* The same for tensors that may have no data: @read reads them, one after the other and each from its
 * beginning to its end.  Its errors end the writing. */
gboolean urb_safetensors_write_pieces (const char *path, const UrbTensor *tensors, gsize n_tensors,
                                       UrbTensorFunc read, gpointer data, GHashTable *metadata,
                                       GError **error);

typedef struct _UrbSafetensors UrbSafetensors;

/* Maps @path, checks header, bounds and checksum. */
UrbSafetensors *urb_safetensors_open (const char *path, GError **error);
void            urb_safetensors_free (UrbSafetensors *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbSafetensors, urb_safetensors_free)

gsize            urb_safetensors_get_n_tensors (UrbSafetensors *self);
const UrbTensor *urb_safetensors_get_tensor    (UrbSafetensors *self, gsize index);
/* (nullable) */
const UrbTensor *urb_safetensors_lookup        (UrbSafetensors *self, const char *name);
/* (nullable) */
const char      *urb_safetensors_get_metadata  (UrbSafetensors *self, const char *key);

G_END_DECLS
