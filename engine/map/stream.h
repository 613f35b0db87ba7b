/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - messages between the window or a command and the process that reads maps.
 *
 * A message is its kind, its length, and fields or an array.  Both ends are the same build on the same
 * machine, so numbers have the machine's byte order; but the reader may be in the hands of a hostile
 * map, so what it sends is checked like a file.
 */
#pragma once

#include <gio/gio.h>

#include "map/map.h"

G_BEGIN_DECLS

typedef enum
{
  URB_MESSAGE_PROGRESS = 1, /* fraction, what */
  URB_MESSAGE_ERROR,        /* code of URB_MAP_ERROR, text */
  URB_MESSAGE_MAP,          /* see map-stream.c; the arrays follow */
  URB_MESSAGE_POLYGONS,
  URB_MESSAGE_RINGS,
  URB_MESSAGE_VERTICES,
  URB_MESSAGE_BLOCK,        /* instead: the vertices are in the block */
  URB_MESSAGE_OBJECT,       /* an object at a point; see identify-stream.c */
  URB_MESSAGE_END,
  URB_MESSAGE_READ,         /* to the reader: what to read; see request.c */
  URB_MESSAGE_IDENTIFY      /* to the reader: the same, and a point */
} UrbMessageKind;

/* Fields of a message are held in memory. */
#define URB_MESSAGE_MAX_BYTES ((guint64) 256 << 20)
#define URB_MESSAGE_MAX_TEXT  (1 << 20)

/* -------- Writing -------- */

typedef struct
{
  int         fd;     /* borrowed */
  GByteArray *fields; /* owned; of the message being written */
  gboolean    failed; /* the other end is gone: whatever follows is dropped */
} UrbStreamOut;

void urb_stream_out_init  (UrbStreamOut *self, int fd);
void urb_stream_out_clear (UrbStreamOut *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbStreamOut, urb_stream_out_clear)

void urb_stream_put_int    (UrbStreamOut *self, gint64 number);
void urb_stream_put_double (UrbStreamOut *self, double number);
void urb_stream_put_text   (UrbStreamOut *self, const char *text); /* @text: (nullable) */
/* Sends the fields put so far. */
void urb_stream_send       (UrbStreamOut *self, UrbMessageKind kind);
/* Begins a message of @n_bytes, which urb_stream_send_bytes() must complete. */
void urb_stream_send_head  (UrbStreamOut *self, UrbMessageKind kind, guint64 n_bytes);
void urb_stream_send_bytes (UrbStreamOut *self, gconstpointer bytes, gsize n_bytes);

/* -------- Reading -------- */

/* Waits for bytes.  Returns how many it read, 0 at the end, -1 with an error. */
typedef gssize (*UrbStreamReadFunc) (gpointer data, gpointer buffer, gsize n_bytes, GError **error);

typedef struct
{
  UrbStreamReadFunc read;
  gpointer          data;
  guint8           *buffer; /* owned */
  gsize             at, end;
  GByteArray       *fields; /* owned; of the last message */
  gsize             field;  /* position in fields */
  gboolean          is_bad; /* a field was missing, or not what it should be */
} UrbStreamIn;

void urb_stream_in_init  (UrbStreamIn *self, UrbStreamReadFunc read, gpointer data);
void urb_stream_in_clear (UrbStreamIn *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbStreamIn, urb_stream_in_clear)

/* The start of a message.  FALSE: with an error; a stream that ends between messages is
 * G_IO_ERROR_CLOSED. */
gboolean urb_stream_receive_head  (UrbStreamIn *self, UrbMessageKind *kind, guint64 *n_bytes,
                                   GError **error);
/* Part of an array; @bytes: (out caller-allocates) */
gboolean urb_stream_receive_bytes (UrbStreamIn *self, gpointer bytes, gsize n_bytes, GError **error);
/* The fields of a message of @n_bytes, which the functions below then return in order. */
gboolean urb_stream_receive_fields (UrbStreamIn *self, guint64 n_bytes, GError **error);

gint64 urb_stream_get_int    (UrbStreamIn *self, gint64 least, gint64 most); /* @least if bad */
double urb_stream_get_double (UrbStreamIn *self);                            /* finite; 0 if bad */
/* (transfer full) (nullable): as it was put, but as urb_show_text() makes it */
char  *urb_stream_get_text   (UrbStreamIn *self);
/* As before, never %NULL. */
char  *urb_stream_get_some_text (UrbStreamIn *self);
/* As it was put, such as the name of a file; for what a trusted end sends.  (nullable) */
char  *urb_stream_get_raw_text  (UrbStreamIn *self);
/* FALSE, with an error, if any field was bad or some are left over. */
gboolean urb_stream_end_fields (UrbStreamIn *self, GError **error);

/* The error for a stream that is not what it should be. */
gboolean urb_stream_fail (GError **error);

/* -------- What is sent -------- */

/* map-stream.c; a map whose vertices are in a block gives it away */
void    urb_map_send    (UrbMap *map, UrbStreamOut *out);
/**
 * urb_map_receive:
 * @n_bytes: of the message URB_MESSAGE_MAP, whose head was received
 * @max_bytes: of the vertices; a map that announces more is refused
 * @block: a file descriptor, where the vertices may be (vertex-block.h); -1: none
 *
 * Nothing of what arrives is trusted: counts, classes, layers, coordinates and texts are checked, and
 * areas, extent and index are computed here.
 */
UrbMap *urb_map_receive (UrbStreamIn *in, guint64 n_bytes, guint64 max_bytes, int block, GError **error);

G_END_DECLS
