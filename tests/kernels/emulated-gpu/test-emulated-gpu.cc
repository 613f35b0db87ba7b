/* SPDX-License-Identifier: Apache-2.0 */
/* test-emulated-gpu.cc - tests the emulated GPU itself: its results and its error reports. */
#include "kernels/cuda/chunk.cuh"
#include "kernels/cuda/device.cuh"

#include "emulated-gpu.h"

#include <glib.h>
#include <sys/wait.h>
#include <unistd.h>

#define assert_cuda(call, expected)                                                                \
  g_assert_cmpstr (cudaGetErrorName (call), ==, cudaGetErrorName (expected))
#define assert_ok(call) assert_cuda (call, cudaSuccess)

/* ------------------------------------------------------------------------ */
/* Stands in for kernels/cuda/backend.c                                      */

static UkCudaBackend backend;
static UkCudaOp op;

UkStatus
uk_cuda_check (UkCudaBackend *self, cudaError_t error, const char *what)
{
  return error == cudaSuccess ? UK_OK : UK_DEVICE_ERROR;
}

static cudaStream_t
new_stream (void)
{
  cudaStream_t stream;

  assert_ok (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  return stream;
}

static void
open_backend (void)
{
  op.base.backend = &backend.base;
  op.stream = new_stream ();
}

/* Checks that nothing has leaked. */
static void
close_backend (void)
{
  UkEmulatedCounts counts;

  assert_ok (cudaStreamDestroy (op.stream));
  counts = uk_emulated_counts ();
  g_assert_cmpuint (counts.device_bytes, ==, 0);
  g_assert_cmpuint (counts.pinned_bytes, ==, 0);
  g_assert_cmpint (counts.n_streams + counts.n_events + counts.n_graphs, ==, 0);
  assert_ok (cudaGetLastError ());
}

template <typename T>
static T *
new_on_device (int count)
{
  void *memory;

  assert_ok (cudaMalloc (&memory, sizeof (T) * (size_t) count));
  return (T *) memory;
}

template <typename T>
static T *
upload (const T *from, int count)
{
  T *memory = new_on_device<T> (count);

  assert_ok (cudaMemcpyAsync (memory, from, sizeof (T) * (size_t) count, cudaMemcpyHostToDevice,
                              op.stream));
  return memory;
}

template <typename T>
static void
download (T *to, const T *from, int count)
{
  assert_ok (cudaMemcpyAsync (to, from, sizeof (T) * (size_t) count, cudaMemcpyDeviceToHost,
                              op.stream));
  assert_ok (cudaStreamSynchronize (op.stream));
}

/* ------------------------------------------------------------------------ */
/* Grids                                                                     */

static __global__ void
scale_kernel (float *y, const float *x, int count, float by)
{
  for (int i = (int) (blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += (int) (gridDim.x * blockDim.x))
    y[i] = by * x[i];
}

static void
test_scale (void)
{
  const float x[] = { 1, -2, 3, 4, 5, 6, 7 };
  float y[7], *in, *out;

  open_backend ();
  in = upload (x, 7);
  out = new_on_device<float> (7);
  download (y, out, 7);
  g_assert_true (isnan (y[0])); /* not yet written */
  g_assert_cmpint (uk_launch (&op, scale_kernel, 2, 2, out, in, 7, 2), ==, UK_OK);
  download (y, out, 7);
  for (int i = 0; i < 7; i++)
    g_assert_cmpfloat (y[i], ==, 2 * x[i]);
  g_assert_cmpint (uk_launch (&op, scale_kernel, 0, 2, out, in, 7, 2), ==, UK_DEVICE_ERROR);
  g_assert_cmpint (uk_launch (&op, scale_kernel, 1, 1025, out, in, 7, 2), ==, UK_DEVICE_ERROR);
  cudaFree (in);
  cudaFree (out);
  close_backend ();
}

static __global__ void
index_kernel (int *order, int *n)
{
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;

  order[atomicAdd (n, 1)] = (int) (block * blockDim.x * blockDim.y * blockDim.z + thread);
}

static void
test_order (void)
{
  enum { COUNT = 2 * 3 * 2 * 5 * 2 * 3 };
  int order[COUNT], zero = 0, *out, *n;

  open_backend ();
  for (int backward = 0; backward < 2; backward++)
    {
      out = new_on_device<int> (COUNT);
      n = upload (&zero, 1);
      uk_emulated_set (UK_EMULATED_BACKWARD, backward);
      uk_launch (&op, index_kernel, dim3 (2, 3, 2), dim3 (5, 2, 3), out, n);
      uk_emulated_set (UK_EMULATED_BACKWARD, 0);
      download (order, out, COUNT);
      for (int i = 0; i < COUNT; i++)
        g_assert_cmpint (order[i], ==, backward ? COUNT - 1 - i : i);
      cudaFree (out);
      cudaFree (n);
    }
  close_backend ();
}

/* ------------------------------------------------------------------------ */
/* Barriers and warps                                                        */

/* Each block adds up its part of x. */
template <typename T, int THREADS>
static __global__ void __launch_bounds__ (THREADS)
sum_kernel (float *sums, const T *__restrict__ x)
{
  __shared__ float shared[THREADS / UK_WARP];
  const T *at = x + (blockIdx.x * THREADS + threadIdx.x) * UkLane<T>::N;
  float values[UkLane<T>::N], sum = 0;

  uk_unpack (uk_read<UkLane<T>::N> (at), values);
#pragma unroll
  for (int i = 0; i < UkLane<T>::N; i++)
    sum += values[i];
  sum = uk_block_sum<THREADS> (sum, shared);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

enum { SUM_THREADS = 96, SUM_BLOCKS = 3 };

template <typename T>
static void
check_sums (void)
{
  enum { COUNT = SUM_THREADS * SUM_BLOCKS * UkLane<T>::N };
  T x[COUNT], *in;
  float expected[SUM_BLOCKS] = { 0 }, sums[SUM_BLOCKS], *out;

  for (int i = 0; i < COUNT; i++)
    {
      x[i] = uk_from_float<T> ((float) (i % 64));
      expected[i / (COUNT / SUM_BLOCKS)] += (float) (i % 64);
    }
  open_backend ();
  in = upload (x, COUNT);
  out = new_on_device<float> (SUM_BLOCKS);
  g_assert_cmpint (uk_launch (&op, sum_kernel<T, SUM_THREADS>, SUM_BLOCKS, SUM_THREADS, out, in),
                   ==, UK_OK);
  download (sums, out, SUM_BLOCKS);
  for (int b = 0; b < SUM_BLOCKS; b++)
    g_assert_cmpfloat (sums[b], ==, expected[b]);
  cudaFree (in);
  cudaFree (out);
  close_backend ();
}

static void
test_sums (void)
{
  for (int backward = 0; backward < 2; backward++)
    {
      uk_emulated_set (UK_EMULATED_BACKWARD, backward);
      check_sums<float> ();
      check_sums<__nv_bfloat16> ();
      check_sums<__half> ();
    }
  uk_emulated_set (UK_EMULATED_BACKWARD, 0);
}

/* Each thread reads what its neighbor writes, without a barrier. */
static __global__ void
race_kernel (int *out)
{
  __shared__ int shared[64];

  shared[threadIdx.x] = 0;
  __syncthreads ();
  shared[threadIdx.x] = 1;
  out[threadIdx.x] = shared[(threadIdx.x + 63) % 64];
}

static void
test_race_shows (void)
{
  int forward[64], backward[64], *out;

  open_backend ();
  out = new_on_device<int> (64);
  uk_launch (&op, race_kernel, 1, 64, out);
  download (forward, out, 64);
  uk_emulated_set (UK_EMULATED_BACKWARD, 1);
  uk_launch (&op, race_kernel, 1, 64, out);
  uk_emulated_set (UK_EMULATED_BACKWARD, 0);
  download (backward, out, 64);
  g_assert_cmpmem (forward + 1, 62 * sizeof (int), forward + 2, 62 * sizeof (int)); /* all equal */
  g_assert_cmpint (forward[5], !=, backward[5]);
  cudaFree (out);
  close_backend ();
}

enum { N_SHUFFLES = 10 };

static __global__ void
shuffle_kernel (int *out)
{
  int lane = (int) threadIdx.x;
  int got[N_SHUFFLES] = {
    __shfl_sync (~0u, lane, 7),
    __shfl_sync (~0u, lane, lane + 1),
    __shfl_sync (~0u, lane, 9, 8),
    __shfl_xor_sync (~0u, lane, 5),
    __shfl_xor_sync (~0u, lane, 4, 4),
    __shfl_up_sync (~0u, lane, 3u),
    __shfl_up_sync (~0u, lane, 3u, 16),
    __shfl_down_sync (~0u, lane, 3u),
    (int) __shfl_down_sync (~0u, (double) lane, 3u, 16),
    (int) (__shfl_down_sync (~0u, (unsigned long long) lane << 40, 3u, 8) >> 40),
  };

  for (int i = 0; i < N_SHUFFLES; i++)
    out[i * 32 + lane] = got[i];
}

static void
test_shuffles (void)
{
  int got[N_SHUFFLES * 32], *out;

  open_backend ();
  out = new_on_device<int> (N_SHUFFLES * 32);
  uk_launch (&op, shuffle_kernel, 1, 32, out);
  download (got, out, N_SHUFFLES * 32);
  for (int l = 0; l < 32; l++)
    {
      const int expected[N_SHUFFLES] = {
        7, (l + 1) % 32, l / 8 * 8 + 1, l ^ 5, (l ^ 4) > l ? l : l ^ 4, l < 3 ? l : l - 3,
        l % 16 < 3 ? l : l - 3, l > 28 ? l : l + 3, l % 16 > 12 ? l : l + 3, l % 8 > 4 ? l : l + 3,
      };
      for (int i = 0; i < N_SHUFFLES; i++)
        g_assert_cmpint (got[i * 32 + l], ==, expected[i]);
    }
  cudaFree (out);
  close_backend ();
}

/* 40 threads: a warp and a quarter.  The halves of the first warp diverge at first. */
static __global__ void
partial_kernel (unsigned *out)
{
  unsigned t = threadIdx.x, half = t < 16 ? 0xffffu : 0xffff0000u;
  unsigned votes = 0;

  if (t < 32)
    for (unsigned i = 0; i <= t / 16; i++)
      votes += __ballot_sync (half, t % 2);
  __syncwarp ();
  out[t] = votes;
  out[40 + t] = __ballot_sync (~0u, t % 4 == 0);
  out[80 + t] = (unsigned) (__any_sync (~0u, t == 39) + 2 * __all_sync (~0u, t < 32));
}

static void
test_partial_warps (void)
{
  unsigned got[120], *out;

  open_backend ();
  out = new_on_device<unsigned> (120);
  uk_launch (&op, partial_kernel, 1, 40, out);
  download (got, out, 120);
  for (int t = 0; t < 40; t++)
    {
      g_assert_cmphex (got[t], ==, t < 16 ? 0xaaaa : t < 32 ? 2 * 0xaaaa0000u : 0);
      g_assert_cmphex (got[40 + t], ==, t < 32 ? 0x11111111 : 0x11);
      g_assert_cmpint (got[80 + t], ==, t < 32 ? 2 : 1);
    }
  cudaFree (out);
  close_backend ();
}

static __global__ void
ends_before_barrier_kernel (int)
{
  if (threadIdx.x != 5)
    __syncthreads ();
}

static __global__ void
two_barriers_kernel (int)
{
  if (threadIdx.x % 32 < 16)
    __syncthreads ();
  else
    __syncwarp ();
}

static __global__ void
two_calls_kernel (int)
{
  if (threadIdx.x < 16)
    __syncwarp ();
  else
    __ballot_sync (~0u, 1);
}

static __global__ void
ended_lane_kernel (int)
{
  if (threadIdx.x < 16)
    __shfl_xor_sync (~0u, 1, 16);
}

static __global__ void
absent_lane_kernel (int)
{
  __shfl_xor_sync (0xffu, 1, 8);
}

static const struct
{
  const char *path;
  void (*kernel) (int);
  unsigned    n_threads;
  const char *complaint;
} misuses[] = {
  { "/emulated-gpu/misuse/ends-before-barrier", ends_before_barrier_kernel, 64,
    "*thread 5: ends while others wait at __syncthreads*thread 0 (0, 0, 0) waits*" },
  { "/emulated-gpu/misuse/two-barriers", two_barriers_kernel, 64,
    "*wait*for ever*waits at __syncthreads*waits at __syncwarp of mask ffffffff*" },
  { "/emulated-gpu/misuse/two-calls", two_calls_kernel, 32, "*is at another call of its warp*" },
  { "/emulated-gpu/misuse/ended-lane", ended_lane_kernel, 32, "*wait for ever*__shfl_xor_sync*" },
  { "/emulated-gpu/misuse/absent-lane", absent_lane_kernel, 8, "*which takes no part*" },
};

static void
test_misuse (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);

  if (g_test_subprocess ())
    {
      open_backend ();
      uk_launch (&op, misuses[i].kernel, 1, misuses[i].n_threads, 0);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr (misuses[i].complaint);
}

/* ------------------------------------------------------------------------ */
/* Arithmetic                                                                */

static void
test_bf16 (void)
{
  static const struct
  {
    guint32 from;
    guint16 to;
  } table[] = {
    { 0x00000000, 0x0000 }, { 0x80000000, 0x8000 }, { 0x3f800000, 0x3f80 },
    { 0x3f807fff, 0x3f80 }, { 0x3f808000, 0x3f80 }, { 0x3f808001, 0x3f81 }, /* ties to even */
    { 0x3f817fff, 0x3f81 }, { 0x3f818000, 0x3f82 }, { 0xbf818000, 0xbf82 },
    { 0x00000001, 0x0000 }, { 0x00008000, 0x0000 }, { 0x00018000, 0x0002 }, /* subnormal */
    { 0x3fffffff, 0x4000 }, { 0x7f7f7fff, 0x7f7f }, { 0x7f7f8000, 0x7f80 }, /* rounding into the exponent */
    { 0x7f800000, 0x7f80 }, { 0xff800000, 0xff80 },
    { 0x7f800001, 0x7fff }, { 0xffc12345, 0x7fff }, { 0x7fffffff, 0x7fff }, /* not a number */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    g_assert_cmphex (__bfloat16_as_ushort (__float2bfloat16_rn (__uint_as_float (table[i].from))),
                     ==, table[i].to);
  for (unsigned bits = 0; bits < 0x10000; bits++)
    {
      float x = __bfloat162float (__ushort_as_bfloat16 ((unsigned short) bits));
      g_assert_cmphex (__float_as_uint (x), ==, bits << 16);
      if (!isnan (x))
        g_assert_cmphex (__bfloat16_as_ushort (__float2bfloat16_rn (x)), ==, bits);
    }
}

static void
test_fp16 (void)
{
  static const struct
  {
    float   from;
    guint16 to;
  } table[] = {
    { 0, 0x0000 }, { -0.0f, 0x8000 }, { 1, 0x3c00 }, { -2.5f, 0xc100 },
    { 1 + 0x1p-11f, 0x3c00 }, { 1 + 0x1.8p-11f, 0x3c01 }, { 1 + 0x3p-11f, 0x3c02 }, /* ties to even */
    { 65504, 0x7bff }, { 65519, 0x7bff }, { 65520, 0x7c00 }, { -65520, 0xfc00 }, { 1e30f, 0x7c00 },
    { 0x1p-14f, 0x0400 }, { 0x1p-14f - 0x1p-26f, 0x0400 }, { 0x1p-14f - 0x1p-24f, 0x03ff }, /* subnormal from here on */
    { 0x1p-24f, 0x0001 }, { 0x1p-25f, 0x0000 }, { 0x1.000002p-25f, 0x0001 }, { 0x3p-25f, 0x0002 }, { -1e-30f, 0x8000 },
    { INFINITY, 0x7c00 }, { -INFINITY, 0xfc00 }, { NAN, 0x7fff },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    g_assert_cmphex (__half_as_ushort (__float2half_rn (table[i].from)), ==, table[i].to);
  for (unsigned bits = 0; bits < 0x10000; bits++)
    {
      float x = __half2float (__ushort_as_half ((unsigned short) bits));
      unsigned size = bits & 0x7fff;
      double expected = size < 0x400 ? ldexp (size, -24) : ldexp ((size & 0x3ff) + 1024, (int) (size >> 10) - 25);

      if (size > 0x7c00)
        {
          g_assert_true (isnan (x));
          continue;
        }
      g_assert_cmpfloat (x, ==, (float) ((bits != size ? -1 : 1) * (size == 0x7c00 ? INFINITY : expected)));
      g_assert_cmphex (__half_as_ushort (__float2half_rn (x)), ==, bits);
    }
}

static void
test_intrinsics (void)
{
  float s, c;

  g_assert_cmphex (__umulhi (0xffffffffu, 0xfffffffeu), ==, 0xfffffffdu);
  g_assert_cmpfloat (rsqrtf (0.25f), ==, 2);
  sincospif (2.5f, &s, &c);
  g_assert_cmpfloat (s, ==, 1);
  g_assert_cmpfloat (fabsf (c), <, 1e-7f);
  g_assert_cmpfloat (max (NAN, 1.0f), ==, 1);
  g_assert_cmpint (min (-3, 2), ==, -3);
  g_assert_cmpint (__clz (1) + __ffs (8) + __popc (0xff), ==, 31 + 4 + 8);
}

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */

static void
test_memory (void)
{
  const size_t all = 1 << 20;
  size_t n_free, n_total;
  void *a, *b;
  char host[300] = { 0 };

  uk_emulated_set (UK_EMULATED_MEMORY, 1);
  assert_ok (cudaMalloc (&a, all / 2));
  assert_cuda (cudaMalloc (&b, all / 2 + 1), cudaErrorMemoryAllocation);
  assert_cuda (cudaGetLastError (), cudaErrorMemoryAllocation);
  g_assert_null (b);
  assert_ok (cudaMemGetInfo (&n_free, &n_total));
  g_assert_cmpuint (n_total, ==, all);
  g_assert_cmpuint (n_free, ==, all / 2);
  assert_ok (cudaFree (a));
  assert_ok (cudaFree (NULL));
  assert_cuda (cudaFree (host), cudaErrorInvalidValue);
  assert_ok (cudaMalloc (&a, 256));
  g_assert_cmpuint ((guintptr) a % 256, ==, 0);
  assert_cuda (cudaMemcpy (a, host, 257, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_cuda (cudaMemcpy (host, a, 256, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_ok (cudaMemcpy (host, a, 256, cudaMemcpyDefault));
  g_assert_cmpint (host[255], ==, -1);
  assert_ok (cudaFree (a));
  uk_emulated_set (UK_EMULATED_MEMORY, 2048);
  g_assert_cmpint (cudaGetLastError (), !=, cudaSuccess);
}

static void
test_guarded (void)
{
  const float x[] = { 3 };
  float *memory, y;

  uk_emulated_set (UK_EMULATED_GUARDED, 1);
  open_backend ();
  memory = upload (x, 1);
  uk_launch (&op, scale_kernel, 1, 1, memory, memory, 1, 2);
  download (&y, memory, 1);
  g_assert_cmpfloat (y, ==, 6);
  if (g_test_subprocess ())
    *(volatile float *) memory = 1;
  cudaFree (memory);
  uk_emulated_set (UK_EMULATED_GUARDED, 0);
  close_backend ();
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed ();
}

static void
test_other_process (void)
{
  const float x[] = { 1, 2, 3 };
  cudaIpcMemHandle_t handle;
  float *memory, y[3];
  void *theirs;
  int status;
  pid_t child;

  open_backend ();
  memory = upload (x, 3);
  assert_cuda (cudaIpcGetMemHandle (&handle, memory + 1), cudaErrorInvalidValue);
  assert_ok (cudaIpcGetMemHandle (&handle, memory));
  assert_cuda (cudaIpcOpenMemHandle (&theirs, handle, cudaIpcMemLazyEnablePeerAccess),
               cudaErrorInvalidValue);
  g_assert_cmpint (cudaGetLastError (), ==, cudaErrorInvalidValue);
  child = fork ();
  if (child == 0)
    {
      const float two = 20;
      _exit (cudaIpcOpenMemHandle (&theirs, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess
                 && cudaMemcpy ((float *) theirs + 1, &two, sizeof two, cudaMemcpyDefault)
                      == cudaSuccess
                 && cudaFree (theirs) == cudaErrorInvalidValue
                 && cudaIpcCloseMemHandle (theirs) == cudaSuccess
               ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  download (y, memory, 3);
  g_assert_cmpfloat (y[1], ==, 20);
  cudaFree (memory);
  close_backend ();
}

/* ------------------------------------------------------------------------ */
/* Streams                                                                   */

static void
test_deferred (void)
{
  float from[] = { 1 }, to = 0, *pinned, *a, *b;
  cudaEvent_t event;
  cudaStream_t other;
  int n_looks = 0;

  uk_emulated_set (UK_EMULATED_DEFERRED, 1);
  open_backend ();
  other = new_stream ();
  assert_ok (cudaMallocHost ((void **) &pinned, sizeof *pinned));
  assert_ok (cudaEventCreateWithFlags (&event, cudaEventDisableTiming));
  a = upload (from, 1);
  from[0] = 2; /* too late to have an effect, */
  b = new_on_device<float> (1);
  *pinned = 10;
  cudaMemcpyAsync (b, pinned, sizeof *b, cudaMemcpyHostToDevice, op.stream);
  *pinned = 20; /* but here it has */
  assert_ok (cudaMemcpy (&to, a, sizeof to, cudaMemcpyDeviceToHost));
  g_assert_true (isnan (to)); /* stream 0 has not waited */
  assert_ok (cudaEventRecord (event, op.stream));
  for (; cudaEventQuery (event) == cudaErrorNotReady; n_looks++)
    g_assert_cmpint (cudaGetLastError (), ==, cudaErrorNotReady);
  g_assert_cmpint (n_looks, ==, 3);
  download (&to, a, 1);
  g_assert_cmpfloat (to, ==, 1);
  download (&to, b, 1);
  g_assert_cmpfloat (to, ==, 20);

  uk_launch (&op, scale_kernel, 1, 1, a, b, 1, 2);
  assert_ok (cudaEventRecord (event, op.stream));
  assert_ok (cudaStreamWaitEvent (other, event, 0));
  cudaMemcpyAsync (pinned, a, sizeof *a, cudaMemcpyDeviceToHost, other);
  g_assert_cmpfloat (*pinned, ==, 20);
  assert_ok (cudaStreamSynchronize (other));
  g_assert_cmpfloat (*pinned, ==, 40);

  uk_emulated_set (UK_EMULATED_DEFERRED, 0);
  cudaFree (a);
  cudaFree (b);
  cudaFreeHost (pinned);
  cudaEventDestroy (event);
  cudaStreamDestroy (other);
  close_backend ();
}

static void
test_replay (void)
{
  const float x[] = { 1 };
  cudaGraphExec_t exec;
  cudaGraph_t graph;
  float *memory, y;

  open_backend ();
  memory = upload (x, 1);
  assert_ok (cudaStreamBeginCapture (op.stream, cudaStreamCaptureModeThreadLocal));
  g_assert_cmpint (uk_launch (&op, scale_kernel, 1, 1, memory, memory, 1, 2), ==, UK_OK);
  g_assert_cmpint (uk_launch (&op, scale_kernel, 1, 1, memory, memory, 1, 5), ==, UK_OK);
  assert_ok (cudaStreamEndCapture (op.stream, &graph));
  assert_ok (cudaGraphInstantiate (&exec, graph));
  assert_ok (cudaGraphDestroy (graph));
  download (&y, memory, 1);
  g_assert_cmpfloat (y, ==, 1);
  uk_emulated_set (UK_EMULATED_DEFERRED, 1);
  for (int i = 0; i < 2; i++)
    assert_ok (cudaGraphLaunch (exec, op.stream));
  assert_ok (cudaGraphExecDestroy (exec));
  download (&y, memory, 1);
  g_assert_cmpfloat (y, ==, 100);
  uk_emulated_set (UK_EMULATED_DEFERRED, 0);
  cudaFree (memory);
  close_backend ();
}

static void
test_spoilt_captures (void)
{
  cudaGraph_t graph;
  void *device, *more;
  float host = 0;

  open_backend ();
  device = new_on_device<float> (1);
  for (int way = 0; way < 4; way++)
    {
      assert_ok (cudaStreamBeginCapture (op.stream, cudaStreamCaptureModeThreadLocal));
      assert_cuda (way == 0   ? cudaMalloc (&more, 1)
                   : way == 1 ? cudaStreamSynchronize (op.stream)
                   : way == 2 ? cudaMemcpy (&host, device, sizeof host, cudaMemcpyDeviceToHost)
                              : cudaMemcpyAsync (device, &host, sizeof host, cudaMemcpyHostToDevice,
                                                 op.stream),
                   cudaErrorStreamCaptureUnsupported);
      assert_cuda (cudaMemsetAsync (device, 0, 1, op.stream), cudaErrorStreamCaptureInvalidated);
      assert_cuda (cudaStreamEndCapture (op.stream, &graph), cudaErrorStreamCaptureInvalidated);
      g_assert_null (graph);
    }
  g_assert_cmpint (cudaGetLastError (), !=, cudaSuccess);
  assert_ok (cudaMemsetAsync (device, 0, 1, op.stream));
  cudaFree (device);
  close_backend ();
}

/* ------------------------------------------------------------------------ */
/* Devices                                                                   */

static void
test_devices (void)
{
  char bus[2][16];
  int count;

  open_backend ();
  uk_emulated_set (UK_EMULATED_DEVICES, 2);
  assert_ok (cudaGetDeviceCount (&count));
  g_assert_cmpint (count, ==, 2);
  for (int device = 0; device < 2; device++)
    assert_ok (cudaDeviceGetPCIBusId (bus[device], sizeof bus[device], device));
  g_assert_cmpstr (bus[0], !=, bus[1]);
  assert_cuda (cudaSetDevice (2), cudaErrorInvalidDevice);
  assert_ok (cudaSetDevice (1));
  cudaGetLastError ();
  g_assert_cmpint (uk_launch (&op, ends_before_barrier_kernel, 1, 1, 0), ==, UK_DEVICE_ERROR);
  assert_ok (cudaSetDevice (0));
  uk_emulated_set (UK_EMULATED_DEVICES, 0);
  assert_cuda (cudaGetDeviceCount (&count), cudaErrorNoDevice);
  uk_emulated_set (UK_EMULATED_DEVICES, 1);
  cudaGetLastError ();
  close_backend ();
}

static void
test_failing_launch (void)
{
  const float x[] = { 1 };
  float *memory, y;

  open_backend ();
  memory = upload (x, 1);
  uk_emulated_fail_launch (1, cudaErrorLaunchFailure);
  g_assert_cmpint (uk_launch (&op, scale_kernel, 1, 1, memory, memory, 1, 2), ==, UK_OK);
  g_assert_cmpint (uk_launch (&op, scale_kernel, 1, 1, memory, memory, 1, 2), ==, UK_DEVICE_ERROR);
  assert_cuda (cudaStreamSynchronize (op.stream), cudaErrorLaunchFailure);
  uk_emulated_fail_launch (0, cudaSuccess);
  cudaGetLastError ();
  download (&y, memory, 1);
  g_assert_cmpfloat (y, ==, 2);
  cudaFree (memory);
  close_backend ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/emulated-gpu/scale", test_scale);
  g_test_add_func ("/emulated-gpu/order", test_order);
  g_test_add_func ("/emulated-gpu/sums", test_sums);
  g_test_add_func ("/emulated-gpu/race-shows", test_race_shows);
  g_test_add_func ("/emulated-gpu/shuffles", test_shuffles);
  g_test_add_func ("/emulated-gpu/partial-warps", test_partial_warps);
  for (gsize i = 0; i < G_N_ELEMENTS (misuses); i++)
    g_test_add_data_func (misuses[i].path, GSIZE_TO_POINTER (i), test_misuse);
  g_test_add_func ("/emulated-gpu/bf16", test_bf16);
  g_test_add_func ("/emulated-gpu/fp16", test_fp16);
  g_test_add_func ("/emulated-gpu/intrinsics", test_intrinsics);
  g_test_add_func ("/emulated-gpu/memory", test_memory);
  g_test_add_func ("/emulated-gpu/guarded", test_guarded);
  g_test_add_func ("/emulated-gpu/other-process", test_other_process);
  g_test_add_func ("/emulated-gpu/deferred", test_deferred);
  g_test_add_func ("/emulated-gpu/replay", test_replay);
  g_test_add_func ("/emulated-gpu/spoilt-captures", test_spoilt_captures);
  g_test_add_func ("/emulated-gpu/devices", test_devices);
  g_test_add_func ("/emulated-gpu/failing-launch", test_failing_launch);
  return g_test_run ();
}
