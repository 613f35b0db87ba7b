/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image-set.h - a folder of images of areas, drawn by any generator.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _UrbImageSet UrbImageSet;

typedef struct
{
  gint64 n;
  int    image_px;   /* edge of the images */
  int    size_px;    /* edge of the levels: the power-of-two fraction of the dataset's resolution that is
                      * nearest to that of the images */
  int    n_channels; /* 1 if all images are grey */
} UrbImageSetInfo;

/**
 * urb_image_set_open:
 * @folder: its files *.png, in the order of their names, numbers by their value; others are ignored
 * @resolution_px: of the dataset that the images are compared with
 *
 * The images are square and of the same size.  Each is in the colors of plans if most of its pixels
 * are exactly such colors, grey if all images are, and otherwise has the levels of building, road
 * and other as red, green and blue.  Reads every image once, to check it.
 *
 * Returns: (transfer full): or %NULL with a %URB_CITY_ERROR_IMAGE that names the file, or the error
 *   of the folder
 */
UrbImageSet           *urb_image_set_open     (const char *folder, int resolution_px, GError **error);
void                   urb_image_set_free     (UrbImageSet *self);
const UrbImageSetInfo *urb_image_set_get_info (const UrbImageSet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbImageSet, urb_image_set_free)

/* Images @first .. @first + @count, averaged over each pixel of the levels.
 * @levels: (out): (@count, size_px, size_px, n_channels) bytes, as from a sampler */
gboolean urb_image_set_read (UrbImageSet *self, gint64 first, gint64 count, guint8 *levels,
                             GError **error);

G_END_DECLS
