/* SPDX-License-Identifier: Apache-2.0 */
/*
 * point.h - points as keys of a hash table, equal to the bit.
 */
#pragma once

#include <string.h>

#include <glib.h>

typedef struct
{
  double x, y;
} UrbPoint;

static inline guint
urb_point_hash (gconstpointer key)
{
  guint64 x, y;

  memcpy (&x, key, sizeof x);
  memcpy (&y, (const char *) key + sizeof x, sizeof y);
  x = (x ^ (y << 1 | y >> 63)) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (x >> 32);
}

static inline gboolean
urb_point_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (UrbPoint)) == 0;
}
