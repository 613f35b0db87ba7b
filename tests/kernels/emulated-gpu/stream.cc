/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.cc - streams and the work enqueued on them: launches, copies, events, whole graphs.
 *
 * A stream is a queue of closures.  They run as soon as they are enqueued or, if deferred, when a thread
 * waits.  During a capture they are added to a graph instead.  A device's stream 0 and its other streams do
 * not wait for each other: all are created with cudaStreamNonBlocking.
 */
#include "emulated-private.h"

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <thread>
#include <vector>

typedef std::chrono::steady_clock Clock;

struct CUgraph_st
{
  std::vector<UkEmulatedWork> works;
};

struct CUgraphExec_st
{
  std::shared_ptr<std::vector<UkEmulatedWork>> works; /* shared with pending launches */
};

struct CUstream_st
{
  int                             device;
  std::deque<UkEmulatedWork>      pending;
  std::unique_ptr<CUgraph_st>     graph; /* during a capture */
  enum cudaStreamCaptureMode      mode;
  bool                            is_spoiled; /* the capture is invalid */
  std::thread::id                 capturer;
};

/* Outlives an event while work that records it is pending. */
typedef struct
{
  unsigned          n_recorded, n_done;
  cudaStream_t      stream;   /* of the last record */
  bool              is_captured; /* it was captured */
  Clock::time_point time;
} Record;

struct CUevent_st
{
  std::shared_ptr<Record> record;
  unsigned                flags;
};

static CUstream_st streams0[UK_EMULATED_MAX_DEVICES];
static std::set<cudaStream_t> streams;
static std::set<cudaEvent_t> events;
static int n_graphs;
static long n_launches;

void
uk_emulated_count_streams (UkEmulatedCounts *counts)
{
  counts->n_streams = (int) streams.size ();
  counts->n_events = (int) events.size ();
  counts->n_graphs = n_graphs;
  counts->n_launches = n_launches;
}

/* ------------------------------------------------------------------------ */
/* Queues                                                                    */

/* NULL for an invalid stream. */
static cudaStream_t
find_stream (cudaStream_t stream)
{
  if (stream == NULL)
    return &streams0[uk_emulated_device ()];
  return streams.count (stream) > 0 ? stream : NULL;
}

/* Runs one work item, if there is any. */
static void
step (cudaStream_t stream)
{
  UkEmulatedWork work;

  if (stream->pending.empty ())
    return;
  work = std::move (stream->pending.front ());
  stream->pending.pop_front ();
  if (uk_emulated.settings[UK_EMULATED_GUARDED])
    uk_emulated_protect (false);
  work ();
  if (uk_emulated.settings[UK_EMULATED_GUARDED])
    uk_emulated_protect (true);
}

static void
finish (cudaStream_t stream)
{
  while (!stream->pending.empty ())
    step (stream);
}

void
uk_emulated_finish_all (void)
{
  for (CUstream_st &stream : streams0)
    finish (&stream);
  for (cudaStream_t stream : streams)
    finish (stream);
}

static cudaError_t
put (cudaStream_t stream, UkEmulatedWork work)
{
  if (stream->graph != NULL)
    {
      if (stream->is_spoiled)
        return cudaErrorStreamCaptureInvalidated;
      stream->graph->works.push_back (std::move (work));
      return cudaSuccess;
    }
  stream->pending.push_back (std::move (work));
  if (!uk_emulated.settings[UK_EMULATED_DEFERRED])
    finish (stream);
  return cudaSuccess;
}

/* Runs @work now, after everything on @stream. */
static cudaError_t
do_now (cudaStream_t stream, UkEmulatedWork work)
{
  stream->pending.push_back (std::move (work));
  finish (stream);
  return cudaSuccess;
}

bool
uk_emulated_spoils_capture (void)
{
  bool spoils = false;

  for (cudaStream_t stream : streams)
    if (stream->graph != NULL
        && (stream->mode == cudaStreamCaptureModeGlobal
            || (stream->mode == cudaStreamCaptureModeThreadLocal
                && stream->capturer == std::this_thread::get_id ())))
      spoils = stream->is_spoiled = true;
  return spoils;
}

/* Likewise for calls that concern @stream alone, which no capture mode allows. */
static bool
spoils_capture_of (cudaStream_t stream)
{
  bool spoils = uk_emulated_spoils_capture ();

  if (stream->graph != NULL)
    spoils = stream->is_spoiled = true;
  return spoils;
}

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t *stream, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  *stream = NULL;
  if (flags != cudaStreamNonBlocking)
    return uk_emulated_return (cudaErrorNotSupported);
  if (uk_emulated.settings[UK_EMULATED_DEVICES] == 0)
    return uk_emulated_return (cudaErrorNoDevice);
  *stream = new CUstream_st ();
  (*stream)->device = uk_emulated_device ();
  streams.insert (*stream);
  return uk_emulated_return (cudaSuccess);
}

/* Pending work still completes. */
cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (streams.count (stream) == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  finish (stream);
  streams.erase (stream);
  delete stream;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaStreamSynchronize (cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (spoils_capture_of (stream))
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  finish (stream);
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaStreamQuery (cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (spoils_capture_of (stream))
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  if (stream->pending.empty ())
    return uk_emulated_return (cudaSuccess);
  step (stream);
  return uk_emulated_return (cudaErrorNotReady);
}

cudaError_t
cudaDeviceSynchronize (void)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (uk_emulated_spoils_capture ())
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  uk_emulated_finish_all ();
  return uk_emulated_return (cudaSuccess);
}

/* ------------------------------------------------------------------------ */
/* Launches                                                                  */

static bool
is_possible (dim3 grid, dim3 block)
{
  return grid.x > 0 && grid.x <= 0x7fffffff && grid.y > 0 && grid.y <= 0xffff && grid.z > 0
         && grid.z <= 0xffff && block.x > 0 && block.x <= 1024 && block.y > 0 && block.y <= 1024
         && block.z > 0 && block.z <= 64
         && (unsigned long long) block.x * block.y * block.z <= 1024;
}

static void
run_launch (dim3 grid, dim3 block, const UkEmulatedWork &thread)
{
  if (uk_emulated.n_launches_left == 0)
    uk_emulated.failure = uk_emulated.launch_error;
  if (uk_emulated.failure != cudaSuccess)
    return;
  if (uk_emulated.n_launches_left > 0)
    uk_emulated.n_launches_left--;
  n_launches++;
  uk_emulated_run_grid (grid, block, uk_emulated.settings[UK_EMULATED_BACKWARD] != 0, thread);
}

cudaError_t
uk_emulated_launch (cudaStream_t handle, dim3 grid, dim3 block, UkEmulatedWork thread)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (!is_possible (grid, block))
    return uk_emulated_return (cudaErrorInvalidConfiguration);
  if (stream == NULL || (handle != NULL && stream->device != uk_emulated_device ()))
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  return uk_emulated_return (
    put (stream, [=] { run_launch (grid, block, thread); }));
}

/* ------------------------------------------------------------------------ */
/* Copies                                                                    */

static bool
is_host (UkEmulatedPlace place)
{
  return place == UK_EMULATED_PAGEABLE || place == UK_EMULATED_PINNED;
}

static cudaError_t
check_copy (UkEmulatedPlace to, UkEmulatedPlace from, enum cudaMemcpyKind kind)
{
  bool to_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
  bool from_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;

  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  if (to == UK_EMULATED_OUTSIDE || from == UK_EMULATED_OUTSIDE)
    return cudaErrorInvalidValue;
  if (kind != cudaMemcpyDefault && (is_host (to) != to_host || is_host (from) != from_host))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

/* According to CUDA's documentation ("API synchronization behavior"): from pageable memory the source is read
 * before the call returns; to pageable memory, or between host memory, the call waits. */
static cudaError_t
copy (void *dst, const void *src, size_t n_bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
  UkEmulatedPlace to = uk_emulated_place (dst, n_bytes), from = uk_emulated_place (src, n_bytes);
  cudaError_t error = check_copy (to, from, kind);
  UkEmulatedWork work = [=] { memcpy (dst, src, n_bytes); };

  if (error != cudaSuccess || n_bytes == 0)
    return error;
  if (to != UK_EMULATED_PAGEABLE && from != UK_EMULATED_PAGEABLE
      && (to == UK_EMULATED_DEVICE || from == UK_EMULATED_DEVICE))
    return put (stream, std::move (work));
  if (stream->graph != NULL)
    {
      stream->is_spoiled = true;
      return cudaErrorStreamCaptureUnsupported;
    }
  if (to == UK_EMULATED_DEVICE)
    {
      auto staged = std::make_shared<std::vector<char>> ((const char *) src,
                                                         (const char *) src + n_bytes);
      return put (stream, [=] { memcpy (dst, staged->data (), n_bytes); });
    }
  return do_now (stream, std::move (work));
}

cudaError_t
cudaMemcpyAsync (void *dst, const void *src, size_t n_bytes, enum cudaMemcpyKind kind,
                 cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  return uk_emulated_return (copy (dst, src, n_bytes, kind, stream));
}

/* Ordered with stream 0, and with no other. */
cudaError_t
cudaMemcpy (void *dst, const void *src, size_t n_bytes, enum cudaMemcpyKind kind)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (NULL);
  cudaError_t error;

  if (uk_emulated_spoils_capture ())
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  error = copy (dst, src, n_bytes, kind, stream);
  if (uk_emulated_place (dst, n_bytes) != UK_EMULATED_DEVICE
      || uk_emulated_place (src, n_bytes) != UK_EMULATED_DEVICE)
    finish (stream); /* on one device it does not wait */
  return uk_emulated_return (error);
}

static cudaError_t
set (void *dst, int byte, size_t n_bytes, cudaStream_t stream)
{
  UkEmulatedPlace to = uk_emulated_place (dst, n_bytes);

  if (n_bytes == 0)
    return cudaSuccess;
  if (to != UK_EMULATED_DEVICE && to != UK_EMULATED_PINNED)
    return cudaErrorInvalidValue;
  return put (stream, [=] { memset (dst, byte, n_bytes); });
}

cudaError_t
cudaMemsetAsync (void *dst, int byte, size_t n_bytes, cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  return uk_emulated_return (set (dst, byte, n_bytes, stream));
}

/* Does not wait either. */
cudaError_t
cudaMemset (void *dst, int byte, size_t n_bytes)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (uk_emulated_spoils_capture ())
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  return uk_emulated_return (set (dst, byte, n_bytes, find_stream (NULL)));
}

/* The memory exists at once, and until the stream reaches cudaFreeAsync(). */
cudaError_t
cudaMallocAsync (void **memory, size_t n_bytes, cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  return uk_emulated_return (stream->graph != NULL ? cudaErrorNotSupported
                                                   : uk_emulated_alloc (memory, n_bytes));
}

cudaError_t
cudaFreeAsync (void *memory, cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (stream->graph != NULL || uk_emulated_place (memory, 1) != UK_EMULATED_DEVICE)
    return uk_emulated_return (cudaErrorInvalidValue);
  return uk_emulated_return (put (stream, [=] { uk_emulated_release (memory); }));
}

/* ------------------------------------------------------------------------ */
/* Events                                                                    */

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t *event, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  *event = new CUevent_st ();
  (*event)->record = std::make_shared<Record> ();
  (*event)->flags = flags;
  events.insert (*event);
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaEventCreate (cudaEvent_t *event)
{
  return cudaEventCreateWithFlags (event, cudaEventDefault);
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (events.erase (event) == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  delete event;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);
  std::shared_ptr<Record> record;
  unsigned count;

  if (stream == NULL || events.count (event) == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  record = event->record;
  record->stream = stream;
  record->is_captured = stream->graph != NULL;
  if (record->is_captured) /* only orders the graph, which is in order anyway */
    return uk_emulated_return (put (stream, [] {}));
  count = ++record->n_recorded;
  return uk_emulated_return (put (stream, [=] {
    record->n_done = count;
    record->time = Clock::now ();
  }));
}

static cudaError_t
check_event (cudaEvent_t event)
{
  if (events.count (event) == 0)
    return cudaErrorInvalidResourceHandle;
  if (uk_emulated_spoils_capture ())
    return cudaErrorStreamCaptureUnsupported;
  return event->record->is_captured ? cudaErrorCapturedEvent : cudaSuccess;
}

static bool
is_done (cudaEvent_t event)
{
  return event->record->n_done == event->record->n_recorded;
}

cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_event (event);

  if (error != cudaSuccess || is_done (event))
    return uk_emulated_return (error);
  step (event->record->stream);
  return uk_emulated_return (cudaErrorNotReady);
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_event (event);

  while (error == cudaSuccess && !is_done (event))
    step (event->record->stream);
  return uk_emulated_return (error);
}

cudaError_t
cudaEventElapsedTime (float *ms, cudaEvent_t start, cudaEvent_t end)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaError_t error = check_event (start);

  if (error == cudaSuccess)
    error = check_event (end);
  if (error != cudaSuccess)
    return uk_emulated_return (error);
  if ((start->flags | end->flags) & cudaEventDisableTiming || start->record->n_recorded == 0
      || end->record->n_recorded == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (!is_done (start) || !is_done (end))
    return uk_emulated_return (cudaErrorNotReady);
  *ms = std::chrono::duration<float, std::milli> (end->record->time - start->record->time).count ();
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaStreamWaitEvent (cudaStream_t handle, cudaEvent_t event, unsigned flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);
  std::shared_ptr<Record> record;
  unsigned count;

  if (stream == NULL || events.count (event) == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (flags != 0)
    return uk_emulated_return (cudaErrorInvalidValue);
  record = event->record;
  if (record->stream == stream) /* already ordered */
    return uk_emulated_return (cudaSuccess);
  if (record->is_captured || stream->graph != NULL)
    {
      stream->is_spoiled = true; /* captures that fork are not emulated */
      return uk_emulated_return (cudaErrorStreamCaptureIsolation);
    }
  count = record->n_recorded;
  return uk_emulated_return (put (stream, [=] {
    while (record->n_done < count)
      step (record->stream);
  }));
}

/* ------------------------------------------------------------------------ */
/* Graphs                                                                    */

cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorStreamCaptureUnsupported);
  if (streams.count (stream) == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (stream->graph != NULL)
    return uk_emulated_return (cudaErrorIllegalState);
  stream->graph = std::make_unique<CUgraph_st> ();
  stream->mode = mode;
  stream->is_spoiled = false;
  stream->capturer = std::this_thread::get_id ();
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *graph)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  *graph = NULL;
  if (streams.count (stream) == 0)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  if (stream->graph == NULL)
    return uk_emulated_return (cudaErrorIllegalState);
  if (stream->mode != cudaStreamCaptureModeRelaxed
      && stream->capturer != std::this_thread::get_id ())
    return uk_emulated_return (cudaErrorStreamCaptureWrongThread);
  if (stream->is_spoiled)
    {
      stream->graph.reset ();
      return uk_emulated_return (cudaErrorStreamCaptureInvalidated);
    }
  *graph = stream->graph.release ();
  n_graphs++;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaStreamIsCapturing (cudaStream_t handle, enum cudaStreamCaptureStatus *status)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (stream == NULL)
    return uk_emulated_return (cudaErrorInvalidResourceHandle);
  *status = stream->graph == NULL ? cudaStreamCaptureStatusNone
            : stream->is_spoiled  ? cudaStreamCaptureStatusInvalidated
                                  : cudaStreamCaptureStatusActive;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaGraphInstantiate (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  *exec = NULL;
  if (graph == NULL || flags != 0)
    return uk_emulated_return (cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{ std::make_shared<std::vector<UkEmulatedWork>> (graph->works) };
  n_graphs++;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaGraphUpload (cudaGraphExec_t exec, cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);

  if (exec == NULL || stream == NULL)
    return uk_emulated_return (cudaErrorInvalidValue);
  return uk_emulated_return (spoils_capture_of (stream) ? cudaErrorStreamCaptureUnsupported
                                                        : cudaSuccess);
}

cudaError_t
cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t handle)
{
  UkEmulatedLock lock (uk_emulated_mutex);
  cudaStream_t stream = find_stream (handle);
  cudaError_t error = cudaSuccess;

  if (exec == NULL || stream == NULL)
    return uk_emulated_return (cudaErrorInvalidValue);
  for (const UkEmulatedWork &work : *exec->works)
    if (error == cudaSuccess)
      error = put (stream, work);
  return uk_emulated_return (error);
}

cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (graph == NULL)
    return uk_emulated_return (cudaErrorInvalidValue);
  delete graph;
  n_graphs--;
  return uk_emulated_return (cudaSuccess);
}

cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t exec)
{
  UkEmulatedLock lock (uk_emulated_mutex);

  if (exec == NULL)
    return uk_emulated_return (cudaErrorInvalidValue);
  delete exec;
  n_graphs--;
  return uk_emulated_return (cudaSuccess);
}
