/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.c - divides the plane into training, validation and test blocks.
 *
 * Areas are lost along the boundaries between the splits: small blocks lose many, large
 * blocks cannot meet the test share.  The best trade-off depends on the map, so about a
 * hundred divisions are tried on a sample of the areas.  Then some of the training blocks are set
 * aside for validation; the test blocks are the same with and without.
 */
#include "dataset/split.h"

#include <math.h>
#include <string.h>

#define N_SAMPLE 20000
#define N_ORDERS 24 /* per block size */
#define MAX_BLOCKS (1 << 22)
#define N_BINS 32  /* of a trait's values, from 0 to 1 */
#define N_PLACES 4 /* wanted outside training */
#define MIN_VALIDATION 8 /* areas that overlap by half at most: fewer tell nothing */
/* Of the training areas: a tenth may be lost along the new borders.  On 3 km × 5 km (Wasseramt) 13 areas
 * for validation would cost 37 of 129 for training: such a map needs them all. */
#define MIN_TRAINING_LEFT 0.78
#define MAX_MET 4 /* blocks that a square can meet, since no block is smaller than a square */

/* What the two sides of a division should have alike. */
typedef enum { VARIANCE, BUILT, N_TRAITS } Trait;

typedef struct
{
  float  trait[N_TRAITS];
  guint8 n_met;
  gint32 met[MAX_MET]; /* blocks */
} Sample;

typedef struct
{
  double n[URB_N_SPLITS]; /* of the sample's areas */
  double bins[URB_N_SPLITS][N_TRAITS][N_BINS]; /* of them, by their trait */
} Tally;

void
urb_blocks_free (UrbBlocks *self)
{
  if (self == NULL)
    return;
  g_free (self->split);
  g_free (self);
}

UrbBlocks *
urb_blocks_copy (const UrbBlocks *self)
{
  UrbBlocks *copy = g_memdup2 (self, sizeof *self);

  copy->split = g_memdup2 (self->split, (gsize) self->n_x * self->n_y);
  return copy;
}

static UrbBlocks *
blocks_new (double x, double y, double block_w, double block_h, UrbBox extent)
{
  UrbBlocks *self = g_new0 (UrbBlocks, 1);

  while (ceil ((extent.max_x - x) / block_w + 1) * ceil ((extent.max_y - y) / block_h + 1)
         > MAX_BLOCKS)
    {
      block_w *= 2;
      block_h *= 2;
    }
  self->x = x;
  self->y = y;
  self->block_w = block_w;
  self->block_h = block_h;
  self->n_x = (int) floor ((extent.max_x - x) / block_w) + 1;
  self->n_y = (int) floor ((extent.max_y - y) / block_h) + 1;
  self->split = g_malloc0 ((gsize) self->n_x * self->n_y);
  return self;
}

static int
clamp_block (double position, int n)
{
  return position < 0 ? 0 : position >= n ? n - 1 : (int) position;
}

/* The outermost blocks extend without limit, so no square lies outside. */
static UrbBox
block_box (const UrbBlocks *self, int i, int j)
{
  UrbBox box = {
    i == 0 ? self->x - 1e9 : self->x + i * self->block_w,
    j == 0 ? self->y - 1e9 : self->y + j * self->block_h,
    i == self->n_x - 1 ? self->x + 1e9 : self->x + (i + 1) * self->block_w,
    j == self->n_y - 1 ? self->y + 1e9 : self->y + (j + 1) * self->block_h,
  };

  return box;
}

typedef struct
{
  int i0, j0, i1, j1; /* both ends included */
} BlockRange;

static BlockRange
range_of (const UrbBlocks *self, const UrbSquare *square)
{
  UrbBox box = urb_square_get_box (square);
  BlockRange range = {
    clamp_block ((box.min_x - self->x) / self->block_w, self->n_x),
    clamp_block ((box.min_y - self->y) / self->block_h, self->n_y),
    clamp_block ((box.max_x - self->x) / self->block_w, self->n_x),
    clamp_block ((box.max_y - self->y) / self->block_h, self->n_y),
  };

  return range;
}

gboolean
urb_blocks_get_split (const UrbBlocks *self, const UrbSquare *square, UrbSplit *split)
{
  BlockRange range = range_of (self, square);
  int met = 0; /* a bit per split */

  for (int j = range.j0; j <= range.j1; j++)
    for (int i = range.i0; i <= range.i1; i++)
      {
        UrbBox box = block_box (self, i, j);
        int bit = 1 << self->split[(gsize) j * self->n_x + i];

        if (!(met & bit) && urb_square_meets_box (square, &box))
          met |= bit;
      }
  for (int s = 0; s < URB_N_SPLITS; s++)
    if (met == 1 << s)
      {
        *split = (UrbSplit) s;
        return TRUE;
      }
  return FALSE;
}

static GArray *
sample_new (const UrbBlocks *blocks, GArray *squares, const float *variances, const float *built)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (Sample));

  for (guint k = 0; k < squares->len; k++)
    {
      const UrbSquare *square = &g_array_index (squares, UrbSquare, k);
      BlockRange range = range_of (blocks, square);
      Sample sample = { .trait = { variances[k], built[k] } };

      for (int j = range.j0; j <= range.j1; j++)
        for (int i = range.i0; i <= range.i1; i++)
          {
            UrbBox box = block_box (blocks, i, j);

            if (sample.n_met < MAX_MET && urb_square_meets_box (square, &box))
              sample.met[sample.n_met++] = j * blocks->n_x + i;
          }
      g_array_append_val (samples, sample);
    }
  return samples;
}

/* The split of all blocks that a sample meets.  Returns: FALSE if they differ */
static gboolean
get_sample_split (const UrbBlocks *blocks, const Sample *sample, UrbSplit *split)
{
  if (sample->n_met == 0)
    return FALSE;
  *split = (UrbSplit) blocks->split[sample->met[0]];
  for (int i = 1; i < sample->n_met; i++)
    if (blocks->split[sample->met[i]] != *split)
      return FALSE;
  return TRUE;
}

static Tally
count_samples (const UrbBlocks *blocks, GArray *samples)
{
  Tally tally = { { 0 }, { { { 0 } } } };

  for (guint k = 0; k < samples->len; k++)
    {
      const Sample *sample = &g_array_index (samples, Sample, k);
      UrbSplit split;

      if (!get_sample_split (blocks, sample, &split))
        continue;
      tally.n[split]++;
      for (int t = 0; t < N_TRAITS; t++)
        tally.bins[split][t][CLAMP ((int) (sample->trait[t] * N_BINS), 0, N_BINS - 1)]++;
    }
  return tally;
}

static double
count_kept (const Tally *tally)
{
  double n = 0;

  for (int s = 0; s < URB_N_SPLITS; s++)
    n += tally->n[s];
  return n;
}

static double
share_of (const Tally *tally, UrbSplit split)
{
  double n = count_kept (tally);

  return n > 0 ? tally->n[split] / n : 0;
}

/* The largest difference between the cumulative distributions of training and @split, in [0, 1]. */
static double
get_ks_distance (const Tally *tally, UrbSplit split, Trait trait)
{
  const UrbSplit sides[2] = { URB_SPLIT_TRAIN, split };
  double sum[2] = { 0 }, largest = 0;

  for (int b = 0; b < N_BINS; b++)
    {
      for (int i = 0; i < 2; i++)
        sum[i] += tally->bins[sides[i]][trait][b] / tally->n[sides[i]];
      largest = MAX (largest, fabs (sum[0] - sum[1]));
    }
  return largest;
}

/* The number of groups of adjacent blocks of @split that contain an area. */
static guint
count_places (const UrbBlocks *blocks, GArray *samples, UrbSplit split)
{
  gint32 n_blocks = blocks->n_x * blocks->n_y;
  g_autofree guint8 *open = g_malloc0 ((gsize) n_blocks); /* its blocks with areas, not yet seen */
  g_autoptr(GArray) stack = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint n_places = 0;

  for (guint k = 0; k < samples->len; k++)
    {
      const Sample *sample = &g_array_index (samples, Sample, k);

      for (int i = 0; i < sample->n_met; i++)
        open[sample->met[i]] = blocks->split[sample->met[i]] == split;
    }
  for (gint32 first = 0; first < n_blocks; first++)
    {
      if (!open[first])
        continue;
      n_places++;
      open[first] = 0;
      g_array_append_val (stack, first);
      while (stack->len > 0)
        {
          gint32 block = g_array_index (stack, gint32, stack->len - 1);
          int col = block % blocks->n_x, row = block / blocks->n_x;

          g_array_set_size (stack, stack->len - 1);
          for (int y = MAX (row - 1, 0); y <= MIN (row + 1, blocks->n_y - 1); y++)
            for (int x = MAX (col - 1, 0); x <= MIN (col + 1, blocks->n_x - 1); x++)
              if (open[y * blocks->n_x + x])
                {
                  gint32 next = y * blocks->n_x + x;

                  open[next] = 0;
                  g_array_append_val (stack, next);
                }
        }
    }
  return n_places;
}

/* How good @split is, which should have @share of the areas.  Lower is better; infinite if it or the
 * training split is empty. */
static double
score_of (const UrbBlocks *blocks, GArray *samples, UrbSplit split, double share)
{
  Tally tally = count_samples (blocks, samples);
  guint n_places = MIN (count_places (blocks, samples, split), N_PLACES);
  double score;

  if (tally.n[URB_SPLIT_TRAIN] == 0 || tally.n[split] == 0)
    return INFINITY;
  score = 2 * fabs (share_of (&tally, split) - share) / share + (1 - count_kept (&tally) / samples->len)
          + 0.9 * (1 - (double) n_places / N_PLACES);
  for (int t = 0; t < N_TRAITS; t++)
    score += get_ks_distance (&tally, split, (Trait) t);
  return score;
}

/* SplitMix64 (Steele, Lea and Flood 2014). */
static guint64
mix (guint64 z)
{
  z += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

typedef struct
{
  guint64 key;
  gint32  block;
} Ranked;

static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *p = a, *q = b;

  if (p->key != q->key)
    return p->key < q->key ? -1 : 1;
  return p->block < q->block ? -1 : p->block > q->block;
}

/* The training blocks that contain areas, in the order of @seed. */
static GArray *
ranked_blocks (const UrbBlocks *blocks, GArray *samples, guint64 seed)
{
  g_autofree guint8 *seen = g_malloc0 ((gsize) blocks->n_x * blocks->n_y);
  GArray *ranked = g_array_new (FALSE, FALSE, sizeof (Ranked));

  for (guint k = 0; k < samples->len; k++)
    {
      const Sample *sample = &g_array_index (samples, Sample, k);

      for (int i = 0; i < sample->n_met; i++)
        if (!seen[sample->met[i]] && blocks->split[sample->met[i]] == URB_SPLIT_TRAIN)
          {
            Ranked item = { mix (mix (seed) ^ (guint64) sample->met[i]), sample->met[i] };

            seen[item.block] = 1;
            g_array_append_val (ranked, item);
          }
    }
  g_array_sort (ranked, compare_ranked);
  return ranked;
}

/* The first @n blocks become those of @split. */
static void
mark (UrbBlocks *blocks, GArray *ranked, UrbSplit split, guint n)
{
  for (guint i = 0; i < ranked->len; i++)
    blocks->split[g_array_index (ranked, Ranked, i).block] = i < n ? split : URB_SPLIT_TRAIN;
}

/* Each additional block of @split can only add areas to it and remove training areas, so its share
 * grows with their number and can be bisected. */
static double
fit_order (UrbBlocks *blocks, GArray *samples, GArray *ranked, UrbSplit split, double share)
{
  guint low = 0, high = ranked->len;
  double score_low, score_high;
  Tally tally;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      mark (blocks, ranked, split, middle);
      tally = count_samples (blocks, samples);
      if (share_of (&tally, split) < share)
        low = middle;
      else
        high = middle;
    }
  mark (blocks, ranked, split, low);
  score_low = score_of (blocks, samples, split, share);
  mark (blocks, ranked, split, high);
  score_high = score_of (blocks, samples, split, share);
  if (score_high <= score_low)
    return score_high;
  mark (blocks, ranked, split, low);
  return score_low;
}

typedef struct
{
  UrbBlocks *blocks; /* owned */
  double     score;
  guint64    seed;
  guint      n_tried;
} Best;

/* Adds up to 0.1 to the score by lot, so that the seed decides between nearly equal divisions. */
static void
keep_if_better (Best *best, const UrbBlocks *blocks, double score)
{
  score += 0.1 * (double) (mix (mix (best->seed) + ++best->n_tried) >> 11) / (double) (1ull << 53);
  if (!(score < best->score))
    return;
  urb_blocks_free (best->blocks);
  best->blocks = urb_blocks_copy (blocks);
  best->score = score;
}

/* For maps too small for blocks: a single cut at @position (0..1) of the width or height,
 * the rest being for testing. */
static void
try_cut (Best *best, GArray *squares, const float *variances, const float *built, UrbBox extent,
         gboolean vertical, double position, double test_share)
{
  double w = extent.max_x - extent.min_x, h = extent.max_y - extent.min_y;
  double x = vertical ? extent.min_x - (1 - position) * w : extent.min_x;
  double y = vertical ? extent.min_y : extent.min_y - (1 - position) * h;
  g_autoptr(UrbBlocks) blocks = NULL;
  g_autoptr(GArray) samples = NULL;

  if (!(w > 0 && h > 0))
    return;
  blocks = blocks_new (x, y, vertical ? w : 2 * w, vertical ? 2 * h : h, extent);
  blocks->split[blocks->n_x * blocks->n_y - 1] = URB_SPLIT_TEST;
  samples = sample_new (blocks, squares, variances, built);
  keep_if_better (best, blocks, score_of (blocks, samples, URB_SPLIT_TEST, test_share));
}

/* Orders blocks by their distance from the nearest of the first @n_places of them, so that taking the
 * first ones makes as many places, with short borders. */
static void
gather (GArray *ranked, guint n_places, int n_x)
{
  n_places = MIN (n_places, ranked->len);
  for (guint i = n_places; i < ranked->len; i++)
    {
      Ranked *item = &g_array_index (ranked, Ranked, i);

      item->key = G_MAXUINT64;
      for (guint k = 0; k < n_places; k++)
        {
          gint64 block = g_array_index (ranked, Ranked, k).block;
          gint64 dx = item->block % n_x - block % n_x, dy = item->block / n_x - block / n_x;

          item->key = MIN (item->key, (guint64) (dx * dx + dy * dy));
        }
    }
  for (guint k = 0; k < n_places; k++)
    g_array_index (ranked, Ranked, k).key = 0;
  g_array_sort (ranked, compare_ranked);
}

/* Sets training blocks aside for validation, unless that would cost a small map too much. */
static void
set_aside (UrbBlocks *self, GArray *squares, const float *variances, const float *built, double share,
           guint64 seed)
{
  g_autoptr(GArray) samples = sample_new (self, squares, variances, built);
  Tally before = count_samples (self, samples), after;
  Best best = { NULL, INFINITY, seed };

  for (int order = 0; order < N_ORDERS; order++)
    {
      g_autoptr(UrbBlocks) tried = urb_blocks_copy (self);
      g_autoptr(GArray) ranked = ranked_blocks (tried, samples, mix (seed) + order);

      gather (ranked, 1 + (guint) order % N_PLACES, tried->n_x);
      keep_if_better (&best, tried,
                      fit_order (tried, samples, ranked, URB_SPLIT_VALIDATION, share));
    }
  if (best.blocks == NULL)
    return;
  after = count_samples (best.blocks, samples);
  if (after.n[URB_SPLIT_VALIDATION] >= MIN_VALIDATION
      && after.n[URB_SPLIT_TRAIN] >= MIN_TRAINING_LEFT * before.n[URB_SPLIT_TRAIN])
    memcpy (self->split, best.blocks->split, (gsize) self->n_x * self->n_y);
  urb_blocks_free (best.blocks);
}

gsize
urb_blocks_get_sample_step (gsize n)
{
  return n / N_SAMPLE + 1;
}

UrbBlocks *
urb_blocks_choose (GArray *squares, const float *variances, const float *built, UrbBox extent,
                   double test_share, double validation_share, guint64 seed)
{
  static const double multiples[] = { 2, 3, 4, 6 };
  Best best = { NULL, INFINITY, seed };

  if (squares->len > 0 && test_share > 0)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (multiples); i++)
        {
          double size_m = multiples[i] * g_array_index (squares, UrbSquare, 0).size_m;
          /* From the map's corner, so a map is divided the same way in any CRS. */
          g_autoptr(UrbBlocks) blocks
            = blocks_new (extent.min_x, extent.min_y, size_m, size_m, extent);
          g_autoptr(GArray) samples = sample_new (blocks, squares, variances, built);

          for (int order = 0; order < N_ORDERS; order++)
            {
              g_autoptr(UrbBlocks) tried = urb_blocks_copy (blocks);
              g_autoptr(GArray) ranked = ranked_blocks (tried, samples, seed * N_ORDERS + order);

              keep_if_better (&best, tried,
                              fit_order (tried, samples, ranked, URB_SPLIT_TEST, test_share));
            }
        }
      for (double position = 0.05; position < 0.96; position += 0.05)
        {
          try_cut (&best, squares, variances, built, extent, FALSE, position, test_share);
          try_cut (&best, squares, variances, built, extent, TRUE, position, test_share);
        }
    }
  if (best.blocks == NULL) /* all for training */
    best.blocks = blocks_new (extent.min_x, extent.min_y, 1e6, 1e6, extent);
  if (squares->len > 0 && validation_share > 0)
    set_aside (best.blocks, squares, variances, built, validation_share, seed);
  return best.blocks;
}
