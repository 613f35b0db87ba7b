/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-launch.c - collectives as NCCL has them, onto the stream of a GPU.
 *
 * Calls of NCCL do not block here: they may return before they have launched
 * anything, and the next must wait until they have.
 */
#include "parallel/nccl-private.h"

enum { N_SPINS = 1000 }; /* looks before a rest */

gboolean
urb_nccl_ok (UrbNcclComm *self, ncclResult_t result, GError **error)
{
  if (result == ncclSuccess)
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT, "NCCL failed on rank %d: %s. %s",
               self->base.rank, ncclGetErrorString (result),
               self->comm != NULL ? ncclGetLastError (self->comm) : "");
  return FALSE;
}

gboolean
urb_nccl_cuda_ok (UrbNcclComm *self, cudaError_t result, GError **error)
{
  if (result == cudaSuccess)
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT, "CUDA failed on rank %d: %s",
               self->base.rank, cudaGetErrorString (result));
  return FALSE;
}

void
urb_nccl_rest (guint n_looks)
{
  if (n_looks > N_SPINS)
    g_usleep (50);
}

gboolean
urb_nccl_settle (UrbNcclComm *self, ncclResult_t result, GError **error)
{
  for (guint i = 0; result == ncclInProgress; i++)
    {
      ncclResult_t asked;
      if (!urb_comm_check (self->meet, error))
        return FALSE;
      asked = ncclCommGetAsyncError (self->comm, &result);
      if (asked != ncclSuccess)
        result = asked;
      urb_nccl_rest (i);
    }
  return urb_nccl_ok (self, result, error);
}

static const ncclDataType_t types[URB_N_ELEMENTS] = {
  [URB_ELEMENT_F32] = ncclFloat32,
  [URB_ELEMENT_F64] = ncclFloat64,
  [URB_ELEMENT_BF16] = ncclBfloat16,
  [URB_ELEMENT_U8] = ncclUint8,
};

static gboolean
is_fine (ncclResult_t result)
{
  return result == ncclSuccess || result == ncclInProgress;
}

static ncclResult_t
pass (UrbNcclComm *self, gboolean sends, const void *in, void *out, const UrbCollective *what,
      int peer)
{
  gsize count = (gsize) what->count;

  if (sends)
    return ncclSend (in, count, types[what->element], peer, self->comm, self->stream);
  return ncclRecv (out, count, types[what->element], peer, self->comm, self->stream);
}

/* The root's own part of a scatter or gather. */
static ncclResult_t
move_own_part (UrbNcclComm *self, const UrbRequest *request)
{
  gsize part = (gsize) request->what.count * urb_element_get_size (request->what.element);
  gsize own = part * (gsize) self->base.rank;
  const char *from = request->in;
  char *to = request->out;

  if (request->what.kind == URB_COLLECTIVE_SCATTER)
    from += own;
  else
    to += own;
  if (from == to)
    return ncclSuccess;
  return cudaMemcpyAsync (to, from, part, cudaMemcpyDeviceToDevice, self->stream) == cudaSuccess
           ? ncclSuccess
           : ncclUnhandledCudaError;
}

/* Scatter and gather, which older NCCLs have as sends and receives only. */
static ncclResult_t
move_parts (UrbNcclComm *self, const UrbRequest *request)
{
  const UrbCollective *what = &request->what;
  gsize part = (gsize) what->count * urb_element_get_size (what->element);
  gboolean at_root = self->base.rank == what->peer;
  gboolean sends = at_root == (what->kind == URB_COLLECTIVE_SCATTER);
  ncclResult_t result = at_root ? move_own_part (self, request) : ncclSuccess, end;

  if (!is_fine (result))
    return result;
  result = ncclGroupStart ();
  if (!at_root && is_fine (result))
    result = pass (self, sends, request->in, request->out, what, what->peer);
  for (int r = 0; at_root && r < self->base.n_ranks && is_fine (result); r++)
    if (r != self->base.rank)
      result = pass (self, sends, (const char *) request->in + part * (gsize) r,
                     (char *) request->out + part * (gsize) r, what, r);
  end = ncclGroupEnd ();
  return is_fine (result) ? end : result;
}

/* NCCL's way in place is another than MPI's: the result is written over this rank's own part. */
static ncclResult_t
reduce_scatter (UrbNcclComm *self, const UrbRequest *request)
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
  if (!urb_nccl_settle (self, result, NULL))
    return ncclInternalError;
  if (cudaMemcpyAsync (request->out, out, n_bytes, cudaMemcpyDeviceToDevice, self->stream)
        != cudaSuccess
      || cudaFreeAsync (out, self->stream) != cudaSuccess)
    return ncclUnhandledCudaError;
  return ncclSuccess;
}

static ncclResult_t
launch_collective (UrbNcclComm *self, const UrbRequest *request)
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
finish_launch (UrbNcclComm *self, UrbNcclRequest *request, ncclResult_t result, GError **error)
{
  return urb_nccl_settle (self, result, error)
         && urb_nccl_cuda_ok (self, cudaEventRecord (request->done, self->stream), error);
}

/* A send keeps the stream until its receive has begun.  All that wait are therefore launched as one
 * group, so that two ranks may both send before they receive. */
gboolean
urb_nccl_launch_messages (UrbNcclComm *self, GError **error)
{
  ncclResult_t result = ncclSuccess, end;
  int n = self->n_messages;

  if (n == 0)
    return TRUE;
  self->n_messages = 0;
  result = ncclGroupStart ();
  for (int i = 0; i < n && is_fine (result); i++)
    {
      const UrbRequest *request = &self->messages[i]->base;
      result = pass (self, request->what.kind == URB_COLLECTIVE_SEND, request->in, request->out,
                     &request->what, request->what.peer);
    }
  end = ncclGroupEnd ();
  if (is_fine (result))
    result = end;
  for (int i = 0; i < n; i++)
    if (!finish_launch (self, self->messages[i], result, error))
      return FALSE;
  return TRUE;
}

gboolean
urb_nccl_launch (UrbNcclComm *self, UrbNcclRequest *request, GError **error)
{
  ncclResult_t result = ncclSuccess;

  if (!urb_nccl_launch_messages (self, error))
    return FALSE;
  if (request->base.what.count > 0)
    result = launch_collective (self, &request->base);
  return finish_launch (self, request, result, error);
}
