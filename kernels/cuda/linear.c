/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear.c - convolutions that are matrix products, with cuBLASLt.
 *
 * There are two kinds: a kernel of one pixel, and a kernel as large as the large image, so that the small
 * one is a single pixel (the last layer of a discriminator; reversed, the first of a generator).  With p
 * pixels of the small image, s its channels, and l the values of the large image per small pixel (a whole
 * sample in the second kind), row-major:
 *
 *   GATHER   small (p, s) = large (p, l) * w (s, l)^T
 *   SCATTER  large (p, l) = small (p, s) * w (s, l)
 *   OUTER    w (s, l)     = small (p, s)^T * large (p, l)
 *
 * cuBLASLt is column-major, so it sees every matrix transposed, with the factors swapped.
 */
#include "kernels/cuda/libraries-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  MAX_CHOICES = 8,
  ALIGN_BYTES = 16
};

static const size_t MAX_WORKSPACE_BYTES = 32u << 20; /* NVIDIA's recommendation for Hopper */

typedef struct
{
  int64_t p, s, l;
} Sizes;

/* A product, with or without a bias. */
typedef struct
{
  cublasLtMatmulDesc_t desc; /* owned, (nullable) */
  cublasLtMatmulAlgo_t algo;
  size_t               workspace_bytes;
} Product;

struct _UkLinear
{
  UkLinear              *next;
  char                  *key; /* owned */
  UkCudaBackend         *backend; /* borrowed */
  UkConvWay              way;
  bool                   has_epilogue; /* the products include bias and activation */
  cublasLtMatrixLayout_t a, b, d;
  Product                products[2]; /* without and with a bias */
};

/* ------------------------------------------------------------------------ */
/* Shapes                                                                    */

static bool
find_sizes (const UkConvShape *shape, Sizes *out)
{
  const UkShape *small = &shape->small, *large = &shape->large;

  if (shape->pad != 0)
    return false;
  if (shape->kernel == 1 && shape->stride == 1)
    {
      *out = (Sizes) { small->n * small->h * small->w, small->c, large->c };
      return true;
    }
  if (small->h == 1 && small->w == 1 && large->h == shape->kernel && large->w == shape->kernel)
    {
      *out = (Sizes) { small->n, small->c, large->h * large->w * large->c };
      return true;
    }
  return false;
}

static bool
make_layouts (UkLinear *self, const Sizes *sizes, UkDataType data)
{
  cudaDataType_t type = data == UK_DATA_BF16 ? CUDA_R_16BF : data == UK_DATA_F16 ? CUDA_R_16F : CUDA_R_32F;
  uint64_t p = (uint64_t) sizes->p, s = (uint64_t) sizes->s, l = (uint64_t) sizes->l;
  cublasLtMatrixLayout_t *small = self->way == UK_CONV_GATHER ? &self->d : &self->b;
  cublasLtMatrixLayout_t *large = self->way == UK_CONV_GATHER    ? &self->b
                                  : self->way == UK_CONV_SCATTER ? &self->d
                                                                 : &self->a;
  cublasLtMatrixLayout_t *w = self->way == UK_CONV_OUTER ? &self->d : &self->a;

  return cublasLtMatrixLayoutCreate (small, type, s, p, (int64_t) s) == CUBLAS_STATUS_SUCCESS
         && cublasLtMatrixLayoutCreate (large, type, l, p, (int64_t) l) == CUBLAS_STATUS_SUCCESS
         && cublasLtMatrixLayoutCreate (w, self->way == UK_CONV_OUTER ? CUDA_R_32F : type, l, s,
                                        (int64_t) l) == CUBLAS_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------------ */
/* Products                                                                  */

static bool
set_desc (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name, const void *value,
          size_t size)
{
  return cublasLtMatmulDescSetAttribute (desc, name, value, size) == CUBLAS_STATUS_SUCCESS;
}

static bool
make_desc (const UkLinear *self, const UkOpDesc *desc, bool has_bias, cublasLtMatmulDesc_t *out)
{
  cublasComputeType_t compute = self->backend->precision == UK_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                    : CUBLAS_COMPUTE_32F;
  int32_t trans_a = self->way == UK_CONV_GATHER ? CUBLAS_OP_T : CUBLAS_OP_N;
  int32_t trans_b = self->way == UK_CONV_OUTER ? CUBLAS_OP_T : CUBLAS_OP_N;
  bool relu = self->has_epilogue && desc->kind == UK_OP_CONV && desc->act == UK_ACT_RELU;
  uint32_t epilogue = self->has_epilogue && has_bias
                        ? (relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS)
                        : (relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT);
  /* A placeholder, whose alignment selects kernels; each run sets the real one. */
  const void *bias = (const void *) (uintptr_t) ALIGN_BYTES;

  if (cublasLtMatmulDescCreate (out, compute, CUDA_R_32F) != CUBLAS_STATUS_SUCCESS)
    {
      *out = NULL;
      return false;
    }
  return set_desc (*out, CUBLASLT_MATMUL_DESC_TRANSA, &trans_a, sizeof trans_a)
         && set_desc (*out, CUBLASLT_MATMUL_DESC_TRANSB, &trans_b, sizeof trans_b)
         && set_desc (*out, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue)
         && (!has_bias
             || set_desc (*out, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
}

/* Partial sums are added in float: 16 bits would not be fp32, and in-place addition would round to the
 * output's type each time. */
static bool
set_preference (cublasLtMatmulPreference_t preference, size_t max_workspace)
{
  static const cublasLtMatmulPreferenceAttributes_t alignments[] = {
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES,
  };
  uint64_t workspace = max_workspace;
  uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, alignment = ALIGN_BYTES;
  bool ok = cublasLtMatmulPreferenceSetAttribute (preference,
                                                  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &workspace, sizeof workspace)
              == CUBLAS_STATUS_SUCCESS
            && cublasLtMatmulPreferenceSetAttribute (preference,
                                                     CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                     &schemes, sizeof schemes)
                 == CUBLAS_STATUS_SUCCESS;

  for (int i = 0; ok && i < 4; i++)
    ok = cublasLtMatmulPreferenceSetAttribute (preference, alignments[i], &alignment,
                                               sizeof alignment) == CUBLAS_STATUS_SUCCESS;
  return ok;
}

/* cuBLASLt's proposals for @product, best guess first; deterministic for a device and library version.
 * Returns their number. */
static int
get_choices (const UkLinear *self, const Product *product,
             cublasLtMatmulHeuristicResult_t choices[MAX_CHOICES])
{
  const UkCudaLibraries *libraries = self->backend->libraries;
  size_t limit = libraries->workspace_limit < MAX_WORKSPACE_BYTES ? libraries->workspace_limit
                                                                  : MAX_WORKSPACE_BYTES;
  cublasLtMatmulPreference_t preference = NULL;
  int n_choices = 0;

  if (cublasLtMatmulPreferenceCreate (&preference) != CUBLAS_STATUS_SUCCESS)
    return 0;
  if (!set_preference (preference, limit)
      || cublasLtMatmulAlgoGetHeuristic (libraries->blas, product->desc, self->a, self->b, self->d,
                                         self->d, preference, MAX_CHOICES, choices, &n_choices)
           != CUBLAS_STATUS_SUCCESS)
    n_choices = 0;
  cublasLtMatmulPreferenceDestroy (preference);
  return n_choices;
}

/* ------------------------------------------------------------------------ */
/* Timing                                                                    */

typedef struct
{
  UkLinear *linear;
  Product  *product;
  bool      has_bias;
  UkTrial   trial;
  void     *workspace; /* owned */
} Timing;

static UkStatus
run_product (const UkLinear *self, const Product *product, const UkConvMemory *memory,
             const float *bias, void *workspace)
{
  float one = 1, zero = 0;
  void *a = self->way == UK_CONV_OUTER ? memory->large : memory->w;
  void *b = self->way == UK_CONV_GATHER ? memory->large : memory->small;
  void *d = self->way == UK_CONV_GATHER    ? memory->small
            : self->way == UK_CONV_SCATTER ? memory->large
                                           : memory->w;

  if (bias != NULL
      && !set_desc (product->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias))
    return UK_DEVICE_ERROR;
  return cublasLtMatmul (self->backend->libraries->blas, product->desc, &one, a, self->a, b,
                         self->b, &zero, d, self->d, d, self->d, &product->algo, workspace,
                         product->workspace_bytes, self->backend->stream) == CUBLAS_STATUS_SUCCESS
           ? UK_OK
           : UK_DEVICE_ERROR;
}

typedef enum { SMALL, LARGE, WEIGHTS, BIAS, N_BUFFERS } Buffer;

static UkStatus
run_timed (void *data)
{
  Timing *timing = data;
  UkConvMemory memory = {
    .small = uk_trial_get (&timing->trial, SMALL),
    .large = uk_trial_get (&timing->trial, LARGE),
    .w = uk_trial_get (&timing->trial, WEIGHTS),
  };
  float *bias = timing->has_bias ? uk_trial_get (&timing->trial, BIAS) : NULL;

  uk_trial_turn (&timing->trial);
  return run_product (timing->linear, timing->product, &memory, bias, timing->workspace);
}

static bool
open_trial (Timing *timing, const Sizes *sizes)
{
  UkCudaBackend *backend = timing->linear->backend;
  UkDataType type = backend->base.value_type;
  size_t size = uk_data_size (type);
  const UkTrialBuffer buffers[N_BUFFERS] = {
    [SMALL] = { (size_t) (sizes->p * sizes->s) * size, type },
    [LARGE] = { (size_t) (sizes->p * sizes->l) * size, type },
    [WEIGHTS] = { (size_t) (sizes->s * sizes->l) * sizeof (float), type },
    [BIAS] = { (size_t) (sizes->s + sizes->l) * sizeof (float), UK_DATA_F32 },
  };

  return uk_trial_open (&timing->trial, backend, buffers, N_BUFFERS)
         && cudaMalloc (&timing->workspace, MAX_WORKSPACE_BYTES) == cudaSuccess;
}

static void
use_choice (Product *product, const cublasLtMatmulHeuristicResult_t *choice)
{
  product->algo = choice->algo;
  product->workspace_bytes = choice->workspaceSize;
}

/* Index of the fastest choice; -1 if nothing could be timed. */
static int
time_choices (UkLinear *self, Product *product, const Sizes *sizes, bool has_bias,
              const cublasLtMatmulHeuristicResult_t *choices, int n_choices)
{
  Timing timing = { .linear = self, .product = product, .has_bias = has_bias };
  bool ok = open_trial (&timing, sizes);
  double best = 0;
  int winner = -1;

  for (int i = 0; ok && i < n_choices; i++)
    {
      double ms;

      if (choices[i].state != CUBLAS_STATUS_SUCCESS
          || choices[i].workspaceSize > MAX_WORKSPACE_BYTES)
        continue;
      use_choice (product, &choices[i]);
      ms = uk_time_on_gpu (self->backend, run_timed, &timing, best);
      if (ms >= 0 && (winner < 0 || ms < best))
        {
          winner = i;
          best = ms;
        }
    }
  cudaFree (timing.workspace);
  uk_trial_close (&timing.trial);
  cudaGetLastError (); /* clears a failed allocation */
  return winner;
}

static int
find_cached (UkPlanCache *cache, const char *key, int n_choices)
{
  char text[UK_PLAN_CACHE_MAX_TEXT];

  if (!uk_plan_cache_find (cache, key, text) || text[0] < '0' || text[0] >= '0' + n_choices
      || text[1] != '\0')
    return -1;
  return text[0] - '0';
}

static void
write_key (const UkLinear *self, const UkOpDesc *desc, const Sizes *sizes, char *text)
{
  static const char *const ways[] = { "gather", "scatter", "outer" };

  snprintf (text, UK_PLAN_CACHE_MAX_TEXT, "linear %s %lld %lld %lld %s act %d", ways[self->way],
            (long long) sizes->p, (long long) sizes->s, (long long) sizes->l,
            uk_precision_name (self->backend->precision), self->has_epilogue ? (int) desc->act : -1);
}

/* False if cuBLASLt does not support it. */
static bool
choose (UkLinear *self, const UkOpDesc *desc, const Sizes *sizes, bool has_bias)
{
  UkPlanCache *cache = self->backend->libraries->cache;
  Product *product = &self->products[has_bias];
  cublasLtMatmulHeuristicResult_t choices[MAX_CHOICES];
  char key[UK_PLAN_CACHE_MAX_TEXT];
  int n_choices, choice;

  if (!make_desc (self, desc, has_bias, &product->desc))
    return false;
  n_choices = get_choices (self, product, choices);
  if (n_choices <= 0)
    return false;
  write_key (self, desc, sizes, key);
  strcat (key, has_bias ? " bias" : "");
  uk_plan_cache_lock (cache);
  choice = find_cached (cache, key, n_choices);
  if (choice < 0)
    {
      choice = time_choices (self, product, sizes, has_bias, choices, n_choices);
      self->backend->libraries->counts.n_timed++;
      if (choice >= 0)
        uk_plan_cache_store (cache, key, (char[]) { (char) ('0' + choice), '\0' });
    }
  uk_plan_cache_unlock (cache);
  choice = choice >= 0 ? choice : 0;
  use_choice (product, &choices[choice]);
  return choices[choice].state == CUBLAS_STATUS_SUCCESS;
}

static void
clear_product (Product *product)
{
  if (product->desc != NULL)
    cublasLtMatmulDescDestroy (product->desc);
  *product = (Product) { 0 };
}

/* ------------------------------------------------------------------------ */
/* Interface                                                                 */

/* cuBLASLt's bias has the output's type and is added per column of a row.  So in 16 bits, and where an
 * output channel is spread over taps, the bias is a separate operation.  Of the activations it supports
 * only ReLU. */
static bool
can_fuse (const UkCudaOp *op, const UkConvShape *shape)
{
  const UkOpDesc *desc = &op->base.desc;

  return desc->kind == UK_OP_CONV && op->type == UK_DATA_F32
         && (desc->act == UK_ACT_NONE || desc->act == UK_ACT_RELU)
         && (shape->way == UK_CONV_GATHER || shape->kernel == 1);
}

/* @self has its key, way and epilogue. */
static bool
make (UkLinear *self, const UkCudaOp *op, const Sizes *sizes)
{
  const UkOpDesc *desc = &op->base.desc;

  if (!make_layouts (self, sizes, op->type))
    return false;
  /* With a bias first: if that fails nothing may be fused, or the activation would precede the bias. */
  if (self->has_epilogue && !choose (self, desc, sizes, true))
    {
      clear_product (&self->products[true]);
      self->has_epilogue = false;
    }
  return choose (self, desc, sizes, false);
}

static UkLinear *
find_known (const UkCudaLibraries *libraries, const char *key)
{
  UkLinear *known = libraries->products;

  while (known != NULL && strcmp (known->key, key) != 0)
    known = known->next;
  return known;
}

UkStatus
uk_linear_find (UkCudaOp *op, const UkConvShape *shape, UkLinear **out)
{
  UkCudaLibraries *libraries = uk_cuda_backend_of (op)->libraries;
  char key[UK_PLAN_CACHE_MAX_TEXT];
  UkLinear *self;
  Sizes sizes;

  if (!find_sizes (shape, &sizes))
    return UK_UNSUPPORTED;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return UK_NO_MEMORY;
  self->backend = uk_cuda_backend_of (op);
  self->way = shape->way;
  self->has_epilogue = can_fuse (op, shape);
  write_key (self, &op->base.desc, &sizes, key);
  *out = find_known (libraries, key);
  if (*out != NULL)
    {
      uk_linear_free (self);
      return UK_OK;
    }
  self->key = strdup (key);
  if (self->key == NULL || !make (self, op, &sizes))
    {
      uk_linear_free (self);
      return UK_UNSUPPORTED;
    }
  self->next = libraries->products;
  libraries->products = self;
  *out = self;
  return UK_OK;
}

static void
free_one (UkLinear *self)
{
  for (int i = 0; i < 2; i++)
    clear_product (&self->products[i]);
  if (self->a != NULL)
    cublasLtMatrixLayoutDestroy (self->a);
  if (self->b != NULL)
    cublasLtMatrixLayoutDestroy (self->b);
  if (self->d != NULL)
    cublasLtMatrixLayoutDestroy (self->d);
  free (self->key);
  free (self);
}

void
uk_linear_free (UkLinear *list)
{
  while (list != NULL)
    {
      UkLinear *next = list->next;

      free_one (list);
      list = next;
    }
}

size_t
uk_linear_get_workspace_bytes (const UkLinear *self)
{
  size_t without = self->products[false].workspace_bytes;
  size_t with = self->products[true].workspace_bytes;

  return without > with ? without : with;
}

bool
uk_linear_is_fused (const UkLinear *self)
{
  return self->has_epilogue;
}

UkStatus
uk_linear_run (UkLinear *self, const UkConvMemory *memory, const float *bias, void *workspace)
{
  return run_product (self, &self->products[bias != NULL], memory, bias, workspace);
}
