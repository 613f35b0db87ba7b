/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - checks before the first step whether a run fits on this machine.
 *
 * Memory is exact: the planned program of each rank, and shared blocks once.
 * The other resources are those that would otherwise end a run after hours.
 */
#pragma once

#include "dataset/dataset.h"
#include "settings/run-config.h"
#include "train/bench.h"

G_BEGIN_DECLS

typedef enum
{
  URB_FIT_YES,
  URB_FIT_TIGHT, /* it runs, but slowly */
  URB_FIT_NO
} UrbFit;

typedef enum
{
  URB_RESOURCE_MEMORY,        /* bytes, of all ranks on this host: its memory, or its GPU's */
  URB_RESOURCE_SHARED_MEMORY, /* bytes, of /dev/shm */
  URB_RESOURCE_DESCRIPTORS,   /* of the supervisor: open files */
  URB_RESOURCE_DISK,          /* bytes, for checkpoints and sample grids */
  URB_RESOURCE_CORES,         /* threads */
  URB_RESOURCE_PROCESS,       /* bytes, of the largest process: what limits leave to each */
  URB_RESOURCE_RANK,          /* bytes, of the largest rank, without what all share: what the options leave to each */
  URB_RESOURCE_OFFLOAD,       /* bytes, for moments and averages: of a folder's disk, or of the host's memory */
  URB_N_RESOURCES
} UrbResource;

/* "memory", "shared-memory" … */
const char *urb_resource_get_name (UrbResource self);
/* "there is 24.0 GiB", "there are 2", "the limit is 2 GB, 1.9 GiB" (transfer full) */
char       *urb_resource_dup_available (UrbResource self, gint64 available);
/* "fits", "tight", "does not fit" */
const char *urb_fit_get_name      (UrbFit self);

/* G_MAXINT64: no limit, or none that is known. */
typedef struct
{
  gint64 available[URB_N_RESOURCES];
  gint64 disk;     /* its number; -1: none */
  gboolean offloads_to_disk; /* that of the checkpoints */
} UrbLimits;

/* Of this machine, and of the file system of @folder, which need not exist; NULL: of none. */
void urb_limits_read (UrbLimits *self, const char *folder);
/* If @options train on GPUs, replaces the memory by what is free on the one with least; if they offload, reads
 * the limit of that place.  Fails if the GPU cannot be opened. */
gboolean urb_limits_read_device (UrbLimits *self, const UrbTrainOptions *options, GError **error);

/* How the run is stored. */
typedef struct
{
  int      keep_checkpoints;  /* 0: all */
  int      n_checkpoints;     /* existing */
  gint64   checkpoint_every;  /* steps; 0: by time */
  gint64   n_samples;         /* sample grids that will be added */
  gboolean several_hosts;     /* only one rank is certain to be here */
  gboolean is_hub;            /* the others meet at this rank's address: it keeps what they exchange */
} UrbKeeping;

typedef struct
{
  UrbFit fit;
  gint64 needed, available;
  char  *text;   /* owned; a sentence without its full stop */
  char  *remedy; /* owned, nullable: "fits if --accumulate 4" */
} UrbFinding;

typedef struct
{
  UrbStrategy strategy;
  int         n_ranks, n_processes, n_threads; /* threads of each rank */
  gboolean    on_gpu;           /* memory is that of a GPU: what the first needs, if ranks use several */
  int         n_devices;        /* over which ranks are spread in turn */
  int         n_gpus;           /* of all ranks; 0: none, or several hosts */
  GArray     *rank_bytes;       /* (element-type gint64) owned: of each rank, without shared blocks */
  UrbMesh     mesh;
  GPtrArray  *plans;            /* (element-type UrbPlan) owned: of ranks that are not alike */
  GArray     *plan_of;          /* (element-type guint) owned: the plan of each rank */
  gint64      shared_bytes;     /* once for all ranks */
  gint64      outside_bytes;    /* of all ranks: moments and averages that are not in rank_bytes */
  gint64      served_bytes;     /* of a hub, for all other ranks: what they exchange */
  gint64      context_bytes;    /* of a GPU, for each process but the first: an estimate */
  gint64      checkpoint_bytes; /* of one */
  UrbFinding  findings[URB_N_RESOURCES];
  UrbFit      fit;              /* the worst of them */
} UrbPreflight;

/**
 * urb_preflight_make:
 * @options: the dataset may be %NULL
 * @out: (out caller-allocates)
 *
 * Plans the program of one of each ranks that are alike.  If memory does not suffice, plans
 * changed options until they fit.  Allocates nothing large.
 *
 * Returns: %FALSE if the options describe no run
 */
gboolean urb_preflight_make  (const UrbTrainOptions *options, const UrbKeeping *keeping,
                              const UrbLimits *limits, UrbPreflight *out, GError **error);
void     urb_preflight_clear (UrbPreflight *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbPreflight, urb_preflight_clear)

/* The plan of a rank. */
const UrbPlan *urb_preflight_get_plan (const UrbPreflight *self, int rank);

/* "Does not fit: memory, 4.0 GiB, and there is 3.0 GiB (fits if --accumulate 4)." (transfer full) */
char    *urb_preflight_dup_verdict (const UrbPreflight *self);

/* A sentence if other options would be faster. (transfer full) (nullable) */
char    *urb_preflight_dup_advice (const UrbPreflight *self);

G_END_DECLS
