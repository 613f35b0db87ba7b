/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timing.c - timing on the GPU.
 *
 * The work is captured as a graph, as it will be in training, because launching kernels one by one takes
 * longer than many of them run.  Work that cannot be captured is useless and fails here.
 */
#include "kernels/cuda/libraries-private.h"

#include <stdlib.h>

enum
{
  MAX_RUNS = 8, /* per recording */
  N_TIMES = 5,  /* the median is used */
  HOPELESS = 3  /* slower than the best by this factor: not timed any further */
};

static const double WANTED_MS = 1; /* per recording */

typedef struct
{
  cudaStream_t    stream;
  cudaEvent_t     start, end;
  cudaGraphExec_t graph;
} Clock;

static bool
record (Clock *self, UkTimedRun run, void *data, int n_runs)
{
  cudaGraph_t graph = NULL;
  bool ok = cudaStreamBeginCapture (self->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;

  if (!ok)
    return false;
  for (int i = 0; ok && i < n_runs; i++)
    ok = run (data) == UK_OK;
  /* Even if a run failed, or the stream would remain in capture mode. */
  ok = cudaStreamEndCapture (self->stream, &graph) == cudaSuccess && ok;
  ok = ok && cudaGraphInstantiate (&self->graph, graph, 0) == cudaSuccess;
  if (graph != NULL)
    cudaGraphDestroy (graph);
  return ok;
}

/* ms; negative if it fails.  @run: NULL for the recording. */
static double
time_once (Clock *self, UkTimedRun run, void *data)
{
  float ms = -1;
  bool ok = cudaEventRecord (self->start, self->stream) == cudaSuccess;

  ok = ok && (run != NULL ? run (data) == UK_OK
                          : cudaGraphLaunch (self->graph, self->stream) == cudaSuccess);
  ok = ok && cudaEventRecord (self->end, self->stream) == cudaSuccess;
  ok = cudaStreamSynchronize (self->stream) == cudaSuccess && ok;
  return ok && cudaEventElapsedTime (&ms, self->start, self->end) == cudaSuccess ? ms : -1;
}

static int
compare_times (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
time_runs (Clock *self, UkTimedRun run, void *data, double best)
{
  double times[N_TIMES], once;
  int n_runs;

  /* The first run loads code; the second determines the number of runs. */
  if (time_once (self, run, data) < 0 || (once = time_once (self, run, data)) < 0)
    return -1;
  if (best > 0 && once > HOPELESS * best + WANTED_MS / 10)
    return -1;
  n_runs = once * MAX_RUNS <= WANTED_MS ? MAX_RUNS : (int) (WANTED_MS / once) + 1;
  n_runs = n_runs < MAX_RUNS ? n_runs : MAX_RUNS;
  if (!record (self, run, data, n_runs) || time_once (self, NULL, NULL) < 0)
    return -1;
  for (int i = 0; i < N_TIMES; i++)
    if ((times[i] = time_once (self, NULL, NULL)) < 0)
      return -1;
  qsort (times, N_TIMES, sizeof times[0], compare_times);
  return times[N_TIMES / 2] / n_runs;
}

double
uk_time_on_gpu (UkCudaBackend *backend, UkTimedRun run, void *data, double best)
{
  Clock clock = { .stream = backend->stream };
  double ms = -1;

  if (cudaEventCreate (&clock.start) == cudaSuccess && cudaEventCreate (&clock.end) == cudaSuccess)
    ms = time_runs (&clock, run, data, best);
  if (clock.graph != NULL)
    cudaGraphExecDestroy (clock.graph);
  if (clock.start != NULL)
    cudaEventDestroy (clock.start);
  if (clock.end != NULL)
    cudaEventDestroy (clock.end);
  cudaGetLastError (); /* clears errors of this function */
  return ms;
}
