/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strategy.h - the parallel strategies: how ranks share the work of training
 * one model.  See docs/strategies.md.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URB_TRAIN_ERROR (urb_train_error_quark ())
GQuark urb_train_error_quark (void);

/* Errors of settings and of training, which share one domain: a wrong setting
 * is often found only where it is used. */
typedef enum
{
  URB_TRAIN_ERROR_OPTIONS,    /* settings out of range, or that do not go together */
  URB_TRAIN_ERROR_DATASET,    /* too few areas, or not the dataset of the checkpoint */
  URB_TRAIN_ERROR_MEMORY,     /* the plan does not fit */
  URB_TRAIN_ERROR_DEVICE,     /* a kernel failed */
  URB_TRAIN_ERROR_DIVERGED,   /* NaN or infinity */
  URB_TRAIN_ERROR_CHECKPOINT, /* not a checkpoint, or of another network */
  URB_TRAIN_ERROR_NO_DEVICE   /* this machine has no such device */
} UrbTrainError;

/* Sets %URB_TRAIN_ERROR_OPTIONS.  Returns: FALSE */
gboolean urb_options_fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

typedef enum
{
  URB_STRATEGY_SINGLE,  /* one process */
  URB_STRATEGY_HOGWILD, /* processes that update shared parameters without locks */
  URB_STRATEGY_STREAMS, /* the same with threads of one process */
  URB_STRATEGY_DP,      /* DataParallel: rank 0 owns the parameters, replicas get copies each step */
  URB_STRATEGY_DDP,     /* every rank owns a replica; gradients are all-reduced in buckets */
  URB_STRATEGY_ZERO1,   /* as DDP, but moments and average are divided */
  URB_STRATEGY_ZERO2,   /* gradients are divided, too */
  URB_STRATEGY_ZERO3,   /* parameters are, too, and gathered when they are needed (FSDP) */
  URB_STRATEGY_LAYERS,  /* ranks own layers and work one after the other (naive model parallel) */
  URB_STRATEGY_GPIPE,   /* a pipeline of microbatches: all forward, then all backward */
  URB_STRATEGY_1F1B,    /* a pipeline with few microbatches under way */
  URB_STRATEGY_INTERLEAVED, /* 1F1B with several parts of the networks on each rank */
  URB_STRATEGY_ZB,      /* 1F1B in which weight gradients fill the gaps (zero bubble) */
  URB_STRATEGY_TENSOR,  /* ranks own channels of wide layers, and replicas of the others */
  URB_STRATEGY_MESH,    /* several of these at once, along the axes of a mesh (settings/mesh.h) */
  URB_N_STRATEGIES
} UrbStrategy;

/* Names by value, NULL-terminated: "single", "hogwild", … */
extern const char *const urb_strategy_names[];

enum
{
  URB_MAX_RANKS = 4096,
  URB_MAX_ASYNC_RANKS = 256 /* slots in the shared memory of asynchronous ranks */
};

/* Sets of strategies, as in UrbSetting. */
enum
{
  URB_STRATEGIES_ASYNCHRONOUS = 1 << URB_STRATEGY_HOGWILD | 1 << URB_STRATEGY_STREAMS,
  /* Each rank has a part of every batch. */
  URB_STRATEGIES_ZERO = 1 << URB_STRATEGY_ZERO1 | 1 << URB_STRATEGY_ZERO2 | 1 << URB_STRATEGY_ZERO3,
  URB_STRATEGIES_REPLICAS = 1 << URB_STRATEGY_DP | 1 << URB_STRATEGY_DDP | URB_STRATEGIES_ZERO,
  URB_STRATEGIES_DATA = URB_STRATEGIES_REPLICAS | 1 << URB_STRATEGY_TENSOR | 1 << URB_STRATEGY_MESH,
  /* Each rank has a part of the layers. */
  URB_STRATEGIES_PIPELINE = 1 << URB_STRATEGY_LAYERS | 1 << URB_STRATEGY_GPIPE | 1 << URB_STRATEGY_1F1B
                            | 1 << URB_STRATEGY_INTERLEAVED | 1 << URB_STRATEGY_ZB,
  URB_STRATEGIES_SYNCHRONOUS = URB_STRATEGIES_DATA | URB_STRATEGIES_PIPELINE,
  /* Moments and averages may be outside of the device's memory. */
  URB_STRATEGIES_OFFLOADING = 1 << URB_STRATEGY_SINGLE | URB_STRATEGIES_SYNCHRONOUS,
  /* Ranks may be processes on several hosts. */
  URB_STRATEGIES_DISTRIBUTED = 1 << URB_STRATEGY_DDP | URB_STRATEGIES_ZERO | URB_STRATEGIES_PIPELINE
                               | 1 << URB_STRATEGY_TENSOR | 1 << URB_STRATEGY_MESH
};

/* The names in a set of strategies, the last two joined by @last: "single, dp or ddp". (transfer full) */
char       *urb_strategies_join (guint strategies, const char *last);
/* Whether all ranks compute each batch together … */
gboolean    urb_strategy_is_synchronous (UrbStrategy self);
/* … each a part of the samples (in a mesh, along its axes data and tensor) … */
gboolean    urb_strategy_shares_batch   (UrbStrategy self);
/* … in a replica of the networks (tensor parallel ranks exchange values instead) … */
gboolean    urb_strategy_has_replicas   (UrbStrategy self);
/* … or a part of the layers. */
gboolean    urb_strategy_is_pipeline    (UrbStrategy self);
/* How much of a model data parallel ranks divide: 1 to 3 (parallel/zero.h); 0: nothing. */
int         urb_strategy_get_zero_level (UrbStrategy self);
/* Whether the ranks may be processes on several hosts. */
gboolean    urb_strategy_is_distributed (UrbStrategy self);
/* Whether each rank trains at its own pace.  Neither is true of one process. */
gboolean    urb_strategy_is_asynchronous (UrbStrategy self);
/* "hogwild" or "hogwild:4" -> strategy and ranks; @n_ranks is unchanged without a number.  "fsdp" is
 * another name of "zero3".  Fails
 * with %URB_TRAIN_ERROR_OPTIONS. */
gboolean    urb_strategy_parse (const char *text, UrbStrategy *strategy, int *n_ranks,
                                GError **error);

G_END_DECLS
