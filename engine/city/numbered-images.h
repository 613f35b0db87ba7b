/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbered-images.h - images of a folder that are called by a kind and a number: city-0001.png, frame-0001.png.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @number: from 1.  (transfer full) */
char    *urb_numbered_image_dup_name (const char *kind, gint64 number);
/* The number in such a name; of any other name 0. */
gint64   urb_numbered_image_parse    (const char *kind, const char *name);
/* Deletes the images of @kind in @folder but those from @first to @last, which would be mistaken for new ones.
 * @n_removed: (inout): is increased */
gboolean urb_numbered_images_remove_others (const char *folder, const char *kind, gint64 first, gint64 last,
                                            gint64 *n_removed, GError **error);

G_END_DECLS
