/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine-query.h - asks urbarium-engine for the devices of this machine and of other hosts, and for the
 * memory and speed of a run.
 *
 * Each query starts a process and reads its JSON.  Unknown members are ignored; missing ones are 0
 * or NULL.
 */
#pragma once

#include <gio/gio.h>

#include "app/train/strategy.h"
#include "run/store/run.h"
#include "settings/hosts.h"

G_BEGIN_DECLS

typedef struct
{
  char    *name;   /* owned */
  char    *device; /* (nullable) owned: "cuda:0"; NULL: unusable */
  char    *pci;    /* (nullable) owned: its address */
  char    *reason; /* (nullable) owned: why it cannot be used */
  int      capability; /* compute capability: 90 is 9.0; 0: unknown */
  gboolean has_bf16; /* in hardware, which implies TF32 */
  gint64   memory_bytes, free_bytes; /* 0: unknown */
} UrbariumGpu;

typedef struct
{
  char      *cpu_model, *isa; /* owned */
  int        n_cores;
  gboolean   has_bf16;
  gint64     memory_bytes, available_bytes;
  GPtrArray *gpus;       /* (element-type UrbariumGpu) owned */
  char      *gpus_why;   /* (nullable) owned: why none can be used */
  GStrv      strategies; /* (nullable) owned: supported by the engine; NULL: not reported */
  GHashTable *strategies_why; /* (nullable) (element-type utf8 utf8) owned: why not the others */
} UrbariumDevices;

void urbarium_devices_free (UrbariumDevices *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumDevices, urbarium_devices_free)

/* The usable GPU named @name in options. (nullable) (transfer none) */
const UrbariumGpu *urbarium_devices_find_gpu (const UrbariumDevices *self, const char *name);

void             urbarium_engine_query_devices_async  (GCancellable *cancellable,
                                                       GAsyncReadyCallback callback,
                                                       gpointer user_data);
UrbariumDevices *urbarium_engine_query_devices_finish (GAsyncResult *result, GError **error);

/* What a host of a hosts file answered. */
typedef struct
{
  UrbHostProblem   problem;       /* what keeps it from taking part */
  char            *details;       /* (nullable) owned: what was said */
  gboolean         lacks_dataset;
  UrbariumDevices *devices;       /* (nullable) owned */
} UrbariumHostAnswer;

/* Logs in to all of them.
 * @hosts: (element-type UrbHost)
 * @dataset: (nullable): a file that each is asked for */
void       urbarium_engine_query_hosts_async  (const GPtrArray *hosts, const char *dataset,
                                               GCancellable *cancellable, GAsyncReadyCallback callback,
                                               gpointer user_data);
/* Returns: (transfer full) (element-type UrbariumHostAnswer): in the order of @hosts */
GPtrArray *urbarium_engine_query_hosts_finish (GAsyncResult *result, GError **error);

/* What the memory of a rank holds. */
typedef enum
{
  URBARIUM_MEMORY_WEIGHTS,
  URBARIUM_MEMORY_OPTIMIZER, /* moments and average */
  URBARIUM_MEMORY_WORK,      /* activations and gradients */
  URBARIUM_MEMORY_OTHER,     /* batches of tiles, samples */
  URBARIUM_N_MEMORIES
} UrbariumMemory;

enum { URBARIUM_PLAN_RANKS = 8 };

typedef struct
{
  int    size_px, n_channels, batch;
  int    n_ranks;                    /* 0: unknown */
  gint64 ranks[URBARIUM_PLAN_RANKS][URBARIUM_N_MEMORIES]; /* bytes; of the first ranks */
  char   layers[URBARIUM_PLAN_RANKS][256];                /* "G 1–5, D 1–3"; "": all of them */
  gint64 n_params_g, n_params_d, n_params_refiner;
  gint64 bytes_shared;               /* once for all ranks, and not in @ranks */
  gint64 bytes_rank;                   /* of the largest rank, without what all share */
  gint64 bytes_total, bytes_available; /* device memory of all ranks on this machine */
} UrbariumPlan;

/* For the networks, device, batch, precision, threads and strategy of @options.
 * @hosts: (nullable): the hosts file of the ranks */
void          urbarium_engine_query_plan_async  (const UrbTrainOptions *options, const char *hosts,
                                                 GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full): g_free() it */
UrbariumPlan *urbarium_engine_query_plan_finish (GAsyncResult *result, GError **error);

/* Trains @n_steps steps on random tiles and discards the result. */
void   urbarium_engine_query_speed_async  (const UrbTrainOptions *options, int n_steps,
                                           GCancellable *cancellable,
                                           GAsyncReadyCallback callback, gpointer user_data);
/* Returns: images per second; 0 with an error */
double urbarium_engine_query_speed_finish (GAsyncResult *result, GError **error);

/* The same, with every instruction timed.
 * Returns: (transfer full) (element-type utf8 double): "g.3", a layer of a network, to its share of the time of a step */
void        urbarium_engine_query_layers_async  (const UrbTrainOptions *options, int n_steps, GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer user_data);
GHashTable *urbarium_engine_query_layers_finish (GAsyncResult *result, GError **error);

/* The fastest configuration of a strategy. */
typedef struct
{
  double   images_per_s;      /* 0: unknown, or it does not fit */
  gint64   bytes_most;        /* of the rank that needs most */
  int      n_ranks, accumulate;
  UrbMesh  mesh;              /* of a mesh */
  gboolean measured;          /* from operations measured on this machine */
} UrbariumStrategyForecast;

typedef struct
{
  UrbariumStrategyForecast of[URB_N_STRATEGIES];
  UrbStrategy best; /* the recommended one; one process if nothing fits */
} UrbariumStrategies;

void urbarium_strategies_free (UrbariumStrategies *self);

typedef enum
{
  URBARIUM_STRATEGIES_ESTIMATE, /* what was not measured before */
  URBARIUM_STRATEGIES_MEASURE   /* it, for some seconds, with all processors */
} UrbariumStrategiesHow;

/* For all strategies that @options could have. */
void                urbarium_engine_query_strategies_async  (const UrbTrainOptions *options,
                                                             UrbariumStrategiesHow how,
                                                             GCancellable *cancellable,
                                                             GAsyncReadyCallback callback,
                                                             gpointer user_data);
UrbariumStrategies *urbarium_engine_query_strategies_finish (GAsyncResult *result, GError **error);

G_END_DECLS
