/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-presets.c - the documented parameter counts of the presets, and errors in
 * presets written by hand.
 */
#include <string.h>

#include "model/networks.h"

typedef struct
{
  const char *preset;
  int         n_channels;
  gboolean    norm_in_d;
  gint64      n_params_g, n_params_d;
} Count;

/* The first six are computed by hand from the recipe's layer tables; grey differs only
 * in the last layer of G and the first of D. */
static const Count counts[] = {
  { "tiny", 3, FALSE, 304115, 175089 },
  { "tiny", 1, FALSE, 303601, 174577 },
  { "tiny-shares", 3, FALSE, 304115 + 3 * 128 * 4 * 4, 175089 }, /* three inputs more */
  { "small", 3, FALSE, 959731, 701681 },
  { "dcgan-32m", 3, FALSE, 32161635, 27940801 },
  { "dcgan-32m", 1, FALSE, 32161057, 27938753 },
  { "modern-32m", 3, FALSE, 32164899, 30068256 },
  { "modern-32m", 1, FALSE, 32164833, 30068192 },
  { "city-1b", 3, FALSE, 1005131547, 100694808 },
  /* Batch norm has a scale and a shift instead of the bias: 2944 more. */
  { "dcgan-32m", 3, TRUE, 32161635, 27943745 },
};

static void
test_counts (gconstpointer data)
{
  const Count *count = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load (count->preset, &error);
  g_autoptr(UrbNet) g = NULL, d = NULL;

  g_assert_no_error (error);
  g = urb_preset_build_generator (preset, count->n_channels, FALSE, &error);
  g_assert_no_error (error);
  d = urb_preset_build_discriminator (preset, count->n_channels, count->norm_in_d, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g->n_params, ==, count->n_params_g);
  g_assert_cmpint (d->n_params, ==, count->n_params_d);
  g_assert_cmpint (urb_net_has_batch_norm (d), ==, count->norm_in_d);
}

/* The refiner's parameters are the last ones of the generator that was built with it, and in
 * the same order, whatever the size of the images. */
static void
test_refiner (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", &error);
  g_autoptr(UrbNet) base = urb_preset_build_generator (preset, 3, FALSE, &error);
  g_autoptr(UrbNet) whole = urb_preset_build_generator (preset, 3, TRUE, &error);
  g_autoptr(UrbNet) refiner = urb_preset_build_refiner (preset, whole, 24, &error);

  g_assert_no_error (error);
  g_assert_cmpint (whole->out.h, ==, 256);
  g_assert_cmpint (refiner->in.h, ==, urb_preset_get_crop_px (preset));
  g_assert_cmpint (refiner->out.w, ==, 4 * 24);
  g_assert_cmpint (base->n_params + refiner->n_params, ==, whole->n_params);
  for (guint i = 0; i < whole->params->len; i++)
    {
      const UrbParam *param = urb_net_get_param (whole, (int) i), *other;

      other = i < base->params->len
                ? urb_net_get_param (base, (int) i)
                : urb_net_get_param (refiner, (int) (i - base->params->len));
      g_assert_cmpint (param->offset, ==, other->offset);
      g_assert_cmpmem (param->shape, sizeof param->shape, other->shape, sizeof other->shape);
    }
}

/* So that many ranks can divide it evenly. */
static void
test_small_tensors (void)
{
  g_autoptr(UrbPreset) preset = urb_preset_load ("city-1b", NULL);
  g_autoptr(UrbNet) net = urb_preset_build_generator (preset, 3, FALSE, NULL);

  g_assert_cmpint (net->n_params, >, 1000 * 1000 * 1000);
  for (guint i = 0; i < net->params->len; i++)
    g_assert_cmpint (urb_net_get_param (net, (int) i)->count * 100, <=, 3 * net->n_params);
}

static void
test_list (void)
{
  g_auto(GStrv) names = urb_preset_list ();

  g_assert_true (g_strv_contains ((const char *const *) names, "tiny"));
  g_assert_true (g_strv_contains ((const char *const *) names, "modern-32m"));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbPreset) preset = urb_preset_load (names[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (preset->name, ==, names[i]);
    }
}

/* The lines of the base, but for one's own; its text needs no base. */
static void
test_base (void)
{
  static const char text[] = "[preset]\nbase=tiny\nbatch=5\nrefined-size=0\n[generator]\n2=tconv 32 bias lrelu\n";
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) tiny = urb_preset_load ("tiny", NULL);
  g_autoptr(UrbPreset) mine = urb_preset_load_text ("mine", text, &error), again = NULL;
  g_autofree char *difference = NULL, *none = NULL;
  g_autoptr(UrbNet) net = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (mine->batch, ==, 5);
  g_assert_cmpint (mine->n_steps, ==, tiny->n_steps);
  g_assert_cmpint (mine->refined_px, ==, 0);
  g_assert_cmpstr (mine->title, ==, "mine");
  net = urb_preset_build_generator (mine, 3, FALSE, &error);
  g_assert_no_error (error);
  difference = urb_preset_dup_difference (mine, tiny);
  g_assert_cmpstr (difference, ==, "[preset] refined-size is “0”, and was “256”");
  g_assert_null (strstr (mine->text, "base"));
  again = urb_preset_load_text ("mine", mine->text, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->text, ==, mine->text);
  none = urb_preset_dup_difference (again, mine);
  g_assert_null (none);
}

#define HEAD "[preset]\nimage-size=8\nlatent=4\nbatch=2\nsteps=100\n"

typedef struct
{
  const char *text;
  const char *complaint; /* part of the message */
} Bad;

static const Bad bad[] = {
  { "[preset]\nlatent=4\nbatch=1\nsteps=100\n", "image-size" },
  { "", "" },
  { "[preset]\nbase=../tiny\n", "“../tiny”" },
  { "[preset]\nbase=\n", "base" },
  { "[preset]\nbase=t\xffny\n", "base" },
  { "[preset]\nbase=tiny\nshare=true\n", "there is no key “share”" },
  { "[preset]\nbase=tiny\n[Generator]\n2=tconv 32\n", "there is no group “[Generator]”" },
  { "[preset]\nbase=tiny\nlatent=no\n", "latent" },
  { "no key file at all", "" },
  { "[preset]\nimage-size=999999\nlatent=4\nbatch=1\nsteps=100\n", "image-size" },
  { "[preset]\nimage-size=8\nlatent=4\nbatch=1\nsteps=100\nlr=-1\n", "lr" },
  { HEAD, "" },
  { HEAD "[generator]\n1=dense 4 4\n", "ends at" },
  { HEAD "[generator]\n1=dense 4 4 blue\n", "blue" },
  { HEAD "[generator]\n1=\n", "[generator] 1=: a layer is missing" },
  { HEAD "[generator]\n1= \n", "[generator] 1=: a layer is missing" },
  { HEAD "[generator]\n1=t\xff" "conv 4\n", "[generator] 1=" },
  { HEAD "[generator]\n1=wobble 4\n", "this kind of layer does not exist" },
  { HEAD "[generator]\n1=tconv\n", "channels" },
  { HEAD "[generator]\n1=dense 16384 64\n2=tconv 16384\n3=tconv 16384\n", "exceeds the size limit" },
  { HEAD "refined-size=24\n[generator]\n1=dense image 8\n", "power of two" },
  { HEAD "refined-size=8\n[generator]\n1=dense image 8\n", "refined-size" },
  { HEAD "refined-size=16\n[generator]\n1=dense image 8\n", "refiner" },
  { HEAD "refined-size=16\n[generator]\n1=dense image 8\n[refiner]\n1=conv3 image\n", "ends at" },
  { HEAD "refined-size=16\n[generator]\n1=dense image 8\n[refiner]\n1=tconv image bn\n", "no batch norm" },
  { HEAD "[generator]\n1=down\n", "this kind of layer does not exist" },
};

static void
test_bad (gconstpointer data)
{
  const Bad *row = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbPreset) preset = urb_preset_load_text ("mine", row->text, &error);
  g_autoptr(UrbNet) net = preset == NULL ? NULL
                                         : urb_preset_build_generator (preset, 3,
                                                                       preset->refined_px > 0, &error);

  g_assert_null (net);
  g_assert_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET);
  g_assert_nonnull (strstr (error->message, "mine"));
  if (strstr (error->message, row->complaint) == NULL)
    g_error ("“%s” does not mention “%s”", error->message, row->complaint);
}

static void
test_init (void)
{
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_autoptr(UrbNet) net = urb_preset_build_generator (preset, 3, FALSE, NULL);
  const UrbParam *weight = urb_net_get_param (net, urb_net_get_layer (net, 1)->weight);
  g_autofree float *a = g_new (float, net->n_params), *b = g_new (float, net->n_params);
  double sum = 0, squares = 0;

  urb_net_init_values (net, 7, 1, a, NULL);
  urb_net_init_values (net, 7, 1, b, NULL);
  g_assert_cmpmem (a, sizeof (float) * net->n_params, b, sizeof (float) * net->n_params);
  urb_net_init_values (net, 8, 1, b, NULL);
  g_assert_cmpfloat (a[0], !=, b[0]);
  for (gint64 i = 0; i < weight->count; i++)
    {
      double value = a[weight->offset + i];

      sum += value;
      squares += value * value;
    }
  g_assert_cmpfloat_with_epsilon (sum / weight->count, 0, 1e-3);
  g_assert_cmpfloat_with_epsilon (squares / weight->count / (weight->std * weight->std), 1, 0.02);
}

/* In a block, the second dimension is the innermost. */
static void
test_orders (void)
{
  const UrbParam param = { .n_dims = 4, .shape = { 2, 3, 2, 2 }, .count = 24 };
  const UrbParam depthwise = { .n_dims = 3, .shape = { 2, 3, 2 }, .count = 12 };
  float values[24];
  double wide[24];

  g_assert_cmpint (urb_param_get_row (&param), ==, 12);
  for (int i = 0; i < 24; i++)
    wide[i] = values[i] = (float) i;
  urb_param_to_block (&param, 24, sizeof *values, values);
  urb_param_to_block (&param, 24, sizeof *wide, wide);
  for (int o = 0; o < 2; o++)
    for (int i = 0; i < 3; i++)
      for (int tap = 0; tap < 4; tap++)
        {
          g_assert_cmpfloat (values[(o * 4 + tap) * 3 + i], ==, (o * 3 + i) * 4 + tap);
          g_assert_cmpfloat (wide[(o * 4 + tap) * 3 + i], ==, (o * 3 + i) * 4 + tap);
        }
  urb_param_from_block (&param, 24, sizeof *values, values);
  urb_param_from_block (&param, 12, sizeof *wide, wide + 12); /* one of the rows */
  for (int i = 0; i < 24; i++)
    g_assert_true (values[i] == i && (i < 12 || wide[i] == i));
  urb_param_to_block (&depthwise, 12, sizeof *values, values);
  for (int i = 0; i < 24; i++)
    g_assert_cmpfloat (values[i], ==, i);
}

/* A tensor in pieces is the whole tensor. */
static void
test_pieces (void)
{
  const UrbParam param = { .n_dims = 4, .shape = { 6, 5, 3, 3 }, .count = 270, .offset = 7, .init = URB_INIT_NORMAL,
                           .std = 1 };
  float whole[270], pieces[270];

  urb_param_init (&param, 3, 1, 0, 270, whole);
  for (gint64 first = 0; first < 270; first += 90)
    urb_param_init (&param, 3, 1, first, 90, pieces + first);
  g_assert_cmpmem (whole, sizeof whole, pieces, sizeof pieces);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autofree char *path = g_strdup_printf ("/presets/counts/%s-%d%s", counts[i].preset,
                                               counts[i].n_channels,
                                               counts[i].norm_in_d ? "-norm" : "");

      g_test_add_data_func (path, &counts[i], test_counts);
    }
  g_test_add_func ("/presets/refiner", test_refiner);
  g_test_add_func ("/presets/small-tensors", test_small_tensors);
  g_test_add_func ("/presets/list", test_list);
  g_test_add_func ("/presets/base", test_base);
  g_test_add_func ("/presets/init", test_init);
  g_test_add_func ("/presets/orders", test_orders);
  g_test_add_func ("/presets/pieces", test_pieces);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *path = g_strdup_printf ("/presets/bad/%" G_GSIZE_FORMAT, i);

      g_test_add_data_func (path, &bad[i], test_bad);
    }
  return g_test_run ();
}
