/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trainer.h - one training run inside one process: options in, steps, metrics,
 * checkpoints and samples out.
 *
 * The worker of engine/run/ owns one of these.  Not thread-safe: call it from
 * one thread (it has its own loader thread inside).
 */
#pragma once

#include <gio/gio.h>

#include "kernels/uk.h"
#include "train/place.h"

G_BEGIN_DECLS

#define URB_TRAIN_ERROR (urb_train_error_quark ())
GQuark urb_train_error_quark (void);

typedef enum
{
  URB_TRAIN_ERROR_OPTIONS,    /* options that do not go together */
  URB_TRAIN_ERROR_DATASET,    /* too few areas, or not the dataset of the checkpoint */
  URB_TRAIN_ERROR_MEMORY,     /* the plan does not fit */
  URB_TRAIN_ERROR_DEVICE,     /* a kernel failed */
  URB_TRAIN_ERROR_DIVERGED,   /* NaN or infinity */
  URB_TRAIN_ERROR_CHECKPOINT, /* not a checkpoint, or of another network */
  URB_TRAIN_ERROR_NO_DEVICE   /* this machine has no such device */
} UrbTrainError;

/* How ranks share the work; see docs/strategies.md. */
typedef enum
{
  URB_STRATEGY_SINGLE,  /* one process */
  URB_STRATEGY_HOGWILD, /* processes that update shared parameters without locks */
  URB_STRATEGY_STREAMS, /* the same with threads of one process */
  URB_STRATEGY_DP,      /* DataParallel: rank 0 has the parameters, replicas get copies each step */
  URB_STRATEGY_DDP,     /* every rank has the parameters, gradients are all-reduced in buckets */
  URB_N_STRATEGIES
} UrbStrategy;

/* "hogwild" */
const char *urb_strategy_get_name (UrbStrategy self);
/* (nullable): NULL if this program can train so; otherwise why not, as in "Not in this version",
 * which is for those who show what there is (`urbarium-engine devices`, the window). */
const char *urb_strategy_get_obstacle (UrbStrategy self);
/* Whether all ranks compute one batch together, and whether each trains by itself: neither is so of
 * one process. */
gboolean    urb_strategy_is_synchronous (UrbStrategy self);
gboolean    urb_strategy_is_asynchronous (UrbStrategy self);
/* "hogwild" or "hogwild:4" -> strategy and ranks (@n_ranks is left as it is without a number). */
gboolean    urb_strategy_parse (const char *text, UrbStrategy *strategy, int *n_ranks,
                                GError **error);

/* "fp32", "tf32" (GPUs only) or "bf16".  Fails with %URB_TRAIN_ERROR_OPTIONS. */
gboolean    urb_precision_parse (const char *text, UkPrecision *out, GError **error);

/* All that decides a run's result.  Kept as the groups of `run.ini`
 * (urb_train_options_to_key_file), and inside every checkpoint. */
typedef struct
{
  char    *dataset;   /* owned; absolute path; NULL only for benchmarks: random tiles */
  char    *preset;    /* owned; "tiny" or a file */
  char    *recipe;    /* owned; "r3" or "dcgan" */
  char    *backend;   /* owned; the device: "cpu", "cuda", "cuda:1" … (train/device.h) */
  int      n_channels; /* 3 or 1; 0: the dataset's */
  gint64   n_steps;    /* total */
  int      batch;      /* images per step; 0: the preset's */
  int      accumulate; /* microbatches per step, >= 1; divides batch */
  UkPrecision precision;
  int      n_threads;  /* 0: all */
  guint64  seed;
  double   lr_g, lr_d; /* start values; 0: the recipe's for this preset */
  double   lr_final;   /* share of the start value at the end of the cosine; 0: the recipe's */
  double   gamma;      /* R1/R2 weight at the start; < 0: the recipe's for this preset */
  double   beta2;      /* 0: the recipe's */
  double   clip_norm;  /* 0: none; < 0: the recipe's */
  double   augment;    /* probability at the end of its ramp; < 0: the recipe's */
  double   ema_kimg;   /* half-life of the EMA in thousands of images; < 0: the recipe's */
  gint64   n_warmup;   /* steps of linear learning-rate warm-up; < 0: the recipe's */
  gint64   schedule_steps; /* length of the schedules; 0: n_steps at the first start */

  /* Many ranks: docs/strategies.md. */
  UrbStrategy strategy;
  int      n_ranks;        /* processes or threads; >= 1.  batch is the global batch, but for hogwild
                            * and streams, where each update is one rank's batch */
  char    *communicator;   /* owned; "auto", "threads", "mpi" or "nccl" */
  gboolean sync_batch_norm; /* statistics of the global batch rather than of each rank's part */
  double   bucket_mib;     /* ddp: gradients that travel together, MiB */
  gboolean local_moments;  /* hogwild, streams: each rank its own Adam moments, as PyTorch's example */
  int      staleness;      /* hogwild, streams: largest lead in steps over the slowest rank; 0: any */
  gboolean stale_lr;       /* hogwild, streams: learning rates / n_ranks */
  char    *sharing;        /* owned; hogwild: "file_descriptor" (memfd) or "file_system" */
} UrbTrainOptions;

void              urb_train_options_init (UrbTrainOptions *self); /* defaults */
void              urb_train_options_clear (UrbTrainOptions *self);
/* Whether there is such a communicator for the device.  Fails with %URB_TRAIN_ERROR_OPTIONS. */
gboolean          urb_train_options_check_communicator (const UrbTrainOptions *self, GError **error);
/* How many ranks share a batch, and talk: 1 where they do not. */
int               urb_train_options_count_parts (const UrbTrainOptions *self);
void              urb_train_options_copy (UrbTrainOptions *self, const UrbTrainOptions *from);
void              urb_train_options_to_key_file (const UrbTrainOptions *self, GKeyFile *file);
gboolean          urb_train_options_from_key_file (UrbTrainOptions *self, GKeyFile *file, GError **error);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbTrainOptions, urb_train_options_clear)

/* What a step tells.  Names for the database and the plots: urb_step_metric_names. */
typedef enum
{
  URB_METRIC_LOSS_D,
  URB_METRIC_LOSS_G,
  URB_METRIC_LOGIT_REAL,  /* mean logit of the discriminator on reals, in its step */
  URB_METRIC_LOGIT_FAKE,
  URB_METRIC_R1,          /* mean squared norm of the input gradient; 0 without penalty */
  URB_METRIC_R2,
  URB_METRIC_GRAD_NORM_D,
  URB_METRIC_GRAD_NORM_G,
  URB_METRIC_LR_D,
  URB_METRIC_LR_G,
  URB_N_METRICS
} UrbStepMetric;

extern const char *const urb_step_metric_names[URB_N_METRICS]; /* "loss_d", … */

typedef struct
{
  gint64 step;    /* steps done, this one included */
  gint64 images;  /* real images seen so far */
  double seconds; /* this step took; of `streams` its share: their sum is the time that passed */
  double values[URB_N_METRICS];
} UrbStepMetrics;

typedef struct _UrbTrainer UrbTrainer;

/* Opens the dataset, builds the networks, compiles and plans the step program,
 * checks that it fits into memory, allocates, initialises the weights.
 * @place: (nullable): copied; NULL for the only rank.  With several, each has a
 * trainer of its own, and what is called on one is called on all (step, restore). */
UrbTrainer *urb_trainer_new  (const UrbTrainOptions *options, const UrbPlace *place, GError **error);
void        urb_trainer_free (UrbTrainer *self);
/* Once all ranks have their trainers, and before any is asked for more: ranks that have a GPU each
 * talk from GPU to GPU from now on. */
gboolean    urb_trainer_connect (UrbTrainer *self, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbTrainer, urb_trainer_free)

/* (nullable) Through what ranks on GPUs talk, for people: "NCCL" or "the host's memory"; NULL for a
 * rank that does not, or is on a host. */
const char *urb_trainer_get_link (UrbTrainer *self);

/* With every 0 replaced by what is used. (transfer none) */
const UrbTrainOptions *urb_trainer_get_options (UrbTrainer *self);
gint64                 urb_trainer_get_step    (UrbTrainer *self); /* steps done, by all ranks */
/* What it computes on. (transfer none) */
UkBackend             *urb_trainer_get_backend (UrbTrainer *self);
int                    urb_trainer_get_size_px (UrbTrainer *self);
int                    urb_trainer_get_n_channels (UrbTrainer *self);

/* One training step.  Of asynchronous ranks (hogwild, streams) it is the step of one of
 * them, and steps are numbered as they end; metrics->step is 0 where the others have made
 * the last ones and none was left.  With URB_TRAIN_ERROR_DIVERGED a network whose gradients were
 * not finite keeps its weights; the step does not count: restore a checkpoint.  The message names
 * the first tensor that is not finite, as far as can be told afterwards. */
gboolean urb_trainer_step (UrbTrainer *self, UrbStepMetrics *metrics, GError **error);

/* Before a checkpoint is named: lets asynchronous ranks end the steps they are in and holds
 * them until urb_trainer_save(), or until urb_trainer_step() has a step to make.
 * urb_trainer_get_step() is then what the checkpoint will say, and the next @n_untold calls of
 * urb_trainer_step() tell the steps up to there, without making any.  FALSE with %URB_TRAIN_ERROR_CHECKPOINT if a rank hangs in its step. */
gboolean urb_trainer_quiesce (UrbTrainer *self, gint64 *n_untold, GError **error);

/* Everything: weights, EMA, moments, counters, options.  Atomic.  With URB_TRAIN_ERROR_DIVERGED
 * something of it is not finite, and what is at @path stays as it is. */
gboolean urb_trainer_save    (UrbTrainer *self, const char *path, GError **error);
/* Back to a checkpoint of the same networks.  Training then goes on bit for
 * bit as it went on from there the first time (but for asynchronous ranks).  Where
 * others train on shared parameters already, only what is this rank's own is read. */
gboolean urb_trainer_restore (UrbTrainer *self, const char *path, GError **error);

/* Collective: every rank takes over what rank 0 has after @step steps. */
gboolean urb_trainer_share   (UrbTrainer *self, gint64 step, GError **error);

/* Images of the EMA generator: latent vectors @first .. @first + @count of
 * @seed.  @levels: (out): (@count, size, size, channels) bytes.  Does not
 * disturb the training in any bit. */
gboolean urb_trainer_sample (UrbTrainer *self, guint64 seed, gint64 first, gint64 count,
                             guint8 *levels, GError **error);

/* How stale the updates of asynchronous ranks were and how many collided, of all of them so far:
 * see urb_shared_params_dup_json().  NULL for other strategies. */
char *urb_trainer_dup_asynchrony (UrbTrainer *self);
/* The same as a sentence for people. */
char *urb_trainer_dup_asynchrony_text (UrbTrainer *self);

typedef struct _UrbTrace UrbTrace; /* trace.h */

/* Steps from now on are added to @trace, which must outlive that; NULL: to none. */
void  urb_trainer_set_trace (UrbTrainer *self, UrbTrace *trace);

/* Time and speed of every instruction since the last call, as text for
 * `train --profile` and `bench`; NULL unless switched on. */
void  urb_trainer_set_profiling (UrbTrainer *self, gboolean on);
char *urb_trainer_dup_profile   (UrbTrainer *self);

G_END_DECLS
