/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emulated-tensor-core.h - kernels/cuda/tensor-core.cuh for the emulated GPU: lanes show each other their
 * operands between two barriers of the warp.
 */
#pragma once

enum { UK_EMULATED_MAX_THREADS = 1024 };

typedef struct
{
  uint32_t       left[4], right[2];
  const uint16_t *row;
} UkEmulatedOperands;

/* One block runs at a time. */
static UkEmulatedOperands uk_emulated_operands[UK_EMULATED_MAX_THREADS];

static inline UkEmulatedOperands *
uk_emulated_warp_operands (void)
{
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

  return uk_emulated_operands + thread / 32 * 32;
}

static inline int
uk_emulated_lane (void)
{
  return (int) ((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}

/* The half of @word for an even or odd index, as a float. */
template <typename T>
static inline float
uk_emulated_half (uint32_t word, int index)
{
  float2 both = UkHalf<T>::unpack (word);

  return index % 2 == 0 ? both.x : both.y;
}

/* Element (row, k) of the left factor; element (k, column) of the right one. */
template <typename T>
static inline float
uk_emulated_left (const UkEmulatedOperands *warp, int row, int k)
{
  return uk_emulated_half<T> (warp[row % 8 * 4 + k % 8 / 2].left[row / 8 + k / 8 * 2], k);
}

template <typename T>
static inline float
uk_emulated_right (const UkEmulatedOperands *warp, int k, int column)
{
  return uk_emulated_half<T> (warp[column * 4 + k % 8 / 2].right[k / 8], k);
}

template <typename T>
static inline void
uk_multiply_add (float sums[4], const uint32_t left[4], const uint32_t right[2])
{
  UkEmulatedOperands *warp = uk_emulated_warp_operands ();
  int lane = uk_emulated_lane ();

  memcpy (warp[lane].left, left, sizeof warp[lane].left);
  memcpy (warp[lane].right, right, sizeof warp[lane].right);
  __syncwarp ();
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 16; k++)
      sums[i] += uk_emulated_left<T> (warp, lane / 4 + i / 2 * 8, k)
                 * uk_emulated_right<T> (warp, k, lane % 4 * 2 + i % 2);
  __syncwarp ();
}

static inline void
uk_emulated_read_matrices (uint32_t words[4], const void *own_row, bool is_transposed)
{
  UkEmulatedOperands *warp = uk_emulated_warp_operands ();
  int lane = uk_emulated_lane (), row = lane / 4, pair = lane % 4 * 2;

  if ((uintptr_t) own_row % 16 != 0)
    abort ();
  warp[lane].row = (const uint16_t *) own_row;
  __syncwarp ();
  for (int i = 0; i < 4; i++)
    {
      const UkEmulatedOperands *rows = warp + 8 * i;

      words[i] = is_transposed ? rows[pair].row[row] | (uint32_t) rows[pair + 1].row[row] << 16
                               : rows[row].row[pair] | (uint32_t) rows[row].row[pair + 1] << 16;
    }
  __syncwarp ();
}

static inline void
uk_read_matrices (uint32_t words[4], const void *own_row)
{
  uk_emulated_read_matrices (words, own_row, false);
}

static inline void
uk_read_matrices_transposed (uint32_t words[4], const void *own_row)
{
  uk_emulated_read_matrices (words, own_row, true);
}
