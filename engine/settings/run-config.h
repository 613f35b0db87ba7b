/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-config.h - the configuration of a run, which is the file run.ini.
 *
 * Whoever starts a run writes the file; supervisor, worker and ranks read it.
 * All settings are rows of one table, urb_run_settings.
 */
#pragma once

#include "kernels/uk-precision.h"
#include "settings/device-name.h"
#include "settings/averaging.h"
#include "settings/lr-schedule.h"
#include "settings/mesh.h"
#include "settings/setting.h"
#include "settings/strategy.h"

G_BEGIN_DECLS

/* Everything that decides a run's result.  Stored in the group [train] of run.ini, and in every
 * checkpoint. */
typedef struct
{
  char    *dataset;    /* owned; absolute path; NULL only for benchmarks: random tiles */
  char    *preset;     /* owned; "tiny" or a file */
  char    *recipe;     /* owned; "r3" or "dcgan" */
  char    *backend;    /* owned; the device: "cpu", "cuda:1" … (settings/device-name.h) */
  int      n_channels; /* 3 or 1; 0: the dataset's */
  gint64   n_steps;    /* total; 0: the preset's */
  int      batch;      /* images per step; 0: the preset's */
  int      accumulate; /* microbatches per step, >= 1; divides batch */
  int      n_d_steps;  /* steps of the discriminator, each with a batch of its own, per step of the generator */
  UkPrecision precision;
  int      cudnn_compiled; /* on a GPU: kernels that cuDNN compiles at run time, tried per convolution */
  int      n_threads;  /* 0: all */
  double   rank_memory; /* most memory of a rank, GB; 0: any */
  guint64  seed;
  gboolean overfit;    /* every step has the images and random numbers of the first */
  double   lr_g, lr_d; /* of a share of 1; 0: the recipe's for this preset */
  UrbLrSchedule lr_schedule; /* of both */
  double   lr_final;   /* share at the end of their schedule; 0: the recipe's */
  int      lr_drops;   /* of the schedule step */
  double   gamma;      /* initial weight of R1 and R2; < 0: the recipe's for this preset */
  double   beta2;      /* 0: the recipe's */
  gboolean refine;     /* train the preset's refiner too, if it has one and the tiles have its
                        * resolution; in a checkpoint: whether it has one */
  double   shares_weight; /* of the generator's loss on its shares, if the preset has shares */
  double   adam_epsilon; /* added to the root of the second moment */
  double   clip_norm;  /* of each network's gradient; 0: none; < 0: the recipe's */
  double   clip_norm_g, clip_norm_d; /* < 0: clip_norm */
  double   weight_decay_g, weight_decay_d; /* decoupled, as in AdamW */
  double   label_smoothing; /* one-sided; of a recipe with labels */
  double   loss_scale; /* at the start, of both losses; 0: that of the precision */
  gint64   loss_scale_steps; /* without an overflow, until it is doubled */
  double   augment;    /* probability at the end of its ramp; < 0: the recipe's */
  UrbAveraging averaging; /* of the generator's weights */
  double   ema_kimg;   /* half-life of the EMA in thousands of images; < 0: the preset's */
  double   ema_ramp;   /* the half-life is at most this share of the images so far; 0: no ramp */
  gint64   average_from; /* equal: steps before the first that counts; < 0: three quarters of the schedules */
  gint64   n_warmup;   /* steps of linear learning-rate warm-up; < 0: the recipe's */
  gint64   schedule_steps; /* length of the schedules; 0: n_steps of the new run */

  /* Several ranks: docs/strategies.md. */
  UrbStrategy strategy;
  int      n_ranks;        /* processes or threads; >= 1.  batch is the global batch, except under
                            * hogwild and streams, where each update is one rank's batch */
  char    *mesh;           /* owned; mesh: its axes: "data=2,pipe=2" */
  char    *schedule;       /* owned; mesh: the order of its pipelines, as the strategy of that name */
  int      zero;           /* mesh: what ranks along data divide: 1 to 3, as zero1 to zero3; 0: nothing */
  char    *communicator;   /* owned; "auto", "threads", "mpi" or "nccl" */
  gboolean sync_batch_norm; /* statistics of the global batch rather than of each rank's part */
  int      chunks;         /* interleaved: parts of each network on a rank */
  double   bucket_mib;     /* ddp, tensor: size of an all-reduced bucket of gradients, MiB */
  double   unit_mib;       /* zero1 to zero3: the least size of a unit of layers, MiB; 0: each layer */
  int      prefetch;       /* zero3: units gathered before they are needed */
  gboolean reshard;        /* zero3: drops gathered parameters after each sweep */
  char    *split;          /* owned; tensor: which layers are divided: "auto" or "all" */
  char    *offload;        /* owned; moments and averages are in a file in this folder, or in the "host"'s
                            * memory; NULL: in the device's */
  gboolean local_moments;  /* hogwild, streams: each rank has its own Adam moments */
  int      staleness;      /* hogwild, streams: maximum lead over the slowest rank, steps; 0: any */
  gboolean stale_lr;       /* hogwild, streams: learning rates are divided by n_ranks */
  gboolean send_dataset;   /* rank 0 gives it to ranks whose host lacks it */
  char    *sharing;        /* owned; hogwild: "file_descriptor" (memfd) or "file_system" */
} UrbTrainOptions;

/* What `offload` is if it names no folder. */
#define URB_OFFLOAD_HOST "host"

/* In a run's folder: links to the checkpoint of the best score, and to the last one before the training
 * exploded. */
#define URB_RUN_BEST "best.safetensors"
#define URB_RUN_GOOD "last-good.safetensors"

/* run.ini: how the run is kept, and what it trains. */
typedef struct
{
  char           *name;             /* owned */
  char           *engine;           /* owned; version that started it */
  gint64          created;          /* seconds since 1970 */
  gint64          sample_every;     /* steps; 0: about every minute */
  gint64          checkpoint_every; /* steps; 0: about every five minutes */
  int             keep_checkpoints; /* newest checkpoints to keep; 0: all */
  gboolean        score;            /* cities are measured while the run trains */
  gint64          score_every;      /* steps; 0: about every five minutes */
  int             patience;         /* scores without a better one, after which the run stops; 0: never */
  char           *note;             /* owned, nullable; for people */
  char           *hook;             /* owned; a command or an address: settings/hook.h */
  char           *hook_on;          /* owned; the events that call it; NULL: all */
  int             hook_timeout;     /* of one call, seconds */
  char           *quiet_hours;      /* owned, nullable; settings/quiet-hours.h */
  gboolean        tensorboard;      /* the run writes events for it */
  char           *hosts;            /* owned; hosts file of mpirun, absolute; NULL: this host */
  char           *master;           /* owned; where rank 0 listens, if ranks are started one by one */
  char           *token_file;       /* owned; with master: has the secret of the ranks, absolute; NULL: none, or $URBARIUM_TOKEN */
  UrbTrainOptions train;
} UrbRunConfig;

/* The settings of a run, as fields of UrbRunConfig.  Name, engine and creation date are not
 * settings. */
extern const UrbSettingTable urb_run_settings;

void     urb_run_config_init  (UrbRunConfig *self); /* defaults */
void     urb_run_config_clear (UrbRunConfig *self);
/* @self: valid, or zeros; replaced */
void     urb_run_config_copy  (UrbRunConfig *self, const UrbRunConfig *from);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbRunConfig, urb_run_config_clear)
/* Whether ranks may be on other hosts. */
static inline gboolean
urb_run_config_has_hosts (const UrbRunConfig *self)
{
  return self->hosts != NULL || self->master != NULL;
}

/* Another strategy starts with the defaults of all settings that only some strategies know. */
void     urb_run_config_set_strategy (UrbRunConfig *self, UrbStrategy strategy, int n_ranks);

/* The text of run.ini, and back.  An unknown key or group is an error, and so is a newer format: what a
 * version does not know it cannot train. */
char    *urb_run_config_to_text (const UrbRunConfig *self);
/* @self: (inout): valid, or zeros; replaced on success */
gboolean urb_run_config_from_text (UrbRunConfig *self, const char *text, GError **error);

/**
 * urb_run_config_from_written_text:
 * @self: (inout): valid, or zeros; replaced on success
 * @text: in the format of run.ini, as somebody wrote it
 *
 * Reads settings for a new run.  Both groups are optional.  An unknown key or group is an error,
 * which names the key that was probably meant.  `strategy` may have a number of ranks: "ddp:2";
 * without any number, n_ranks is 0 for a strategy that needs one.
 */
gboolean urb_run_config_from_written_text (UrbRunConfig *self, const char *text, GError **error);

/* "batch 16 -> 32"; NULL if the setting is the same in both; secrets have no values: "hook changed".
 * (transfer full) (nullable) */
char    *urb_setting_dup_change (const UrbSetting *self, const UrbRunConfig *before,
                                 const UrbRunConfig *after);

/* For a new run, wherever its settings come from: whether the strategy has its ranks and knows all
 * settings that are set, all of them are in range, and urb_train_options_check() succeeds.  Fails with
 * %URB_TRAIN_ERROR_OPTIONS. */
gboolean urb_run_config_check (const UrbRunConfig *self, GError **error);

void     urb_train_options_init  (UrbTrainOptions *self); /* defaults */
void     urb_train_options_clear (UrbTrainOptions *self);
/* @self: uninitialized or cleared */
void     urb_train_options_copy  (UrbTrainOptions *self, const UrbTrainOptions *from);
void     urb_train_options_to_key_file   (const UrbTrainOptions *self, GKeyFile *file);
gboolean urb_train_options_from_key_file (UrbTrainOptions *self, GKeyFile *file, GError **error);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbTrainOptions, urb_train_options_clear)

/* Every setting within its range, and all of them together possible: a batch that ranks and
 * microbatches divide, a communicator that the device has.  "Not set" is fine.  Fails with
 * %URB_TRAIN_ERROR_OPTIONS. */
gboolean urb_train_options_check (const UrbTrainOptions *self, GError **error);
gboolean urb_train_options_check_communicator (const UrbTrainOptions *self, GError **error);
/* Bytes that a rank may take: G_MAXINT64 without a limit. */
gint64   urb_train_options_get_rank_bytes (const UrbTrainOptions *self);
/* Whether each rank is a process, rather than a thread of one.  @self: resolved */
gboolean urb_train_options_have_processes (const UrbTrainOptions *self);
/* Whether moments and averages are in a folder. */
gboolean urb_train_options_offload_to_folder (const UrbTrainOptions *self);
/* Every synchronous strategy as a mesh: the ranks of most lie along one axis. */
UrbMesh  urb_train_options_get_mesh (const UrbTrainOptions *self);
/* The order of work in its pipelines: that of a strategy of URB_STRATEGIES_PIPELINE; else single. */
UrbStrategy urb_train_options_get_schedule (const UrbTrainOptions *self);
/* What ranks along data divide (parallel/zero.h): 1 to 3; 0: nothing. */
int      urb_train_options_get_zero_level (const UrbTrainOptions *self);
/* By how much the gradients of the losses are multiplied at the start; 1: always by 1. */
double   urb_train_options_get_loss_scale (const UrbTrainOptions *self);
/* Whether @scale is a power of two in the range of the setting. */
gboolean urb_loss_scale_is_valid (double scale);
/* Real images of one step of the run. */
gint64   urb_train_options_count_images (const UrbTrainOptions *self);
/* How many parts of a batch different ranks compute; 1 if each has its own. */
int      urb_train_options_count_parts (const UrbTrainOptions *self);

/* Names by value: "fp32", … */
extern const char *const urb_precision_names[];
/* "fp32", "bf16", or for GPUs only "tf32" or "fp16".  Fails with %URB_TRAIN_ERROR_OPTIONS. */
gboolean urb_precision_parse (const char *text, UkPrecision *out, GError **error);

G_END_DECLS
