/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depthwise.cu - a weighted sum over the pixels, per channel, and its gradients.
 *
 *   y[n, c] = sum_p w[p, c] x[n, p, c]
 *   dx[n, p, c] = w[p, c] dy[n, c]
 *   dw[p, c] = sum_n x[n, p, c] dy[n, c]
 *
 * At most a few megabytes, so parallelism matters most: the threads of a block, which has few channels and
 * many pixels or samples, share a sum.
 *
 * Below, P is the number of pixels of a sample.
 */
#include "kernels/cuda/rows.cuh"

/* Chunks per block and row in sums: 128 contiguous bytes. */
enum { SUM_TILE = 8 };

/* The rows are the pixels; a block processes those of sample blockIdx.x. */
template <typename T, int WIDTH>
static __global__ void
depthwise_kernel (T *y, const T *x, const float *w, UkRows rows, int64_t n_pixels)
{
  __shared__ float shared[WIDTH][UK_ROW_THREADS];
  UkRowPlace place = uk_row_place (rows, n_pixels);
  float part[WIDTH] = { 0 };

#pragma unroll 2
  for (int64_t row = place.row; row < place.end && !place.is_idle; row += rows.height)
    {
      int64_t pixel = row - blockIdx.x * n_pixels;
      float of_x[WIDTH], of_w[WIDTH];

      uk_unpack (uk_read<WIDTH> (x + (row * rows.n_chunks + place.chunk) * WIDTH), of_x);
      uk_read_reals<WIDTH> (w + (pixel * rows.n_chunks + place.chunk) * WIDTH, of_w);
#pragma unroll
      for (int i = 0; i < WIDTH; i++)
        part[i] += of_w[i] * of_x[i];
    }
  uk_sum_columns<WIDTH> (rows, part, shared);
  if ((int) threadIdx.x < rows.tile && !place.is_idle)
    {
#pragma unroll
      for (int i = 0; i < WIDTH; i++)
        part[i] = shared[i][threadIdx.x];
      uk_write (y + ((int64_t) blockIdx.x * rows.n_chunks + place.chunk) * WIDTH,
                uk_pack<T, WIDTH> (part));
    }
}

/* The rows are the samples, of P c values each; @by_c divides by the chunks of a pixel. */
template <typename T, int WIDTH>
static __global__ void
depthwise_dgrad_kernel (T *dx, const T *dy, const float *w, UkRows rows, UkDivisor by_c)
{
  UkRowPlace place = uk_row_place (rows, uk_row_step (rows));
  UkChunk<T, WIDTH> chunks[UK_ROW_REPEATS];
  float of_w[WIDTH];
  int of_pixel;

  if (place.is_idle)
    return;
  uk_divide (place.chunk, by_c, &of_pixel);
#pragma unroll
  for (int k = 0; k < UK_ROW_REPEATS; k++)
    if (place.row + k * rows.height < place.end)
      chunks[k] = uk_read<WIDTH> (
        dy + ((place.row + k * rows.height) * by_c.divisor + of_pixel) * WIDTH);
  uk_read_reals<WIDTH> (w + place.chunk * WIDTH, of_w);
#pragma unroll
  for (int k = 0; k < UK_ROW_REPEATS; k++)
    if (place.row + k * rows.height < place.end)
      {
        float values[WIDTH];

        uk_unpack (chunks[k], values);
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
          values[i] *= of_w[i];
        uk_write (dx + ((place.row + k * rows.height) * rows.n_chunks + place.chunk) * WIDTH,
                  uk_pack<T, WIDTH> (values));
      }
}

/* Rows as in depthwise_dgrad_kernel(). */
template <typename T, int WIDTH>
static __global__ void
depthwise_wgrad_kernel (float *dw, const T *x, const T *dy, UkRows rows, UkDivisor by_c, bool adds)
{
  __shared__ float shared[WIDTH][UK_ROW_THREADS];
  UkRowPlace place = uk_row_place (rows, rows.n_rows);
  float part[WIDTH] = { 0 };
  int of_pixel;

  uk_divide (place.chunk, by_c, &of_pixel);
#pragma unroll 4
  for (int64_t row = place.row; row < place.end && !place.is_idle; row += rows.height)
    {
      float of_x[WIDTH], of_dy[WIDTH];

      uk_unpack (uk_read<WIDTH> (x + (row * rows.n_chunks + place.chunk) * WIDTH), of_x);
      uk_unpack (uk_read<WIDTH> (dy + (row * by_c.divisor + of_pixel) * WIDTH), of_dy);
#pragma unroll
      for (int i = 0; i < WIDTH; i++)
        part[i] += of_x[i] * of_dy[i];
    }
  uk_sum_columns<WIDTH> (rows, part, shared);
  if ((int) threadIdx.x < rows.tile && !place.is_idle)
    for (int i = 0; i < WIDTH; i++)
      {
        float *to = dw + place.chunk * WIDTH + i, sum = shared[i][threadIdx.x];

        *to = adds ? *to + sum : sum;
      }
}

/* ------------------------------------------------------------------------ */

template <typename T, int WIDTH>
static UkStatus
launch_depthwise (UkCudaOp *op, T *y, const T *x, const float *w)
{
  UkShape shape = op->base.desc.x;
  int64_t n_pixels = shape.h * shape.w;
  UkRows rows = uk_rows (shape.n * n_pixels, shape.c, WIDTH, SUM_TILE);
  dim3 grid (uk_row_blocks (rows, n_pixels), uk_row_tiles (rows));

  return uk_launch (op, depthwise_kernel<T, WIDTH>, grid, UK_ROW_THREADS, y, x, w, rows, n_pixels);
}

template <typename T, int WIDTH>
static UkStatus
launch_depthwise_dgrad (UkCudaOp *op, T *dx, const T *dy, const float *w)
{
  UkShape shape = op->base.desc.x;
  UkRows rows = uk_rows (shape.n, shape.h * shape.w * shape.c, WIDTH, UK_ROW_TILE);
  dim3 grid (uk_row_blocks (rows, uk_row_step (rows)), uk_row_tiles (rows));

  return uk_launch (op, depthwise_dgrad_kernel<T, WIDTH>, grid, UK_ROW_THREADS, dx, dy, w, rows,
                    uk_divisor (shape.c / WIDTH));
}

template <typename T, int WIDTH>
static UkStatus
launch_depthwise_wgrad (UkCudaOp *op, float *dw, const T *x, const T *dy)
{
  UkShape shape = op->base.desc.x;
  UkRows rows = uk_rows (shape.n, shape.h * shape.w * shape.c, WIDTH, SUM_TILE);
  dim3 grid (1, uk_row_tiles (rows));

  return uk_launch (op, depthwise_wgrad_kernel<T, WIDTH>, grid, UK_ROW_THREADS, dw, x, dy, rows,
                    uk_divisor (shape.c / WIDTH), op->base.desc.accumulate);
}

template <typename T>
static UkStatus
run_depthwise (UkCudaOp *op, void *const *args, void *scratch)
{
  const T *x = (const T *) args[0];
  const float *w = (const float *) args[1];
  T *y = (T *) args[2];

  if (op->base.desc.x.c % UkLane<T>::N == 0 && uk_are_aligned (x, y))
    return launch_depthwise<T, UkLane<T>::N> (op, y, x, w);
  return launch_depthwise<T, 1> (op, y, x, w);
}

template <typename T>
static UkStatus
run_depthwise_dgrad (UkCudaOp *op, void *const *args, void *scratch)
{
  const T *dy = (const T *) args[0];
  const float *w = (const float *) args[1];
  T *dx = (T *) args[2];

  if (op->base.desc.x.c % UkLane<T>::N == 0 && uk_are_aligned (dy, dx))
    return launch_depthwise_dgrad<T, UkLane<T>::N> (op, dx, dy, w);
  return launch_depthwise_dgrad<T, 1> (op, dx, dy, w);
}

template <typename T>
static UkStatus
run_depthwise_wgrad (UkCudaOp *op, void *const *args, void *scratch)
{
  const T *x = (const T *) args[0], *dy = (const T *) args[1];
  float *dw = (float *) args[2];

  if (op->base.desc.x.c % UkLane<T>::N == 0 && uk_are_aligned (x, dy))
    return launch_depthwise_wgrad<T, UkLane<T>::N> (op, dw, x, dy);
  return launch_depthwise_wgrad<T, 1> (op, dw, x, dy);
}

static UkStatus
prepare (UkCudaOp *op)
{
  UkShape shape = op->base.desc.x;

  return shape.h * shape.w * shape.c <= UK_ROW_MAX_CHANNELS ? UK_OK : UK_UNSUPPORTED;
}

const UkCudaKernel uk_cuda_depthwise = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run_depthwise) };
const UkCudaKernel uk_cuda_depthwise_dgrad = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run_depthwise_dgrad) };
const UkCudaKernel uk_cuda_depthwise_wgrad = { .prepare = prepare, .run = UK_RUN_ON_VALUES (run_depthwise_wgrad) };
