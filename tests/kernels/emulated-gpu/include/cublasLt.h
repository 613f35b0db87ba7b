/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cublasLt.h - the part of cuBLASLt that the project uses, for the emulated GPU; names and values are
 * cuBLASLt's.  ../README.md lists the differences.
 */
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_SUPPORTED = 15
} cublasStatus_t;

typedef enum
{
  CUDA_R_32F = 0,
  CUDA_R_16F = 2,
  CUDA_R_16BF = 14
} cudaDataType_t;

typedef enum
{
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;

typedef enum
{
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1
} cublasOperation_t;

typedef enum
{
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6
} cublasLtEpilogue_t;

typedef enum
{
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
} cublasLtMatmulDescAttributes_t;

typedef enum
{
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
} cublasLtMatmulPreferenceAttributes_t;

typedef enum
{
  CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2
} cublasLtReductionScheme_t;

typedef struct cublasLtContext          *cublasLtHandle_t;
typedef struct cublasLtMatrixLayout     *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulDesc       *cublasLtMatmulDesc_t;
typedef struct cublasLtMatmulPreference *cublasLtMatmulPreference_t;

typedef struct
{
  uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef struct
{
  cublasLtMatmulAlgo_t algo;
  size_t               workspaceSize;
  cublasStatus_t       state;
  float                wavesCount;
} cublasLtMatmulHeuristicResult_t;

size_t         cublasLtGetVersion      (void);
const char    *cublasLtGetStatusString (cublasStatus_t status);
cublasStatus_t cublasLtCreate          (cublasLtHandle_t *handle);
cublasStatus_t cublasLtDestroy         (cublasLtHandle_t handle);

cublasStatus_t cublasLtMatrixLayoutCreate  (cublasLtMatrixLayout_t *layout, cudaDataType_t type, uint64_t rows,
                                            uint64_t columns, int64_t stride);
cublasStatus_t cublasLtMatrixLayoutDestroy (cublasLtMatrixLayout_t layout);
cublasStatus_t cublasLtMatmulDescCreate    (cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                            cudaDataType_t scale);
cublasStatus_t cublasLtMatmulDescDestroy   (cublasLtMatmulDesc_t desc);
cublasStatus_t cublasLtMatmulDescSetAttribute (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name,
                                               const void *value, size_t size);
cublasStatus_t cublasLtMatmulPreferenceCreate  (cublasLtMatmulPreference_t *preference);
cublasStatus_t cublasLtMatmulPreferenceDestroy (cublasLtMatmulPreference_t preference);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute (cublasLtMatmulPreference_t preference,
                                                     cublasLtMatmulPreferenceAttributes_t name,
                                                     const void *value, size_t size);
cublasStatus_t cublasLtMatmulAlgoGetHeuristic (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                               cublasLtMatmulPreference_t preference, int max,
                                               cublasLtMatmulHeuristicResult_t *results, int *n_results);
cublasStatus_t cublasLtMatmul (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                               const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                               cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                               cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                               const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspace_bytes,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
