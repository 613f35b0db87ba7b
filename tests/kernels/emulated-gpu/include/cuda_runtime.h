/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_runtime.h - CUDA's language extensions as C++ for the emulated GPU: qualifiers, indices, vectors,
 * barriers, warp primitives, atomics and intrinsics.
 *
 * Features that the project forbids in its kernels are missing, so that they do not compile: atomic additions
 * of floats, dynamic shared memory, warp primitives without _sync.
 */
#pragma once

#include <cuda_runtime_api.h>

#define __align__(n) __attribute__ ((aligned (n)))

/* ------------------------------------------------------------------------ */
/* Vectors                                                                   */

#define UK_EMULATED_VECTORS(type, name, align)                                                     \
  typedef struct __align__ (2 * align)                                                             \
  {                                                                                                \
    type x, y;                                                                                     \
  } name##2;                                                                                       \
  typedef struct                                                                                   \
  {                                                                                                \
    type x, y, z;                                                                                  \
  } name##3;                                                                                       \
  typedef struct __align__ (4 * align > 16 ? 16 : 4 * align)                                       \
  {                                                                                                \
    type x, y, z, w;                                                                               \
  } name##4;                                                                                       \
  static inline name##2 make_##name##2 (type x, type y)                                            \
  {                                                                                                \
    name##2 v = { x, y };                                                                          \
    return v;                                                                                      \
  }                                                                                                \
  static inline name##3 make_##name##3 (type x, type y, type z)                                    \
  {                                                                                                \
    name##3 v = { x, y, z };                                                                       \
    return v;                                                                                      \
  }                                                                                                \
  static inline name##4 make_##name##4 (type x, type y, type z, type w)                            \
  {                                                                                                \
    name##4 v = { x, y, z, w };                                                                    \
    return v;                                                                                      \
  }

UK_EMULATED_VECTORS (signed char, char, 1)
UK_EMULATED_VECTORS (unsigned char, uchar, 1)
UK_EMULATED_VECTORS (short, short, 2)
UK_EMULATED_VECTORS (unsigned short, ushort, 2)
UK_EMULATED_VECTORS (int, int, 4)
UK_EMULATED_VECTORS (unsigned, uint, 4)
UK_EMULATED_VECTORS (long long, longlong, 8)
UK_EMULATED_VECTORS (unsigned long long, ulonglong, 8)
UK_EMULATED_VECTORS (float, float, 4)
UK_EMULATED_VECTORS (double, double, 8)

typedef struct dim3
{
  unsigned x, y, z;
#ifdef __cplusplus
  constexpr dim3 (unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x (x_), y (y_), z (z_) {}
#endif
} dim3;

#ifdef __cplusplus

#include <cmath> /* before fmaf becomes a macro */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ------------------------------------------------------------------------ */
/* Qualifiers                                                                */

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__ ((always_inline))
#define __launch_bounds__(...)
/* One block runs at a time.  Static rather than thread-local, so that AddressSanitizer guards the arrays'
 * ends. */
#define __shared__      static

/* ------------------------------------------------------------------------ */
/* Indices and barriers (block.cc)                                           */

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
enum { warpSize = 32 };

typedef enum
{
  UK_EMULATED_SYNCWARP,
  UK_EMULATED_BALLOT,
  UK_EMULATED_SHFL,
  UK_EMULATED_SHFL_XOR,
  UK_EMULATED_SHFL_UP,
  UK_EMULATED_SHFL_DOWN
} UkEmulatedWarpCall;

void     uk_emulated_sync_block (void);
/* Passes @value, and returns this lane's result; @lane and @width as in a shuffle. */
uint64_t uk_emulated_sync_warp  (UkEmulatedWarpCall call, unsigned mask, uint64_t value, int lane,
                                 int width);

static inline void
__syncthreads (void)
{
  uk_emulated_sync_block ();
}

static inline void
__syncwarp (unsigned mask = 0xffffffffu)
{
  uk_emulated_sync_warp (UK_EMULATED_SYNCWARP, mask, 0, 0, 32);
}

static inline unsigned
__ballot_sync (unsigned mask, int predicate)
{
  return (unsigned) uk_emulated_sync_warp (UK_EMULATED_BALLOT, mask, predicate != 0, 0, 32);
}

static inline int
__any_sync (unsigned mask, int predicate)
{
  return __ballot_sync (mask, predicate) != 0;
}

static inline int
__all_sync (unsigned mask, int predicate)
{
  return __ballot_sync (mask, !predicate) == 0;
}

template <typename T>
static inline T
uk_emulated_shuffle (UkEmulatedWarpCall call, unsigned mask, T value, int lane, int width)
{
  uint64_t bits = 0;

  static_assert (sizeof value == 4 || sizeof value == 8, "CUDA shuffles words of 32 or 64 bits");
  memcpy (&bits, &value, sizeof value);
  bits = uk_emulated_sync_warp (call, mask, bits, lane, width);
  memcpy (&value, &bits, sizeof value);
  return value;
}

template <typename T>
static inline T
__shfl_sync (unsigned mask, T value, int lane, int width = 32)
{
  return uk_emulated_shuffle (UK_EMULATED_SHFL, mask, value, lane, width);
}

template <typename T>
static inline T
__shfl_xor_sync (unsigned mask, T value, int lanes, int width = 32)
{
  return uk_emulated_shuffle (UK_EMULATED_SHFL_XOR, mask, value, lanes, width);
}

template <typename T>
static inline T
__shfl_up_sync (unsigned mask, T value, unsigned delta, int width = 32)
{
  return uk_emulated_shuffle (UK_EMULATED_SHFL_UP, mask, value, (int) delta, width);
}

template <typename T>
static inline T
__shfl_down_sync (unsigned mask, T value, unsigned delta, int width = 32)
{
  return uk_emulated_shuffle (UK_EMULATED_SHFL_DOWN, mask, value, (int) delta, width);
}

static inline void
__threadfence (void)
{
}

static inline void
__threadfence_block (void)
{
}

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */

#define UK_EMULATED_LOAD(name)                                                                     \
  template <typename T> static inline T name (const T *at)                                         \
  {                                                                                                \
    return *at;                                                                                    \
  }
#define UK_EMULATED_STORE(name)                                                                    \
  template <typename T> static inline void name (T *at, T value)                                   \
  {                                                                                                \
    *at = value;                                                                                   \
  }

UK_EMULATED_LOAD (__ldg)
UK_EMULATED_LOAD (__ldca)
UK_EMULATED_LOAD (__ldcg)
UK_EMULATED_LOAD (__ldcs)
UK_EMULATED_LOAD (__ldlu)
UK_EMULATED_STORE (__stcg)
UK_EMULATED_STORE (__stcs)
UK_EMULATED_STORE (__stwb)
UK_EMULATED_STORE (__stwt)

#define UK_EMULATED_ATOMICS(type)                                                                  \
  static inline type atomicAdd (type *at, type value)                                              \
  {                                                                                                \
    return __atomic_fetch_add (at, value, __ATOMIC_RELAXED);                                       \
  }                                                                                                \
  static inline type atomicExch (type *at, type value)                                             \
  {                                                                                                \
    return __atomic_exchange_n (at, value, __ATOMIC_RELAXED);                                      \
  }                                                                                                \
  static inline type atomicCAS (type *at, type expected, type value)                               \
  {                                                                                                \
    __atomic_compare_exchange_n (at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                               \
  }                                                                                                \
  static inline type atomicMax (type *at, type value)                                              \
  {                                                                                                \
    type old = __atomic_load_n (at, __ATOMIC_RELAXED);                                             \
    while (old < value && atomicCAS (at, old, value) != old)                                       \
      old = __atomic_load_n (at, __ATOMIC_RELAXED);                                                \
    return old;                                                                                    \
  }                                                                                                \
  static inline type atomicMin (type *at, type value)                                              \
  {                                                                                                \
    type old = __atomic_load_n (at, __ATOMIC_RELAXED);                                             \
    while (old > value && atomicCAS (at, old, value) != old)                                       \
      old = __atomic_load_n (at, __ATOMIC_RELAXED);                                                \
    return old;                                                                                    \
  }

UK_EMULATED_ATOMICS (int)
UK_EMULATED_ATOMICS (unsigned)
UK_EMULATED_ATOMICS (unsigned long long)

/* ------------------------------------------------------------------------ */
/* Arithmetic                                                                */

template <typename To, typename From>
static inline To
uk_emulated_bits (From from)
{
  To to;

  static_assert (sizeof to == sizeof from, "the same bits");
  memcpy (&to, &from, sizeof to);
  return to;
}

#define __float_as_uint(x)         uk_emulated_bits<unsigned, float> (x)
#define __float_as_int(x)          uk_emulated_bits<int, float> (x)
#define __uint_as_float(x)         uk_emulated_bits<float, unsigned> (x)
#define __int_as_float(x)          uk_emulated_bits<float, int> (x)
#define __double_as_longlong(x)    uk_emulated_bits<long long, double> (x)
#define __longlong_as_double(x)    uk_emulated_bits<double, long long> (x)

#define __popc(x)                  __builtin_popcount (x)
#define __popcll(x)                __builtin_popcountll (x)
#define __ffs(x)                   __builtin_ffs ((int) (x))
#define __clz(x)                   ((x) == 0 ? 32 : __builtin_clz ((unsigned) (x)))
#define __umulhi(a, b)             ((unsigned) (((uint64_t) (unsigned) (a) * (unsigned) (b)) >> 32))
#define __umul64hi(a, b)                                                                           \
  ((unsigned long long) (((unsigned __int128) (uint64_t) (a) * (uint64_t) (b)) >> 64))

/* Macros, because the C library declares functions with these names but does not define them.  A GPU's fast
 * versions are less accurate. */
#define __expf(x)                  expf (x)
#define __exp10f(x)                powf (10, x)
#define __logf(x)                  logf (x)
#define __log2f(x)                 log2f (x)
#define __log10f(x)                log10f (x)
#define __powf(x, y)               powf (x, y)
#define __sinf(x)                  sinf (x)
#define __cosf(x)                  cosf (x)
#define __sincosf(x, sin, cos)     sincosf (x, sin, cos)
#define __fdividef(a, b)           ((float) (a) / (float) (b))
#define __fadd_rn(a, b)            ((float) (a) + (float) (b))
#define __fsub_rn(a, b)            ((float) (a) - (float) (b))
#define __fmul_rn(a, b)            ((float) (a) * (float) (b))
#define __fdiv_rn(a, b)            ((float) (a) / (float) (b))
#define __fmaf_rn(a, b, c)         fmaf (a, b, c)
#define __fsqrt_rn(x)              sqrtf (x)
#define __frsqrt_rn(x)             rsqrtf (x)
#define __frcp_rn(x)               (1 / (float) (x))
#define __saturatef(x)             fminf (fmaxf (x, 0), 1)
#define __float2int_rn(x)          ((int) lrintf (x))
#define __float2int_rz(x)          ((int) (float) (x))
#define __int2float_rn(x)          ((float) (int) (x))
#define __uint2float_rn(x)         ((float) (unsigned) (x))

/* Without an instruction for it, one sum in 2^29 is rounded twice; a convolution takes half as long as with the C
 * library's function, which compilers cannot inline. */
static inline float
uk_emulated_fmaf (float a, float b, float c)
{
#ifdef __FMA__
  return __builtin_fmaf (a, b, c);
#else
  return (float) ((double) a * b + c);
#endif
}
#define fmaf(a, b, c) uk_emulated_fmaf (a, b, c)

/* Newer C libraries also export some of these. */
static inline float
uk_emulated_rsqrtf (float x)
{
  return (float) (1 / sqrt ((double) x));
}
#define rsqrtf(x) uk_emulated_rsqrtf (x)

static inline double
uk_emulated_rsqrt (double x)
{
  return 1 / sqrt (x);
}
#define rsqrt(x) uk_emulated_rsqrt (x)

static inline void
uk_emulated_sincospif (float x, float *sin, float *cos)
{
  double s, c;

  sincos (M_PI * remainder (x, 2), &s, &c);
  *sin = (float) s;
  *cos = (float) c;
}
#define sincospif(x, sin, cos) uk_emulated_sincospif (x, sin, cos)

static inline float
uk_emulated_sinpif (float x)
{
  return (float) ::sin (M_PI * remainder (x, 2));
}
#define sinpif(x) uk_emulated_sinpif (x)

static inline float
uk_emulated_cospif (float x)
{
  return (float) ::cos (M_PI * remainder (x, 2));
}
#define cospif(x) uk_emulated_cospif (x)

#define UK_EMULATED_MIN_MAX(type)                                                                  \
  static inline constexpr type min (type a, type b)                                                \
  {                                                                                                \
    return b < a ? b : a;                                                                          \
  }                                                                                                \
  static inline constexpr type max (type a, type b)                                                \
  {                                                                                                \
    return a < b ? b : a;                                                                          \
  }

UK_EMULATED_MIN_MAX (int)
UK_EMULATED_MIN_MAX (unsigned)
UK_EMULATED_MIN_MAX (long)
UK_EMULATED_MIN_MAX (unsigned long)
UK_EMULATED_MIN_MAX (long long)
UK_EMULATED_MIN_MAX (unsigned long long)

/* Like CUDA's, these return the other operand if one is a NaN. */
static inline float
min (float a, float b)
{
  return fminf (a, b);
}

static inline float
max (float a, float b)
{
  return fmaxf (a, b);
}

static inline double
min (double a, double b)
{
  return fmin (a, b);
}

static inline double
max (double a, double b)
{
  return fmax (a, b);
}

#endif /* __cplusplus */
