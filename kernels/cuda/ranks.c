/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks.c - collectives between ranks with one GPU each, with NCCL.
 *
 * Communicators are non-blocking: a call may return before it has enqueued anything on the GPU, and the
 * next one must wait until it has.  Exchanges therefore wait in a queue, which every poll advances.  All run
 * on one stream of their own, concurrent with the backend's.
 *
 * NCCL chooses the order of sums: the same in every run on the same GPUs, but not that of the ranks; and
 * 16-bit numbers are rounded after every addition.
 *
 * Written against NCCL 2.28; non-blocking communicators need 2.14.
 */
#include "kernels/cuda/cuda-private.h"
#include "kernels/cuda/nccl-calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FREE, QUEUED, LAUNCHED } State;

/* The exchange of a ticket. */
typedef struct
{
  UkExchange  what;
  State       state;
  void       *aside; /* (nullable) temporary for the sum, copied to `out` */
  cudaEvent_t done;  /* owned; recorded after it */
} Slot;

struct _UkRanks
{
  UkCudaBackend *backend; /* borrowed */
  const UkNccl  *nccl;
  ncclComm_t     comm;    /* owned, (nullable) */
  int            rank, n_ranks;
  cudaStream_t   stream;  /* owned */
  Slot           slots[UK_MAX_EXCHANGES];
  Slot          *queue[UK_MAX_EXCHANGES]; /* in order */
  int            n_queued;
  int            n_launching; /* entries at the head of the queue that NCCL is enqueueing */
  bool           is_busy;     /* NCCL is still processing the last call */
  UkStatus       failure;     /* UK_OK: none */
  char           error[512];
};

static const ncclDataType_t data_types[UK_N_DATA_TYPES] = {
  [UK_DATA_F32] = ncclFloat32,
  [UK_DATA_F64] = ncclFloat64,
  [UK_DATA_BF16] = ncclBfloat16,
  [UK_DATA_F16] = ncclFloat16,
  [UK_DATA_U8] = ncclUint8,
};

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

static UkStatus
fail (UkRanks *self, const char *what, const char *why)
{
  if (self->failure == UK_OK)
    snprintf (self->error, sizeof self->error, "%s: %s", what, why);
  return self->failure = UK_DEVICE_ERROR;
}

static UkStatus
check_nccl (UkRanks *self, ncclResult_t result, const char *what)
{
  char why[sizeof self->error - 64];

  self->is_busy = result == ncclInProgress;
  if (result == ncclSuccess || result == ncclInProgress)
    return UK_OK;
  snprintf (why, sizeof why, "%s %s", self->nccl->GetErrorString (result),
            self->comm != NULL ? self->nccl->GetLastError (self->comm) : "");
  return fail (self, what, why);
}

static UkStatus
check_cuda (UkRanks *self, cudaError_t error, const char *what)
{
  if (error == cudaSuccess)
    return UK_OK;
  cudaGetLastError ();
  return fail (self, what, cudaGetErrorString (error));
}

static UkStatus
enter (UkRanks *self)
{
  if (self->failure == UK_OK && uk_cuda_enter (&self->backend->base) != UK_OK)
    fail (self, "selecting the GPU", "failed");
  return self->failure;
}

/* ------------------------------------------------------------------------ */
/* Launching                                                                 */

static bool
is_message (const Slot *slot)
{
  return slot->what.kind == UK_SEND || slot->what.kind == UK_RECV;
}

static size_t
part_bytes (const UkExchange *what)
{
  return (size_t) what->count * uk_data_size (what->type);
}

static ncclResult_t
send_or_receive (UkRanks *self, const UkExchange *what, bool sends, const void *in, void *out, int peer)
{
  ncclDataType_t type = data_types[what->type];
  size_t count = (size_t) what->count;

  return sends ? self->nccl->Send (in, count, type, peer, self->comm, self->stream)
               : self->nccl->Recv (out, count, type, peer, self->comm, self->stream);
}

/* The root's own part of a scatter or gather. */
static ncclResult_t
move_own_part (UkRanks *self, const UkExchange *what)
{
  size_t part = part_bytes (what), own = part * (size_t) self->rank;
  const char *from = (const char *) what->in + (what->kind == UK_SCATTER ? own : 0);
  char *to = (char *) what->out + (what->kind == UK_GATHER ? own : 0);

  return from == to
             || cudaMemcpyAsync (to, from, part, cudaMemcpyDeviceToDevice, self->stream) == cudaSuccess
           ? ncclSuccess : ncclUnhandledCudaError;
}

/* The worse of two results. */
static ncclResult_t
join_results (ncclResult_t a, ncclResult_t b)
{
  return a == ncclSuccess || (a == ncclInProgress && b != ncclSuccess) ? b : a;
}

/* Scatter and gather, which older NCCL versions only have as sends and receives. */
static ncclResult_t
move_parts (UkRanks *self, const UkExchange *what)
{
  size_t part = part_bytes (what);
  bool at_root = self->rank == what->peer;
  bool sends = at_root == (what->kind == UK_SCATTER);
  ncclResult_t result = at_root ? move_own_part (self, what) : ncclSuccess;

  if (!at_root)
    return join_results (result, send_or_receive (self, what, sends, what->in, what->out, what->peer));
  for (int r = 0; r < self->n_ranks; r++)
    if (r != self->rank)
      result = join_results (result, send_or_receive (self, what, sends,
                                                      (const char *) what->in + part * (size_t) r,
                                                      (char *) what->out + part * (size_t) r, r));
  return result;
}

/* In-place semantics differ from MPI's: NCCL expects the result at this rank's own part. */
static ncclResult_t
reduce_scatter (UkRanks *self, Slot *slot)
{
  const UkExchange *what = &slot->what;
  void *out = what->out;

  if (what->in == what->out && self->rank > 0)
    {
      if (cudaMallocAsync (&slot->aside, part_bytes (what), self->stream) != cudaSuccess)
        return ncclUnhandledCudaError;
      out = slot->aside;
    }
  return self->nccl->ReduceScatter (what->in, out, (size_t) what->count,
                                    data_types[what->type], ncclSum, self->comm, self->stream);
}

static ncclResult_t
launch_one (UkRanks *self, Slot *slot)
{
  const UkExchange *what = &slot->what;
  ncclDataType_t type = data_types[what->type];
  size_t count = (size_t) what->count;

  switch (what->kind)
    {
    case UK_BROADCAST:
      return self->nccl->Broadcast (what->in, what->out, count, type, what->peer, self->comm,
                                    self->stream);
    case UK_SCATTER:
    case UK_GATHER:
      return move_parts (self, what);
    case UK_ALL_GATHER:
      return self->nccl->AllGather (what->in, what->out, count, type, self->comm, self->stream);
    case UK_REDUCE:
      return self->nccl->Reduce (what->in, what->out, count, type, ncclSum, what->peer, self->comm,
                                 self->stream);
    case UK_ALL_REDUCE:
      return self->nccl->AllReduce (what->in, what->out, count, type, ncclSum, self->comm,
                                    self->stream);
    case UK_REDUCE_SCATTER:
      return reduce_scatter (self, slot);
    case UK_SEND:
    case UK_RECV:
      return send_or_receive (self, what, what->kind == UK_SEND, what->in, what->out, what->peer);
    }
  return ncclInvalidArgument;
}

/* A send blocks the stream until its receive has started.  Consecutive messages are therefore launched as
 * one group, so that two ranks may both send before they receive. */
static UkStatus
launch (UkRanks *self)
{
  ncclResult_t result = self->nccl->GroupStart ();
  int n = 0;

  do
    result = join_results (result, launch_one (self, self->queue[n++]));
  while (n < self->n_queued && is_message (self->queue[0]) && is_message (self->queue[n]));
  self->n_launching = n;
  return check_nccl (self, join_results (self->nccl->GroupEnd (), result), "exchanging data");
}

/* NCCL has enqueued them: later work on the stream may follow. */
static UkStatus
finish_launch (UkRanks *self)
{
  UkStatus status = UK_OK;

  for (int i = 0; i < self->n_launching && status == UK_OK; i++)
    {
      Slot *slot = self->queue[i];

      if (slot->aside != NULL)
        {
          status = check_cuda (self, cudaMemcpyAsync (slot->what.out, slot->aside,
                                                      part_bytes (&slot->what),
                                                      cudaMemcpyDeviceToDevice, self->stream),
                               "copying memory");
          cudaFreeAsync (slot->aside, self->stream);
          slot->aside = NULL;
        }
      if (status == UK_OK)
        status = check_cuda (self, cudaEventRecord (slot->done, self->stream), "recording an event");
      slot->state = LAUNCHED;
    }
  self->n_queued -= self->n_launching;
  memmove (self->queue, self->queue + self->n_launching,
           (size_t) self->n_queued * sizeof *self->queue);
  self->n_launching = 0;
  return status;
}

/* UK_BUSY: NCCL is still processing the last call. */
static UkStatus
check_busy (UkRanks *self)
{
  ncclResult_t result = ncclSuccess;
  UkStatus status;

  if (!self->is_busy)
    return UK_OK;
  status = check_nccl (self, self->nccl->CommGetAsyncError (self->comm, &result), "exchanging data");
  if (status == UK_OK)
    status = check_nccl (self, result, "exchanging data");
  return status == UK_OK && self->is_busy ? UK_BUSY : status;
}

/* Advances the queue as far as possible without waiting.  @messages: also launch trailing messages, which
 * otherwise wait for more to be grouped with. */
static UkStatus
advance (UkRanks *self, bool messages)
{
  for (;;)
    {
      UkStatus status = check_busy (self);
      bool is_due = messages;

      if (status == UK_OK && self->n_launching > 0)
        status = finish_launch (self);
      for (int i = 0; i < self->n_queued; i++)
        is_due = is_due || !is_message (self->queue[i]);
      if (status != UK_OK || self->n_queued == 0 || !is_due)
        return status;
      status = launch (self);
      if (status != UK_OK)
        return status;
    }
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */

static UkStatus
check (UkBackend *base, char device[UK_EXPORT_TEXT])
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_cuda_enter (base);
  const char *why;

  memset (device, 0, UK_EXPORT_TEXT);
  if (status != UK_OK)
    return status;
  if (uk_nccl_load (&why) != NULL)
    return uk_cuda_check (self, cudaDeviceGetPCIBusId (device, UK_EXPORT_TEXT, self->device),
                          "identifying the GPU");
  snprintf (self->error, sizeof self->error, "%s", why);
  return UK_UNSUPPORTED;
}

static UkStatus
create_id (UkBackend *base, UkGroupId *out)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_cuda_enter (base);
  const char *why;
  const UkNccl *nccl = uk_nccl_load (&why);
  ncclUniqueId id;
  ncclResult_t result;

  _Static_assert (sizeof id == sizeof out->bytes, "an NCCL id fits");
  if (status != UK_OK || nccl == NULL)
    return status != UK_OK ? status : UK_UNSUPPORTED;
  result = nccl->GetUniqueId (&id);
  memcpy (out->bytes, &id, sizeof id);
  if (result == ncclSuccess)
    return UK_OK;
  snprintf (self->error, sizeof self->error, "creating an NCCL id: %s %s",
            nccl->GetErrorString (result), nccl->GetLastError (NULL));
  return UK_DEVICE_ERROR;
}

static void
leave (UkRanks *self)
{
  if (self == NULL)
    return;
  uk_cuda_enter (&self->backend->base);
  /* CommDestroy would wait for the other ranks. */
  if (self->comm != NULL)
    self->nccl->CommAbort (self->comm);
  if (self->stream != NULL)
    cudaStreamSynchronize (self->stream);
  for (Slot *slot = self->slots; slot < self->slots + UK_MAX_EXCHANGES; slot++)
    {
      if (slot->aside != NULL)
        cudaFree (slot->aside);
      if (slot->done != NULL)
        cudaEventDestroy (slot->done);
    }
  if (self->stream != NULL)
    cudaStreamDestroy (self->stream);
  free (self);
}

static UkStatus
join (UkBackend *base, const UkGroupId *group, int rank, int n_ranks, UkRanks **out)
{
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  UkRanks *self = calloc (1, sizeof *self);
  const char *why;
  ncclUniqueId id;
  UkStatus status;

  *out = NULL;
  if (self == NULL)
    return UK_NO_MEMORY;
  self->backend = (UkCudaBackend *) base;
  self->nccl = uk_nccl_load (&why);
  self->rank = rank;
  self->n_ranks = n_ranks;
  memcpy (&id, group->bytes, sizeof id);
  config.blocking = 0;
  status = self->nccl == NULL ? fail (self, "NCCL", why) : enter (self);
  if (status == UK_OK)
    status = check_cuda (self, cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking),
                         "creating a stream");
  for (int i = 0; i < UK_MAX_EXCHANGES && status == UK_OK; i++)
    status = check_cuda (self, cudaEventCreateWithFlags (&self->slots[i].done,
                                                         cudaEventDisableTiming), "creating an event");
  if (status == UK_OK)
    status = check_nccl (self, self->nccl->CommInitRankConfig (&self->comm, n_ranks, id, rank, &config),
                         "joining the other ranks");
  if (status == UK_OK)
    {
      *out = self;
      return UK_OK;
    }
  memcpy (self->backend->error, self->error, sizeof self->error);
  leave (self);
  return status;
}

static UkStatus
begin (UkRanks *self, const UkExchange *what, int *ticket)
{
  UkStatus status = enter (self);
  int i = 0;

  while (i < UK_MAX_EXCHANGES && self->slots[i].state != FREE)
    i++;
  if (status == UK_OK && i == UK_MAX_EXCHANGES)
    status = fail (self, "exchanging data", "too many exchanges in flight");
  if (status != UK_OK)
    return status;
  self->slots[i].what = *what;
  self->slots[i].state = QUEUED;
  self->queue[self->n_queued++] = &self->slots[i];
  *ticket = i;
  status = advance (self, false);
  return status == UK_BUSY ? UK_OK : status;
}

static UkStatus
poll (UkRanks *self, int ticket)
{
  Slot *slot = ticket != UK_TICKET_JOIN ? &self->slots[ticket] : NULL;
  UkStatus status = enter (self);
  cudaError_t error;

  if (status == UK_OK)
    status = advance (self, slot != NULL);
  if ((status != UK_OK && status != UK_BUSY) || slot == NULL)
    return status;
  if (slot->state != LAUNCHED)
    return UK_BUSY;
  error = cudaEventQuery (slot->done);
  if (error == cudaErrorNotReady)
    {
      cudaGetLastError ();
      self->is_busy = true; /* makes check_busy() query NCCL for errors */
      status = check_busy (self);
      return status == UK_OK ? UK_BUSY : status;
    }
  slot->state = FREE;
  return check_cuda (self, error, "exchanging data");
}

static const char *
explain (UkRanks *self)
{
  return self->error;
}

const UkRanksTable uk_cuda_ranks = {
  .name = "NCCL",
  .check = check,
  .create_id = create_id,
  .join = join,
  .begin = begin,
  .poll = poll,
  .explain = explain,
  .leave = leave,
};
