/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudnn-plan.c - one cuDNN plan for all operations with the same problem.
 *
 * The plan cache has for each problem the fastest engine with its knobs, and the workspace of its plan.  That
 * is all that preparing an operation needs.  So a process that only plans memory makes none.  When the first
 * operation runs, the plans of all that were prepared are made by several threads: cuDNN takes a tenth of a second for
 * each.
 *
 * A kernel that cuDNN compiles is also cached as cuDNN's own JSON, from which the plan is made without
 * compiling it again.
 */
#include "kernels/cuda/libraries-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cache's text where cuDNN has no plan. */
static const char NO_PLAN[] = "none";
/* And where its text turned out to be wrong: a problem to be timed again. */
static const char WRONG[] = "wrong";

struct _UkCudnnShared
{
  UkCudnnShared *next;
  UkCudaBackend *backend; /* borrowed */
  char          *key; /* owned */
  UkCudnnProblem problem; /* the chosen variant */
  UkCudnnChoice  choice;
  size_t         workspace_bytes;
  UkCudnnGraph  *graph; /* owned, (nullable) */
  UkCudnnPlan   *plan;  /* owned; NULL until the first run */
  bool           has_plan; /* false: cuDNN has none */
  UkStatus       made;     /* why `plan` could not be made */
  bool           was_compiled; /* rather than made of JSON */
};

/* ------------------------------------------------------------------------ */
/* Text                                                                      */

/* The cache key: everything that a choice depends on apart from the device.  Variants share it. */
static void
write_key (const UkCudaBackend *backend, const UkCudnnProblem *problem, const UkCudaOp *epilogue, char *text)
{
  static const char *const passes[] = { "forward", "backward-data", "backward-filter" };
  const UkShape *i = &problem->image, *r = &problem->response;
  const char *type = uk_precision_name (backend->precision);

  snprintf (text, UK_PLAN_CACHE_MAX_TEXT,
            "conv %s %lld,%lld,%lld,%lld %lld,%lld,%lld,%lld kernel %d stride %d pad %d %s act %d slope %g "
            "compiled %d",
            passes[problem->pass], (long long) i->n, (long long) i->h, (long long) i->w,
            (long long) i->c, (long long) r->n, (long long) r->h, (long long) r->w,
            (long long) r->c, problem->kernel, problem->stride, problem->pad, type,
            epilogue != NULL ? (int) epilogue->base.desc.act : -1,
            epilogue != NULL ? (double) epilogue->base.desc.slope : 0, backend->libraries->max_compiled);
}

void
uk_cudnn_shared_describe (const UkCudnnShared *self, char *text, size_t size)
{
  snprintf (text, size, "cuDNN engine %lld%s, workspace %.1f MB%s%s", (long long) self->choice.engine,
            self->choice.is_compiled ? " (compiled)" : "", (double) self->workspace_bytes * 1e-6,
            self->problem.is_fused ? ", with activation" : "",
            self->problem.pass != UK_CUDNN_BACKWARD_FILTER || self->problem.type == UK_DATA_F32 ? ""
            : !self->problem.is_gradient_rounded ? ", gradient in fp32"
            : self->problem.type == UK_DATA_F16 ? ", gradient rounded to fp16" : ", gradient rounded to bf16");
}

/* ------------------------------------------------------------------------ */
/* Finding                                                                   */

static bool
read_cached (UkCudnnShared *self, const UkCudnnProblem *variants, int n_variants)
{
  UkCudaLibraries *libraries = self->backend->libraries;
  char text[UK_PLAN_CACHE_MAX_TEXT];
  int variant;

  if (!uk_plan_cache_find (libraries->cache, self->key, text))
    return false;
  if (strcmp (text, NO_PLAN) == 0)
    return true;
  if (!uk_cudnn_choice_read (text, &self->choice, &variant, &self->workspace_bytes)
      || variant >= n_variants || self->workspace_bytes > libraries->workspace_limit
      || (self->choice.is_compiled && libraries->max_compiled == 0))
    return false;
  self->problem = variants[variant];
  self->has_plan = true;
  return true;
}

static UkStatus
hold_contest (UkCudnnShared *self, const UkCudnnProblem *variants, int n_variants, UkCudaOp *epilogue)
{
  UkPlanCache *cache = self->backend->libraries->cache;
  char text[UK_PLAN_CACHE_MAX_TEXT], *json = NULL;
  UkCudnnWinner winner;
  UkStatus status = uk_cudnn_contest (self->backend, variants, n_variants, epilogue, &winner);

  if (status == UK_UNSUPPORTED)
    uk_plan_cache_store (cache, self->key, NO_PLAN);
  if (status != UK_OK)
    return status == UK_UNSUPPORTED ? UK_OK : status;
  self->choice = winner.choice;
  self->problem = variants[winner.variant];
  self->graph = winner.graph;
  self->plan = winner.plan;
  self->workspace_bytes = uk_cudnn_plan_get_workspace_bytes (winner.plan);
  self->has_plan = true;
  if (!winner.is_timed)
    return UK_OK;
  uk_cudnn_choice_write (&winner.choice, winner.variant, self->workspace_bytes, text);
  uk_plan_cache_store (cache, self->key, text);
  if (winner.choice.is_compiled)
    json = uk_cudnn_plan_dup_json (winner.plan);
  if (json != NULL)
    uk_plan_cache_store_long (cache, self->key, json);
  free (json);
  return UK_OK;
}

static UkStatus
add (UkCudaBackend *backend, const char *key, const UkCudnnProblem *variants, int n_variants,
     UkCudaOp *epilogue, UkCudnnShared **out)
{
  UkCudaLibraries *libraries = backend->libraries;
  UkCudnnShared *self = calloc (1, sizeof *self);
  UkStatus status = UK_OK;

  if (self == NULL)
    return UK_NO_MEMORY;
  self->backend = backend;
  self->key = strdup (key);
  if (self->key == NULL)
    status = UK_NO_MEMORY;
  else
    {
      uk_plan_cache_lock (libraries->cache);
      if (!read_cached (self, variants, n_variants))
        status = hold_contest (self, variants, n_variants, epilogue);
      uk_plan_cache_unlock (libraries->cache);
    }
  if (status != UK_OK)
    {
      uk_cudnn_shared_free (self);
      return status;
    }
  self->next = libraries->plans;
  libraries->plans = self;
  *out = self;
  return UK_OK;
}

UkStatus
uk_cudnn_shared_find (UkCudaBackend *backend, const UkCudnnProblem *variants, int n_variants,
                      UkCudaOp *epilogue, UkCudnnShared **out)
{
  char key[UK_PLAN_CACHE_MAX_TEXT];
  UkCudnnShared *self = backend->libraries->plans;
  UkStatus status = UK_OK;

  write_key (backend, &variants[0], epilogue, key);
  while (self != NULL && strcmp (self->key, key) != 0)
    self = self->next;
  if (self == NULL)
    status = add (backend, key, variants, n_variants, epilogue, &self);
  if (status == UK_OK && !self->has_plan)
    status = UK_UNSUPPORTED;
  if (status == UK_OK)
    *out = self;
  return status;
}

void
uk_cudnn_shared_free (UkCudnnShared *list)
{
  while (list != NULL)
    {
      UkCudnnShared *next = list->next;

      uk_cudnn_plan_free (list->plan);
      uk_cudnn_graph_free (list->graph);
      free (list->key);
      free (list);
      list = next;
    }
}

/* ------------------------------------------------------------------------ */
/* Making and running                                                        */

/* In one of several threads.  @data: UkCudnnShared *[] */
static void
make_plan (int i, void *data)
{
  UkCudnnShared *self = ((UkCudnnShared **) data)[i];
  char *json = self->choice.is_compiled ? uk_plan_cache_find_long (self->backend->libraries->cache, self->key) : NULL;
  UkStatus status = self->made;

  if (status == UK_OK && (json == NULL || uk_cudnn_plan_new_from_json (self->graph, json, &self->plan) != UK_OK))
    {
      self->was_compiled = self->choice.is_compiled;
      status = uk_cudnn_plan_new (self->graph, &self->choice, &self->plan);
    }
  free (json);
  if (status == UK_OK && uk_cudnn_plan_get_workspace_bytes (self->plan) > self->workspace_bytes)
    status = UK_UNSUPPORTED;
  if (status != UK_OK)
    {
      uk_cudnn_plan_free (self->plan);
      self->plan = NULL;
    }
  self->made = status;
}

static bool
waits_for_plan (const UkCudnnShared *self)
{
  return self->has_plan && self->plan == NULL && self->made == UK_OK;
}

/* With the handle, which only one thread may use at a time. */
static void
make_graph (UkCudnnShared *self)
{
  UkCudnnDevice device = { .handle = self->backend->libraries->cudnn };

  if (self->graph == NULL)
    self->made = uk_cudnn_graph_new (&device, &self->problem, &self->graph);
}

/* Counts a new plan, and forgets an entry of the cache that was wrong. */
static void
note_plan (UkCudnnShared *self)
{
  UkCudaLibraries *libraries = self->backend->libraries;

  libraries->counts.n_finalized++;
  libraries->counts.n_compiled += self->was_compiled;
  if (self->made != UK_UNSUPPORTED)
    return;
  uk_plan_cache_lock (libraries->cache);
  uk_plan_cache_store (libraries->cache, self->key, WRONG);
  uk_plan_cache_unlock (libraries->cache);
}

static UkStatus
make_all_plans (UkCudaBackend *backend)
{
  UkCudnnShared **waiting, *plan;
  int n = 0;

  for (plan = backend->libraries->plans; plan != NULL; plan = plan->next)
    n += waits_for_plan (plan);
  waiting = calloc ((size_t) n, sizeof *waiting);
  if (waiting == NULL)
    return UK_NO_MEMORY;
  n = 0;
  for (plan = backend->libraries->plans; plan != NULL; plan = plan->next)
    if (waits_for_plan (plan))
      {
        waiting[n++] = plan;
        make_graph (plan);
      }
  uk_in_threads (backend, n, make_plan, waiting);
  for (int i = 0; i < n; i++)
    note_plan (waiting[i]);
  free (waiting);
  return UK_OK;
}

UkStatus
uk_cudnn_shared_make (UkCudnnShared *self)
{
  UkStatus status = waits_for_plan (self) ? make_all_plans (self->backend) : UK_OK;

  return status == UK_OK ? self->made : status;
}

UkStatus
uk_cudnn_shared_run (UkCudnnShared *self, const UkCudnnMemory *memory, void *workspace)
{
  UkStatus status = uk_cudnn_shared_make (self);

  return status == UK_OK ? uk_cudnn_plan_run (self->plan, memory, workspace) : status;
}

const UkCudnnProblem *
uk_cudnn_shared_get_problem (const UkCudnnShared *self)
{
  return &self->problem;
}

size_t
uk_cudnn_shared_get_workspace_bytes (const UkCudnnShared *self)
{
  return self->workspace_bytes;
}
