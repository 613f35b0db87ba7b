/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-trainer.c - steps, checkpoints and samples of one training run.
 */
#include <math.h>
#include <string.h>

#include "flat-folder.h"
#include "kernels/uk-random.h"
#include "made-up-tiles.h"
#include "model/streams.h"
#include "train/checkpoint.h"
#include "train/rate-finder.h"
#include "settings/recipe.h"
#include "train/sampler-private.h"
#include "train/trainer-private.h"

/* Small enough that a test runs a hundred steps in a second. */
static const char preset_text[] =
  "[preset]\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=5\n"
  "[generator]\n1=dense 16 4 norm-or-not lrelu\n2=tconv 16 bias lrelu\n3=tconv image bias head\n"
  "[discriminator]\n1=conv4 16 bias lrelu\n2=conv4 16 norm lrelu\n3=logit bias\n";

/* The same in half the size, and a refiner that restores it. */
static const char refined_text[] =
  "[preset]\nimage-size=8\nrefined-size=16\nlatent=8\nbatch=4\nsteps=100\nlr=0.001\ngamma=5\n"
  "[generator]\n1=dense 16 4 bias lrelu\n2=tconv image bias head\n"
  "[refiner]\n1=conv3 8 bias lrelu\n2=tconv image bias head\n"
  "[discriminator]\n1=conv4 16 bias lrelu\n2=logit bias\n";

typedef struct
{
  char *folder, *preset, *dataset;
  UrbAveraging averaging;
} Fixture;

/* How the tiles are stored; all values are 0 or 255. */
typedef enum { SHARP, SOFT } Edges;

static void
write_dataset (const char *path, int n_areas, int first, Edges edges)
{
  g_autoptr(GError) error = NULL;
  UrbDatasetInfo info = { .encoding = URB_ENCODING_RGB, .soft = edges == SOFT, .resolution_px = 16,
                          .area_size_m = 250 };
  g_autoptr(UrbDatasetWriter) writer = urb_dataset_writer_new (path, &info, NULL, &error);
  guint8 levels[16 * 16 * 3];

  g_assert_no_error (error);
  for (int i = 0; i < n_areas; i++)
    {
      UrbArea area = { .center_x = 1000.0 * (first + i), .share = { 0.5, 0.25, 0.25 },
                       .variance = 0.5, .coverage = 1,
                       .split = i % 5 == 4 ? URB_SPLIT_TEST : URB_SPLIT_TRAIN };

      memset (levels, 0, sizeof levels);
      for (int p = 0; p < 16 * 16; p++)
        levels[3 * p + (p / (i + first + 2)) % 3] = 255;
      made_up_tile_add (writer, &info, &area, NULL, levels, &error);
      g_assert_no_error (error);
    }
  urb_dataset_writer_finish (writer, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *self, gconstpointer recipe)
{
  g_autofree char *text = NULL;
  g_auto(GStrv) parts = g_strsplit (preset_text, "norm-or-not", 2);

  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  self->preset = g_build_filename (self->folder, "mini.preset", NULL);
  self->dataset = g_build_filename (self->folder, "areas.gpkg", NULL);
  text = g_strjoinv (g_str_equal (recipe, "dcgan") ? "bn" : "bias", parts);
  g_assert_true (g_file_set_contents (self->preset, text, -1, NULL));
  write_dataset (self->dataset, 10, 0, SHARP);
}

static void
set_up_refined (Fixture *self, gconstpointer recipe)
{
  set_up (self, recipe);
  g_assert_true (g_file_set_contents (self->preset, refined_text, -1, NULL));
  write_dataset (self->dataset, 10, 60, SHARP); /* stripes of four rows and more */
}

/* The same with a generator that is given shares. */
static void
set_up_shares (Fixture *self, gconstpointer recipe)
{
  g_auto(GStrv) parts = g_strsplit (refined_text, "latent", 2);
  g_autofree char *text = g_strjoinv ("shares=true\nlatent", parts);

  set_up_refined (self, recipe);
  g_assert_true (g_file_set_contents (self->preset, text, -1, NULL));
}

static void
set_up_equal (Fixture *self, gconstpointer recipe)
{
  set_up (self, recipe);
  self->averaging = URB_AVERAGING_EQUAL;
}

static void
tear_down (Fixture *self, gconstpointer recipe)
{
  flat_folder_remove (self->folder);
  g_free (self->preset);
  g_free (self->dataset);
}

static void
fill_options (const Fixture *self, UrbTrainOptions *options, const char *recipe, const char *backend, gint64 n_steps)
{
  urb_train_options_init (options);
  g_free (options->preset);
  g_free (options->recipe);
  g_free (options->backend);
  options->preset = g_strdup (self->preset);
  options->recipe = g_strdup (recipe);
  options->backend = g_strdup (backend);
  options->dataset = g_strdup (self->dataset);
  options->n_steps = n_steps;
  options->n_threads = 2;
}

static UrbTrainer *
open_trainer (const Fixture *self, const char *recipe, const char *backend, gint64 n_steps)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  UrbTrainer *trainer;

  fill_options (self, &options, recipe, backend, n_steps);
  options.averaging = self->averaging;
  if (self->averaging == URB_AVERAGING_EQUAL)
    options.average_from = n_steps / 4;
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  return trainer;
}

static void
train (UrbTrainer *trainer, int n_steps, UrbStepMetrics *metrics)
{
  for (int i = 0; i < n_steps; i++)
    {
      g_autoptr(GError) error = NULL;

      urb_trainer_step (trainer, metrics, &error);
      g_assert_no_error (error);
    }
}

static char *
save (const Fixture *self, UrbTrainer *trainer, const char *name)
{
  char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) error = NULL;

  urb_trainer_save (trainer, path, &error);
  g_assert_no_error (error);
  return path;
}

static void
assert_same_file (const char *a, const char *b)
{
  g_autofree char *x = NULL, *y = NULL;
  gsize n_x, n_y;

  g_assert_true (g_file_get_contents (a, &x, &n_x, NULL));
  g_assert_true (g_file_get_contents (b, &y, &n_y, NULL));
  g_assert_cmpmem (x, n_x, y, n_y);
}

/* ------------------------------------------------------------------------ */

/* Stopping, restarting and restoring gives the same bits as never stopping, also with samples and
 * checkpoints in between. */
static void
test_resume (Fixture *self, gconstpointer recipe)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *middle = NULL, *straight = NULL, *resumed = NULL;
  g_autofree guint8 *levels = g_malloc (3 * 16 * 16 * 3);
  UrbStepMetrics metrics_a, metrics_b;

  {
    g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 40);

    train (trainer, 40, &metrics_a);
    straight = save (self, trainer, "straight.safetensors");
  }
  {
    g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 40);

    train (trainer, 17, &metrics_b);
    g_assert_true (urb_trainer_sample (trainer, 3, 0, 3, levels, &error));
    middle = save (self, trainer, "middle.safetensors");
  }
  {
    g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 40);

    train (trainer, 5, &metrics_b); /* its previous state does not matter */
    urb_trainer_restore (trainer, middle, &error);
    g_assert_no_error (error);
    g_assert_cmpint (urb_trainer_get_step (trainer), ==, 17);
    train (trainer, 23, &metrics_b);
    resumed = save (self, trainer, "resumed.safetensors");
  }
  metrics_a.seconds = metrics_b.seconds = 0;
  g_assert_cmpmem (&metrics_a, sizeof metrics_a, &metrics_b, sizeof metrics_b);
  assert_same_file (straight, resumed);
}

/* Value k of a tensor that begins at p in its block is number p + k of the seed. */
static void
check_order (UrbSafetensors *file, const char *prefix, const UrbNet *net, guint64 seed, guint32 stream)
{
  const guint64 rng[2] = { seed, 0 };
  int n_checked = 0;

  for (guint p = 0; p < net->params->len; p++)
    {
      const UrbParam *param = urb_net_get_param (net, (int) p);
      g_autofree char *name = g_strconcat (prefix, param->name, NULL);
      const UrbTensor *tensor = urb_safetensors_lookup (file, name);
      g_autofree float *drawn = NULL;

      if (param->n_dims < 4)
        continue;
      drawn = g_new (float, param->count);
      uk_normals (rng, stream, (guint64) param->offset / 4, (int) (param->offset % 4), param->count, drawn);
      for (gint64 k = 0; k < param->count; k++)
        {
          double value = tensor->type == URB_TENSOR_F64 ? ((const double *) tensor->data)[k]
                                                        : ((const float *) tensor->data)[k];

          g_assert_cmpfloat_with_epsilon (value, 0.02 * drawn[k], 1e-8);
        }
      n_checked++;
    }
  g_assert_cmpint (n_checked, >=, 3);
}

/* In a checkpoint, weights are in the order of their shape, which is PyTorch's. */
static void
test_order (Fixture *self, gconstpointer backend)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, "dcgan", backend, 10);
  g_autofree char *path = save (self, trainer, "step-0.safetensors");
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, NULL);
  guint64 seed = urb_trainer_get_options (trainer)->seed;

  check_order (file, "", trainer->program->g.net, seed, URB_STREAM_INIT_G);
  check_order (file, "ema.", trainer->program->g.net, seed, URB_STREAM_INIT_G);
  check_order (file, "", trainer->program->d.net, seed, URB_STREAM_INIT_D);
}

/* The same seed gives the same losses, another seed gives others; all are plausible. */
static void
test_deterministic (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) a = open_trainer (self, recipe, "cpu", 10);
  g_autoptr(UrbTrainer) b = open_trainer (self, recipe, "cpu", 10);
  UrbStepMetrics metrics_a, metrics_b;

  for (int i = 0; i < 10; i++)
    {
      train (a, 1, &metrics_a);
      train (b, 1, &metrics_b);
      g_assert_cmpmem (metrics_a.values, sizeof metrics_a.values, metrics_b.values,
                       sizeof metrics_b.values);
      g_assert_cmpint (metrics_a.images, ==, 4 * (i + 1));
      g_assert_cmpfloat (metrics_a.values[URB_METRIC_GRAD_NORM_G], >, 0);
      g_assert_cmpfloat (metrics_a.values[URB_METRIC_LR_D], >, 0);
      if (g_str_equal (recipe, "r3"))
        g_assert_cmpfloat (metrics_a.values[URB_METRIC_R1], >, 0);
    }
}

/* The sampler folds batch norm, which rounds differently: by at most one level of 255. */
static void
assert_same_images (const guint8 *a, const guint8 *b, gsize n, int most)
{
  for (gsize i = 0; i < n; i++)
    g_assert_cmpint (ABS (a[i] - b[i]), <=, most);
}

/* Cities of a checkpoint, trained or untrained, drawn on a device. */
static void
draw_on (const char *path, const UrbSamplerPlace *place, guint8 *trained, guint8 *untrained)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampler) sampler = urb_sampler_open (path, place, &error);
  g_autoptr(UrbSampler) other = urb_sampler_open_untrained (path, place, &error);

  g_assert_no_error (error);
  g_assert_true (urb_sampler_generate (sampler, 9, 2, 5, trained, &error));
  g_assert_true (urb_sampler_generate (other, 9, 2, 5, untrained, &error));
}

/* Devices differ by rounding only: in fp32 by at most one level; in bf16, which has 8 bits, by a
 * few, and in fp16, which has 11, by less. */
static void
test_sampler_devices (Fixture *self, gconstpointer recipe)
{
  static const struct { UrbSamplerPlace place; int most; } others[] = {
    { { .device = "reference" }, 1 },
    { { .device = "cuda" }, 1 },
    { { .device = "cuda:0", .precision = UK_BF16 }, 12 },
    { { .device = "cuda:0", .precision = UK_FP16 }, 2 },
  };
  const UrbSamplerPlace cpu = { .device = "cpu", .n_threads = 2 };
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 30);
  gsize n = 5 * 16 * 16 * 3;
  g_autofree guint8 *a = g_malloc (n), *b = g_malloc (n), *x = g_malloc (n), *y = g_malloc (n);
  g_autofree char *path = NULL;
  UrbStepMetrics metrics;

  train (trainer, 30, &metrics);
  path = save (self, trainer, "step-30.safetensors");
  draw_on (path, &cpu, a, b);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_test_message ("%s", others[i].place.device);
      draw_on (path, &others[i].place, x, y);
      assert_same_images (a, x, n, others[i].most);
      assert_same_images (b, y, n, others[i].most);
      if (others[i].place.precision != UK_FP32) /* so it was in fact */
        g_assert_cmpint (memcmp (a, x, n), !=, 0);
    }
}

/* With a clear error, before anything is drawn. */
static void
test_sampler_refused (Fixture *self, gconstpointer recipe)
{
  const UrbSamplerPlace nowhere = { .device = "cuda:7" };
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 1);
  g_autoptr(UrbSampler) sampler = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = save (self, trainer, "step-0.safetensors");

  sampler = urb_sampler_open (path, &nowhere, &error);
  g_assert_null (sampler);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_NO_DEVICE);
  g_assert_nonnull (strstr (error->message, "“cuda:7”"));
}

/* A checkpoint generates the images that the trainer sampled, and an image does not depend on the
 * number of images requested. */
static void
test_sampler (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 30);
  const UrbSamplerPlace place = { .n_threads = 2 };
  g_autoptr(UrbSampler) sampler = NULL, untrained = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  gsize n = 16 * 16 * 3;
  g_autofree guint8 *a = g_malloc (5 * n), *b = g_malloc (5 * n), *c = g_malloc (5 * n);
  UrbStepMetrics metrics;

  train (trainer, 30, &metrics);
  path = save (self, trainer, "step-30.safetensors");
  g_assert_true (urb_trainer_sample (trainer, 9, 2, 5, a, &error));
  sampler = urb_sampler_open (self->folder, &place, &error); /* finds the newest */
  g_assert_no_error (error);
  g_assert_cmpint (urb_sampler_get_info (sampler)->step, ==, 30);
  g_assert_cmpint (urb_sampler_get_info (sampler)->images, ==, 120);
  g_assert_cmpfloat (urb_sampler_get_info (sampler)->area_size_m, ==, 250);
  g_assert_true (urb_sampler_generate (sampler, 9, 2, 5, b, &error));
  assert_same_images (a, b, 5 * n, g_str_equal (recipe, "dcgan") ? 1 : 0);
  g_assert_true (urb_sampler_generate (sampler, 9, 4, 1, c, &error));
  g_assert_cmpmem (b + 2 * n, n, c, n);
  untrained = urb_sampler_open_untrained (path, &place, &error);
  g_assert_no_error (error);
  g_assert_true (urb_sampler_generate (untrained, 9, 2, 5, c, &error));
  g_assert_cmpint (memcmp (a, c, 5 * n), !=, 0);
}

/* Images of several areas: of one area the sampler's city; of several the same in windows as at once. */
static void
test_wide (Fixture *self, gconstpointer recipe)
{
  enum { EDGE = 16, COLS = 5, ROWS = 4 };
  const UrbSamplerPlace place = { .n_threads = 2 };
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 1);
  g_autoptr(GCancellable) cancelled = g_cancellable_new ();
  g_autoptr(UrbSampler) sampler = NULL;
  g_autoptr(UrbWideSampler) single = NULL, whole = NULL, windows = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  gsize n = EDGE * EDGE * 3;
  g_autofree guint8 *a = g_malloc (n), *b = g_malloc (n);
  g_autofree guint8 *c = g_malloc (COLS * ROWS * n), *d = g_malloc (COLS * ROWS * n);
  UrbStepMetrics metrics;

  train (trainer, 30, &metrics);
  path = save (self, trainer, "step-30.safetensors");
  sampler = urb_sampler_open (path, &place, &error);
  g_assert_no_error (error);
  single = urb_wide_sampler_new (sampler, 1, 1, &error);
  g_assert_no_error (error);
  g_assert_true (urb_sampler_generate (sampler, 9, 2, 1, a, &error));
  g_assert_true (urb_wide_sampler_generate (single, 9, 2, b, NULL, &error));
  assert_same_images (a, b, n, 1);

  whole = urb_wide_sampler_new (sampler, COLS, ROWS, &error);
  windows = urb_wide_sampler_new_in (sampler, COLS, ROWS, 1, &error); /* the smallest possible */
  g_assert_no_error (error);
  g_assert_true (urb_wide_sampler_generate (whole, 9, 2, c, NULL, &error));
  g_assert_true (urb_wide_sampler_generate (windows, 9, 2, d, NULL, &error));
  assert_same_images (c, d, COLS * ROWS * n, 1);
  g_assert_true (urb_wide_sampler_generate (whole, 9, 2, d, NULL, &error));
  g_assert_cmpmem (c, COLS * ROWS * n, d, COLS * ROWS * n);
  g_assert_true (urb_wide_sampler_generate (whole, 9, 3, d, NULL, &error));
  g_assert_cmpint (memcmp (c, d, COLS * ROWS * n), !=, 0);

  g_cancellable_cancel (cancelled);
  g_assert_false (urb_wide_sampler_generate (whole, 9, 2, c, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* A generator is given the shares that are asked for; without a wish, those of training tiles, which the
 * checkpoint carries. */
static void
test_shares (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 1);
  const UrbSamplerPlace place = { .n_threads = 1 };
  UrbShareWish wish = { { 0.3, -1, -1 } };
  g_autoptr(UrbSampler) sampler = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = save (self, trainer, "shares.safetensors"), *warning = NULL;
  const UrbConditions *conditions;
  float a[11], b[11], normal[UK_N_SHARES];

  sampler = urb_sampler_open (path, &place, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_sampler_get_info (sampler)->n_latent, ==, 8);
  g_assert_cmpint (urb_sampler_get_info (sampler)->n_inputs, ==, 11);
  conditions = urb_sampler_get_info (sampler)->conditions;
  g_assert_cmpint (conditions->n_rows, ==, 8); /* training areas */
  /* Of the first tile's 256 pixels in stripes of 62, the first and the fourth are built. */
  g_assert_cmpfloat_with_epsilon (conditions->rows[URB_SHARE_BUILT], 124 / 256.0, 0.01);
  g_assert_cmpfloat_with_epsilon (conditions->rows[URB_SHARE_ROAD], 70 / 256.0, 0.01);
  g_assert_cmpmem (conditions->rows, 8 * UK_N_SHARES * sizeof (float), trainer->conditions->rows,
                   8 * UK_N_SHARES * sizeof (float));
  urb_sampler_get_input (sampler, 9, 2, a);
  g_assert_true (urb_sampler_ask (sampler, &wish, &warning, &error));
  g_assert_nonnull (strstr (warning, "built: 30.0 %"));
  urb_sampler_get_input (sampler, 9, 2, b);
  g_assert_cmpmem (a, 8 * sizeof (float), b, 8 * sizeof (float)); /* the latent vector */
  urb_conditions_normalize (conditions, (float[]) { 0.3f, 0, 0 }, normal);
  g_assert_cmpfloat (b[8], ==, normal[0]);
  wish.share[0] = conditions->mean[0];
  g_clear_pointer (&warning, g_free);
  g_assert_true (urb_sampler_ask (sampler, &wish, &warning, &error));
  g_assert_null (warning);
}

/* Nothing can be asked of a generator without shares; a damaged distribution is refused. */
static void
test_shares_refused (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 1);
  const UrbSamplerPlace place = { .n_threads = 1 };
  UrbShareWish wish = { { -1, 0.1, -1 } }, none = URB_SHARES_AS_IN_DATA;
  g_autofree char *path = save (self, trainer, "plain.safetensors");
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampler) sampler = urb_sampler_open (path, &place, &error);
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (path, NULL);

  g_assert_no_error (error);
  g_assert_true (urb_sampler_ask (sampler, &none, NULL, &error));
  g_assert_false (urb_sampler_ask (sampler, &wish, NULL, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_clear_error (&error);
  g_assert_null (urb_conditions_read (file, path, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT);
}

/* Mean difference between refined cities, reduced, and the same cities before the refiner. */
static double
measure_refiner (UrbTrainer *trainer, const char *checkpoint)
{
  enum { N = 16, SMALL = 8 };
  const UrbSamplerPlace place = { .n_threads = 2 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampler) sampler = urb_sampler_open (checkpoint, &place, &error);
  const UrbSamplerPlace without = { .n_threads = 2, .no_refiner = TRUE };
  g_autoptr(UrbSampler) alone = urb_sampler_open (checkpoint, &without, &error);
  g_autofree guint8 *base = g_malloc (N * SMALL * SMALL * 3);
  g_autofree guint8 *fine = g_malloc (N * 4 * SMALL * SMALL * 3);
  double sum = 0;

  g_assert_no_error (error);
  g_assert_cmpint (urb_sampler_get_info (sampler)->size_px, ==, 2 * SMALL);
  g_assert_cmpint (urb_sampler_get_info (sampler)->base_px, ==, SMALL);
  g_assert_cmpint (urb_sampler_get_info (alone)->size_px, ==, SMALL);
  g_assert_true (urb_trainer_sample (trainer, 9, 0, N, base, &error));
  g_assert_true (urb_sampler_generate (alone, 9, 0, N, fine, &error));
  assert_same_images (base, fine, N * SMALL * SMALL * 3, 1);
  g_assert_true (urb_sampler_generate (sampler, 9, 0, N, fine, &error));
  for (int i = 0; i < N * SMALL; i++)
    for (int k = 0; k < SMALL * 3; k++)
      {
        const guint8 *at = fine + 2 * i * 2 * SMALL * 3 + k / 3 * 2 * 3 + k % 3;
        int mean = (at[0] + at[3] + at[2 * SMALL * 3] + at[2 * SMALL * 3 + 3]) / 4;

        sum += ABS (mean - base[i * SMALL * 3 + k]);
      }
  return sum / (N * SMALL * SMALL * 3);
}

/* The refiner's loss, in units of its own, averaged over the next steps. */
static double
train_refiner (UrbTrainer *trainer, int n_steps)
{
  double sum = 0;

  for (int i = 0; i < n_steps; i++)
    {
      UrbStepMetrics metrics;
      const float *slots;

      train (trainer, 1, &metrics);
      slots = urb_interpreter_get_memory (trainer->interpreter, trainer->program->metrics);
      sum += slots[URB_SLOT_REFINE];
    }
  return sum / n_steps;
}

/* It learns to restore tiles, and draws the generator's cities at twice the resolution. */
static void
test_refiner (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 1000);
  double first = train_refiner (trainer, 10), last, difference;
  g_autofree char *path = NULL;

  train_refiner (trainer, 580);
  last = train_refiner (trainer, 10);
  path = save (self, trainer, "trained.safetensors");
  difference = measure_refiner (trainer, path);
  g_test_message ("loss %.3g, then %.3g; difference %.1f", first, last, difference);
  g_assert_cmpfloat (last, <, 0.6 * first);
  g_assert_cmpfloat (difference, <, 50); /* 85 if the cities had nothing in common */
}

/* The description of a checkpoint as an older version wrote it, which did not know the refiner. */
static void
write_older (const char *checkpoint, const char *path)
{
  const float one = 1;
  const UrbTensor tensor = { .name = "one", .type = URB_TENSOR_F32, .n_dims = 1, .shape = { 1 },
                             .data = &one };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) file = urb_safetensors_open (checkpoint, &error);
  g_auto(UrbCheckpointInfo) info = { 0 };
  g_autoptr(GHashTable) metadata = NULL;
  g_auto(GStrv) parts = NULL;

  g_assert_true (urb_checkpoint_info_read (&info, file, checkpoint, &error));
  metadata = urb_checkpoint_info_to_metadata (&info);
  parts = g_strsplit (g_hash_table_lookup (metadata, "options"), "refine=true\n", 2);
  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  g_hash_table_insert (metadata, "options", g_strjoinv ("", parts));
  urb_safetensors_write (path, &tensor, 1, metadata, &error);
  g_assert_no_error (error);
}

static int
get_sampler_size (const char *checkpoint)
{
  const UrbSamplerPlace place = { .n_threads = 1 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSampler) sampler = urb_sampler_open (checkpoint, &place, &error);

  g_assert_no_error (error);
  return urb_sampler_get_info (sampler)->size_px;
}

/* Checkpoints of older versions have no refiner, nor have runs on a dataset that is too coarse for
 * it; and a run without one does not drop that of its checkpoint. */
static void
test_no_refiner (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 1), other = NULL;
  g_autofree char *path = save (self, trainer, "with.safetensors"), *coarse = NULL;
  g_autofree char *older = g_build_filename (self->folder, "older.safetensors", NULL);
  g_auto(GStrv) parts = g_strsplit (refined_text, "refined-size=16", 2);
  g_autofree char *text = g_strjoinv ("refined-size=32", parts);
  g_autofree char *further = NULL;
  g_autoptr(GError) error = NULL;
  gboolean has_refiner = FALSE;

  g_assert_cmpint (get_sampler_size (path), ==, 16);
  g_assert_true (urb_checkpoint_find_refiner (path, &has_refiner));
  g_assert_true (has_refiner);
  write_older (path, older);
  g_assert_true (urb_checkpoint_find_refiner (older, &has_refiner));
  g_assert_false (has_refiner);
  g_assert_false (urb_checkpoint_find_refiner (self->preset, &has_refiner));

  g_strfreev (g_steal_pointer (&parts));
  parts = g_strsplit (text, "2=tconv image bias head\n[disc", 2);
  further = g_strjoinv ("2=tconv 8 bias lrelu\n3=tconv image bias head\n[disc", parts);
  g_assert_true (g_file_set_contents (self->preset, further, -1, NULL));
  other = open_trainer (self, recipe, "cpu", 1);
  g_assert_false (urb_trainer_get_options (other)->refine);
  coarse = save (self, other, "coarse.safetensors");
  g_assert_cmpint (get_sampler_size (coarse), ==, 8);
  g_assert_false (urb_trainer_restore (other, path, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_CHECKPOINT);
  g_assert_nonnull (strstr (error->message, "refine=true"));
}

/* A dataset that changed during a run is detected. */
static void
test_changed_dataset (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_trainer (self, recipe, "cpu", 5);
  g_autofree char *path = save (self, trainer, "before.safetensors");
  g_autoptr(UrbTrainer) other = NULL;
  g_autoptr(GError) error = NULL;

  write_dataset (self->dataset, 10, 1, SHARP);
  other = open_trainer (self, recipe, "cpu", 5);
  g_assert_false (urb_trainer_restore (other, path, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DATASET);
}

/* Tiles transferred as bits and as bytes give bit-identical steps. */
static void
test_bits (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) bits = open_trainer (self, recipe, "cpu", 10), bytes = NULL;
  UrbStepMetrics of_bits, of_bytes;

  write_dataset (self->dataset, 10, 0, SOFT);
  bytes = open_trainer (self, recipe, "cpu", 10);
  for (int step = 0; step < 10; step++)
    {
      train (bits, 1, &of_bits);
      train (bytes, 1, &of_bytes);
      g_assert_cmpmem (of_bits.values, sizeof of_bits.values, of_bytes.values,
                       sizeof of_bytes.values);
    }
}

/* One step of the fast backend and of the reference have the same metrics. */
static void
test_reference (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) fast = open_trainer (self, recipe, "cpu", 10);
  g_autoptr(UrbTrainer) exact = open_trainer (self, recipe, "reference", 10);
  UrbStepMetrics a, b;

  for (int step = 0; step < 3; step++)
    {
      train (fast, 1, &a);
      train (exact, 1, &b);
      for (int i = 0; i < URB_N_METRICS; i++)
        g_assert_cmpfloat (fabs (a.values[i] - b.values[i]), <=, 1e-3 * (0.1 + fabs (b.values[i])));
    }
}

/* ------------------------------------------------------------------------ */

static void
test_diverged (Fixture *self, gconstpointer recipe)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics;

  urb_train_options_init (&options);
  g_free (options.preset);
  options.preset = g_strdup (self->preset);
  options.dataset = g_strdup (self->dataset);
  options.gamma = 1e30;
  options.lr_d = options.lr_g = 1;
  options.n_warmup = 0;
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 50 && error == NULL; i++)
    urb_trainer_step (trainer, &metrics, &error);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_assert_nonnull (strstr (error->message, "Non-finite values in step 1, first in the "
                                            "square of the gradient of d."));
}

/* A trainer after one step; all weights of G are set to @value. */
static UrbTrainer *
open_spoilt (Fixture *self, float value)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  UrbTrainer *trainer;
  UrbStepMetrics metrics;
  float *weights;

  urb_train_options_init (&options);
  g_free (options.preset);
  options.preset = g_strdup (self->preset);
  options.dataset = g_strdup (self->dataset);
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (urb_trainer_step (trainer, &metrics, &error));
  g_assert_no_error (error);
  weights = urb_interpreter_get_memory (trainer->interpreter, trainer->program->g.params);
  for (gint64 i = 0; i < trainer->nets.g->n_params; i++)
    weights[i] = value;
  g_assert_true (urb_interpreter_run_prologue (trainer->interpreter, &error));
  return trainer;
}

static void
assert_diverges (UrbTrainer *trainer, const char *says)
{
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics;

  g_assert_false (urb_trainer_step (trainer, &metrics, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  if (strstr (error->message, says) == NULL)
    g_error ("“%s” does not say “%s”", error->message, says);
}

/* Finite weights whose activations overflow. */
static void
test_overflow (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_spoilt (self, 1e30f);

  assert_diverges (trainer, "Non-finite values in step 2, first in the output y of "
                            "“g.1 conv” in forward (");
}

/* They overwrite no checkpoint, and cost one more step. */
static void
test_spoilt_weights (Fixture *self, gconstpointer data)
{
  g_autoptr(UrbTrainer) trainer = open_spoilt (self, NAN);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename (self->folder, "good.safetensors", NULL);
  g_autofree char *after = NULL;

  g_assert_true (g_file_set_contents (path, "good", -1, &error));
  g_assert_false (urb_trainer_save (trainer, path, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_assert_nonnull (strstr (error->message, "No checkpoint of step 1 was saved, since it is not finite: "
                                            "first the parameter g.0.weight ("));
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_cmpstr (after, ==, "good");
  assert_diverges (trainer, "Non-finite values in step 2, first in the parameter "
                            "g.0.weight (");
}

typedef struct
{
  const char *name;
  void      (*spoil) (UrbTrainOptions *options);
  int         code; /* UrbTrainError */
} Refused;

static void spoil_recipe (UrbTrainOptions *o) { g_free (o->recipe); o->recipe = g_strdup ("soup"); }
static void spoil_backend (UrbTrainOptions *o) { g_free (o->backend); o->backend = g_strdup ("tpu"); }
static void spoil_batch (UrbTrainOptions *o) { o->batch = 5; o->accumulate = 2; }
static void spoil_steps (UrbTrainOptions *o) { o->n_steps = -1; }
static void spoil_lr (UrbTrainOptions *o) { o->lr_g = NAN; }
static void spoil_channels (UrbTrainOptions *o) { o->n_channels = 1; }
static void spoil_size (UrbTrainOptions *o) { g_free (o->preset); o->preset = g_strdup ("tiny"); }
static void spoil_nccl (UrbTrainOptions *o) { g_free (o->communicator); o->communicator = g_strdup ("nccl"); }
static void spoil_memory (UrbTrainOptions *o) { o->batch = 65536; o->accumulate = 1; o->n_threads = 2; }

static const Refused refused[] = {
  { "recipe", spoil_recipe, URB_TRAIN_ERROR_OPTIONS },
  { "backend", spoil_backend, URB_TRAIN_ERROR_OPTIONS },
  { "batch", spoil_batch, URB_TRAIN_ERROR_OPTIONS },
  { "steps", spoil_steps, URB_TRAIN_ERROR_OPTIONS },
  { "lr", spoil_lr, URB_TRAIN_ERROR_OPTIONS },
  { "channels", spoil_channels, URB_TRAIN_ERROR_OPTIONS },
  { "size", spoil_size, URB_TRAIN_ERROR_DATASET },
  { "communicator of GPUs", spoil_nccl, URB_TRAIN_ERROR_OPTIONS },
  { "memory", spoil_memory, URB_TRAIN_ERROR_MEMORY },
};

static void
test_refused (Fixture *self, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_autoptr(UrbTrainer) trainer = NULL;
      g_autoptr(GError) error = NULL;
      g_autofree char *wide = NULL;

      urb_train_options_init (&options);
      g_free (options.preset);
      options.preset = g_strdup (self->preset);
      options.dataset = g_strdup (self->dataset);
      refused[i].spoil (&options);
      if (refused[i].code == URB_TRAIN_ERROR_MEMORY)
        {
          /* 65536 images with 8192 channels: hundreds of gigabytes. */
          wide = g_build_filename (self->folder, "wide.preset", NULL);
          g_assert_true (g_file_set_contents (
            wide, "[preset]\nimage-size=16\nlatent=8\nbatch=4\nsteps=100\n[generator]\n1=dense 8192 8 bias\n"
                  "2=conv3 8192 bias\n3=conv3 8192 bias\n4=tconv image bias head\n"
                  "[discriminator]\n1=conv4 8 bias\n2=logit\n", -1, NULL));
          g_free (options.preset);
          options.preset = g_strdup (wide);
        }
      trainer = urb_trainer_new (&options, NULL, &error);
      g_test_message ("%s: %s", refused[i].name, error != NULL ? error->message : "no error");
      g_assert_null (trainer);
      g_assert_error (error, URB_TRAIN_ERROR, refused[i].code);
    }
}

/* ------------------------------------------------------------------------ */

/* Each step of the discriminator has the next images of the run. */
static void
test_d_steps (Fixture *self, gconstpointer recipe)
{
  const UrbShard shard = URB_SHARD_ALL (4);
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autoptr(UrbLoader) loader = NULL;
  gsize n_bytes;

  fill_options (self, &options, recipe, "cpu", 9);
  options.n_d_steps = 3;
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  n_bytes = (gsize) urb_tile_format_get_bytes (&trainer->tiles) * 4;
  loader = urb_loader_new (urb_dataset_open (self->dataset, NULL), options.seed, &shard, &trainer->tiles, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 4; i++)
    {
      const guint8 *tiles = urb_interpreter_get_memory (trainer->interpreter, trainer->program->tiles);
      UrbStepMetrics metrics;

      train (trainer, 1, &metrics);
      g_assert_cmpint (metrics.images, ==, 12 * (i + 1));
      for (int k = 0; k < 3; k++)
        {
          const guint8 *expected = urb_loader_get (loader, 3 * i + k, &error);

          g_assert_cmpmem (tiles + (gsize) k * n_bytes, n_bytes, expected, n_bytes);
        }
    }
}

/* Where one update of each network per step is part of how ranks divide the work. */
static void
test_d_steps_refused (Fixture *self, gconstpointer recipe)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;

  fill_options (self, &options, recipe, "cpu", 9);
  options.n_d_steps = 2;
  options.strategy = URB_STRATEGY_ZERO2;
  options.n_ranks = 2;
  g_assert_false (urb_train_options_check (&options, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "The strategy zero2 makes one step of the discriminator"));
  g_assert_nonnull (strstr (error->message, "set d-steps to 1"));
  g_clear_error (&error);
  options.strategy = URB_STRATEGY_DDP;
  options.offload = g_strdup (self->folder);
  g_assert_false (urb_train_options_check (&options, &error));
  g_assert_nonnull (strstr (error->message, "leave out offload"));
}

/* A discriminator that sees the same images in each step, and no generator that learns, knows them by heart. */
static void
test_overfit (Fixture *self, gconstpointer recipe)
{
  enum { N_STEPS = 60 };
  double losses[2][N_STEPS], jumps[2] = { 0 };

  for (int overfit = 0; overfit < 2; overfit++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbTrainer) trainer = NULL;
      const guint8 *tiles;
      g_autofree guint8 *first = NULL;
      gsize n_bytes;

      fill_options (self, &options, recipe, "cpu", N_STEPS);
      options.overfit = overfit;
      options.lr_g = 1e-12;
      options.lr_d = 1e-3;
      options.gamma = 0;
      options.n_warmup = 0;
      trainer = urb_trainer_new (&options, NULL, &error);
      g_assert_no_error (error);
      tiles = urb_interpreter_get_memory (trainer->interpreter, trainer->program->tiles);
      n_bytes = (gsize) urb_program_get_buffer (trainer->program, trainer->program->tiles)->count;
      for (int i = 0; i < N_STEPS; i++)
        {
          UrbStepMetrics metrics;

          train (trainer, 1, &metrics);
          losses[overfit][i] = metrics.values[URB_METRIC_LOSS_D];
          if (i == 0)
            first = g_memdup2 (tiles, n_bytes);
          else
            {
              if (overfit || i == 1)
                g_assert_cmpint (memcmp (tiles, first, n_bytes) == 0, ==, overfit);
              jumps[overfit] += MAX (losses[overfit][i] - losses[overfit][i - 1], 0);
            }
        }
    }
  g_test_message ("%g %g, up %g; %g %g, up %g", losses[0][0], losses[0][N_STEPS - 1], jumps[0], losses[1][0],
                  losses[1][N_STEPS - 1], jumps[1]);
  g_assert_cmpfloat (losses[1][N_STEPS - 1], <, 0.05 * losses[1][0]);
  g_assert_cmpfloat (jumps[0], >, 0.1); /* from batch to batch */
  g_assert_cmpfloat (jumps[1], <, 1e-3);
}

/* Adam divides by the root of the second moment plus epsilon: if gradients are small, a large
 * epsilon makes the steps far smaller. */
static void
test_adam_epsilon (Fixture *self, gconstpointer recipe)
{
  float moved[2];

  for (int i = 0; i < 2; i++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_autoptr(UrbTrainer) trainer = NULL;
      g_autoptr(GError) error = NULL;
      UrbStepMetrics metrics;
      const float *weights;
      g_autofree float *before = NULL;

      urb_train_options_init (&options);
      g_assert_cmpfloat (options.adam_epsilon, ==, 1e-8);
      g_free (options.preset);
      options.preset = g_strdup (self->preset);
      options.dataset = g_strdup (self->dataset);
      options.adam_epsilon = i == 0 ? 1e-8 : 0.1;
      trainer = urb_trainer_new (&options, NULL, &error);
      g_assert_no_error (error);
      weights = urb_interpreter_get_memory (trainer->interpreter, trainer->program->g.params);
      before = g_memdup2 (weights, (gsize) trainer->nets.g->n_params * sizeof *weights);
      g_assert_true (urb_trainer_step (trainer, &metrics, &error));
      moved[i] = 0;
      for (gint64 k = 0; k < trainer->nets.g->n_params; k++)
        moved[i] = MAX (moved[i], ABS (weights[k] - before[k]));
    }
  g_assert_cmpfloat (moved[0], >, 0);
  g_assert_cmpfloat (moved[1], >, 0);
  g_assert_cmpfloat (moved[1], <, 0.5f * moved[0]);
}

/* A trainer's state after its first step. */
typedef struct
{
  UrbStepMetrics metrics;
  double *before[2], *params[2], *moments[2]; /* of G, of D: owned */
  gint64  n[2];
} FirstStep;

static double *
download (UrbTrainer *trainer, int buffer, gint64 n)
{
  g_autofree float *values = g_new (float, n);
  double *result = g_new (double, n);

  g_assert_cmpint (trainer->backend->table->download (trainer->backend, UK_REAL, values,
                                                      urb_interpreter_get_memory (trainer->interpreter, buffer), n),
                   ==, UK_OK);
  for (gint64 i = 0; i < n; i++)
    result[i] = values[i];
  return result;
}

static void
first_step_init (FirstStep *self, const UrbTrainOptions *options)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbTrainer) trainer = urb_trainer_new (options, NULL, &error);
  const UrbProgramNet *slots[2];

  g_assert_no_error (error);
  slots[0] = &trainer->program->g;
  slots[1] = &trainer->program->d;
  for (int i = 0; i < 2; i++)
    {
      self->n[i] = slots[i]->net->n_params;
      self->before[i] = download (trainer, slots[i]->params, self->n[i]);
    }
  train (trainer, 1, &self->metrics);
  for (int i = 0; i < 2; i++)
    {
      self->params[i] = download (trainer, slots[i]->params, self->n[i]);
      self->moments[i] = download (trainer, slots[i]->moment2, self->n[i]);
    }
}

static void
first_step_clear (FirstStep *self)
{
  for (int i = 0; i < 2; i++)
    {
      g_free (self->before[i]);
      g_free (self->params[i]);
      g_free (self->moments[i]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FirstStep, first_step_clear)

/* The norm of a network's second moments. */
static double
norm_of_moments (const FirstStep *step, int net)
{
  double sum = 0;

  for (gint64 i = 0; i < step->n[net]; i++)
    sum += step->moments[net][i] * step->moments[net][i];
  return sqrt (sum);
}

/* Of each network by itself, on the processor as in double precision: a gradient that is clipped to a quarter
 * leaves a sixteenth of the second moments. */
static void
test_clip_norms (Fixture *self, gconstpointer backend)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(FirstStep) plain = { 0 };

  fill_options (self, &options, "r3", backend, 9);
  first_step_init (&plain, &options);
  for (int net = 0; net < 2; net++)
    {
      g_auto(FirstStep) clipped = { 0 };
      int metric = net == 0 ? URB_METRIC_GRAD_NORM_G : URB_METRIC_GRAD_NORM_D;

      options.clip_norm_g = net == 0 ? plain.metrics.values[metric] / 4 : 0;
      options.clip_norm_d = net == 1 ? plain.metrics.values[metric] / 4 : -1; /* as both */
      options.clip_norm = 0;
      first_step_init (&clipped, &options);
      g_assert_cmpfloat_with_epsilon (norm_of_moments (&clipped, net) / norm_of_moments (&plain, net), 1 / 16.0, 1e-5);
      g_assert_cmpfloat_with_epsilon (norm_of_moments (&clipped, 1 - net) / norm_of_moments (&plain, 1 - net), 1, 1e-2);
      g_assert_cmpfloat_with_epsilon (clipped.metrics.values[metric], plain.metrics.values[metric], 1e-6);
    }
}

/* Beside the same step, a weight loses its share of itself, in one network at a time. */
static void
test_weight_decay (Fixture *self, gconstpointer backend)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(FirstStep) plain = { 0 };

  fill_options (self, &options, "dcgan", backend, 9);
  first_step_init (&plain, &options);
  for (int net = 0; net < 2; net++)
    {
      g_auto(FirstStep) decayed = { 0 };
      double lr = plain.metrics.values[net == 0 ? URB_METRIC_LR_G : URB_METRIC_LR_D], sum = 0;

      options.weight_decay_g = net == 0 ? 300 : 0;
      options.weight_decay_d = net == 1 ? 300 : 0;
      first_step_init (&decayed, &options);
      for (gint64 i = 0; i < plain.n[net]; i++)
        {
          double lost = lr * 300 * plain.before[net][i];

          g_assert_cmpfloat_with_epsilon (plain.params[net][i] - decayed.params[net][i], lost, 1e-7);
          sum += fabs (lost);
        }
      g_assert_cmpfloat (sum, >, 0.01);
      if (net == 0) /* D is trained first */
        g_assert_cmpmem (plain.params[1], (gsize) plain.n[1] * sizeof (double), decayed.params[1],
                         (gsize) decayed.n[1] * sizeof (double));
    }
}

/* Trains a step.  Returns: whether the average is @beta of its former self, and otherwise the new weights */
static gboolean
averages (UrbTrainer *trainer, double beta)
{
  const UrbProgramNet *slot = &trainer->program->g;
  gint64 n = slot->net->n_params;
  g_autofree double *before = download (trainer, slot->ema, n), *after = NULL, *params = NULL;
  double off = 0;
  UrbStepMetrics metrics;

  train (trainer, 1, &metrics);
  after = download (trainer, slot->ema, n);
  params = download (trainer, slot->params, n);
  for (gint64 i = 0; i < n; i++)
    off = MAX (off, fabs (beta * before[i] + (1 - beta) * params[i] - after[i]));
  return off < 1e-6;
}

/* Each setting of the average reaches a step, on the processor as in double precision. */
static void
test_averages (Fixture *self, gconstpointer backend)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbTrainer) usual = NULL, flat = NULL, equal = NULL;
  g_autoptr(GError) error = NULL;

  fill_options (self, &options, "r3", backend, 9);
  options.lr_g = options.lr_d = 0.01; /* far from rounding */
  options.n_warmup = 0;
  options.ema_kimg = 1;
  usual = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (averages (usual, pow (0.5, 1 / 0.05)));
  g_assert_true (averages (usual, pow (0.5, 1 / 0.1)));
  options.ema_ramp = 0;
  flat = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (averages (flat, pow (0.5, 4 / 1000.0)));
  options.ema_ramp = 0.05;
  options.averaging = URB_AVERAGING_EQUAL;
  options.average_from = 2;
  equal = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  for (int step = 0; step < 6; step++)
    g_assert_true (averages (equal, step < 3 ? 0 : (step - 2) / (step - 1.0)));
}

/* The cross entropy of a label 1 - s is that of 1, and s times the logit. */
static void
test_label_smoothing (Fixture *self, gconstpointer backend)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_auto(FirstStep) hard = { 0 }, smooth = { 0 };
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autoptr(GError) error = NULL;

  fill_options (self, &options, "dcgan", backend, 9);
  first_step_init (&hard, &options);
  options.label_smoothing = 0.25;
  first_step_init (&smooth, &options);
  g_assert_cmpfloat (fabs (hard.metrics.values[URB_METRIC_LOGIT_REAL]), >, 1e-4);
  g_assert_cmpfloat_with_epsilon (smooth.metrics.values[URB_METRIC_LOSS_D],
                                  hard.metrics.values[URB_METRIC_LOSS_D]
                                    + 0.25 * hard.metrics.values[URB_METRIC_LOGIT_REAL], 1e-6);
  g_assert_cmpfloat (smooth.metrics.values[URB_METRIC_GRAD_NORM_D], !=, hard.metrics.values[URB_METRIC_GRAD_NORM_D]);
  g_free (options.recipe);
  options.recipe = g_strdup ("r3");
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_null (trainer);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "leave out label-smoothing"));
}

/* @scale: of both losses at first */
static UrbTrainer *
open_scaled (const Fixture *self, const char *recipe, double scale)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  UrbTrainer *trainer;

  fill_options (self, &options, recipe, "cpu", 40);
  options.loss_scale = scale;
  options.loss_scale_steps = 5;
  options.schedule_steps = 1000000000000; /* as good as constant */
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  return trainer;
}

static float *
dup_params (UrbTrainer *trainer, const UrbProgramNet *slot)
{
  return g_memdup2 (urb_interpreter_get_memory (trainer->interpreter, slot->params),
                    (gsize) slot->net->n_params * sizeof (float));
}

/* Updates of a network whose scaled gradient overflows are skipped, and its scale is halved; the first one that is not
 * has the bits of the first update without scaling, since Adam's correction does not count the others.  Later the
 * scale doubles. */
static void
test_loss_scale (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) scaled = open_scaled (self, recipe, 65536), plain = open_scaled (self, recipe, 1);
  gsize n_bytes = (gsize) scaled->nets.d->n_params * sizeof (float);
  g_autofree float *before = dup_params (scaled, &scaled->program->d), *after = NULL, *expected = NULL;
  double scale = ldexp (1, 90);
  UrbStepMetrics metrics;
  int n_clean = 0;

  scaled->loss_scale_d.scale = scale;
  /* G stands still, and all steps have one batch. */
  urb_trainer_try_rates (scaled, 0, 1e-3);
  urb_trainer_try_rates (plain, 0, 1e-3);
  train (plain, 1, &metrics);
  g_assert_cmpfloat (metrics.loss_scale_d, ==, 1);
  g_assert_false (metrics.overflow_d || metrics.overflow_g);
  expected = dup_params (plain, &plain->program->d);
  for (train (scaled, 1, &metrics); metrics.overflow_d; train (scaled, 1, &metrics))
    {
      scale /= 2;
      g_assert_cmpfloat (metrics.loss_scale_d, ==, scale);
      g_assert_true (isnan (metrics.values[URB_METRIC_GRAD_NORM_D]));
      g_assert_false (metrics.overflow_g);
      g_assert_cmpmem (urb_interpreter_get_memory (scaled->interpreter, scaled->program->d.params), n_bytes, before,
                       n_bytes);
      g_assert_cmpint (urb_trainer_get_step (scaled), <, 35);
    }
  g_assert_cmpint (urb_trainer_get_step (scaled), >, 2);
  after = dup_params (scaled, &scaled->program->d);
  g_assert_cmpmem (after, n_bytes, expected, n_bytes);
  while (++n_clean < 5)
    {
      g_assert_cmpfloat (metrics.loss_scale_d, ==, scale);
      train (scaled, 1, &metrics);
      g_assert_false (metrics.overflow_d);
    }
  g_assert_cmpfloat (metrics.loss_scale_d, ==, 2 * scale);
  g_assert_cmpfloat (metrics.loss_scale_g, ==, ldexp (65536, (int) (urb_trainer_get_step (scaled) / 5)));
}

/* A run that goes on from a checkpoint has the scales, and what Adam's correction does not count. */
static void
test_loss_scale_resumes (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) first = open_scaled (self, recipe, 65536), second = open_scaled (self, recipe, 65536);
  g_autoptr(UrbTrainer) unscaled = open_scaled (self, recipe, 1);
  g_autofree char *middle = NULL, *straight = NULL, *resumed = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics a, b;

  first->loss_scale_d.scale = ldexp (1, 90);
  train (first, 7, &a);
  g_assert_true (a.overflow_d);
  middle = save (self, first, "middle.safetensors");
  urb_trainer_restore (second, middle, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 33; i++)
    {
      train (first, 1, &a);
      train (second, 1, &b);
      a.seconds = b.seconds = 0;
      g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
    }
  g_assert_cmpfloat (a.loss_scale_g, ==, ldexp (65536, 40 / 5));
  straight = save (self, first, "straight.safetensors");
  resumed = save (self, second, "resumed.safetensors");
  assert_same_file (straight, resumed);
  /* A run without scaling may go on with it, and the other way round. */
  urb_trainer_restore (unscaled, middle, &error);
  g_assert_no_error (error);
  train (unscaled, 1, &b);
  g_assert_cmpfloat (b.loss_scale_d, ==, 1);
}

/* Multiplies the weights of the first layer of @net. */
static void
spoil_weights (UrbTrainer *trainer, const UrbProgramNet *slot, float factor)
{
  float *weights = urb_interpreter_get_memory (trainer->interpreter, slot->params);

  for (gint64 i = 0; i < urb_net_get_param (slot->net, 0)->count; i++)
    weights[i] *= factor;
  g_assert_true (urb_interpreter_run_prologue (trainer->interpreter, NULL));
}

/* A gradient that overflows at the lowest scale, too, ends the training; values that overflow before there is a
 * gradient end it at any scale. */
static void
test_loss_scale_floor (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) steep = open_scaled (self, recipe, 4), huge = open_scaled (self, recipe, 65536);
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics;

  spoil_weights (steep, &steep->program->d, 1e22f);
  for (double scale = 2; scale >= 1; scale /= 2)
    {
      train (steep, 1, &metrics);
      g_assert_true (metrics.overflow_d && isnan (metrics.values[URB_METRIC_GRAD_NORM_D]));
      g_assert_false (isnan (metrics.values[URB_METRIC_LOSS_G]));
      g_assert_cmpfloat (metrics.loss_scale_d, ==, scale);
    }
  g_assert_false (urb_trainer_step (steep, &metrics, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_clear_error (&error);

  spoil_weights (huge, &huge->program->d, 1e36f);
  spoil_weights (huge, &huge->program->d, 1e3f);
  g_assert_false (urb_trainer_step (huge, &metrics, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
}

/* On a GPU. */
static UrbTrainer *
open_gpu (const Fixture *self, const char *recipe, UkPrecision precision)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  UrbTrainer *trainer;

  fill_options (self, &options, recipe, "cuda", 20);
  options.precision = precision;
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_no_error (error);
  return trainer;
}

/* In fp16 losses are scaled by themselves, and a run learns as in fp32, but for the rounding of values. */
static void
test_fp16 (Fixture *self, gconstpointer recipe)
{
  static const int losses[] = { URB_METRIC_LOSS_D, URB_METRIC_LOSS_G };
  g_autoptr(UrbTrainer) half = open_gpu (self, recipe, UK_FP16), exact = open_gpu (self, recipe, UK_FP32);
  gboolean differs = FALSE;

  g_assert_cmpfloat (half->loss_scale_d.scale, ==, 65536);
  g_assert_cmpfloat (half->loss_scale_g.scale, ==, 65536);
  g_assert_cmpfloat (exact->loss_scale_d.scale, ==, 1);
  half->loss_scale_d.scale = half->loss_scale_g.scale = 1024; /* no update of this small batch is skipped */
  for (int step = 0; step < 10; step++)
    {
      UrbStepMetrics a, b;

      urb_trainer_allow_ahead (half, TRUE);
      train (half, 1, &a);
      g_assert_false (urb_trainer_is_ahead (half)); /* the next step's scale depends on this one */
      train (exact, 1, &b);
      g_assert_false (a.overflow_d || a.overflow_g);
      for (gsize i = 0; i < G_N_ELEMENTS (losses); i++)
        {
          double of_half = a.values[losses[i]], of_exact = b.values[losses[i]];

          g_test_message ("step %d: %g, in fp32 %g", step, of_half, of_exact);
          g_assert_cmpfloat_with_epsilon (of_half, of_exact, 0.01 * (1 + fabs (of_exact)));
          differs = differs || of_half != of_exact;
        }
    }
  g_assert_true (differs); /* so it was computed in fp16 */
}

/* A scale that is too large for fp16 is halved, without an update, until the gradients fit.  A run that goes on from a
 * checkpoint in between does the same. */
static void
test_fp16_overflows (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) first = open_gpu (self, recipe, UK_FP16), second = open_gpu (self, recipe, UK_FP16);
  gint64 n_params = first->nets.d->n_params;
  gsize n_bytes = (gsize) n_params * sizeof (double);
  g_autofree double *before = download (first, first->program->d.params, n_params), *after = NULL;
  g_autofree char *middle = NULL, *straight = NULL, *resumed = NULL;
  g_autoptr(GError) error = NULL;
  double scale = ldexp (1, 24);
  UrbStepMetrics a, b;

  first->loss_scale_d.scale = scale;
  first->loss_scale_g.scale = 1024;
  for (int step = 0; step < 3; step++)
    {
      train (first, 1, &a);
      scale /= 2;
      g_assert_true (a.overflow_d && !a.overflow_g);
      g_assert_cmpfloat (a.loss_scale_d, ==, scale);
    }
  after = download (first, first->program->d.params, n_params);
  g_assert_cmpmem (before, n_bytes, after, n_bytes);
  middle = save (self, first, "middle.safetensors");
  urb_trainer_restore (second, middle, &error);
  g_assert_no_error (error);
  for (int step = 3; step < 20; step++)
    {
      train (first, 1, &a);
      train (second, 1, &b);
      a.seconds = b.seconds = 0;
      g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
    }
  g_assert_false (a.overflow_d);
  straight = save (self, first, "straight.safetensors");
  resumed = save (self, second, "resumed.safetensors");
  assert_same_file (straight, resumed);
}

/* What a trainer asks of its device: "r" replays a step, "0" and "1" wait for one, "s" waits for everything. */
static const UkBackendTable *real_table;
static GString *calls;

static UkStatus
hear_replay (UkRecording *recording)
{
  g_string_append_c (calls, 'r');
  return real_table->replay (recording);
}

static UkStatus
hear_wait (UkBackend *backend, int mark)
{
  g_string_append_c (calls, (char) ('0' + mark));
  return real_table->wait_for (backend, mark);
}

static UkStatus
hear_sync (UkBackend *backend)
{
  g_string_append_c (calls, 's');
  return real_table->sync (backend);
}

/* A step, which may begin the next one. */
static void
step_ahead (UrbTrainer *trainer, gboolean allowed, UrbStepMetrics *metrics)
{
  urb_trainer_allow_ahead (trainer, allowed);
  train (trainer, 1, metrics);
  g_string_append_c (calls, ' ');
}

/* From its second step on, which is recorded, a device is given each step before the host waits for the one before;
 * and the results are the same, in order, as they are after a checkpoint, before which no step begins. */
static void
test_ahead (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) plain = open_gpu (self, recipe, UK_FP32), ahead = open_gpu (self, recipe, UK_FP32);
  g_autoptr(UrbTrainer) resumed = open_gpu (self, recipe, UK_FP32);
  g_autofree char *middle = NULL, *a = NULL, *b = NULL, *c = NULL;
  g_autoptr(GError) error = NULL;
  UkBackendTable heard = *ahead->backend->table;

  real_table = ahead->backend->table;
  calls = g_string_new (NULL);
  heard.replay = hear_replay;
  heard.wait_for = hear_wait;
  heard.sync = hear_sync;
  ahead->backend->table = &heard;
  for (int step = 1; step <= 20; step++)
    {
      UrbStepMetrics x, y;

      train (plain, 1, &x);
      step_ahead (ahead, step != 8, &y);
      g_assert_cmpint (y.step, ==, step);
      x.seconds = y.seconds = 0;
      g_assert_cmpmem (&x, sizeof x, &y, sizeof y);
      g_assert_cmpint (urb_trainer_is_ahead (ahead), ==, step != 1 && step != 8 && step != 20);
      if (step == 8)
        {
          g_assert_cmpstr (calls->str, ==, "0 rr1 r0 r1 r0 r1 r0 1 ");
          middle = save (self, ahead, "middle.safetensors");
          g_string_truncate (calls, 0);
        }
    }
  g_assert_cmpstr (calls->str, ==, "rr0 r1 r0 r1 r0 r1 r0 r1 r0 r1 r0 1 ");
  ahead->backend->table = real_table;
  urb_trainer_restore (resumed, middle, &error);
  g_assert_no_error (error);
  for (int step = 9; step <= 20; step++)
    {
      UrbStepMetrics metrics;

      step_ahead (resumed, TRUE, &metrics);
    }
  a = save (self, plain, "plain.safetensors");
  b = save (self, ahead, "ahead.safetensors");
  c = save (self, resumed, "resumed.safetensors");
  assert_same_file (a, b);
  assert_same_file (a, c);
  g_string_free (calls, TRUE);
}

/* The step that fails is named, not the one that had begun; and a checkpoint can be restored. */
static void
test_ahead_diverges (Fixture *self, gconstpointer recipe)
{
  g_autoptr(UrbTrainer) trainer = open_gpu (self, recipe, UK_FP32);
  const UkBackendTable *table = trainer->backend->table;
  gint64 n_params = trainer->nets.g->n_params;
  g_autofree float *weights = g_new (float, n_params);
  g_autofree char *path = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics first, again;

  calls = g_string_new (NULL);
  for (int step = 1; step <= 4; step++)
    step_ahead (trainer, step < 4, &first);
  path = save (self, trainer, "before.safetensors");
  step_ahead (trainer, FALSE, &first);
  for (gint64 i = 0; i < n_params; i++)
    weights[i] = 1e30f;
  table->upload (trainer->backend, UK_REAL,
                 urb_interpreter_get_memory (trainer->interpreter, trainer->program->g.params), weights, n_params);
  g_assert_true (urb_interpreter_run_prologue (trainer->interpreter, NULL));
  urb_trainer_allow_ahead (trainer, TRUE);
  assert_diverges (trainer, "Non-finite values in step 6, first in the output y of “g.1 conv” in forward (");
  g_assert_false (urb_trainer_is_ahead (trainer));
  urb_trainer_restore (trainer, path, &error);
  g_assert_no_error (error);
  step_ahead (trainer, TRUE, &again);
  first.seconds = again.seconds = 0;
  g_assert_cmpmem (&first, sizeof first, &again, sizeof again);
  g_string_free (calls, TRUE);
}

/* A processor has no fp16. */
static void
test_fp16_refused (Fixture *self, gconstpointer recipe)
{
  static const char *const backends[] = { "cpu", "reference" };

  for (gsize i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_autoptr(UrbTrainer) trainer = NULL;
      g_autoptr(GError) error = NULL;

      fill_options (self, &options, recipe, backends[i], 9);
      options.precision = UK_FP16;
      trainer = urb_trainer_new (&options, NULL, &error);
      g_assert_null (trainer);
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE);
      g_assert_nonnull (strstr (error->message, "with precision fp16 cannot be opened"));
      g_assert_nonnull (strstr (error->message, "choose --precision fp32"));
    }
}

static void
test_loss_scale_refused (Fixture *self, gconstpointer recipe)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autoptr(GError) error = NULL;

  fill_options (self, &options, recipe, "cpu", 9);
  options.loss_scale = 1000;
  trainer = urb_trainer_new (&options, NULL, &error);
  g_assert_null (trainer);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "set loss-scale to 1024"));
}

/* What a checkpoint says is not trusted. */
static void
test_loss_scale_text (void)
{
  static const char *const wrong[] = { "", "2", "3 0 1 1", "-2 0 1 1", "2 -1 1 1", "2 0 0 1", "2 0 1 1.5", "2 0 nan 1",
                                       "2 0 1 1 1", "inf 0 1 1", "0 0 1 1" };
  const UrbLossScale scale = { ldexp (1, 20), 1999, 0.1 + 0.2, 1e-300 };
  g_autofree char *text = urb_loss_scale_to_text (&scale);
  UrbLossScale read = { 0 };

  g_assert_true (urb_loss_scale_from_text (&read, text));
  g_assert_cmpmem (&read, sizeof read, &scale, sizeof scale);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_false (urb_loss_scale_from_text (&read, wrong[i]));
  g_assert_cmpmem (&read, sizeof read, &scale, sizeof scale);
}

/* A loss that falls around the rate 1e-3, and explodes from 0.5 on. */
static void
test_rate_curve (void)
{
  g_auto(UrbRateCurve) curve = { 0 };
  gboolean goes_on = TRUE;

  urb_rate_curve_init (&curve);
  for (int i = 0; i < 600 && goes_on; i++)
    {
      double rate = 1e-6 * pow (1e6, i / 599.0);

      goes_on = urb_rate_curve_add (&curve, rate, 2 - tanh (log (rate / 1e-3)) + (rate > 0.5 ? 1e3 * rate : 0));
    }
  urb_rate_curve_finish (&curve);
  g_test_message ("%g %g %g", curve.steepest, curve.lowest, curve.explodes);
  g_assert_false (goes_on);
  g_assert_cmpfloat_with_epsilon (log (curve.steepest / 1e-3), 0, log (1.5)); /* the mean is late */
  g_assert_cmpfloat (curve.lowest, >, 0.1);
  g_assert_cmpfloat (curve.lowest, <, 0.5);
  g_assert_cmpfloat (curve.proposed, <=, curve.steepest + 5e-5); /* rounded, and below a tenth of the lowest */
  g_assert_cmpfloat (curve.proposed, >, 5e-4);
  g_assert_cmpfloat_with_epsilon (curve.explodes, 0.51, 0.02);
  g_assert_false (curve.is_open);

  /* One that never falls, and one that ends at once. */
  g_array_set_size (curve.points, 0);
  curve.explodes = NAN;
  for (int i = 0; i < 20; i++)
    g_assert_true (urb_rate_curve_add (&curve, 1e-6 * (i + 1), 1 + 0.01 * i));
  urb_rate_curve_finish (&curve);
  g_assert_true (isnan (curve.steepest));
  g_assert_true (isnan (curve.proposed));
  g_assert_false (urb_rate_curve_add (&curve, 1, NAN));
  g_assert_cmpfloat (curve.explodes, ==, 1);
}

/* Each network has a rate at which its loss falls, with the other one as it is. */
static void
test_find_rates (Fixture *self, gconstpointer recipe)
{
  g_auto(UrbTrainOptions) options = { 0 };
  UrbRateCurve curves[URB_RATES_N_NETS];
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autofree double *before = NULL, *after = NULL;
  UrbStepMetrics metrics;

  fill_options (self, &options, recipe, "cpu", 9);
  options.lr_g = options.lr_d = 1e-3;
  for (int net = 0; net < URB_RATES_N_NETS; net++)
    urb_rate_curve_init (&curves[net]);
  g_assert_true (urb_rates_find (&options, 20, 100, NULL, curves, &error));
  g_assert_no_error (error);
  for (int net = 0; net < URB_RATES_N_NETS; net++)
    {
      const UrbRatePoint *points = (const UrbRatePoint *) (void *) curves[net].points->data;

      g_test_message ("%g %g %g", curves[net].steepest, curves[net].lowest, curves[net].explodes);
      g_assert_cmpfloat_with_epsilon (points[0].rate, 1e-6, 1e-12);
      g_assert_cmpfloat_with_epsilon (points[10].rate / points[9].rate, pow (1e6, 1 / 99.0), 1e-9);
      g_assert_cmpfloat (curves[net].steepest, >, 1e-5);
      g_assert_cmpfloat (curves[net].steepest, <=, curves[net].lowest);
      urb_rate_curve_clear (&curves[net]);
    }
  trainer = urb_trainer_new (&options, NULL, &error);
  before = download (trainer, trainer->program->d.params, trainer->nets.d->n_params);
  urb_trainer_try_rates (trainer, 0.25, 0);
  train (trainer, 1, &metrics);
  after = download (trainer, trainer->program->d.params, trainer->nets.d->n_params);
  g_assert_cmpmem (before, (gsize) trainer->nets.d->n_params * sizeof *before, after,
                   (gsize) trainer->nets.d->n_params * sizeof *after);
  g_assert_cmpfloat (metrics.values[URB_METRIC_LR_G], ==, 0.25);
}

static void
test_options_round_trip (void)
{
  g_auto(UrbTrainOptions) a = { 0 }, b = { 0 };
  g_autoptr(GKeyFile) first = g_key_file_new (), second = g_key_file_new ();
  g_autofree char *x = NULL, *y = NULL;
  g_autoptr(GError) error = NULL;

  urb_train_options_init (&a);
  urb_train_options_init (&b);
  a.dataset = g_strdup ("/some/where");
  a.precision = UK_BF16;
  a.seed = G_MAXUINT64;
  a.lr_g = 0.1 + 0.2;
  a.n_steps = G_GINT64_CONSTANT (123456789012);
  urb_train_options_to_key_file (&a, first);
  g_assert_true (urb_train_options_from_key_file (&b, first, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (a.lr_g, ==, b.lr_g);
  urb_train_options_to_key_file (&b, second);
  x = g_key_file_to_data (first, NULL, NULL);
  y = g_key_file_to_data (second, NULL, NULL);
  g_assert_cmpstr (x, ==, y);
  g_key_file_set_string (first, "train", "batch", "many");
  g_assert_false (urb_train_options_from_key_file (&b, first, &error));
  g_assert_nonnull (strstr (error->message, "batch"));
}

/* An invalid number is reported with its key. */
static void
test_numbers (void)
{
  static const struct { gsize offset; const char *key; } numbers[] = {
#define NUMBER(field, key) { offsetof (UrbTrainOptions, field), key }
    NUMBER (lr_g, "lr-g"),           NUMBER (lr_d, "lr-d"),       NUMBER (lr_final, "lr-final"),
    NUMBER (beta2, "beta2"),         NUMBER (gamma, "gamma"),     NUMBER (augment, "augment"),
    NUMBER (clip_norm, "clip-norm"), NUMBER (ema_kimg, "ema-kimg"), NUMBER (clip_norm_g, "clip-norm-g"),
    NUMBER (ema_ramp, "ema-ramp"),
    NUMBER (clip_norm_d, "clip-norm-d"), NUMBER (weight_decay_g, "weight-decay-g"),
    NUMBER (weight_decay_d, "weight-decay-d"), NUMBER (label_smoothing, "label-smoothing"),
    NUMBER (loss_scale, "loss-scale"),
#undef NUMBER
  };
  static const double wrong[] = { NAN, INFINITY, -3 };
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (wrong); j++)
      {
        g_auto(UrbTrainOptions) options = { 0 };
        g_autoptr(GError) error = NULL;

        urb_train_options_init (&options);
        G_STRUCT_MEMBER (double, &options, numbers[i].offset) = wrong[j];
        g_assert_false (urb_recipe_resolve (&options, preset, 3, &error));
        g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
        g_assert_nonnull (strstr (error->message, numbers[i].key));
      }
}

static void
test_schedules (void)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_autoptr(GError) error = NULL;
  UrbSchedule start, middle, end, after;

  urb_train_options_init (&options);
  options.n_steps = 1000;
  g_assert_true (urb_recipe_resolve (&options, preset, 3, &error));
  urb_recipe_get_schedule (&options, options.n_warmup, &start);
  urb_recipe_get_schedule (&options, 500, &middle);
  urb_recipe_get_schedule (&options, 1000, &end);
  urb_recipe_get_schedule (&options, 5000, &after);
  g_assert_cmpfloat_with_epsilon (end.lr_g, options.lr_g * options.lr_final, 1e-12);
  g_assert_cmpfloat_with_epsilon (end.gamma, options.gamma / 10, 1e-12);
  g_assert_cmpfloat_with_epsilon (middle.augment, options.augment / 2, 1e-12);
  g_assert_cmpfloat (start.beta2, <, end.beta2);
  g_assert_cmpfloat (start.lr_g, >, middle.lr_g);
  g_assert_cmpfloat (after.lr_g, ==, end.lr_g);
  urb_recipe_get_schedule (&options, 0, &start);
  g_assert_cmpfloat_with_epsilon (start.lr_g, options.lr_g / options.n_warmup, 1e-9);
}

/* Resolves the settings of @recipe with @lr_schedule for 1000 steps. */
static gboolean
resolve_lr (UrbTrainOptions *options, const char *recipe, UrbLrSchedule lr_schedule, double lr_final, int n_drops,
            GError **error)
{
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);

  urb_train_options_clear (options);
  urb_train_options_init (options);
  g_free (options->recipe);
  options->recipe = g_strdup (recipe);
  options->n_steps = 1000;
  options->lr_g = 0.5;
  options->lr_d = 0.25;
  options->lr_schedule = lr_schedule;
  options->lr_final = lr_final;
  options->lr_drops = n_drops;
  return urb_recipe_resolve (options, preset, 3, error);
}

/* Shares of the rate at steps of 1000, with a quarter or a hundredth at the end, by hand. */
static void
test_lr_schedules (void)
{
  static const struct
  {
    UrbLrSchedule schedule;
    double final; /* 0: not set */
    int n_drops, step;
    double share;
  } cases[] = {
    { URB_LR_SCHEDULE_CONSTANT, 0, 3, 0, 1 },          { URB_LR_SCHEDULE_CONSTANT, 0, 3, 999, 1 },
    { URB_LR_SCHEDULE_LINEAR, 0, 3, 0, 1 },            { URB_LR_SCHEDULE_LINEAR, 0, 3, 600, 0.55 },
    { URB_LR_SCHEDULE_LINEAR, 0, 3, 4000, 0.25 },      { URB_LR_SCHEDULE_LINEAR, 0.01, 3, 500, 0.505 },
    { URB_LR_SCHEDULE_COSINE, 0, 3, 500, 0.625 },      { URB_LR_SCHEDULE_COSINE, 0.01, 3, 1000, 0.01 },
    { URB_LR_SCHEDULE_STEP, 0.01, 2, 333, 1 },         { URB_LR_SCHEDULE_STEP, 0.01, 2, 334, 0.1 },
    { URB_LR_SCHEDULE_STEP, 0.01, 2, 666, 0.1 },       { URB_LR_SCHEDULE_STEP, 0.01, 2, 667, 0.01 },
    { URB_LR_SCHEDULE_STEP, 0.01, 2, 4000, 0.01 },     { URB_LR_SCHEDULE_STEP, 0, 1, 499, 1 },
    { URB_LR_SCHEDULE_STEP, 0, 1, 500, 0.25 },         { URB_LR_SCHEDULE_ONE_CYCLE, 0, 3, 0, 0.04 },
    { URB_LR_SCHEDULE_ONE_CYCLE, 0, 3, 150, 0.52 },    { URB_LR_SCHEDULE_ONE_CYCLE, 0, 3, 300, 1 },
    { URB_LR_SCHEDULE_ONE_CYCLE, 0, 3, 650, 0.625 },   { URB_LR_SCHEDULE_ONE_CYCLE, 0.01, 3, 1000, 0.01 },
  };
  g_auto(UrbTrainOptions) options = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;
      UrbSchedule at;

      g_assert_true (resolve_lr (&options, "dcgan", cases[i].schedule, cases[i].final, cases[i].n_drops, &error));
      g_assert_no_error (error);
      urb_recipe_get_schedule (&options, cases[i].step, &at);
      g_assert_cmpfloat_with_epsilon (at.lr_g, 0.5 * cases[i].share, 1e-12);
      g_assert_cmpfloat_with_epsilon (at.lr_d, 0.25 * cases[i].share, 1e-12);
    }
}

/* A recipe has a schedule, and runs of before there were others have none. */
static void
test_lr_schedule_of_recipe (void)
{
  static const struct
  {
    const char *recipe;
    double final;
    UrbLrSchedule schedule;
    double resolved_final;
  } cases[] = {
    { "r3", 0, URB_LR_SCHEDULE_COSINE, 0.25 },  { "dcgan", 0, URB_LR_SCHEDULE_CONSTANT, 1 },
    { "r3", 0.5, URB_LR_SCHEDULE_COSINE, 0.5 }, { "dcgan", 0.5, URB_LR_SCHEDULE_COSINE, 0.5 },
    { "r3", 1, URB_LR_SCHEDULE_CONSTANT, 1 },   { "dcgan", 1, URB_LR_SCHEDULE_CONSTANT, 1 },
  };
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_true (resolve_lr (&options, cases[i].recipe, URB_LR_SCHEDULE_OF_RECIPE, cases[i].final, 3, &error));
      g_assert_no_error (error);
      g_assert_cmpint (options.lr_schedule, ==, cases[i].schedule);
      g_assert_cmpfloat (options.lr_final, ==, cases[i].resolved_final);
    }
  g_assert_false (resolve_lr (&options, "r3", URB_LR_SCHEDULE_CONSTANT, 0.5, 3, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "leave out lr-final"));
  g_clear_error (&error);
  g_assert_false (resolve_lr (&options, "r3", URB_LR_SCHEDULE_LINEAR, 0, 5, &error));
  g_assert_nonnull (strstr (error->message, "lr-drops is a setting of the learning-rate schedule step"));
}

/* A setting of one average is none of the other. */
static void
test_averages_refused (void)
{
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_auto(UrbTrainOptions) ema = { 0 }, equal = { 0 };
  g_autoptr(GError) error = NULL;

  urb_train_options_init (&ema);
  ema.average_from = 10;
  g_assert_false (urb_recipe_resolve (&ema, preset, 3, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_cmpstr (error->message, ==, "average-from is a setting of the average equal: leave it out, or set average "
                                       "to equal.");
  g_clear_error (&error);
  urb_train_options_init (&equal);
  equal.averaging = URB_AVERAGING_EQUAL;
  equal.n_steps = 1000;
  equal.ema_ramp = 0.1;
  g_assert_false (urb_recipe_resolve (&equal, preset, 3, &error));
  g_assert_nonnull (strstr (error->message, "ema-ramp is a setting of the average ema"));
  g_clear_error (&error);
  equal.ema_ramp = 0.05;
  g_assert_true (urb_recipe_resolve (&equal, preset, 3, &error));
  g_assert_no_error (error);
  g_assert_cmpint (equal.average_from, ==, 750);
}

int
main (int argc, char **argv)
{
  static const char *const recipes[] = { "r3", "dcgan" }, *const backends[] = { "cpu", "reference" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      const char *recipe = recipes[i];
#define ADD(name, function)                                                                   \
  do                                                                                          \
    {                                                                                         \
      g_autofree char *path = g_strdup_printf ("/trainer/%s/%s", recipe, name);               \
      g_test_add (path, Fixture, recipe, set_up, function, tear_down);                        \
    }                                                                                         \
  while (0)
      ADD ("resume", test_resume);
      ADD ("deterministic", test_deterministic);
      ADD ("sampler", test_sampler);
      ADD ("sampler-devices", test_sampler_devices);
      ADD ("changed-dataset", test_changed_dataset);
      ADD ("bits", test_bits);
      ADD ("reference", test_reference);
    }
  g_test_add ("/trainer/order/cpu", Fixture, "cpu", set_up, test_order, tear_down);
  g_test_add ("/trainer/order/reference", Fixture, "reference", set_up, test_order, tear_down);
  g_test_add ("/trainer/order/cuda", Fixture, "cuda", set_up, test_order, tear_down);
  g_test_add ("/trainer/diverged", Fixture, "r3", set_up, test_diverged, tear_down);
  g_test_add ("/trainer/adam-epsilon", Fixture, "r3", set_up, test_adam_epsilon, tear_down);
  for (gsize i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      g_autofree char *clip = g_strdup_printf ("/trainer/clip-norms/%s", backends[i]);
      g_autofree char *decay = g_strdup_printf ("/trainer/weight-decay/%s", backends[i]);
      g_autofree char *smooth = g_strdup_printf ("/trainer/label-smoothing/%s", backends[i]);
      g_autofree char *average = g_strdup_printf ("/trainer/averages/%s", backends[i]);

      g_test_add (clip, Fixture, backends[i], set_up, test_clip_norms, tear_down);
      g_test_add (decay, Fixture, backends[i], set_up, test_weight_decay, tear_down);
      g_test_add (smooth, Fixture, backends[i], set_up, test_label_smoothing, tear_down);
      g_test_add (average, Fixture, backends[i], set_up, test_averages, tear_down);
    }
  g_test_add ("/trainer/averages/resume", Fixture, "r3", set_up_equal, test_resume, tear_down);
  g_test_add ("/trainer/d-steps", Fixture, "dcgan", set_up, test_d_steps, tear_down);
  g_test_add ("/trainer/d-steps/refiner", Fixture, "r3", set_up_refined, test_d_steps, tear_down);
  g_test_add ("/trainer/d-steps/refused", Fixture, "r3", set_up, test_d_steps_refused, tear_down);
  g_test_add ("/trainer/loss-scale/r3", Fixture, "r3", set_up, test_loss_scale, tear_down);
  g_test_add ("/trainer/loss-scale/dcgan", Fixture, "dcgan", set_up, test_loss_scale, tear_down);
  g_test_add ("/trainer/loss-scale/resume/r3", Fixture, "r3", set_up, test_loss_scale_resumes, tear_down);
  g_test_add ("/trainer/loss-scale/resume/dcgan", Fixture, "dcgan", set_up, test_loss_scale_resumes, tear_down);
  g_test_add ("/trainer/loss-scale/floor", Fixture, "r3", set_up, test_loss_scale_floor, tear_down);
  g_test_add ("/trainer/loss-scale/refused", Fixture, "r3", set_up, test_loss_scale_refused, tear_down);
  g_test_add_func ("/loss-scale/text", test_loss_scale_text);
  g_test_add ("/trainer/fp16/r3", Fixture, "r3", set_up, test_fp16, tear_down);
  g_test_add ("/trainer/fp16/dcgan", Fixture, "dcgan", set_up, test_fp16, tear_down);
  g_test_add ("/trainer/fp16/overflows/r3", Fixture, "r3", set_up, test_fp16_overflows, tear_down);
  g_test_add ("/trainer/fp16/overflows/dcgan", Fixture, "dcgan", set_up, test_fp16_overflows, tear_down);
  g_test_add ("/trainer/ahead/r3", Fixture, "r3", set_up, test_ahead, tear_down);
  g_test_add ("/trainer/ahead/dcgan", Fixture, "dcgan", set_up, test_ahead, tear_down);
  g_test_add ("/trainer/ahead/diverges", Fixture, "r3", set_up, test_ahead_diverges, tear_down);
  g_test_add ("/trainer/fp16/refused", Fixture, "r3", set_up, test_fp16_refused, tear_down);
  g_test_add ("/trainer/overfit", Fixture, "r3", set_up, test_overfit, tear_down);
  g_test_add ("/trainer/overflow", Fixture, "r3", set_up, test_overflow, tear_down);
  g_test_add ("/trainer/spoilt-weights", Fixture, "r3", set_up, test_spoilt_weights, tear_down);
  g_test_add ("/trainer/sampler-refused", Fixture, "r3", set_up, test_sampler_refused, tear_down);
  g_test_add ("/trainer/refused", Fixture, "r3", set_up, test_refused, tear_down);
  g_test_add_func ("/options/round-trip", test_options_round_trip);
  g_test_add_func ("/recipe/numbers", test_numbers);
  g_test_add_func ("/recipe/schedules", test_schedules);
  g_test_add_func ("/rates/curve", test_rate_curve);
  g_test_add ("/rates/find/r3", Fixture, "r3", set_up, test_find_rates, tear_down);
  g_test_add ("/rates/find/dcgan", Fixture, "dcgan", set_up, test_find_rates, tear_down);
  g_test_add_func ("/recipe/lr-schedules", test_lr_schedules);
  g_test_add_func ("/recipe/lr-schedule-of-recipe", test_lr_schedule_of_recipe);
  g_test_add_func ("/recipe/averages-refused", test_averages_refused);
  g_test_add ("/trainer/wide/plain", Fixture, "r3", set_up, test_wide, tear_down);
  g_test_add ("/trainer/wide/batch-norm", Fixture, "dcgan", set_up, test_wide, tear_down);
  g_test_add ("/trainer/wide/refined", Fixture, "r3", set_up_refined, test_wide, tear_down);
  g_test_add ("/trainer/shares", Fixture, "r3", set_up_shares, test_shares, tear_down);
  g_test_add ("/trainer/shares/resume", Fixture, "r3", set_up_shares, test_resume, tear_down);
  g_test_add ("/trainer/shares/refused", Fixture, "r3", set_up, test_shares_refused, tear_down);
  g_test_add ("/trainer/refiner/learns", Fixture, "r3", set_up_refined, test_refiner, tear_down);
  g_test_add ("/trainer/refiner/resume", Fixture, "r3", set_up_refined, test_resume, tear_down);
  g_test_add ("/trainer/refiner/none", Fixture, "r3", set_up_refined, test_no_refiner, tear_down);
  return g_test_run ();
}
