// SPDX-License-Identifier: Apache-2.0
// cublaslt.cc - products of matrices on the emulated GPU, column by column.
#include <cublasLt.h>

#include "emulated-private.h"
#include "kernels/uk-half.h"

#include <cmath>
#include <cstring>

enum { N_CHOICES = 2 };

struct cublasLtMatrixLayout
{
  cudaDataType_t type;
  int64_t        rows, columns, stride;
};

struct cublasLtMatmulDesc
{
  int32_t  trans_a, trans_b;
  uint32_t epilogue;
  void    *bias;
};

struct cublasLtMatmulPreference
{
  uint64_t workspace_bytes;
};

size_t
cublasLtGetVersion (void)
{
  return 130000;
}

const char *
cublasLtGetStatusString (cublasStatus_t status)
{
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS" : "CUBLAS_STATUS_NOT_SUPPORTED";
}

cublasStatus_t
cublasLtCreate (cublasLtHandle_t *handle)
{
  *handle = (cublasLtHandle_t) new char;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtDestroy (cublasLtHandle_t handle)
{
  delete (char *) handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutCreate (cublasLtMatrixLayout_t *layout, cudaDataType_t type, uint64_t rows,
                            uint64_t columns, int64_t stride)
{
  *layout = new cublasLtMatrixLayout { type, (int64_t) rows, (int64_t) columns, stride };
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutDestroy (cublasLtMatrixLayout_t layout)
{
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescCreate (cublasLtMatmulDesc_t *desc, cublasComputeType_t, cudaDataType_t)
{
  *desc = new cublasLtMatmulDesc { CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, NULL };
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescDestroy (cublasLtMatmulDesc_t desc)
{
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulDescSetAttribute (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name,
                                const void *value, size_t size)
{
  void *field = name == CUBLASLT_MATMUL_DESC_TRANSA     ? (void *) &desc->trans_a
                : name == CUBLASLT_MATMUL_DESC_TRANSB   ? (void *) &desc->trans_b
                : name == CUBLASLT_MATMUL_DESC_EPILOGUE ? (void *) &desc->epilogue
                                                        : (void *) &desc->bias;

  if (size != (field == &desc->bias ? sizeof (void *) : sizeof (int32_t)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  memcpy (field, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate (cublasLtMatmulPreference_t *preference)
{
  *preference = new cublasLtMatmulPreference { 0 };
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy (cublasLtMatmulPreference_t preference)
{
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceSetAttribute (cublasLtMatmulPreference_t preference,
                                      cublasLtMatmulPreferenceAttributes_t name, const void *value, size_t size)
{
  if (name == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && size == sizeof preference->workspace_bytes)
    memcpy (&preference->workspace_bytes, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

// The second choice wants a workspace, and does the same.
cublasStatus_t
cublasLtMatmulAlgoGetHeuristic (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t a,
                                cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                cublasLtMatmulPreference_t preference, int max,
                                cublasLtMatmulHeuristicResult_t *results, int *n_results)
{
  *n_results = 0;
  if (a->type != b->type || (d->type != a->type && d->type != CUDA_R_32F))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (int i = 0; i < N_CHOICES && i < max; i++)
    {
      size_t bytes = (size_t) i << 10;

      if (bytes > preference->workspace_bytes)
        break;
      results[i] = { { { (uint64_t) i } }, bytes, CUBLAS_STATUS_SUCCESS, 1 };
      (*n_results)++;
    }
  return CUBLAS_STATUS_SUCCESS;
}

// Of the types other than CUDA_R_32F.
static UkDataType
half_type (const cublasLtMatrixLayout &layout)
{
  return layout.type == CUDA_R_16F ? UK_DATA_F16 : UK_DATA_BF16;
}

static float
get (const void *memory, const cublasLtMatrixLayout &layout, int64_t row, int64_t column)
{
  int64_t at = row + column * layout.stride;

  return layout.type == CUDA_R_32F ? ((const float *) memory)[at]
                                   : uk_from_half (half_type (layout), ((const uint16_t *) memory)[at]);
}

static void
multiply (const cublasLtMatmulDesc &desc, const void *a, const cublasLtMatrixLayout &a_layout, const void *b,
          const cublasLtMatrixLayout &b_layout, void *d, const cublasLtMatrixLayout &d_layout)
{
  bool trans_a = desc.trans_a == CUBLAS_OP_T, trans_b = desc.trans_b == CUBLAS_OP_T;
  bool has_bias = (desc.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0, relu = (desc.epilogue & CUBLASLT_EPILOGUE_RELU) != 0;
  int64_t depth = trans_a ? a_layout.rows : a_layout.columns;

  for (int64_t column = 0; column < d_layout.columns; column++)
    for (int64_t row = 0; row < d_layout.rows; row++)
      {
        int64_t at = row + column * d_layout.stride;
        float sum = 0;

        for (int64_t k = 0; k < depth; k++)
          sum += (trans_a ? get (a, a_layout, k, row) : get (a, a_layout, row, k))
                 * (trans_b ? get (b, b_layout, column, k) : get (b, b_layout, k, column));
        if (has_bias)
          sum += ((const float *) desc.bias)[row];
        if (relu)
          sum = fmaxf (sum, 0);
        if (d_layout.type == CUDA_R_32F)
          ((float *) d)[at] = sum;
        else
          ((uint16_t *) d)[at] = uk_to_half (half_type (d_layout), sum);
      }
}

cublasStatus_t
cublasLtMatmul (cublasLtHandle_t, cublasLtMatmulDesc_t desc, const void *, const void *a,
                cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout, const void *,
                const void *, cublasLtMatrixLayout_t, void *d, cublasLtMatrixLayout_t d_layout,
                const cublasLtMatmulAlgo_t *algo, void *, size_t workspace_bytes, cudaStream_t stream)
{
  cublasLtMatmulDesc now = *desc;
  cublasLtMatrixLayout al = *a_layout, bl = *b_layout, dl = *d_layout;

  if (algo->data[0] >= N_CHOICES || workspace_bytes < algo->data[0] << 10)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return uk_emulated_launch (stream, dim3 (1), dim3 (1), [=] { multiply (now, a, al, b, bl, d, dl); }) == cudaSuccess
           ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
