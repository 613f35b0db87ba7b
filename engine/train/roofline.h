/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline.h - what a step on a GPU costs at least: arithmetic, memory traffic, kernels.
 *
 * Computed from the program that the rank would run there, each instruction with its shapes, on a machine
 * without a GPU.  A measured step is read against it.
 */
#pragma once

#include "step/program.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

/* What a GPU reaches in large products and large copies. */
typedef struct
{
  const char *name;                   /* "H200"; NULL if only numbers are known */
  double      flops[UK_N_PRECISIONS]; /* FLOP/s, by precision */
  double      bytes;                  /* bytes/s, read and written */
} UrbGpu;

/* "h200", "h100", or "tflops=700,tbytes=4.1"; also a GPU with another number, as in "h100,tbytes=3". */
gboolean urb_gpu_parse (const char *text, UrbGpu *out, GError **error);

/* What memory traffic is for. */
typedef enum
{
  URB_TRAFFIC_CONV,         /* values that convolutions read and write */
  URB_TRAFFIC_CONV_WEIGHTS, /* their weights and weight gradients */
  URB_TRAFFIC_ELEMENTWISE,  /* everything between convolutions, such as batch norm */
  URB_TRAFFIC_UPDATE,       /* Adam, norms, copies and the order of weights: the same at any batch */
  URB_N_TRAFFICS
} UrbTraffic;

typedef struct
{
  gint64 images;     /* real images of a step, of this rank */
  double conv_flops; /* the others are negligible */
  double bytes[URB_N_TRAFFICS];
  double op_bytes[UK_N_OPS]; /* the elementwise ones by operation; bias and activation after a convolution,
                              * which a library may do at once, are UK_OP_BIAS_ACT */
  guint  n_kernels;      /* at least */
  double conv_s, elementwise_s, update_s; /* at least */
} UrbRoofline;

double urb_roofline_get_seconds (const UrbRoofline *self);

/* Of the first rank of @options, whose device is not used. */
gboolean urb_roofline_make (const UrbTrainOptions *options, const UrbGpu *gpu, UrbRoofline *out,
                            GError **error);

/* @program: planned for @backend */
void     urb_roofline_count (const UrbProgram *program, const UkBackend *backend, const UrbGpu *gpu,
                             UkPrecision precision, UrbRoofline *out);

G_END_DECLS
