/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-params-private.h - how the control part of shared parameters lies in
 * memory.
 *
 * Every word is atomic: several processes write, any of which may be killed
 * between two of its lines, or be of another opinion.  What this process
 * relies on (sizes, the number of workers) it keeps in a copy of its own.
 */
#pragma once

#include <stdatomic.h>

#include "kernels/uk.h"
#include "parallel/shared-params.h"

G_BEGIN_DECLS

enum { URB_SHARED_LINE = 64 }; /* bytes that processors pass on together */

typedef _Atomic guint64 UrbSharedWord;

/* What a worker is doing, as far as others must wait for it. */
typedef enum
{
  URB_SHARED_RESTING, /* no step: also where nobody works */
  URB_SHARED_WANTING, /* looks whether a step is left */
  URB_SHARED_BUSY,    /* in a step, which is lost if it dies */
  URB_SHARED_ENDING,  /* all is published; about to be counted, or just was: not lost any more */
  URB_SHARED_TELLING, /* the step is done, but not all know it yet */
  URB_SHARED_JOINING  /* its clock may still be behind all others' */
} UrbSharedState;

/* Bits of a ticket, below 1 + the step's number. */
enum { URB_SHARED_HELD = 1, URB_SHARED_TICKET_SHIFT = 1 };

/* Written by the worker itself, and by whoever buries it. */
typedef struct
{
  _Alignas (URB_SHARED_LINE) UrbSharedWord pid; /* 0: nobody works here */
  UrbSharedWord importer; /* the process that has the owner's memory open; 0: none */
  UrbSharedWord state;    /* UrbSharedState */
  UrbSharedWord ticket;   /* HELD: of its step; else one it lost, for anybody; 0: none */
  UrbSharedWord clock;    /* steps finished, counted from where the slowest was at its start */
  UrbSharedWord max_lead;
  UrbSharedWord seen[URB_SHARED_N_NETS];       /* the version it read last */
  UrbSharedWord begun[URB_SHARED_N_NETS];      /* the version when its publish began */
  UrbSharedWord publishing[URB_SHARED_N_NETS]; /* 1 + whether another was seen at it; 0: not at it */
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
  UrbSharedWord laid_out; /* the blocks are there, and hash and n_bytes say what they are */
  UrbSharedWord ready;    /* … and they are filled */
  UrbSharedWord closed;
  UrbSharedWord n_steps;
  UrbSharedWord hash[4];
  /* Blocks that are memory of a device. */
  UrbSharedWord owner;      /* the process whose memory they are; 0: they lie behind this */
  UrbSharedWord generation; /* counted up each time they are made */
  UrbSharedWord exported[sizeof (UkExport) / sizeof (guint64)];
  UrbSharedWord n_bytes[URB_SHARED_N_NETS][URB_SHARED_N_BLOCKS];
  /* Words that every step writes: away from those that are only read. */
  _Alignas (URB_SHARED_LINE) UrbSharedWord started; /* the next number that nobody had yet */
  UrbSharedWord done;
  UrbSharedWord lost; /* steps that died with their worker */
  UrbSharedWord hold; /* 1 + the rank for which all others wait; 0: none */
  UrbSharedWord versions[URB_SHARED_N_NETS];
  UrbSharedCanary canaries[URB_SHARED_N_NETS][URB_SHARED_MAX_SLICES];
} UrbSharedHead;

struct _UrbSharedParams
{
  int             fd;        /* owned; -1: heap */
  char           *name;      /* (nullable) owned */
  gboolean        is_maker;  /* of a named one: removes it */
  int             n_workers;
  UrbSharedHead  *head;      /* mapped, or owned */
  UrbSharedEntry *entries;   /* (n_workers), behind it */
  void           *blocks;    /* (nullable) mapped */
  gsize           n_block_bytes;
  void           *block[URB_SHARED_N_NETS][URB_SHARED_N_BLOCKS];
  UkBackend      *backend;    /* (nullable) borrowed; on whose device `blocks` are */
  guint64         generation; /* of those blocks */
  int             owner_fd;   /* owned; the owner as a pidfd; -1: none, or this process */
};

/* Bytes of the control part. */
gsize urb_shared_count_control_bytes (int n_workers);

/* Blocks, wherever they are: their bytes … */
gsize    urb_shared_count_block_bytes (const UrbSharedLayout *layout);
/* … where each is, as they lie one after the other in @memory … */
void     urb_shared_place_blocks      (UrbSharedParams *self, const UrbSharedLayout *layout,
                                       void *memory);
/* … saying that they are there, and what they are; and waiting until they are, which fails unless
 * they are @layout. */
void     urb_shared_lay_out           (UrbSharedParams *self, const UrbSharedLayout *layout);
gboolean urb_shared_wait_for_layout   (UrbSharedParams *self, const UrbSharedLayout *layout,
                                       GError **error);

G_END_DECLS
