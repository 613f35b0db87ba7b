/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uk.h - the one door into kernels/: numbers in, numbers out.
 *
 * A backend (reference, cpu, cuda) is a table of functions.  It turns an
 * operation's description, a UkOpDesc, into a prepared UkOp, and runs that as
 * often as one likes on raw pointers.  Nothing here prints, exits or keeps
 * global state, and running an operation never allocates.
 *
 * What all backends agree on, so that nobody converts anything:
 *  - Activations are (n, h, w, c), row-major, channels innermost (NHWC).
 *  - A convolution's weights are stored as (o, i, kh, kw), a transposed
 *    convolution's as (i, o, kh, kw), i being its input channels: the orders
 *    that PyTorch and safetensors readers expect.  A backend that wants
 *    another order packs them once per update (see UkOp.packed_bytes).
 *  - A parameter, a statistic or a sum (UK_REAL) is a double in `reference` and a
 *    float elsewhere.
 *  - What flows between layers, forward and back (UK_VALUE), is as large as the
 *    backend says when it is open (UkBackend.value_size): 8 bytes in `reference`,
 *    4 in `cpu`, and in `cuda` 4, or 2 (bfloat16) where the precision is bf16.
 *  - Random numbers are counters: see uk-random.h.
 *
 * Legend: x input, y output, w weights, b bias; dx, dy, dw, db their gradients;
 * n samples, h w rows and columns, c channels.
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
  UK_BAD_SHAPE,    /* shapes that do not fit together, or sizes out of range */
  UK_BAD_ARGUMENT, /* a required argument is NULL, or a field is out of range */
  UK_NO_MEMORY,
  UK_UNSUPPORTED, /* this backend or this processor does not have it */
  UK_DEVICE_ERROR, /* the library or device underneath failed */
  UK_BUSY /* not done yet: ask again */
} UkStatus;

/* A sentence fragment for people, such as "shapes do not fit"; never NULL. */
const char *uk_status_text (UkStatus status);

typedef struct
{
  int64_t n, h, w, c;
} UkShape;

/* n * h * w * c */
int64_t uk_shape_count (UkShape shape);

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

/* Each kind lists its arguments in the order of run()'s args.  "?" may be
 * NULL.  Unless it says so, an output is overwritten and must not overlap an
 * input.  "in place" means that this output may be the same pointer as that
 * input. */
typedef enum
{
  /* tiles:u8 (y), rng:u64[2], -> y.  y = tiles / 127.5 - 1; with desc.dihedral
   * each sample is turned and mirrored by one of the 8 elements of D4, drawn
   * from (rng, desc.stream, sample).  With desc.bits each value is a bit, 1 for
   * 255 and 0 for 0, in the order of (n, h, w, c) from a byte's lowest up; each
   * sample begins with a byte of its own.  y is the same to the bit. */
  UK_OP_LOAD,
  /* rng:u64[2] -> y.  Standard normal numbers. */
  UK_OP_NOISE,
  /* x, rng:u64[2], p[1] -> y.  DiffAugment (Zhao et al. 2020, 2006.10738):
   * translation by up to 1/8 of the edge with zeros moving in, then a cut-out
   * square of half the edge; each with probability p, drawn from (rng,
   * desc.stream, sample). */
  UK_OP_AUGMENT,
  /* dy, rng:u64[2], p[1] -> dx.  Its adjoint. */
  UK_OP_AUGMENT_GRAD,

  /* x, w, b?, -> y.  y = act (conv (x, w) + b).  desc: x, y, kernel, stride,
   * pad, transposed, act, slope.  A fully connected layer is a convolution
   * whose kernel is its input (or, transposed, its output). */
  UK_OP_CONV,
  /* dy, w -> dx.  The data gradient of the convolution alone (no act). */
  UK_OP_CONV_DGRAD,
  /* x, dy -> dw.  The weight gradient; desc.accumulate adds to dw. */
  UK_OP_CONV_WGRAD,

  /* x (n, h, w, c), w (h, w, c) -> y (n, 1, 1, c).  y = sum over the pixels of
   * x * w: the depthwise convolution that ends the `modern` discriminator. */
  UK_OP_DEPTHWISE,
  /* dy, w -> dx */
  UK_OP_DEPTHWISE_DGRAD,
  /* x, dy -> dw; desc.accumulate */
  UK_OP_DEPTHWISE_WGRAD,

  /* x, b? (c) -> y.  y = act (x + b); in place. */
  UK_OP_BIAS_ACT,
  /* y, dy, scale? (n), db? (c) -> dx.  dx = dy * act' where act' is read off
   * the output y; in place (dx = dy).  If db: db = sum over n, h, w of
   * scale[n] * dx, scale NULL meaning 1; desc.accumulate adds to db (only).
   * y may be NULL where act is UK_ACT_NONE; dx may be NULL then too, and only
   * db is computed.  The same operation masks a tangent: u = act' (y) * t. */
  UK_OP_ACT_GRAD,

  /* x, gamma (c), beta (c), running_mean? (c), running_var? (c)
   *   -> y, mean (c), inv_std (c).
   * Batch statistics over n, h, w (biased variance, eps = desc.eps), then
   * act.  running_* = (1 - desc.momentum) running_* + desc.momentum * batch
   * (the variance unbiased, as PyTorch does).  In place (y = x) is NOT allowed. */
  UK_OP_BATCH_NORM,
  /* x, y, dy, gamma, mean, inv_std -> dx, dgamma (c), dbeta (c).  Through act
   * and the batch statistics; in place (dx = dy); desc.accumulate adds to
   * dgamma and dbeta. */
  UK_OP_BATCH_NORM_GRAD,
  /* x, gamma, beta, mean (c), var (c) -> y.  With given statistics; in place. */
  UK_OP_BATCH_NORM_INFER,
  /* x, gamma, beta, mean, inv_std -> y.  What UK_OP_BATCH_NORM made, to the bit,
   * from what it left: to forget y and have it again.  In place is NOT allowed. */
  UK_OP_BATCH_NORM_RECOMPUTE,

  /* Batch norm over the samples of r ranks, desc.batch = r x.n of them, in two
   * parts with an exchange in between: the ranks gather each other's statistics
   * (r, 2, c), forward, and add up each other's sums (2, c), backward.  Each rank
   * then has what UK_OP_BATCH_NORM and its gradient make of all samples at once. */

  /* x -> statistics (2, c): the mean and the biased variance over n, h, w.
   *
   * Gathered, not added: a sum of squares would lose the variance where the mean
   * is large, and squared deviations can only be added once all know the mean,
   * in a second exchange.  Means and variances of parts of the same size combine
   * exactly (Chan, Golub & LeVeque 1983), and a float is enough for them: it
   * moves a mean by no more than it moved each x. */
  UK_OP_BATCH_NORM_LOCAL,
  /* x, statistics (r, 2, c), gamma (c), beta (c), running_mean? (c),
   * running_var? (c) -> y, mean (c), inv_std (c).  The second half of
   * UK_OP_BATCH_NORM; each rank gets the same mean and inv_std to the bit, and
   * the running variance is unbiased over all.  In place (y = x) is NOT allowed. */
  UK_OP_BATCH_NORM_GLOBAL,
  /* x, y, dy, mean, inv_std -> sums (2, c), dgamma? (c), dbeta? (c).  sums = what
   * dgamma and dbeta get from these samples alone; both are gradients of parameters,
   * which ranks add up like any other.  desc.accumulate adds to dgamma and dbeta
   * (only). */
  UK_OP_BATCH_NORM_GRAD_LOCAL,
  /* x, y, dy, gamma, mean, inv_std, sums (2, c) -> dx.  sums over all ranks; in
   * place (dx = dy). */
  UK_OP_BATCH_NORM_GRAD_GLOBAL,

  /* x (n, h, w, c) -> y (n, 2h, 2w, c), times desc.scale.  Bilinear: each axis
   * is upsampled by zero insertion and the filter [1 3 3 1] / 4, with zeros
   * outside.  With scale s it is the adjoint of UK_OP_DOWNSAMPLE with 4 s. */
  UK_OP_UPSAMPLE,
  /* x (n, 2h, 2w, c) -> y (n, h, w, c), times desc.scale.  The filter
   * [1 3 3 1] / 8 on each axis, stride 2, zeros outside (padding 1). */
  UK_OP_DOWNSAMPLE,

  /* a, b -> y.  y = a + b; in place (either). */
  UK_OP_ADD,
  /* a, c (n), u, k[1] -> y.  y = c[n] * a + k * u; in place (either).  The
   * weight gradient's input under an R1/R2 penalty. */
  UK_OP_AXPBY,

  /* v, -> sums (n), metrics (1).  sums[n] = |v[n]|^2, metrics = their mean. */
  UK_OP_SQUARED_NORM,
  /* logits (n) -> dlogits (n), metrics (2).  Binary cross entropy against
   * desc.target (0 or 1) on logits, mean over desc.batch samples; metrics =
   * loss, mean logit. */
  UK_OP_LOSS_BCE,
  /* logits (2 n: real, then fake) -> dlogits (2 n), metrics (3).  Relativistic
   * pairing (R3GAN, 2501.05441): mean softplus (-(real - fake)); metrics =
   * loss, mean real logit, mean fake logit.  x = (2 n, 1, 1, 1).  The mean is
   * over desc.batch pairs. */
  UK_OP_LOSS_PAIR_D,
  /* logits (2 n: real, then fake) -> dfake (n), metrics (3).  mean softplus
   * (real - fake), the generator's side; metrics as above. */
  UK_OP_LOSS_PAIR_G,

  /* g (x.n), hyper (UK_N_HYPER) -> out (2).  out[0] = |g|; out[1] = min (1,
   * hyper[UK_HYPER_CLIP_NORM] / |g|), or 1 where the limit is 0, or 0 if |g|
   * is not finite.  Where elements are floats, |g| is infinite if a square of
   * them is: Adam's second moments would be, for ever. */
  UK_OP_GRAD_NORM,
  /* w, g, m?, v, ema?, hyper (UK_N_HYPER), norm (2), all but the last two of
   * x.n elements and in place.  Adam (Kingma & Ba, 1412.6980) on
   * norm[1] * g; m is NULL where beta1 is 0.  Where norm[1] is 0 nothing
   * changes at all.  Then ema = ema_beta * ema + (1 - ema_beta) * w. */
  UK_OP_ADAM,
  /* -> y.  y = desc.scale in every element of y. */
  UK_OP_FILL,

  UK_N_OPS
} UkOpKind;

/* The layout of a `hyper` argument: what changes from step to step. */
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
  UK_N_HYPER
};

typedef struct
{
  UkOpKind kind;
  UkShape  x; /* the forward input; also for the gradients */
  UkShape  y; /* the forward output; also for the gradients */
  int      kernel, stride, pad; /* convolutions; square */
  bool     transposed;
  UkAct    act;
  float    slope;
  float    scale;
  float    eps, momentum; /* batch norm */
  float    target;        /* LOSS_BCE */
  int64_t  batch; /* losses: how many samples (pairs) the mean is over; BATCH_NORM_*GLOBAL:
                   * of all ranks, each of which has x.n */
  bool     accumulate;
  bool     dihedral;
  bool     bits;         /* LOAD: of tiles */
  uint32_t stream;       /* random: which stream of numbers */
  int64_t  first_sample; /* random: index of sample 0 in the global batch */
} UkOpDesc;

enum { UK_MAX_ARGS = 9 };

typedef enum { UK_REAL, UK_VALUE, UK_U8, UK_U64 } UkArgType;
typedef enum { UK_IN, UK_OUT, UK_INOUT } UkArgRole;

typedef struct
{
  const char *name;
  UkArgType   type;
  UkArgRole   role;
  bool        optional;
} UkArgInfo;

typedef struct
{
  const char *name; /* "conv-dgrad" */
  int         n_args;
  UkArgInfo   args[UK_MAX_ARGS];
} UkOpInfo;

/* Name and arguments of a kind, in run()'s order; inputs come before outputs
 * where the list above says "->".  NULL for no such kind.  Outputs to which
 * desc.accumulate adds are UK_OUT here. */
const UkOpInfo *uk_op_info (UkOpKind kind);

/* How many elements (of the argument's own type) argument @arg of @desc has;
 * 0 if there is no such argument. */
int64_t uk_op_arg_count (const UkOpDesc *desc, int arg);

/* UK_OK if the shapes and fields of @desc make sense for its kind.  Every
 * backend's prepare() begins with this.  Elementwise operations want x = y;
 * losses want x = (n, 1, 1, 1); GRAD_NORM and ADAM look at x.n alone; LOAD,
 * NOISE and FILL at y alone. */
UkStatus uk_op_check (const UkOpDesc *desc);

/* UK_BAD_ARGUMENT if one of @args that @kind cannot do without is NULL.  Every backend's run()
 * begins with this. */
UkStatus uk_op_check_args (UkOpKind kind, void *const *args);

/* Floating point operations (a multiply-add counts 2), for the roofline. */
double uk_op_flops (const UkOpDesc *desc);

/* ------------------------------------------------------------------------ */
/* Backends                                                                  */

/* "fp32", "bf16", "tf32" */
const char *uk_precision_name (UkPrecision precision);

typedef struct
{
  int         n_threads; /* hosts; 0: all that this process may run on */
  UkPrecision precision;
  int         device;    /* which one, where there are several: numbered from 0 */
  const char *cache;     /* (nullable) copied: a folder in which what was measured about the device
                          * may be kept for the next time */
} UkBackendConfig;

typedef struct _UkBackend UkBackend;
typedef struct _UkOp      UkOp;
typedef struct _UkRecording UkRecording;
typedef struct _UkBackendTable UkBackendTable;
typedef struct _UkRanksTable   UkRanksTable; /* uk-ranks.h */

/* What a prepared operation tells about itself.  Backends embed it first in
 * their own struct. */
struct _UkOp
{
  UkBackend *backend; /* borrowed */
  UkOpDesc   desc;
  size_t     scratch_bytes; /* of working memory that run() wants, 64-byte aligned */
  /* Convolutions: if not 0, argument `w` of run() is not the stored weights but
   * what pack() made of them, this large.  Two operations on the same weights
   * with the same pack_key share one packed copy. */
  size_t     packed_bytes;
  uint64_t   pack_key;
};

struct _UkBackend
{
  const UkBackendTable *table;
  size_t value_size; /* of UK_VALUE, bytes */
};

enum
{
  UK_EXPORT_TEXT = 64,
  /* What is exported is a multiple of this, so that no other memory lies in the same piece. */
  UK_EXPORT_ALIGN = 2 * 1024 * 1024
};

/* Memory of a device as other processes find it: see export_memory().  Plain bytes, to be passed on
 * in whatever way. */
typedef struct
{
  unsigned char handle[64];
  char          device[UK_EXPORT_TEXT]; /* where it is, to compare and for people; terminated */
} UkExport;

struct _UkBackendTable
{
  const char *name;         /* "reference", "cpu", "cuda" */
  size_t      element_size; /* of UK_REAL, bytes */
  bool        is_host;      /* what alloc() gives can be read by this process as it is */

  /* Opens a backend; @out is owned by the caller and closed with close().
   * UK_UNSUPPORTED if the configuration cannot be had here. */
  UkStatus (*open)    (const UkBackendConfig *config, UkBackend **out);
  void     (*close)   (UkBackend *self);

  /* Device memory: 64-byte aligned, zero-filled; NULL if there is none. */
  void    *(*alloc)   (UkBackend *self, size_t n_bytes);
  void     (*free)    (UkBackend *self, void *memory, size_t n_bytes);

  /* Between device memory and this process: `count` elements of @type, UK_REAL or
   * UK_VALUE, as float. */
  UkStatus (*upload)  (UkBackend *self, UkArgType type, void *dst, const float *src, int64_t count);
  UkStatus (*download)(UkBackend *self, UkArgType type, float *dst, const void *src, int64_t count);
  /* The same for raw bytes (u8, u64, checkpoints).  Not from or to memory that was pinned. */
  UkStatus (*write)   (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  UkStatus (*read)    (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  /* From device memory to device memory, in turn with run() and as asynchronous
   * as that; the two must not overlap. */
  UkStatus (*copy)    (UkBackend *self, void *dst, const void *src, size_t n_bytes);

  /* Prepares @desc.  @out is owned by the caller and released with release(). */
  UkStatus (*prepare) (UkBackend *self, const UkOpDesc *desc, UkOp **out);
  void     (*release) (UkOp *op);

  /* Only where op->packed_bytes > 0: weights as stored -> packed. */
  UkStatus (*pack)    (UkOp *op, const void *w, void *packed);

  /* Runs it.  @args in the order of uk_op_info(); @scratch has at least
   * op->scratch_bytes.  Never allocates.  May be asynchronous: see sync(). */
  UkStatus (*run)     (UkOp *op, void *const *args, void *scratch);

  /* Waits until all that was started is done. */
  UkStatus (*sync)    (UkBackend *self);

  /* All four or none (NULL).  Between begin_capture() and end_capture(), operations, packings
   * and copies are recorded instead of executed; no other call on the backend is allowed.
   * replay() then executes them all, as asynchronously as run(), with the same pointers.
   * end_capture() ends the capture even if it fails. */
  UkStatus (*begin_capture) (UkBackend *self);
  UkStatus (*end_capture)   (UkBackend *self, UkRecording **out);
  UkStatus (*replay)        (UkRecording *recording);
  void     (*free_capture)  (UkRecording *recording);

  /* All four or none (none on hosts).  read() and write() beside what runs, rather than in turn
   * with it, from any thread, also while another one records; done when they return.  Faster from
   * and to memory that was pinned. */
  UkStatus (*read_async)  (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  UkStatus (*write_async) (UkBackend *self, void *dst, const void *src, size_t n_bytes);
  UkStatus (*pin)          (UkBackend *self, void *host, size_t n_bytes);
  void     (*unpin)        (UkBackend *self, void *host);

  /* All three or none (none on hosts).  Memory from alloc(), n_bytes a multiple of UK_EXPORT_ALIGN,
   * for other processes on the same device.  They import it (not the one that exports it, and once
   * each), and release it before it is freed; it goes with the process that exported it.
   * UK_UNSUPPORTED: this device cannot, or @what is on another one. */
  UkStatus (*export_memory)  (UkBackend *self, void *memory, UkExport *out);
  UkStatus (*import_memory)  (UkBackend *self, const UkExport *what, void **out);
  void     (*release_import) (UkBackend *self, void *memory);

  /* (nullable) How ranks with a device each exchange numbers (uk-ranks.h). */
  const UkRanksTable *ranks;

  /* (nullable) The device's memory, bytes: all, and what is free now. */
  UkStatus (*memory)  (UkBackend *self, int64_t *n_free, int64_t *n_total);
  /* (nullable) What the device or its libraries said when something failed last, for people;
   * "" if nothing.  @self: NULL: of the last open() of this thread that failed.  Valid until the
   * next call. */
  const char *(*explain) (UkBackend *self);
};

/* Bytes of an element of @type in @backend. */
size_t uk_type_size (const UkBackend *backend, UkArgType type);

/* The least bytes that an operation moves on @backend (every argument once, in-and-out ones
 * twice, without the optional ones), for the roofline. */
double uk_op_bytes (const UkOpDesc *desc, const UkBackend *backend);

/* Plain C in double precision: slow, obvious, the definition of right. */
const UkBackendTable *uk_backend_reference (void);

/* oneDNN and our own SIMD kernels, single precision. */
const UkBackendTable *uk_backend_cpu (void);

/* One NVIDIA GPU: cuDNN, cuBLAS and our own kernels.  NULL where it was left out of the build. */
const UkBackendTable *uk_backend_cuda (void);

/* By name ("reference", "cpu", "cuda"), or NULL. */
const UkBackendTable *uk_backend_find (const char *name);

/* ------------------------------------------------------------------------ */
/* The machine                                                               */

typedef struct
{
  char   model[128]; /* as the processor calls itself */
  char   isa[64];    /* the best instruction set that the kernels here use, "avx512" */
  int    n_cores;    /* that this process may run on */
  bool   has_bf16;   /* in hardware, so that UK_BF16 can pay */
  char   library[64]; /* "oneDNN 2.6.3" */
} UkCpuInfo;

void uk_cpu_info (UkCpuInfo *info);

/* Measured, not looked up; each takes about 0.2 s.  FLOP/s of fused
 * multiply-adds in registers, and bytes/s (read + written) of a large copy. */
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
  bool    has_bf16;    /* in hardware; tf32 came with it */
  char    cudnn[32];   /* version, "9.19.0"; "": without it convolutions are slow */
} UkCudaInfo;

/* Compute capability, times 10: of an older GPU there is no code. */
enum { UK_CUDA_LEAST_CAPABILITY = 75 };

/* How many GPUs this process may use; 0 also where CUDA was left out of the build, and why then in
 * @why (static, for people: "no driver is installed"). */
int      uk_cuda_count (const char **why);
UkStatus uk_cuda_info  (int device, UkCudaInfo *info);

#ifdef __cplusplus
}
#endif
