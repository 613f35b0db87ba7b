/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-nccl.c - ranks with a GPU each, by NCCL.
 *
 * NCCL hangs when ranks disagree or one of them is gone, and has no way to tell
 * the others.  Therefore a communicator on the host goes along: over it the
 * ranks agree on an identity, tell each other what they are about to do while
 * the GPUs already work, and hear when one gives up.  Every wait is a loop that
 * looks at both; a failure aborts what runs on the GPU.
 *
 * Sums have the order that NCCL chooses, the same in every run on the same
 * GPUs, yet not that of ranks; and bf16 is rounded after every addition.
 *
 * Written against NCCL 2.28 and CUDA 13; compiled and linked with them.
 */
#include <cuda_runtime.h>
#include <nccl.h>
#include <string.h>

#include "parallel/comm-private.h"

enum { N_SPINS = 1000 }; /* looks before a rest */

/* What a rank is about to do, on the host. */
typedef struct
{
  gint64 kind, element, count, peer;
} Header;

typedef struct
{
  UrbRequest  base;
  UrbRequest *agreed; /* on the host: all ranks' headers; NULL: two ranks only */
  cudaEvent_t done;   /* owned by the communicator */
  Header      header;
  Header     *headers; /* owned by the communicator; (n_ranks) */
} NcclRequest;

typedef struct
{
  cudaEvent_t done;    /* owned */
  Header     *headers; /* owned; (n_ranks) */
  gboolean    in_use;
} Slot;

typedef struct
{
  UrbComm      base;
  UrbComm     *meet;   /* owned; on the host */
  int          device;
  ncclComm_t   comm;   /* owned; NULL after a failure */
  cudaStream_t stream; /* owned */
  GError      *failure; /* owned */
  Slot         slots[URB_COMM_MAX_UNDER_WAY];
  NcclRequest *messages[URB_COMM_MAX_UNDER_WAY]; /* sends and receives, not yet launched */
  int          n_messages;
} NcclComm;

static const UrbCommOps nccl_ops;

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

static gboolean
nccl_ok (NcclComm *self, ncclResult_t result, GError **error)
{
  if (result == ncclSuccess)
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT, "NCCL failed on rank %d: %s. %s",
               self->base.rank, ncclGetErrorString (result),
               self->comm != NULL ? ncclGetLastError (self->comm) : "");
  return FALSE;
}

static gboolean
cuda_ok (NcclComm *self, cudaError_t result, GError **error)
{
  if (result == cudaSuccess)
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT, "CUDA failed on rank %d: %s",
               self->base.rank, cudaGetErrorString (result));
  return FALSE;
}

/* Stops the GPU's part, tells the other ranks, and keeps the reason for later calls. */
static void
give_up (NcclComm *self, const GError *failure)
{
  if (self->failure != NULL)
    return;
  self->failure = g_error_copy (failure);
  urb_comm_abort (self->meet, failure->message);
  if (self->comm != NULL)
    ncclCommAbort (self->comm);
  self->comm = NULL;
  cudaStreamSynchronize (self->stream);
}

static gboolean
check_alive (NcclComm *self, GError **error)
{
  if (self->failure == NULL)
    return urb_comm_check (self->meet, error);
  if (error != NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

static void
rest (guint n_looks)
{
  if (n_looks > N_SPINS)
    g_usleep (50);
}

/* A call that has not blocked goes on by itself; the next must wait for it. */
static gboolean
settle (NcclComm *self, ncclResult_t result, GError **error)
{
  for (guint i = 0; result == ncclInProgress; i++)
    {
      ncclResult_t asked;
      if (!urb_comm_check (self->meet, error))
        return FALSE;
      asked = ncclCommGetAsyncError (self->comm, &result);
      if (asked != ncclSuccess)
        result = asked;
      rest (i);
    }
  return nccl_ok (self, result, error);
}

/* ------------------------------------------------------------------------ */
/* Launching                                                                 */

static const ncclDataType_t types[URB_N_ELEMENTS] = {
  [URB_ELEMENT_F32] = ncclFloat32,
  [URB_ELEMENT_F64] = ncclFloat64,
  [URB_ELEMENT_BF16] = ncclBfloat16,
  [URB_ELEMENT_U8] = ncclUint8,
};

/* Scatter and gather, which older NCCLs have as sends and receives only. */
static ncclResult_t
move_parts (NcclComm *self, const UrbRequest *request)
{
  const UrbCollective *what = &request->what;
  gsize part = (gsize) what->count * urb_element_get_size (what->element);
  gboolean scatters = what->kind == URB_COLLECTIVE_SCATTER;
  ncclDataType_t type = types[what->element];
  gsize count = (gsize) what->count, own = part * (gsize) self->base.rank;
  ncclResult_t result;

  result = ncclGroupStart ();
  if (self->base.rank != what->peer && result == ncclSuccess)
    result = scatters
               ? ncclRecv (request->out, count, type, what->peer, self->comm, self->stream)
               : ncclSend (request->in, count, type, what->peer, self->comm, self->stream);
  for (int r = 0; self->base.rank == what->peer && r < self->base.n_ranks; r++)
    if (r != self->base.rank && (result == ncclSuccess || result == ncclInProgress))
      result = scatters ? ncclSend ((const char *) request->in + part * (gsize) r, count, type, r,
                                    self->comm, self->stream)
                        : ncclRecv ((char *) request->out + part * (gsize) r, count, type, r,
                                    self->comm, self->stream);
  if (result != ncclSuccess && result != ncclInProgress)
    {
      ncclGroupEnd ();
      return result;
    }
  result = ncclGroupEnd ();
  if (self->base.rank == what->peer)
    {
      const char *from = scatters ? (const char *) request->in + own : request->in;
      char *to = scatters ? request->out : (char *) request->out + own;
      if (from != to
          && cudaMemcpyAsync (to, from, part, cudaMemcpyDeviceToDevice, self->stream)
               != cudaSuccess)
        return ncclUnhandledCudaError;
    }
  return result;
}

/* NCCL's way in place is another than MPI's: the result is written over this rank's own part. */
static ncclResult_t
reduce_scatter (NcclComm *self, const UrbRequest *request)
{
  const UrbCollective *what = &request->what;
  gsize n_bytes = (gsize) what->count * urb_element_get_size (what->element);
  ncclResult_t result;
  void *out = request->out;

  if (request->in == request->out && self->base.rank > 0
      && cudaMallocAsync (&out, n_bytes, self->stream) != cudaSuccess)
    return ncclUnhandledCudaError;
  result = ncclReduceScatter (request->in, out, (gsize) what->count, types[what->element], ncclSum,
                              self->comm, self->stream);
  if (out == request->out)
    return result;
  /* What follows on the stream must come after what is still being launched. */
  if (!settle (self, result, NULL))
    return ncclInternalError;
  if (cudaMemcpyAsync (request->out, out, n_bytes, cudaMemcpyDeviceToDevice, self->stream)
        != cudaSuccess
      || cudaFreeAsync (out, self->stream) != cudaSuccess)
    return ncclUnhandledCudaError;
  return ncclSuccess;
}

static ncclResult_t
launch_collective (NcclComm *self, const UrbRequest *request)
{
  const UrbCollective *what = &request->what;
  ncclDataType_t type = types[what->element];
  gsize count = (gsize) what->count;

  switch (what->kind)
    {
    case URB_COLLECTIVE_BROADCAST:
      return ncclBroadcast (request->in, request->out, count, type, what->peer, self->comm,
                            self->stream);
    case URB_COLLECTIVE_SCATTER:
    case URB_COLLECTIVE_GATHER:
      return move_parts (self, request);
    case URB_COLLECTIVE_ALL_GATHER:
      return ncclAllGather (request->in, request->out, count, type, self->comm, self->stream);
    case URB_COLLECTIVE_REDUCE:
      return ncclReduce (request->in, request->out, count, type, ncclSum, what->peer, self->comm,
                         self->stream);
    case URB_COLLECTIVE_ALL_REDUCE:
      return ncclAllReduce (request->in, request->out, count, type, ncclSum, self->comm,
                            self->stream);
    case URB_COLLECTIVE_REDUCE_SCATTER:
      return reduce_scatter (self, request);
    default:
      return ncclSuccess; /* a barrier is on the host */
    }
}

static gboolean
finish_launch (NcclComm *self, NcclRequest *request, ncclResult_t result, GError **error)
{
  return settle (self, result, error)
         && cuda_ok (self, cudaEventRecord (request->done, self->stream), error);
}

/* A send keeps the stream until its receive has begun.  All that wait are therefore launched as one
 * group, so that two ranks may both send before they receive. */
static gboolean
launch_messages (NcclComm *self, GError **error)
{
  ncclResult_t result = ncclSuccess, end;
  int n = self->n_messages;

  if (n == 0)
    return TRUE;
  self->n_messages = 0;
  result = ncclGroupStart ();
  for (int i = 0; i < n && (result == ncclSuccess || result == ncclInProgress); i++)
    {
      const UrbRequest *request = &self->messages[i]->base;
      const UrbCollective *what = &request->what;
      result = what->kind == URB_COLLECTIVE_SEND
                 ? ncclSend (request->in, (gsize) what->count, types[what->element], what->peer,
                             self->comm, self->stream)
                 : ncclRecv (request->out, (gsize) what->count, types[what->element], what->peer,
                             self->comm, self->stream);
    }
  end = ncclGroupEnd ();
  if (result == ncclSuccess || result == ncclInProgress)
    result = end;
  for (int i = 0; i < n; i++)
    if (!finish_launch (self, self->messages[i], result, error))
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */

static gboolean
is_message (const UrbRequest *request)
{
  return request->what.kind == URB_COLLECTIVE_SEND || request->what.kind == URB_COLLECTIVE_RECV;
}

static Slot *
take_slot (NcclComm *self)
{
  Slot *slot = self->slots;

  while (slot->in_use) /* comm.c counts: one is free */
    slot++;
  slot->in_use = TRUE;
  return slot;
}

static void
give_slot (NcclComm *self, NcclRequest *request)
{
  for (Slot *slot = self->slots; slot < self->slots + URB_COMM_MAX_UNDER_WAY; slot++)
    if (slot->headers == request->headers)
      slot->in_use = FALSE;
}

static gboolean
begin (NcclComm *self, NcclRequest *request, GError **error)
{
  const UrbCollective *what = &request->base.what;
  UrbCollective tell = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof (Header), 0 };

  if (!cuda_ok (self, cudaSetDevice (self->device), error))
    return FALSE;
  if (is_message (&request->base))
    {
      self->messages[self->n_messages++] = request;
      return TRUE;
    }
  request->header = (Header) { what->kind, what->element, what->count, what->peer };
  request->agreed = urb_comm_start (self->meet, &tell, &request->header, request->headers, error);
  return request->agreed != NULL && launch_messages (self, error)
         && finish_launch (self, request,
                           what->count > 0 ? launch_collective (self, &request->base) : ncclSuccess,
                           error);
}

static gboolean
agree (NcclComm *self, NcclRequest *request, GError **error)
{
  if (request->agreed == NULL)
    return TRUE;
  if (!urb_comm_wait (self->meet, g_steal_pointer (&request->agreed), error))
    return FALSE;
  for (int r = 0; r < self->base.n_ranks; r++)
    {
      const Header *header = &request->headers[r];
      UrbCollective theirs = { (UrbCollectiveKind) header->kind, (UrbElement) header->element,
                               header->count, (int) header->peer };
      if (!urb_collective_equal (&request->base.what, &theirs))
        {
          urb_collective_set_mismatch (error, self->base.rank, &request->base.what, r, &theirs);
          return FALSE;
        }
    }
  return TRUE;
}

/* Until the GPU is through, NCCL or CUDA failed, or a rank gave up. */
static gboolean
await (NcclComm *self, NcclRequest *request, GError **error)
{
  for (guint i = 0;; i++)
    {
      cudaError_t state = cudaEventQuery (request->done);
      ncclResult_t result = ncclSuccess;
      if (state == cudaSuccess)
        return TRUE;
      if (state != cudaErrorNotReady)
        return cuda_ok (self, state, error);
      if (ncclCommGetAsyncError (self->comm, &result) != ncclSuccess)
        result = ncclInternalError;
      if ((result != ncclInProgress && !nccl_ok (self, result, error))
          || !urb_comm_check (self->meet, error))
        return FALSE;
      rest (i);
    }
}

static gboolean
nccl_start (UrbComm *comm, UrbRequest *base, GError **error)
{
  NcclComm *self = (NcclComm *) comm;
  NcclRequest *request = (NcclRequest *) base;
  g_autoptr(GError) failure = NULL;
  Slot *slot;

  if (!check_alive (self, error))
    return FALSE;
  slot = take_slot (self);
  request->done = slot->done;
  request->headers = slot->headers;
  if (begin (self, request, &failure))
    return TRUE;
  give_up (self, failure);
  if (request->agreed != NULL)
    urb_comm_wait (self->meet, request->agreed, NULL);
  give_slot (self, request);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

static gboolean
nccl_wait (UrbComm *comm, UrbRequest *base, GError **error)
{
  NcclComm *self = (NcclComm *) comm;
  NcclRequest *request = (NcclRequest *) base;
  g_autoptr(GError) failure = NULL;
  gboolean ok = self->failure == NULL && cuda_ok (self, cudaSetDevice (self->device), &failure)
                && launch_messages (self, &failure) && agree (self, request, &failure)
                && await (self, request, &failure);

  if (!ok && self->failure == NULL)
    give_up (self, failure);
  if (!ok && request->agreed != NULL)
    urb_comm_wait (self->meet, request->agreed, NULL);
  give_slot (self, request);
  return ok || check_alive (self, error);
}

static UrbComm *
nccl_dup (UrbComm *comm, GError **error)
{
  NcclComm *self = (NcclComm *) comm;

  return check_alive (self, error) ? urb_comm_new_nccl (self->meet, self->device, error) : NULL;
}

/* The thread that waits hears of it over the host. */
static void
nccl_abort (UrbComm *comm, const char *why)
{
  urb_comm_abort (((NcclComm *) comm)->meet, why);
}

static gboolean
nccl_check (UrbComm *comm, GError **error)
{
  return check_alive ((NcclComm *) comm, error);
}

static void
nccl_free (UrbComm *comm)
{
  NcclComm *self = (NcclComm *) comm;

  cudaSetDevice (self->device);
  /* Abort also ends what was never waited for; destroying would wait for the others. */
  if (self->comm != NULL)
    ncclCommAbort (self->comm);
  for (int i = 0; i < URB_COMM_MAX_UNDER_WAY; i++)
    {
      if (self->slots[i].done != NULL)
        cudaEventDestroy (self->slots[i].done);
      g_free (self->slots[i].headers);
    }
  if (self->stream != NULL)
    cudaStreamDestroy (self->stream);
  urb_comm_free (self->meet);
  g_clear_error (&self->failure);
}

static const UrbCommOps nccl_ops = {
  .name = "nccl",
  .request_size = sizeof (NcclRequest),
  .start = nccl_start,
  .wait = nccl_wait,
  .dup = nccl_dup,
  .abort = nccl_abort,
  .check = nccl_check,
  .free = nccl_free,
};

/* ------------------------------------------------------------------------ */
/* The beginning                                                             */

gboolean
urb_comm_has_nccl (void)
{
  return TRUE;
}

static gboolean
open_device (NcclComm *self, GError **error)
{
  int n_devices = 0;

  if (cudaGetDeviceCount (&n_devices) != cudaSuccess || self->device < 0
      || self->device >= n_devices)
    {
      g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                   "Rank %d has no GPU %d; there are %d", self->base.rank, self->device, n_devices);
      return FALSE;
    }
  if (!cuda_ok (self, cudaSetDevice (self->device), error)
      || !cuda_ok (self, cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking), error))
    return FALSE;
  for (int i = 0; i < URB_COMM_MAX_UNDER_WAY; i++)
    {
      self->slots[i].headers = g_new0 (Header, (gsize) self->base.n_ranks);
      if (!cuda_ok (self, cudaEventCreateWithFlags (&self->slots[i].done, cudaEventDisableTiming),
                    error))
        return FALSE;
    }
  return TRUE;
}

/* The GPU of a rank; what the ranks tell each other on the host. */
typedef struct
{
  gint64 is_open;
  char   host[96], bus[32]; /* which one it is */
} Seat;

/* All ranks open a GPU of their own or none goes on: NCCL would wait for the missing one, and
 * refuses two ranks on one.  The host's communicator lives on in either case. */
static gboolean
all_seated (NcclComm *self, gboolean is_open, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof (Seat), 0 };
  g_autofree Seat *seats = g_new0 (Seat, (gsize) self->base.n_ranks);
  Seat mine = { .is_open = is_open };

  g_strlcpy (mine.host, g_get_host_name (), sizeof mine.host);
  if (is_open)
    cudaDeviceGetPCIBusId (mine.bus, sizeof mine.bus, self->device);
  if (!urb_comm_run (self->meet, &what, &mine, seats, is_open ? error : NULL) || !is_open)
    return FALSE;
  for (int r = 0; r < self->base.n_ranks; r++)
    if (!seats[r].is_open)
      {
        g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                     "Rank %d could not open its GPU", r);
        return FALSE;
      }
  for (int r = 1; r < self->base.n_ranks; r++)
    for (int q = 0; q < r; q++)
      if (strncmp (seats[q].host, seats[r].host, sizeof seats[q].host) == 0
          && strncmp (seats[q].bus, seats[r].bus, sizeof seats[q].bus) == 0)
        {
          g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                       "Ranks %d and %d have the same GPU, which NCCL does not allow; let them "
                       "meet on the host", q, r);
          return FALSE;
        }
  return TRUE;
}

static gboolean
join (NcclComm *self, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, sizeof (ncclUniqueId), 0 };
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclUniqueId id;

  memset (&id, 0, sizeof id);
  if (self->base.rank == 0 && !nccl_ok (self, ncclGetUniqueId (&id), error))
    return FALSE;
  if (!urb_comm_run (self->meet, &what, &id, &id, error))
    return FALSE;
  config.blocking = 0;
  return settle (self,
                 ncclCommInitRankConfig (&self->comm, self->base.n_ranks, id, self->base.rank,
                                         &config),
                 error);
}

UrbComm *
urb_comm_new_nccl (UrbComm *meet, int device, GError **error)
{
  NcclComm *self;
  UrbComm *mine;

  g_return_val_if_fail (meet != NULL, NULL);
  mine = urb_comm_dup (meet, error);
  if (mine == NULL)
    return NULL;
  self = g_new0 (NcclComm, 1);
  urb_comm_init (&self->base, &nccl_ops, mine->rank, mine->n_ranks);
  self->meet = mine;
  self->device = device;
  if (all_seated (self, open_device (self, error), error))
    {
      g_autoptr(GError) failure = NULL;
      if (join (self, &failure))
        return &self->base;
      /* The others may be in the middle of it. */
      urb_comm_abort (self->meet, failure->message);
      g_propagate_error (error, g_steal_pointer (&failure));
    }
  urb_comm_free (&self->base);
  return NULL;
}
