/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safetensors-header.c - parses the JSON header of a safetensors file.
 *
 * Strict and without recursion, because a header is untrusted: a general JSON library would accept
 * duplicate names, and nesting could overflow the stack.  The grammar is { name: { dtype, shape,
 * data_offsets } }, and strings to strings under "__metadata__".
 */
#include "train/safetensors-private.h"

#include <string.h>

typedef struct
{
  const char *at;  /* borrowed */
  const char *end; /* borrowed */
  char       *why; /* owned; the first error */
} Scanner;

static gboolean
complain (Scanner *s, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
complain (Scanner *s, const char *format, ...)
{
  va_list args;
  if (s->why == NULL)
    {
      va_start (args, format);
      s->why = g_strdup_vprintf (format, args);
      va_end (args);
    }
  return FALSE;
}

gsize
urb_tensor_type_size (UrbTensorType type)
{
  return type == URB_TENSOR_F64 ? 8 : 4;
}

static void
entry_clear (gpointer data)
{
  UrbSafetensorsEntry *entry = data;
  g_free (entry->name);
}

GArray *
urb_safetensors_entries_new (void)
{
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (UrbSafetensorsEntry));
  g_array_set_clear_func (entries, entry_clear);
  return entries;
}

/* ------------------------------------------------------------------------ */
/* Tokens                                                                    */

static void
skip_space (Scanner *s)
{
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
    s->at++;
}

static gboolean
accept (Scanner *s, char c)
{
  skip_space (s);
  if (s->at == s->end || *s->at != c)
    return FALSE;
  s->at++;
  return TRUE;
}

static gboolean
expect (Scanner *s, char c)
{
  return accept (s, c) || complain (s, "its header is not the JSON of a safetensors file");
}

/* Exactly four hexadecimal digits. */
static gboolean
scan_hex4 (Scanner *s, guint32 *code)
{
  *code = 0;
  for (int i = 0; i < 4; i++, s->at++)
    {
      if (s->at == s->end || !g_ascii_isxdigit (*s->at))
        return FALSE;
      *code = *code * 16 + (guint32) g_ascii_xdigit_value (*s->at);
    }
  return TRUE;
}

static gboolean
scan_unicode_escape (Scanner *s, GString *out)
{
  guint32 code, low;
  if (!scan_hex4 (s, &code))
    return FALSE;
  if (code >= 0xD800 && code < 0xDC00)
    {
      if (s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != 'u')
        return FALSE;
      s->at += 2;
      if (!scan_hex4 (s, &low) || low < 0xDC00 || low > 0xDFFF)
        return FALSE;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
  if (code == 0 || (code >= 0xDC00 && code <= 0xDFFF))
    return FALSE;
  g_string_append_unichar (out, code);
  return TRUE;
}

static gboolean
scan_escape (Scanner *s, GString *out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found;
  char c;
  if (s->at == s->end)
    return FALSE;
  c = *s->at++;
  if (c == 'u')
    return scan_unicode_escape (s, out);
  found = c != '\0' ? strchr (from, c) : NULL;
  if (found == NULL)
    return FALSE;
  g_string_append_c (out, to[found - from]);
  return TRUE;
}

/* Returns: (transfer full) (nullable) */
static char *
scan_string (Scanner *s)
{
  g_autoptr(GString) out = NULL;
  if (!expect (s, '"'))
    return NULL;
  out = g_string_new (NULL);
  while (s->at < s->end && *s->at != '"')
    {
      guchar c = (guchar) *s->at++;
      if (c < 0x20 || (c == '\\' && !scan_escape (s, out)))
        {
          complain (s, "its header has a damaged string");
          return NULL;
        }
      if (c != '\\')
        g_string_append_c (out, (char) c);
    }
  if (!expect (s, '"'))
    return NULL;
  if (!g_utf8_validate (out->str, (gssize) out->len, NULL))
    {
      complain (s, "its header is not in UTF-8");
      return NULL;
    }
  return g_strndup (out->str, out->len);
}

static gboolean
scan_count (Scanner *s, guint64 *count)
{
  const char *first;
  skip_space (s);
  first = s->at;
  *count = 0;
  while (s->at < s->end && g_ascii_isdigit (*s->at))
    {
      guint digit = (guint) (*s->at++ - '0');
      if (*count > ((guint64) G_MAXINT64 - digit) / 10)
        return complain (s, "its header has a number that is too large");
      *count = *count * 10 + digit;
    }
  if (s->at == first || (*first == '0' && s->at - first > 1))
    return complain (s, "its header has no count where one belongs");
  return TRUE;
}

/* [a, b, …], at most @max of them */
static gboolean
scan_counts (Scanner *s, guint64 *counts, int max, int *n)
{
  *n = 0;
  if (!expect (s, '['))
    return FALSE;
  if (accept (s, ']'))
    return TRUE;
  do
    {
      if (*n == max)
        return complain (s, "its header has a list of more than %d numbers", max);
      if (!scan_count (s, &counts[(*n)++]))
        return FALSE;
    }
  while (accept (s, ','));
  return expect (s, ']');
}

/* ------------------------------------------------------------------------ */
/* Grammar                                                                   */

enum { SEEN_TYPE = 1, SEEN_SHAPE = 2, SEEN_OFFSETS = 4, SEEN_ALL = 7 };

static gboolean
scan_type (Scanner *s, UrbSafetensorsEntry *entry)
{
  g_autofree char *type = scan_string (s);
  if (type == NULL)
    return FALSE;
  if (strcmp (type, "F32") == 0)
    entry->tensor.type = URB_TENSOR_F32;
  else if (strcmp (type, "F64") == 0)
    entry->tensor.type = URB_TENSOR_F64;
  else
    return complain (s, "its tensor '%s' is of type '%.16s', not F32 or F64", entry->name, type);
  return TRUE;
}

static gboolean
scan_shape (Scanner *s, UrbSafetensorsEntry *entry)
{
  guint64 counts[URB_TENSOR_MAX_DIMS];
  if (!scan_counts (s, counts, URB_TENSOR_MAX_DIMS, &entry->tensor.n_dims))
    return FALSE;
  for (int i = 0; i < entry->tensor.n_dims; i++)
    entry->tensor.shape[i] = (gint64) counts[i];
  return TRUE;
}

static gboolean
scan_offsets (Scanner *s, UrbSafetensorsEntry *entry)
{
  guint64 offsets[2];
  int n;
  if (!scan_counts (s, offsets, 2, &n))
    return FALSE;
  if (n != 2 || offsets[0] > offsets[1])
    return complain (s, "its tensor '%s' has impossible offsets", entry->name);
  entry->begin = offsets[0];
  entry->end = offsets[1];
  return TRUE;
}

static gboolean
scan_field (Scanner *s, UrbSafetensorsEntry *entry, int *seen)
{
  g_autofree char *key = scan_string (s);
  int field;
  if (key == NULL || !expect (s, ':'))
    return FALSE;
  field = strcmp (key, "dtype") == 0          ? SEEN_TYPE
          : strcmp (key, "shape") == 0        ? SEEN_SHAPE
          : strcmp (key, "data_offsets") == 0 ? SEEN_OFFSETS
                                              : 0;
  if (field == 0 || (*seen & field) != 0)
    return complain (s, "its tensor '%s' has an unexpected field '%.32s'", entry->name, key);
  *seen |= field;
  if (field == SEEN_TYPE)
    return scan_type (s, entry);
  return field == SEEN_SHAPE ? scan_shape (s, entry) : scan_offsets (s, entry);
}

static gboolean
check_size (Scanner *s, const UrbSafetensorsEntry *entry)
{
  const UrbTensor *tensor = &entry->tensor;
  guint64 n_bytes = urb_tensor_type_size (tensor->type);
  gboolean fits = TRUE;
  for (int i = 0; i < tensor->n_dims; i++)
    fits = fits && g_uint64_checked_mul (&n_bytes, n_bytes, (guint64) tensor->shape[i]);
  if (!fits || n_bytes != entry->end - entry->begin)
    return complain (s, "its tensor '%s' has a shape that does not match its size", entry->name);
  return TRUE;
}

static gboolean
scan_entry (Scanner *s, UrbSafetensorsEntry *entry)
{
  int seen = 0;
  if (!expect (s, '{'))
    return FALSE;
  do
    if (!scan_field (s, entry, &seen))
      return FALSE;
  while (accept (s, ','));
  if (!expect (s, '}'))
    return FALSE;
  if (seen != SEEN_ALL)
    return complain (s, "its tensor '%s' is not described completely", entry->name);
  return check_size (s, entry);
}

static gboolean
scan_metadata (Scanner *s, GHashTable *metadata)
{
  if (!expect (s, '{'))
    return FALSE;
  if (accept (s, '}'))
    return TRUE;
  do
    {
      g_autofree char *key = scan_string (s);
      g_autofree char *value = NULL;
      if (key == NULL || !expect (s, ':'))
        return FALSE;
      value = scan_string (s);
      if (value == NULL)
        return FALSE;
      if (g_hash_table_contains (metadata, key))
        return complain (s, "its header has the field '%.32s' twice", key);
      g_hash_table_insert (metadata, g_steal_pointer (&key), g_steal_pointer (&value));
    }
  while (accept (s, ','));
  return expect (s, '}');
}

static gboolean
scan_member (Scanner *s, GArray *entries, GHashTable *names, GHashTable *metadata)
{
  g_autofree char *name = scan_string (s);
  UrbSafetensorsEntry entry = { 0 };
  if (name == NULL || !expect (s, ':'))
    return FALSE;
  if (!g_hash_table_add (names, g_strdup (name)))
    return complain (s, "its header has '%.64s' twice", name);
  if (strcmp (name, "__metadata__") == 0)
    return scan_metadata (s, metadata);
  entry.tensor.name = entry.name = g_steal_pointer (&name);
  if (!scan_entry (s, &entry))
    {
      entry_clear (&entry);
      return FALSE;
    }
  g_array_append_val (entries, entry);
  return TRUE;
}

static gboolean
scan_header (Scanner *s, GArray *entries, GHashTable *metadata)
{
  g_autoptr(GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!expect (s, '{'))
    return FALSE;
  if (!accept (s, '}'))
    {
      do
        if (!scan_member (s, entries, names, metadata))
          return FALSE;
      while (accept (s, ','));
      if (!expect (s, '}'))
        return FALSE;
    }
  skip_space (s);
  return s->at == s->end || complain (s, "its header has text after its end");
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const UrbSafetensorsEntry *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return strcmp (x->name, y->name);
}

static gboolean
check_cover (Scanner *s, GArray *entries, guint64 data_bytes)
{
  guint64 at = 0;
  g_array_sort (entries, compare_entries);
  for (guint i = 0; i < entries->len; i++)
    {
      const UrbSafetensorsEntry *entry = &g_array_index (entries, UrbSafetensorsEntry, i);
      if (entry->end > data_bytes)
        return complain (s, "it ends before the end of its tensor '%s'", entry->name);
      if (entry->begin != at)
        return complain (s, "its tensor '%s' leaves a gap or overlaps another", entry->name);
      at = entry->end;
    }
  return at == data_bytes || complain (s, "it is longer than its tensors");
}

gboolean
urb_safetensors_header_parse (const char *text, gsize length, guint64 data_bytes, GArray *entries,
                              GHashTable *metadata, char **why)
{
  Scanner s = { .at = text, .end = text + length };
  gboolean good = scan_header (&s, entries, metadata) && check_cover (&s, entries, data_bytes);
  *why = s.why;
  return good;
}
