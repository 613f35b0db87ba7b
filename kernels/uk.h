/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk.h - the public interface of kernels/: tensor operations on raw pointers.
 *
 * A backend (reference, cpu, cuda) is a table of functions.  It turns an operation's description, a
 * UkOpDesc, into a prepared UkOp, which can be run any number of times.  Nothing here prints, exits or
 * keeps global state, and running an operation never allocates.
 *
 * Conventions shared by all backends, so that nothing needs conversion:
 *  - Activations are (n, h, w, c), row-major, channels innermost (NHWC).
 *  - A convolution's weights are stored as (o, kh, kw, i), a transposed convolution's as (i, kh, kw, o),
 *    i being its input channels: innermost channels as in activations.  A backend that needs another order or
 *    type packs them once per update (see UkOp.packed_bytes).
 *  - Parameters, statistics and sums (UK_REAL) are doubles in `reference`, floats elsewhere.
 *  - Activations and their gradients (UK_VALUE) have the type UkBackend.value_type: doubles in `reference`,
 *    floats in `cpu`, and in `cuda` floats, bfloat16 with precision bf16, or IEEE's 16 bits with fp16.
 *  - Random numbers are counter-based: see uk-random.h.
 *
 * Legend: x input, y output, w weights, b bias; dx, dy, dw, db their gradients; n samples, h w rows and
 * columns, c channels.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uk-precision.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
  UK_OK = 0,
  UK_BAD_SHAPE,    /* shapes do not match, or sizes are out of range */
  UK_BAD_ARGUMENT, /* a required argument is NULL, or a field is out of range */
  UK_NO_MEMORY,
  UK_UNSUPPORTED,  /* not available on this backend or processor */
  UK_DEVICE_ERROR, /* the library or device underneath failed */
  UK_BUSY          /* not finished: poll again */
} UkStatus;

/* A sentence fragment for users, such as "the shapes do not match"; never NULL. */
const char *uk_status_text (UkStatus status);

typedef struct
{
  int64_t n, h, w, c;
} UkShape;

/* n * h * w * c */
int64_t uk_shape_count (UkShape shape);

/* Numbers in memory. */
typedef enum
{
  UK_DATA_F32,
  UK_DATA_F64,
  UK_DATA_BF16,
  UK_DATA_F16, /* IEEE 754's binary16 */
  UK_DATA_U8,
  UK_N_DATA_TYPES
} UkDataType;

/* bytes */
size_t uk_data_size (UkDataType type);
/* The type of values between layers where they follow the precision: `cuda`'s. */
UkDataType uk_data_type_of (UkPrecision precision);

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

typedef enum
{
  UK_ACT_NONE,
  UK_ACT_RELU,
  UK_ACT_LEAKY_RELU, /* slope: UkOpDesc.slope */
  UK_ACT_TANH,
  UK_ACT_SIGMOID,
  UK_ACT_SOFTMAX /* over the channels of a pixel, mapped to [-1, 1]: y = 2 softmax (x) - 1 */
} UkAct;

/* Each kind lists its arguments in the order of run()'s args; "?" may be NULL.  Unless stated otherwise,
 * an output is overwritten and must not overlap an input.  "In place": the output may be the same
 * pointer as the input. */
typedef enum
{
  /* tiles:u8 (y), rng:u64[2], -> y.  y = tiles / 127.5 - 1; with desc.dihedral each sample is rotated and
   * mirrored by one of the 8 elements of D4, drawn from (rng, desc.stream, sample).  With desc.bits tiles
   * hold one bit per value (1 for 255, 0 for 0) in (n, h, w, c) order, least significant bit first; each
   * sample starts on a byte boundary.  y is bit-identical either way. */
  UK_OP_LOAD,
  /* rng:u64[2] -> y.  Standard normal values. */
  UK_OP_NOISE,
  /* x, rng:u64[2], p[1] -> y.  DiffAugment (Zhao et al. 2020, 2006.10738): zero-padded translation by up
   * to 1/8 of the edge, then a cut-out square of half the edge; each with probability p, drawn from
   * (rng, desc.stream, sample). */
  UK_OP_AUGMENT,
  /* dy, rng:u64[2], p[1] -> dx.  Its adjoint. */
  UK_OP_AUGMENT_GRAD,

  /* x, w, b?, -> y.  y = act (conv (x, w) + b).  desc: x, y, kernel, stride, pad, transposed, act, slope.
   * A fully connected layer is a convolution whose kernel covers its input (transposed: its output). */
  UK_OP_CONV,
  /* dy, w -> dx.  The convolution's data gradient, without act. */
  UK_OP_CONV_DGRAD,
  /* x, dy -> dw.  The weight gradient; desc.accumulate adds to dw. */
  UK_OP_CONV_WGRAD,

  /* x (n, h, w, c), w (h, w, c) -> y (n, 1, 1, c).  y = sum of x * w over the pixels: the depthwise
   * convolution at the end of the `modern` discriminator. */
  UK_OP_DEPTHWISE,
  /* dy, w -> dx */
  UK_OP_DEPTHWISE_DGRAD,
  /* x, dy -> dw; desc.accumulate */
  UK_OP_DEPTHWISE_WGRAD,

  /* x, b? (c) -> y.  y = act (x + b); in place. */
  UK_OP_BIAS_ACT,
  /* y, dy, scale? (n), db? (c) -> dx.  dx = dy * act', with act' computed from the output y; in place
   * (dx = dy).  If db: db = sum over n, h, w of scale[n] * dx (scale NULL: 1); desc.accumulate adds to db
   * (only).  With UK_ACT_NONE, y may be NULL, and so may dx: then only db is computed.  The same
   * operation masks a tangent: u = act' (y) * t. */
  UK_OP_ACT_GRAD,

  /* x, gamma (c), beta (c), running_mean? (c), running_var? (c) -> y, mean (c), inv_std (c).
   * Batch statistics over n, h, w (biased variance, eps = desc.eps), then act.
   * running_* = (1 - desc.momentum) running_* + desc.momentum * batch (with the unbiased variance, as in
   * PyTorch).  NOT in place. */
  UK_OP_BATCH_NORM,
  /* x, dy, gamma, beta, mean, inv_std -> dx, dgamma (c), dbeta (c).  Through act, whose derivative follows
   * from x, and the batch statistics; in place (dx = dy); desc.accumulate adds to dgamma and dbeta. */
  UK_OP_BATCH_NORM_GRAD,
  /* x, gamma, beta, mean (c), var (c) -> y.  With given statistics; in place. */
  UK_OP_BATCH_NORM_INFER,
  /* x, gamma, beta, mean, inv_std -> y.  Recomputes y of UK_OP_BATCH_NORM bit for bit from the mean and
   * inv_std that it wrote, so that y can be discarded in between.  NOT in place. */
  UK_OP_BATCH_NORM_RECOMPUTE,

  /* Batch norm over the desc.batch = r x.n samples of r ranks, in two parts with a collective in between:
   * forward, the ranks all-gather their statistics (r, 2, c); backward, they all-reduce their sums
   * (2, c).  Each rank then has the result of UK_OP_BATCH_NORM and its gradient on all samples. */

  /* x -> statistics (2, c): the mean and the biased variance over n, h, w.
   *
   * Gathered, not added: a sum of squares would cancel where the mean is large, and squared deviations
   * can only be added once all ranks know the mean, in a second collective.  Means and variances of
   * equal parts combine exactly (Chan, Golub & LeVeque 1983).  Float precision suffices: rounding moves
   * the mean by no more than it moved each x. */
  UK_OP_BATCH_NORM_LOCAL,
  /* x, statistics (r, 2, c), gamma (c), beta (c), running_mean? (c), running_var? (c)
   *   -> y, mean (c), inv_std (c).  The second half of UK_OP_BATCH_NORM; mean and inv_std are
   * bit-identical on all ranks, and the running variance is unbiased over all samples.  NOT in place. */
  UK_OP_BATCH_NORM_GLOBAL,
  /* x, dy, gamma, beta, mean, inv_std -> sums (2, c), dgamma? (c), dbeta? (c).  sums = dgamma and dbeta over these
   * samples alone; dgamma and dbeta are all-reduced like any parameter gradient.  desc.accumulate adds
   * to dgamma and dbeta (only). */
  UK_OP_BATCH_NORM_GRAD_LOCAL,
  /* x, dy, gamma, beta, mean, inv_std, sums (2, c) -> dx.  sums: over all ranks; in place (dx = dy). */
  UK_OP_BATCH_NORM_GRAD_GLOBAL,

  /* x (n, h, w, c) -> y (n, 2h, 2w, c), times desc.scale.  Bilinear: zero insertion, then the filter
   * [1 3 3 1] / 4 on each axis, zeros outside.  With scale s it is the adjoint of UK_OP_DOWNSAMPLE with
   * scale 4 s. */
  UK_OP_UPSAMPLE,
  /* x (n, 2h, 2w, c) -> y (n, h, w, c), times desc.scale.  The filter
   * [1 3 3 1] / 8 on each axis, stride 2, zeros outside (padding 1). */
  UK_OP_DOWNSAMPLE,

  /* a, b -> y.  y = a + b; in place (either). */
  UK_OP_ADD,
  /* a, c (n), u, k[1] -> y.  y = c[n] * a + k * u; in place (either).  Input of the weight gradient under
   * an R1/R2 penalty. */
  UK_OP_AXPBY,

  /* v, -> sums (n), metrics (1).  sums[n] = |v[n]|^2, metrics = their mean. */
  UK_OP_SQUARED_NORM,
  /* logits (n), scale[1]? -> dlogits (n), metrics (2).  Binary cross entropy of the logits against desc.target
   * (0 or 1), mean over desc.batch samples; metrics = loss, mean logit.  The gradient of this and the other
   * losses is multiplied by scale (NULL: 1), which metrics are not. */
  UK_OP_LOSS_BCE,
  /* logits (2 n: real, then fake), scale[1]? -> dlogits (2 n), metrics (3).  Relativistic pairing (R3GAN,
   * 2501.05441): softplus (-(real - fake)), mean over desc.batch pairs; metrics = loss, mean real logit,
   * mean fake logit.  x = (2 n, 1, 1, 1). */
  UK_OP_LOSS_PAIR_D,
  /* logits (2 n: real, then fake), scale[1]? -> dfake (n), metrics (3).  The generator's side: mean softplus
   * (real - fake); metrics as above. */
  UK_OP_LOSS_PAIR_G,

  /* g (x.n) -> sum (1).  The sum of the squares of (a rank's part of) a gradient.  With float elements it
   * is infinite as soon as one square overflows: Adam's second moments would stay infinite for ever. */
  UK_OP_GRAD_SQUARES,
  /* sums (x.n), hyper (UK_N_HYPER) -> out (2).  out[0] = |g|, the root of the sum of sums over
   * s = hyper[UK_HYPER_LOSS_SCALE]; out[1] = min (1, hyper[UK_HYPER_CLIP_NORM] / |g|) / s, or 1 / s where the
   * limit is 0, or 0 if |g| is not finite. */
  UK_OP_GRAD_FACTOR,
  /* w, g, m?, v, ema?, hyper (UK_N_HYPER), norm (2) -> packed?; all but hyper and norm have x.n elements; w, m, v and
   * ema are updated in place.  AdamW (Loshchilov & Hutter, 1711.05101) on norm[1] * g: w loses lr * decay * w beside
   * Adam's step (Kingma & Ba, 1412.6980); m is NULL where beta1 is 0.  Then
   * ema = ema_beta * ema + (1 - ema_beta) * w, and packed = w.  If norm[1] is 0, nothing changes, nor does packed. */
  UK_OP_ADAM,
  /* scale[1]? -> y.  y = desc.scale times scale (NULL: 1) in every element of y. */
  UK_OP_FILL,
  /* a (n, h, w, ca), b (n, h, w, cb) -> y (n, h, w, ca + cb).  The channels of a, then those of b.
   * desc.x is a's shape. */
  UK_OP_CONCAT,

  /* x (n, h, w, c), scale (2, 3) -> y (n, 1, 1, 3).  The shares of an image that are built, road and large
   * buildings, minus scale[0], times scale[1]; c is 3 or 1.
   *
   * Coverage of a pixel: by buildings (x[0] + 1) / 2 and by roads (x[1] + 1) / 2 with three channels;
   * max (x, 0) and max (-x, 0) with one.  The first two shares are means of it over the pixels.  The third
   * is the mean of max (a - t, 0) / (1 - t), a being the average coverage by buildings of the box of
   * desc.kernel pixels (odd) around a pixel, with zeros outside of the image, and t desc.target: only
   * buildings that fill such boxes reach it. */
  UK_OP_SHARES,
  /* x, dy (n, 1, 1, 3), scale (2, 3) -> dx.  Its gradient; where max is not differentiable, 0. */
  UK_OP_SHARES_GRAD,

  UK_N_OPS
} UkOpKind;

/* Layout of a `hyper` argument: the values that change from step to step. */
enum
{
  UK_HYPER_LR,
  UK_HYPER_BETA1,
  UK_HYPER_BETA2,
  UK_HYPER_EPS,
  UK_HYPER_CORRECTION1, /* 1 - product of all beta1 so far */
  UK_HYPER_CORRECTION2, /* 1 - product of all beta2 so far */
  UK_HYPER_EMA_BETA,
  UK_HYPER_CLIP_NORM, /* largest gradient norm; 0: no limit */
  UK_HYPER_WEIGHT_DECAY,
  UK_HYPER_LOSS_SCALE, /* the gradient is so many times that of the loss; not 0 */
  UK_N_HYPER
};

typedef struct
{
  UkOpKind kind;
  UkShape  x; /* the forward input; also for the gradients */
  UkShape  y; /* the forward output; also for the gradients */
  int      kernel, stride, pad; /* convolutions; square.  SHARES: kernel is the box's edge */
  bool     transposed;
  UkAct    act;
  float    slope;
  float    scale;
  float    eps, momentum; /* batch norm */
  float    target;        /* LOSS_BCE; SHARES: the level t */
  int64_t  batch; /* losses: number of samples (pairs) in the mean; BATCH_NORM_*GLOBAL: samples of all
                   * ranks, x.n each */
  bool     accumulate;
  bool     dihedral;
  bool     bits;         /* LOAD: tiles have one bit per value */
  uint32_t stream;       /* random: Philox stream */
  int64_t  first_sample; /* random: index of sample 0 in the global batch */
} UkOpDesc;

enum
{
  UK_MAX_ARGS = 9,
  UK_N_SHARES = 3 /* of SHARES: built, road, large buildings */
};

typedef enum { UK_REAL, UK_VALUE, UK_U8, UK_U64 } UkArgType;
typedef enum { UK_IN, UK_OUT, UK_INOUT } UkArgRole;

typedef struct
{
  const char *name;
  UkArgType   type;
  UkArgRole   role;
  bool        optional;
  int         count_rule; /* private to uk-op.c: see uk_op_arg_count() */
} UkArgInfo;

typedef struct
{
  const char *name; /* "conv-dgrad" */
  int         n_args;
  UkArgInfo   args[UK_MAX_ARGS];
} UkOpInfo;

/* Name and arguments of a kind, in run()'s order; inputs come before outputs where the list above has
 * "->".  NULL if there is no such kind.  Outputs that desc.accumulate adds to are UK_OUT. */
const UkOpInfo *uk_op_info (UkOpKind kind);

/* The element count (of the argument's own type) of argument @arg of @desc; 0 if there is no such one. */
int64_t uk_op_arg_count (const UkOpDesc *desc, int arg);

/* Whether two descriptions describe the same operation, field by field, and a hash that agrees. */
bool     uk_op_desc_equal (const UkOpDesc *a, const UkOpDesc *b);
uint32_t uk_op_desc_hash  (const UkOpDesc *desc);

/* UK_OK if the shapes and fields of @desc are valid for its kind; called first by every prepare().
 * Elementwise operations need x = y and losses x = (n, 1, 1, 1); GRAD_SQUARES, GRAD_FACTOR and ADAM check x.n only, LOAD,
 * NOISE and FILL y only. */
UkStatus uk_op_check (const UkOpDesc *desc);

/* UK_BAD_ARGUMENT if a required argument of @kind is NULL; called first by every run(). */
UkStatus uk_op_check_args (UkOpKind kind, void *const *args);

/* Floating-point operations (a multiply-add counts as 2), for the roofline. */
double uk_op_flops (const UkOpDesc *desc);

/* ------------------------------------------------------------------------ */
/* Backends                                                                  */

/* "fp32", "bf16", "tf32", "fp16" */
const char *uk_precision_name (UkPrecision precision);

typedef struct
{
  int         n_threads; /* host threads; 0: all cores available to this process */
  UkPrecision precision;
  int         device;    /* index of the device, from 0 */
  const char *cache;     /* (nullable) copied: folder for timings of the device, reused by later runs */
  int         max_compiled; /* cuda: kernels that cuDNN compiles at run time, tried per convolution; 0: none */
} UkBackendConfig;

/* What an open backend did so far to choose between equivalent kernels. */
typedef struct
{
  int64_t n_timed;     /* problems whose kernels were timed, because the cache did not have them */
  int64_t n_finalized; /* execution plans of cuDNN: to be timed, or to run one that the cache has */
  int64_t n_compiled;  /* of these, with a kernel that cuDNN compiled */
} UkPlanCounts;

typedef struct _UkBackend UkBackend;
typedef struct _UkOp      UkOp;
typedef struct _UkRecording UkRecording;
typedef struct _UkBackendTable UkBackendTable;
typedef struct _UkRanksTable   UkRanksTable; /* uk-ranks.h */

/* A prepared operation.  Backends embed it first in their own struct. */
struct _UkOp
{
  UkBackend *backend; /* borrowed */
  UkOpDesc   desc;
  size_t     scratch_bytes; /* working memory that run() needs, 64-byte aligned */
  /* Convolutions: if not 0, run() expects as `w` the output of pack(), of this size, instead of the
   * stored weights.  Operations on the same weights with the same pack_key share one packed copy. */
  size_t     packed_bytes;
  uint64_t   pack_key;
  /* Packed weights are the stored ones as UK_VALUE, aligned to 16 bytes.  So ADAM can write them.  And where UK_VALUE
   * has the type of UK_REAL, run() accepts stored weights that are aligned. */
  bool       packs_type_only;
};

struct _UkBackend
{
  const UkBackendTable *table;
  UkDataType value_type; /* of UK_VALUE */
};

enum
{
  UK_EXPORT_TEXT = 64,
  /* Exported sizes are multiples of this, so that no other memory shares the mapping. */
  UK_EXPORT_ALIGN = 2 * 1024 * 1024
};

/* A handle to device memory for other processes: see export_memory().  Plain bytes, sent by any means. */
typedef struct
{
  unsigned char handle[64];
  char          device[UK_EXPORT_TEXT]; /* the device: comparable, printable, terminated */
} UkExport;

/* See UkBackendTable.mark(). */
enum { UK_N_MARKS = 2 };

struct _UkBackendTable
{
  const char *name;         /* "reference", "cpu", "cuda" */
  size_t      element_size; /* of UK_REAL, bytes */
  bool        is_host;      /* memory from alloc() is host memory */

  /* Opens a backend; @out is owned by the caller and closed with close().
   * UK_UNSUPPORTED if the configuration is unavailable. */
  UkStatus (*open)    (const UkBackendConfig *config, UkBackend **out);
  void     (*close)   (UkBackend *self);

  /* Device memory: 64-byte aligned, zero-filled; NULL if out of memory. */
  void    *(*alloc)   (UkBackend *self, size_t n_bytes);
  void     (*free)    (UkBackend *self, void *memory, size_t n_bytes);

  /* Between device memory and this process: `count` elements of @type, UK_REAL or
   * UK_VALUE, as float. */
  UkStatus (*upload)  (UkBackend *self, UkArgType type, void *dst, const float *src, int64_t count);
  UkStatus (*download)(UkBackend *self, UkArgType type, float *dst, const void *src, int64_t count);
  /* The same for raw bytes (u8, u64, checkpoints).  Not for pinned host memory. */
  UkStatus (*write)   (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  UkStatus (*read)    (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  /* Device to device, or between device memory and pinned host memory; ordered with run() and as
   * asynchronous; the two must not overlap. */
  UkStatus (*copy)    (UkBackend *self, void *dst, const void *src, size_t n_bytes);

  /* Prepares @desc.  @out is owned by the caller and released with release(). */
  UkStatus (*prepare) (UkBackend *self, const UkOpDesc *desc, UkOp **out);
  void     (*release) (UkOp *op);

  /* Only where op->packed_bytes > 0: stored weights -> packed. */
  UkStatus (*pack)    (UkOp *op, const void *w, void *packed);

  /* Runs it.  @args in the order of uk_op_info(); @scratch has at least
   * op->scratch_bytes.  Never allocates.  May be asynchronous: see sync(). */
  UkStatus (*run)     (UkOp *op, void *const *args, void *scratch);

  /* (nullable) How @op is run, for people: "cuDNN engine 43, workspace 12.6 MB"; "" if there is no choice.
   * False if it is a slow fallback; some are known only after the first run. */
  bool     (*describe) (const UkOp *op, char *text, size_t size);
  UkPlanCounts (*count_plans) (UkBackend *self); /* (nullable) */

  /* Blocks until everything enqueued is complete. */
  UkStatus (*sync)    (UkBackend *self);

  /* Both or none (none on hosts, where everything is complete on return).  mark() gives what was enqueued so
   * far the number @mark, below UK_N_MARKS; wait_for() blocks until the last such is complete, and nothing else. */
  UkStatus (*mark)     (UkBackend *self, int mark);
  UkStatus (*wait_for) (UkBackend *self, int mark);

  /* All four or none (NULL).  Between begin_capture() and end_capture(), operations, packings
   * and copies are recorded instead of executed; no other call on the backend is allowed.
   * replay() then executes them all, as asynchronously as run(), with the same pointers.
   * end_capture() ends the capture even if it fails. */
  UkStatus (*begin_capture) (UkBackend *self);
  UkStatus (*end_capture)   (UkBackend *self, UkRecording **out);
  UkStatus (*replay)        (UkRecording *recording);
  void     (*free_capture)  (UkRecording *recording);

  /* All four or none (none on hosts).  Like read() and write(), but concurrent with run() instead of
   * ordered with it, from any thread, also during another thread's capture; complete on return.  Faster
   * with pinned host memory. */
  UkStatus (*read_async)  (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  UkStatus (*write_async) (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  UkStatus (*pin)          (UkBackend *self, void *host, size_t n_bytes);
  void     (*unpin)        (UkBackend *self, void *host);

  /* All three or none (none on hosts).  Shares memory from alloc(), n_bytes a multiple of
   * UK_EXPORT_ALIGN, with other processes on the same device.  Each imports it once (never the exporting
   * process) and releases it before it is freed; it vanishes with the exporting process.
   * UK_UNSUPPORTED: this device cannot, or @what is on another one. */
  UkStatus (*export_memory)  (UkBackend *self, void *memory, UkExport *out);
  UkStatus (*import_memory)  (UkBackend *self, const UkExport *what, void **out);
  void     (*release_import) (UkBackend *self, void *memory);

  /* (nullable) Collectives between ranks with one device each (uk-ranks.h). */
  const UkRanksTable *ranks;

  /* (nullable) The device's memory in bytes: free now, and total. */
  UkStatus (*memory)  (UkBackend *self, int64_t *n_free, int64_t *n_total);
  /* (nullable) The error text of the device or its libraries for the last failure; "" if none.
   * @self NULL: for this thread's last failed open().  Valid until the next call. */
  const char *(*explain) (UkBackend *self);
};

/* Bytes of an element of @type in @backend. */
size_t uk_type_size (const UkBackend *backend, UkArgType type);

/* The bytes that an operation on data larger than any cache moves on @backend, for the roofline: each
 * argument as often as it is read or written, optional ones not counted. */
double uk_op_bytes (const UkOpDesc *desc, const UkBackend *backend);
/* Those of argument @arg alone, also if it is optional. */
double uk_op_arg_bytes (const UkOpDesc *desc, int arg, const UkBackend *backend);

/* Plain C in double precision: slow, simple, and the definition of correct results. */
const UkBackendTable *uk_backend_reference (void);

/* oneDNN and our own SIMD kernels, single precision. */
const UkBackendTable *uk_backend_cpu (void);

/* One NVIDIA GPU: cuDNN, cuBLAS and our own kernels.  NULL if not built or no module is found. */
const UkBackendTable *uk_backend_cuda (void);

/* A GPU on paper: programs can be planned for it on a machine without one, but not run.  In no list. */
const UkBackendTable *uk_backend_paper (void);

/* By name ("reference", "cpu", "cuda"), or NULL. */
const UkBackendTable *uk_backend_find (const char *name);

/* ------------------------------------------------------------------------ */
/* The machine                                                               */

typedef struct
{
  char   model[128]; /* as reported by the processor */
  char   isa[64];    /* the best instruction set that the kernels here use, "avx512" */
  int    n_cores;    /* available to this process */
  bool   has_bf16;   /* in hardware, so that UK_BF16 can be faster */
  char   library[64]; /* "oneDNN 2.6.3" */
} UkCpuInfo;

void uk_cpu_info (UkCpuInfo *info);

/* Measured, about 0.2 s each: FLOP/s of fused multiply-adds in registers, and bytes/s (read + written)
 * of a large copy. */
double uk_cpu_peak_flops (int n_threads);
double uk_cpu_peak_copy  (int n_threads);

typedef struct
{
  char    name[256];   /* "NVIDIA H200" */
  char    pci[32];     /* its address, "0000:17:00.0" */
  char    library[64]; /* "CUDA 13.0" */
  int     capability;  /* compute capability, 90 for 9.0 */
  int     n_multiprocessors;
  int64_t memory;      /* bytes */
  bool    has_bf16;    /* in hardware; implies tf32 */
  char    cudnn[32];   /* version, "9.19.0"; "": not available, convolutions are slow */
} UkCudaInfo;

/* Lowest supported compute capability, times 10. */
enum { UK_CUDA_LEAST_CAPABILITY = 75 };

/* Number of GPUs available to this process.  If 0, @why is the reason (static, for users: "no driver is
 * installed"), also for a build without CUDA. */
int      uk_cuda_count (const char **why);
UkStatus uk_cuda_info  (int device, UkCudaInfo *info);

#ifdef __cplusplus
}
#endif
