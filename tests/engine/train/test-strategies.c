/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-strategies.c - several ranks give the result of one.
 *
 * A synchronous strategy with any number of ranks follows the run of one
 * process with the same global batch.  It adds the same numbers in another
 * order, so what may differ is rounding.  Distances are in units of how far
 * training went from its start:
 *
 *  - in double, a sum in another order is off by some 1e-16 of its terms.  In
 *    10 steps of Adam, whose first step divides a gradient by its own size, and
 *    of a game between two networks, that grows to 2e-12; 1e-9 leaves room for
 *    other compilers and is a million times below any mistake, such as a
 *    sample counted twice or a mean over the wrong number.  The same bound holds
 *    for every tensor by itself, in units of its own size, so that a mistake in
 *    one bias does not hide behind all weights: the worst is off by 4e-15 here.
 *  - in float it begins with 1e-7 and grows to 5e-4.  A parameter whose gradient
 *    is nothing but rounding takes its whole step in one direction or the other,
 *    so the bound, 5e-3, is on the norm of all parameters, not on each.  Batch
 *    norm with statistics of each rank's own is off by 5e-2.
 *
 * A pipeline does every operation once, whole, and adds gradients in the order of one process: it gives
 * the same bits, with as many microbatches.  Only the norm of the gradient is added up in another order.
 *
 * Ranks that divide moments, gradients or parameters (zero1 to zero3) add up each gradient in the order of
 * ddp, and give its bits; with several microbatches, zero2 and zero3 sum each over the ranks first.
 *
 * The name of the backend is on the command line.  On a device, such as cuda, one process follows one on
 * the processor, too.  Where each rank has a GPU, they talk by NCCL.  After the name, `few` leaves out most strategies.
 */
#include <math.h>
#include <string.h>

#include "flat-folder.h"
#include "kernels/uk-ranks.h"
#include "trace-file.h"
#include "train/group.h"
#include "train/safetensors.h"

#define HEAD "[preset]\nimage-size=8\nlatent=6\nbatch=24\nsteps=10\nlr=0.001\ngamma=5\n"

static const char r3_preset[] = HEAD "refined-size=16\nshares=true\n"
  "[refiner]\n1=conv3 4 bias\n2=block\n3=tconv image bias head\n"
  "[generator]\n1=dense 8 4 bias lrelu\n2=tconv image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=conv3 5 bias lrelu\n3=logit bias\n";
static const char dcgan_preset[] = HEAD
  "[generator]\n1=dense 8 4 bn relu\n2=tconv 5 bn relu\n3=conv3 image bias head\n"
  "[discriminator]\n1=conv4 6 bias lrelu\n2=conv3 5 norm lrelu\n3=logit bias\n";
/* What only tensor parallel ranks do not treat alike: layers of each kind, divided or not. */
static const char residual_preset[] = HEAD
  "[generator]\n1=dense 12 2 bias-each lrelu\n2=conv1 12\n3=block\n4=conv1 12\n5=up\n6=conv1 6\n7=block\n8=up\n"
  "9=conv3 4 bias lrelu\nA=conv1 image bias head\n"
  "[discriminator]\n1=conv1 6\n2=block\n3=down\n4=conv1 12 bias lrelu\n5=down\n6=conv1 8 bias lrelu\n"
  "7=conv1 12 bias lrelu\n8=depthwise\n9=logit\n";

enum { N_STEPS = 10 };

/* Steps, ranks and images; fewer on an emulated device, where a step takes long. */
static int n_done = N_STEPS, most_ranks = 4, batch = 24;

typedef struct
{
  const char *backend, *recipe;
  UrbStrategy strategy;
  int         accumulate;
  gboolean    is_residual;
  const char *mesh, *schedule; /* of URB_STRATEGY_MESH */
  int         zero;
  int         n_d_steps; /* 0: 1 */
  gboolean    is_regular; /* clips, decays and smooths */
  gboolean    averages_equally;
} Case;

typedef struct
{
  char *folder, *preset;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  const Case *row = data;

  self->folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  self->preset = g_build_filename (self->folder, "mini.preset", NULL);
  g_assert_true (g_file_set_contents (
    self->preset, row->is_residual                    ? residual_preset
                  : g_str_equal (row->recipe, "dcgan") ? dcgan_preset
                                                       : r3_preset, -1, NULL));
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  flat_folder_remove (self->folder);
  g_free (self->preset);
}

static gboolean
has_nccl (void)
{
  UkBackendConfig config = { .n_threads = 1 };
  char device[UK_EXPORT_TEXT];
  UkBackend *backend;
  gboolean has;

  g_assert_cmpint (uk_backend_cuda ()->open (&config, &backend), ==, UK_OK);
  has = backend->table->ranks->check (backend, device) == UK_OK;
  backend->table->close (backend);
  return has;
}

static void
fill_options (const Fixture *self, const Case *row, UrbStrategy strategy, int n_ranks,
              UrbTrainOptions *options)
{
  urb_train_options_init (options);
  g_free (options->preset);
  g_free (options->recipe);
  g_free (options->backend);
  options->preset = g_strdup (self->preset);
  options->recipe = g_strdup (row->recipe);
  options->backend = g_strdup (row->backend);
  options->n_steps = N_STEPS;
  options->batch = batch;
  options->accumulate = row->accumulate;
  options->n_d_steps = MAX (row->n_d_steps, 1);
  if (row->is_regular)
    {
      options->clip_norm_g = 0.05;
      options->clip_norm_d = 0.1;
      options->weight_decay_g = 20;
      options->weight_decay_d = 40;
      options->label_smoothing = g_str_equal (row->recipe, "dcgan") ? 0.1 : 0;
    }
  if (row->averages_equally)
    {
      options->averaging = URB_AVERAGING_EQUAL;
      options->average_from = 1;
    }
  options->n_threads = 1;
  options->loss_scale = strategy != URB_STRATEGY_SINGLE ? 1024 : 0; /* changes no bit */
  options->strategy = strategy;
  options->n_ranks = n_ranks;
  if (strategy == URB_STRATEGY_MESH)
    {
      UrbMesh mesh;

      g_assert_true (urb_mesh_parse (row->mesh, &mesh, NULL));
      options->n_ranks = urb_mesh_count (&mesh, URB_ALL_AXES);
      options->mesh = g_strdup (row->mesh);
      options->zero = row->zero;
      g_free (options->schedule);
      options->schedule = g_strdup (row->schedule);
    }
  if (g_str_equal (row->recipe, "r3"))
    options->augment = 0.7;
  options->bucket_mib = options->unit_mib = 0.0005; /* a few in each of these networks */
  g_free (options->split);
  options->split = g_strdup ("all"); /* these layers are too narrow to be divided for speed */
  if (options->n_ranks > 1 && g_str_equal (row->backend, "cuda")
      && uk_cuda_count (NULL) >= options->n_ranks && has_nccl ())
    {
      g_free (options->communicator);
      options->communicator = g_strdup ("nccl"); /* or it fails */
    }
}

static UrbGroup *
open_group (const Fixture *self, const Case *row, UrbStrategy strategy, int n_ranks)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  UrbGroup *group;

  fill_options (self, row, strategy, n_ranks, &options);
  group = urb_group_new (&options, NULL, &error);
  g_assert_no_error (error);
  return group;
}

static void
train (UrbGroup *group, int n_steps, UrbStepMetrics *metrics)
{
  for (int i = 0; i < n_steps; i++)
    {
      g_autoptr(GError) error = NULL;

      urb_group_step (group, &metrics[i], &error);
      g_assert_no_error (error);
    }
}

static char *
save (const Fixture *self, UrbGroup *group, const char *name)
{
  char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr(GError) error = NULL;

  urb_group_save (group, path, &error);
  g_assert_no_error (error);
  return path;
}

static void
restore (UrbGroup *group, const char *path)
{
  g_autoptr(GError) error = NULL;

  urb_group_restore (group, path, &error);
  g_assert_no_error (error);
}

/* ------------------------------------------------------------------------ */

static double
value_of (const UrbTensor *tensor, gint64 i)
{
  return tensor->type == URB_TENSOR_F64 ? ((const double *) tensor->data)[i]
                                        : ((const float *) tensor->data)[i];
}

static gint64
count_of (const UrbTensor *tensor)
{
  gint64 count = 1;

  for (int i = 0; i < tensor->n_dims; i++)
    count *= tensor->shape[i];
  return count;
}

static double
square_between (const UrbTensor *a, const UrbTensor *b)
{
  double sum = 0;

  for (gint64 e = 0; e < count_of (a); e++)
    sum += pow (value_of (a, e) - value_of (b, e), 2);
  return sum;
}

static double
norm_of (const UrbTensor *a)
{
  double sum = 0;

  for (gint64 e = 0; e < count_of (a); e++)
    sum += pow (value_of (a, e), 2);
  return sqrt (sum);
}

static const UrbTensor *
find_same (UrbSafetensors *file, const UrbTensor *tensor)
{
  const UrbTensor *same = urb_safetensors_lookup (file, tensor->name);

  g_assert_nonnull (same);
  g_assert_cmpint (same->type, ==, tensor->type);
  g_assert_cmpint (count_of (same), ==, count_of (tensor));
  return same;
}

/* |a - b|^2 over all tensors: weights, averages, moments, running statistics. */
static double
square_distance (const char *path_a, const char *path_b)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) a = urb_safetensors_open (path_a, &error);
  g_autoptr(UrbSafetensors) b = urb_safetensors_open (path_b, &error);
  double sum = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (urb_safetensors_get_n_tensors (a), ==, urb_safetensors_get_n_tensors (b));
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (a); i++)
    {
      const UrbTensor *x = urb_safetensors_get_tensor (a, i);

      sum += square_between (x, find_same (b, x));
    }
  return sum;
}

/* The distance of @b from @a, relative to how far training went: the distance of @a from @start. */
static double
distance (const char *start, const char *a, const char *b)
{
  double went = square_distance (start, a);

  g_assert_cmpfloat (went, >, 1e-6);
  return sqrt (square_distance (a, b) / went);
}

static gboolean
is_exact (const Case *row)
{
  return g_str_equal (row->backend, "reference");
}

#define BOUND(row) (is_exact (row) ? 1e-9 : 5e-3)

/* The relativistic loss depends on differences of logits only: the gradient of the discriminator's
 * last bias is 0 but for rounding. */
static gboolean
has_gradient (const Case *row, const char *name)
{
  return row->is_residual || !g_str_equal (row->recipe, "r3") || !g_str_has_suffix (name, "d.2.bias");
}

/* The largest |a - b| / |a| of a single tensor: in distance(), large tensors would hide an error in
 * a small one. */
static double
largest_distance (const Case *row, const char *path_a, const char *path_b)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) a = urb_safetensors_open (path_a, &error);
  g_autoptr(UrbSafetensors) b = urb_safetensors_open (path_b, &error);
  double largest = 0;

  g_assert_no_error (error);
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (a); i++)
    {
      const UrbTensor *x = urb_safetensors_get_tensor (a, i);
      double off = sqrt (square_between (x, find_same (b, x))), norm = norm_of (x);

      if (has_gradient (row, x->name))
        {
          g_assert_cmpfloat (norm, >, 1e-12); /* a mean of squared gradients */
          off /= norm;
        }
      else
        g_assert_cmpfloat (norm, <, BOUND (row)); /* a learning rate is 1e-3 */
      largest = MAX (largest, off);
    }
  return largest;
}

/* In double precision, each tensor is also compared by itself. */
static void
assert_follows (const Case *row, const char *start, const char *a, const char *b)
{
  g_assert_cmpfloat (distance (start, a, b), <, BOUND (row));
  if (is_exact (row))
    {
      double off = largest_distance (row, a, b);

      g_test_message ("largest deviation of a tensor: %.3g", off);
      g_assert_cmpfloat (off, <, BOUND (row));
    }
}

/* Metrics are floats even if the computation is in double precision. */
static void
compare_metrics (const Case *row, const UrbStepMetrics *a, const UrbStepMetrics *b)
{
  double bound = is_exact (row) ? 1e-6 : 2e-2;

  for (int step = 0; step < n_done; step++)
    for (int i = 0; i < URB_N_METRICS; i++)
      if (fabs (a[step].values[i] - b[step].values[i]) > bound * (0.01 + fabs (a[step].values[i])))
        g_error ("step %d: %s is %.9g and not %.9g", step + 1, urb_step_metric_names[i],
                 b[step].values[i], a[step].values[i]);
}

/* ------------------------------------------------------------------------ */

/* In double precision, the same cities but for rounding to levels. */
static void
compare_samples (const Case *row, UrbGroup *a, UrbGroup *b)
{
  guint8 expected[3 * 8 * 8 * 3], levels[3 * 8 * 8 * 3];
  g_autoptr(GError) error = NULL;

  if (!is_exact (row))
    return;
  urb_group_sample (a, 5, 0, 3, expected, &error);
  g_assert_no_error (error);
  urb_group_sample (b, 5, 0, 3, levels, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < sizeof levels; i++)
    g_assert_cmpint (ABS (levels[i] - expected[i]), <=, 1);
}

static void
test_follows (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_autoptr(UrbGroup) one = open_group (self, row, URB_STRATEGY_SINGLE, 1);
  g_autofree char *start = save (self, one, "start.safetensors"), *straight = NULL;
  UrbStepMetrics expected[N_STEPS], metrics[N_STEPS];

  train (one, n_done, expected);
  if (row->is_regular) /* both gradients are clipped, by different factors */
    {
      g_assert_cmpfloat (expected[0].values[URB_METRIC_GRAD_NORM_G], >, 0.05);
      g_assert_cmpfloat (expected[0].values[URB_METRIC_GRAD_NORM_D], >, 0.1);
    }
  straight = save (self, one, "one.safetensors");
  for (int n_ranks = row->mesh != NULL ? most_ranks : 1; n_ranks <= most_ranks; n_ranks++)
    {
      g_autoptr(UrbGroup) group = NULL;
      g_autofree char *path = NULL;
      double off;

      if (batch % (n_ranks * row->accumulate) != 0)
        continue;
      group = open_group (self, row, row->strategy, n_ranks);
      train (group, n_done, metrics);
      path = save (self, group, "many.safetensors");
      off = distance (start, straight, path);
      g_test_message ("%d ranks: %.3g", n_ranks, off);
      compare_metrics (row, expected, metrics);
      /* zero adds up the squares of the norm that clips unit by unit. */
      if (n_ranks == 1 && !(row->is_regular && urb_strategy_get_zero_level (row->strategy) > 0))
        g_assert_cmpfloat (off, ==, 0);
      else
        assert_follows (row, start, straight, path);
      compare_samples (row, one, group);
    }
}

/* Two checkpoints with the same tensors, to the bit. */
static void
assert_same (const char *path_a, const char *path_b)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSafetensors) a = urb_safetensors_open (path_a, &error);
  g_autoptr(UrbSafetensors) b = urb_safetensors_open (path_b, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (urb_safetensors_get_n_tensors (a), ==, urb_safetensors_get_n_tensors (b));
  for (gsize i = 0; i < urb_safetensors_get_n_tensors (a); i++)
    {
      const UrbTensor *x = urb_safetensors_get_tensor (a, i), *y = find_same (b, x);
      gsize size = x->type == URB_TENSOR_F64 ? sizeof (double) : sizeof (float);

      if (memcmp (x->data, y->data, (gsize) count_of (x) * size) != 0)
        g_error ("%s differs by %g", x->name, sqrt (square_between (x, y)));
    }
}

/* Ranks that divide the layers give the bits of one process, and draw the same cities. */
static void
test_equals (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_autoptr(UrbGroup) one = open_group (self, row, URB_STRATEGY_SINGLE, 1);
  g_autoptr(GError) error = NULL;
  g_autofree char *straight = NULL;
  guint8 expected_levels[3 * 8 * 8 * 3], levels[3 * 8 * 8 * 3];
  UrbStepMetrics expected[N_STEPS], metrics[N_STEPS];

  train (one, n_done, expected);
  straight = save (self, one, "one.safetensors");
  urb_group_sample (one, 5, 0, 3, expected_levels, &error);
  g_assert_no_error (error);
  for (int n_ranks = 1; n_ranks <= most_ranks; n_ranks++)
    {
      g_autoptr(UrbGroup) group = open_group (self, row, row->strategy, n_ranks);
      g_autofree char *path = NULL;

      train (group, n_done, metrics);
      path = save (self, group, "many.safetensors");
      compare_metrics (row, expected, metrics);
      assert_same (straight, path);
      urb_group_sample (group, 5, 0, 3, levels, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (levels, sizeof levels, expected_levels, sizeof expected_levels);
    }
}

/* Trains both, and compares the metrics, the bits and the cities. */
static void
assert_same_as_ddp (const Fixture *self, const Case *row, UrbGroup *ddp, UrbGroup *group)
{
  g_autofree char *straight = NULL, *path = NULL;
  g_autoptr(GError) error = NULL;
  guint8 expected_levels[3 * 8 * 8 * 3], levels[3 * 8 * 8 * 3];
  UrbStepMetrics expected[N_STEPS], metrics[N_STEPS];

  train (ddp, n_done, expected);
  train (group, n_done, metrics);
  straight = save (self, ddp, "ddp.safetensors");
  path = save (self, group, "group.safetensors");
  compare_metrics (row, expected, metrics);
  assert_same (straight, path);
  urb_group_sample (ddp, 5, 0, 3, expected_levels, &error);
  urb_group_sample (group, 5, 0, 3, levels, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (levels, sizeof levels, expected_levels, sizeof expected_levels);
}

/* A mesh with ranks along data and pipe gives the bits of ddp with as many ranks along data, and draws the same
 * cities. */
static void
test_mesh_as_ddp (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_autoptr(UrbGroup) group = open_group (self, row, URB_STRATEGY_MESH, 0);
  UrbMesh mesh = urb_train_options_get_mesh (urb_trainer_get_options (urb_group_get_trainer (group)));
  g_autoptr(UrbGroup) ddp = open_group (self, row, URB_STRATEGY_DDP, mesh.data);

  assert_same_as_ddp (self, row, ddp, group);
}

/* A gradient overflows in the same steps on one rank and on several, whose networks then are the same: they begin with a
 * scale at which even 32 bits do not hold it.  Some steps later its scale doubles, and it overflows again. */
static void
test_overflows (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  UrbStepMetrics metrics[2][N_STEPS];
  g_autofree char *start = NULL, *one_path = NULL, *several_path = NULL;
  int n_overflows[2] = { 0, 0 };

  for (int several = 0; several < 2; several++)
    {
      g_auto(UrbTrainOptions) options = { 0 };
      g_autoptr(UrbGroup) group = NULL, other = NULL;
      g_autofree char *middle = NULL;
      g_autoptr(GError) error = NULL;

      fill_options (self, row, several ? row->strategy : URB_STRATEGY_SINGLE, several ? 2 : 1, &options);
      options.loss_scale = ldexp (1, 69);
      options.loss_scale_steps = 3;
      group = urb_group_new (&options, NULL, &error);
      g_assert_no_error (error);
      if (!several)
        start = save (self, group, "start.safetensors");
      train (group, N_STEPS / 2, metrics[several]);
      middle = save (self, group, "middle.safetensors");
      /* Another group goes on from there, with the scales. */
      other = urb_group_new (&options, NULL, &error);
      g_assert_no_error (error);
      restore (other, middle);
      train (other, N_STEPS / 2, metrics[several] + N_STEPS / 2);
      if (several)
        several_path = save (self, other, "several.safetensors");
      else
        one_path = save (self, other, "one.safetensors");
    }
  for (int i = 0; i < N_STEPS; i++)
    {
      const UrbStepMetrics *one = &metrics[0][i], *two = &metrics[1][i];

      g_assert_cmpint (one->overflow_d, ==, two->overflow_d);
      g_assert_cmpint (one->overflow_g, ==, two->overflow_g);
      g_assert_cmpfloat (one->loss_scale_d, ==, two->loss_scale_d);
      g_assert_cmpfloat (one->loss_scale_g, ==, two->loss_scale_g);
      g_assert_cmpint (isnan (two->values[URB_METRIC_GRAD_NORM_D]) != 0, ==, two->overflow_d);
      g_assert_cmpint (isnan (two->values[URB_METRIC_GRAD_NORM_G]) != 0, ==, two->overflow_g);
      n_overflows[0] += one->overflow_d;
      n_overflows[1] += one->overflow_g;
    }
  g_test_message ("%d and %d overflows", n_overflows[0], n_overflows[1]);
  for (int net = 0; net < 2; net++)
    {
      g_assert_cmpint (n_overflows[net], >, 0);
      g_assert_cmpint (n_overflows[net], <, N_STEPS);
    }
  assert_follows (row, start, one_path, several_path);
}

/* Ranks that divide a gradient add up their squares, and so may overflow at another scale than one rank: but all of them
 * in the same step, which changes nothing, until the scale is low enough. */
static void
test_overflows_together (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autofree char *start = NULL, *after = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics[N_STEPS];
  double scale = ldexp (1, 69);
  int n_overflows = 0;

  fill_options (self, row, row->strategy, 2, &options);
  options.loss_scale = scale;
  group = urb_group_new (&options, NULL, &error);
  g_assert_no_error (error);
  start = save (self, group, "start.safetensors");
  train (group, 1, metrics);
  g_assert_true (metrics[0].overflow_d && metrics[0].overflow_g);
  after = save (self, group, "after.safetensors");
  assert_same (start, after);
  train (group, N_STEPS - 1, metrics + 1);
  for (int i = 0; i < N_STEPS; i++)
    {
      scale *= metrics[i].overflow_d ? 0.5 : 1; /* the next step's */
      g_assert_cmpfloat (metrics[i].loss_scale_d, ==, scale);
      g_assert_cmpint (isnan (metrics[i].values[URB_METRIC_GRAD_NORM_D]) != 0, ==, metrics[i].overflow_d);
      n_overflows += metrics[i].overflow_d;
    }
  g_assert_cmpint (n_overflows, <, N_STEPS);
  g_assert_true (isfinite (metrics[N_STEPS - 1].values[URB_METRIC_LOSS_D]));
}

/* Half of the steps under a mesh and half in one process, and the other way round, equal all of them in one. */
static void
test_mesh_resumes (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_autofree char *start = NULL, *half = NULL, *half_of_mesh = NULL, *straight = NULL, *to_mesh = NULL,
                  *from_mesh = NULL;
  UrbStepMetrics metrics[N_STEPS];

  {
    g_autoptr(UrbGroup) one = open_group (self, row, URB_STRATEGY_SINGLE, 1);

    start = save (self, one, "start.safetensors");
    train (one, n_done / 2, metrics);
    half = save (self, one, "half.safetensors");
    train (one, n_done / 2, metrics);
    straight = save (self, one, "straight.safetensors");
  }
  {
    g_autoptr(UrbGroup) group = open_group (self, row, URB_STRATEGY_MESH, 0);

    train (group, n_done / 2, metrics);
    half_of_mesh = save (self, group, "half-of-mesh.safetensors");
    train (group, 2, metrics); /* its state does not matter */
    restore (group, half);
    train (group, n_done / 2, metrics);
    to_mesh = save (self, group, "to-mesh.safetensors");
  }
  {
    g_autoptr(UrbGroup) one = open_group (self, row, URB_STRATEGY_SINGLE, 1);

    restore (one, half_of_mesh);
    train (one, n_done / 2, metrics);
    from_mesh = save (self, one, "from-mesh.safetensors");
  }
  assert_follows (row, start, straight, to_mesh);
  assert_follows (row, start, straight, from_mesh);
}

/* Ranks that divide what ddp holds give its bits, and draw the same cities. */
static void
test_same_as_ddp (Fixture *self, gconstpointer data)
{
  const Case *row = data;

  for (int n_ranks = 2; n_ranks <= most_ranks; n_ranks++)
    for (int variant = 0; variant < (row->strategy == URB_STRATEGY_ZERO3 ? 3 : 1); variant++)
      {
        g_auto(UrbTrainOptions) options = { 0 };
        g_autoptr(UrbGroup) ddp = open_group (self, row, URB_STRATEGY_DDP, n_ranks), group = NULL;
        g_autoptr(GError) error = NULL;

        if (batch % (n_ranks * row->accumulate) != 0)
          continue;
        fill_options (self, row, row->strategy, n_ranks, &options);
        options.prefetch = variant;
        options.reshard = variant < 2;
        options.unit_mib = variant == 2 ? 0 : options.unit_mib;
        group = urb_group_new (&options, NULL, &error);
        g_assert_no_error (error);
        assert_same_as_ddp (self, row, ddp, group);
      }
}

static void
train_one_way (const Fixture *self, const Case *row, int n_ranks, const char *folder, const char *start,
               const char *end, guint8 *levels, gsize n_levels)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics[N_STEPS];

  fill_options (self, row, n_ranks > 1 ? row->strategy : URB_STRATEGY_SINGLE, n_ranks, &options);
  options.offload = g_strdup (folder);
  group = urb_group_new (&options, NULL, &error);
  g_assert_no_error (error);
  if (start != NULL)
    restore (group, start);
  train (group, start != NULL ? n_done / 2 : n_done, metrics);
  g_free (save (self, group, end));
  urb_group_sample (group, 5, 0, (gint64) n_levels, levels, &error);
  g_assert_no_error (error);
}

/* Moments and averages outside of the device's memory change no bit, and checkpoints go from each to the
 * other. */
static void
test_outside (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  const char *place = urb_device_is_host (row->backend) ? self->folder : URB_OFFLOAD_HOST;
  g_autofree char *inside = g_build_filename (self->folder, "inside", NULL);
  g_autofree char *outside = g_build_filename (self->folder, "outside", NULL);
  g_autofree char *resumed = g_build_filename (self->folder, "resumed", NULL);
  g_autofree char *other = g_build_filename (self->folder, "other", NULL);
  guint8 expected[3 * 8 * 8 * 3], levels[3 * 8 * 8 * 3];

  for (int n_ranks = 1; n_ranks <= 3; n_ranks++)
    {
      train_one_way (self, row, n_ranks, NULL, NULL, "inside", expected, 3);
      train_one_way (self, row, n_ranks, place, NULL, "outside", levels, 3);
      assert_same (inside, outside);
      g_assert_cmpmem (levels, sizeof levels, expected, sizeof expected);
      train_one_way (self, row, n_ranks, NULL, outside, "other", expected, 3);
      train_one_way (self, row, n_ranks, self->folder, inside, "resumed", levels, 3);
      assert_same (other, resumed);
    }
}

/* From the same start, one process on the device gives the result of one on the processor, and
 * either continues from the other's checkpoint. */
static void
test_agrees (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  Case processor = *row;
  g_autofree char *start = NULL, *middle = NULL, *here = NULL, *there = NULL, *crossed = NULL;
  UrbStepMetrics expected[N_STEPS], metrics[N_STEPS];

  processor.backend = "cpu";
  {
    g_autoptr(UrbGroup) group = open_group (self, &processor, URB_STRATEGY_SINGLE, 1);

    start = save (self, group, "start.safetensors");
    train (group, n_done / 2, expected);
    middle = save (self, group, "middle.safetensors");
    train (group, n_done / 2, expected + n_done / 2);
    there = save (self, group, "there.safetensors");
  }
  {
    g_autoptr(UrbGroup) group = open_group (self, row, URB_STRATEGY_SINGLE, 1);

    restore (group, start);
    train (group, n_done, metrics);
    here = save (self, group, "here.safetensors");
    restore (group, middle);
    train (group, n_done / 2, metrics + n_done / 2);
    crossed = save (self, group, "crossed.safetensors");
  }
  compare_metrics (row, expected, metrics);
  g_test_message ("deviation %.3g, resumed in the middle %.3g", distance (start, there, here),
                  distance (start, there, crossed));
  assert_follows (row, start, there, here);
  assert_follows (row, start, there, crossed);
}

/* Half of the steps with three ranks under one strategy and half with two under another equal all
 * of them with two under the second. */
static void
test_resumes (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  UrbStrategy other = row->strategy == URB_STRATEGY_DP ? URB_STRATEGY_DDP : URB_STRATEGY_DP;
  g_autofree char *start = NULL, *middle = NULL, *straight = NULL, *resumed = NULL, *alone = NULL;
  UrbStepMetrics metrics[N_STEPS];

  {
    g_autoptr(UrbGroup) group = open_group (self, row, row->strategy, 3);

    train (group, n_done / 2, metrics);
    middle = save (self, group, "middle.safetensors");
  }
  {
    g_autoptr(UrbGroup) group = open_group (self, row, other, 2);

    train (group, 3, metrics); /* its previous state does not matter */
    restore (group, middle);
    train (group, n_done / 2, metrics);
    resumed = save (self, group, "resumed.safetensors");
    g_assert_cmpint (metrics[n_done / 2 - 1].step, ==, n_done);
  }
  {
    g_autoptr(UrbGroup) group = open_group (self, row, other, 2);

    start = save (self, group, "start.safetensors");
    train (group, n_done, metrics);
    straight = save (self, group, "straight.safetensors");
  }
  {
    g_autoptr(UrbGroup) group = open_group (self, row, URB_STRATEGY_SINGLE, 1);

    restore (group, middle);
    train (group, n_done / 2, metrics);
    alone = save (self, group, "alone.safetensors");
  }
  assert_follows (row, start, straight, resumed);
  assert_follows (row, start, straight, alone);
}

/* The same ranks give the same bits, also after a restart in the middle. */
static void
test_repeats (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_autofree char *middle = NULL, *straight = NULL, *resumed = NULL;
  UrbStepMetrics metrics[N_STEPS];

  {
    g_autoptr(UrbGroup) group = open_group (self, row, row->strategy, 2);

    train (group, 7, metrics);
    middle = save (self, group, "middle.safetensors");
    train (group, 6, metrics);
    straight = save (self, group, "straight.safetensors");
  }
  {
    g_autoptr(UrbGroup) group = open_group (self, row, row->strategy, 2);

    restore (group, middle);
    train (group, 6, metrics);
    resumed = save (self, group, "resumed.safetensors");
  }
  g_assert_cmpfloat (square_distance (straight, resumed), ==, 0);
}

/* All ranks notice that training diverged, and restart together from a checkpoint. */
static void
test_diverges (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *start = NULL;
  UrbStepMetrics metrics;

  fill_options (self, row, row->strategy, 3, &options);
  options.gamma = 1e30;
  options.lr_d = options.lr_g = 1;
  options.n_warmup = 0;
  group = urb_group_new (&options, NULL, &error);
  g_assert_no_error (error);
  start = save (self, group, "start.safetensors");
  for (int i = 0; i < 50 && error == NULL; i++)
    urb_group_step (group, &metrics, &error);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
  g_clear_error (&error);
  restore (group, start);
  g_assert_cmpint (urb_trainer_get_step (urb_group_get_trainer (group)), ==, 0);
  /* It diverges again, rather than failing because a rank is missing. */
  for (int i = 0; i < 50 && error == NULL; i++)
    urb_group_step (group, &metrics, &error);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED);
}

/* Without statistics of the whole batch the result differs by more than the tests above allow. */
static void
test_own_statistics (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) one = open_group (self, row, URB_STRATEGY_SINGLE, 1), group = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *start = save (self, one, "start.safetensors"), *straight = NULL, *path = NULL;
  UrbStepMetrics metrics[N_STEPS];
  double off;

  train (one, n_done, metrics);
  straight = save (self, one, "one.safetensors");
  fill_options (self, row, row->strategy, 2, &options);
  options.sync_batch_norm = FALSE;
  group = urb_group_new (&options, NULL, &error);
  g_assert_no_error (error);
  train (group, n_done, metrics);
  path = save (self, group, "many.safetensors");
  off = distance (start, straight, path);
  g_test_message ("deviation with statistics per rank: %.3g", off);
  g_assert_cmpfloat (off, >, 5 * BOUND (row));
  g_assert_cmpfloat (off, <, 1);
  if (is_exact (row))
    g_assert_cmpfloat (largest_distance (row, straight, path), >, 1000 * BOUND (row));
}

static gpointer
follower_thread (gpointer comm)
{
  UrbRank rank = urb_rank_from_comm (comm, NULL);
  GError *error = NULL;

  g_assert_false (urb_group_follow (&rank, &error));
  return error;
}

/* When a rank fails, the step of the others fails with its error. */
static void
test_gives_up (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL, other = NULL;
  UrbComm *comms[2];
  UrbStepMetrics metrics[3];
  UrbRank rank;
  GThread *thread;

  fill_options (self, row, row->strategy, 2, &options);
  urb_comm_new_threads (2, comms);
  rank = urb_rank_from_comm (comms[0], NULL);
  thread = g_thread_new ("follower", follower_thread, comms[1]);
  group = urb_group_new (&options, &rank, &error);
  g_assert_no_error (error);
  train (group, 3, metrics);
  urb_comm_abort (comms[1], "the disk is on fire");
  g_assert_false (urb_group_step (group, metrics, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_nonnull (strstr (error->message, "the disk is on fire"));
  other = g_thread_join (thread);
  g_assert_error (other, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_clear_pointer (&group, urb_group_free);
  urb_comm_free (comms[1]);
}

static int
count_updates (UrbBoard *board, int rank)
{
  int n = 0;

  for (int i = 0; i < URB_BOARD_MAX_LABELS; i++)
    {
      g_autofree char *label = urb_board_dup_label (board, rank, i);

      n += label != NULL && strstr (label, "adam") != NULL;
    }
  return n;
}

/* Ranks show what they do. */
static void
test_board (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbBoard) board = urb_board_new (3, &error);
  UrbRank first = { .n_ranks = 1, .n_local = 1, .board = board };
  g_autoptr(UrbGroup) group = NULL;
  UrbStepMetrics metrics[4];

  g_assert_no_error (error);
  fill_options (self, row, row->strategy, 3, &options);
  group = urb_group_new (&options, &first, &error);
  g_assert_no_error (error);
  train (group, 4, metrics);
  for (int r = 0; r < 3; r++)
    {
      UrbBoardRank rank;
      g_autofree char *label = NULL;

      urb_board_read (board, r, &rank);
      g_assert_cmpint (rank.n_collectives, >, 10);
      if (r > 0) /* may be idle already */
        continue;
      g_assert_cmpint (rank.instruction, >, 10);
      label = urb_board_dup_label (board, r, rank.instruction);
      g_assert_nonnull (label);
    }
  /* Replicas do no updates, and no instruction of theirs is named so.  Each rank of a pipeline has
   * layers of one network or of both. */
  for (int r = 0; r < 3 && !urb_strategy_is_pipeline (row->strategy); r++)
    g_assert_cmpint (count_updates (board, r), ==,
                     row->strategy == URB_STRATEGY_DP && r > 0 ? 0 : count_updates (board, 0));
  g_assert_cmpint (count_updates (board, 0), >, 0);
  g_clear_pointer (&group, urb_group_free);
  for (int r = 1; r < 3; r++)
    {
      UrbBoardRank rank;

      urb_board_read (board, r, &rank);
      g_assert_cmpint (rank.state, ==, URB_RANK_ABSENT);
      g_assert_cmpint (rank.step, ==, 4);
    }
}

/* A timeline contains the instructions and collectives of every rank, in order. */
static void
test_trace (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_autoptr(UrbGroup) group = open_group (self, row, row->strategy, 3);
  g_autofree char *path = g_build_filename (self->folder, "trace.json", NULL), *text = NULL;
  g_autoptr(GError) error = NULL;
  UrbStepMetrics metrics[4];
  UrbTraceSummary summary;
  int n_events[3][2];

  train (group, 2, metrics);
  urb_group_start_trace (group, &error);
  g_assert_no_error (error);
  train (group, 2, metrics);
  urb_group_end_trace (group, path, &summary, &error);
  g_assert_no_error (error);
  train (group, 1, metrics);

  g_assert_cmpint (summary.first_step, ==, 3);
  g_assert_cmpint (summary.n_steps, ==, 2);
  g_assert_cmpint (summary.n_ranks, ==, 3);
  g_assert_cmpfloat (summary.step_s, >, 0);
  g_assert_cmpfloat (summary.comm_share, >, 0);
  g_assert_cmpfloat (summary.comm_share, <=, 1);
  g_assert_cmpfloat (summary.overlap_share, >=, 0);
  g_assert_cmpfloat (summary.overlap_share, <=, 1);
  g_assert_cmpfloat (summary.hideable_share, >=, 0);
  g_assert_cmpfloat (summary.hideable_share, <=, 1);
  text = urb_trace_summary_dup_text (&summary);
  g_test_message ("%s", text);

  trace_file_check (path, 3, n_events);
  for (int r = 0; r < 3; r++)
    {
      g_assert_cmpint (n_events[r][0], >, 30);
      if (!urb_strategy_is_pipeline (row->strategy)) /* there, ends have fewer neighbors */
        g_assert_cmpint (n_events[r][1], ==, n_events[0][1]);
    }
  g_assert_cmpint (n_events[0][1], >=, 2 * 3); /* two networks and the metrics, twice */
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;

  fill_options (self, row, row->strategy, 5, &options);
  options.batch = 24;
  group = urb_group_new (&options, NULL, &error);
  g_assert_null (group);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
  g_assert_nonnull (strstr (error->message, "20 or 25"));
}

/* A rank needs a layer. */
static void
test_too_deep (Fixture *self, gconstpointer data)
{
  const Case *row = data;
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbGroup) group = NULL;
  g_autoptr(GError) error = NULL;

  fill_options (self, row, row->strategy, 30, &options);
  group = urb_group_new (&options, NULL, &error);
  g_assert_null (group);
  g_assert_error (error, URB_STEP_ERROR, URB_STEP_ERROR_LAYOUT);
  g_assert_nonnull (strstr (error->message, "30 ranks"));
}

/* ------------------------------------------------------------------------ */

static void
add (const char *what, const Case *row, void (*test) (Fixture *, gconstpointer))
{
  g_autofree char *mesh = row->mesh == NULL ? NULL
                                            : g_strdup_printf ("%s,%s,zero=%d", row->mesh, row->schedule, row->zero);
  g_autofree char *variant = row->is_regular       ? g_strdup ("/regular")
                             : row->averages_equally ? g_strdup ("/equal-average")
                             : row->n_d_steps == 0 ? g_strdup ("")
                                                   : g_strdup_printf ("/d-steps=%d", row->n_d_steps);
  g_autofree char *path = g_strdup_printf ("/strategies/%s/%s/%s/%s/%d%s", what,
                                           mesh != NULL ? mesh : urb_strategy_names[row->strategy],
                                           row->is_residual ? "residual" : row->recipe,
                                           row->backend, row->accumulate, variant);

  g_test_add (path, Fixture, row, set_up, test, tear_down);
}

/* The tests of data parallel ranks.  @s, @r: the indices of strategy and recipe; @is_reference: whether
 * the backend is the slow one, which does less */
static void
add_data (const Case *row, gsize s, gsize r, gboolean is_reference,
          gboolean is_device)
{
  gboolean is_zero = urb_strategy_get_zero_level (row->strategy) > 0;
  /* On a device, the longer tests are those of the first strategy and of the last, which does most. */
  gboolean is_brief = is_device && s != 0 && row->strategy != URB_STRATEGY_ZERO3;

  if (is_zero && (row->accumulate == 1 || row->strategy == URB_STRATEGY_ZERO1))
    add ("same-as-ddp", row, test_same_as_ddp);
  else
    add ("follows", row, test_follows);
  if (is_device && s == 0)
    add ("agrees", row, test_agrees);
  if (row->accumulate == 1 && r == (s + 1) % 2 && !is_brief)
    add ("outside", row, test_outside);
  if (is_zero ? !is_reference && r == 1 && !is_brief : !is_device || (s == 0 && r == 1))
    add ("resumes", row, test_resumes);
  if (is_zero && row->strategy != URB_STRATEGY_ZERO3)
    return;
  if (row->accumulate == 1 && !is_brief && (!is_device || r == 1))
    add ("repeats", row, test_repeats);
  if (row->accumulate == 1 && r == 1 && !is_device)
    add ("own-statistics", row, test_own_statistics);
  if (row->accumulate == 1 && r == 0 && !is_reference && !(is_device && s == 1))
    {
      if (!is_device)
        add ("overflows", row, is_zero ? test_overflows_together : test_overflows);
      add ("diverges", row, test_diverges);
      add ("gives-up", row, test_gives_up);
      add ("board", row, test_board);
      add ("refused", row, test_refused);
      add ("trace", row, test_trace);
    }
}

/* Of tensor parallel ranks. */
static void
add_tensor (const Case *row, gsize r, gboolean is_reference, gboolean is_device)
{
  add ("follows", row, test_follows);
  if (is_device)
    return;
  if (row->accumulate == 1 || !is_reference)
    add ("resumes", row, test_resumes);
  if (row->accumulate == 1 && r == 0)
    add ("outside", row, test_outside);
  if (r != 0 || is_reference || row->accumulate > 1)
    return;
  add ("overflows", row, test_overflows_together);
  add ("repeats", row, test_repeats);
  add ("diverges", row, test_diverges);
  add ("gives-up", row, test_gives_up);
  add ("board", row, test_board);
  add ("refused", row, test_refused);
  add ("trace", row, test_trace);
}

/* Of ranks in a pipeline. */
static void
add_pipeline (const Case *row, gsize r, gboolean is_reference, gboolean is_device)
{
  add ("equals", row, test_equals);
  if (row->accumulate == 1 || is_device)
    return;
  add ("resumes", row, test_resumes);
  if (r == 1)
    add ("outside", row, test_outside);
  if (r != 0 || is_reference)
    return;
  add ("overflows", row, test_overflows_together);
  add ("repeats", row, test_repeats);
  add ("diverges", row, test_diverges);
  add ("gives-up", row, test_gives_up);
  add ("board", row, test_board);
  add ("too-deep", row, test_too_deep);
  add ("trace", row, test_trace);
}

/* Of meshes; on a device, where a step takes long, of two. */
static void
add_meshes (const char *backend, gboolean is_device)
{
  static const struct
  {
    const char *mesh, *schedule;
    int         zero, accumulate;
    gboolean    is_residual;
  } rows[] = {
    { "data=2,pipe=2", "1f1b", 0, 3 },  { "data=3,pipe=2", "zb", 1, 4 },   { "pipe=3,data=2", "gpipe", 2, 1 },
    { "data=2,pipe=2", "layers", 3, 1 }, { "data=2,pipe=2", "interleaved", 0, 2 }, { "data=3", "1f1b", 0, 2 },
    { "data=2", "1f1b", 3, 1 },          { "data=2,tensor=2", "1f1b", 0, 1 }, { "tensor=2,data=2", "1f1b", 0, 2 },
    { "data=2,tensor=2", "1f1b", 0, 1, TRUE }, { "tensor=2,pipe=2", "1f1b", 0, 3 },
    { "tensor=2,pipe=2", "gpipe", 0, 2, TRUE }, { "tensor=2,data=2,pipe=2", "zb", 0, 3 },
  };
  static const char *const recipes[] = { "r3", "dcgan" };
  static Case cases[2 * G_N_ELEMENTS (rows)];

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      gsize k = i / 2;
      Case *row = &cases[i];
      gboolean has_tensor = strstr (rows[k].mesh, "tensor") != NULL;

      *row = (Case) { backend, recipes[i % 2], URB_STRATEGY_MESH, rows[k].accumulate, rows[k].is_residual,
                      rows[k].mesh, rows[k].schedule, rows[k].zero };
      if ((rows[k].is_residual && i % 2 > 0) || (is_device && (i % 2 > 0 || (k > 0 && k + 1 < G_N_ELEMENTS (rows)))))
        continue;
      if (has_tensor)
        add ("follows", row, test_follows);
      else
        add ("same-as-ddp", row, test_mesh_as_ddp);
      if (!is_device && !rows[k].is_residual)
        add ("resumes", row, test_mesh_resumes);
    }
}

int
main (int argc, char **argv)
{
  static const char *const recipes[] = { "r3", "dcgan" };
  static const UrbStrategy strategies[] = { URB_STRATEGY_DDP,   URB_STRATEGY_DP,
                                            URB_STRATEGY_ZERO1, URB_STRATEGY_ZERO2,
                                            URB_STRATEGY_ZERO3,
                                            URB_STRATEGY_LAYERS, URB_STRATEGY_GPIPE,
                                            URB_STRATEGY_1F1B,  URB_STRATEGY_INTERLEAVED,
                                            URB_STRATEGY_ZB,    URB_STRATEGY_TENSOR };
  static Case cases[G_N_ELEMENTS (strategies) * 2 * 2], residual[2];
  static Case extra[] = {
    { .recipe = "r3", .strategy = URB_STRATEGY_DDP, .accumulate = 2, .n_d_steps = 3 },
    { .recipe = "dcgan", .strategy = URB_STRATEGY_DDP, .accumulate = 1, .n_d_steps = 2 },
    { .recipe = "r3", .strategy = URB_STRATEGY_DP, .accumulate = 1, .n_d_steps = 2 },
    { .recipe = "dcgan", .strategy = URB_STRATEGY_DP, .accumulate = 2, .n_d_steps = 3 },
    { .recipe = "dcgan", .strategy = URB_STRATEGY_DDP, .accumulate = 1, .is_regular = TRUE },
    { .recipe = "r3", .strategy = URB_STRATEGY_ZERO3, .accumulate = 1, .is_regular = TRUE },
    { .recipe = "dcgan", .strategy = URB_STRATEGY_ZERO1, .accumulate = 2, .is_regular = TRUE },
  };
  static Case averaged[] = {
    { .recipe = "r3", .strategy = URB_STRATEGY_DDP, .accumulate = 1, .averages_equally = TRUE },
    { .recipe = "r3", .strategy = URB_STRATEGY_DP, .accumulate = 1, .averages_equally = TRUE },
    { .recipe = "dcgan", .strategy = URB_STRATEGY_ZERO3, .accumulate = 1, .averages_equally = TRUE },
    { .recipe = "r3", .strategy = URB_STRATEGY_1F1B, .accumulate = 6, .averages_equally = TRUE },
    { .recipe = "r3", .strategy = URB_STRATEGY_TENSOR, .accumulate = 1, .averages_equally = TRUE },
  };
  const char *why = NULL;
  const char *backend;
  gboolean is_reference, is_device, is_few;
  int n = 0;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 2);
  backend = argv[1];
  is_few = argc > 2 && g_str_equal (argv[2], "few");
  is_reference = g_str_equal (backend, "reference");
  is_device = !is_reference && !g_str_equal (backend, "cpu");
  if (is_device && uk_cuda_count (&why) == 0)
    {
      g_print ("1..0 # SKIP %s\n", why);
      return 0;
    }
  if (is_device)
    {
      n_done = 4;
      most_ranks = 2;
      batch = 12;
    }
  for (gsize s = 0; s < G_N_ELEMENTS (strategies); s++)
    for (gsize r = 0; r < G_N_ELEMENTS (recipes); r++)
      for (int k = 0; k < (is_device ? 1 : 2); k++)
        {
          gboolean is_pipeline = urb_strategy_is_pipeline (strategies[s]);
          Case *row = &cases[n++];

          *row = (Case) { backend, recipes[r], strategies[s],
                          is_pipeline ? (k == 0 ? 1 : 6) : 1 + k };
          if (is_few && !(r == 0 ? strategies[s] == URB_STRATEGY_DDP
                                 : strategies[s] == URB_STRATEGY_ZERO3
                                     || strategies[s] == URB_STRATEGY_1F1B))
            continue;
          if (is_pipeline)
            add_pipeline (row, r, is_reference, is_device);
          else if (strategies[s] == URB_STRATEGY_TENSOR)
            add_tensor (row, r, is_reference, is_device);
          else
            add_data (row, s, r, is_reference, is_device);
        }
  if (!is_few)
    add_meshes (backend, is_device);
  for (gsize k = 0; k < G_N_ELEMENTS (extra); k++)
    {
      extra[k].backend = backend;
      if (!is_device && (!is_few || k == 0))
        add ("follows", &extra[k], test_follows);
    }
  for (gsize k = 0; k < G_N_ELEMENTS (averaged) && !is_device && !is_few; k++)
    {
      averaged[k].backend = backend;
      add ("follows", &averaged[k], test_follows);
    }
  if (!is_device && !is_few)
    add ("outside", &averaged[2], test_outside);
  for (int k = 0; k < 2 && !is_device; k++)
    {
      residual[k] = (Case) { backend, "r3", URB_STRATEGY_TENSOR, 1 + k, TRUE };
      add ("follows", &residual[k], test_follows);
    }
  return g_test_run ();
}
