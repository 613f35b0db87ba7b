/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-maps.c - measures reading a map, indexing it and rasterising tiles, compared with GDAL.
 *
 * Urbarium and the peer script alternate, round by round, each on one core; medians and
 * their ratios are printed.  The peer is called with the map and a number of tiles, and
 * prints lines "what it did   0.123 s", which are identified by their prefixes; it may
 * fail after the last line needed.  Tiles are those of a 250 m grid over the map, in
 * 256 x 256 pixels; ours end as bytes with three classes, GDAL's as bytes with one.
 * --json prints Urbarium's processor time for other programs.  Not a test: it only
 * measures.
 *
 *   bench-maps big.gpkg --peer gdal_bench.py [--rounds 3] [--tiles 400]
 *   bench-maps big.gpkg --json [--size-px 512] [--soft]
 *   bench-maps big.gpkg --in-process        only reads and indexes it, without the process that reads maps:
 *                                           compare with `urbarium-engine inspect big.gpkg`
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/json-build.h"
#include "dataset/raster.h"
#include "dataset/tile-codec.h"
#include "dataset/tile-encoder.h"
#include "made-up-map.h"
#include "map/ogr-private.h"
#include "seconds.h"

enum { MAX_ROUNDS = 99 };

static const double tile_m = 250;

typedef enum
{
  OURS_OPEN,
  OURS_OPEN_CPU,
  OURS_TILES,
  OURS_QUERIES,
  OURS_ALL,
  OURS_ALL_CPU,
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

/* Prefixes of the script's lines; the two that begin with a space follow a number of tiles. */
static const char *const peer_keys[N_PEER] = {
  "full sequential read", "full read through the Arrow",
  " tiles: filter + RasterizeLayer 256x256", " tiles: spatial filter only",
  "gdal.RasterizeLayer whole 30x30 km (", "gdal.RasterizeLayer whole 30x30 km, Memory",
};

typedef struct
{
  const char *map_path, *peer, *python;
  int         n_rounds, n_tiles, size_px;
  gboolean    is_soft; /* tiles are encoded as in a dataset */
  double      ours[N_OURS][MAX_ROUNDS], theirs[N_PEER][MAX_ROUNDS]; /* seconds */
  gint64      n_polygons, n_vertices, n_all_tiles;
  gsize       n_bytes;
  double      peak_bytes; /* of the process, after the first opening */
} Bench;

/* -------- Ours -------- */

typedef struct
{
  double x, y; /* lower left corner, in meters */
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

static UrbArea
tile_area (const Grid *grid, int index)
{
  return (UrbArea) { .center_x = grid->x + (index % grid->n_cols + 0.5) * tile_m,
                     .center_y = grid->y + (index / grid->n_cols + 0.5) * tile_m };
}

static UrbFrame
tile_frame (const Grid *grid, int index, int size_px)
{
  UrbArea area = tile_area (grid, index);

  return urb_frame_around (area.center_x, area.center_y, 0, tile_m, size_px);
}

/* Rasterizes tiles into @bytes. */
typedef struct
{
  UrbMap         *map;  /* borrowed */
  UrbRaster      *raster; /* owned */
  UrbTileEncoder *encoder; /* (nullable) owned */
  guint8         *bytes; /* owned */
  int             size_px;
} Cutter;

static void
cutter_init (Cutter *self, const Bench *bench, UrbMap *map)
{
  *self = (Cutter) { .map = map, .raster = urb_raster_new (), .size_px = bench->size_px };
  if (bench->is_soft)
    self->encoder = urb_tile_encoder_new (URB_ENCODING_RGB, TRUE, bench->size_px, tile_m);
  self->bytes = g_malloc (self->encoder != NULL ? urb_tile_encoder_get_max_blob (self->encoder)
                                                : (gsize) bench->size_px * bench->size_px);
}

static void
cutter_clear (Cutter *self)
{
  urb_raster_free (self->raster);
  urb_tile_encoder_free (self->encoder);
  g_free (self->bytes);
}

static void
cut_tile (Cutter *self, const Grid *grid, int index)
{
  UrbFrame frame = tile_frame (grid, index, self->size_px);
  UrbArea area = tile_area (grid, index);

  if (self->encoder != NULL)
    {
      urb_tile_encoder_encode (self->encoder, self->map, &area, self->bytes);
      return;
    }
  urb_raster_paint (self->raster, self->map, &frame);
  made_up_map_get_classes (self->raster, &frame, self->bytes);
}

/* A random selection of all tiles, the same in each round. */
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
  g_autoptr(GArray) found = g_array_new (FALSE, FALSE, sizeof (gint64));
  Cutter cutter;
  double start, cpu;

  cutter_init (&cutter, self, map);
  self->n_all_tiles = (gint64) grid.n_cols * grid.n_rows;
  start = clock_s (CLOCK_MONOTONIC);
  for (int i = 0; i < self->n_tiles; i++)
    cut_tile (&cutter, &grid, tiles[i]);
  self->ours[OURS_TILES][round] = (clock_s (CLOCK_MONOTONIC) - start) / self->n_tiles;
  start = clock_s (CLOCK_MONOTONIC);
  for (int i = 0; i < self->n_tiles; i++)
    {
      UrbFrame frame = tile_frame (&grid, tiles[i], self->size_px);

      urb_map_query (map, urb_frame_get_box (&frame), found);
    }
  self->ours[OURS_QUERIES][round] = (clock_s (CLOCK_MONOTONIC) - start) / self->n_tiles;
  start = clock_s (CLOCK_MONOTONIC);
  cpu = clock_s (CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < self->n_all_tiles; i++)
    cut_tile (&cutter, &grid, i);
  self->ours[OURS_ALL][round] = clock_s (CLOCK_MONOTONIC) - start;
  self->ours[OURS_ALL_CPU][round] = clock_s (CLOCK_PROCESS_CPUTIME_ID) - cpu;
  cutter_clear (&cutter);
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

static gboolean
open_in_process (const char *path, GError **error)
{
  g_autoptr(UrbMap) map = urb_map_read ((const char *const[]){ path, NULL }, NULL, 0, -1, NULL, NULL, NULL, error);

  if (map == NULL)
    return FALSE;
  printf ("%" G_GINT64_FORMAT " polygons\n", map->n_polygons);
  return TRUE;
}

/* -------- The peer -------- */

static gboolean
line_fits (const char *line, const char *pattern)
{
  return g_str_has_prefix (line + (*pattern == ' ' ? strspn (line, "0123456789") : 0), pattern);
}

/* The number before the last " s" of a line; 0 if there is none. */
static double
seconds_of (const char *line)
{
  const char *end = g_strrstr (line, " s"), *start = end;

  while (start != NULL && start > line && (g_ascii_isdigit (start[-1]) || start[-1] == '.'))
    start--;
  return start != NULL ? g_ascii_strtod (start, NULL) : 0;
}

static gboolean
measure_peer (Bench *self, int round, GError **error)
{
  g_autofree char *n_tiles = g_strdup_printf ("%d", self->n_tiles);
  const char *argv[] = { self->python, self->peer, self->map_path, n_tiles, NULL };
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                     &text, NULL, NULL, error))
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    for (int i = 0; i < N_PEER; i++)
      if (line_fits (*line, peer_keys[i]))
        self->theirs[i][round] = seconds_of (*line)
                                 / (i == PEER_TILES || i == PEER_QUERIES ? self->n_tiles : 1);
  for (int i = 0; i < N_PEER; i++)
    if (!(self->theirs[i][round] > 0))
      {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s did not print a line '%s …'; run it alone to see why",
                     self->peer, peer_keys[i]);
        return FALSE;
      }
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
  printf ("%" G_GINT64_FORMAT " polygons, %" G_GINT64_FORMAT " vertices; %.1f bytes per vertex held, %.1f at the "
          "peak of the process\n",
          self->n_polygons, self->n_vertices, (double) self->n_bytes / (double) self->n_vertices,
          self->peak_bytes / (double) self->n_vertices);
  printf ("read, classified and indexed in %.3f s (%.3f s of processor time); a query %.4f ms, a tile %.4f ms, "
          "all %" G_GINT64_FORMAT " tiles %.3f s (%.3f s of processor time)\n",
          ours[OURS_OPEN], ours[OURS_OPEN_CPU], 1e3 * ours[OURS_QUERIES], 1e3 * ours[OURS_TILES],
          self->n_all_tiles, ours[OURS_ALL], ours[OURS_ALL_CPU]);
  if (self->peer == NULL)
    return;
  for (int i = 0; i < N_PEER; i++)
    theirs[i] = median (self->theirs[i], self->n_rounds);
  printf ("\n%-44s %10s %10s\n", "", "ours", "GDAL");
  print_row ("read; ours: indexed, too; GDAL: features", ours[OURS_OPEN], theirs[PEER_READ], 1, "s ");
  print_row ("the same, GDAL: Arrow stream", ours[OURS_OPEN], theirs[PEER_ARROW], 1, "s ");
  print_row ("query of a tile", ours[OURS_QUERIES], theirs[PEER_QUERIES], 1e-3, "ms");
  print_row ("a tile, from the index to bytes", ours[OURS_TILES], theirs[PEER_TILES], 1e-3, "ms");
  print_row ("all tiles; GDAL: one image, from the file", ours[OURS_ALL], theirs[PEER_ALL], 1, "s ");
  print_row ("all tiles; GDAL: one image, from memory", ours[OURS_ALL], theirs[PEER_ALL_MEMORY], 1, "s ");
}

static void
print_json (Bench *self)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();
  g_autofree char *text = NULL;

  urb_json_begin_object (json, NULL);
  urb_json_add_int (json, "polygons", self->n_polygons);
  urb_json_add_int (json, "vertices", self->n_vertices);
  urb_json_add_int (json, "peak_bytes", (gint64) self->peak_bytes);
  urb_json_add_double (json, "open_s", median (self->ours[OURS_OPEN_CPU], self->n_rounds));
  urb_json_add_int (json, "tiles", self->n_all_tiles);
  urb_json_add_double (json, "tiles_s", median (self->ours[OURS_ALL_CPU], self->n_rounds));
  urb_json_end_object (json);
  text = urb_json_dup_text (json);
  printf ("%s\n", text);
}

int
main (int argc, char **argv)
{
  Bench bench = { .n_rounds = 3, .n_tiles = 400, .size_px = 256 };
  g_autofree char *peer = NULL, *python = g_strdup ("/usr/bin/python3");
  gboolean is_done = TRUE, as_json = FALSE, in_process = FALSE;
  const GOptionEntry entries[] = {
    { "peer", 0, 0, G_OPTION_ARG_FILENAME, &peer, "Script that measures GDAL", "FILE" },
    { "python", 0, 0, G_OPTION_ARG_FILENAME, &python, "Python with GDAL", "FILE" },
    { "rounds", 0, 0, G_OPTION_ARG_INT, &bench.n_rounds, "Rounds (default 3)", "N" },
    { "tiles", 0, 0, G_OPTION_ARG_INT, &bench.n_tiles, "Tiles per round (default 400)", "N" },
    { "size-px", 0, 0, G_OPTION_ARG_INT, &bench.size_px, "Edge of a tile (default 256)", "PIXELS" },
    { "soft", 0, 0, G_OPTION_ARG_NONE, &bench.is_soft, "Encode soft tiles, as in a dataset", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print Urbarium's processor time as JSON", NULL },
    { "in-process", 0, 0, G_OPTION_ARG_NONE, &in_process, "Only open the map, in this process", NULL },
    { NULL }
  };
  g_autoptr(GOptionContext) context = g_option_context_new ("MAP");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2 || bench.n_rounds < 1 ||
      bench.n_rounds > MAX_ROUNDS || bench.n_tiles < 1 || bench.size_px < URB_TILE_MIN_PX ||
      bench.size_px > URB_TILE_MAX_PX)
    {
      g_printerr ("bench-maps: %s\n", error != NULL ? error->message : "give one map; see --help");
      return 2;
    }
  bench.map_path = argv[1];
  bench.peer = peer;
  bench.python = python;
  if (in_process)
    {
      is_done = open_in_process (argv[1], &error);
      if (!is_done)
        g_printerr ("bench-maps: %s\n", error->message);
      return is_done ? 0 : 1;
    }
  for (int round = 0; is_done && round < bench.n_rounds; round++)
    is_done = measure_ours (&bench, round, &error) &&
              (peer == NULL || measure_peer (&bench, round, &error));
  if (is_done && as_json)
    print_json (&bench);
  else if (is_done)
    print_result (&bench);
  else
    g_printerr ("bench-maps: %s\n", error->message);
  return is_done ? 0 : 1;
}
