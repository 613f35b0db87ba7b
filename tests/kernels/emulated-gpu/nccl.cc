// SPDX-License-Identifier: Apache-2.0
// nccl.cc - NCCL among the emulated GPUs of one process, with communicators that do not block.
//
// A call says "in progress" until the other ranks have made theirs; whoever makes the last one, or
// looks, moves the numbers.  Like the original it waits for ever for a rank that is gone or does
// something else.
#include "kernels/cuda/nccl-calls.h"
#include "kernels/uk-half.h"

#include "emulated-private.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

enum Kind { SEND, RECV, BROADCAST, ALL_GATHER, REDUCE, ALL_REDUCE, REDUCE_SCATTER };

struct Call
{
  Kind           kind;
  const void    *in;
  void          *out;
  size_t         count;
  ncclDataType_t type;
  int            peer;
  ncclComm_t     comm;
  cudaStream_t   stream;
  bool           is_done;
};

struct World
{
  size_t                  n_ranks;
  std::vector<ncclComm_t> comms; // NULL: not here yet, or gone
  size_t                  n_joined;
};

struct ncclComm
{
  std::shared_ptr<World> world;
  int                    rank, device;
  std::vector<Call>      calls; // of the last group
  ncclResult_t           failure;
  const char            *why;
};

static std::mutex mutex; // around everything here; before the runtime's own
static std::map<std::string, std::weak_ptr<World>> worlds;
static int n_ids;
static thread_local int depth;
static thread_local std::vector<Call> group;

typedef std::lock_guard<std::mutex> Lock;

/* ------------------------------------------------------------------------ */
/* Data types                                                                */

static size_t
size_of (ncclDataType_t type)
{
  return type == ncclFloat64 ? 8 : type == ncclFloat32 ? 4
         : type == ncclBfloat16 || type == ncclFloat16 ? 2 : 1;
}

static std::vector<char>
read_part (const Call &call, const void *from, size_t n_bytes)
{
  std::vector<char> bytes (n_bytes);

  cudaMemcpyAsync (bytes.data (), from, n_bytes, cudaMemcpyDeviceToHost, call.stream);
  return bytes;
}

static void
write_part (const Call &call, void *to, const std::vector<char> &bytes)
{
  cudaMemcpyAsync (to, bytes.data (), bytes.size (), cudaMemcpyHostToDevice, call.stream);
}

/* Rounds after every addition, like NCCL. */
static void
add (ncclDataType_t type, std::vector<char> &sum, const std::vector<char> &more)
{
  size_t n = sum.size () / size_of (type);

  for (size_t i = 0; i < n; i++)
    if (type == ncclFloat32)
      ((float *) sum.data ())[i] += ((const float *) more.data ())[i];
    else if (type == ncclFloat64)
      ((double *) sum.data ())[i] += ((const double *) more.data ())[i];
    else if (type == ncclBfloat16 || type == ncclFloat16)
      {
        UkDataType half = type == ncclFloat16 ? UK_DATA_F16 : UK_DATA_BF16;
        uint16_t *a = (uint16_t *) sum.data () + i;

        *a = uk_to_half (half, uk_from_half (half, *a) + uk_from_half (half, ((const uint16_t *) more.data ())[i]));
      }
    else
      sum[i] = (char) (sum[i] + more[i]);
}

/* ------------------------------------------------------------------------ */
/* Collectives                                                               */

/* The inputs of all ranks, summed in rank order or concatenated. */
static std::vector<char>
combine (const std::vector<Call *> &calls, bool sums)
{
  size_t parts = calls[0]->kind == REDUCE_SCATTER ? calls.size () : 1;
  size_t n_bytes = calls[0]->count * size_of (calls[0]->type) * parts;
  std::vector<char> all (n_bytes * (sums ? 1 : calls.size ()));

  for (size_t r = 0; r < calls.size (); r++)
    {
      std::vector<char> own = read_part (*calls[r], calls[r]->in, n_bytes);

      if (sums && r > 0)
        add (calls[r]->type, all, own);
      else
        memcpy (all.data () + (sums ? 0 : r * n_bytes), own.data (), n_bytes);
    }
  return all;
}

static void
do_collective (const std::vector<Call *> &calls)
{
  const Call &first = *calls[0];
  size_t part = first.count * size_of (first.type);
  std::vector<char> all;

  for (Call *call : calls)
    cudaStreamSynchronize (call->stream);
  all = first.kind == BROADCAST
          ? read_part (*calls[(size_t) first.peer], calls[(size_t) first.peer]->in, part)
          : combine (calls, first.kind != ALL_GATHER);
  for (size_t r = 0; r < calls.size (); r++)
    {
      auto own = all.begin () + (long) (first.kind == REDUCE_SCATTER ? r * part : 0);

      calls[r]->is_done = true;
      if (first.kind == REDUCE_SCATTER)
        write_part (*calls[r], calls[r]->out, std::vector<char> (own, own + (long) part));
      else if (first.kind != REDUCE || (int) r == first.peer)
        write_part (*calls[r], calls[r]->out, all);
    }
}

static void
do_message (Call &send, Call &recv)
{
  cudaStreamSynchronize (send.stream);
  cudaStreamSynchronize (recv.stream);
  write_part (recv, recv.out, read_part (send, send.in, send.count * size_of (send.type)));
  send.is_done = recv.is_done = true;
}

static std::vector<ncclComm_t>
get_present (const World &world)
{
  std::vector<ncclComm_t> present;

  for (ncclComm_t comm : world.comms)
    if (comm != NULL)
      present.push_back (comm);
  return present;
}

/* The receive that matches @send; messages between two ranks stay in order. */
static Call *
find_receive (World &world, const Call &send)
{
  ncclComm_t other = world.comms[(size_t) send.peer];

  if (other != NULL)
    for (Call &call : other->calls)
      if (call.kind == RECV && !call.is_done && call.peer == send.comm->rank)
        return call.count == send.count && call.type == send.type ? &call : NULL;
  return NULL;
}

static bool
are_alike (const Call &a, const Call &b)
{
  return a.kind == b.kind && a.count == b.count && a.type == b.type && a.peer == b.peer;
}

/* The collective that all ranks have reached, one call each; empty if they have not. */
static std::vector<Call *>
find_collective (World &world)
{
  std::vector<Call *> calls;

  for (ncclComm_t comm : get_present (world))
    for (Call &call : comm->calls)
      if (call.kind > RECV && !call.is_done)
        {
          calls.push_back (&call);
          break;
        }
  if (calls.size () < world.n_ranks)
    return {};
  for (Call *call : calls)
    if (!are_alike (*call, *calls[0]))
      return {};
  return calls;
}

static void
advance (World &world)
{
  std::vector<Call *> calls;

  for (ncclComm_t comm : get_present (world))
    for (Call &call : comm->calls)
      if (call.kind == SEND && !call.is_done)
        {
          Call *receive = find_receive (world, call);

          if (receive != NULL)
            do_message (call, *receive);
        }
  while (!(calls = find_collective (world)).empty ())
    do_collective (calls);
}

static ncclResult_t
get_state (ncclComm_t comm)
{
  if (comm->failure != ncclSuccess)
    return comm->failure;
  if (comm->world->n_joined < comm->world->n_ranks)
    return ncclInProgress;
  for (const Call &call : comm->calls)
    if (!call.is_done)
      return ncclInProgress;
  return ncclSuccess;
}

/* ------------------------------------------------------------------------ */
/* Calls                                                                     */

extern "C" ncclResult_t
ncclGroupStart (void)
{
  depth++;
  return ncclSuccess;
}

/* For one communicator, which must have completed its previous calls. */
extern "C" ncclResult_t
ncclGroupEnd (void)
{
  Lock lock (mutex);
  ncclComm_t comm;

  if (depth == 0 || --depth > 0 || group.empty ())
    return ncclSuccess;
  comm = group[0].comm;
  if (get_state (comm) != ncclSuccess)
    comm->failure = ncclInvalidUsage;
  for (const Call &call : group)
    if (call.comm != comm)
      comm->failure = ncclInvalidUsage;
  comm->calls = std::move (group);
  group.clear ();
  if (comm->failure == ncclSuccess)
    advance (*comm->world);
  return get_state (comm);
}

static ncclResult_t
put (Kind kind, const void *in, void *out, size_t count, ncclDataType_t type, int peer,
     ncclComm_t comm, cudaStream_t stream)
{
  ncclGroupStart ();
  group.push_back ({ kind, in, out, count, type, peer, comm, stream, false });
  return ncclGroupEnd ();
}

extern "C" ncclResult_t
ncclSend (const void *in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
          cudaStream_t stream)
{
  return put (SEND, in, NULL, count, type, peer, comm, stream);
}

extern "C" ncclResult_t
ncclRecv (void *out, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
          cudaStream_t stream)
{
  return put (RECV, NULL, out, count, type, peer, comm, stream);
}

extern "C" ncclResult_t
ncclBroadcast (const void *in, void *out, size_t count, ncclDataType_t type, int root,
               ncclComm_t comm, cudaStream_t stream)
{
  return put (BROADCAST, in, out, count, type, root, comm, stream);
}

extern "C" ncclResult_t
ncclAllGather (const void *in, void *out, size_t count, ncclDataType_t type, ncclComm_t comm,
               cudaStream_t stream)
{
  return put (ALL_GATHER, in, out, count, type, 0, comm, stream);
}

extern "C" ncclResult_t
ncclReduce (const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t, int root,
            ncclComm_t comm, cudaStream_t stream)
{
  return put (REDUCE, in, out, count, type, root, comm, stream);
}

extern "C" ncclResult_t
ncclAllReduce (const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t,
               ncclComm_t comm, cudaStream_t stream)
{
  return put (ALL_REDUCE, in, out, count, type, 0, comm, stream);
}

extern "C" ncclResult_t
ncclReduceScatter (const void *in, void *out, size_t count, ncclDataType_t type, ncclRedOp_t,
                   ncclComm_t comm, cudaStream_t stream)
{
  return put (REDUCE_SCATTER, in, out, count, type, 0, comm, stream);
}

/* ------------------------------------------------------------------------ */
/* Communicators                                                             */

extern "C" ncclResult_t
ncclGetUniqueId (ncclUniqueId *id)
{
  Lock lock (mutex);

  memset (id, 0, sizeof *id);
  snprintf (id->internal, sizeof id->internal, "%ld-%d", (long) getpid (), ++n_ids);
  return ncclSuccess;
}

static ncclResult_t
fail (ncclComm_t comm, const char *why)
{
  comm->why = why;
  return comm->failure = ncclInvalidUsage;
}

extern "C" ncclResult_t
ncclCommInitRankConfig (ncclComm_t *out, int n_ranks, ncclUniqueId id, int rank,
                        ncclConfig_t *config)
{
  Lock lock (mutex);
  std::shared_ptr<World> world = worlds[id.internal].lock ();
  ncclComm_t comm = new ncclComm ();

  *out = comm;
  if (world == NULL)
    {
      world = std::make_shared<World> ();
      world->n_ranks = (size_t) n_ranks;
      world->comms.resize (world->n_ranks);
      worlds[id.internal] = world;
    }
  comm->world = world;
  comm->rank = rank;
  comm->why = "";
  cudaGetDevice (&comm->device);
  if (config->blocking != 0)
    return fail (comm, "only communicators that do not block are emulated");
  if (strtol (id.internal, NULL, 10) != (long) getpid ())
    return fail (comm, "only ranks of one process are emulated");
  if ((size_t) n_ranks != world->n_ranks || rank < 0 || rank >= n_ranks
      || world->comms[(size_t) rank] != NULL)
    return fail (comm, "ranks are numbered otherwise");
  for (ncclComm_t other : world->comms)
    if (other != NULL && other->device == comm->device)
      return fail (comm, "two ranks have one device");
  world->comms[(size_t) rank] = comm;
  world->n_joined++;
  return get_state (comm);
}

extern "C" ncclResult_t
ncclCommGetAsyncError (ncclComm_t comm, ncclResult_t *result)
{
  Lock lock (mutex);

  *result = get_state (comm);
  return ncclSuccess;
}

extern "C" ncclResult_t
ncclCommAbort (ncclComm_t comm)
{
  Lock lock (mutex);

  for (ncclComm_t &own : comm->world->comms)
    if (own == comm)
      own = NULL;
  delete comm;
  return ncclSuccess;
}

extern "C" const char *
ncclGetErrorString (ncclResult_t result)
{
  return result == ncclInvalidUsage ? "invalid usage" : "an error";
}

extern "C" const char *
ncclGetLastError (ncclComm_t comm)
{
  return comm != NULL ? comm->why : "";
}

/* Replaces the function that loads the real library. */
extern "C" const UkNccl *
uk_nccl_load (const char **why)
{
  static const UkNccl table = {
#define UK_NCCL_CALL(name) nccl##name,
    UK_NCCL_CALLS (UK_NCCL_CALL)
#undef UK_NCCL_CALL
  };

  *why = "";
  return &table;
}
