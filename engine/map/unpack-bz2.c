/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack-bz2.c - unpacks bzip2, which GDAL cannot read, into memory.
 *
 * The process that reads maps has a bound for its memory, so that a bomb ends it with a message.
 */
#include <bzlib.h>
#include <cpl_vsi.h>
#include <string.h>

#include "map/ogr-private.h"

#define PIECE_BYTES (1 << 18)

typedef struct
{
  VSILFILE *file; /* owned */
  bz_stream stream;
  char      in[PIECE_BYTES];
  char     *out; /* owned */
  gsize     n_out, capacity;
} Unpacking;

/* What remains of the file is read after the stream's own buffer is empty.  FALSE: the end of the file */
static gboolean
fill (Unpacking *self)
{
  if (self->stream.avail_in > 0)
    return TRUE;
  self->stream.next_in = self->in;
  self->stream.avail_in = (unsigned int) VSIFReadL (self->in, 1, sizeof self->in, self->file);
  return self->stream.avail_in > 0;
}

/* One stream; a file may have several, as parallel compressors write it.  Returns: BZ_STREAM_END, or why not */
static int
unpack_stream (Unpacking *self)
{
  int state = BZ2_bzDecompressInit (&self->stream, 0, 0);

  while (state == BZ_OK && fill (self))
    {
      if (self->capacity - self->n_out < PIECE_BYTES)
        {
          self->capacity = 2 * self->capacity + PIECE_BYTES;
          self->out = g_realloc (self->out, self->capacity);
        }
      self->stream.next_out = self->out + self->n_out;
      self->stream.avail_out = PIECE_BYTES;
      state = BZ2_bzDecompress (&self->stream);
      self->n_out += PIECE_BYTES - self->stream.avail_out;
    }
  BZ2_bzDecompressEnd (&self->stream);
  return state;
}

/* As bzip2 does, ignores other bytes after a stream. */
static gboolean
unpack (Unpacking *self)
{
  int state = unpack_stream (self);

  if (state != BZ_STREAM_END)
    return FALSE;
  while (state == BZ_STREAM_END && fill (self))
    state = unpack_stream (self);
  return state == BZ_STREAM_END || state == BZ_DATA_ERROR_MAGIC;
}

char *
urb_unpack_bz2 (const char *path, const char *inner)
{
  g_autofree Unpacking *self = g_new0 (Unpacking, 1);
  g_autofree char *name = g_strconcat ("/vsimem/", path, inner, NULL);
  VSILFILE *made = NULL;

  self->file = VSIFOpenL (path, "rb");
  if (self->file == NULL)
    return NULL;
  if (unpack (self))
    made = VSIFileFromMemBuffer (name, (GByte *) self->out, self->n_out, TRUE);
  else
    g_free (self->out);
  VSIFCloseL (self->file);
  if (made == NULL)
    return NULL;
  VSIFCloseL (made);
  return g_steal_pointer (&name);
}
