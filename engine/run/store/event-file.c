/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event-file.c - see event-file.h.
 *
 * The file is a series of TFRecords, each with a message Event in the encoding of Protocol Buffers:
 *
 *   length (8 bytes, little-endian), masked CRC-32C of these 8 bytes, message, masked CRC-32C of it
 *
 * Sources: the RecordWriter of TensorFlow (framing and mask), RFC 3720 appendix B.4 (CRC-32C),
 * https://protobuf.dev/programming-guides/encoding/, and of TensorBoard tensorboard/compat/proto/event.proto,
 * summary.proto and tensor.proto, and tensorboard/plugins/hparams/plugin_data.proto.  Numbers of fields below are
 * from there.
 *
 * A scalar is a float: TensorBoard's faster reader does not show tensors with doubles.
 */
#include "run/store/event-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

struct _UrbEventFile
{
  char       *path;    /* owned */
  int         fd;
  GByteArray *pending; /* owned; records */
  GByteArray *event, *summary, *settings; /* owned; the messages that are being built */
  double      time;    /* of the settings */
  GHashTable *tags;    /* owned; those that were described already */
};

/* ------------------------------------------------------------------------ */
/* Records                                                                   */

static guint32
compute_crc (const guint8 *bytes, gsize n)
{
  static gsize is_made = 0;
  static guint32 table[256];
  guint32 crc = G_MAXUINT32;
  if (g_once_init_enter (&is_made))
    {
      for (guint32 i = 0; i < 256; i++)
        {
          table[i] = i;
          for (int bit = 0; bit < 8; bit++)
            table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0x82f63b78u : 0);
        }
      g_once_init_leave (&is_made, 1);
    }
  for (gsize i = 0; i < n; i++)
    crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
  return ~crc;
}

static void
append_masked_crc (GByteArray *out, const guint8 *bytes, gsize n)
{
  guint32 crc = compute_crc (bytes, n);
  guint32 masked = GUINT32_TO_LE (((crc >> 15) | (crc << 17)) + 0xa282ead8u);
  g_byte_array_append (out, (const guint8 *) &masked, sizeof masked);
}

void
urb_event_file_frame (const guint8 *bytes, gsize n, GByteArray *out)
{
  guint64 length = GUINT64_TO_LE ((guint64) n);
  g_byte_array_append (out, (const guint8 *) &length, sizeof length);
  append_masked_crc (out, (const guint8 *) &length, sizeof length);
  g_byte_array_append (out, bytes, (guint) n);
  append_masked_crc (out, bytes, n);
}

/* ------------------------------------------------------------------------ */
/* Messages                                                                  */

enum { VARINT, FIXED_64, BYTES, FIXED_32 = 5 }; /* how a field is encoded */

static void
put_varint (GByteArray *out, guint64 value)
{
  do
    {
      guint8 byte = (guint8) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
      g_byte_array_append (out, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

static void
put_int (GByteArray *out, int field, gint64 value)
{
  put_varint (out, (guint64) field << 3 | VARINT);
  put_varint (out, (guint64) value);
}

static void
append_double (GByteArray *out, double value)
{
  guint64 bits;
  memcpy (&bits, &value, sizeof bits);
  bits = GUINT64_TO_LE (bits);
  g_byte_array_append (out, (const guint8 *) &bits, sizeof bits);
}

static void
put_double (GByteArray *out, int field, double value)
{
  put_varint (out, (guint64) field << 3 | FIXED_64);
  append_double (out, value);
}

/* A packed repeated field. */
static void
put_doubles (GByteArray *out, int field, const double *values, int n)
{
  put_varint (out, (guint64) field << 3 | BYTES);
  put_varint (out, (guint64) n * sizeof *values);
  for (int i = 0; i < n; i++)
    append_double (out, values[i]);
}

static void
put_bytes (GByteArray *out, int field, const void *bytes, gsize n)
{
  put_varint (out, (guint64) field << 3 | BYTES);
  put_varint (out, n);
  g_byte_array_append (out, bytes, (guint) n);
}

static void
put_text (GByteArray *out, int field, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  put_bytes (out, field, valid, strlen (valid));
}

/* Takes @message. */
static void
put_message (GByteArray *out, int field, GByteArray *message)
{
  put_bytes (out, field, message->data, message->len);
  g_byte_array_unref (message);
}

/* ------------------------------------------------------------------------ */
/* Values                                                                    */

enum { DT_FLOAT = 1, DT_DOUBLE = 2, DT_STRING = 7 };
enum { CLASS_TENSOR = 2 };

/* Value.metadata: what the plugin of a tag needs to know.  Readers keep the first one of a tag.
 * @content: (nullable) (transfer full): a message of the plugin */
static GByteArray *
make_metadata (const char *plugin, int data_class, GByteArray *content)
{
  GByteArray *metadata = g_byte_array_new (), *data = g_byte_array_new ();
  put_text (data, 1, plugin);
  if (content != NULL)
    put_message (data, 2, content);
  put_message (metadata, 1, data);
  put_int (metadata, 4, data_class);
  return metadata;
}

/* A Value with its tag and, the first time, its metadata. */
static GByteArray *
begin_value (UrbEventFile *self, const char *tag, const char *plugin, int data_class)
{
  GByteArray *value = g_byte_array_new ();
  put_text (value, 1, tag);
  if (g_hash_table_add (self->tags, g_strdup (tag)))
    put_message (value, 9, make_metadata (plugin, data_class, NULL));
  return value;
}

static GByteArray *
begin_tensor (int type, const int *shape, int n_dims)
{
  GByteArray *tensor = g_byte_array_new (), *dims = g_byte_array_new ();
  for (int i = 0; i < n_dims; i++)
    {
      GByteArray *dim = g_byte_array_new ();
      put_int (dim, 1, shape[i]);
      put_message (dims, 2, dim);
    }
  put_int (tensor, 1, type);
  put_message (tensor, 2, dims);
  return tensor;
}

void
urb_event_file_add_scalar (UrbEventFile *self, const char *tag, double value)
{
  GByteArray *message = g_byte_array_new ();
  float number = (float) value;
  guint32 bits;
  memcpy (&bits, &number, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  put_text (message, 1, tag);
  put_varint (message, 2 << 3 | FIXED_32);
  g_byte_array_append (message, (const guint8 *) &bits, sizeof bits);
  put_message (self->summary, 1, message);
}

void
urb_event_file_add_text (UrbEventFile *self, const char *tag, const char *text)
{
  GByteArray *message = begin_value (self, tag, "text", CLASS_TENSOR), *tensor = begin_tensor (DT_STRING, NULL, 0);
  put_text (tensor, 8, text);
  put_message (message, 8, tensor);
  put_message (self->summary, 1, message);
}

void
urb_event_file_add_image (UrbEventFile *self, const char *tag, int width, int height, const guint8 *png, gsize n)
{
  enum { COLORS_RGB = 3 };
  GByteArray *message = g_byte_array_new (), *image = g_byte_array_new ();
  put_int (image, 1, height);
  put_int (image, 2, width);
  put_int (image, 3, COLORS_RGB);
  put_bytes (image, 4, png, n);
  put_text (message, 1, tag);
  put_message (message, 4, image);
  put_message (self->summary, 1, message);
}

/* Rows of a bin's left edge, right edge and count. */
void
urb_event_file_add_histogram (UrbEventFile *self, const char *tag, double min, double max, const gint64 *counts, int n_bins)
{
  enum { LEFT, RIGHT, COUNT, N_COLUMNS };
  const int shape[] = { n_bins, N_COLUMNS };
  GByteArray *message = begin_value (self, tag, "histograms", CLASS_TENSOR);
  GByteArray *tensor = begin_tensor (DT_DOUBLE, shape, G_N_ELEMENTS (shape));
  g_autofree double *rows = g_new (double, (gsize) n_bins * N_COLUMNS);
  for (int i = 0; i < n_bins; i++)
    {
      double *row = rows + i * N_COLUMNS;
      row[LEFT] = min + (max - min) * i / n_bins;
      row[RIGHT] = i + 1 < n_bins ? min + (max - min) * (i + 1) / n_bins : max;
      row[COUNT] = (double) counts[i];
    }
  put_doubles (tensor, 6, rows, n_bins * N_COLUMNS);
  put_message (message, 8, tensor);
  put_message (self->summary, 1, message);
}

/* ------------------------------------------------------------------------ */
/* Events                                                                    */

static void
begin_event (UrbEventFile *self, double time, gint64 step)
{
  g_byte_array_set_size (self->event, 0);
  g_byte_array_set_size (self->summary, 0);
  put_double (self->event, 1, time);
  if (step != 0)
    put_int (self->event, 2, step);
}

static void
end_event (UrbEventFile *self)
{
  urb_event_file_frame (self->event->data, self->event->len, self->pending);
}

void
urb_event_file_begin (UrbEventFile *self, double time, gint64 step)
{
  begin_event (self, time, step);
}

void
urb_event_file_end (UrbEventFile *self)
{
  put_bytes (self->event, 5, self->summary->data, self->summary->len);
  end_event (self);
}

void
urb_event_file_restart (UrbEventFile *self, double time, gint64 step)
{
  enum { START = 1 };
  GByteArray *session = g_byte_array_new ();
  put_int (session, 1, START);
  begin_event (self, time, step);
  put_message (self->event, 7, session);
  end_event (self);
}

/* ------------------------------------------------------------------------ */
/* Settings                                                                  */

/* A value whose metadata has all that is to say; its tensor has nothing.
 * @field: of HParamsPluginData; @message: (transfer full) */
static void
write_settings (UrbEventFile *self, double time, const char *tag, int field, GByteArray *message)
{
  const int shape[] = { 0 };
  GByteArray *value = g_byte_array_new (), *content = g_byte_array_new ();
  put_message (content, field, message);
  put_text (value, 1, tag);
  put_message (value, 9, make_metadata ("hparams", CLASS_TENSOR, content));
  put_message (value, 8, begin_tensor (DT_FLOAT, shape, G_N_ELEMENTS (shape)));
  begin_event (self, time, 0);
  put_message (self->summary, 1, value);
  urb_event_file_end (self);
}

void
urb_event_file_begin_settings (UrbEventFile *self, double time)
{
  self->time = time;
  g_byte_array_set_size (self->settings, 0);
}

/* An entry of a map from names to google.protobuf.Value.  @value: (transfer full) */
static void
add_setting (UrbEventFile *self, const char *name, GByteArray *value)
{
  GByteArray *entry = g_byte_array_new ();
  put_text (entry, 1, name);
  put_message (entry, 2, value);
  put_message (self->settings, 1, entry);
}

void
urb_event_file_add_number (UrbEventFile *self, const char *name, double number)
{
  GByteArray *value = g_byte_array_new ();
  put_double (value, 2, number);
  add_setting (self, name, value);
}

void
urb_event_file_add_word (UrbEventFile *self, const char *name, const char *word)
{
  GByteArray *value = g_byte_array_new ();
  put_text (value, 3, word);
  add_setting (self, name, value);
}

void
urb_event_file_add_switch (UrbEventFile *self, const char *name, gboolean is_on)
{
  GByteArray *value = g_byte_array_new ();
  put_int (value, 4, is_on);
  add_setting (self, name, value);
}

void
urb_event_file_end_settings (UrbEventFile *self)
{
  GByteArray *info = g_byte_array_new ();
  g_byte_array_append (info, self->settings->data, self->settings->len);
  put_double (info, 5, self->time);
  write_settings (self, self->time, "_hparams_/session_start_info", 3, info);
}

void
urb_event_file_add_outcome (UrbEventFile *self, double time, gboolean success)
{
  enum { SUCCESS = 1, FAILURE = 2 };
  GByteArray *info = g_byte_array_new ();
  put_int (info, 1, success ? SUCCESS : FAILURE);
  put_double (info, 2, time);
  write_settings (self, time, "_hparams_/session_end_info", 4, info);
}

/* ------------------------------------------------------------------------ */
/* The file                                                                  */

UrbEventFile *
urb_event_file_new (const char *path, double time, GError **error)
{
  int fd = g_open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  UrbEventFile *self;
  if (fd < 0)
    {
      int code = errno;
      g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), "Cannot write '%s': %s", path,
                   g_strerror (code));
      return NULL;
    }
  self = g_new0 (UrbEventFile, 1);
  self->path = g_strdup (path);
  self->fd = fd;
  self->pending = g_byte_array_new ();
  self->event = g_byte_array_new ();
  self->summary = g_byte_array_new ();
  self->settings = g_byte_array_new ();
  self->tags = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  begin_event (self, time, 0);
  put_text (self->event, 3, "brain.Event:2"); /* the format's version */
  end_event (self);
  urb_event_file_restart (self, time, 0);
  return self;
}

void
urb_event_file_free (UrbEventFile *self)
{
  if (self == NULL)
    return;
  close (self->fd);
  g_byte_array_unref (self->pending);
  g_byte_array_unref (self->event);
  g_byte_array_unref (self->summary);
  g_byte_array_unref (self->settings);
  g_hash_table_unref (self->tags);
  g_free (self->path);
  g_free (self);
}

gboolean
urb_event_file_flush (UrbEventFile *self, GError **error)
{
  gsize done = 0;
  while (done < self->pending->len)
    {
      gssize n = write (self->fd, self->pending->data + done, self->pending->len - done);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          int code = errno;
          g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), "Cannot write '%s': %s", self->path,
                       g_strerror (code));
          return FALSE;
        }
      done += (gsize) n;
    }
  g_byte_array_set_size (self->pending, 0);
  return TRUE;
}
