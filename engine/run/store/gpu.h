/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.h - a reading of a GPU, as the driver reports it and run.db has it.
 */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/* What it does.  Any of them may be unknown: a virtual GPU has no power, one that is divided no
 * utilization. */
typedef struct
{
  gint64 memory_used_bytes, memory_bytes; /* in all; -1: unknown */
  double utilization_percent; /* of the time something ran on it lately; NaN: unknown */
  double power_w;             /* NaN: unknown */
  double temperature_c;       /* NaN: unknown */
} UrbGpuLoad;

typedef struct
{
  int        index;    /* the driver's, as in nvidia-smi; CUDA may count otherwise */
  char       pci[32];  /* its address: "0000:17:00.0" */
  char       name[96]; /* ASCII */
  UrbGpuLoad load;
} UrbGpu;

/* The used share of its memory; NaN: unknown. */
static inline double
urb_gpu_load_get_memory_share (const UrbGpuLoad *self)
{
  return self->memory_used_bytes >= 0 && self->memory_bytes > 0
           ? (double) self->memory_used_bytes / (double) self->memory_bytes : NAN;
}

#define URB_GPU_LOAD_UNKNOWN \
  ((UrbGpuLoad){ .memory_used_bytes = -1, .memory_bytes = -1, .utilization_percent = NAN, \
                 .power_w = NAN, .temperature_c = NAN })

G_END_DECLS
