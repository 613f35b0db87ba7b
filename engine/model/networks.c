/* SPDX-License-Identifier: Apache-2.0 */
/*
 * networks.c - the networks of a preset: the small language of its layers.
 *
 * A line is the kind of layer, its numbers, then options in any order.  Errors (beyond
 * a limit, wrong shape at the end) quote the line, since people write these files by
 * hand.
 */
#include "model/networks.h"

#include <math.h>
#include <string.h>

#include "base/key-file.h"

/* Limits for files of unknown origin. */
#define MAX_LAYERS 200
#define MAX_CHANNELS 16384
#define MAX_PARAMS (G_GINT64_CONSTANT (1) << 33)
#define MAX_ACTIVATION (G_GINT64_CONSTANT (1) << 31)

typedef struct
{
  const UrbPreset *preset;
  UrbNet          *net;
  const char      *group;
  int              n_channels; /* of the image */
  gboolean         norm_is_batch_norm;
  float            branch_scale; /* of a residual branch's first weights */
  int              last;         /* last value written */
} Builder;

typedef struct
{
  int      n_channels; /* 0: not given */
  int      size;
  gboolean bias, bias_each, batch_norm;
  UkAct    act;
} LineOptions;

/* ------------------------------------------------------------------------ */
/* Layers                                                                    */

static gboolean
parse_word (const Builder *self, const char *word, LineOptions *out)
{
  guint64 number;

  if (g_ascii_string_to_unsigned (word, 10, 1, MAX_CHANNELS, &number, NULL))
    *(out->n_channels == 0 ? &out->n_channels : &out->size) = (int) number;
  else if (strcmp (word, "image") == 0)
    out->n_channels = self->n_channels;
  else if (strcmp (word, "bias") == 0)
    out->bias = TRUE;
  else if (strcmp (word, "bias-each") == 0)
    out->bias_each = TRUE;
  else if (strcmp (word, "bn") == 0)
    out->batch_norm = TRUE;
  else if (strcmp (word, "norm") == 0)
    *(self->norm_is_batch_norm ? &out->batch_norm : &out->bias) = TRUE;
  else if (strcmp (word, "relu") == 0)
    out->act = UK_ACT_RELU;
  else if (strcmp (word, "lrelu") == 0)
    out->act = UK_ACT_LEAKY_RELU;
  else if (strcmp (word, "tanh") == 0)
    out->act = UK_ACT_TANH;
  else if (strcmp (word, "head") == 0)
    out->act = self->n_channels == 1 ? UK_ACT_TANH : UK_ACT_SOFTMAX;
  else
    return FALSE;
  return TRUE;
}

/* A convolution, followed by batch norm with the activation if requested. */
static void
add_conv (Builder *self, const LineOptions *line, UrbConvOptions options)
{
  options.n_channels = line->n_channels;
  options.bias = line->bias;
  options.act = line->batch_norm ? UK_ACT_NONE : line->act;
  self->last = urb_net_add_conv (self->net, self->last, &options);
  if (line->batch_norm)
    self->last = urb_net_add_batch_norm (self->net, self->last, line->act);
}

static void
add_dense (Builder *self, const LineOptions *line)
{
  int size = line->size;
  UkShape shape = { 1, size, size, line->n_channels };

  if (!line->bias_each)
    {
      add_conv (self, line, (UrbConvOptions) { .kernel = size, .stride = 1, .transposed = TRUE });
      return;
    }
  self->last = urb_net_add_conv (self->net, self->last,
                                 &(UrbConvOptions) { .n_channels = (int) uk_shape_count (shape),
                                                     .kernel = 1, .stride = 1, .bias = TRUE,
                                                     .act = line->act });
  urb_net_reshape_last (self->net, shape);
}

/* x + conv (lrelu (conv (lrelu (x + b)) + b)), the last weights initialized to 0. */
static void
add_block (Builder *self)
{
  int skip = self->last, c = (int) self->net->out.c;
  UrbConvOptions conv = { .n_channels = c, .kernel = 3, .stride = 1, .pad = 1 };
  int value = urb_net_add_bias_act (self->net, skip, UK_ACT_LEAKY_RELU);

  conv.bias = TRUE;
  conv.act = UK_ACT_LEAKY_RELU;
  conv.init_scale = self->branch_scale;
  value = urb_net_add_conv (self->net, value, &conv);
  conv.bias = FALSE;
  conv.act = UK_ACT_NONE;
  conv.zero_init = TRUE;
  value = urb_net_add_conv (self->net, value, &conv);
  self->last = urb_net_add_add (self->net, value, skip);
}

static gboolean
fail (GError **error, const char *why)
{
  g_set_error_literal (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET, why);
  return FALSE;
}

static gboolean
add_layer (Builder *self, const char *kind, const LineOptions *line, GError **error)
{
  UkShape in = self->net->out;
  gboolean sized = strcmp (kind, "tconv") == 0 || g_str_has_prefix (kind, "conv")
                   || strcmp (kind, "dense") == 0;

  if (sized && line->n_channels == 0)
    return fail (error, "the number of channels is missing");
  if (strcmp (kind, "dense") == 0)
    {
      if (line->size < 1 || line->size > 64 || in.h != 1 || in.w != 1)
        return fail (error, "dense needs a size from 1 to 64, and an input of one pixel");
      add_dense (self, line);
    }
  else if (strcmp (kind, "tconv") == 0)
    add_conv (self, line, (UrbConvOptions) { .kernel = 4, .stride = 2, .pad = 1, .transposed = TRUE });
  else if (strcmp (kind, "conv4") == 0 && in.h % 2 == 0)
    add_conv (self, line, (UrbConvOptions) { .kernel = 4, .stride = 2, .pad = 1 });
  else if (strcmp (kind, "conv3") == 0)
    add_conv (self, line, (UrbConvOptions) { .kernel = 3, .stride = 1, .pad = 1 });
  else if (strcmp (kind, "conv1") == 0)
    add_conv (self, line, (UrbConvOptions) { .kernel = 1, .stride = 1 });
  else if (strcmp (kind, "logit") == 0)
    {
      LineOptions one = { .n_channels = 1, .bias = line->bias };

      add_conv (self, &one, (UrbConvOptions) { .kernel = (int) in.h, .stride = 1 });
    }
  else if (strcmp (kind, "block") == 0)
    add_block (self);
  else if (strcmp (kind, "up") == 0 && in.h <= 4096)
    self->last = urb_net_add_resample (self->net, self->last, TRUE);
  else if (strcmp (kind, "down") == 0 && in.h % 2 == 0)
    self->last = urb_net_add_resample (self->net, self->last, FALSE);
  else if (strcmp (kind, "depthwise") == 0)
    self->last = urb_net_add_depthwise (self->net, self->last);
  else
    return fail (error, "this kind of layer does not exist, or its input has the wrong size");
  return TRUE;
}

static gboolean
add_line (Builder *self, const char *text, GError **error)
{
  g_auto(GStrv) words = g_strsplit_set (text, " \t", -1);
  LineOptions line = { 0 };

  for (guint i = 1; words[0] != NULL && words[i] != NULL; i++)
    if (words[i][0] != '\0' && !parse_word (self, words[i], &line))
      {
        g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
                     "unknown word “%s”", words[i]);
        return FALSE;
      }
  if (words[0] == NULL)
    return fail (error, "a layer is missing");
  if (!add_layer (self, words[0], &line, error))
    return FALSE;
  if (self->net->n_params > MAX_PARAMS || uk_shape_count (self->net->out) > MAX_ACTIVATION)
    return fail (error, "the network exceeds the size limit");
  return TRUE;
}

/* R3GAN: a branch with m = 3 layers among L branches starts at L^(-1 / (2 m - 2)). */
static float
branch_scale (char **keys, GKeyFile *file, const char *group)
{
  int n_blocks = 0;

  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *text = g_key_file_get_string (file, group, keys[i], NULL);

      n_blocks += text != NULL && g_str_has_prefix (text, "block");
    }
  return (float) pow (MAX (n_blocks, 1), -0.25);
}

static gboolean
build (Builder *self, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_auto(GStrv) keys = NULL;

  if (!urb_key_file_read (file, self->preset->text, error))
    return FALSE;
  keys = g_key_file_get_keys (file, self->group, NULL, error);
  if (keys == NULL)
    return FALSE;
  if (g_strv_length (keys) > MAX_LAYERS)
    return fail (error, "there are too many layers");
  self->branch_scale = branch_scale (keys, file, self->group);
  for (guint i = 0; keys[i] != NULL; i++)
    {
      g_autofree char *text = g_key_file_get_string (file, self->group, keys[i], error);

      if (text == NULL || !add_line (self, g_strstrip (text), error))
        {
          g_prefix_error (error, "[%s] %s=%s: ", self->group, keys[i], text != NULL ? text : "");
          return FALSE;
        }
    }
  return TRUE;
}

/* Appends the layers of [@group] to the network, which must then end at @out. */
static gboolean
build_group (Builder *self, const char *group, UkShape out, GError **error)
{
  g_autoptr(GError) local = NULL;
  UkShape end;

  self->group = group;
  if (build (self, &local))
    {
      end = self->net->out;
      if (end.h == out.h && end.w == out.w && end.c == out.c)
        return TRUE;
      g_set_error (&local, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
                   "[%s] ends at %d x %d pixels of %d channels rather than %d x %d of %d", group,
                   (int) end.w, (int) end.h, (int) end.c, (int) out.w, (int) out.h, (int) out.c);
    }
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
               "The preset “%s” cannot be used: %s.", self->preset->name, local->message);
  return FALSE;
}

static UkShape
image_shape (int size_px, int n_channels)
{
  return (UkShape) { 1, size_px, size_px, n_channels };
}

UrbNet *
urb_preset_build_generator (const UrbPreset *self, int n_channels, gboolean refine, GError **error)
{
  int n_inputs = self->n_latent + (self->has_shares ? UK_N_SHARES : 0);
  g_autoptr(UrbNet) net = urb_net_new ("g", (UkShape) { 1, 1, 1, n_inputs });
  Builder builder = { .preset = self, .net = net, .n_channels = n_channels };

  gint64 n_state;

  if (!build_group (&builder, "generator", image_shape (self->size_px, n_channels), error))
    return NULL;
  n_state = net->n_state;
  if (refine && !build_group (&builder, "refiner", image_shape (self->refined_px, n_channels), error))
    return NULL;
  if (net->n_state == n_state)
    return g_steal_pointer (&net);
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
               "The preset “%s” cannot be used: a [refiner] has no batch norm.", self->name);
  return NULL;
}

int
urb_preset_get_crop_px (const UrbPreset *self)
{
  return self->size_px / 8 * 3;
}

UrbNet *
urb_preset_build_refiner (const UrbPreset *self, const UrbNet *generator, int crop_px,
                          GError **error)
{
  int n_channels = (int) generator->out.c;
  g_autoptr(UrbNet) net = urb_net_new (URB_REFINER_NAME, image_shape (crop_px, n_channels));
  Builder builder = { .preset = self, .net = net, .n_channels = n_channels };
  int fine_px = crop_px * (self->refined_px / self->size_px);

  if (!build_group (&builder, "refiner", image_shape (fine_px, n_channels), error))
    return NULL;
  urb_net_move_params (net, generator->n_params - net->n_params);
  return g_steal_pointer (&net);
}

UrbNet *
urb_preset_build_discriminator (const UrbPreset *self, int n_channels, gboolean norm_in_d,
                                GError **error)
{
  g_autoptr(UrbNet) net = urb_net_new ("d", image_shape (self->size_px, n_channels));
  Builder builder = { .preset = self, .net = net, .n_channels = n_channels,
                      .norm_is_batch_norm = norm_in_d };

  return build_group (&builder, "discriminator", (UkShape) { 1, 1, 1, 1 }, error)
           ? g_steal_pointer (&net) : NULL;
}
