/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curator.c - a map's candidates, with a heat map and a spatial index.
 *
 * Candidates are indexed by the cell of their center.  Cells are one stride wide, so
 * rotation 0 has one candidate per cell and the heat map has no gaps.
 */
#include <math.h>
#include <string.h>

#include "base/compare.h"
#include "dataset/curator-private.h"
#include "map/ring.h"

#define MAX_CELLS ((gint64) 1 << 22)

UrbCurator *
urb_curator_ref (UrbCurator *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
urb_curator_unref (UrbCurator *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->hull, g_array_unref);
  g_ptr_array_unref (self->warnings);
  urb_candidates_free (self->found);
  urb_split_sample_clear (&self->sample);
  g_free (self->heat.variance);
  g_free (self->cell_starts);
  g_free (self->cell_ids);
  g_free (self);
}

static const UrbCandidate *
get_candidate (UrbCurator *self, gint64 id)
{
  return &g_array_index (self->found->items, UrbCandidate, id);
}

gint64
urb_curator_get_n_candidates (UrbCurator *self)
{
  return self->found->items->len;
}

gboolean
urb_curator_is_filled (UrbCurator *self)
{
  return self->filled;
}

UrbSquare
urb_curator_get_square (UrbCurator *self, gint64 id, float *variance)
{
  UrbSquare square = { 0 };

  g_return_val_if_fail (id >= 0 && id < self->found->items->len, square);

  if (variance != NULL)
    *variance = get_candidate (self, id)->variance;
  return urb_candidates_get_square (self->found, get_candidate (self, id));
}

void
urb_curator_get_histogram (UrbCurator *self, gint64 *counts, guint n_bins)
{
  g_return_if_fail (n_bins > 0);

  memset (counts, 0, n_bins * sizeof *counts);
  for (guint i = 0; i < self->found->items->len; i++)
    counts[MIN ((guint) (get_candidate (self, i)->variance * n_bins), n_bins - 1)]++;
}

UrbHeatMap *
urb_curator_get_heat_map (UrbCurator *self)
{
  return &self->heat;
}

/* Lays cells around the centers that rotation 0 has or would have: its frame begins at
 * the map's north-west corner, and snapping moves a center by up to half a pixel. */
static void
lay_cells (UrbCurator *self)
{
  UrbHeatMap *heat = &self->heat;
  const UrbFrame *frame = &self->found->frames[0];
  double half = 0.5 * (self->options.area_size_m - self->options.stride_m);
  double west = frame->x + half, north = frame->y - half;
  UrbBox box = URB_BOX_EMPTY;
  double left, top, right, bottom;

  for (guint i = 0; i < self->found->items->len; i++)
    {
      UrbSquare square = urb_candidates_get_square (self->found, get_candidate (self, i));

      urb_box_add_point (&box, square.x, square.y);
    }
  heat->cell_m = self->options.stride_m;
  do
    {
      left = floor ((box.min_x - west) / heat->cell_m);
      right = floor ((box.max_x - west) / heat->cell_m) + 1;
      top = floor ((north - box.max_y) / heat->cell_m);
      bottom = floor ((north - box.min_y) / heat->cell_m) + 1;
      heat->box = (UrbBox) { west + left * heat->cell_m, north - bottom * heat->cell_m,
                             west + right * heat->cell_m, north - top * heat->cell_m };
      heat->cell_m *= 2;
    }
  while ((right - left) * (bottom - top) > MAX_CELLS);
  heat->cell_m /= 2;
  heat->width = (int) (right - left);
  heat->height = (int) (bottom - top);
}

static int
column_of (const UrbHeatMap *heat, double x)
{
  return (int) CLAMP (floor ((x - heat->box.min_x) / heat->cell_m), 0, heat->width - 1);
}

static int
row_of (const UrbHeatMap *heat, double y)
{
  return (int) CLAMP (floor ((heat->box.max_y - y) / heat->cell_m), 0, heat->height - 1);
}

static gsize
cell_of (UrbCurator *self, guint id)
{
  UrbSquare square = urb_candidates_get_square (self->found, get_candidate (self, id));

  return (gsize) row_of (&self->heat, square.y) * self->heat.width
         + column_of (&self->heat, square.x);
}

/* Counting sort.  Placing the last candidate first leaves each start at its cell's begin. */
static void
index_candidates (UrbCurator *self)
{
  guint n = self->found->items->len;
  gsize n_cells;

  lay_cells (self);
  n_cells = (gsize) self->heat.width * self->heat.height;
  self->cell_starts = g_new0 (guint32, n_cells + 1);
  self->cell_ids = g_new (guint32, n);
  for (guint i = 0; i < n; i++)
    self->cell_starts[cell_of (self, i)]++;
  for (gsize c = 1; c <= n_cells; c++)
    self->cell_starts[c] += self->cell_starts[c - 1];
  for (guint i = n; i-- > 0;)
    self->cell_ids[--self->cell_starts[cell_of (self, i)]] = i;
  self->heat.variance = g_new (float, n_cells);
  for (gsize c = 0; c < n_cells; c++)
    self->heat.variance[c] = self->cell_starts[c] < self->cell_starts[c + 1]
                               ? get_candidate (self, self->cell_ids[self->cell_starts[c]])->variance
                               : -1;
}

UrbCurator *
urb_curator_new (UrbMap *map, const UrbCurateOptions *options, UrbProgressFunc progress,
                 gpointer user_data, GCancellable *cancellable, GError **error)
{
  UrbCurateOptions all;
  g_autoptr(UrbCurator) self = NULL;

  g_return_val_if_fail (map != NULL && options != NULL, NULL);

  all = *options;
  all.min_variance = 0;
  self = urb_curator_search (map, &all, progress, user_data, cancellable, error);
  if (self == NULL)
    return NULL;
  if (self->found->items->len == 0)
    {
      urb_curator_explain_none (self, 0, 0, 0, error);
      return NULL;
    }
  index_candidates (self);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* Visits all candidates whose center may be in @box. */
static void
visit_box (UrbCurator *self, UrbBox box, void (*visit) (guint, const UrbSquare *, gpointer),
           gpointer data)
{
  const UrbHeatMap *heat = &self->heat;
  int left = column_of (heat, box.min_x), right = column_of (heat, box.max_x);
  int top = row_of (heat, box.max_y), bottom = row_of (heat, box.min_y);

  for (int row = top; row <= bottom; row++)
    {
      const guint32 *starts = self->cell_starts + (gsize) row * heat->width;

      for (guint32 k = starts[left]; k < starts[right + 1]; k++)
        {
          guint id = self->cell_ids[k];
          UrbSquare square = urb_candidates_get_square (self->found, get_candidate (self, id));

          visit (id, &square, data);
        }
    }
}

typedef struct
{
  UrbCurator *curator;
  double      x, y;
  gint64      nearest[URB_MAX_ROTATIONS];    /* per rotation; -1: none */
  double      distance_m[URB_MAX_ROTATIONS];
} Pointing;

static void
point_at (guint id, const UrbSquare *square, gpointer data)
{
  Pointing *at = data;
  int k = get_candidate (at->curator, id)->rotation;
  double angle = square->angle_deg * G_PI / 180, c = cos (angle), s = sin (angle);
  double dx = at->x - square->x, dy = at->y - square->y;
  double distance_m = hypot (dx, dy);

  if (fabs (dx * c + dy * s) <= 0.5 * square->size_m
      && fabs (dy * c - dx * s) <= 0.5 * square->size_m
      && (at->nearest[k] < 0 || distance_m < at->distance_m[k]))
    {
      at->nearest[k] = id;
      at->distance_m[k] = distance_m;
    }
}

gint64
urb_curator_find_at (UrbCurator *self, double x, double y)
{
  double reach_m = G_SQRT2 / 2 * self->options.area_size_m;
  /* A full grid has a center within this distance, apart from snapping to pixels. */
  double near_m = 0.75 * self->options.stride_m;
  UrbBox box = { x - reach_m, y - reach_m, x + reach_m, y + reach_m };
  Pointing at = { .curator = self, .x = x, .y = y };
  gint64 best = -1;
  double best_m = INFINITY;

  for (int k = 0; k < URB_MAX_ROTATIONS; k++)
    at.nearest[k] = -1;
  visit_box (self, box, point_at, &at);
  for (int k = 0; k < self->options.n_rotations; k++)
    {
      double distance_m = at.nearest[k] < 0 ? INFINITY : MAX (at.distance_m[k], near_m);

      /* Smaller ids have higher variances. */
      if (distance_m < best_m || (distance_m == best_m && isfinite (distance_m)
                                  && at.nearest[k] < best))
        {
          best = at.nearest[k];
          best_m = distance_m;
        }
    }
  return best;
}

typedef struct
{
  const double *xy; /* (n) pairs */
  gsize         n;
  GArray       *found; /* of gint64 */
} Loop;

static void
add_if_inside (guint id, const UrbSquare *square, gpointer data)
{
  const Loop *loop = data;
  gint64 found = id;

  if (urb_map_ring_contains (loop->xy, loop->n, square->x, square->y))
    g_array_append_val (loop->found, found);
}

GArray *
urb_curator_find_within (UrbCurator *self, const double *xy, gsize n)
{
  Loop loop = { xy, n, g_array_new (FALSE, FALSE, sizeof (gint64)) };

  if (n >= 3)
    visit_box (self, urb_map_ring_get_box (xy, n), add_if_inside, &loop);
  g_array_sort (loop.found, urb_compare_int64s);
  return loop.found;
}
