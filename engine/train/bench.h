/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - the cost of a preset: memory exactly, by planning it; time by running it.
 */
#pragma once

#include "dataset/dataset.h"
#include "settings/run-config.h"
#include "train/compile.h"

G_BEGIN_DECLS

typedef struct
{
  char  *preset; /* owned */
  int    size_px, n_channels, n_latent;
  gint64 batch;
  gint64 n_params_g, n_params_d;
  gint64 n_params_refiner; /* 0: none */
  double flops_per_image;        /* of a training step */
  double flops_per_sample;       /* of generating one city */
  guint  n_instructions;
  /* Bytes, exact; the sum is what a run allocates, without the program and its libraries. */
  gint64 bytes_weights, bytes_moments, bytes_ema, bytes_packed, bytes_io;
  gint64 bytes_work;       /* activations, gradients, scratch, and temporarily packed weights */
  gint64 bytes_work_least; /* lower bound for any memory layout */
  gint64 bytes_sampler; /* for drawing samples */
  gint64 bytes_loader;  /* batches of tiles */
  gint64 bytes_total;
  gint64 bytes_kept;       /* not in the sum: decoded tiles of the dataset, in each rank that loads,
                            * up to 1 GiB */
  gint64 bytes_shared;     /* not in the sum: once for all ranks */
  gint64 bytes_outside;    /* not in the sum: moments and average that are in a storage */
  gint64 bytes_served;     /* not in the sum: in rank 0, if the ranks meet at its address: of rank 1 and up */
  gint64 bytes_checkpoint; /* the file without its header */
  UrbCompiled *compiled;   /* owned; with the planned program */
} UrbPlan;

void     urb_plan_clear (UrbPlan *self);
/* The layers that the rank computes: see urb_program_dup_layers(). (transfer full) */
char    *urb_plan_dup_layers (const UrbPlan *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbPlan, urb_plan_clear)

/* Plans one rank of the options' strategy, without allocating anything large; rank 0 draws the samples.
 * @dataset: (nullable): NULL for random tiles */
gboolean urb_plan_make_rank (const UrbTrainOptions *options, int rank, UrbDataset *dataset,
                             UrbPlan *out, GError **error);

/* @out: (out caller-allocates): @options with every 0 resolved. */
gboolean urb_plan_resolve (const UrbTrainOptions *options, UrbTrainOptions *out, GError **error);

/* The tensors of both networks with shapes and counts, one per line. */
char    *urb_plan_dup_tensors (const UrbTrainOptions *options, GError **error);

typedef struct
{
  UrbTrainOptions options; /* resolved */
  int    n_steps;
  int    n_threads;         /* of all ranks */
  double images_per_second; /* batch / median step; of streams: all images / total time */
  double seconds_median, seconds_min, seconds_max; /* of a step */
  double seconds_to_first_step; /* from the start of this process to the end of its first step; 0:
                                 * unknown, or without a warm-up */
  double flops_per_second;
  double peak_flops, peak_copy; /* with as many threads */
  gint64 peak_rss_bytes;
  char  *profile; /* (nullable) owned */
  GArray *layers; /* (nullable) (element-type UrbLayerTiming) owned: with @profile */
  double profiled_seconds; /* of a step whose instructions are timed */
  char  *slow;    /* (nullable) owned; see urb_trainer_dup_slow() */
} UrbBench;

void     urb_bench_clear (UrbBench *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbBench, urb_bench_clear)

/* Runs @n_steps timed steps after @n_warmup; with @profile, as many again with every instruction
 * timed. */
gboolean urb_bench_run (const UrbTrainOptions *options, int n_warmup, int n_steps, gboolean profile,
                        GCancellable *cancellable, UrbBench *out, GError **error);

G_END_DECLS
