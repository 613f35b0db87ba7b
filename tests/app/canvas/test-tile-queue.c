/* SPDX-License-Identifier: Apache-2.0 */
#include "app/canvas/tile-queue.h"
#include "test-town.h"

enum { ALL = (1 << URB_N_CLASSES) - 1, LEVEL = 64 };

typedef struct
{
  GArray *done; /* of UrbariumTileKey, in order of completion */
} Fixture;

static void
done_cb (const UrbariumTileKey *key, GBytes *pixels, UrbColor color, gpointer data)
{
  Fixture *fixture = data;

  g_array_append_val (fixture->done, *key);
}

static void
setup (Fixture *fixture, gconstpointer data)
{
  fixture->done = g_array_new (FALSE, FALSE, sizeof (UrbariumTileKey));
}

static void
teardown (Fixture *fixture, gconstpointer data)
{
  g_array_unref (fixture->done);
}

static void
wait_for (Fixture *fixture, guint n)
{
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;

  while (fixture->done->len < n)
    {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (200);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

static UrbariumTileQueue *
make_queue (Fixture *fixture, int n_threads, int n_blocks, guint64 generation)
{
  UrbariumTileQueue *queue = urbarium_tile_queue_new (n_threads, done_cb, fixture);
  g_autoptr(UrbMap) map = test_town_new (n_blocks, 0, -100.0 * n_blocks);
  UrbariumTileSpec spec = { map, urbarium_palette_get (FALSE, FALSE), ALL, 1 };

  urbarium_tile_queue_set_spec (queue, &spec, generation);
  return queue;
}

static void
make_keys (UrbariumTileKey *keys, guint n, guint64 generation, int row)
{
  for (guint i = 0; i < n; i++)
    keys[i] = (UrbariumTileKey) { generation, LEVEL, (gint32) i, row };
}

static void
test_order (Fixture *fixture, gconstpointer data)
{
  g_autoptr(UrbariumTileQueue) queue = make_queue (fixture, 1, 20, 1);
  UrbariumTileKey keys[6];

  make_keys (keys, 6, 1, 0);
  urbarium_tile_queue_set_wanted (queue, keys, 6);
  wait_for (fixture, 6);
  for (int i = 0; i < 6; i++)
    g_assert_true (
      urbarium_tile_key_equal (&g_array_index (fixture->done, UrbariumTileKey, i), &keys[i]));
}

static void
test_each_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr(UrbariumTileQueue) queue = make_queue (fixture, 4, 40, 1);
  g_autoptr(GHashTable) seen
    = g_hash_table_new (urbarium_tile_key_hash, urbarium_tile_key_equal);
  UrbariumTileKey keys[40];

  make_keys (keys, 40, 1, 0);
  while (fixture->done->len < 40)
    {
      guint n_left = 0;
      UrbariumTileKey left[40];

      /* As the layer does in each frame: requests all missing tiles. */
      for (guint i = 0; i < 40; i++)
        {
          gboolean got = FALSE;

          for (guint k = 0; k < fixture->done->len; k++)
            got |= urbarium_tile_key_equal (&g_array_index (fixture->done, UrbariumTileKey, k),
                                            &keys[i]);
          if (!got)
            left[n_left++] = keys[i];
        }
      urbarium_tile_queue_set_wanted (queue, left, n_left);
      g_main_context_iteration (NULL, FALSE);
    }
  for (guint i = 0; i < 40; i++)
    g_assert_true (g_hash_table_add (seen, &g_array_index (fixture->done, UrbariumTileKey, i)));
  g_assert_cmpuint (urbarium_tile_queue_get_counts (queue).n_drawn, ==, 40);
}

static guint
count_row (Fixture *fixture, int row)
{
  guint n = 0;

  for (guint i = 0; i < fixture->done->len; i++)
    n += g_array_index (fixture->done, UrbariumTileKey, i).row == row;
  return n;
}

/* A pan over hundreds of tiles, each requested briefly. */
static void
test_fast_pan (Fixture *fixture, gconstpointer data)
{
  g_autoptr(UrbariumTileQueue) queue = make_queue (fixture, 2, 150, 1);
  UrbariumTileKey keys[16];
  UrbariumTileQueueCounts counts;

  for (int row = 0; row < 200; row++)
    {
      make_keys (keys, 16, 1, row);
      urbarium_tile_queue_set_wanted (queue, keys, 16);
    }
  while (count_row (fixture, 199) < 16)
    g_main_context_iteration (NULL, FALSE);
  counts = urbarium_tile_queue_get_counts (queue);
  /* Of 3200 tiles, the last 16 and those being finished. */
  g_test_message ("%u drawn, %u given up", (guint) counts.n_drawn, (guint) counts.n_given_up);
  g_assert_cmpuint (counts.n_drawn, <, 100);
}

static void
test_nothing_wanted (Fixture *fixture, gconstpointer data)
{
  g_autoptr(UrbariumTileQueue) queue = make_queue (fixture, 1, 100, 1);
  UrbariumTileKey keys[30];
  guint64 n_before, n_drawn;

  make_keys (keys, 30, 1, 0);
  urbarium_tile_queue_set_wanted (queue, keys, 30);
  urbarium_tile_queue_set_wanted (queue, NULL, 0);
  n_before = urbarium_tile_queue_get_counts (queue).n_drawn;
  make_keys (keys, 1, 1, 7);
  urbarium_tile_queue_set_wanted (queue, keys, 1);
  while (count_row (fixture, 7) == 0)
    g_main_context_iteration (NULL, FALSE);
  n_drawn = urbarium_tile_queue_get_counts (queue).n_drawn;
  g_assert_cmpuint (n_drawn, <=, n_before + 2); /* those being drawn */
}

static void
test_late_generation (Fixture *fixture, gconstpointer data)
{
  g_autoptr(UrbariumTileQueue) queue = make_queue (fixture, 2, 30, 1);
  g_autoptr(UrbMap) other = test_town_new (5, 0, -500);
  UrbariumTileSpec spec = { other, urbarium_palette_get (TRUE, FALSE), ALL, 1 };
  UrbariumTileKey keys[10];
  guint64 n_before;

  make_keys (keys, 10, 1, 0);
  urbarium_tile_queue_set_wanted (queue, keys, 10);
  urbarium_tile_queue_set_spec (queue, &spec, 2);
  n_before = urbarium_tile_queue_get_counts (queue).n_drawn;
  urbarium_tile_queue_set_wanted (queue, keys, 10); /* of a closed map */
  keys[0].generation = 2;
  urbarium_tile_queue_set_wanted (queue, keys, 1);
  while (fixture->done->len == 0
         || g_array_index (fixture->done, UrbariumTileKey, fixture->done->len - 1).generation != 2)
    g_main_context_iteration (NULL, FALSE);
  /* Those that both threads were drawing, and the new one. */
  g_assert_cmpuint (urbarium_tile_queue_get_counts (queue).n_drawn, <=, n_before + 3);
}

/* Freed in all states, many times: the threads must end by themselves. */
static void
test_free_while_drawing (Fixture *fixture, gconstpointer data)
{
  UrbariumTileKey keys[32];
  guint n_done;

  make_keys (keys, 32, 1, 0);
  for (int i = 0; i < 30; i++)
    {
      UrbariumTileQueue *queue = make_queue (fixture, 3, 50, 1);

      urbarium_tile_queue_set_wanted (queue, keys, 32);
      for (int k = 0; k < i; k++)
        {
          g_main_context_iteration (NULL, FALSE);
          g_thread_yield ();
        }
      urbarium_tile_queue_free (queue);
      n_done = fixture->done->len;
      for (int k = 0; k < 3; k++)
        g_main_context_iteration (NULL, FALSE);
      g_assert_cmpuint (fixture->done->len, ==, n_done);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) \
  g_test_add ("/app/canvas/tile-queue/" name, Fixture, NULL, setup, func, teardown)
  ADD ("order", test_order);
  ADD ("each-once", test_each_once);
  ADD ("fast-pan", test_fast_pan);
  ADD ("nothing-wanted", test_nothing_wanted);
  ADD ("late-generation", test_late_generation);
  ADD ("free-while-drawing", test_free_while_drawing);
  return g_test_run ();
}
