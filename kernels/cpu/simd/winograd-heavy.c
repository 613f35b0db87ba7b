/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd-heavy.c - Winograd convolution with many weights and few tiles.
 *
 * With 2 x 2 taps, transformed weights are four times as large as stored ones: for the largest layers,
 * hundreds of megabytes written after each update and read in every pass.  Here packing only reorders them
 * into panels.  A thread takes a block of result channels and, one piece of the sums after another,
 * transforms the weights into its cache and multiplies all tiles with them.  Since the tiles of a whole
 * batch share them, that costs little.
 */
#include "winograd.h"

enum
{
  TILES_BYTES = 16 << 20, /* transformed tiles of a group */
  MIN_TILES = 48,
  BLOCK_CHANNELS = 64,
  BLOCK_PANELS = BLOCK_CHANNELS / UK_WINO_PANEL,
  PIECE = 128 /* source channels: a piece's weights take 512 KiB */
};

typedef struct
{
  int64_t n_tiles, depth, group, n_groups;
  int     n_threads;
  size_t  tiles_bytes, products_bytes, weights_bytes;
} Plan;

/* A thread's own memory. */
typedef struct
{
  UkWinoTiles products;
  float      *weights; /* (panel, point, PIECE, lane) */
} Room;

/* Splits the tiles into groups of about the same size. */
static Plan
plan_of (const UkCpuWinograd *w)
{
  Plan plan = { .n_tiles = uk_wino_n_tiles (w), .depth = uk_wino_depth (w),
                .n_threads = w->n_threads };
  int64_t most = TILES_BYTES / (uk_wino_points (w) * (int64_t) sizeof (float) * plan.depth);

  most = most < MIN_TILES ? MIN_TILES : most;
  plan.n_groups = (plan.n_tiles + most - 1) / most;
  plan.group = (plan.n_tiles + plan.n_groups - 1) / plan.n_groups;
  plan.tiles_bytes = uk_wino_tiles_bytes (w, plan.group, plan.depth);
  plan.products_bytes = uk_wino_tiles_bytes (w, plan.group, BLOCK_CHANNELS);
  plan.weights_bytes = (size_t) uk_wino_points (w) * PIECE * BLOCK_CHANNELS * sizeof (float);
  return plan;
}

size_t
UK_SIMD (wino_heavy_scratch_bytes) (const UkCpuWinograd *w)
{
  Plan plan = plan_of (w);

  return plan.tiles_bytes
         + (size_t) plan.n_threads * (plan.products_bytes + plan.weights_bytes);
}

/* Multiplies @n_channels of the tiles' channels, from @k on, and adds to products (or, for k = 0,
 * overwrites them). */
static void
multiply (const UkCpuWinograd *w, const UkWinoTiles *tiles, int64_t n_tiles, int64_t k,
          int64_t n_channels, int64_t n_panels, const Room *room)
{
  const UkWinoTiles *products = &room->products;
  int64_t n_points = uk_wino_points (w);

  for (int64_t point = 0; point < n_points; point++)
    for (int64_t p = 0; p < n_panels; p++)
      {
        const float *a = tiles->at + point * tiles->ld_point + k;
        const float *b = room->weights + (p * n_points + point) * PIECE * UK_WINO_PANEL;
        float *c = products->at + point * products->ld_point + p * UK_WINO_PANEL;

        for (int64_t t = 0; t < n_tiles; t += UK_WINO_ROWS)
          uk_wino_multiply (n_channels, a + t * tiles->ld, tiles->ld, 1, b, UK_WINO_PANEL,
                            c + t * products->ld, products->ld, k > 0);
      }
}

/* One block of channels of one phase, for all tiles in @group. */
static void
run_block (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan,
           const UkWinoTiles *tiles, UkRange group, int64_t first_panel, int64_t phase,
           const Room *room)
{
  int64_t n_panels = uk_wino_panels (w) - first_panel, first = first_panel * UK_WINO_PANEL;
  int64_t n_channels = w->dst.c - first, taps = w->taps * w->taps;
  int64_t panel = phase * uk_wino_panels (w) + first_panel;

  n_panels = n_panels < BLOCK_PANELS ? n_panels : BLOCK_PANELS;
  for (int64_t k = 0; k < plan->depth; k += PIECE)
    {
      int64_t n = plan->depth - k < PIECE ? plan->depth - k : PIECE;

      for (int64_t p = 0; p < n_panels; p++)
        {
          const float *from = call->weights
                              + ((panel + p) * plan->depth + k) * taps * UK_WINO_PANEL;
          float *to = room->weights + p * uk_wino_points (w) * PIECE * UK_WINO_PANEL;

          for (int64_t i = 0; i < n; i++)
            UK_SIMD (wino_transform_weights) (w, from + i * taps * UK_WINO_PANEL,
                                              to + i * UK_WINO_PANEL, PIECE * UK_WINO_PANEL);
        }
      multiply (w, tiles, group.end - group.begin, k, n, n_panels, room);
    }
  UK_SIMD (wino_write) (w, room->products, group, phase, first,
                        n_channels < BLOCK_CHANNELS ? n_channels : BLOCK_CHANNELS, call->bias,
                        call->slope, call->dst);
}

static void
run_group (const UkCpuWinograd *w, const UkWinoCall *call, const Plan *plan, int64_t set,
           UkRange group, char *memory)
{
  UkWinoTiles tiles = uk_wino_tiles ((float *) memory, plan->group, plan->depth);
  UkRange phases = uk_wino_set (w, set);
  int64_t n_blocks = (uk_wino_panels (w) + BLOCK_PANELS - 1) / BLOCK_PANELS;
  int n = plan->n_threads;

  memory += plan->tiles_bytes;
  UK_SIMD (wino_read_together) (w, call->src, call->zeros, set, group, n, tiles);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    {
      UkRange items = uk_part (n_blocks * (phases.end - phases.begin), n, t);
      char *mine = memory + (size_t) t * (plan->products_bytes + plan->weights_bytes);
      Room room = { .products = uk_wino_tiles ((float *) mine, plan->group, BLOCK_CHANNELS),
                    .weights = (float *) (mine + plan->products_bytes) };

      for (int64_t item = items.begin; item < items.end; item++)
        run_block (w, call, plan, &tiles, group, item % n_blocks * BLOCK_PANELS,
                   phases.begin + item / n_blocks, &room);
    }
}

void
UK_SIMD (wino_heavy) (const UkCpuWinograd *w, const UkWinoCall *call, void *scratch)
{
  Plan plan = plan_of (w);

  for (int64_t set = 0; set < uk_wino_n_sets (w); set++)
    for (int64_t g = 0; g < plan.n_groups; g++)
      {
        UkRange group = { g * plan.group, (g + 1) * plan.group };

        group.end = group.end < plan.n_tiles ? group.end : plan.n_tiles;
        if (group.begin < group.end)
          run_group (w, call, &plan, set, group, scratch);
      }
}
