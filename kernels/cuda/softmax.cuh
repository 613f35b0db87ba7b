/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.cuh - UK_ACT_SOFTMAX, for operations that end in it; T is the type of @op's values. */
#pragma once

#include "kernels/cuda/launch.cuh"

/* y = 2 softmax (x + b) - 1 over the channels of desc.y; in place.  @b: (nullable). */
template <typename T> UkStatus uk_cuda_softmax (UkCudaOp *op, T *y, const T *x, const float *b);

/* Per pixel, the mean of @dy weighted by the probabilities p = (y + 1) / 2, so that
 *   dx_i = sum_j dy_j dy_j/dx_i = 2 p_i (dy_i - sum_j p_j dy_j) = (y_i + 1) (dy_i - mean).
 * @means: (desc.y.n h w) */
template <typename T>
UkStatus uk_cuda_softmax_means (UkCudaOp *op, float *means, const T *dy, const T *y);
