/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-ranks.h - ranks with a device each, whose numbers go from device to device.
 *
 * All ranks begin the same exchanges in the same order; sends and receives are of two ranks alone.
 * Nothing here waits.  Whoever wants to know whether something is done looks, and between two looks
 * asks, say, whether the other ranks are still there: the library underneath would wait for them for
 * ever.
 */
#pragma once

#include "kernels/uk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* MPI's terms, as in step/collective.h, which says what each is. */
typedef enum
{
  UK_BROADCAST,
  UK_SCATTER,
  UK_GATHER,
  UK_ALL_GATHER,
  UK_REDUCE,
  UK_ALL_REDUCE,
  UK_REDUCE_SCATTER,
  UK_SEND,
  UK_RECV
} UkExchangeKind;

typedef enum
{
  UK_NUMBER_F32,
  UK_NUMBER_F64,
  UK_NUMBER_BF16,
  UK_NUMBER_U8,
  UK_N_NUMBERS
} UkNumber;

typedef struct
{
  UkExchangeKind kind;
  UkNumber       number;
  int64_t        count; /* of one rank's part; more than 0 */
  int            peer;  /* the root, or the other rank */
  const void    *in;    /* device memory; must stay, and be written, from begin() until it is done */
  void          *out;   /* may be `in` where sums are made */
} UkExchange;

/* Where ranks meet: plain bytes, to be passed on in whatever way. */
typedef struct
{
  unsigned char bytes[128];
} UkMeeting;

enum
{
  UK_MAX_EXCHANGES = 64, /* under way */
  UK_TICKET_JOIN = -1
};

/* One rank's side; used by one thread at a time. */
typedef struct _UkRanks UkRanks;

struct _UkRanksTable
{
  const char *name; /* "NCCL" */

  /* UK_UNSUPPORTED if @backend cannot be a rank, and why with its explain().  @device: which one of
   * this machine it is; ranks must have different ones, and parts of one are the same. */
  UkStatus (*check)   (UkBackend *backend, char device[UK_EXPORT_TEXT]);
  /* For one of the ranks, which tells the others. */
  UkStatus (*arrange) (UkBackend *backend, UkMeeting *out);
  /* Begins to join: done when look (UK_TICKET_JOIN) says so.  @backend: borrowed. */
  UkStatus (*join)    (UkBackend *backend, const UkMeeting *meeting, int rank, int n_ranks,
                       UkRanks **out);
  /* Begins an exchange.  @ticket: (out): what to look for until it is done. */
  UkStatus (*begin)   (UkRanks *self, const UkExchange *what, int *ticket);
  /* UK_OK: done; UK_BUSY: not yet; else it failed, and with it all that is under way. */
  UkStatus (*look)    (UkRanks *self, int ticket);
  /* What went wrong, for people; "" if nothing. */
  const char *(*explain) (UkRanks *self);
  /* Ends what is under way, without asking the others; nothing touches buffers any more. */
  void     (*leave)   (UkRanks *self);
};

#ifdef __cplusplus
}
#endif
