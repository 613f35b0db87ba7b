/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd.c - results of the Winograd convolution: groups of tiles are
 * transformed, multiplied with the weights point by point, and transformed back.
 *
 * A group's tiles are cut into blocks, and the results' channels too; the
 * products of one block of both stay in the second-level cache until they are
 * transformed back.  Where tiles are many, each thread takes whole groups, small
 * enough for its cache; where they are few, all threads work on one larger
 * group: first all transform, then each multiplies with its share of the
 * blocks.  Either way each result is the same sum in the same order, whatever
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
  ALONE_BYTES = 768 << 10,  /* tiles of a group of one thread */
  TOGETHER_BYTES = 8 << 20, /* and of all threads */
  GROUPS_PER_THREAD = 8     /* fewer would leave threads idle at the end */
};

typedef struct
{
  int64_t n_tiles, depth;
  int64_t group; /* tiles */
  int     n_threads;
  bool    together;
} Plan;

static int64_t
group_of (int64_t n_bytes, int64_t depth, int64_t most, int64_t n_tiles)
{
  int64_t group = n_bytes / (UK_WINO_POINTS * (int64_t) sizeof (float) * depth);

  group = group < MIN_GROUP_TILES ? MIN_GROUP_TILES : group > most ? most : group;
  group = group / UK_WINO_ROWS * UK_WINO_ROWS;
  return group < n_tiles ? group : n_tiles;
}

static Plan
plan_of (const UkCpuWinograd *w)
{
  Plan plan = { .n_tiles = uk_wino_n_tiles (w), .depth = uk_wino_depth (w) };

  plan.n_threads = uk_threads_for (plan.n_tiles * plan.depth, w->n_threads);
  plan.group = group_of (ALONE_BYTES, plan.depth, MAX_GROUP_TILES, plan.n_tiles);
  plan.together = plan.n_threads > 1
                  && plan.n_tiles < plan.group * plan.n_threads * GROUPS_PER_THREAD;
  if (plan.together)
    plan.group = group_of (TOGETHER_BYTES, plan.depth, INT64_MAX, plan.n_tiles);
  return plan;
}

static size_t
zeros_bytes (const UkCpuWinograd *w)
{
  return uk_cpu_align ((size_t) w->src.c * sizeof (float));
}

static size_t
products_bytes (void)
{
  return uk_wino_tiles_bytes (BLOCK_TILES, BLOCK_CHANNELS);
}

size_t
UK_SIMD (winograd_scratch_bytes) (const UkCpuWinograd *w)
{
  Plan plan = plan_of (w);

  if (uk_wino_is_heavy (w))
    return zeros_bytes (w) + UK_SIMD (wino_heavy_scratch_bytes) (w);

  size_t tiles = uk_wino_tiles_bytes (plan.group, plan.depth);

  return zeros_bytes (w) + (plan.together ? 1 : (size_t) plan.n_threads) * tiles
         + (size_t) plan.n_threads * products_bytes ();
}

/* ------------------------------------------------------------------------ */

/* Products of tiles with up to BLOCK_PANELS panels of weights. */
static void
multiply_block (const Plan *plan, const float *packed, int64_t first_panel, int64_t n_panels,
                UkWinoTiles tiles, int64_t n_tiles, UkWinoTiles products)
{
  int64_t panel_point = plan->depth * UK_WINO_PANEL;

  for (int point = 0; point < UK_WINO_POINTS; point++)
    for (int64_t k = 0; k < plan->depth; k += UK_WINO_DEPTH)
      for (int64_t p = 0; p < n_panels; p++)
        {
          const float *b = packed + ((first_panel + p) * UK_WINO_POINTS + point) * panel_point
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

/* Blocks of tiles of @group, which lie in @tiles, with blocks of channels: those
 * of @items, counted so that tiles change first. */
static void
run_items (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, UkRange group,
           UkWinoTiles tiles, UkRange items, UkWinoTiles products)
{
  int64_t n_tile_blocks = (group.end - group.begin + BLOCK_TILES - 1) / BLOCK_TILES;

  for (int64_t item = items.begin; item < items.end; item++)
    {
      int64_t first = item % n_tile_blocks * BLOCK_TILES, block = item / n_tile_blocks;
      int64_t phase = block / blocks_of_phase (w);
      int64_t panel = block % blocks_of_phase (w) * BLOCK_PANELS;
      int64_t n_panels = uk_wino_panels (w) - panel;
      int64_t channel = panel * UK_WINO_PANEL, n_channels = w->dst.c - channel;
      UkRange range = { group.begin + first, group.begin + first + BLOCK_TILES };
      UkWinoTiles at = tiles;

      at.at += first * tiles.ld;
      range.end = range.end < group.end ? range.end : group.end;
      multiply_block (plan, call->weights, phase * uk_wino_panels (w) + panel,
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
  return (group.end - group.begin + BLOCK_TILES - 1) / BLOCK_TILES
         * uk_wino_phases (w->dst_step) * blocks_of_phase (w);
}

static UkRange
group_at (const Plan *plan, int64_t g)
{
  int64_t end = (g + 1) * plan->group;

  return (UkRange) { g * plan->group, end < plan->n_tiles ? end : plan->n_tiles };
}

static void
run_alone (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, UkRange groups,
           float *room, UkWinoTiles products)
{
  UkWinoTiles tiles = uk_wino_tiles (room, plan->group, plan->depth);

  for (int64_t g = groups.begin; g < groups.end; g++)
    {
      UkRange group = group_at (plan, g);

      UK_SIMD (wino_read) (w, call->src, call->zeros, group, tiles);
      run_items (w, call, plan, group, tiles, (UkRange) { 0, count_items (w, group) }, products);
    }
}

static void
run_together (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, UkRange group,
              float *room, char *products)
{
  UkWinoTiles tiles = uk_wino_tiles (room, plan->group, plan->depth);
  int n = plan->n_threads;

  UK_SIMD (wino_read_together) (w, call->src, call->zeros, group, n, tiles);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    run_items (w, call, plan, group, tiles, uk_part (count_items (w, group), n, t),
               uk_wino_tiles ((float *) (products + (size_t) t * products_bytes ()), BLOCK_TILES,
                              BLOCK_CHANNELS));
}

void
UK_SIMD (winograd) (const UkCpuWinograd *w, const float *src, const float *weights,
                    const float *bias, float slope, float *dst, void *scratch)
{
  Plan plan = plan_of (w);
  int64_t n_groups = (plan.n_tiles + plan.group - 1) / plan.group;
  size_t tiles_bytes = uk_wino_tiles_bytes (plan.group, plan.depth);
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
      for (int64_t g = 0; g < n_groups; g++)
        run_together (w, &call, &plan, group_at (&plan, g), (float *) room, products);
      return;
    }
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    run_alone (w, &call, &plan, uk_part (n_groups, n, t),
               (float *) (room + (size_t) t * tiles_bytes),
               uk_wino_tiles ((float *) (products + (size_t) t * products_bytes ()), BLOCK_TILES,
                              BLOCK_CHANNELS));
}
