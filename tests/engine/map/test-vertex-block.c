/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-vertex-block.c - vertices that a hostile process gives away cannot change once they are taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "map/map-private.h"
#include "map/stream.h"
#include "map/vertex-block.h"

enum { N = 3000, POLYGONS = 1000 };

/* -------- The block alone -------- */

static void
test_take (void)
{
  int fd = urb_vertex_block_create (1 << 20);
  gint64 capacity;
  double *ours = urb_vertex_block_open (fd, &capacity), *theirs;
  double other = 7;

  g_assert_nonnull (ours);
  g_assert_cmpint (capacity, ==, (1 << 20) / 16);
  for (int i = 0; i < 2 * N; i++)
    ours[i] = i;
  g_assert_null (urb_vertex_block_take (fd, N)); /* it can still be written */
  urb_vertex_block_close (ours, capacity);
  g_assert_null (urb_vertex_block_take (fd, capacity + 1));
  theirs = urb_vertex_block_take (fd, N);
  g_assert_nonnull (theirs);
  for (int i = 0; i < 2 * N; i++)
    g_assert_cmpfloat (theirs[i], ==, i);
  /* All ways to change it. */
  g_assert_null (urb_vertex_block_open (fd, &capacity));
  g_assert_cmpint (pwrite (fd, &other, sizeof other, 0), ==, -1);
  g_assert_cmpint (errno, ==, EPERM);
  g_assert_cmpint (ftruncate (fd, 0), ==, -1);
  g_assert_cmpint (fallocate (fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), ==, -1);
  g_assert_cmpint (fcntl (fd, F_ADD_SEALS, F_SEAL_GROW), ==, -1);
  g_assert_cmpint (mprotect (theirs, 4096, PROT_READ | PROT_WRITE), ==, -1);
  g_assert_cmpfloat (theirs[2], ==, 2);
  close (fd);
  g_assert_cmpfloat (theirs[2 * N - 1], ==, 2 * N - 1);
  urb_vertex_block_close (theirs, N);
}

static void
test_size_is_fixed (void)
{
  int fd = urb_vertex_block_create (1 << 16);

  g_assert_cmpint (ftruncate (fd, 0), ==, -1);
  g_assert_cmpint (ftruncate (fd, 1 << 17), ==, -1);
  close (fd);
}

static void
test_none (void)
{
  gint64 capacity;

  g_assert_null (urb_vertex_block_open (-1, &capacity));
  g_assert_cmpint (capacity, ==, 0);
  g_assert_null (urb_vertex_block_take (-1, 1));
}

/* -------- A map in a block -------- */

static void
put_triangle (UrbMapBuilder *builder, double x, UrbClass class_, guint32 value)
{
  const double triangle[] = { x, 0, x + 4, 0, x, 2 };

  memcpy (urb_map_builder_reserve (builder, 3), triangle, sizeof triangle);
  urb_map_builder_commit_ring (builder, 3);
  urb_map_builder_commit_polygon (builder, class_, 0, value);
}

/* What the process that reads maps does: a map in @block, sent to the stream returned. */
static int
send_map (int block)
{
  int stream = memfd_create ("stream", MFD_CLOEXEC);
  g_autoptr(UrbMap) map = NULL;
  g_auto(UrbStreamOut) out = { 0 };
  UrbMapBuilder *builder = urb_map_builder_new ();
  UrbMapLayer *layer = urb_map_builder_add_layer (builder, "buildings", "town.gpkg");
  gint64 capacity;
  double *xy = urb_vertex_block_open (block, &capacity);

  urb_map_builder_use_block (builder, xy, capacity);
  urb_map_layer_add_value (layer, "house", URB_CLASS_BUILDING, TRUE);
  urb_map_layer_add_value (layer, "street", URB_CLASS_ROAD, TRUE);
  for (int i = 0; i < POLYGONS; i++)
    {
      gboolean is_road = i % 4 == 3;
      put_triangle (builder, i, is_road ? URB_CLASS_ROAD : URB_CLASS_BUILDING, is_road);
    }
  g_assert_null (urb_map_builder_reserve (builder, capacity)); /* the block is full */
  map = urb_map_builder_finish (builder, URB_MAP_TO_SEND);
  urb_stream_out_init (&out, stream);
  urb_map_send (map, &out);
  g_assert_false (out.failed);
  g_assert_cmpint (lseek (stream, 0, SEEK_SET), ==, 0);
  return stream;
}

static gssize
read_stream (gpointer fd, gpointer buffer, gsize n_bytes, GError **error)
{
  return read (GPOINTER_TO_INT (fd), buffer, n_bytes);
}

static UrbMap *
receive_map (int stream, int block, GError **error)
{
  g_auto(UrbStreamIn) in = { 0 };
  UrbMessageKind kind;
  guint64 n_bytes;
  UrbMap *map;

  urb_stream_in_init (&in, read_stream, GINT_TO_POINTER (stream));
  g_assert_true (urb_stream_receive_head (&in, &kind, &n_bytes, NULL));
  map = urb_map_receive (&in, n_bytes, 1 << 20, block, error);
  close (stream);
  close (block);
  return map;
}

static void
test_map (void)
{
  int block = urb_vertex_block_create (1 << 20);
  g_autoptr(UrbMap) map = receive_map (send_map (block), block, NULL);
  const UrbMapLayer *layer;
  gint64 n;

  g_assert_nonnull (map);
  g_assert_cmpint (urb_map_get_n_polygons (map), ==, POLYGONS);
  g_assert_cmpint (urb_map_get_polygon (map, 0)->class_, ==, URB_CLASS_ROAD); /* painted first */
  g_assert_cmpfloat (urb_map_get_ring (map, urb_map_get_polygon (map, 0)->first_ring, &n)[0], ==, 3);
  g_assert_cmpfloat (urb_map_get_class_area_m2 (map, URB_CLASS_BUILDING), ==, 4 * 750);
  layer = g_ptr_array_index (urb_map_get_layers (map), 0);
  g_assert_cmpfloat (((UrbMapValue *) g_ptr_array_index (layer->values, 0))->area_m2, ==, 4 * 750);
  g_assert_cmpfloat (((UrbMapValue *) g_ptr_array_index (layer->values, 1))->area_m2, ==, 4 * 250);
}

typedef enum { KEEPS_BLOCK, SENDS_NAN, SENDS_NO_BLOCK } Trick;

static void
test_hostile (gconstpointer data)
{
  Trick trick = (Trick) GPOINTER_TO_INT (data);
  int block = urb_vertex_block_create (1 << 20), stream = send_map (block);
  g_autoptr(GError) error = NULL;
  gint64 capacity;
  double *xy = urb_vertex_block_open (block, &capacity);

  if (trick == SENDS_NAN)
    xy[17] = NAN;
  if (trick != KEEPS_BLOCK)
    urb_vertex_block_close (xy, capacity);
  if (trick == SENDS_NO_BLOCK)
    {
      close (block);
      block = -1;
    }
  g_assert_null (receive_map (stream, block, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
  if (trick == KEEPS_BLOCK)
    urb_vertex_block_close (xy, capacity);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/map/vertex-block/take", test_take);
  g_test_add_func ("/map/vertex-block/size", test_size_is_fixed);
  g_test_add_func ("/map/vertex-block/none", test_none);
  g_test_add_func ("/map/vertex-block/map", test_map);
  g_test_add_data_func ("/map/vertex-block/kept", GINT_TO_POINTER (KEEPS_BLOCK), test_hostile);
  g_test_add_data_func ("/map/vertex-block/not-a-number", GINT_TO_POINTER (SENDS_NAN), test_hostile);
  g_test_add_data_func ("/map/vertex-block/absent", GINT_TO_POINTER (SENDS_NO_BLOCK), test_hostile);
  return g_test_run ();
}
