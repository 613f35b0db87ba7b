/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor-core.cuh - products of small matrices of bfloat16 or fp16, computed by a warp on its tensor cores, from
 * compute capability 8.0 on.
 *
 * All lanes of a warp take part in each call.  The elements that a lane holds, from "Warp Level Matrix
 * Instructions" in NVIDIA's manual of PTX; with row = lane / 4 and pair = lane % 4 * 2:
 *
 *   left    16 x 16  [0] (row, pair), [1] (row + 8, pair), [2] (row, pair + 8), [3] (row + 8, pair + 8)
 *   right   16 x 8   [0] (pair, row), [1] (pair + 8, row): a column index is `row`
 *   sums    16 x 8   [0] (row, pair), [1] (row, pair + 1), [2] (row + 8, pair), [3] (row + 8, pair + 1)
 *
 * A word of a factor holds the named element in its low half, and in its high half the next one along the
 * dimension that is summed over.
 */
#pragma once

#include "kernels/cuda/device.cuh"

#include <type_traits>

#ifdef UK_EMULATED_GPU
#include "emulated-tensor-core.h"
#else

#define UK_MULTIPLY_ADD(type)                                                                      \
  asm ("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, "            \
       "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                             \
       : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                \
       : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]))

/* sums += left * right, with factors of type T */
template <typename T>
static __device__ __forceinline__ void
uk_multiply_add (float sums[4], const uint32_t left[4], const uint32_t right[2])
{
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, __half>)
    UK_MULTIPLY_ADD ("f16");
  else
    UK_MULTIPLY_ADD ("bf16");
#else
  __trap ();
#endif
}

/* Reads four matrices of 8 x 8 from shared memory.  Lanes 8 i to 8 i + 7 pass the rows of matrix i, each 16
 * bytes and aligned to that; word i of a lane is elements (row, pair) and (row, pair + 1) of matrix i. */
static __device__ __forceinline__ void
uk_read_matrices (uint32_t words[4], const void *own_row)
{
  unsigned at = (unsigned) __cvta_generic_to_shared (own_row);

  asm volatile ("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                : "r"(at)
                : "memory");
}

/* The same, transposed: elements (pair, row) and (pair + 1, row). */
static __device__ __forceinline__ void
uk_read_matrices_transposed (uint32_t words[4], const void *own_row)
{
  unsigned at = (unsigned) __cvta_generic_to_shared (own_row);

  asm volatile ("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                : "r"(at)
                : "memory");
}

#endif
