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
#include "parallel/nccl-private.h"

#include <string.h>

static const UrbCommOps nccl_ops;

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

/* Stops the GPU's part, tells the other ranks, and keeps the reason for later calls. */
static void
give_up (UrbNcclComm *self, const GError *failure)
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
check_alive (UrbNcclComm *self, GError **error)
{
  if (self->failure == NULL)
    return urb_comm_check (self->meet, error);
  if (error != NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* The table                                                                 */

static gboolean
is_message (const UrbRequest *request)
{
  return request->what.kind == URB_COLLECTIVE_SEND || request->what.kind == URB_COLLECTIVE_RECV;
}

static UrbNcclSlot *
take_slot (UrbNcclComm *self)
{
  UrbNcclSlot *slot = self->slots;

  while (slot->in_use) /* comm.c counts: one is free */
    slot++;
  slot->in_use = TRUE;
  return slot;
}

static void
give_slot (UrbNcclComm *self, UrbNcclRequest *request)
{
  for (UrbNcclSlot *slot = self->slots; slot < self->slots + URB_COMM_MAX_UNDER_WAY; slot++)
    if (slot->headers == request->headers)
      slot->in_use = FALSE;
}

static gboolean
begin (UrbNcclComm *self, UrbNcclRequest *request, GError **error)
{
  const UrbCollective *what = &request->base.what;
  UrbCollective tell = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof (UrbNcclHeader), 0 };

  if (!urb_nccl_cuda_ok (self, cudaSetDevice (self->device), error))
    return FALSE;
  if (is_message (&request->base))
    {
      self->messages[self->n_messages++] = request;
      return TRUE;
    }
  request->header = (UrbNcclHeader) { what->kind, what->element, what->count, what->peer };
  request->agreed = urb_comm_start (self->meet, &tell, &request->header, request->headers, error);
  return request->agreed != NULL && urb_nccl_launch (self, request, error);
}

static gboolean
agree (UrbNcclComm *self, UrbNcclRequest *request, GError **error)
{
  if (request->agreed == NULL)
    return TRUE;
  if (!urb_comm_wait (self->meet, g_steal_pointer (&request->agreed), error))
    return FALSE;
  for (int r = 0; r < self->base.n_ranks; r++)
    {
      const UrbNcclHeader *header = &request->headers[r];
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
await (UrbNcclComm *self, UrbNcclRequest *request, GError **error)
{
  for (guint i = 0;; i++)
    {
      cudaError_t state = cudaEventQuery (request->done);
      ncclResult_t result = ncclSuccess;
      if (state == cudaSuccess)
        return TRUE;
      if (state != cudaErrorNotReady)
        return urb_nccl_cuda_ok (self, state, error);
      if (ncclCommGetAsyncError (self->comm, &result) != ncclSuccess)
        result = ncclInternalError;
      if ((result != ncclInProgress && !urb_nccl_ok (self, result, error))
          || !urb_comm_check (self->meet, error))
        return FALSE;
      urb_nccl_rest (i);
    }
}

static gboolean
nccl_start (UrbComm *comm, UrbRequest *base, GError **error)
{
  UrbNcclComm *self = (UrbNcclComm *) comm;
  UrbNcclRequest *request = (UrbNcclRequest *) base;
  g_autoptr(GError) failure = NULL;
  UrbNcclSlot *slot;

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
  UrbNcclComm *self = (UrbNcclComm *) comm;
  UrbNcclRequest *request = (UrbNcclRequest *) base;
  g_autoptr(GError) failure = NULL;
  gboolean ok = self->failure == NULL && urb_nccl_cuda_ok (self, cudaSetDevice (self->device), &failure)
                && urb_nccl_launch_messages (self, &failure) && agree (self, request, &failure)
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
  UrbNcclComm *self = (UrbNcclComm *) comm;

  return check_alive (self, error) ? urb_comm_new_nccl (self->meet, self->device, error) : NULL;
}

/* The thread that waits hears of it over the host. */
static void
nccl_abort (UrbComm *comm, const char *why)
{
  urb_comm_abort (((UrbNcclComm *) comm)->meet, why);
}

static gboolean
nccl_check (UrbComm *comm, GError **error)
{
  return check_alive ((UrbNcclComm *) comm, error);
}

static void
nccl_free (UrbComm *comm)
{
  UrbNcclComm *self = (UrbNcclComm *) comm;

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
  .request_size = sizeof (UrbNcclRequest),
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
open_device (UrbNcclComm *self, GError **error)
{
  int n_devices = 0;

  if (cudaGetDeviceCount (&n_devices) != cudaSuccess || self->device < 0
      || self->device >= n_devices)
    {
      g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                   "Rank %d has no GPU %d; there are %d", self->base.rank, self->device, n_devices);
      return FALSE;
    }
  if (!urb_nccl_cuda_ok (self, cudaSetDevice (self->device), error)
      || !urb_nccl_cuda_ok (self, cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking), error))
    return FALSE;
  for (int i = 0; i < URB_COMM_MAX_UNDER_WAY; i++)
    {
      self->slots[i].headers = g_new0 (UrbNcclHeader, (gsize) self->base.n_ranks);
      if (!urb_nccl_cuda_ok (self, cudaEventCreateWithFlags (&self->slots[i].done, cudaEventDisableTiming),
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
all_seated (UrbNcclComm *self, gboolean is_open, GError **error)
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
join (UrbNcclComm *self, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, sizeof (ncclUniqueId), 0 };
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclUniqueId id;

  memset (&id, 0, sizeof id);
  if (self->base.rank == 0 && !urb_nccl_ok (self, ncclGetUniqueId (&id), error))
    return FALSE;
  if (!urb_comm_run (self->meet, &what, &id, &id, error))
    return FALSE;
  config.blocking = 0;
  return urb_nccl_settle (self,
                 ncclCommInitRankConfig (&self->comm, self->base.n_ranks, id, self->base.rank,
                                         &config),
                 error);
}

UrbComm *
urb_comm_new_nccl (UrbComm *meet, int device, GError **error)
{
  UrbNcclComm *self;
  UrbComm *mine;

  g_return_val_if_fail (meet != NULL, NULL);
  mine = urb_comm_dup (meet, error);
  if (mine == NULL)
    return NULL;
  self = g_new0 (UrbNcclComm, 1);
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
