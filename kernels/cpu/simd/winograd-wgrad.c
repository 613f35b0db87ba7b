/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd-wgrad.c - the weight gradient of the Winograd convolution: at each point the product of
 * transformed tiles of the source and of the gradient, summed over all tiles, then transformed back.
 *
 * The sums grow with the channels.  Where they are small, the tiles are split into a fixed number of parts
 * with sums of their own, dynamically scheduled to threads and added in order at the end.  Where they are
 * large, or there are more threads than parts, there is one set of sums, and all threads work on one group
 * of tiles: they transform it, then each adds to its share of the sums.  Either way the order of each sum
 * depends only on the shape and the number of threads.
 */
#include "winograd.h"

enum
{
  /* Tiles whose products are summed in registers; also limits rounding errors. */
  GROUP_TILES = 96,
  MAX_PARTS = 16,
  MIN_PARTS_PER_THREAD = 2,
  PARTS_BYTES = 4 << 20, /* of all parts' sums */
  ROWS_PER_ITEM = 8 * UK_WINO_ROWS
};

typedef struct
{
  int64_t n_tiles, depth, width; /* channels on both sides */
  int64_t n_groups;
  int     n_parts, n_threads;
  size_t  src_bytes, dst_bytes, sums_bytes; /* of one array of each kind */
} Plan;

typedef struct
{
  const UkCpuWinograd *w;
  const float         *src, *dst, *zeros;
} Call;

/* The arrays of one group or one thread. */
typedef struct
{
  UkWinoTiles src, dst;
} Room;

static int
parts_for (const Plan *plan)
{
  int64_t n_parts = (int64_t) (PARTS_BYTES / plan->sums_bytes);

  n_parts = n_parts < MAX_PARTS ? n_parts : MAX_PARTS;
  n_parts = n_parts < plan->n_groups ? n_parts : plan->n_groups;
  return n_parts < MIN_PARTS_PER_THREAD * plan->n_threads ? 1 : (int) n_parts;
}

static Plan
plan_of (const UkCpuWinograd *w)
{
  Plan plan = { .n_tiles = uk_wino_n_tiles (w), .depth = uk_wino_depth (w),
                .width = uk_wino_panels (w) * UK_WINO_PANEL };

  plan.n_threads = uk_threads_for (plan.n_tiles * plan.depth, w->n_threads);
  plan.n_groups = (plan.n_tiles + GROUP_TILES - 1) / GROUP_TILES;
  plan.src_bytes = uk_wino_tiles_bytes (w, GROUP_TILES, plan.depth);
  plan.dst_bytes = uk_wino_tiles_bytes (w, GROUP_TILES, plan.width);
  plan.sums_bytes = uk_wino_tiles_bytes (w, plan.depth, plan.width);
  plan.n_parts = parts_for (&plan);
  return plan;
}

static size_t
zeros_bytes (const UkCpuWinograd *w)
{
  int64_t c = w->src.c > w->dst.c ? w->src.c : w->dst.c;

  return uk_cpu_align ((size_t) c * sizeof (float));
}

static size_t
room_bytes (const Plan *plan)
{
  return plan->src_bytes + plan->dst_bytes;
}

size_t
UK_SIMD (winograd_wgrad_scratch_bytes) (const UkCpuWinograd *w)
{
  Plan plan = plan_of (w);
  size_t n_rooms = plan.n_parts > 1 ? (size_t) plan.n_threads : 1;

  return zeros_bytes (w) + (size_t) plan.n_parts * plan.sums_bytes + n_rooms * room_bytes (&plan);
}

static Room
make_room (const Plan *plan, char *at)
{
  return (Room) { .src = uk_wino_tiles ((float *) at, GROUP_TILES, plan->depth),
                  .dst = uk_wino_tiles ((float *) (at + plan->src_bytes), GROUP_TILES,
                                        plan->width) };
}

/* ------------------------------------------------------------------------ */

static UkRange
group_at (const Plan *plan, int64_t g)
{
  int64_t end = (g + 1) * GROUP_TILES;

  return (UkRange) { g * GROUP_TILES, end < plan->n_tiles ? end : plan->n_tiles };
}

/* Transforms tiles @part of @group (indices within it) into their slots in @room. */
static void
transform (const Call *call, UkRange group, UkRange part, Room room)
{
  UkRange range = { group.begin + part.begin, group.begin + part.end };

  room.src.at += part.begin * room.src.ld;
  room.dst.at += part.begin * room.dst.ld;
  UK_SIMD (wino_read) (call->w, call->src, call->zeros, 0, range, room.src);
  UK_SIMD (wino_read_gradient) (call->w, call->dst, call->zeros, range, room.dst);
}

static int64_t
items_of_point (const Plan *plan)
{
  return (plan->depth + ROWS_PER_ITEM - 1) / ROWS_PER_ITEM;
}

/* Adds the products of @n_tiles tiles to the sums; an item is ROWS_PER_ITEM rows of a point. */
static void
multiply (const Plan *plan, Room room, int64_t n_tiles, UkRange items, UkWinoTiles sums, bool add)
{
  for (int64_t item = items.begin; item < items.end; item++)
    {
      int64_t point = item / items_of_point (plan);
      int64_t first = item % items_of_point (plan) * ROWS_PER_ITEM;
      int64_t end = first + ROWS_PER_ITEM < plan->depth ? first + ROWS_PER_ITEM : plan->depth;
      const float *a = room.src.at + point * room.src.ld_point;
      const float *b = room.dst.at + point * room.dst.ld_point;
      float *c = sums.at + point * sums.ld_point;

      for (int64_t n = 0; n < plan->width; n += UK_WINO_PANEL)
        for (int64_t k = first; k < end; k += UK_WINO_ROWS)
          uk_wino_multiply (n_tiles, a + k, 1, room.src.ld, b + n, room.dst.ld,
                            c + k * sums.ld + n, sums.ld, add);
    }
}

static void
run_part (const Call *call, const Plan *plan, UkRange groups, Room room, UkWinoTiles sums)
{
  UkRange items = { 0, uk_wino_points (call->w) * items_of_point (plan) };

  if (groups.begin == groups.end)
    memset (sums.at, 0, plan->sums_bytes);
  for (int64_t g = groups.begin; g < groups.end; g++)
    {
      UkRange group = group_at (plan, g);
      int64_t n_tiles = group.end - group.begin;

      transform (call, group, (UkRange) { 0, n_tiles }, room);
      multiply (plan, room, n_tiles, items, sums, g > groups.begin);
    }
}

static void
run_together (const Call *call, const Plan *plan, int64_t g, Room room, UkWinoTiles sums)
{
  UkRange group = group_at (plan, g);
  int64_t n_tiles = group.end - group.begin, n_items = uk_wino_points (call->w) * items_of_point (plan);
  int n = plan->n_threads;

#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    transform (call, group, uk_part (n_tiles, n, t), room);
#pragma omp parallel for num_threads (n) schedule (static, 1)
  for (int t = 0; t < n; t++)
    multiply (plan, room, n_tiles, uk_part (n_items, n, t), sums, g > 0);
}

void
UK_SIMD (winograd_wgrad) (const UkCpuWinograd *w, const float *src, const float *dst, float *dw,
                          bool accumulate, void *scratch)
{
  Plan plan = plan_of (w);
  char *sums = (char *) scratch + zeros_bytes (w);
  char *rooms = sums + (size_t) plan.n_parts * plan.sums_bytes;
  Call call = { .w = w, .src = src, .dst = dst, .zeros = scratch };
  int64_t next = 0;
  int n = plan.n_threads;
  UkWinoTiles all = uk_wino_tiles ((float *) sums, plan.depth, plan.width);

  memset (scratch, 0, zeros_bytes (w));
  if (plan.n_parts == 1)
    for (int64_t g = 0; g < plan.n_groups; g++)
      run_together (&call, &plan, g, make_room (&plan, rooms), all);
  else
#pragma omp parallel for num_threads (n) schedule (static, 1)
    for (int t = 0; t < n; t++)
      for (int64_t p = uk_next_item (&next); p < plan.n_parts; p = uk_next_item (&next))
        run_part (&call, &plan, uk_part (plan.n_groups, plan.n_parts, (int) p),
                  make_room (&plan, rooms + (size_t) t * room_bytes (&plan)),
                  uk_wino_tiles ((float *) (sums + (size_t) p * plan.sums_bytes), plan.depth,
                                 plan.width));
  UK_SIMD (wino_unpack) (w, all, plan.n_parts,
                         (int64_t) (plan.sums_bytes / sizeof (float)), dw, accumulate);
}
