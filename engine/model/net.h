/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.h - a network as a table: layers in order, and one flat parameter block.
 *
 * A network is a list of layers in topological order.  Layer i reads one or two
 * earlier values and writes value i + 1; value 0 is the network's input.  All
 * parameters live in one flat block of n_params elements, all running statistics in
 * another of n_state; each tensor is a table row with its name, shape and offset.
 * Buckets, shards, checkpoints and clipping are then ranges of one block.
 *
 * Shapes here are those of one sample: their n is 1.
 */
#pragma once

#include <glib.h>

#include "kernels/uk.h"

G_BEGIN_DECLS

typedef enum
{
  URB_LAYER_CONV,       /* also transposed and fully connected */
  URB_LAYER_BATCH_NORM, /* with its activation */
  URB_LAYER_BIAS_ACT,
  URB_LAYER_UPSAMPLE,
  URB_LAYER_DOWNSAMPLE,
  URB_LAYER_ADD,
  URB_LAYER_DEPTHWISE
} UrbLayerKind;

typedef struct
{
  UrbLayerKind kind;
  int          input, input2; /* values read; input2 only for URB_LAYER_ADD, else -1 */
  UkShape      in, out;       /* for this layer; reshaping is free in NHWC */
  int          kernel, stride, pad;
  gboolean     transposed;
  UkAct        act;
  float        slope;
  int          weight;       /* index into params; -1: none.  Batch norm: its gamma */
  int          bias;         /* index into params; -1: none.  Batch norm: its beta */
  int          running_mean; /* index into states; batch norm only, else -1 */
  int          running_var;
} UrbLayer;

typedef enum
{
  URB_INIT_ZERO,
  URB_INIT_ONE,
  URB_INIT_NORMAL /* mean: 1 for batch norm's gamma, else 0 */
} UrbInit;

/* A tensor of a block.  A convolution's weights are (o, i, kh, kw), a transposed one's (i, o, kh, kw), as in PyTorch and
 * in checkpoints; in a block, the second dimension is the innermost: see kernels/uk.h. */
typedef struct
{
  char   *name; /* owned; "g.3.weight" */
  int     n_dims;
  gint64  shape[4];
  gint64  count;  /* elements */
  gint64  offset; /* first element within its block */
  UrbInit init;
  float   mean, std; /* of URB_INIT_NORMAL */
} UrbParam;

typedef struct
{
  char   *name;    /* owned; "g" or "d" */
  UkShape in, out; /* of one sample */
  GArray *layers;  /* of UrbLayer */
  GArray *params;  /* of UrbParam: trained parameters */
  GArray *states;  /* of UrbParam: running statistics of batch norm */
  gint64  n_params, n_state;
} UrbNet;

UrbNet *urb_net_new  (const char *name, UkShape in);
void    urb_net_free (UrbNet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbNet, urb_net_free)

const UrbLayer *urb_net_get_layer (const UrbNet *self, int index);
const UrbParam *urb_net_get_param (const UrbNet *self, int index);
const UrbParam *urb_net_get_state (const UrbNet *self, int index);
int             urb_net_get_n_layers (const UrbNet *self);

/* The shape of a value: 0 is the input, i + 1 the output of layer i. */
UkShape urb_net_get_value_shape (const UrbNet *self, int value);

gboolean urb_net_has_batch_norm (const UrbNet *self);

/* Elements per row; a row is one entry of the first dimension.  Both orders have the same elements in each. */
gint64   urb_param_get_row      (const UrbParam *self);
/* Reorders whole rows, from the order of shapes, which files have, to that of blocks, and back.
 * @values: (@count) floats, or doubles if @element_size is 8 */
void     urb_param_to_block     (const UrbParam *self, gint64 count, gsize element_size, void *values);
void     urb_param_from_block   (const UrbParam *self, gint64 count, gsize element_size, void *values);

/* Adds @offset to the offsets of all parameters: the network then uses a part of a larger block. */
void     urb_net_move_params    (UrbNet *self, gint64 offset);

/* The forward operation of layer @index for @n samples. */
UkOpDesc urb_net_get_forward_desc (const UrbNet *self, int index, gint64 n);

/* Appends a layer and completes it: shapes from its inputs, parameters from its
 * shapes.  Returns the value it writes. */
typedef struct
{
  int      n_channels;
  int      kernel, stride, pad;
  gboolean transposed;
  gboolean bias;
  UkAct    act;
  gboolean zero_init;
  float    init_scale; /* factor of the initial weights; 0 means 1 */
} UrbConvOptions;

int urb_net_add_conv       (UrbNet *self, int input, const UrbConvOptions *options);
/* Reshapes the output of the last convolution to another shape with as many elements. */
void urb_net_reshape_last  (UrbNet *self, UkShape shape);
int urb_net_add_batch_norm (UrbNet *self, int input, UkAct act);
int urb_net_add_bias_act   (UrbNet *self, int input, UkAct act);
int urb_net_add_resample   (UrbNet *self, int input, gboolean up);
int urb_net_add_add        (UrbNet *self, int input, int input2);
int urb_net_add_depthwise  (UrbNet *self, int input);

/* How weights are initialized (see gan-recipe in docs/architecture.md). */
typedef enum
{
  URB_INIT_SCHEME_HE,   /* N(0, gain / sqrt (fan in)), gain for leaky ReLU 0.2 */
  URB_INIT_SCHEME_DCGAN /* N(0, 0.02), batch norm's gamma N(1, 0.02) */
} UrbInitScheme;

void urb_net_set_init_scheme (UrbNet *self, UrbInitScheme scheme);

/* The initial values of elements [@first, @first + @count) of a tensor, whole rows, from Philox stream @stream of @seed.
 * @values: (out): (@count) in the order of blocks */
void urb_param_init      (const UrbParam *self, guint64 seed, guint32 stream, gint64 first, gint64 count,
                          float *values);
/* All of a network.  @params: (n_params); @state: (n_state) */
void urb_net_init_values (const UrbNet *self, guint64 seed, guint32 stream, float *params,
                          float *state);

G_END_DECLS
