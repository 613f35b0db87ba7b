/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd.c - the Winograd convolution: groups of tiles are transformed, multiplied with the weights
 * point by point, and transformed back.
 *
 * A group's tiles and the result channels are split into blocks; the products of one block of each stay in
 * the L2 cache until they are transformed back.  With many tiles, threads take whole groups that fit their
 * caches, dynamically scheduled, so that a slower core takes fewer.  With few tiles, or so many weights
 * that each group should reuse them, all threads work on one larger group: they transform it, then each
 * multiplies its share of the blocks.  Either way each result is the same sum in the same order, whatever
 * the number of threads.
 */
#include "winograd.h"

enum
{
  BLOCK_TILES = 96,
  BLOCK_CHANNELS = 32,
  BLOCK_PANELS = BLOCK_CHANNELS / UK_WINO_PANEL,
  MIN_GROUP_TILES = 48,
  MAX_GROUP_TILES = 384,
  ALONE_BYTES = 768 << 10,  /* tiles of one thread's group */
  TOGETHER_BYTES = 8 << 20, /* tiles of a group shared by all threads */
  /* Least number of groups, so that threads are not idle at the end. */
  GROUPS_PER_THREAD = 4,
  MIN_GROUPS_PER_THREAD = 2,
  /* More are needed where each group reads this many weights from outside its thread's cache. */
  MANY_WEIGHTS_BYTES = 1 << 20,
  MIN_GROUPS_OF_MANY = 8
};

typedef struct
{
  int64_t n_tiles, depth;
  int64_t group, n_groups; /* tiles of a group; groups of a set of phases */
  int     n_threads;
  bool    together;
} Plan;

/* The number of tiles in @n_bytes, within limits. */
static int64_t
group_of (const UkCpuWinograd *w, int64_t n_bytes, int64_t most)
{
  int64_t group = n_bytes / (uk_wino_points (w) * (int64_t) sizeof (float) * uk_wino_depth (w));
  int64_t n_tiles = uk_wino_n_tiles (w);

  group = group < MIN_GROUP_TILES ? MIN_GROUP_TILES : group > most ? most : group;
  group = group / UK_WINO_ROWS * UK_WINO_ROWS;
  return group < n_tiles ? group : n_tiles;
}

/* Splits into about equal groups of at most @most tiles, with enough groups for all threads unless they
 * would become tiny. */
static void
cut (Plan *plan, const UkCpuWinograd *w, int64_t most, int64_t groups_per_thread)
{
  int64_t n_sets = uk_wino_n_sets (w), least = (plan->n_tiles + most - 1) / most;
  int64_t wanted = (groups_per_thread * plan->n_threads + n_sets - 1) / n_sets;
  int64_t possible = plan->n_tiles / MIN_GROUP_TILES;

  wanted = wanted < possible ? wanted : possible;
  plan->n_groups = wanted > least ? wanted : least;
  plan->group = uk_wino_round_up ((plan->n_tiles + plan->n_groups - 1) / plan->n_groups,
                                  UK_WINO_ROWS);
  plan->n_groups = (plan->n_tiles + plan->group - 1) / plan->group;
}

static Plan
plan_of (const UkCpuWinograd *w)
{
  Plan plan = { .n_tiles = uk_wino_n_tiles (w), .depth = uk_wino_depth (w) };
  int64_t enough = uk_wino_weights_bytes (w) < MANY_WEIGHTS_BYTES ? MIN_GROUPS_PER_THREAD
                                                                  : MIN_GROUPS_OF_MANY;
  int64_t n_sets = uk_wino_n_sets (w);

  plan.n_threads = uk_threads_for (n_sets * plan.n_tiles * plan.depth, w->n_threads);
  cut (&plan, w, group_of (w, ALONE_BYTES, MAX_GROUP_TILES),
       plan.n_threads > 1 ? GROUPS_PER_THREAD : 1);
  plan.together = plan.n_threads > 1 && plan.n_groups * n_sets < enough * plan.n_threads;
  if (plan.together)
    cut (&plan, w, group_of (w, TOGETHER_BYTES, INT64_MAX), 0);
  return plan;
}

static size_t
zeros_bytes (const UkCpuWinograd *w)
{
  return uk_cpu_align ((size_t) w->src.c * sizeof (float));
}

static size_t
products_bytes (const UkCpuWinograd *w)
{
  return uk_wino_tiles_bytes (w, BLOCK_TILES, BLOCK_CHANNELS);
}

size_t
UK_SIMD (winograd_scratch_bytes) (const UkCpuWinograd *w)
{
  Plan plan = plan_of (w);

  if (uk_wino_is_heavy (w))
    return zeros_bytes (w) + UK_SIMD (wino_heavy_scratch_bytes) (w);

  size_t tiles = uk_wino_tiles_bytes (w, plan.group, plan.depth);

  return zeros_bytes (w) + (plan.together ? 1 : (size_t) plan.n_threads) * tiles
         + (size_t) plan.n_threads * products_bytes (w);
}

/* ------------------------------------------------------------------------ */

/* Products of tiles with up to BLOCK_PANELS panels of weights. */
static void
multiply_block (const UkCpuWinograd *w, const Plan *plan, const float *packed,
                int64_t first_panel, int64_t n_panels, UkWinoTiles tiles, int64_t n_tiles,
                UkWinoTiles products)
{
  int64_t panel_point = plan->depth * UK_WINO_PANEL, n_points = uk_wino_points (w);

  for (int64_t point = 0; point < n_points; point++)
    for (int64_t k = 0; k < plan->depth; k += UK_WINO_DEPTH)
      for (int64_t p = 0; p < n_panels; p++)
        {
          const float *b = packed + ((first_panel + p) * n_points + point) * panel_point
                           + k * UK_WINO_PANEL;
          const float *a = tiles.at + point * tiles.ld_point + k;
          float *c = products.at + point * products.ld_point + p * UK_WINO_PANEL;
          int64_t depth = plan->depth - k < UK_WINO_DEPTH ? plan->depth - k : UK_WINO_DEPTH;

          for (int64_t t = 0; t < n_tiles; t += UK_WINO_ROWS)
            uk_wino_multiply (depth, a + t * tiles.ld, tiles.ld, 1, b, UK_WINO_PANEL,
                              c + t * products.ld, products.ld, k > 0);
        }
}

static int64_t
blocks_of_phase (const UkCpuWinograd *w)
{
  return (uk_wino_panels (w) + BLOCK_PANELS - 1) / BLOCK_PANELS;
}

/* Runs @items of @group, whose transformed tiles are in @tiles: blocks of tiles times blocks of channels of
 * the phases of @set, tiles varying fastest. */
static void
run_items (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, int64_t set,
           UkRange group, UkWinoTiles tiles, UkRange items, UkWinoTiles products)
{
  int64_t n_tile_blocks = (group.end - group.begin + BLOCK_TILES - 1) / BLOCK_TILES;

  for (int64_t item = items.begin; item < items.end; item++)
    {
      int64_t first = item % n_tile_blocks * BLOCK_TILES, block = item / n_tile_blocks;
      int64_t phase = uk_wino_set (w, set).begin + block / blocks_of_phase (w);
      int64_t panel = block % blocks_of_phase (w) * BLOCK_PANELS;
      int64_t n_panels = uk_wino_panels (w) - panel;
      int64_t channel = panel * UK_WINO_PANEL, n_channels = w->dst.c - channel;
      UkRange range = { group.begin + first, group.begin + first + BLOCK_TILES };
      UkWinoTiles at = tiles;

      at.at += first * tiles.ld;
      range.end = range.end < group.end ? range.end : group.end;
      multiply_block (w, plan, call->weights, phase * uk_wino_panels (w) + panel,
                      n_panels < BLOCK_PANELS ? n_panels : BLOCK_PANELS, at,
                      range.end - range.begin, products);
      UK_SIMD (wino_write) (w, products, range, phase, channel,
                            n_channels < BLOCK_CHANNELS ? n_channels : BLOCK_CHANNELS,
                            call->bias, call->slope, call->dst);
    }
}

static int64_t
count_items (const UkCpuWinograd *w, UkRange group)
{
  UkRange phases = uk_wino_set (w, 0);

  return (group.end - group.begin + BLOCK_TILES - 1) / BLOCK_TILES
         * (phases.end - phases.begin) * blocks_of_phase (w);
}

static UkRange
group_at (const Plan *plan, int64_t g)
{
  int64_t end = (g + 1) * plan->group;

  return (UkRange) { g * plan->group, end < plan->n_tiles ? end : plan->n_tiles };
}

/* Processes whole groups, dynamically scheduled through @next. */
static void
run_alone (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, int64_t *next,
           float *room, UkWinoTiles products)
{
  UkWinoTiles tiles = uk_wino_tiles (room, plan->group, plan->depth);
  int64_t n_units = plan->n_groups * uk_wino_n_sets (w);

  for (int64_t unit = uk_next_item (next); unit < n_units; unit = uk_next_item (next))
    {
      UkRange group = group_at (plan, unit % plan->n_groups);
      int64_t set = unit / plan->n_groups;

      UK_SIMD (wino_read) (w, call->src, call->zeros, set, group, tiles);
      run_items (w, call, plan, set, group, tiles, (UkRange) { 0, count_items (w, group) },
                 products);
    }
}

static void
run_together (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, int64_t unit,
              float *room, char *products)
{
  UkRange group = group_at (plan, unit % plan->n_groups);
  UkWinoTiles tiles = uk_wino_tiles (room, plan->group, plan->depth);
  int64_t set = unit / plan->n_groups;
  int n = plan->n_threads;

  UK_SIMD (wino_read_together) (w, call->src, call->zeros, set, group, n, tiles);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    run_items (w, call, plan, set, group, tiles, uk_part (count_items (w, group), n, t),
               uk_wino_tiles ((float *) (products + (size_t) t * products_bytes (w)), BLOCK_TILES,
                              BLOCK_CHANNELS));
}

void
UK_SIMD (winograd) (const UkCpuWinograd *w, const float *src, const float *weights,
                    const float *bias, float slope, float *dst, void *scratch)
{
  Plan plan = plan_of (w);
  size_t tiles_bytes = uk_wino_tiles_bytes (w, plan.group, plan.depth);
  int64_t next = 0;
  int n = plan.n_threads;
  char *room = (char *) scratch + zeros_bytes (w);
  char *products = room + (plan.together ? 1 : (size_t) n) * tiles_bytes;
  UkWinoCall call = { .src = src, .weights = weights, .bias = bias, .zeros = scratch,
                      .slope = slope, .dst = dst };

  memset (scratch, 0, zeros_bytes (w));
  if (uk_wino_is_heavy (w))
    {
      UK_SIMD (wino_heavy) (w, &call, (char *) scratch + zeros_bytes (w));
      return;
    }
  if (plan.together)
    {
      for (int64_t unit = 0; unit < plan.n_groups * uk_wino_n_sets (w); unit++)
        run_together (w, &call, &plan, unit, (float *) room, products);
      return;
    }
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    run_alone (w, &call, &plan, &next, (float *) (room + (size_t) t * tiles_bytes),
               uk_wino_tiles ((float *) (products + (size_t) t * products_bytes (w)), BLOCK_TILES,
                              BLOCK_CHANNELS));
}
