/* SPDX-License-Identifier: Apache-2.0 */
/*
 * film.h - images in a row as a film (WebM), made by GStreamer's program where it is installed.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whether the program is there; it may still lack the encoder, which urb_film_write() tells. */
gboolean urb_film_can_write (void);

/* Writes the image of a frame to @path. */
typedef gboolean (*UrbFrameFunc) (guint frame, const char *path, gpointer data, GError **error);

/* Replaces @path, once the film is complete.  Frames of any size, all equal.  Blocks. */
gboolean urb_film_write (const char *path, guint n_frames, UrbFrameFunc write_frame, gpointer data,
                         GCancellable *cancellable, GError **error);

G_END_DECLS
