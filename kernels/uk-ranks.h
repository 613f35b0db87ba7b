/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk-ranks.h - collectives between ranks with one device each, from device to device.
 *
 * All ranks start the same collectives in the same order; sends and receives involve two ranks only.
 * Nothing here blocks: the caller polls, and between polls can check that the other ranks are still
 * alive, since the library underneath would wait for them for ever.
 */
#pragma once

#include "kernels/uk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* MPI's terms; step/collective.h defines each. */
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

typedef struct
{
  UkExchangeKind kind;
  UkDataType     type;
  int64_t        count; /* of one rank's part; > 0 */
  int            peer;  /* the root, or the other rank */
  const void    *in;    /* device memory; written before begin(), and valid until completion */
  void          *out;   /* may equal `in` for sums */
} UkExchange;

/* The group's id: plain bytes that the caller passes to every rank. */
typedef struct
{
  unsigned char bytes[128];
} UkGroupId;

enum
{
  UK_MAX_EXCHANGES = 64, /* in flight at once */
  UK_TICKET_JOIN = -1
};

/* One rank's handle; used by one thread at a time. */
typedef struct _UkRanks UkRanks;

struct _UkRanksTable
{
  const char *name; /* "NCCL" */

  /* UK_UNSUPPORTED if @backend cannot be a rank; its explain() says why.  @device identifies the GPU
   * within this machine: ranks need different ones, and partitions of one GPU compare equal. */
  UkStatus (*check)     (UkBackend *backend, char device[UK_EXPORT_TEXT]);
  /* Called by one rank, which sends the result to the others. */
  UkStatus (*create_id) (UkBackend *backend, UkGroupId *out);
  /* Starts to join; complete once poll (UK_TICKET_JOIN) returns UK_OK.  @backend: borrowed. */
  UkStatus (*join)      (UkBackend *backend, const UkGroupId *group, int rank, int n_ranks,
                         UkRanks **out);
  /* Starts an exchange.  @ticket: (out): passed to poll(). */
  UkStatus (*begin)     (UkRanks *self, const UkExchange *what, int *ticket);
  /* UK_OK: complete; UK_BUSY: not yet; otherwise it failed, together with everything in flight. */
  UkStatus (*poll)      (UkRanks *self, int ticket);
  /* The last error as text; "" if none. */
  const char *(*explain) (UkRanks *self);
  /* Aborts what is in flight, without the other ranks; no buffer is touched afterwards. */
  void     (*leave)     (UkRanks *self);
};

#ifdef __cplusplus
}
#endif
