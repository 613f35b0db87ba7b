/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile-codec-private.h - what the two halves of the codec share: packing in
 * tile-codec.c, levels in tile-levels.c.
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
  guint64    *sums;    /* (size_px); owned; work space */
  guint16     bits_of[256]; /* sharp, three channels: those of a byte's four pixels */
  z_stream    deflater;
  z_stream    inflater;
};
