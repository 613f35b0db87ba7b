/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vector.cuh - V values at a time, as floats: chunks of sixteen bytes, or single values where a pointer or
 * a count requires that.  Kernels are written once, for both.
 */
#pragma once

#include "kernels/cuda/chunk.cuh"

template <int V, typename T>
static __device__ __forceinline__ void
uk_load_vector (const T *at, float out[V])
{
  uk_unpack<T, V> (uk_read<V> (at), out);
}

template <int V, typename T>
static __device__ __forceinline__ void
uk_store_vector (T *at, const float in[V])
{
  uk_write<T, V> (at, uk_pack<T, V> (in));
}
