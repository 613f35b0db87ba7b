/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-contest.c - finds the fastest plan for a convolution.
 *
 * cuDNN's heuristics know about a hundred kernels for a convolution and rank them by a model that is often
 * wrong by a large factor.  So their proposals are timed.  Making their plans takes most of the time, above
 * all of those that cuDNN compiles: several threads do it.
 */
#include "kernels/cuda/libraries-private.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_CANDIDATES = UK_CUDNN_MAX_VARIANTS * 16 };

/* A kernel that every process has to compile must be faster by this factor. */
static const double COMPILED_FACTOR = 1.05;
/* So must a weight gradient that is rounded to 16 bits. */
static const double ROUNDED_FACTOR = 1.2;

typedef struct
{
  UkCudnnChoice choice;
  int           variant;
  UkCudnnPlan  *plan; /* owned, (nullable) */
  UkStatus      status; /* of its making, … */
  char          error[256]; /* … and cuDNN's message unless UK_UNSUPPORTED */
} Candidate;

typedef struct
{
  UkCudaBackend        *backend;
  const UkCudnnProblem *variants;
  int                   n_variants;
  UkCudaOp             *epilogue; /* borrowed, (nullable) */
  UkCudnnGraph         *graphs[UK_CUDNN_MAX_VARIANTS]; /* owned, (nullable) */
  Candidate             candidates[MAX_CANDIDATES];
  int                   n_candidates;
  UkStatus              failure; /* the first other than UK_UNSUPPORTED; else UK_OK */
  /* For timing: */
  UkTrial               trial;
  void                 *workspace; /* owned */
  size_t                workspace_bytes;
  bool                  is_short; /* of memory: not all could be timed */
  const Candidate      *running;
  int64_t               n_weights;
} Contest;

/* ------------------------------------------------------------------------ */
/* The candidates                                                            */

static void
read_error (char *text, size_t size)
{
  text[0] = '\0';
  cudnnGetLastErrorString (text, size);
  if (text[0] == '\0')
    snprintf (text, size, "cuDNN cannot create a plan");
}

/* Records failures other than an unsupported plan.  @why: NULL: cuDNN's last message in this thread */
static UkStatus
note_failure (Contest *self, UkStatus status, const char *why)
{
  UkCudaBackend *backend = self->backend;

  self->is_short = self->is_short || status == UK_NO_MEMORY;
  if (status == UK_OK || status == UK_UNSUPPORTED || self->failure != UK_OK)
    return status;
  self->failure = status;
  if (why != NULL)
    snprintf (backend->error, sizeof backend->error, "%s", why);
  else
    read_error (backend->error, sizeof backend->error);
  return status;
}

static void
ask_heuristics (Contest *self)
{
  const UkCudaLibraries *libraries = self->backend->libraries;
  UkCudnnDevice device = { .handle = libraries->cudnn };
  UkCudnnChoice choices[MAX_CANDIDATES / UK_CUDNN_MAX_VARIANTS];
  int max = MAX_CANDIDATES / UK_CUDNN_MAX_VARIANTS;

  for (int v = 0; v < self->n_variants; v++)
    {
      int n_choices = 0;

      if (note_failure (self, uk_cudnn_graph_new (&device, &self->variants[v], &self->graphs[v]), NULL)
          == UK_OK)
        note_failure (self, uk_cudnn_graph_get_choices (self->graphs[v], libraries->max_compiled,
                                                        choices, max, &n_choices), NULL);
      for (int i = 0; i < n_choices; i++)
        self->candidates[self->n_candidates++] = (Candidate) { .choice = choices[i], .variant = v };
    }
}

/* In one of several threads. */
static void
make_plan (int i, void *data)
{
  Contest *self = data;
  Candidate *candidate = &self->candidates[i];

  candidate->status = uk_cudnn_plan_new (self->graphs[candidate->variant], &candidate->choice, &candidate->plan);
  if (candidate->status != UK_OK && candidate->status != UK_UNSUPPORTED)
    read_error (candidate->error, sizeof candidate->error);
}

/* Drops what could not be made, or wants too much memory. */
static void
keep_possible (Contest *self)
{
  UkCudaLibraries *libraries = self->backend->libraries;
  int n_kept = 0;

  for (int i = 0; i < self->n_candidates; i++)
    {
      Candidate *candidate = &self->candidates[i];

      libraries->counts.n_finalized++;
      libraries->counts.n_compiled += candidate->choice.is_compiled;
      note_failure (self, candidate->status, candidate->error);
      if (candidate->status == UK_OK
          && uk_cudnn_plan_get_workspace_bytes (candidate->plan) <= libraries->workspace_limit)
        self->candidates[n_kept++] = *candidate;
      else
        uk_cudnn_plan_free (candidate->plan);
    }
  self->n_candidates = n_kept;
}

/* ------------------------------------------------------------------------ */
/* Timing                                                                    */

typedef enum { IMAGE, RESPONSE, FILTER, BIAS, GRADIENT, N_BUFFERS } Buffer;

/* A weight gradient that is rounded has to become float again. */
static UkStatus
run_plan (void *data)
{
  Contest *self = data;
  UkCudnnMemory memory = {
    .image = uk_trial_get (&self->trial, IMAGE),
    .response = uk_trial_get (&self->trial, RESPONSE),
    .filter = uk_trial_get (&self->trial, FILTER),
    .bias = uk_trial_get (&self->trial, BIAS),
  };
  float *gradient = uk_trial_get (&self->trial, GRADIENT);
  UkCudaOp converter = { .base = { .backend = &self->backend->base }, .stream = self->backend->stream };
  UkStatus status;

  uk_trial_turn (&self->trial);
  status = uk_cudnn_plan_run (self->running->plan, &memory, self->workspace);
  if (status != UK_OK || !self->variants[self->running->variant].is_gradient_rounded)
    return status;
  return uk_cuda_weights_unpack (&converter, self->n_weights, memory.filter, self->variants[0].type, gradient);
}

static UkStatus
run_epilogue (void *data)
{
  Contest *self = data;
  void *y = uk_trial_get (&self->trial, self->variants[0].pass == UK_CUDNN_FORWARD ? RESPONSE : IMAGE);
  void *bias = uk_trial_get (&self->trial, BIAS);

  uk_trial_turn (&self->trial);
  return self->epilogue->kernel->run (self->epilogue, (void *[]) { y, bias, y }, self->workspace);
}

/* Everything that a run reads and writes. */
static bool
open_trial (Contest *self)
{
  const UkCudnnProblem *problem = &self->variants[0];
  size_t size = uk_data_size (problem->type);
  bool is_rounded = self->variants[self->n_variants - 1].is_gradient_rounded;
  const UkTrialBuffer buffers[N_BUFFERS] = {
    [IMAGE] = { (size_t) uk_shape_count (problem->image) * size, problem->type },
    [RESPONSE] = { (size_t) uk_shape_count (problem->response) * size, problem->type },
    [FILTER] = { (size_t) self->n_weights * sizeof (float), problem->type }, /* a gradient may be float */
    [BIAS] = { (size_t) (problem->image.c + problem->response.c) * sizeof (float), UK_DATA_F32 },
    [GRADIENT] = { is_rounded ? (size_t) self->n_weights * sizeof (float) : 0, UK_DATA_F32 },
  };

  for (int i = 0; i < self->n_candidates; i++)
    {
      size_t bytes = uk_cudnn_plan_get_workspace_bytes (self->candidates[i].plan);

      self->workspace_bytes = bytes > self->workspace_bytes ? bytes : self->workspace_bytes;
    }
  if (self->epilogue != NULL && self->epilogue->base.scratch_bytes > self->workspace_bytes)
    self->workspace_bytes = self->epilogue->base.scratch_bytes;
  if (!uk_trial_open (&self->trial, self->backend, buffers, N_BUFFERS))
    return false;
  /* On a full GPU, the workspace that is left decides which plans can run. */
  while (self->workspace_bytes > 0
         && cudaMalloc (&self->workspace, self->workspace_bytes) != cudaSuccess)
    {
      self->workspace_bytes /= 2;
      self->is_short = true;
    }
  return true;
}

static double
handicap_of (const Contest *self, const Candidate *candidate)
{
  return (candidate->choice.is_compiled ? COMPILED_FACTOR : 1)
         * (self->variants[candidate->variant].is_gradient_rounded ? ROUNDED_FACTOR : 1);
}

/* Index of the fastest candidate; -1: none could be timed. */
static int
time_candidates (Contest *self)
{
  bool has_after = self->epilogue != NULL
                   && self->epilogue->base.scratch_bytes <= self->workspace_bytes;
  double after = has_after ? uk_time_on_gpu (self->backend, run_epilogue, self, 0) : 0;
  double best = 0;
  int winner = -1;

  for (int i = 0; i < self->n_candidates; i++)
    {
      const Candidate *candidate = &self->candidates[i];
      double ms;

      if (uk_cudnn_plan_get_workspace_bytes (candidate->plan) > self->workspace_bytes)
        continue;
      self->running = candidate;
      ms = uk_time_on_gpu (self->backend, run_plan, self, best);
      if (ms < 0)
        continue;
      if (!self->variants[candidate->variant].is_fused && after > 0)
        ms += after;
      ms *= handicap_of (self, candidate);
      if (winner < 0 || ms < best)
        {
          winner = i;
          best = ms;
        }
    }
  return winner;
}

/* If nothing could be timed: the heuristics' best guess for the last variant. */
static int
guess (const Contest *self)
{
  for (int i = 0; i < self->n_candidates; i++)
    if (self->candidates[i].variant == self->n_variants - 1)
      return i;
  return self->n_candidates > 0 ? 0 : -1;
}

static UkStatus
find_winner (Contest *self, UkCudnnWinner *out)
{
  int winner = -1;
  Candidate *candidate;

  if (self->n_candidates > 0 && open_trial (self))
    winner = time_candidates (self);
  cudaGetLastError (); /* clears a failed allocation */
  /* With more free memory another may be faster. */
  *out = (UkCudnnWinner) { .is_timed = winner >= 0 && !self->is_short };
  if (winner < 0)
    winner = guess (self);
  if (winner < 0)
    return self->failure != UK_OK ? self->failure : UK_UNSUPPORTED;
  candidate = &self->candidates[winner];
  out->choice = candidate->choice;
  out->variant = candidate->variant;
  out->graph = self->graphs[candidate->variant];
  out->plan = candidate->plan;
  self->graphs[candidate->variant] = NULL;
  candidate->plan = NULL;
  return UK_OK;
}

UkStatus
uk_cudnn_contest (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                  UkCudaOp *epilogue, UkCudnnWinner *out)
{
  Contest *self = calloc (1, sizeof *self);
  UkStatus status;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->backend = backend;
  self->variants = variants;
  self->n_variants = n_variants;
  self->n_weights = variants->image.c * variants->response.c * variants->kernel * variants->kernel;
  self->epilogue = epilogue;
  ask_heuristics (self);
  uk_in_threads (backend, self->n_candidates, make_plan, self);
  keep_possible (self);
  backend->libraries->counts.n_timed++;
  status = find_winner (self, out);
  cudaFree (self->workspace);
  uk_trial_close (&self->trial);
  for (int i = 0; i < self->n_candidates; i++)
    uk_cudnn_plan_free (self->candidates[i].plan);
  for (int v = 0; v < n_variants; v++)
    uk_cudnn_graph_free (self->graphs[v]);
  free (self);
  return status;
}
