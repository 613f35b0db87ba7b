/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safetensors.c - writes and maps safetensors files.
 *
 * The checksum covers the header, which contains the checksum: it is computed with zeros for its
 * digits, which are then patched.
 */
#include "train/safetensors-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/atomic-file.h"
#include "base/json-build.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "safetensors files are little endian, and are mapped without conversion"
#endif

/* A hundred times the header of our largest network; the reference implementation accepts 100 MB,
 * whose parsed form takes ten times that. */
enum { MAX_HEADER_BYTES = 16 << 20 };
/* Of tensors that are not aligned; those in our files are. */
#define MAX_COPIED_BYTES ((guint64) 1 << 30)
enum { LENGTH_BYTES = 8, DIGEST_CHARS = 32, PIECE_BYTES = 16 << 20 };

#define METADATA_NAME "__metadata__"
#define CHECKSUM_KEY "checksum"
#define CHECKSUM_PREFIX "xxh3-128:"
static const char checksum_field[] = "\"" CHECKSUM_KEY "\":\"" CHECKSUM_PREFIX;
static const char zero_digest[] = "00000000000000000000000000000000";

G_DEFINE_QUARK (urb-safetensors-error-quark, urb_safetensors_error)

struct _UrbSafetensors
{
  guint8     *map;      /* owned; the whole file */
  gsize       n_bytes;
  gsize       header_bytes;
  GArray     *entries;  /* owned; UrbSafetensorsEntry */
  GPtrArray  *copies;   /* owned; data of unaligned tensors */
  GHashTable *by_name;  /* owned; borrowed name -> borrowed UrbTensor */
  GHashTable *metadata; /* owned */
};

static XXH3_state_t *
hash_new (void)
{
  XXH3_state_t *state = XXH3_createState ();
  g_assert (state != NULL);
  XXH3_128bits_reset (state);
  return state;
}

static void
hash_finish (XXH3_state_t *state, char digest[DIGEST_CHARS + 1])
{
  XXH128_hash_t hash = XXH3_128bits_digest (state);
  g_snprintf (digest, DIGEST_CHARS + 1, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
              (guint64) hash.high64, (guint64) hash.low64);
  XXH3_freeState (state);
}

/* ------------------------------------------------------------------------ */
/* Writing                                                                   */

gint64
urb_tensor_count_elements (const UrbTensor *tensor)
{
  gint64 n = 1;
  for (int i = 0; i < tensor->n_dims; i++)
    n *= tensor->shape[i];
  return n;
}

static gsize
tensor_bytes (const UrbTensor *tensor)
{
  return urb_tensor_type_size (tensor->type) * (gsize) urb_tensor_count_elements (tensor);
}

gint64
urb_tensor_get_piece (int n_dims, const gint64 *shape, gsize element_size)
{
  gint64 most = PIECE_BYTES / (gint64) element_size, row = 1, n = n_dims > 0 ? shape[0] : 1;

  for (int i = 1; i < n_dims; i++)
    row *= shape[i];
  return MIN (n, MAX (most / MAX (row, 1), 1)) * row;
}

static gint64
count_piece (const UrbTensor *tensor)
{
  return urb_tensor_get_piece (tensor->n_dims, tensor->shape, urb_tensor_type_size (tensor->type));
}

/* Doubles before floats, so that all are aligned. */
static const UrbTensor **
sort_for_file (const UrbTensor *tensors, gsize n_tensors)
{
  static const UrbTensorType order[] = { URB_TENSOR_F64, URB_TENSOR_F32 };
  const UrbTensor **sorted = g_new (const UrbTensor *, n_tensors + 1);
  gsize n = 0;
  for (gsize pass = 0; pass < G_N_ELEMENTS (order); pass++)
    for (gsize i = 0; i < n_tensors; i++)
      if (tensors[i].type == order[pass])
        sorted[n++] = &tensors[i];
  g_assert (n == n_tensors);
  return sorted;
}

static void
add_metadata (JsonBuilder *header, GHashTable *metadata)
{
  g_autoptr(GList) keys = metadata != NULL ? g_hash_table_get_keys (metadata) : NULL;
  g_autofree char *no_checksum = g_strconcat (CHECKSUM_PREFIX, zero_digest, NULL);
  keys = g_list_sort (keys, (GCompareFunc) strcmp);
  urb_json_begin_object (header, METADATA_NAME);
  for (GList *l = keys; l != NULL; l = l->next)
    if (strcmp (l->data, CHECKSUM_KEY) != 0)
      urb_json_add_string (header, l->data, g_hash_table_lookup (metadata, l->data));
  urb_json_add_string (header, CHECKSUM_KEY, no_checksum);
  urb_json_end_object (header);
}

static void
add_tensor (JsonBuilder *header, const UrbTensor *tensor, guint64 begin)
{
  urb_json_begin_object (header, tensor->name);
  urb_json_add_string (header, "dtype", tensor->type == URB_TENSOR_F64 ? "F64" : "F32");
  urb_json_begin_array (header, "shape");
  for (int i = 0; i < tensor->n_dims; i++)
    urb_json_add_int (header, NULL, tensor->shape[i]);
  urb_json_end_array (header);
  urb_json_begin_array (header, "data_offsets");
  urb_json_add_int (header, NULL, (gint64) begin);
  urb_json_add_int (header, NULL, (gint64) (begin + tensor_bytes (tensor)));
  urb_json_end_array (header);
  urb_json_end_object (header);
}

/* @digest_at: (out): the position of the digest */
static GString *
build_header (const UrbTensor **tensors, gsize n_tensors, GHashTable *metadata, gsize *digest_at)
{
  JsonBuilder *json = urb_json_new ();
  g_autofree char *text = NULL;
  GString *header;
  guint64 at = 0;
  add_metadata (json, metadata);
  for (gsize i = 0; i < n_tensors; i++)
    {
      add_tensor (json, tensors[i], at);
      at += tensor_bytes (tensors[i]);
    }
  text = urb_json_end (json);
  header = g_string_new (text);
  /* Within a string its quotes would be escaped: there is one such field. */
  *digest_at = (gsize) (strstr (header->str, checksum_field) - header->str) + strlen (checksum_field);
  while (header->len % 8 != 0)
    g_string_append_c (header, ' ');
  return header;
}

typedef struct
{
  UrbAtomicFile *file; /* borrowed */
  XXH3_state_t  *hash; /* borrowed */
  UrbTensorFunc  read; /* (nullable) */
  gpointer       data;
  void          *piece; /* (nullable) owned */
} Writer;

static gboolean
write_bytes (Writer *self, const void *bytes, gsize n_bytes, GError **error)
{
  XXH3_128bits_update (self->hash, bytes, n_bytes);
  return urb_atomic_file_write (self->file, bytes, n_bytes, error);
}

/* @index: in the caller's order */
static gboolean
write_tensor (Writer *self, const UrbTensor *tensor, gsize index, GError **error)
{
  gint64 size = (gint64) urb_tensor_type_size (tensor->type);
  gint64 n = urb_tensor_count_elements (tensor), most = count_piece (tensor);

  if (tensor->data != NULL)
    return write_bytes (self, tensor->data, tensor_bytes (tensor), error);
  for (gint64 first = 0; first < n; first += most)
    {
      gint64 count = MIN (most, n - first);

      if (!self->read (self->data, index, first, count, self->piece, error)
          || !write_bytes (self, self->piece, (gsize) (count * size), error))
        return FALSE;
    }
  return TRUE;
}

/* Room for any piece of the tensors that have to be read: 0 if there are none. */
static gsize
find_room (const UrbTensor **tensors, gsize n_tensors)
{
  gsize room = 0;

  for (gsize i = 0; i < n_tensors; i++)
    if (tensors[i]->data == NULL)
      room = MAX (room, (gsize) count_piece (tensors[i]) * urb_tensor_type_size (tensors[i]->type));
  return room;
}

/* @tensors: in the order of the file; @first: the caller's array */
static gboolean
write_parts (Writer *self, const UrbTensor **tensors, gsize n_tensors, const UrbTensor *first,
             const GString *header, gsize digest_at, GError **error)
{
  char digest[DIGEST_CHARS + 1];
  guint64 length = header->len;
  gboolean good = urb_atomic_file_write (self->file, &length, sizeof length, error);

  self->piece = g_malloc (find_room (tensors, n_tensors));
  self->hash = hash_new ();
  good = good && write_bytes (self, header->str, header->len, error);
  for (gsize i = 0; i < n_tensors && good; i++)
    good = write_tensor (self, tensors[i], (gsize) (tensors[i] - first), error);
  g_clear_pointer (&self->piece, g_free);
  hash_finish (self->hash, digest);
  return good
         && urb_atomic_file_patch (self->file, (gint64) (LENGTH_BYTES + digest_at), digest,
                                   DIGEST_CHARS, error)
         && urb_atomic_file_commit (self->file, error);
}

static gboolean
names_are_unique (const UrbTensor *tensors, gsize n_tensors)
{
  g_autoptr(GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (gsize i = 0; i < n_tensors; i++)
    if (strcmp (tensors[i].name, METADATA_NAME) == 0
        || !g_hash_table_add (names, (gpointer) tensors[i].name))
      return FALSE;
  return TRUE;
}

gboolean
urb_safetensors_write (const char *path, const UrbTensor *tensors, gsize n_tensors,
                       GHashTable *metadata, GError **error)
{
  return urb_safetensors_write_pieces (path, tensors, n_tensors, NULL, NULL, metadata, error);
}

gboolean
urb_safetensors_write_pieces (const char *path, const UrbTensor *tensors, gsize n_tensors,
                              UrbTensorFunc read, gpointer data, GHashTable *metadata, GError **error)
{
  g_autofree const UrbTensor **sorted = NULL;
  g_autoptr(GString) header = NULL;
  g_autoptr(UrbAtomicFile) file = NULL;
  g_autoptr(GError) cause = NULL;
  Writer writer = { .read = read, .data = data };
  gsize digest_at;

  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (names_are_unique (tensors, n_tensors), FALSE);

  sorted = sort_for_file (tensors, n_tensors);
  header = build_header (sorted, n_tensors, metadata, &digest_at);
  writer.file = file = urb_atomic_file_open (path, &cause);
  if (file != NULL && write_parts (&writer, sorted, n_tensors, tensors, header, digest_at, &cause))
    return TRUE;
  if (cause->domain == G_FILE_ERROR)
    g_set_error_literal (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_WRITE, cause->message);
  else
    g_propagate_error (error, g_steal_pointer (&cause)); /* of @read */
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

static gboolean
fail_damaged (const char *path, const char *why, GError **error)
{
  g_set_error (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_DAMAGED,
               N_ ("'%s' is not a whole safetensors file: %s"), path, why);
  return FALSE;
}

static gboolean
map_file (UrbSafetensors *self, const char *path, GError **error)
{
  struct stat info;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  void *map = MAP_FAILED;
  gboolean is_file = FALSE, is_short = FALSE;
  if (fd >= 0 && fstat (fd, &info) == 0)
    {
      is_file = S_ISREG (info.st_mode);
      is_short = info.st_size < LENGTH_BYTES;
      errno = S_ISDIR (info.st_mode) ? EISDIR : EINVAL;
      if (is_file && !is_short)
        map = mmap (NULL, (gsize) info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
  if (is_file && is_short)
    fail_damaged (path, N_ ("it is too short"), error);
  else if (map == MAP_FAILED)
    g_set_error (error, URB_SAFETENSORS_ERROR, URB_SAFETENSORS_ERROR_OPEN, N_ ("Cannot open '%s': %s"),
                 path, g_strerror (errno));
  if (fd >= 0)
    close (fd);
  if (map == MAP_FAILED)
    return FALSE;
  self->map = map;
  self->n_bytes = (gsize) info.st_size;
  return TRUE;
}

static gboolean
parse_header (UrbSafetensors *self, const char *path, GError **error)
{
  g_autofree char *why = NULL;
  guint64 length;
  memcpy (&length, self->map, sizeof length);
  if (length > MAX_HEADER_BYTES || length > self->n_bytes - LENGTH_BYTES)
    return fail_damaged (path, N_ ("its header does not fit into it"), error);
  self->header_bytes = (gsize) length;
  if (!urb_safetensors_header_parse ((const char *) self->map + LENGTH_BYTES, self->header_bytes,
                                     self->n_bytes - LENGTH_BYTES - self->header_bytes,
                                     self->entries, self->metadata, &why))
    return fail_damaged (path, why, error);
  return TRUE;
}

/* Files of other writers need no checksum.  The search ensures that a flipped bit in the key's name
 * does not disable the check of our own files. */
static gboolean
check_checksum (UrbSafetensors *self, const char *path, GError **error)
{
  const char *text = g_hash_table_lookup (self->metadata, CHECKSUM_KEY);
  const guint8 *header = self->map + LENGTH_BYTES;
  const guint8 *field, *digits, *end = header + self->header_bytes;
  char digest[DIGEST_CHARS + 1];
  XXH3_state_t *hash;
  if (text == NULL
      && memmem (header, self->header_bytes, CHECKSUM_PREFIX, strlen (CHECKSUM_PREFIX)) == NULL)
    return TRUE;
  field = memmem (header, self->header_bytes, checksum_field, strlen (checksum_field));
  digits = field != NULL ? field + strlen (checksum_field) : NULL;
  if (digits == NULL || end - digits < DIGEST_CHARS)
    return fail_damaged (path, "its checksum is of an unknown kind", error);
  hash = hash_new ();
  XXH3_128bits_update (hash, header, (gsize) (digits - header));
  XXH3_128bits_update (hash, zero_digest, DIGEST_CHARS);
  digits += DIGEST_CHARS;
  XXH3_128bits_update (hash, digits, self->n_bytes - (gsize) (digits - self->map));
  hash_finish (hash, digest);
  if (memcmp (digest, digits - DIGEST_CHARS, DIGEST_CHARS) != 0)
    return fail_damaged (path, N_ ("its checksum does not match, so it is damaged"),
                         error);
  return TRUE;
}

static gboolean
is_aligned (const guint8 *data, const UrbSafetensorsEntry *entry)
{
  return (uintptr_t) data % urb_tensor_type_size (entry->tensor.type) == 0
         || entry->end == entry->begin;
}

/* A sparse file may be far larger than its space on the disk. */
static gboolean
check_copies (UrbSafetensors *self, const char *path, GError **error)
{
  const guint8 *data = self->map + LENGTH_BYTES + self->header_bytes;
  guint64 n_bytes = 0;
  for (guint i = 0; i < self->entries->len; i++)
    {
      const UrbSafetensorsEntry *entry = &g_array_index (self->entries, UrbSafetensorsEntry, i);
      if (!is_aligned (data + entry->begin, entry))
        n_bytes += entry->end - entry->begin;
    }
  return n_bytes <= MAX_COPIED_BYTES
         || fail_damaged (path, "more than a gigabyte of its tensors is not aligned; write it again, "
                                "with its header filled up to a multiple of 8 bytes", error);
}

static gboolean
is_finite (const UrbTensor *tensor, gsize n_bytes)
{
  const float *floats = tensor->data;
  const double *doubles = tensor->data;
  gsize n = n_bytes / urb_tensor_type_size (tensor->type);
  gboolean good = TRUE;
  if (tensor->type == URB_TENSOR_F64)
    for (gsize i = 0; i < n; i++)
      good &= isfinite (doubles[i]) != 0;
  else
    for (gsize i = 0; i < n; i++)
      good &= isfinite (floats[i]) != 0;
  return good;
}

/* Whatever is made of such values is not finite either. */
static gboolean
check_values (UrbSafetensors *self, const char *path, GError **error)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const UrbSafetensorsEntry *entry = &g_array_index (self->entries, UrbSafetensorsEntry, i);
      g_autofree char *why = NULL;
      if (is_finite (&entry->tensor, (gsize) (entry->end - entry->begin)))
        continue;
      why = g_strdup_printf ("its tensor “%s” has values that are not finite", entry->name);
      return fail_damaged (path, why, error);
    }
  return TRUE;
}

static void
find_data (UrbSafetensors *self)
{
  const guint8 *data = self->map + LENGTH_BYTES + self->header_bytes;
  for (guint i = 0; i < self->entries->len; i++)
    {
      UrbSafetensorsEntry *entry = &g_array_index (self->entries, UrbSafetensorsEntry, i);
      entry->tensor.data = data + entry->begin;
      if (!is_aligned (entry->tensor.data, entry))
        {
          gpointer copy = g_memdup2 (entry->tensor.data, (gsize) (entry->end - entry->begin));
          g_ptr_array_add (self->copies, copy);
          entry->tensor.data = copy;
        }
      g_hash_table_insert (self->by_name, entry->name, &entry->tensor);
    }
}

UrbSafetensors *
urb_safetensors_open (const char *path, GError **error)
{
  g_autoptr(UrbSafetensors) self = NULL;
  g_return_val_if_fail (path != NULL, NULL);
  self = g_new0 (UrbSafetensors, 1);
  self->entries = urb_safetensors_entries_new ();
  self->copies = g_ptr_array_new_with_free_func (g_free);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->metadata = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!map_file (self, path, error) || !parse_header (self, path, error)
      || !check_copies (self, path, error) || !check_checksum (self, path, error))
    return NULL;
  find_data (self);
  if (!check_values (self, path, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
urb_safetensors_free (UrbSafetensors *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->metadata);
  g_hash_table_unref (self->by_name);
  g_ptr_array_unref (self->copies);
  g_array_unref (self->entries);
  if (self->map != NULL)
    munmap (self->map, self->n_bytes);
  g_free (self);
}

gsize
urb_safetensors_get_n_tensors (UrbSafetensors *self)
{
  g_return_val_if_fail (self != NULL, 0);
  return self->entries->len;
}

const UrbTensor *
urb_safetensors_get_tensor (UrbSafetensors *self, gsize index)
{
  g_return_val_if_fail (self != NULL && index < self->entries->len, NULL);
  return &g_array_index (self->entries, UrbSafetensorsEntry, index).tensor;
}

const UrbTensor *
urb_safetensors_lookup (UrbSafetensors *self, const char *name)
{
  g_return_val_if_fail (self != NULL && name != NULL, NULL);
  return g_hash_table_lookup (self->by_name, name);
}

const char *
urb_safetensors_get_metadata (UrbSafetensors *self, const char *key)
{
  g_return_val_if_fail (self != NULL && key != NULL, NULL);
  return g_hash_table_lookup (self->metadata, key);
}
