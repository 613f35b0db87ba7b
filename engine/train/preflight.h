/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - does a run fit onto this machine?  Asked before its first step,
 * and answered in words: yes, no, or yes if.
 *
 * Memory is that of the planned program of each rank, to the byte; what shared
 * blocks take is counted once.  The other resources are those that end a run in
 * its third hour rather than in its first second.
 */
#pragma once

#include "dataset/dataset.h"
#include "train/trainer.h"

G_BEGIN_DECLS

typedef enum
{
  URB_FIT_YES,
  URB_FIT_TIGHT, /* it runs, but not well */
  URB_FIT_NO
} UrbFit;

typedef enum
{
  URB_RESOURCE_MEMORY,        /* bytes, of all ranks on this host, where they compute */
  URB_RESOURCE_SHARED_MEMORY, /* bytes, of /dev/shm */
  URB_RESOURCE_DESCRIPTORS,   /* of the supervisor: open files */
  URB_RESOURCE_DISK,          /* bytes, for checkpoints */
  URB_RESOURCE_CORES,         /* threads against processors */
  URB_N_RESOURCES
} UrbResource;

/* "memory", "shared-memory" … */
const char *urb_resource_get_name (UrbResource self);
/* "there is 24.0 GiB", "there are 2": @available of it (transfer full) */
char       *urb_resource_dup_available (UrbResource self, gint64 available);
/* "fits", "tight", "does not fit" */
const char *urb_fit_get_name      (UrbFit self);

/* What there is of each; G_MAXINT64: no limit that one could know. */
typedef struct
{
  gint64 available[URB_N_RESOURCES];
} UrbLimits;

/* Of this machine, and of the file system that @folder is, or will be, on. */
void urb_limits_read (UrbLimits *self, const char *folder);
/* Where @options train on a GPU, memory is that one's: what is free of it for a process that is there
 * already.  Fails if it cannot be asked. */
gboolean urb_limits_read_device (UrbLimits *self, const UrbTrainOptions *options, GError **error);

/* How the run is kept. */
typedef struct
{
  int      keep_checkpoints;  /* 0: all */
  int      n_checkpoints;     /* there already */
  gint64   checkpoint_every;  /* steps; 0: by time */
  gboolean several_hosts;     /* a hosts file: only one rank here is certain */
} UrbKeeping;

typedef struct
{
  UrbFit fit;
  gint64 needed, available;
  char  *text;   /* owned; a sentence without its full stop */
  char  *remedy; /* owned, nullable: what would make it fit, as "fits if --accumulate 4" */
} UrbFinding;

typedef struct
{
  UrbStrategy strategy;
  int         n_ranks, n_processes, n_threads; /* threads of each rank */
  gboolean    on_gpu;           /* memory is a GPU's: of the first, where ranks have several */
  int         n_devices;        /* over which ranks are spread, one after the other */
  UrbDataset *dataset;          /* (nullable) borrowed; NULL as soon as it is made */
  int         n_gpus;           /* that the ranks have together; 0: none, or on several hosts */
  GArray     *rank_bytes;       /* (element-type gint64) owned: of each rank, without what is shared */
  gint64      shared_bytes;     /* once for all ranks */
  gint64      context_bytes;    /* of a GPU, for each of them but the first: an estimate */
  gint64      checkpoint_bytes; /* of one */
  UrbFinding  findings[URB_N_RESOURCES];
  UrbFit      fit;              /* the worst of them */
} UrbPreflight;

/**
 * urb_preflight_make:
 * @options: the dataset may be %NULL
 * @out: (out caller-allocates)
 *
 * Plans the program of every kind of rank, and again where something does not
 * fit, until it knows what would.  Allocates nothing large.
 *
 * Returns: %FALSE if the options make no run at all
 */
gboolean urb_preflight_make  (const UrbTrainOptions *options, const UrbKeeping *keeping,
                              const UrbLimits *limits, UrbPreflight *out, GError **error);
void     urb_preflight_clear (UrbPreflight *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbPreflight, urb_preflight_clear)

/* "Does not fit: memory, 4.0 GiB, and there is 3.0 GiB (fits if --accumulate 4)." (transfer full) */
char    *urb_preflight_dup_verdict (const UrbPreflight *self);

/* What runs and would run better otherwise, as a sentence; NULL: nothing. (transfer full) (nullable) */
char    *urb_preflight_dup_advice (const UrbPreflight *self);

G_END_DECLS
