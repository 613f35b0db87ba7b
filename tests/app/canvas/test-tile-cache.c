/* SPDX-License-Identifier: Apache-2.0 */
#include "app/canvas/tile-cache.h"

enum { TEXTURE_PX = 64, TEXTURE_BYTES = 4 * TEXTURE_PX * TEXTURE_PX, ENTRY_BYTES_MAX = 1024 };

static GdkTexture *
make_texture (void)
{
  g_autoptr(GBytes) pixels = g_bytes_new_take (g_malloc0 (TEXTURE_BYTES), TEXTURE_BYTES);

  return gdk_memory_texture_new (TEXTURE_PX, TEXTURE_PX, GDK_MEMORY_DEFAULT, pixels,
                                 4 * TEXTURE_PX);
}

static UrbariumTileKey
key_of (guint64 generation, int col)
{
  return (UrbariumTileKey) { generation, 3, col, -col };
}

static void
put (UrbariumTileCache *cache, UrbariumTileKey key, gboolean pinned)
{
  g_autoptr(GdkTexture) texture = make_texture ();

  urbarium_tile_cache_put (cache, &key, texture, (GdkRGBA) { 0 }, pinned);
}

static gboolean
has (UrbariumTileCache *cache, UrbariumTileKey key)
{
  return urbarium_tile_cache_get (cache, &key) != NULL;
}

static void
test_bound (void)
{
  gsize max = 10 * (TEXTURE_BYTES + ENTRY_BYTES_MAX);
  g_autoptr(UrbariumTileCache) cache = urbarium_tile_cache_new (max);

  for (int i = 0; i < 1000; i++)
    {
      put (cache, key_of (1, i), FALSE);
      g_assert_cmpuint (urbarium_tile_cache_get_n_bytes (cache), <=, max);
    }
  g_assert_cmpuint (urbarium_tile_cache_get_n_tiles (cache), >=, 10);
  g_assert_cmpuint (urbarium_tile_cache_get_n_bytes (cache), >=, 10 * TEXTURE_BYTES);
  g_assert_true (has (cache, key_of (1, 999)));
  g_assert_false (has (cache, key_of (1, 980)));
  urbarium_tile_cache_set_max_bytes (cache, 0);
  g_assert_cmpuint (urbarium_tile_cache_get_n_tiles (cache), ==, 0);
  g_assert_cmpuint (urbarium_tile_cache_get_n_bytes (cache), ==, 0);
}

static void
test_oldest_goes_first (void)
{
  g_autoptr(UrbariumTileCache) cache
    = urbarium_tile_cache_new (4 * (TEXTURE_BYTES + ENTRY_BYTES_MAX));

  for (int i = 0; i < 4; i++)
    put (cache, key_of (1, i), FALSE);
  g_assert_true (has (cache, key_of (1, 0))); /* marks it as used */
  put (cache, key_of (1, 4), FALSE);
  g_assert_true (has (cache, key_of (1, 0)));
  g_assert_false (has (cache, key_of (1, 1)));
  g_assert_true (has (cache, key_of (1, 2)));
}

static void
test_pinned_stay (void)
{
  g_autoptr(UrbariumTileCache) cache = urbarium_tile_cache_new (2 * TEXTURE_BYTES);

  put (cache, key_of (1, 0), TRUE);
  for (int i = 1; i < 50; i++)
    put (cache, key_of (1, i), FALSE);
  g_assert_true (has (cache, key_of (1, 0)));
}

static void
test_replaces (void)
{
  g_autoptr(UrbariumTileCache) cache = urbarium_tile_cache_new (100 * TEXTURE_BYTES);
  UrbariumTileKey key = key_of (1, 7);
  gsize n_bytes;

  put (cache, key, FALSE);
  n_bytes = urbarium_tile_cache_get_n_bytes (cache);
  put (cache, key, FALSE);
  g_assert_cmpuint (urbarium_tile_cache_get_n_bytes (cache), ==, n_bytes);
  g_assert_cmpuint (urbarium_tile_cache_get_n_tiles (cache), ==, 1);
  urbarium_tile_cache_put (cache, &key, NULL, (GdkRGBA) { 1, 1, 1, 1 }, FALSE);
  g_assert_null (urbarium_tile_cache_get (cache, &key)->texture);
  g_assert_cmpuint (urbarium_tile_cache_get_n_bytes (cache), <, ENTRY_BYTES_MAX);
}

static void
test_generations (void)
{
  g_autoptr(UrbariumTileCache) cache = urbarium_tile_cache_new (100 * TEXTURE_BYTES);

  for (guint64 generation = 1; generation <= 3; generation++)
    for (int i = 0; i < 5; i++)
      put (cache, key_of (generation, i), i == 0);
  urbarium_tile_cache_keep (cache, 3, 2);
  g_assert_cmpuint (urbarium_tile_cache_get_n_tiles (cache), ==, 10);
  g_assert_false (has (cache, key_of (1, 0)));
  g_assert_true (has (cache, key_of (2, 4)));
  urbarium_tile_cache_keep (cache, 3, 3);
  g_assert_cmpuint (urbarium_tile_cache_get_n_tiles (cache), ==, 5);
}

static void
test_frees_textures (void)
{
  UrbariumTileCache *cache = urbarium_tile_cache_new (100 * TEXTURE_BYTES);
  g_autoptr(GdkTexture) texture = make_texture ();
  UrbariumTileKey key = key_of (1, 1);

  urbarium_tile_cache_put (cache, &key, texture, (GdkRGBA) { 0 }, FALSE);
  g_assert_cmpuint (G_OBJECT (texture)->ref_count, ==, 2);
  urbarium_tile_cache_free (cache);
  g_assert_cmpuint (G_OBJECT (texture)->ref_count, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/canvas/tile-cache/bound", test_bound);
  g_test_add_func ("/app/canvas/tile-cache/oldest-goes-first", test_oldest_goes_first);
  g_test_add_func ("/app/canvas/tile-cache/pinned-stay", test_pinned_stay);
  g_test_add_func ("/app/canvas/tile-cache/replaces", test_replaces);
  g_test_add_func ("/app/canvas/tile-cache/generations", test_generations);
  g_test_add_func ("/app/canvas/tile-cache/frees-textures", test_frees_textures);
  return g_test_run ();
}
