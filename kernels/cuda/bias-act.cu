/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias-act.cu - y = act (x + b), and its gradient, with the bias gradient in the same pass.
 *
 * Memory-bound.  Where channels do not matter (no bias, no sum), all values are treated as one channel.
 * The bias gradient is summed in two phases, by the same kernel: each block writes a row of sums to
 * scratch, and these rows are summed in turn.
 *
 * Softmax's reductions over a pixel are in softmax.cu.
 */
#include "kernels/cuda/rows.cuh"
#include "kernels/cuda/softmax.cuh"

/* Chunks per block in a row of sums: few, so that many blocks share the columns. */
enum { SUMS_TILE = 8 };

/* ------------------------------------------------------------------------ */
/* Forward                                                                   */

/* The bias of a chunk's channels. */
template <int WIDTH>
static __device__ __forceinline__ void
read_bias (const float *b, const UkRows &rows, int chunk, float out[WIDTH])
{
  int channel;

  if (rows.folds == 1)
    {
      uk_read_reals<WIDTH> (b + chunk * WIDTH, out);
      return;
    }
  uk_divide (chunk * WIDTH, rows.by_c, &channel);
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    {
      out[i] = b[channel];
      channel = channel + 1 == rows.c ? 0 : channel + 1;
    }
}

/* @b: (nullable) (c) */
template <typename T, int WIDTH, UkAct ACT>
static __global__ void
bias_act_kernel (T *y, const T *x, const float *b, UkRows rows, float slope)
{
  UkRowPlace place = uk_row_place (rows, uk_row_step (rows));
  UkChunk<T, WIDTH> chunks[UK_ROW_REPEATS];
  float bias[WIDTH] = { 0 };

  if (place.is_idle)
    return;
#pragma unroll
  for (int k = 0; k < UK_ROW_REPEATS; k++)
    if (place.row + k * rows.height < place.end)
      chunks[k] = uk_read<WIDTH> (
        x + ((place.row + k * rows.height) * rows.n_chunks + place.chunk) * WIDTH);
  if (b != NULL)
    read_bias<WIDTH> (b, rows, place.chunk, bias);
#pragma unroll
  for (int k = 0; k < UK_ROW_REPEATS; k++)
    if (place.row + k * rows.height < place.end)
      {
        float values[WIDTH];

        uk_unpack (chunks[k], values);
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
          values[i] = uk_act<ACT> (values[i] + bias[i], slope);
        uk_write (y + ((place.row + k * rows.height) * rows.n_chunks + place.chunk) * WIDTH,
                  uk_pack<T, WIDTH> (values));
      }
}

template <typename T, int WIDTH>
static UkStatus
launch_bias_act (UkCudaOp *op, T *y, const T *x, const float *b, UkRows rows)
{
  static void (*const kernels[]) (T *, const T *, const float *, UkRows, float) = {
    bias_act_kernel<T, WIDTH, UK_ACT_NONE>,       bias_act_kernel<T, WIDTH, UK_ACT_RELU>,
    bias_act_kernel<T, WIDTH, UK_ACT_LEAKY_RELU>, bias_act_kernel<T, WIDTH, UK_ACT_TANH>,
    bias_act_kernel<T, WIDTH, UK_ACT_SIGMOID>,
  };
  dim3 grid (uk_row_blocks (rows, uk_row_step (rows)), uk_row_tiles (rows));

  return uk_launch (op, kernels[op->base.desc.act], grid, UK_ROW_THREADS, y, x, b, rows,
                    op->base.desc.slope);
}

/* Uses only desc.y, act and slope, which a convolution also sets. */
template <typename T>
static UkStatus
run_bias_act (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int WIDTH = UkLane<T>::N;
  const T *x = (const T *) args[0];
  const float *b = (const float *) args[1];
  T *y = (T *) args[2];
  UkShape shape = op->base.desc.y;
  int64_t c = b != NULL ? shape.c : 1, n_pixels = uk_shape_count (shape) / c;

  if (op->base.desc.act == UK_ACT_SOFTMAX)
    return uk_cuda_softmax (op, y, x, b);
  if (op->base.desc.act == UK_ACT_NONE && b == NULL && x == y)
    return UK_OK;
  if (uk_are_aligned (x, y) && uk_rows_fit (n_pixels, c, WIDTH))
    return launch_bias_act<T, WIDTH> (op, y, x, b, uk_rows (n_pixels, c, WIDTH, UK_ROW_TILE));
  return launch_bias_act<T, 1> (op, y, x, b, uk_rows (n_pixels, c, 1, UK_ROW_TILE));
}

static UkStatus
prepare_bias_act (UkCudaOp *op)
{
  return op->base.desc.y.c <= UK_ROW_MAX_CHANNELS ? UK_OK : UK_UNSUPPORTED;
}

/* ------------------------------------------------------------------------ */
/* Backward                                                                  */

template <typename T> struct ActGrad
{
  const T     *y, *dy, *scale; /* (nullable) y, scale */
  const float *means;          /* (nullable) of softmax, per pixel */
  T           *dx;             /* (nullable) */
  float       *sums;           /* (nullable) (gridDim.x, c) */
  bool         adds;           /* to sums */
  float        slope;
  int64_t      span;           /* rows of a block */
  UkRows       rows;
  UkDivisor    per_sample;     /* rows */
};

/* act' of a chunk's values, and the mean to subtract from dy.  Only softmax depends on the pixel and
 * channel. */
template <typename T, int WIDTH, UkAct ACT>
static __device__ __forceinline__ void
differentiate (const ActGrad<T> &job, int64_t row, int chunk, float y[WIDTH], float mean[WIDTH])
{
  int64_t pixel = row * job.rows.folds;
  int channel;

  if (ACT == UK_ACT_SOFTMAX)
    pixel += uk_divide (chunk * WIDTH, job.rows.by_c, &channel);
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    if (ACT != UK_ACT_SOFTMAX)
      {
        y[i] = uk_act_slope<ACT> (y[i], job.slope);
        mean[i] = 0;
      }
    else
      {
        y[i] += 1;
        mean[i] = job.means[pixel];
        if (++channel == job.rows.c)
          {
            channel = 0;
            pixel++;
          }
      }
}

/* Writes dx and adds it to @sums. */
template <typename T, int WIDTH, UkAct ACT>
static __device__ __forceinline__ void
act_grad_chunk (const ActGrad<T> &job, int64_t row, int chunk, UkChunk<T, WIDTH> of_y,
                UkChunk<T, WIDTH> of_dy, float sums[WIDTH])
{
  float slope[WIDTH] = { 0 }, mean[WIDTH], dx[WIDTH], scale = 1;
  int rest;

  if (job.scale != NULL)
    scale = uk_to_float (job.scale[uk_divide ((int) row, job.per_sample, &rest)]);
  if (ACT != UK_ACT_NONE)
    uk_unpack (of_y, slope);
  uk_unpack (of_dy, dx);
  differentiate<T, WIDTH, ACT> (job, row, chunk, slope, mean);
#pragma unroll
  for (int i = 0; i < WIDTH; i++)
    {
      dx[i] = slope[i] * (dx[i] - mean[i]);
      sums[i] += scale * dx[i];
    }
  if (job.dx != NULL)
    uk_write (job.dx + (row * job.rows.n_chunks + chunk) * WIDTH, uk_pack<T, WIDTH> (dx));
}

/* Writes the block's sum for each of its channels, over all pixels of a row. */
template <int WIDTH>
static __device__ __forceinline__ void
store_sums (const UkRows &rows, const float part[WIDTH], bool adds, float *sums)
{
  __shared__ float shared[WIDTH][UK_ROW_THREADS];
  int first = blockIdx.y * rows.tile * WIDTH;
  int n_channels = rows.folds > 1 ? rows.c : rows.tile * WIDTH;

  uk_sum_columns<WIDTH> (rows, part, shared);
  for (int i = threadIdx.x; i < n_channels && first + i < rows.c; i += UK_ROW_THREADS)
    {
      float *to = sums + (int64_t) blockIdx.x * rows.c + first + i;
      float sum = 0;

      for (int column = i; column < rows.folds * n_channels; column += n_channels)
        sum += shared[column % WIDTH][column / WIDTH];
      *to = adds ? *to + sum : sum;
    }
}

template <typename T, int WIDTH, UkAct ACT>
static __global__ void
act_grad_kernel (ActGrad<T> job)
{
  UkRowPlace place = uk_row_place (job.rows, job.span);
  constexpr int AT_ONCE = ACT == UK_ACT_NONE ? 4 : 2; /* rows: the same number of reads with and without y */
  int64_t height = job.rows.height;
  float sums[WIDTH] = { 0 };

  for (int64_t row = place.row; row < place.end && !place.is_idle; row += AT_ONCE * height)
    {
      UkChunk<T, WIDTH> y[AT_ONCE], dy[AT_ONCE];

#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        if (row + k * height < place.end)
          {
            int64_t at = ((row + k * height) * job.rows.n_chunks + place.chunk) * WIDTH;

            dy[k] = uk_read<WIDTH> (job.dy + at);
            if (ACT != UK_ACT_NONE)
              y[k] = uk_read<WIDTH> (job.y + at);
          }
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        if (row + k * height < place.end)
          act_grad_chunk<T, WIDTH, ACT> (job, row + k * height, place.chunk, y[k], dy[k], sums);
    }
  if (job.sums != NULL)
    store_sums<WIDTH> (job.rows, sums, job.adds, job.sums);
}

template <typename T, int WIDTH>
static UkStatus
launch_act_grad (UkCudaOp *op, UkAct act, ActGrad<T> job)
{
  static void (*const kernels[]) (ActGrad<T>) = {
    act_grad_kernel<T, WIDTH, UK_ACT_NONE>,       act_grad_kernel<T, WIDTH, UK_ACT_RELU>,
    act_grad_kernel<T, WIDTH, UK_ACT_LEAKY_RELU>, act_grad_kernel<T, WIDTH, UK_ACT_TANH>,
    act_grad_kernel<T, WIDTH, UK_ACT_SIGMOID>,    act_grad_kernel<T, WIDTH, UK_ACT_SOFTMAX>,
  };
  dim3 grid (uk_row_blocks (job.rows, job.span), uk_row_tiles (job.rows));

  return uk_launch (op, kernels[act], grid, UK_ROW_THREADS, job);
}

/* Whether the result depends on which channel a value belongs to. */
static bool
needs_channels (const UkOpDesc *desc, const float *db)
{
  return db != NULL || desc->act == UK_ACT_SOFTMAX;
}

template <typename T, int WIDTH>
static UkStatus
run_act_grad_rows (UkCudaOp *op, ActGrad<T> job, float *db, float *parts)
{
  const UkOpDesc *desc = &op->base.desc;
  int64_t c = needs_channels (desc, db) ? desc->x.c : 1;
  UkStatus status;

  job.rows = uk_rows (uk_shape_count (desc->x) / c, c, WIDTH, UK_ROW_TILE);
  job.span = db != NULL ? uk_row_span (job.rows) : uk_row_step (job.rows);
  if (job.scale != NULL)
    job.per_sample = uk_divisor (desc->x.h * desc->x.w / job.rows.folds);
  if (db != NULL && uk_row_blocks (job.rows, job.span) == 1)
    {
      job.sums = db;
      job.adds = desc->accumulate;
      return launch_act_grad<T, WIDTH> (op, desc->act, job);
    }
  job.sums = db != NULL ? parts : NULL;
  status = launch_act_grad<T, WIDTH> (op, desc->act, job);
  if (status != UK_OK || db == NULL)
    return status;

  /* db (+)= the column sums of the parts */
  ActGrad<float> sum = {};

  sum.dy = parts;
  sum.sums = db;
  sum.adds = desc->accumulate;
  sum.span = uk_row_blocks (job.rows, job.span);
  sum.rows = uk_rows (sum.span, desc->x.c, 1, SUMS_TILE);
  return launch_act_grad<float, 1> (op, UK_ACT_NONE, sum);
}

/* Scratch: the blocks' partial sums of db, then softmax's means. */
static size_t
parts_bytes (const UkCudaOp *op)
{
  UkShape shape = op->base.desc.x;
  int64_t n_pixels = shape.n * shape.h * shape.w, most = 0;

  for (int width : { 1, uk_cuda_lanes (op) })
    if (uk_rows_fit (shape.h * shape.w, shape.c, width))
      {
        UkRows rows = uk_rows (n_pixels, shape.c, width, UK_ROW_TILE);
        int64_t n = uk_row_blocks (rows, uk_row_span (rows));

        most = n > most ? n : most;
      }
  return uk_cuda_align ((size_t) (most * shape.c) * sizeof (float));
}

template <typename T>
static UkStatus
run_act_grad (UkCudaOp *op, void *const *args, void *scratch)
{
  constexpr int WIDTH = UkLane<T>::N;
  const UkOpDesc *desc = &op->base.desc;
  UkShape shape = desc->x;
  float *db = (float *) args[3];
  T *dx = (T *) args[4];
  ActGrad<T> job = {};

  if ((desc->act != UK_ACT_NONE && (args[0] == NULL || dx == NULL)) || (db == NULL && dx == NULL))
    return UK_BAD_ARGUMENT;
  job.y = desc->act != UK_ACT_NONE ? (const T *) args[0] : NULL;
  job.dy = (const T *) args[1];
  job.scale = db != NULL ? (const T *) args[2] : NULL;
  job.slope = desc->slope;
  job.dx = desc->act == UK_ACT_NONE && dx == job.dy ? NULL : dx;
  if (job.dx == NULL && db == NULL)
    return UK_OK;
  if (desc->act == UK_ACT_SOFTMAX)
    {
      float *means = (float *) ((char *) scratch + parts_bytes (op));
      UkStatus status = uk_cuda_softmax_means (op, means, job.dy, job.y);

      if (status != UK_OK)
        return status;
      job.means = means;
    }
  if (uk_are_aligned (job.y, job.dy, job.dx)
      && (needs_channels (desc, db) ? uk_rows_fit (shape.h * shape.w, shape.c, WIDTH)
                                    : uk_shape_count (shape) % WIDTH == 0))
    return run_act_grad_rows<T, WIDTH> (op, job, db, (float *) scratch);
  return run_act_grad_rows<T, 1> (op, job, db, (float *) scratch);
}

static UkStatus
prepare_act_grad (UkCudaOp *op)
{
  UkShape shape = op->base.desc.x;
  int64_t n_pixels = shape.n * shape.h * shape.w;

  if (shape.c > UK_ROW_MAX_CHANNELS || !uk_fits_int (n_pixels))
    return UK_UNSUPPORTED;
  op->base.scratch_bytes = parts_bytes (op);
  if (op->base.desc.act == UK_ACT_SOFTMAX)
    op->base.scratch_bytes += (size_t) n_pixels * sizeof (float);
  return UK_OK;
}

const UkCudaKernel uk_cuda_bias_act = { .prepare = prepare_bias_act, .run = UK_RUN_ON_VALUES (run_bias_act) };
const UkCudaKernel uk_cuda_act_grad = { .prepare = prepare_act_grad, .run = UK_RUN_ON_VALUES (run_act_grad) };
