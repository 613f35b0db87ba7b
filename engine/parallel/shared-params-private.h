/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-params-private.h - the memory layout of the control part of shared parameters.
 *
 * Every word is atomic: several processes write, any of which may be killed between two lines, or
 * write invalid values.  Sizes and the number of workers are copied to the process's own memory.
 */
#pragma once

#include <stdatomic.h>

#include "kernels/uk.h"
#include "parallel/shared-params.h"

G_BEGIN_DECLS

enum { URB_SHARED_LINE = 64 }; /* bytes of a cache line */

typedef _Atomic guint64 UrbSharedWord;

/* A worker's state, as far as others wait for it. */
typedef enum
{
  URB_SHARED_RESTING, /* no step, or no worker */
  URB_SHARED_WANTING, /* checks whether a step is left */
  URB_SHARED_BUSY,    /* in a step, which is lost if it dies */
  URB_SHARED_ENDING,  /* all is published; about to be counted, or just was: not lost any more */
  URB_SHARED_REPORTING, /* the step is done, but not reported yet */
  URB_SHARED_JOINING  /* its clock may still be behind all others' */
} UrbSharedState;

/* Bits of a ticket, below 1 + the step's number. */
enum { URB_SHARED_HELD = 1, URB_SHARED_TICKET_SHIFT = 1 };

/* Written by the worker itself, and when it is reaped. */
typedef struct
{
  _Alignas (URB_SHARED_LINE) UrbSharedWord pid; /* 0: no worker */
  UrbSharedWord importer; /* the process that has opened the owner's memory; 0: none */
  UrbSharedWord state;    /* UrbSharedState */
  UrbSharedWord ticket;   /* HELD: of its step; else of a step it lost, free to take; 0: none */
  UrbSharedWord clock;    /* steps finished, counted from the slowest worker's clock at its start */
  UrbSharedWord max_lead;
  UrbSharedWord seen[URB_SHARED_N_NETS];       /* the version it read last */
  UrbSharedWord begun[URB_SHARED_N_NETS];      /* the version when its update began */
  UrbSharedWord publishing[URB_SHARED_N_NETS]; /* 1 + whether another update was seen meanwhile; 0:
                                                * no update */
  UrbSharedWord n_fed[URB_SHARED_N_NETS];      /* canaries */
  UrbSharedWord n_publishes[URB_SHARED_N_NETS], n_overlapped[URB_SHARED_N_NETS];
  UrbSharedWord lags[URB_SHARED_N_NETS][URB_SHARED_MAX_LAG + 1];
} UrbSharedEntry;

typedef struct
{
  _Alignas (URB_SHARED_LINE) UrbSharedWord fed;
} UrbSharedCanary;

typedef struct
{
  UrbSharedWord magic, n_workers;
  UrbSharedWord laid_out; /* the blocks exist, described by hash and n_bytes */
  UrbSharedWord ready;    /* … and are initialized */
  UrbSharedWord closed;
  UrbSharedWord n_steps;
  UrbSharedWord hash[4];
  /* For blocks in a device's memory. */
  UrbSharedWord owner;      /* the process that owns them; 0: they follow this head */
  UrbSharedWord planner;    /* rank 0's process, which is about to lay them out; 0: none yet */
  UrbSharedWord generation; /* incremented each time they are created */
  UrbSharedWord exported[sizeof (UkExport) / sizeof (guint64)];
  UrbSharedWord n_bytes[URB_SHARED_N_NETS][URB_SHARED_N_BLOCKS];
  /* Words that every step writes, apart from those that are only read. */
  _Alignas (URB_SHARED_LINE) UrbSharedWord started; /* the next new number */
  UrbSharedWord done;
  UrbSharedWord lost; /* steps that died with their worker */
  UrbSharedWord hold; /* 1 + the rank that all others wait for; 0: none */
  UrbSharedWord versions[URB_SHARED_N_NETS];
  UrbSharedCanary canaries[URB_SHARED_N_NETS][URB_SHARED_MAX_SLICES];
} UrbSharedHead;

struct _UrbSharedParams
{
  int             fd;        /* owned; -1: heap */
  char           *name;      /* (nullable) owned */
  gboolean        is_maker;  /* of a named file: deletes it */
  int             n_workers;
  int             patience_s; /* while no process is about to lay out the blocks */
  UrbSharedHead  *head;      /* mapped, or owned */
  UrbSharedEntry *entries;   /* (n_workers), after the head */
  void           *blocks;    /* (nullable) mapped */
  gsize           n_block_bytes;
  void           *block[URB_SHARED_N_NETS][URB_SHARED_N_BLOCKS];
  UkBackend      *backend;    /* (nullable) borrowed; of the device that holds `blocks` */
  guint64         generation; /* of those blocks */
  int             owner_fd;   /* owned; a pidfd of the owner; -1: none, or this process */
};

/* Bytes of the control part. */
gsize urb_shared_count_control_bytes (int n_workers);

/* The size of all blocks. */
gsize    urb_shared_count_block_bytes (const UrbSharedLayout *layout);
/* Sets the addresses of blocks that follow one another in @memory. */
void     urb_shared_place_blocks      (UrbSharedParams *self, const UrbSharedLayout *layout,
                                       void *memory);
/* Declares the blocks as present, and waits until they are, which fails unless they have
 * @layout. */
void     urb_shared_lay_out           (UrbSharedParams *self, const UrbSharedLayout *layout);
gboolean urb_shared_wait_for_layout   (UrbSharedParams *self, const UrbSharedLayout *layout,
                                       GError **error);

G_END_DECLS
