/* SPDX-License-Identifier: Apache-2.0 */
/*
 * earlier-events.c - see earlier-events.h, and event-file.c for the format and its sources.
 *
 * The file may be anybody's: lengths are checked against what is there, and values against what a histogram has.
 * All sample grids of a long run would take too much memory at once.
 */
#include "run/store/earlier-events.h"

#include <math.h>
#include <string.h>

#include <gio/gio.h>

#include "run/store/checkpoint-values.h"
#include "run/store/event-file.h"

enum
{
  MAX_EVENT_BYTES = 64 * 1024 * 1024, /* a sample grid has some MB */
  BUFFER_BYTES = 1024 * 1024,
  MAX_TAG_BYTES = 200,
  N_COLUMNS = 3 /* left edge, right edge and count of a bin */
};

struct _UrbEarlierEvents
{
  GHashTable *histograms; /* (element-type utf8 GPtrArray) owned; by time and step */
  GHashTable *images;     /* (element-type utf8 Place) owned; by time and step */
};

/* Where in a file the bytes of an image are. */
typedef struct
{
  char  *path; /* owned */
  goffset first;
  gsize  n;
} Place;

static void
place_free (gpointer data)
{
  Place *self = data;
  g_free (self->path);
  g_free (self);
}

static char *
make_key (double time, gint64 step)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT " %a", step, time);
}

UrbEarlierEvents *
urb_earlier_events_new (void)
{
  UrbEarlierEvents *self = g_new (UrbEarlierEvents, 1);
  self->histograms = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  self->images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, place_free);
  return self;
}

void
urb_earlier_events_free (UrbEarlierEvents *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->histograms);
  g_hash_table_unref (self->images);
  g_free (self);
}

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */

typedef struct
{
  const guint8 *next, *end; /* borrowed */
} Bytes;

enum { VARINT, FIXED_64, BYTES, FIXED_32 = 5 };

typedef struct
{
  guint  number, encoding;
  gint64 integer; /* of VARINT */
  Bytes  bytes;   /* of the others */
} Field;

static gboolean
take_varint (Bytes *in, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64 && in->next < in->end; shift += 7)
    {
      guint8 byte = *in->next++;
      *value |= (guint64) (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
take_bytes (Bytes *in, guint64 n, Bytes *out)
{
  if (n > (guint64) (in->end - in->next))
    return FALSE;
  *out = (Bytes) { in->next, in->next + n };
  in->next += n;
  return TRUE;
}

/* Returns: %FALSE at the end, and where the message is damaged */
static gboolean
take_field (Bytes *in, Field *field)
{
  guint64 key, value;
  if (in->next == in->end || !take_varint (in, &key))
    return FALSE;
  *field = (Field) { .number = (guint) (key >> 3), .encoding = (guint) (key & 7) };
  switch (field->encoding)
    {
    case VARINT:
      if (!take_varint (in, &value))
        return FALSE;
      field->integer = (gint64) value;
      return TRUE;
    case FIXED_64:
      return take_bytes (in, 8, &field->bytes);
    case BYTES:
      return take_varint (in, &value) && take_bytes (in, value, &field->bytes);
    case FIXED_32:
      return take_bytes (in, 4, &field->bytes);
    default:
      return FALSE;
    }
}

/* The first field of that number.  @out: its bytes */
static gboolean
find_bytes (Bytes in, guint number, Bytes *out)
{
  Field field;
  while (take_field (&in, &field))
    if (field.number == number && field.encoding == BYTES)
      {
        *out = field.bytes;
        return TRUE;
      }
  return FALSE;
}

static double
read_double (const guint8 *bytes)
{
  guint64 bits;
  double value;
  memcpy (&bits, bytes, sizeof bits);
  bits = GUINT64_FROM_LE (bits);
  memcpy (&value, &bits, sizeof value);
  return value;
}

/* ------------------------------------------------------------------------ */
/* Histograms                                                                */

/* @rows: (n_bins, 3) doubles */
static gboolean
read_rows (Bytes rows, UrbValueCounts *out)
{
  const double most = 1e15; /* below this, a double is an exact number */
  if (rows.end - rows.next != URB_N_VALUE_BINS * N_COLUMNS * (gssize) sizeof (double))
    return FALSE;
  for (int i = 0; i < URB_N_VALUE_BINS; i++)
    {
      double count = read_double (rows.next + (i * N_COLUMNS + 2) * sizeof (double));
      if (!(count >= 0 && count <= most))
        return FALSE;
      out->counts[i] = (gint64) count;
    }
  out->min = read_double (rows.next);
  out->max = read_double (rows.end - 2 * sizeof (double));
  return isfinite (out->min) && isfinite (out->max);
}

/* Returns: (transfer full) (nullable): %NULL if the Value in @value is no histogram */
static UrbValueCounts *
read_value (Bytes value)
{
  g_autofree UrbValueCounts *counts = g_new0 (UrbValueCounts, 1);
  Bytes tag, tensor, rows;
  if (!find_bytes (value, 1, &tag) || tag.end - tag.next > MAX_TAG_BYTES
      || !g_utf8_validate_len ((const char *) tag.next, (gsize) (tag.end - tag.next), NULL)
      || !find_bytes (value, 8, &tensor) || !find_bytes (tensor, 6, &rows) || !read_rows (rows, counts))
    return NULL;
  counts->tag = g_strndup ((const char *) tag.next, (gsize) (tag.end - tag.next));
  return g_steal_pointer (&counts);
}

/* Returns: (transfer full) (element-type UrbValueCounts): none if the Summary has something else */
static GPtrArray *
read_summary (Bytes summary)
{
  GPtrArray *all = urb_value_counts_new_array ();
  Field field;
  while (take_field (&summary, &field))
    {
      UrbValueCounts *counts = field.number == 1 && field.encoding == BYTES ? read_value (field.bytes) : NULL;
      if (counts == NULL)
        break;
      g_ptr_array_add (all, counts);
    }
  return all;
}

/* The image that is the first Value of a Summary.  @png: (out): its bytes */
static gboolean
find_image (Bytes summary, Bytes *png)
{
  Bytes value, image;
  return find_bytes (summary, 1, &value) && find_bytes (value, 4, &image) && find_bytes (image, 4, png);
}

/* @first: where @event begins in the file at @path */
static void
read_event (UrbEarlierEvents *self, Bytes event, const char *path, goffset first)
{
  const guint8 *start = event.next;
  g_autoptr(GPtrArray) all = NULL;
  Bytes png = { NULL, NULL };
  double time = 0;
  gint64 step = 0;
  Field field;
  while (take_field (&event, &field))
    {
      if (field.number == 1 && field.encoding == FIXED_64)
        time = read_double (field.bytes.next);
      else if (field.number == 2 && field.encoding == VARINT)
        step = field.integer;
      else if (field.number == 5 && field.encoding == BYTES && all == NULL && !find_image (field.bytes, &png))
        all = read_summary (field.bytes);
    }
  if (all != NULL && all->len > 0)
    g_hash_table_replace (self->histograms, make_key (time, step), g_steal_pointer (&all));
  if (png.next != NULL)
    {
      Place *place = g_new (Place, 1);
      *place = (Place) { g_strdup (path), first + (png.next - start), (gsize) (png.end - png.next) };
      g_hash_table_replace (self->images, make_key (time, step), place);
    }
}

/* ------------------------------------------------------------------------ */
/* The file                                                                  */

enum { HEAD = sizeof (guint64) + sizeof (guint32), TAIL = sizeof (guint32) }; /* of a record */

/* @event: (out caller-allocates): overwritten
 * Returns: %FALSE at the end of the file, and at a record that is damaged or cut off */
static gboolean
read_record (GInputStream *in, GByteArray *event)
{
  g_autoptr(GByteArray) again = g_byte_array_new ();
  guint8 head[HEAD], tail[TAIL];
  guint64 length;
  gsize n;
  if (!g_input_stream_read_all (in, head, HEAD, &n, NULL, NULL) || n < HEAD)
    return FALSE;
  memcpy (&length, head, sizeof length);
  length = GUINT64_FROM_LE (length);
  if (length == 0 || length > MAX_EVENT_BYTES)
    return FALSE;
  g_byte_array_set_size (event, (guint) length);
  if (!g_input_stream_read_all (in, event->data, length, &n, NULL, NULL) || n < length
      || !g_input_stream_read_all (in, tail, TAIL, &n, NULL, NULL) || n < TAIL)
    return FALSE;
  urb_event_file_frame (event->data, event->len, again); /* with its checksums */
  return memcmp (again->data, head, HEAD) == 0 && memcmp (again->data + again->len - TAIL, tail, TAIL) == 0;
}

void
urb_earlier_events_read (UrbEarlierEvents *self, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path (path);
  /* A named pipe would wait for its writer. */
  g_autoptr(GFileInputStream) raw = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? g_file_read (file, NULL, NULL) : NULL;
  g_autoptr(GInputStream) in = raw != NULL ? g_buffered_input_stream_new_sized (G_INPUT_STREAM (raw), BUFFER_BYTES) : NULL;
  g_autoptr(GByteArray) event = g_byte_array_new ();
  for (goffset first = HEAD; in != NULL && read_record (in, event); first += event->len + TAIL + HEAD)
    read_event (self, (Bytes) { event->data, event->data + event->len }, path, first);
}

GPtrArray *
urb_earlier_events_steal_histograms (UrbEarlierEvents *self, double time, gint64 step)
{
  g_autofree char *key = make_key (time, step), *stolen = NULL;
  gpointer found = NULL;
  g_hash_table_steal_extended (self->histograms, key, (gpointer *) &stolen, &found);
  return found;
}

char *
urb_earlier_events_read_image (const UrbEarlierEvents *self, double time, gint64 step, gsize *n)
{
  g_autofree char *key = make_key (time, step), *bytes = NULL;
  const Place *place = g_hash_table_lookup (self->images, key);
  g_autoptr(GFile) file = place != NULL ? g_file_new_for_path (place->path) : NULL;
  g_autoptr(GFileInputStream) in = file != NULL ? g_file_read (file, NULL, NULL) : NULL;
  if (in == NULL || !g_seekable_seek (G_SEEKABLE (in), place->first, G_SEEK_SET, NULL, NULL))
    return NULL;
  bytes = g_malloc (place->n + 1);
  if (!g_input_stream_read_all (G_INPUT_STREAM (in), bytes, place->n, n, NULL, NULL) || *n < place->n)
    return NULL;
  return g_steal_pointer (&bytes);
}
