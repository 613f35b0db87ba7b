/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-maps.c - reading a map, indexing it and cutting tiles from it, beside GDAL.
 *
 * Ours and the peer take turns, round by round, each on one core; the medians are
 * printed with their ratios.  The peer is a script that is called with the map and a
 * number of tiles, and prints a JSON object of seconds as its last line; its keys are
 * found by their beginnings.  Tiles are those of a grid of 250 m over the map, in 256
 * x 256 pixels; ours end as bytes with three classes, GDAL's as bytes with one.
 * Not a test: it only measures.
 *
 *   bench-maps big.gpkg --peer gdal_bench.py [--rounds 3] [--tiles 400]
 */
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "dataset/raster.h"
#include "map/map.h"

enum { SIZE_PX = 256, MAX_ROUNDS = 99 };

static const double tile_m = 250;

typedef enum
{
  OURS_OPEN,
  OURS_OPEN_CPU,
  OURS_TILES,
  OURS_QUERIES,
  OURS_ALL,
  N_OURS
} Ours;

typedef enum
{
  PEER_READ,
  PEER_ARROW,
  PEER_TILES,
  PEER_QUERIES,
  PEER_ALL,
  PEER_ALL_MEMORY,
  N_PEER
} Peer;

/* As the script's names begin; a number of tiles comes before the next two. */
static const char *const peer_keys[N_PEER] = {
  "full sequential read", "full read through the Arrow",
  " tiles: filter + RasterizeLayer 256x256", " tiles: spatial filter only",
  "gdal.RasterizeLayer whole 30x30 km (", "gdal.RasterizeLayer whole 30x30 km, Memory",
};

typedef struct
{
  const char *map_path, *peer, *python;
  int         n_rounds, n_tiles;
  double      ours[N_OURS][MAX_ROUNDS], theirs[N_PEER][MAX_ROUNDS]; /* seconds */
  gint64      n_polygons, n_vertices, n_all_tiles;
  gsize       n_bytes;
  double      peak_bytes; /* of the process, after the first opening */
} Bench;

static double
clock_s (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *x, int n)
{
  qsort (x, (gsize) n, sizeof *x, compare_doubles);
  return x[n / 2];
}

/* -------- Ours -------- */

typedef struct
{
  double x, y; /* metres; of the lower left corner */
  int    n_cols, n_rows;
} Grid;

static Grid
grid_of (UrbMap *map)
{
  UrbBox extent = urb_map_get_extent (map);
  Grid grid = { .x = ceil (extent.min_x / tile_m) * tile_m, .y = ceil (extent.min_y / tile_m) * tile_m };

  grid.n_cols = MAX ((int) floor ((extent.max_x - grid.x) / tile_m), 1);
  grid.n_rows = MAX ((int) floor ((extent.max_y - grid.y) / tile_m), 1);
  return grid;
}

static UrbFrame
tile_frame (const Grid *grid, int index)
{
  int col = index % grid->n_cols, row = index / grid->n_cols;

  return urb_frame_around (grid->x + (col + 0.5) * tile_m, grid->y + (row + 0.5) * tile_m, 0, tile_m,
                           SIZE_PX);
}

static void
cut_tile (UrbRaster *raster, UrbMap *map, const Grid *grid, int index, guint8 *codes)
{
  UrbFrame frame = tile_frame (grid, index);

  urb_raster_paint (raster, map, &frame);
  urb_raster_get_classes (raster, codes);
}

/* The same tiles in each round, drawn from all of them. */
static int *
draw_tiles (const Grid *grid, int n)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (3);
  int *tiles = g_new (int, n);

  for (int i = 0; i < n; i++)
    tiles[i] = g_rand_int_range (rand, 0, grid->n_cols * grid->n_rows);
  return tiles;
}

static void
measure_tiles (Bench *self, UrbMap *map, int round)
{
  Grid grid = grid_of (map);
  g_autofree int *tiles = draw_tiles (&grid, self->n_tiles);
  g_autofree guint8 *codes = g_malloc (SIZE_PX * SIZE_PX);
  g_autoptr(UrbRaster) raster = urb_raster_new ();
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  double start;

  self->n_all_tiles = (gint64) grid.n_cols * grid.n_rows;
  start = clock_s (CLOCK_MONOTONIC);
  for (int i = 0; i < self->n_tiles; i++)
    cut_tile (raster, map, &grid, tiles[i], codes);
  self->ours[OURS_TILES][round] = (clock_s (CLOCK_MONOTONIC) - start) / self->n_tiles;
  start = clock_s (CLOCK_MONOTONIC);
  for (int i = 0; i < self->n_tiles; i++)
    {
      UrbFrame frame = tile_frame (&grid, tiles[i]);

      urb_map_query (map, urb_frame_get_box (&frame), found);
    }
  self->ours[OURS_QUERIES][round] = (clock_s (CLOCK_MONOTONIC) - start) / self->n_tiles;
  start = clock_s (CLOCK_MONOTONIC);
  for (int i = 0; i < self->n_all_tiles; i++)
    cut_tile (raster, map, &grid, i, codes);
  self->ours[OURS_ALL][round] = clock_s (CLOCK_MONOTONIC) - start;
}

static gboolean
measure_ours (Bench *self, int round, GError **error)
{
  double start = clock_s (CLOCK_MONOTONIC), cpu = clock_s (CLOCK_PROCESS_CPUTIME_ID);
  g_autoptr(UrbMap) map = urb_map_open ((const char *const[]){ self->map_path, NULL }, NULL, NULL,
                                        NULL, NULL, error);
  struct rusage usage;

  if (map == NULL)
    return FALSE;
  self->ours[OURS_OPEN][round] = clock_s (CLOCK_MONOTONIC) - start;
  self->ours[OURS_OPEN_CPU][round] = clock_s (CLOCK_PROCESS_CPUTIME_ID) - cpu;
  if (round == 0)
    {
      getrusage (RUSAGE_SELF, &usage);
      self->peak_bytes = usage.ru_maxrss * 1024.0;
      self->n_polygons = urb_map_get_n_polygons (map);
      self->n_vertices = urb_map_get_n_vertices (map);
      self->n_bytes = urb_map_get_n_bytes (map);
    }
  measure_tiles (self, map, round);
  return TRUE;
}

/* -------- The peer -------- */

static gboolean
key_fits (const char *key, const char *pattern)
{
  return g_str_has_prefix (key + (*pattern == ' ' ? strspn (key, "0123456789") : 0), pattern);
}

static void
take_figures (Bench *self, JsonObject *figures, int round)
{
  g_autoptr(GList) keys = json_object_get_members (figures);

  for (GList *key = keys; key != NULL; key = key->next)
    for (int i = 0; i < N_PEER; i++)
      if (key_fits (key->data, peer_keys[i]))
        self->theirs[i][round] = json_object_get_double_member (figures, key->data) /
                                 (i == PEER_TILES || i == PEER_QUERIES ? self->n_tiles : 1);
}

static gboolean
measure_peer (Bench *self, int round, GError **error)
{
  g_autofree char *n_tiles = g_strdup_printf ("%d", self->n_tiles);
  const char *argv[] = { self->python, self->peer, self->map_path, n_tiles, NULL };
  g_autofree char *text = NULL;
  const char *last_line;
  g_autoptr(JsonParser) parser = json_parser_new ();
  int status;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, NULL, &status,
                     error) ||
      !g_spawn_check_wait_status (status, error))
    return FALSE;
  last_line = strrchr (g_strchomp (text), '\n');
  if (!json_parser_load_from_data (parser, last_line != NULL ? last_line + 1 : text, -1, error))
    return FALSE;
  take_figures (self, json_node_get_object (json_parser_get_root (parser)), round);
  return TRUE;
}

/* -------- Both -------- */

static void
print_row (const char *name, double ours, double theirs, double unit, const char *unit_name)
{
  printf ("%-44s %10.4g %10.4g %s %8.1f x\n", name, ours / unit, theirs / unit, unit_name,
          theirs / ours);
}

static void
print_result (Bench *self)
{
  double ours[N_OURS], theirs[N_PEER];

  for (int i = 0; i < N_OURS; i++)
    ours[i] = median (self->ours[i], self->n_rounds);
  printf ("%" G_GINT64_FORMAT " polygons, %" G_GINT64_FORMAT " vertices; %.1f bytes a vertex held, %.1f at the "
          "peak of the process\n",
          self->n_polygons, self->n_vertices, (double) self->n_bytes / (double) self->n_vertices,
          self->peak_bytes / (double) self->n_vertices);
  printf ("read, classified and indexed in %.3f s (%.3f s of processor time); a query %.4f ms, a tile %.4f ms, "
          "all %" G_GINT64_FORMAT " tiles %.3f s\n",
          ours[OURS_OPEN], ours[OURS_OPEN_CPU], 1e3 * ours[OURS_QUERIES], 1e3 * ours[OURS_TILES],
          self->n_all_tiles, ours[OURS_ALL]);
  if (self->peer == NULL)
    return;
  for (int i = 0; i < N_PEER; i++)
    theirs[i] = median (self->theirs[i], self->n_rounds);
  printf ("\n%-44s %10s %10s\n", "", "ours", "GDAL");
  print_row ("read; ours: and index; GDAL: features", ours[OURS_OPEN], theirs[PEER_READ], 1, "s ");
  print_row ("the same, GDAL: Arrow stream", ours[OURS_OPEN], theirs[PEER_ARROW], 1, "s ");
  print_row ("what lies in a tile", ours[OURS_QUERIES], theirs[PEER_QUERIES], 1e-3, "ms");
  print_row ("a tile, from the index to bytes", ours[OURS_TILES], theirs[PEER_TILES], 1e-3, "ms");
  print_row ("all tiles; GDAL: one picture, from the file", ours[OURS_ALL], theirs[PEER_ALL], 1, "s ");
  print_row ("all tiles; GDAL: one picture, from memory", ours[OURS_ALL], theirs[PEER_ALL_MEMORY], 1, "s ");
}

int
main (int argc, char **argv)
{
  Bench bench = { .n_rounds = 3, .n_tiles = 400 };
  g_autofree char *peer = NULL, *python = g_strdup ("/usr/bin/python3");
  const GOptionEntry entries[] = {
    { "peer", 0, 0, G_OPTION_ARG_FILENAME, &peer, "Script that measures GDAL", "FILE" },
    { "python", 0, 0, G_OPTION_ARG_FILENAME, &python, "Python that has GDAL", "FILE" },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &bench.n_rounds, "Rounds (default 3)", "N" },
    { "tiles", 0, 0, G_OPTION_ARG_INT, &bench.n_tiles, "Tiles of a round (default 400)", "N" },
    { NULL }
  };
  g_autoptr(GOptionContext) context = g_option_context_new ("MAP");
  g_autoptr(GError) error = NULL;
  gboolean is_done = TRUE;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2 || bench.n_rounds < 1 ||
      bench.n_rounds > MAX_ROUNDS || bench.n_tiles < 1)
    {
      g_printerr ("bench-maps: %s\n", error != NULL ? error->message : "give one map; see --help");
      return 2;
    }
  bench.map_path = argv[1];
  bench.peer = peer;
  bench.python = python;
  for (int round = 0; is_done && round < bench.n_rounds; round++)
    is_done = measure_ours (&bench, round, &error) &&
              (peer == NULL || measure_peer (&bench, round, &error));
  if (is_done)
    print_result (&bench);
  else
    g_printerr ("bench-maps: %s\n", error->message);
  return is_done ? 0 : 1;
}
