/* SPDX-License-Identifier: Apache-2.0 */
#include "map/stream.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/show-text.h"

#define BUFFER_BYTES (1 << 18)
#define NO_TEXT G_MAXUINT32

typedef struct
{
  guint32 kind, zero;
  guint64 n_bytes;
} Head;

/* -------- Writing -------- */

void
urb_stream_out_init (UrbStreamOut *self, int fd)
{
  *self = (UrbStreamOut){ .fd = fd, .fields = g_byte_array_new () };
}

void
urb_stream_out_clear (UrbStreamOut *self)
{
  g_clear_pointer (&self->fields, g_byte_array_unref);
}

void
urb_stream_send_bytes (UrbStreamOut *self, gconstpointer bytes, gsize n_bytes)
{
  const guint8 *at = bytes;

  while (n_bytes > 0 && !self->failed)
    {
      gssize n = write (self->fd, at, n_bytes);
      if (n > 0)
        {
          at += n;
          n_bytes -= (gsize) n;
        }
      else if (n == 0 || errno != EINTR)
        self->failed = TRUE;
    }
}

void
urb_stream_send_head (UrbStreamOut *self, UrbMessageKind kind, guint64 n_bytes)
{
  Head head = { .kind = kind, .n_bytes = n_bytes };

  urb_stream_send_bytes (self, &head, sizeof head);
}

void
urb_stream_put_int (UrbStreamOut *self, gint64 number)
{
  g_byte_array_append (self->fields, (const guint8 *) &number, sizeof number);
}

void
urb_stream_put_double (UrbStreamOut *self, double number)
{
  g_byte_array_append (self->fields, (const guint8 *) &number, sizeof number);
}

void
urb_stream_put_text (UrbStreamOut *self, const char *text)
{
  guint32 n = text != NULL ? (guint32) MIN (strlen (text), URB_MESSAGE_MAX_TEXT) : NO_TEXT;

  g_byte_array_append (self->fields, (const guint8 *) &n, sizeof n);
  if (text != NULL)
    g_byte_array_append (self->fields, (const guint8 *) text, n);
}

void
urb_stream_send (UrbStreamOut *self, UrbMessageKind kind)
{
  urb_stream_send_head (self, kind, self->fields->len);
  urb_stream_send_bytes (self, self->fields->data, self->fields->len);
  g_byte_array_set_size (self->fields, 0);
}

/* -------- Reading -------- */

gboolean
urb_stream_fail (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                       "the process that reads maps sent what is not a map");
  return FALSE;
}

void
urb_stream_in_init (UrbStreamIn *self, UrbStreamReadFunc read_, gpointer data)
{
  *self = (UrbStreamIn){ .read = read_,
                         .data = data,
                         .buffer = g_malloc (BUFFER_BYTES),
                         .fields = g_byte_array_new () };
}

void
urb_stream_in_clear (UrbStreamIn *self)
{
  g_clear_pointer (&self->buffer, g_free);
  g_clear_pointer (&self->fields, g_byte_array_unref);
}

static gboolean
fail_closed (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "the process that reads maps ended");
  return FALSE;
}

/* FALSE: with an error; at the end of the stream, G_IO_ERROR_CLOSED. */
static gboolean
fill (UrbStreamIn *self, GError **error)
{
  gssize n = self->read (self->data, self->buffer, BUFFER_BYTES, error);

  if (n == 0)
    fail_closed (error);
  self->at = 0;
  self->end = n > 0 ? (gsize) n : 0;
  return n > 0;
}

gboolean
urb_stream_receive_bytes (UrbStreamIn *self, gpointer bytes, gsize n_bytes, GError **error)
{
  guint8 *to = bytes;

  while (n_bytes > 0)
    {
      gsize n = MIN (n_bytes, self->end - self->at);
      if (n == 0 && n_bytes >= BUFFER_BYTES)
        {
          /* Large arrays are not copied twice. */
          gssize got = self->read (self->data, to, n_bytes, error);
          if (got <= 0)
            return got < 0 ? FALSE : fail_closed (error);
          to += got;
          n_bytes -= (gsize) got;
          continue;
        }
      if (n == 0)
        {
          if (!fill (self, error))
            return FALSE;
          continue;
        }
      memcpy (to, self->buffer + self->at, n);
      self->at += n;
      to += n;
      n_bytes -= n;
    }
  return TRUE;
}

gboolean
urb_stream_receive_head (UrbStreamIn *self, UrbMessageKind *kind, guint64 *n_bytes, GError **error)
{
  Head head;

  if (!urb_stream_receive_bytes (self, &head, sizeof head, error))
    return FALSE;
  if (head.zero != 0 || head.kind < URB_MESSAGE_PROGRESS || head.kind > URB_MESSAGE_IDENTIFY)
    return urb_stream_fail (error);
  *kind = (UrbMessageKind) head.kind;
  *n_bytes = head.n_bytes;
  return TRUE;
}

/* Memory grows with what arrives, not with what is announced. */
gboolean
urb_stream_receive_fields (UrbStreamIn *self, guint64 n_bytes, GError **error)
{
  g_byte_array_set_size (self->fields, 0);
  self->field = 0;
  self->is_bad = FALSE;
  if (n_bytes > URB_MESSAGE_MAX_BYTES)
    return urb_stream_fail (error);
  while (self->fields->len < n_bytes)
    {
      guint before = self->fields->len, more = (guint) MIN (n_bytes - before, BUFFER_BYTES);
      g_byte_array_set_size (self->fields, before + more);
      if (!urb_stream_receive_bytes (self, self->fields->data + before, more, error))
        return FALSE;
    }
  return TRUE;
}

/* FALSE: there are not as many bytes. */
static gboolean
get (UrbStreamIn *self, gpointer bytes, gsize n)
{
  if (self->is_bad || n > self->fields->len - self->field)
    {
      self->is_bad = TRUE;
      return FALSE;
    }
  memcpy (bytes, self->fields->data + self->field, n);
  self->field += n;
  return TRUE;
}

gint64
urb_stream_get_int (UrbStreamIn *self, gint64 least, gint64 most)
{
  gint64 number;

  if (get (self, &number, sizeof number) && number >= least && number <= most)
    return number;
  self->is_bad = TRUE;
  return least;
}

double
urb_stream_get_double (UrbStreamIn *self)
{
  double number;

  if (get (self, &number, sizeof number) && isfinite (number))
    return number;
  self->is_bad = TRUE;
  return 0;
}

char *
urb_stream_get_raw_text (UrbStreamIn *self)
{
  guint32 n;
  char *text;

  if (!get (self, &n, sizeof n) || n == NO_TEXT)
    return NULL;
  if (n > URB_MESSAGE_MAX_TEXT || n > self->fields->len - self->field)
    {
      self->is_bad = TRUE;
      return NULL;
    }
  text = g_strndup ((const char *) self->fields->data + self->field, n);
  self->field += n;
  return text;
}

char *
urb_stream_get_text (UrbStreamIn *self)
{
  g_autofree char *text = urb_stream_get_raw_text (self);

  return text != NULL ? urb_show_text (text) : NULL;
}

char *
urb_stream_get_some_text (UrbStreamIn *self)
{
  char *text = urb_stream_get_text (self);

  if (text != NULL)
    return text;
  self->is_bad = TRUE;
  return g_strdup ("");
}

gboolean
urb_stream_end_fields (UrbStreamIn *self, GError **error)
{
  return (!self->is_bad && self->field == self->fields->len) || urb_stream_fail (error);
}
