/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-codec-private.h - the codec's fields, shared by packing (tile-codec.c) and levels
 * (tile-levels.c).
 */
#pragma once

#include <zlib.h>

#include "dataset/tile-codec.h"

struct _UrbTileCodec
{
  UrbEncoding encoding;
  gboolean    soft;
  int         size_px;
  int         n_planes;
  int         n_channels;
  gsize       stride;  /* bytes of a packed row */
  gsize       n_bytes; /* of all packed planes */
  guint8     *packed;  /* (n_planes, size_px, stride); owned */
  guint64    *sums;    /* (size_px); owned; workspace */
  guint16     bits_of[256]; /* sharp rgb: the 12 bits of a byte's four pixels */
  z_stream    deflater;
  z_stream    inflater;
};
