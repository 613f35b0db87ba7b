/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.cc - runs a grid block by block: its threads, barriers and warps.
 *
 * A stack runs one thread after another until one waits; only then does that thread keep the stack, and the
 * next starts on another.  A kernel without barriers therefore runs as a loop.  A thread that waits or ends
 * selects the next one, in the order of threads, forward or backward.
 *
 * What is undefined on a GPU, or hangs, ends the process here with a message: a barrier after some threads
 * have exited, lanes that wait for each other in different calls, a shuffle from a lane that does not
 * participate.
 */
#include "emulated-private.h"
#include "fiber.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 1024, LANES = 32 };

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

typedef enum { READY, AT_BARRIER, AT_WARP, ENDED } State;

typedef struct
{
  State    state;
  UkFiber *fiber; /* NULL until its first wait */
  uint3    index;
} Thread;

/* The call in which a lane waits. */
typedef struct
{
  UkEmulatedWarpCall call;
  unsigned           mask;
  uint64_t           value, result;
  int                lane, width;
} Call;

/* The running block; a lock restricts it to one host thread. */
static struct
{
  const UkEmulatedWork *work;
  bool     backward;
  int      n_threads, n_ended, n_at_barrier;
  int      current; /* index into threads */
  Thread   threads[MAX_THREADS];
  Call     calls[MAX_THREADS];
  unsigned waiting[MAX_THREADS / LANES], ended[MAX_THREADS / LANES]; /* lanes of each warp */
} now;

static UkFiber  host;    /* the launching thread's stack */
static UkFiber *running; /* the current stack */
static UkFiber *idle;    /* unused stacks, linked by next */

/* ------------------------------------------------------------------------ */
/* Error reports                                                             */

static const char *const call_names[] = {
  "__syncwarp", "__ballot_sync", "__shfl_sync", "__shfl_xor_sync", "__shfl_up_sync",
  "__shfl_down_sync",
};

static void
print_thread (int t)
{
  const uint3 *at = &now.threads[t].index;

  fprintf (stderr, "  thread %d (%u, %u, %u) ", t, at->x, at->y, at->z);
  switch (now.threads[t].state)
    {
    case READY:
      fprintf (stderr, "runs\n");
      break;
    case AT_BARRIER:
      fprintf (stderr, "waits at __syncthreads\n");
      break;
    case AT_WARP:
      fprintf (stderr, "waits at %s of mask %08x\n", call_names[now.calls[t].call],
               now.calls[t].mask);
      break;
    case ENDED:
      fprintf (stderr, "has ended\n");
      break;
    }
}

/* Prints one thread of each run of threads in the same state. */
static void __attribute__ ((noreturn, format (printf, 1, 2)))
complain (const char *format, ...)
{
  va_list args;

  fprintf (stderr, "emulated GPU: block (%u, %u, %u) of %d threads, thread %d: ", blockIdx.x,
           blockIdx.y, blockIdx.z, now.n_threads, now.current);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fprintf (stderr, "\n");
  for (int t = 0; t < now.n_threads; t++)
    if (t == 0 || t == now.current || now.threads[t].state != now.threads[t - 1].state
        || (now.threads[t].state == AT_WARP
            && (now.calls[t].call != now.calls[t - 1].call
                || now.calls[t].mask != now.calls[t - 1].mask)))
      print_thread (t);
  abort ();
}

/* ------------------------------------------------------------------------ */
/* Scheduling                                                                */

static void take_threads (void);

static void
make_current (int t)
{
  now.current = t;
  threadIdx = now.threads[t].index;
}

/* Selects the next runnable thread; false if there is none. */
static bool
choose_next (void)
{
  int n = now.n_threads, t = now.current;

  for (int i = 0; i < n; i++)
    {
      t = now.backward ? (t == 0 ? n - 1 : t - 1) : (t == n - 1 ? 0 : t + 1);
      if (now.threads[t].state == READY)
        {
          make_current (t);
          return true;
        }
    }
  return false;
}

static void
switch_to (UkFiber *fiber)
{
  UkFiber *from = running;

  running = fiber;
  uk_fiber_switch (from, fiber);
}

static UkFiber *
take_idle (void)
{
  UkFiber *fiber = idle;

  if (fiber == NULL)
    return uk_fiber_new (take_threads);
  idle = fiber->next;
  return fiber;
}

/* The body of every stack: runs threads until none is left to start, or one waits. */
static void
take_threads (void)
{
  for (;;)
    {
      UkFiber *next;

      (*now.work) ();
      now.threads[now.current].state = ENDED;
      now.ended[now.current / LANES] |= 1u << now.current % LANES;
      now.n_ended++;
      if (now.n_at_barrier > 0)
        complain ("ends while others wait at __syncthreads");
      if (now.n_ended == now.n_threads)
        next = &host;
      else if (!choose_next ())
        complain ("ends, and those left wait for ever");
      else if (now.threads[now.current].fiber == NULL)
        continue;
      else
        next = now.threads[now.current].fiber;
      running->next = idle;
      idle = running;
      switch_to (next);
    }
}

/* Suspends the current thread until its state is READY and it is selected. */
static void
wait (State state)
{
  Thread *self = &now.threads[now.current];
  UkFiber *next;

  self->state = state;
  self->fiber = running;
  if (!choose_next ())
    complain ("waits, like all others, for ever");
  next = now.threads[now.current].fiber;
  if (next == NULL)
    next = take_idle ();
  if (next != running)
    switch_to (next);
}

/* ------------------------------------------------------------------------ */
/* Barriers                                                                  */

void
uk_emulated_sync_block (void)
{
  if (now.n_ended > 0)
    complain ("is at a __syncthreads before which others have ended");
  if (++now.n_at_barrier == now.n_threads)
    {
      now.n_at_barrier = 0;
      for (int t = 0; t < now.n_threads; t++)
        now.threads[t].state = READY;
      wait (READY); /* yields: restarts with the first thread */
    }
  else
    wait (AT_BARRIER);
}

/* The source lane of @lane: see shfl.sync in the PTX ISA. */
static int
source_of (const Call *call, int lane)
{
  int first = lane & ~(call->width - 1), last = first + call->width - 1, from = lane;

  if (call->call == UK_EMULATED_SHFL)
    from = first + (call->lane & (call->width - 1));
  else if (call->call == UK_EMULATED_SHFL_XOR)
    from = lane ^ call->lane;
  else if (call->call == UK_EMULATED_SHFL_UP)
    from = lane - call->lane;
  else if (call->call == UK_EMULATED_SHFL_DOWN)
    from = lane + call->lane;
  return call->call == UK_EMULATED_SHFL_UP ? (from >= first ? from : lane)
                                           : (from <= last ? from : lane);
}

/* Whether all lanes of the current thread's call have reached it. */
static bool
is_complete (int warp, unsigned mask)
{
  const Call *mine = &now.calls[now.current];
  unsigned me = 1u << (now.current % LANES);

  if ((now.waiting[warp] & mask) != mask)
    return false;
  for (int lane = 0; lane < LANES; lane++)
    if (mask >> lane & 1)
      {
        const Call *other = &now.calls[warp * LANES + lane];
        if (other->mask != mine->mask && !(other->mask & me))
          return false; /* it waits with other lanes first */
        if (other->mask != mine->mask || other->call != mine->call)
          complain ("is at another call of its warp than lane %d", lane);
      }
  return true;
}

/* Gives each lane of @mask its result and resumes it. */
static void
complete (int warp, unsigned mask)
{
  Call *calls = now.calls + warp * LANES;
  unsigned ballot = 0;

  for (int lane = 0; lane < LANES; lane++)
    ballot |= mask & (unsigned) (calls[lane].value != 0) << lane;
  for (int lane = 0; lane < LANES; lane++)
    if (mask >> lane & 1)
      {
        int from = source_of (&calls[lane], lane);
        if (calls[lane].call == UK_EMULATED_BALLOT)
          calls[lane].result = ballot;
        else if (from < 0 || from >= LANES || !(mask >> from & 1))
          complain ("lane %d would read lane %d, which takes no part", lane, from);
        else
          calls[lane].result = calls[from].value;
        now.threads[warp * LANES + lane].state = READY;
      }
  now.waiting[warp] &= ~mask;
}

uint64_t
uk_emulated_sync_warp (UkEmulatedWarpCall call, unsigned mask, uint64_t value, int lane, int width)
{
  int self = now.current, warp = self / LANES, n_lanes = now.n_threads - warp * LANES;
  unsigned me = 1u << self % LANES;

  now.calls[self] = Call{ call, mask, value, 0, lane, width };
  if (!(mask & me))
    complain ("calls %s with a mask without itself, %08x", call_names[call], mask);
  if (mask & now.ended[warp])
    complain ("calls %s of mask %08x, of which %08x has ended", call_names[call], mask,
              mask & now.ended[warp]);
  if (n_lanes < LANES) /* the last warp: missing lanes need not participate */
    mask &= (1u << n_lanes) - 1;
  now.waiting[warp] |= me;
  if (is_complete (warp, mask))
    complete (warp, mask);
  else
    wait (AT_WARP);
  return now.calls[self].result;
}

/* ------------------------------------------------------------------------ */
/* Grids                                                                     */

static void
run_block (unsigned long long b)
{
  blockIdx.x = (unsigned) (b % gridDim.x);
  blockIdx.y = (unsigned) (b / gridDim.x % gridDim.y);
  blockIdx.z = (unsigned) (b / gridDim.x / gridDim.y);
  now.n_ended = now.n_at_barrier = 0;
  memset (now.ended, 0, sizeof now.ended);
  for (int t = 0; t < now.n_threads; t++)
    {
      now.threads[t].state = READY;
      now.threads[t].fiber = NULL;
    }
  make_current (now.backward ? now.n_threads - 1 : 0);
  switch_to (take_idle ());
}

void
uk_emulated_run_grid (dim3 grid, dim3 block, bool backward, const UkEmulatedWork &thread)
{
  unsigned long long n_blocks = (unsigned long long) grid.x * grid.y * grid.z;

  gridDim = grid;
  blockDim = block;
  now.work = &thread;
  now.backward = backward;
  now.n_threads = (int) (block.x * block.y * block.z);
  running = &host;
  for (int t = 0; t < now.n_threads; t++)
    now.threads[t].index = make_uint3 ((unsigned) t % block.x, (unsigned) t / block.x % block.y,
                                       (unsigned) t / block.x / block.y);
  for (unsigned long long b = 0; b < n_blocks; b++)
    run_block (backward ? n_blocks - 1 - b : b);
}
