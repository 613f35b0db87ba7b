/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-map-stream.c - what the process that reads maps sends: it may be in the hands of a hostile map.
 */
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "map/map-private.h"
#include "map/stream.h"

typedef struct
{
  const guint8 *at;
  gsize         left;
} Bytes;

static gssize
read_bytes (gpointer data, gpointer buffer, gsize n_bytes, GError **error)
{
  Bytes *bytes = data;
  gsize n = MIN (n_bytes, bytes->left);

  memcpy (buffer, bytes->at, n);
  bytes->at += n;
  bytes->left -= n;
  return (gssize) n;
}

static UrbMap *
make_map (int n_polygons)
{
  static const double square[] = { 0, 0, 10, 0, 10, 10, 0, 10 }, hole[] = { 2, 2, 4, 2, 4, 4 };
  UrbMapBuilder *builder = urb_map_builder_new ();
  UrbMapLayer *layer = urb_map_builder_add_layer (builder, "buildings", "town.gpkg");

  layer->attribute = g_strdup ("kind");
  layer->n_features = n_polygons;
  urb_map_layer_add_value (layer, "house", URB_CLASS_BUILDING, TRUE);
  urb_map_builder_set_profile (builder, "generic");
  urb_map_builder_set_crs (builder, "LOCAL_CS[\"m\"]", "meters", 0);
  urb_map_builder_warn (builder, "%s", "a warning");
  for (int i = 0; i < n_polygons; i++)
    {
      memcpy (urb_map_builder_reserve (builder, 4), square, sizeof square);
      urb_map_builder_commit_ring (builder, 4);
      memcpy (urb_map_builder_reserve (builder, 3), hole, sizeof hole);
      urb_map_builder_commit_ring (builder, 3);
      urb_map_builder_commit_polygon (builder, (UrbClass) (i % URB_N_CLASSES), 0, 0);
    }
  return urb_map_builder_finish (builder, URB_MAP_CLEAN_NOTHING);
}

void
fuzz_add_seeds (GPtrArray *inputs)
{
  static const int sizes[] = { 0, 1, 4 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr(UrbMap) map = make_map (sizes[i]);
      g_auto(UrbStreamOut) out = { 0 };
      int fd = memfd_create ("stream", MFD_CLOEXEC);
      guint8 bytes[8192];
      gssize n;

      g_assert_cmpint (fd, >=, 0);
      urb_stream_out_init (&out, fd);
      urb_map_send (map, &out);
      g_assert_false (out.failed);
      n = pread (fd, bytes, sizeof bytes, 0);
      g_assert_cmpint (n, >, 0);
      fuzz_add_input (inputs, bytes, (gsize) n);
      close (fd);
    }
}

static void
check (UrbMap *map)
{
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gint64 i = 0; i < 2 * map->n_vertices; i++)
    g_assert_cmpfloat (fabs (map->xy[i]), <=, URB_MAP_MAX_COORDINATE);
  for (gint64 i = 0; i < map->n_polygons; i++)
    {
      g_assert_cmpint (map->polygons[i].class_, <, URB_N_CLASSES);
      g_assert_cmpuint (map->polygons[i].layer, <, map->layers->len);
      g_assert_cmpuint (map->polygons[i].first_ring + map->polygons[i].n_rings, <=, map->n_rings);
    }
  for (guint i = 0; i < map->warnings->len; i++)
    g_assert_true (g_utf8_validate (g_ptr_array_index (map->warnings, i), -1, NULL));
  urb_map_query (map, urb_map_get_extent (map), found);
  g_assert_cmpint (found->len, ==, map->n_polygons);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Bytes bytes = { data, size };
  g_auto(UrbStreamIn) in = { 0 };
  g_autoptr(UrbMap) map = NULL;
  g_autoptr(GError) error = NULL;
  UrbMessageKind kind;
  guint64 n_bytes;

  urb_stream_in_init (&in, read_bytes, &bytes);
  if (!urb_stream_receive_head (&in, &kind, &n_bytes, &error) || kind != URB_MESSAGE_MAP)
    return 0;
  map = urb_map_receive (&in, n_bytes, 1 << 24, -1, &error);
  g_assert_true ((map != NULL) == (error == NULL));
  if (map != NULL)
    check (map);
  return 0;
}
