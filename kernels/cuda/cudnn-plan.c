/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-plan.c - the fastest plan for a convolution.
 *
 * cuDNN's heuristics know about a hundred kernels for a convolution and rank them by a model that is often
 * wrong by a large factor.  So their proposals are timed, once, and the fastest is stored in the plan cache
 * as an engine and its knobs, from which the plan is rebuilt without querying or timing.
 */
#include "kernels/cuda/libraries-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  MAX_CANDIDATES = UK_CUDNN_MAX_VARIANTS * 16,
  MAX_NUMBER = 1 << 30 /* in a choice's text */
};

/* A kernel that every process has to compile must be faster by this factor. */
static const double COMPILED_FACTOR = 1.05;

typedef struct
{
  UkCudnnChoice choice;
  int           variant;
  UkCudnnPlan  *plan; /* owned */
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
  UkCudnnMemory         memory;
  void                 *block, *workspace; /* owned */
  size_t                workspace_bytes;
  bool                  is_short; /* of memory: not all could be timed */
  UkCudnnPlan          *running;
} Tuner;

/* ------------------------------------------------------------------------ */
/* Text                                                                      */

/* The cache key: everything that a choice depends on apart from the device.  Variants share it. */
static void
write_key (const UkCudnnProblem *problem, const UkCudaOp *epilogue, char *text)
{
  static const char *const passes[] = { "forward", "backward-data", "backward-filter" };
  const UkShape *i = &problem->image, *r = &problem->response;
  const char *type = problem->is_gradient_bf16 ? "bf16 to bf16"
                     : problem->is_bf16        ? "bf16"
                     : problem->allows_tf32    ? "tf32"
                                               : "fp32";

  snprintf (text, UK_PLAN_CACHE_MAX_TEXT,
            "conv %s %lld,%lld,%lld,%lld %lld,%lld,%lld,%lld kernel %d stride %d pad %d %s act %d",
            passes[problem->pass], (long long) i->n, (long long) i->h, (long long) i->w,
            (long long) i->c, (long long) r->n, (long long) r->h, (long long) r->w,
            (long long) r->c, problem->kernel, problem->stride, problem->pad, type,
            epilogue != NULL ? (int) epilogue->base.desc.act : -1);
}

void
uk_cudnn_choice_write (const UkCudnnChoice *choice, int variant, char *text)
{
  size_t at = (size_t) snprintf (text, UK_PLAN_CACHE_MAX_TEXT, "%d %lld", variant,
                                 (long long) choice->engine);

  for (int i = 0; i < choice->n_knobs && at < UK_PLAN_CACHE_MAX_TEXT; i++)
    at += (size_t) snprintf (text + at, UK_PLAN_CACHE_MAX_TEXT - at, " %lld=%lld",
                             (long long) choice->knobs[i].type, (long long) choice->knobs[i].value);
}

/* Reads digits up to and including @end; a knob's value may be negative. */
static bool
read_number (const char **text, char end, int64_t *out)
{
  bool is_negative = end == ' ' && **text == '-';
  const char *at = *text + is_negative;
  int64_t number = 0;

  if (*at < '0' || *at > '9')
    return false;
  for (; *at >= '0' && *at <= '9'; at++)
    if ((number = number * 10 + (*at - '0')) > MAX_NUMBER)
      return false;
  if (*at != end && *at != '\0')
    return false;
  *text = *at == '\0' ? at : at + 1;
  *out = is_negative ? -number : number;
  return true;
}

bool
uk_cudnn_choice_read (const char *text, UkCudnnChoice *choice, int *variant)
{
  int64_t number;

  *choice = (UkCudnnChoice) { 0 };
  if (!read_number (&text, ' ', &number) || number < 0 || number >= UK_CUDNN_MAX_VARIANTS
      || *text == '\0' || !read_number (&text, ' ', &choice->engine) || choice->engine < 0)
    return false;
  *variant = (int) number;
  for (; *text != '\0'; choice->n_knobs++)
    {
      int i = choice->n_knobs;

      if (i == UK_CUDNN_MAX_KNOBS || !read_number (&text, '=', &choice->knobs[i].type)
          || *text == '\0' || !read_number (&text, ' ', &choice->knobs[i].value)
          || choice->knobs[i].type >= CUDNN_KNOB_TYPE_COUNTS)
        return false;
    }
  return true;
}

/* ------------------------------------------------------------------------ */
/* The candidates                                                            */

static UkCudnnDevice
device_of (const Tuner *self)
{
  return (UkCudnnDevice) { .handle = self->backend->libraries->cudnn };
}

/* Records failures other than an unsupported plan, with cuDNN's message. */
static UkStatus
note_failure (Tuner *self, UkStatus status)
{
  UkCudaBackend *backend = self->backend;

  self->is_short = self->is_short || status == UK_NO_MEMORY;
  if (status == UK_OK || status == UK_UNSUPPORTED || self->failure != UK_OK)
    return status;
  self->failure = status;
  cudnnGetLastErrorString (backend->error, sizeof backend->error);
  if (backend->error[0] == '\0')
    snprintf (backend->error, sizeof backend->error, "cuDNN cannot create a plan");
  return status;
}

static UkStatus
make_plan (Tuner *self, const UkCudnnChoice *choice, int variant, UkCudnnPlan **out)
{
  UkCudnnDevice device = device_of (self);
  UkStatus status = UK_OK;

  if (self->graphs[variant] == NULL)
    status = note_failure (self, uk_cudnn_graph_new (&device, &self->variants[variant],
                                                     &self->graphs[variant]));
  if (status == UK_OK)
    status = note_failure (self, uk_cudnn_plan_new (self->graphs[variant], choice, out));
  if (status == UK_OK
      && uk_cudnn_plan_get_workspace_bytes (*out) > self->backend->libraries->workspace_limit)
    {
      uk_cudnn_plan_free (*out);
      status = UK_UNSUPPORTED;
    }
  return status;
}

/* Creates plans for the heuristics' proposals for each variant. */
static void
find_candidates (Tuner *self)
{
  UkCudnnDevice device = device_of (self);
  UkCudnnChoice choices[MAX_CANDIDATES / UK_CUDNN_MAX_VARIANTS];
  int max = MAX_CANDIDATES / UK_CUDNN_MAX_VARIANTS;

  for (int v = 0; v < self->n_variants; v++)
    {
      int n_choices = 0;

      if (self->graphs[v] != NULL
          || note_failure (self, uk_cudnn_graph_new (&device, &self->variants[v], &self->graphs[v]))
               == UK_OK)
        note_failure (self, uk_cudnn_graph_get_choices (self->graphs[v], choices, max, &n_choices));
      for (int i = 0; i < n_choices; i++)
        {
          Candidate *candidate = &self->candidates[self->n_candidates];

          if (make_plan (self, &choices[i], v, &candidate->plan) != UK_OK)
            continue;
          candidate->choice = choices[i];
          candidate->variant = v;
          self->n_candidates++;
        }
    }
}

/* ------------------------------------------------------------------------ */
/* Timing                                                                    */

static UkStatus
run_plan (void *data)
{
  Tuner *self = data;

  return uk_cudnn_plan_run (self->running, &self->memory, self->workspace);
}

static UkStatus
run_epilogue (void *data)
{
  Tuner *self = data;
  void *y = self->variants[0].pass == UK_CUDNN_FORWARD ? self->memory.response
                                                       : self->memory.image;

  return self->epilogue->kernel->run (self->epilogue, (void *[]) { y, self->memory.bias, y },
                                      self->workspace);
}

/* Allocates, zero-filled, everything that a run reads and writes. */
static bool
alloc_memory (Tuner *self)
{
  const UkCudnnProblem *problem = &self->variants[0];
  size_t size = problem->is_bf16 ? 2 : sizeof (float);
  size_t image = uk_cuda_align ((size_t) uk_shape_count (problem->image) * size);
  size_t response = uk_cuda_align ((size_t) uk_shape_count (problem->response) * size);
  size_t filter = uk_cuda_align ((size_t) (problem->image.c * problem->response.c * problem->kernel
                                           * problem->kernel) * sizeof (float));
  size_t bias = uk_cuda_align ((size_t) (problem->image.c + problem->response.c) * sizeof (float));
  size_t total = image + response + filter + bias;
  char *block;

  for (int i = 0; i < self->n_candidates; i++)
    {
      size_t bytes = uk_cudnn_plan_get_workspace_bytes (self->candidates[i].plan);

      self->workspace_bytes = bytes > self->workspace_bytes ? bytes : self->workspace_bytes;
    }
  if (self->epilogue != NULL && self->epilogue->base.scratch_bytes > self->workspace_bytes)
    self->workspace_bytes = self->epilogue->base.scratch_bytes;
  if (cudaMalloc (&self->block, total) != cudaSuccess
      || cudaMemsetAsync (self->block, 0, total, self->backend->stream) != cudaSuccess)
    return false;
  /* On a full GPU, the workspace that is left decides which plans can run. */
  while (self->workspace_bytes > 0
         && cudaMalloc (&self->workspace, self->workspace_bytes) != cudaSuccess)
    {
      self->workspace_bytes /= 2;
      self->is_short = true;
    }
  block = self->block;
  self->memory = (UkCudnnMemory) {
    .image = block,
    .response = block + image,
    .filter = block + image + response,
    .bias = block + image + response + filter,
  };
  return true;
}

/* Index of the fastest candidate; -1: none could be timed. */
static int
time_candidates (Tuner *self)
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
      self->running = candidate->plan;
      ms = uk_time_on_gpu (self->backend, run_plan, self, best);
      if (ms < 0)
        continue;
      if (!self->variants[candidate->variant].is_fused && after > 0)
        ms += after;
      if (candidate->choice.is_compiled)
        ms *= COMPILED_FACTOR;
      if (winner < 0 || ms < best)
        {
          winner = i;
          best = ms;
        }
    }
  return winner;
}

/* ------------------------------------------------------------------------ */
/* Choice                                                                    */

static void
set_chosen (Tuner *self, UkCudnnPlan *plan, int variant, UkCudnnChosen *out)
{
  *out = (UkCudnnChosen) { .graph = self->graphs[variant], .plan = plan, .variant = variant };
  self->graphs[variant] = NULL;
}

static bool
choose_cached (Tuner *self, const char *key, UkCudnnChosen *out)
{
  char text[UK_PLAN_CACHE_MAX_TEXT];
  UkCudnnChoice choice;
  UkCudnnPlan *plan;
  int variant;

  if (!uk_plan_cache_find (self->backend->libraries->cache, key, text)
      || !uk_cudnn_choice_read (text, &choice, &variant) || variant >= self->n_variants
      || make_plan (self, &choice, variant, &plan) != UK_OK)
    return false;
  set_chosen (self, plan, variant, out);
  return true;
}

/* If nothing could be timed: the heuristics' best guess for the last variant. */
static int
guess (const Tuner *self)
{
  for (int i = 0; i < self->n_candidates; i++)
    if (self->candidates[i].variant == self->n_variants - 1)
      return i;
  return self->n_candidates > 0 ? 0 : -1;
}

static UkStatus
choose_fastest (Tuner *self, const char *key, UkCudnnChosen *out)
{
  char text[UK_PLAN_CACHE_MAX_TEXT];
  int winner = -1;

  find_candidates (self);
  if (self->n_candidates > 0 && alloc_memory (self))
    winner = time_candidates (self);
  cudaGetLastError (); /* clears a failed allocation */
  if (winner < 0)
    winner = guess (self);
  else if (!self->is_short) /* with more free memory another may be faster */
    {
      const Candidate *candidate = &self->candidates[winner];

      uk_cudnn_choice_write (&candidate->choice, candidate->variant, text);
      uk_plan_cache_store (self->backend->libraries->cache, key, text);
    }
  if (winner < 0)
    return self->failure != UK_OK ? self->failure : UK_UNSUPPORTED;
  set_chosen (self, self->candidates[winner].plan, self->candidates[winner].variant, out);
  self->candidates[winner].plan = NULL;
  return UK_OK;
}

UkStatus
uk_cudnn_choose (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                 UkCudaOp *epilogue, UkCudnnChosen *out)
{
  UkPlanCache *cache = backend->libraries->cache;
  Tuner *self = calloc (1, sizeof *self);
  char key[UK_PLAN_CACHE_MAX_TEXT];
  UkStatus status = UK_OK;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->backend = backend;
  self->variants = variants;
  self->n_variants = n_variants;
  self->epilogue = epilogue;
  write_key (&variants[0], epilogue, key);
  uk_plan_cache_lock (cache);
  if (!choose_cached (self, key, out))
    status = choose_fastest (self, key, out);
  uk_plan_cache_unlock (cache);
  cudaFree (self->workspace);
  cudaFree (self->block);
  for (int i = 0; i < self->n_candidates; i++)
    uk_cudnn_plan_free (self->candidates[i].plan);
  for (int v = 0; v < n_variants; v++)
    uk_cudnn_graph_free (self->graphs[v]);
  free (self);
  return status;
}

void
uk_cudnn_chosen_clear (UkCudnnChosen *self)
{
  uk_cudnn_plan_free (self->plan);
  uk_cudnn_graph_free (self->graph);
  *self = (UkCudnnChosen) { 0 };
}
