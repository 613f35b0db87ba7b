/* SPDX-License-Identifier: Apache-2.0 */
/*
 * candidates.c - the candidate areas of a map.
 *
 * A summed-area table gives the class shares of any window in constant time.
 * This one is stored only at window boundaries: bits between column boundaries are
 * counted 64 at a time and accumulated down the rows, and a window is the
 * difference of two accumulated rows.  The map is processed in blocks, so memory
 * is independent of its size and shape; blocks without polygons are left out.
 */
#include "dataset/candidates.h"

#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "dataset/hull.h"
#include "dataset/open-ground.h"
#include "dataset/variance.h"

#define BLOCK_PX 3840         /* pixels between the first and the last window of a block */
#define MAX_BLOCK_WINDOWS 512 /* along an edge */
#define MAX_BLOCKS 4000000      /* with objects */
#define MAX_GRID_BLOCKS 1e9     /* with and without, of one rotation: a bit for each */
#define MANY_PLACES 1000000     /* of which the progress tells */
#define MAX_PLACES 2e8          /* minutes of search */
#define MAX_FRAME_PX 1e9
#define MAX_CANDIDATES 20000000 /* about 1 GB including the selection */

/* One rotation: a grid of windows, divided into blocks. */
typedef struct
{
  gint64 n_cols, n_rows;             /* windows */
  gint64 n_block_cols, n_block_rows; /* blocks */
} Grid;

/* A block that has objects. */
typedef struct
{
  int    rotation;
  gint64 block;
} BlockRef;

typedef struct
{
  UrbCandidates  *result;
  UrbMap         *map;
  gboolean        fills;       /* open ground */
  Grid            grids[URB_MAX_ROTATIONS];
  int             block_edge;  /* windows */
  GArray         *blocks;      /* of BlockRef, over all rotations; owned */
  char           *what;        /* for progress */
  gint64          next_block;  /* guarded by the mutex, like the result */
  GMutex          mutex;
  GCancellable   *cancellable;
} Job;

/* Workspace of one thread. */
typedef struct
{
  UrbRaster *raster; /* owned */
  UrbOpenGround *open_ground; /* owned, nullable */
  GArray    *found;  /* of gint64; owned */
  GArray    *items;  /* of UrbCandidate; owned */
  guint32   *prefix; /* bits before each word of a row; owned */
  int       *left;   /* (block_edge) first column of each window; owned */
  guint32   *sum;    /* (3, block_edge) bits counted so far; owned */
  guint32   *top;    /* (block_edge, 3, block_edge) sums above each window; owned */
  gint64     n_positions, n_uncovered, n_low_variance;
  double     best_low_variance;
} Work;

static double
pixel_size (const UrbCurateOptions *search)
{
  return search->area_size_m / search->resolution_px;
}

/* The pixel at which window @i begins. */
static gint64
window_px (const UrbCurateOptions *search, gint64 i)
{
  return llround (i * (search->stride_m / pixel_size (search)));
}

UrbSquare
urb_candidates_get_square (const UrbCandidates *self, const UrbCandidate *candidate)
{
  double half = 0.5 * self->options.resolution_px;
  UrbSquare square = {
    .angle_deg = 90.0 * candidate->rotation / self->options.n_rotations,
    .size_m = self->options.area_size_m,
  };

  urb_frame_to_map (&self->frames[candidate->rotation], candidate->col + half,
                    candidate->row + half, &square.x, &square.y);
  return square;
}

static gint64
windows_along (double length_m, const UrbCurateOptions *search)
{
  const double tolerance = 1e-6;
  double room = (length_m - search->area_size_m) / search->stride_m;

  return room < -tolerance ? 0 : (gint64) floor (room + tolerance) + 1;
}

static gboolean
fail_too_large (const UrbCurateOptions *search, GError **error)
{
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_LARGE,
               "The map is too large for areas of %g m every %g m: choose a larger stride, or "
               "check for objects with wrong coordinates with 'inspect'",
               search->area_size_m, search->stride_m);
  return FALSE;
}

/* The blocks along one direction whose windows may meet @min..@max meters.  @last: (out): included */
static gint64
blocks_between (const Job *job, double min_m, double max_m, gint64 n_blocks, gint64 *last)
{
  const UrbCurateOptions *search = &job->result->options;
  double edge_m = job->block_edge * search->stride_m;

  *last = CLAMP ((gint64) floor (max_m / edge_m), 0, n_blocks - 1);
  return CLAMP ((gint64) floor ((min_m - search->area_size_m - search->stride_m) / edge_m), 0, n_blocks - 1);
}

/* The polygon's box, in meters along the rows and down the columns of the rotation's frame. */
static UrbBox
box_in_frame (const UrbFrame *frame, UrbBox box)
{
  const double x[] = { box.min_x, box.max_x }, y[] = { box.min_y, box.max_y };
  UrbBox turned = URB_BOX_EMPTY;

  for (int i = 0; i < 4; i++)
    {
      double dx = x[i % 2] - frame->x, dy = y[i / 2] - frame->y;
      urb_box_add_point (&turned, dx * frame->cos_a + dy * frame->sin_a,
                         dx * frame->sin_a - dy * frame->cos_a);
    }
  return turned;
}

/* Lists the blocks in which there are objects: of a map of a country, or with one object far away, most
 * have none. */
static void
find_blocks (Job *job, int rotation)
{
  const Grid *grid = &job->grids[rotation];
  gint64 n = grid->n_block_cols * grid->n_block_rows, n_polygons = urb_map_get_n_polygons (job->map);
  g_autofree guint8 *met = g_malloc0 ((gsize) n / 8 + 1);

  if (n == 0)
    return;
  for (gint64 i = 0; i < n_polygons; i++)
    {
      UrbBox box = box_in_frame (&job->result->frames[rotation], urb_map_get_box (job->map, i));
      gint64 right, bottom;
      gint64 left = blocks_between (job, box.min_x, box.max_x, grid->n_block_cols, &right);
      gint64 top = blocks_between (job, box.min_y, box.max_y, grid->n_block_rows, &bottom);

      for (gint64 row = top; row <= bottom; row++)
        for (gint64 block = row * grid->n_block_cols + left; block <= row * grid->n_block_cols + right; block++)
          met[block / 8] |= 1 << block % 8;
    }
  for (gint64 block = 0; block < n; block++)
    if (met[block / 8] & 1 << block % 8)
      {
        BlockRef ref = { rotation, block };
        g_array_append_val (job->blocks, ref);
      }
}

static gboolean
plan_rotation (Job *job, int rotation, GArray *hull, GError **error)
{
  const UrbCurateOptions *search = &job->result->options;
  UrbFrame *frame = &job->result->frames[rotation];
  Grid *grid = &job->grids[rotation];
  double angle = 0.5 * G_PI * rotation / search->n_rotations;
  double min_col, max_col, min_row, max_row;

  frame->cos_a = cos (angle);
  frame->sin_a = sin (angle);
  frame->pixel_m = pixel_size (search);
  urb_hull_get_extent (hull, frame->cos_a, frame->sin_a, &min_col, &max_col, &min_row, &max_row);
  if (hull->len == 0)
    return TRUE;
  if (MAX (max_col - min_col, max_row - min_row) / frame->pixel_m > MAX_FRAME_PX)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_LARGE,
                   "The map is %.0f km across, too large for areas of %g m; some objects "
                   "probably have wrong coordinates. Check the extent with 'inspect'",
                   MAX (max_col - min_col, max_row - min_row) / 1000, search->area_size_m);
      return FALSE;
    }
  frame->x = min_col * frame->cos_a + min_row * frame->sin_a;
  frame->y = min_col * frame->sin_a - min_row * frame->cos_a;
  grid->n_cols = windows_along (max_col - min_col, search);
  grid->n_rows = windows_along (max_row - min_row, search);
  grid->n_block_cols = (grid->n_cols + job->block_edge - 1) / job->block_edge;
  grid->n_block_rows = (grid->n_rows + job->block_edge - 1) / job->block_edge;
  if ((double) grid->n_block_cols * grid->n_block_rows > MAX_GRID_BLOCKS)
    return fail_too_large (search, error);
  find_blocks (job, rotation);
  return job->blocks->len <= MAX_BLOCKS || fail_too_large (search, error);
}

/* Estimates the number of places before they are looked at, and says so if it takes long.
 * Returns: FALSE with an error if it would take too long */
static gboolean
tell_places (Job *job, GError **error)
{
  double n = 0;

  for (guint i = 0; i < job->blocks->len; i++)
    {
      const BlockRef *ref = &g_array_index (job->blocks, BlockRef, i);
      const Grid *grid = &job->grids[ref->rotation];
      n += (double) MIN (job->block_edge, grid->n_cols) * MIN (job->block_edge, grid->n_rows);
    }
  if (n > MAX_PLACES)
    return fail_too_large (&job->result->options, error);
  job->what = n < MANY_PLACES ? g_strdup ("Looking for areas")
                              : g_strdup_printf ("Looking for areas at about %.0f million places", n / 1e6);
  return TRUE;
}

static gboolean
plan (Job *job, GArray *hull, GError **error)
{
  const UrbCurateOptions *search = &job->result->options;
  double pixel_m = pixel_size (search);
  double windows = BLOCK_PX * pixel_m / search->stride_m;

  if (search->stride_m < pixel_m || !isfinite (search->stride_m))
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_OPTIONS,
                   "A stride of %g m is not possible: choose at least one pixel (%g m)",
                   search->stride_m, pixel_m);
      return FALSE;
    }
  job->block_edge = CLAMP (windows, 1, MAX_BLOCK_WINDOWS);
  for (int k = 0; k < search->n_rotations; k++)
    if (!plan_rotation (job, k, hull, error))
      return FALSE;
  return tell_places (job, error);
}

/* Adds the bits of one row to each window's sum.  Rows have a spare word at the end,
 * so a window may end exactly at the edge. */
WITH_POPCNT static void
add_row (const guint64 *row, gsize stride, guint32 *prefix, const int *left, int size_px,
         int n_windows, guint32 *sum)
{
  guint32 before = 0;

  for (gsize w = 0; w < stride; w++)
    {
      prefix[w] = before;
      before += __builtin_popcountll (row[w]);
    }
  if (before == 0)
    return;
  for (int j = 0; j < n_windows; j++)
    {
      int a = left[j], b = left[j] + size_px;
      guint64 below_a = (G_GUINT64_CONSTANT (1) << (a & 63)) - 1;
      guint64 below_b = (G_GUINT64_CONSTANT (1) << (b & 63)) - 1;

      sum[j] += prefix[b >> 6] + __builtin_popcountll (row[b >> 6] & below_b)
                - prefix[a >> 6] - __builtin_popcountll (row[a >> 6] & below_a);
    }
}

/* Collects the candidates among the windows of one grid row, once the last pixel row
 * of these windows has been added to the sums. */
static void
collect_row (Work *work, const UrbCurateOptions *search, const guint32 *top, int n_windows,
             const UrbCandidate *first)
{
  const double n = (double) search->resolution_px * search->resolution_px;

  work->n_positions += n_windows;
  for (int j = 0; j < n_windows; j++)
    {
      UrbCandidate candidate = *first;
      double share[3], coverage = 0, variance;

      for (int c = 0; c < 3; c++)
        {
          share[c] = (work->sum[c * n_windows + j] - top[c * n_windows + j]) / n;
          candidate.share[c] = lround (share[c] * URB_SHARE_UNIT);
          coverage += share[c];
        }
      variance = urb_variance_from_shares (search->encoding, share);
      candidate.col += work->left[j];
      candidate.variance = variance;
      if (coverage < search->min_coverage)
        work->n_uncovered++;
      /* Compared as float, as stored, so that filtering later gives the same candidates. */
      else if (candidate.variance < (float) search->min_variance)
        {
          work->n_low_variance++;
          work->best_low_variance = MAX (work->best_low_variance, variance);
        }
      else
        g_array_append_val (work->items, candidate);
    }
}

/* Scans the pixel rows downwards; window rows begin and end in order. */
static void
scan_block (Work *work, const UrbCurateOptions *search, const UrbCandidate *origin, gint64 first_row,
            int n_rows, int n_cols, int height)
{
  int begun = 0, ended = 0;

  memset (work->sum, 0, sizeof (guint32) * 3 * n_cols);
  for (int y = 0; y <= height; y++)
    {
      for (; begun < n_rows && window_px (search, first_row + begun) - origin->row == y; begun++)
        memcpy (work->top + (gsize) begun * 3 * n_cols, work->sum, sizeof (guint32) * 3 * n_cols);
      for (; ended < begun
             && window_px (search, first_row + ended) - origin->row + search->resolution_px == y;
           ended++)
        {
          UrbCandidate where = *origin;

          where.row = window_px (search, first_row + ended);
          collect_row (work, search, work->top + (gsize) ended * 3 * n_cols, n_cols, &where);
        }
      for (int c = 0; y < height && c < URB_N_CLASSES; c++)
        {
          gsize stride;
          const guint64 *plane = urb_raster_get_plane (work->raster, c, &stride);

          add_row (plane + y * stride, stride, work->prefix, work->left, search->resolution_px,
                   n_cols, work->sum + c * n_cols);
        }
    }
}

static void
process_block (Work *work, const Job *job, int rotation, gint64 block)
{
  const UrbCurateOptions *search = &job->result->options;
  const Grid *grid = &job->grids[rotation];
  gint64 first_col = block % grid->n_block_cols * job->block_edge;
  gint64 first_row = block / grid->n_block_cols * job->block_edge;
  int n_cols = MIN (job->block_edge, grid->n_cols - first_col);
  int n_rows = MIN (job->block_edge, grid->n_rows - first_row);
  UrbCandidate origin = {
    .rotation = rotation,
    .col = window_px (search, first_col),
    .row = window_px (search, first_row),
  };
  int width = window_px (search, first_col + n_cols - 1) - origin.col + search->resolution_px;
  int height = window_px (search, first_row + n_rows - 1) - origin.row + search->resolution_px;
  UrbFrame frame
    = urb_frame_crop (&job->result->frames[rotation], origin.col, origin.row, width, height);

  urb_map_query (job->map, urb_frame_get_box (&frame), work->found);
  if (work->found->len == 0)
    {
      work->n_positions += (gint64) n_cols * n_rows;
      work->n_uncovered += (gint64) n_cols * n_rows;
      return;
    }
  if (work->open_ground != NULL)
    urb_open_ground_lay (work->open_ground, job->map, &frame, work->raster);
  urb_raster_paint (work->raster, job->map, &frame);
  for (int j = 0; j < n_cols; j++)
    work->left[j] = window_px (search, first_col + j) - origin.col;
  scan_block (work, search, &origin, first_row, n_rows, n_cols, height);
}

/* Returns: FALSE when no blocks are left, or the search was cancelled or is full */
static gboolean
pop_block (Job *job, int *rotation, gint64 *block, double *fraction)
{
  const BlockRef *ref;
  gboolean any;

  g_mutex_lock (&job->mutex);
  any = job->next_block < (gint64) job->blocks->len && !g_cancellable_is_cancelled (job->cancellable)
        && job->result->items->len < MAX_CANDIDATES;
  if (any)
    {
      ref = &g_array_index (job->blocks, BlockRef, job->next_block);
      *rotation = ref->rotation;
      *block = ref->block;
      *fraction = (double) job->next_block++ / job->blocks->len;
    }
  g_mutex_unlock (&job->mutex);
  return any;
}

static void
merge_results (Job *job, Work *work)
{
  UrbCandidates *result = job->result;

  g_mutex_lock (&job->mutex);
  g_array_append_vals (result->items, work->items->data, work->items->len);
  result->n_positions += work->n_positions;
  result->n_uncovered += work->n_uncovered;
  result->n_low_variance += work->n_low_variance;
  result->best_low_variance = MAX (result->best_low_variance, work->best_low_variance);
  g_mutex_unlock (&job->mutex);
  g_array_set_size (work->items, 0);
  work->n_positions = work->n_uncovered = work->n_low_variance = 0;
}

static void
process_blocks (Job *job, UrbProgressFunc progress, gpointer user_data)
{
  gsize n = job->block_edge, row_px = BLOCK_PX + 64 + job->result->options.resolution_px;
  Work work = {
    .raster = urb_raster_new (),
    .open_ground = job->fills ? urb_open_ground_new () : NULL,
    .found = g_array_new (FALSE, FALSE, sizeof (gint64)),
    .items = g_array_new (FALSE, FALSE, sizeof (UrbCandidate)),
    .prefix = g_new (guint32, row_px / 64 + 2),
    .left = g_new (int, n),
    .sum = g_new (guint32, 3 * n),
    .top = g_new (guint32, 3 * n * n),
  };
  int rotation;
  gint64 block;
  double fraction;

  while (pop_block (job, &rotation, &block, &fraction))
    {
      if (progress != NULL)
        progress (fraction, job->what, user_data);
      process_block (&work, job, rotation, block);
      merge_results (job, &work);
    }
  urb_raster_free (work.raster);
  g_clear_pointer (&work.open_ground, urb_open_ground_free);
  g_array_unref (work.found);
  g_array_unref (work.items);
  g_free (work.prefix);
  g_free (work.left);
  g_free (work.sum);
  g_free (work.top);
}

static gpointer
process_blocks_thread (gpointer data)
{
  process_blocks (data, NULL, NULL);
  return NULL;
}

static void
process_blocks_in_threads (Job *job, UrbProgressFunc progress, gpointer user_data)
{
  int n = job->result->options.n_threads;
  g_autofree GThread **threads = NULL;

  if (n <= 0)
    n = g_get_num_processors ();
  n = CLAMP ((int) MIN (job->blocks->len, G_MAXINT), 1, n);
  threads = g_new0 (GThread *, n);
  for (int i = 1; i < n; i++)
    threads[i] = g_thread_new ("curate", process_blocks_thread, job);
  process_blocks (job, progress, user_data);
  for (int i = 1; i < n; i++)
    g_thread_join (threads[i]);
}

/* A total order, so the result does not depend on which thread finished first. */
static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const UrbCandidate *p = a, *q = b;

  if (p->variance != q->variance)
    return p->variance > q->variance ? -1 : 1;
  if (p->rotation != q->rotation)
    return p->rotation < q->rotation ? -1 : 1;
  if (p->row != q->row)
    return p->row < q->row ? -1 : 1;
  return p->col < q->col ? -1 : p->col > q->col;
}

UrbCandidates *
urb_candidates_find (UrbMap *map, GArray *hull, gboolean fills, const UrbCurateOptions *search,
                     UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                     GError **error)
{
  g_autoptr(UrbCandidates) self = g_new0 (UrbCandidates, 1);
  g_autoptr(GArray) blocks = g_array_new (FALSE, FALSE, sizeof (BlockRef));
  g_autofree Job *job = g_new0 (Job, 1);
  g_autofree char *what = NULL;

  g_return_val_if_fail (search->n_rotations >= 1 && search->n_rotations <= URB_MAX_ROTATIONS, NULL);

  self->options = *search;
  self->items = g_array_new (FALSE, FALSE, sizeof (UrbCandidate));
  *job = (Job) { .result = self, .map = map, .fills = fills, .blocks = blocks, .cancellable = cancellable };
  if (!plan (job, hull, error))
    return NULL;
  what = job->what;
  g_mutex_init (&job->mutex);
  process_blocks_in_threads (job, progress, user_data);
  g_mutex_clear (&job->mutex);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (job->next_block < (gint64) job->blocks->len)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_LARGE,
                   "More than %d areas are possible: choose a larger stride%s", MAX_CANDIDATES,
                   search->min_variance > 0 ? ", fewer rotations or a higher minimum variance"
                                            : " or fewer rotations");
      return NULL;
    }
  g_array_sort (self->items, compare_candidates);
  return g_steal_pointer (&self);
}

void
urb_candidates_free (UrbCandidates *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->items);
  g_free (self);
}
