/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbors.c - finds the training areas that generated cities repeat.
 *
 * The search is exhaustive at half the resolution, where one block of one plane is a 64-bit word: two
 * words differ in the number of bits of their exclusive or.  All windows of an area that can meet a
 * block are cut out once, and then compared with the blocks of all cities.  The best places are searched
 * again at full resolution.
 */
#include "city/neighbors.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "kernels/uk-random.h"

enum
{
  BLOCKS = 4,                      /* along an edge */
  N_BLOCKS = BLOCKS * BLOCKS,
  FINE = URB_THUMB_EDGE,
  COARSE = FINE / 2,
  BLOCK = COARSE / BLOCKS,         /* coarse cells along an edge: 8, so that a block has 64 */
  REACH = COARSE / 8,              /* coarse cells that a city is shifted by, at most */
  N_SHIFTS = 2 * REACH + 1,
  N_WINDOWS = COARSE - BLOCK + N_SHIFTS, /* along an edge */
  MIN_CELLS = FINE * FINE / 10,
  N_BEST = 3                       /* places that are searched again */
};

G_STATIC_ASSERT (BLOCK == 8 && FINE == 64);

typedef struct
{
  guint64 blocks[N_BLOCKS][URB_THUMB_PLANES]; /* coarse; row r of a block is byte r */
  guint8  n_cells[N_BLOCKS][URB_THUMB_PLANES]; /* coarse */
  UrbThumb fine;
} Turned;

typedef struct
{
  Turned turned[8];
  int    n_cells; /* fine, in both planes; at least MIN_CELLS */
} Query;

struct _UrbQueries
{
  gint64 n;
  Query  queries[];
};

typedef struct
{
  guint64 cells[N_WINDOWS][N_WINDOWS][URB_THUMB_PLANES];
  guint8  n_cells[N_WINDOWS][N_WINDOWS][URB_THUMB_PLANES];
} Windows;

typedef struct
{
  int score; /* 2 x (ground that agrees - ground that differs), in cells */
  int d4, right, down; /* fine cells */
} Place;

/* The cells all of whose eight neighbors are set; beyond the edge all are. */
static void
erode (const guint64 *rows, guint64 *eroded)
{
  guint64 wide[FINE];

  for (int row = 0; row < FINE; row++)
    wide[row] = rows[row] & (rows[row] << 1 | 1) & (rows[row] >> 1 | G_GUINT64_CONSTANT (1) << 63);
  for (int row = 0; row < FINE; row++)
    eroded[row] = wide[row] & wide[MAX (row - 1, 0)] & wide[MIN (row + 1, FINE - 1)];
}

/* Leaves a rim of two cells of what is thicker. */
static void
hollow (guint64 *rows)
{
  guint64 once[FINE], twice[FINE];

  erode (rows, once);
  erode (once, twice);
  for (int row = 0; row < FINE; row++)
    rows[row] &= ~twice[row];
}

void
urb_thumb_from_class_map (const UrbClassMap *map, UrbThumb *thumb)
{
  memset (thumb, 0, sizeof *thumb);
  for (int row = 0; row < FINE; row++)
    for (int col = 0; col < FINE; col++)
      {
        int top = row * map->height_px / FINE;
        int bottom = MAX ((row + 1) * map->height_px / FINE, top + 1);
        int left = col * map->width_px / FINE;
        int right = MAX ((col + 1) * map->width_px / FINE, left + 1);
        int counts[URB_N_CLASSES] = { 0 }, total = (bottom - top) * (right - left);

        for (int y = top; y < bottom; y++)
          for (int x = left; x < right; x++)
            counts[map->classes[(gint64) y * map->width_px + x]]++;
        for (int c = 0; c < URB_THUMB_PLANES; c++)
          thumb->rows[c][row] |= (guint64) (2 * counts[c] >= total) << col;
      }
  for (int c = 0; c < URB_THUMB_PLANES; c++)
    hollow (thumb->rows[c]);
}

void
urb_thumb_turn (const UrbThumb *thumb, int d4, UrbThumb *turned)
{
  memset (turned, 0, sizeof *turned);
  for (int row = 0; row < FINE; row++)
    for (int col = 0; col < FINE; col++)
      {
        int64_t source_row, source_col;

        uk_dihedral_source (d4, FINE, row, col, &source_row, &source_col);
        for (int c = 0; c < URB_THUMB_PLANES; c++)
          turned->rows[c][row] |= (thumb->rows[c][source_row] >> source_col & 1) << col;
      }
}

/* ------------------------------------------------------------------------ */
/* Preparing                                                                 */

/* A cell is set if at least two of its four are.  @rows: (out): (COARSE) */
static void
halve (const guint64 *fine, guint64 *rows)
{
  for (int row = 0; row < COARSE; row++)
    {
      guint64 a = fine[2 * row], b = fine[2 * row + 1], c = a >> 1, d = b >> 1;
      guint64 two = (a & b) | (c & d) | ((a | b) & (c | d));

      rows[row] = 0;
      for (int col = 0; col < COARSE; col++)
        rows[row] |= (two >> 2 * col & 1) << col;
    }
}

/* The 8 x 8 cells from @row and @col on. */
static guint64
cut (const guint64 *rows, int row, int col)
{
  guint64 cells = 0;

  for (int r = 0; r < BLOCK; r++)
    cells |= (rows[row + r] >> col & 0xff) << (8 * r);
  return cells;
}

WITH_POPCNT
static void
prepare_turned (Turned *self)
{
  guint64 rows[URB_THUMB_PLANES][COARSE];

  for (int c = 0; c < URB_THUMB_PLANES; c++)
    halve (self->fine.rows[c], rows[c]);
  for (int b = 0; b < N_BLOCKS; b++)
    {
      for (int c = 0; c < URB_THUMB_PLANES; c++)
        {
          self->blocks[b][c] = cut (rows[c], b / BLOCKS * BLOCK, b % BLOCKS * BLOCK);
          self->n_cells[b][c] = (guint8) __builtin_popcountll (self->blocks[b][c]);
        }
    }
}

WITH_POPCNT
static void
prepare_windows (const UrbThumb *area, Windows *self)
{
  guint64 rows[URB_THUMB_PLANES][COARSE + 2 * REACH] = { { 0 } };

  for (int c = 0; c < URB_THUMB_PLANES; c++)
    {
      halve (area->rows[c], rows[c] + REACH);
      for (int row = 0; row < COARSE; row++)
        rows[c][REACH + row] <<= REACH;
    }
  for (int row = 0; row < N_WINDOWS; row++)
    for (int col = 0; col < N_WINDOWS; col++)
      {
        for (int c = 0; c < URB_THUMB_PLANES; c++)
          {
            self->cells[row][col][c] = cut (rows[c], row, col);
            self->n_cells[row][col][c] = (guint8) __builtin_popcountll (self->cells[row][col][c]);
          }
      }
}

UrbQueries *
urb_queries_new (const UrbThumb *thumbs, gint64 n)
{
  UrbQueries *self = g_malloc0 (sizeof (UrbQueries) + (gsize) n * sizeof (Query));

  self->n = n;
  for (gint64 i = 0; i < n; i++)
    {
      Query *query = &self->queries[i];

      for (int d4 = 0; d4 < 8; d4++)
        {
          urb_thumb_turn (&thumbs[i], d4, &query->turned[d4].fine);
          prepare_turned (&query->turned[d4]);
        }
      for (int c = 0; c < URB_THUMB_PLANES; c++)
        for (int row = 0; row < FINE; row++)
          query->n_cells += __builtin_popcountll (thumbs[i].rows[c][row]);
      query->n_cells = MAX (query->n_cells, MIN_CELLS);
    }
  return self;
}

void
urb_queries_free (UrbQueries *self)
{
  g_free (self);
}

double
urb_nearest_get_shift_m (const UrbNearest *self, double area_size_m)
{
  return hypot (self->right_cells, self->down_cells) * area_size_m / FINE;
}

void
urb_nearest_turn_area (const UrbNearest *self, const guint8 *levels, int size_px, int n_channels,
                       guint8 *turned)
{
  for (int row = 0; row < size_px; row++)
    for (int col = 0; col < size_px; col++)
      {
        int64_t source_row, source_col; /* of the city that is turned */

        uk_dihedral_source (self->d4, size_px, row, col, &source_row, &source_col);
        memcpy (turned + (source_row * size_px + source_col) * n_channels,
                levels + ((gint64) row * size_px + col) * n_channels, (gsize) n_channels);
      }
}

UrbNearest *
urb_nearest_new (gint64 n)
{
  UrbNearest *nearest = g_new (UrbNearest, MAX (n, 1));

  for (gint64 i = 0; i < n; i++)
    nearest[i] = (UrbNearest) { .index = -1 };
  return nearest;
}

/* ------------------------------------------------------------------------ */
/* Comparing                                                                 */

/* Keeps the best places, best first. */
static void
add_place (Place *best, Place place)
{
  int i = N_BEST - 1;

  if (place.score <= best[i].score)
    return;
  for (; i > 0 && place.score > best[i - 1].score; i--)
    best[i] = best[i - 1];
  best[i] = place;
}

/* With sum = the cells of both and differing = those of only one, (sum - differing) / 2 agree.
 * Returns: 2 x (cells that agree - cells that differ) */
static inline int
score_plane (int sum, int differing)
{
  return sum - 3 * differing;
}

static inline int
score_block (int built, int paved)
{
  return built > 0 ? MAX (built + paved, 0) : 0;
}

/* @best: (inout): (N_BEST) */
WITH_POPCNT
static void
search_coarse (const Query *query, const Windows *windows, Place *best)
{
  for (int d4 = 0; d4 < 8; d4++)
    {
      const Turned *turned = &query->turned[d4];

      for (int down = 0; down < N_SHIFTS; down++)
        for (int right = 0; right < N_SHIFTS; right++)
          {
            int score = 0;

            for (int b = 0; b < N_BLOCKS; b++)
              {
                int row = b / BLOCKS * BLOCK + down, col = b % BLOCKS * BLOCK + right;
                const guint64 *cells = windows->cells[row][col];
                const guint8 *n_cells = windows->n_cells[row][col];
                int planes[URB_THUMB_PLANES];

                for (int c = 0; c < URB_THUMB_PLANES; c++)
                  planes[c] = score_plane (turned->n_cells[b][c] + n_cells[c],
                                           __builtin_popcountll (turned->blocks[b][c] ^ cells[c]));
                score += score_block (planes[URB_CLASS_BUILDING], planes[URB_CLASS_ROAD]);
              }
            if (score > best[N_BEST - 1].score)
              add_place (best, (Place) { score, d4, 2 * (right - REACH), 2 * (down - REACH) });
          }
    }
}

/* The cells of row @row of the area, those to the right of column @right first. */
static inline guint64
shift_row (const guint64 *rows, int row, int right)
{
  if (row < 0 || row >= FINE)
    return 0;
  return right >= 0 ? rows[row] >> right : rows[row] << -right;
}

/* The score of one place, at full resolution. */
WITH_POPCNT
static int
score_fine (const UrbThumb *city, const UrbThumb *area, int right, int down)
{
  enum { EDGE = FINE / BLOCKS };
  int score = 0;

  for (int top = 0; top < FINE; top += EDGE)
    {
      int planes[BLOCKS][URB_THUMB_PLANES] = { { 0 } };

      for (int row = top; row < top + EDGE; row++)
        for (int c = 0; c < URB_THUMB_PLANES; c++)
          {
            guint64 x = city->rows[c][row], y = shift_row (area->rows[c], row + down, right);

            for (int b = 0; b < BLOCKS; b++)
              {
                guint64 p = x >> (b * EDGE) & 0xffff, q = y >> (b * EDGE) & 0xffff;

                planes[b][c] += score_plane (__builtin_popcountll (p) + __builtin_popcountll (q),
                                             __builtin_popcountll (p ^ q));
              }
          }
      for (int b = 0; b < BLOCKS; b++)
        score += score_block (planes[b][URB_CLASS_BUILDING], planes[b][URB_CLASS_ROAD]);
    }
  return score;
}

static Place
search_fine (const Query *query, const UrbThumb *area, const Place *places)
{
  Place best = { 0 };

  for (int i = 0; i < N_BEST && places[i].score > 0; i++)
    for (int down = places[i].down - 1; down <= places[i].down + 1; down++)
      for (int right = places[i].right - 1; right <= places[i].right + 1; right++)
        {
          int score = score_fine (&query->turned[places[i].d4].fine, area, right, down);

          if (score > best.score)
            best = (Place) { score, places[i].d4, right, down };
        }
  return best;
}

void
urb_nearest_update (UrbNearest *nearest, const UrbQueries *queries, const UrbThumb *area,
                    gint64 index)
{
  Windows windows;

  prepare_windows (area, &windows);
  for (gint64 i = 0; i < queries->n; i++)
    {
      const Query *query = &queries->queries[i];
      Place places[N_BEST] = { { 0 } }, best;
      double share;

      search_coarse (query, &windows, places);
      best = search_fine (query, area, places);
      share = 0.5 * best.score / query->n_cells;
      if (share > nearest[i].share)
        nearest[i] = (UrbNearest) { index, share, best.d4, best.right, best.down };
    }
}
