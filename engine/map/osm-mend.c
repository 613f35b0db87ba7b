/* SPDX-License-Identifier: Apache-2.0 */
/*
 * osm-mend.c - OpenStreetMap's XML with nodes that lie nowhere.
 *
 * GDAL stops reading at a node whose latitude or longitude is not on Earth, and all ways come after
 * all nodes.  Such a node is therefore put at 1° N 1° E, in the sea: what uses it is then far from the
 * map, and dropped like any other outlier.  The copy has the same length, so it is changed in place.
 */
#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <math.h>
#include <string.h>

#include "map/ogr-private.h"

#define MAX_BYTES ((vsi_l_offset) 1 << 30)

/* The value of lat="…" or lon="…" within a tag. */
typedef struct
{
  char *text;
  gsize n;
} Value;

static gboolean
find_value (char *tag, const char *end, const char *name, Value *value)
{
  gsize n = strlen (name);
  char *at = tag;

  while ((at = memmem (at, (gsize) (end - at), name, n)) != NULL)
    {
      char *quote = at + n;
      const char *close;
      if (at[-1] == ' ' && quote < end && (*quote == '"' || *quote == '\'')
          && (close = memchr (quote + 1, *quote, (gsize) (end - quote - 1))) != NULL)
        {
          *value = (Value){ quote + 1, (gsize) (close - quote - 1) };
          return TRUE;
        }
      at = quote;
    }
  return FALSE;
}

static gboolean
is_within (const Value *value, double limit)
{
  g_autofree char *text = g_strndup (value->text, value->n);
  char *end;
  double degrees = g_ascii_strtod (text, &end);

  return end != text && *end == '\0' && fabs (degrees) <= limit;
}

/* "1.0000": GDAL takes 0° N 0° E for a node that is missing. */
static void
set_one (const Value *value)
{
  memset (value->text, '0', value->n);
  if (value->n > 0)
    value->text[0] = '1';
  if (value->n > 1)
    value->text[1] = '.';
}

static gint64
mend (char *text, gsize n_bytes)
{
  char *end = text + n_bytes, *tag = text;
  gint64 n_nodes = 0;

  while ((tag = memmem (tag, (gsize) (end - tag), "<node ", 6)) != NULL)
    {
      char *close = memchr (tag, '>', (gsize) (end - tag));
      Value lat, lon;

      if (close == NULL)
        break;
      if (find_value (tag + 1, close, "lat=", &lat) && find_value (tag + 1, close, "lon=", &lon)
          && !(is_within (&lat, 90) && is_within (&lon, 180)))
        {
          set_one (&lat);
          set_one (&lon);
          n_nodes++;
        }
      tag = close;
    }
  return n_nodes;
}

/* Returns: (nullable): allocated by GDAL */
static char *
read_xml (const char *path, gsize *n_bytes)
{
  VSILFILE *file = VSIFOpenL (path, "rb");
  char *text = NULL, first = '\0';
  VSIStatBufL info;

  if (file == NULL)
    return NULL;
  if (VSIFReadL (&first, 1, 1, file) == 1 && (first == '<' || first == '\xef')
      && VSIStatL (path, &info) == 0 && info.st_size > 0 && (vsi_l_offset) info.st_size <= MAX_BYTES)
    text = VSIMalloc ((size_t) info.st_size);
  if (text != NULL)
    {
      VSIFSeekL (file, 0, SEEK_SET);
      *n_bytes = VSIFReadL (text, 1, (size_t) info.st_size, file);
    }
  VSIFCloseL (file);
  return text;
}

char *
urb_osm_mend (const char *path, gint64 *n_nodes)
{
  static int n_copies = 0; /* names them */
  gsize n_bytes = 0;
  char *text = read_xml (path, &n_bytes), *copy;
  VSILFILE *file;

  *n_nodes = text != NULL ? mend (text, n_bytes) : 0;
  if (*n_nodes == 0)
    {
      VSIFree (text);
      return NULL;
    }
  copy = g_strdup_printf ("/vsimem/mended-%d.osm", g_atomic_int_add (&n_copies, 1));
  file = VSIFileFromMemBuffer (copy, (GByte *) text, n_bytes, TRUE);
  if (file != NULL)
    VSIFCloseL (file);
  return copy;
}
