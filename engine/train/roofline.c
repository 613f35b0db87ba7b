/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline.c - see roofline.h.
 *
 * Instructions run one after the other, so their bounds add up.  A convolution takes as long as its arithmetic
 * or its memory traffic, the longer of the two; everything else as long as its traffic.
 */
#include "train/roofline.h"

#include <string.h>

#include "settings/strategy.h"
#include "train/compile.h"

/* Of its data sheet, what a GPU reaches in large dense products and in large copies; measured ones are better:
 * urb_gpu_parse(). */
static const double REACHED_FLOPS = 0.8, REACHED_BYTES = 0.9;

static const UrbGpu data_sheets[] = {
  { "H200", { [UK_FP32] = 67e12, [UK_TF32] = 494.5e12, [UK_BF16] = 989e12, [UK_FP16] = 989e12 }, 4.8e12 },
  { "H100", { [UK_FP32] = 67e12, [UK_TF32] = 494.5e12, [UK_BF16] = 989e12, [UK_FP16] = 989e12 }, 3.35e12 },
};

/* ------------------------------------------------------------------------ */
/* GPUs                                                                      */

static gboolean
find_gpu (const char *name, UrbGpu *out)
{
  for (gsize i = 0; i < G_N_ELEMENTS (data_sheets); i++)
    if (g_ascii_strcasecmp (data_sheets[i].name, name) == 0)
      {
        *out = data_sheets[i];
        out->bytes *= REACHED_BYTES;
        for (gsize p = 0; p < G_N_ELEMENTS (out->flops); p++)
          out->flops[p] *= REACHED_FLOPS;
        return TRUE;
      }
  return FALSE;
}

/* What the GPU reaches. */
static gboolean
read_number (const char *part, UrbGpu *out)
{
  const char *equals = strchr (part, '=');
  char *end;
  double value;

  if (equals == NULL)
    return FALSE;
  value = g_ascii_strtod (equals + 1, &end);
  if (end == equals + 1 || *end != '\0' || !(value > 0) || !(value < 1e6))
    return FALSE;
  if (g_str_has_prefix (part, "tflops="))
    for (gsize p = 0; p < G_N_ELEMENTS (out->flops); p++)
      out->flops[p] = value * 1e12;
  else if (g_str_has_prefix (part, "tbytes="))
    out->bytes = value * 1e12;
  else
    return FALSE;
  return TRUE;
}

gboolean
urb_gpu_parse (const char *text, UrbGpu *out, GError **error)
{
  g_auto(GStrv) parts = g_strsplit (text, ",", -1);
  gboolean is_good = TRUE;

  *out = (UrbGpu) { 0 };
  for (int i = 0; parts[i] != NULL && is_good; i++)
    {
      const char *part = g_strstrip (parts[i]);

      is_good = (i == 0 && find_gpu (part, out)) || read_number (part, out);
    }
  if (!is_good || out->flops[UK_FP32] == 0 || out->bytes == 0)
    return urb_options_fail (error, "“%s” describes no GPU; write h200, h100, or both of what yours reaches, as in "
                                    "tflops=700,tbytes=4.1.", text);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Counting                                                                  */

typedef struct
{
  const UrbProgram *program; /* borrowed */
  const UkBackend  *backend; /* borrowed */
  const UrbGpu     *gpu;     /* borrowed */
  double            flops;   /* FLOP/s of convolutions */
  UrbRoofline      *out;     /* borrowed */
} Counter;

/* A kernel that is no convolution. */
static void
add (const Counter *self, UrbTraffic traffic, double n_bytes)
{
  double *seconds = traffic == URB_TRAFFIC_UPDATE ? &self->out->update_s : &self->out->elementwise_s;

  self->out->bytes[traffic] += n_bytes;
  *seconds += n_bytes / self->gpu->bytes;
  self->out->n_kernels++;
}

static void
add_elementwise (const Counter *self, UkOpKind kind, double n_bytes)
{
  self->out->op_bytes[kind] += n_bytes;
  add (self, URB_TRAFFIC_ELEMENTWISE, n_bytes);
}

/* Bias and activation, in place: see run_conv() in kernels/cuda/conv.c. */
static void
add_epilogue (const Counter *self, const UrbInstruction *conv)
{
  if (conv->desc.act != UK_ACT_NONE || conv->args[2].buffer >= 0)
    add_elementwise (self, UK_OP_BIAS_ACT,
                     urb_instruction_count_arg_bytes (conv, 2, self->backend)
                       + 2 * urb_instruction_count_arg_bytes (conv, 3, self->backend));
}

/* A weight gradient that is added to another is first written by itself: see run_wgrad() in kernels/cuda/conv.c.  So is
 * one that cuDNN rounds, or that is not aligned; here all are float and aligned.
 * Returns: the bytes that the convolution itself writes */
static double
add_sum (const Counter *self, const UrbInstruction *wgrad)
{
  const UkOpDesc *desc = &wgrad->desc;
  double n_bytes = urb_instruction_count_arg_bytes (wgrad, 2, self->backend);
  double made = (double) uk_op_arg_count (desc, 2) * (double) uk_type_size (self->backend, UK_REAL);

  if (desc->accumulate)
    add (self, URB_TRAFFIC_UPDATE, made + n_bytes);
  return made;
}

static void
count_conv (const Counter *self, const UrbInstruction *instruction)
{
  const UkOpInfo *info = uk_op_info (instruction->desc.kind);
  double flops = uk_op_flops (&instruction->desc), values = 0, weights = 0;

  for (int arg = 0; arg < info->n_args; arg++)
    {
      double n_bytes = urb_instruction_count_arg_bytes (instruction, arg, self->backend);

      if (info->args[arg].type == UK_VALUE)
        values += n_bytes;
      else if (info->args[arg].role == UK_IN && !info->args[arg].optional) /* the bias: see add_epilogue() */
        weights += n_bytes;
    }
  if (instruction->desc.kind == UK_OP_CONV_WGRAD)
    weights += add_sum (self, instruction);
  else if (instruction->desc.kind == UK_OP_CONV)
    add_epilogue (self, instruction);
  self->out->conv_flops += flops;
  self->out->bytes[URB_TRAFFIC_CONV] += values;
  self->out->bytes[URB_TRAFFIC_CONV_WEIGHTS] += weights;
  self->out->conv_s += MAX (flops / self->flops, (values + weights) / self->gpu->bytes);
  self->out->n_kernels++;
}

/* Copies of values are between layers, all others of parameters. */
static UrbTraffic
find_copy_traffic (const Counter *self, const UrbInstruction *copy)
{
  const UrbBuffer *source = urb_program_get_buffer (self->program, MAX (copy->args[0].buffer, copy->args[1].buffer));

  return source->type == UK_VALUE ? URB_TRAFFIC_ELEMENTWISE : URB_TRAFFIC_UPDATE;
}

static void
count_op (const Counter *self, const UrbInstruction *instruction, double n_bytes)
{
  switch (instruction->desc.kind)
    {
    case UK_OP_CONV:
    case UK_OP_CONV_DGRAD:
    case UK_OP_CONV_WGRAD:
      count_conv (self, instruction);
      return;
    case UK_OP_GRAD_SQUARES:
    case UK_OP_GRAD_FACTOR:
    case UK_OP_ADAM:
      add (self, URB_TRAFFIC_UPDATE, n_bytes);
      return;
    default:
      add_elementwise (self, instruction->desc.kind, n_bytes);
    }
}

void
urb_roofline_count (const UrbProgram *program, const UkBackend *backend, const UrbGpu *gpu,
                    UkPrecision precision, UrbRoofline *out)
{
  const Counter self = { program, backend, gpu, gpu->flops[precision], out };

  *out = (UrbRoofline) { .images = program->batch };
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      double n_bytes = urb_program_count_bytes (program, instruction, backend);

      switch (instruction->kind)
        {
        case URB_DO_OP:
          count_op (&self, instruction, n_bytes);
          break;
        case URB_DO_PACK:
          add (&self, URB_TRAFFIC_UPDATE, n_bytes);
          break;
        case URB_DO_COPY:
          add (&self, find_copy_traffic (&self, instruction), n_bytes);
          break;
        case URB_DO_COLLECTIVE: /* over other links, concurrently */
        case URB_DO_TRANSFER:
        case URB_DO_WAIT:
        case URB_DO_AWAIT:
        case URB_DO_NOTE:
          break;
        }
    }
}

double
urb_roofline_get_seconds (const UrbRoofline *self)
{
  return self->conv_s + self->elementwise_s + self->update_s;
}

gboolean
urb_roofline_make (const UrbTrainOptions *options, const UrbGpu *gpu, UrbRoofline *out, GError **error)
{
  UrbRank context = { .n_ranks = options->n_ranks, .n_local = options->n_ranks };
  g_auto(UrbCompiled) compiled = { 0 };

  if (!urb_compile_on_paper (options, &context, &compiled, error)
      || !urb_program_plan (compiled.program, compiled.backend, error))
    return FALSE;
  urb_roofline_count (compiled.program, compiled.backend, gpu, options->precision, out);
  return TRUE;
}
