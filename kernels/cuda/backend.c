/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.c - the `cuda` backend: opening, memory, captures, and the table.
 *
 * One stream runs everything in order; waiting means waiting for all of it.  A second one runs
 * asynchronous copies.  A recording is a CUDA graph: a step of several hundred kernels is then launched
 * by one call.
 */
#include "kernels/cuda/cuda-private.h"
#include "kernels/uk-half.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to this size, cudaMemcpyAsync() from pageable memory stages the data before it returns. */
enum { STAGED_BYTES = 64 << 10 };

struct _UkRecording
{
  UkCudaBackend  *backend; /* borrowed */
  cudaGraphExec_t graph;
};

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

UkStatus
uk_cuda_check (UkCudaBackend *self, cudaError_t error, const char *what)
{
  if (error == cudaSuccess)
    return UK_OK;
  cudaGetLastError (); /* else the next call would report it again */
  if (self != NULL)
    snprintf (self->error, sizeof self->error, "%s: %s (%s)", what, cudaGetErrorString (error),
              cudaGetErrorName (error));
  return error == cudaErrorMemoryAllocation ? UK_NO_MEMORY : UK_DEVICE_ERROR;
}

/* Why this thread's last open() failed. */
static _Thread_local char open_error[sizeof ((UkCudaBackend *) 0)->error];

static const char *
explain (UkBackend *self)
{
  return self != NULL ? ((UkCudaBackend *) self)->error : open_error;
}

UkStatus
uk_cuda_enter (UkBackend *base)
{
  UkCudaBackend *self = (UkCudaBackend *) base;

  return uk_cuda_check (self, cudaSetDevice (self->device), "selecting the GPU");
}

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static void
close_backend (UkBackend *base)
{
  UkCudaBackend *self = (UkCudaBackend *) base;

  if (self == NULL)
    return;
  uk_cuda_enter (base);
  if (self->stream != NULL)
    cudaStreamSynchronize (self->stream);
  uk_cuda_libraries_close (self->libraries);
  for (int i = 0; i < UK_N_MARKS; i++)
    if (self->marks[i] != NULL)
      cudaEventDestroy (self->marks[i]);
  if (self->async_stream != NULL)
    cudaStreamDestroy (self->async_stream);
  if (self->stream != NULL)
    cudaStreamDestroy (self->stream);
  free (self);
}

static UkStatus
start (UkCudaBackend *self, const UkBackendConfig *config)
{
  UkStatus status = uk_cuda_enter (&self->base);

  if (status == UK_OK)
    status = uk_cuda_check (self, cudaStreamCreateWithFlags (&self->stream, cudaStreamNonBlocking),
                            "creating a stream");
  if (status == UK_OK)
    status = uk_cuda_check (self, cudaStreamCreateWithFlags (&self->async_stream, cudaStreamNonBlocking),
                            "creating a stream");
  for (int i = 0; i < UK_N_MARKS && status == UK_OK; i++)
    status = uk_cuda_check (self, cudaEventCreateWithFlags (&self->marks[i], cudaEventDisableTiming),
                            "creating an event");
  return status == UK_OK ? uk_cuda_libraries_open (self, config, &self->libraries) : status;
}

static UkStatus
open_backend (const UkBackendConfig *config, UkBackend **out)
{
  UkCudaBackend *self;
  UkCudaInfo info;
  UkStatus status;

  if (out == NULL)
    return UK_BAD_ARGUMENT;
  *out = NULL;
  status = uk_cuda_describe_device (config != NULL ? config->device : 0, &info);
  if (status != UK_OK)
    return status;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return UK_NO_MEMORY;
  self->base.table = &uk_cuda_table;
  self->device = config != NULL ? config->device : 0;
  self->precision = config != NULL ? config->precision : UK_FP32;
  self->base.value_type = uk_data_type_of (self->precision);
  self->capability = info.capability;
  if (info.capability < UK_CUDA_LEAST_CAPABILITY)
    {
      snprintf (self->error, sizeof self->error, "%s has compute capability %d.%d; at least 7.5 is needed",
                info.name, info.capability / 10, info.capability % 10);
      status = UK_UNSUPPORTED;
    }
  else if ((self->precision == UK_BF16 || self->precision == UK_TF32) && !info.has_bf16)
    {
      snprintf (self->error, sizeof self->error, "%s does not support %s in hardware; choose fp32 or fp16", info.name,
                uk_precision_name (self->precision));
      status = UK_UNSUPPORTED;
    }
  else
    status = start (self, config);
  if (status != UK_OK)
    {
      snprintf (open_error, sizeof open_error, "%s", self->error);
      close_backend (&self->base);
      return status;
    }
  *out = &self->base;
  return UK_OK;
}

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */

static void *
alloc_memory (UkBackend *base, size_t n_bytes)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  void *memory = NULL;

  n_bytes = n_bytes > 0 ? n_bytes : 1;
  if (n_bytes > SIZE_MAX / 2 || uk_cuda_enter (base) != UK_OK
      || uk_cuda_check (self, cudaMalloc (&memory, n_bytes), "allocating memory") != UK_OK)
    return NULL;
  /* Waits, or it could clear what an asynchronous copy on the other stream writes next. */
  if (uk_cuda_check (self, cudaMemsetAsync (memory, 0, n_bytes, self->stream), "clearing memory") == UK_OK
      && uk_cuda_check (self, cudaStreamSynchronize (self->stream), "clearing memory") == UK_OK)
    return memory;
  cudaFree (memory);
  return NULL;
}

static void
free_memory (UkBackend *base, void *memory, size_t n_bytes)
{
  if (memory != NULL && uk_cuda_enter (base) == UK_OK)
    cudaFree (memory); /* waits for pending work that may use it */
}

static UkStatus
sync_backend (UkBackend *base)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_cuda_enter (base);

  return status != UK_OK
           ? status
           : uk_cuda_check (self, cudaStreamSynchronize (self->stream), "waiting for the GPU");
}

static UkStatus
mark (UkBackend *base, int mark)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_cuda_enter (base);

  return status != UK_OK ? status
                         : uk_cuda_check (self, cudaEventRecord (self->marks[mark], self->stream),
                                          "recording an event");
}

static UkStatus
wait_for (UkBackend *base, int mark)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_cuda_enter (base);

  return status != UK_OK
           ? status
           : uk_cuda_check (self, cudaEventSynchronize (self->marks[mark]), "waiting for the GPU");
}

static UkStatus
move (UkBackend *base, cudaStream_t stream, void *dst, const void *src, size_t n_bytes,
      enum cudaMemcpyKind kind)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status;

  if (n_bytes == 0)
    return UK_OK;
  if (dst == NULL || src == NULL)
    return UK_BAD_ARGUMENT;
  status = uk_cuda_enter (base);
  return status != UK_OK
           ? status
           : uk_cuda_check (self, cudaMemcpyAsync (dst, src, n_bytes, kind, stream), "copying memory");
}

/* The caller may overwrite @src at once, so larger copies are waited for. */
static UkStatus
write_memory (UkBackend *base, void *dst, const void *src, size_t n_bytes)
{
  UkStatus status = move (base, ((UkCudaBackend *) base)->stream, dst, src, n_bytes,
                          cudaMemcpyHostToDevice);

  return status == UK_OK && n_bytes > STAGED_BYTES ? sync_backend (base) : status;
}

static UkStatus
read_memory (UkBackend *base, void *dst, const void *src, size_t n_bytes)
{
  UkStatus status = move (base, ((UkCudaBackend *) base)->stream, dst, src, n_bytes,
                          cudaMemcpyDeviceToHost);

  return status == UK_OK ? sync_backend (base) : status;
}

static UkStatus
copy_memory (UkBackend *base, void *dst, const void *src, size_t n_bytes)
{
  return move (base, ((UkCudaBackend *) base)->stream, dst, src, n_bytes,
               cudaMemcpyDefault); /* which memory it is follows from the addresses */
}

static UkStatus
move_async (UkBackend *base, void *dst, const void *src, size_t n_bytes, enum cudaMemcpyKind kind)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = move (base, self->async_stream, dst, src, n_bytes, kind);

  return status != UK_OK
           ? status
           : uk_cuda_check (self, cudaStreamSynchronize (self->async_stream), "copying memory");
}

static UkStatus
read_async (UkBackend *self, void *dst, const void *src, size_t n_bytes)
{
  return move_async (self, dst, src, n_bytes, cudaMemcpyDeviceToHost);
}

static UkStatus
write_async (UkBackend *self, void *dst, const void *src, size_t n_bytes)
{
  return move_async (self, dst, src, n_bytes, cudaMemcpyHostToDevice);
}

static UkStatus
pin (UkBackend *base, void *host, size_t n_bytes)
{
  UkStatus status = uk_cuda_enter (base);

  if (status != UK_OK || cudaHostRegister (host, n_bytes, cudaHostRegisterPortable) == cudaSuccess)
    return status;
  cudaGetLastError (); /* no error text: callers work without pinning */
  return UK_DEVICE_ERROR;
}

/* Also called for memory that could not be pinned. */
static void
unpin (UkBackend *base, void *host)
{
  if (uk_cuda_enter (base) == UK_OK && cudaHostUnregister (host) != cudaSuccess)
    cudaGetLastError ();
}

/* ------------------------------------------------------------------------ */
/* Memory shared between processes                                           */

/* "0000:17:00.0, 5f0c…": the PCI address for people and, since a GPU may be partitioned, the UUID. */
static UkStatus
describe_device (UkCudaBackend *self, char text[UK_EXPORT_TEXT])
{
  struct cudaDeviceProp properties;
  char pci[32] = "";
  UkStatus status = uk_cuda_check (self, cudaGetDeviceProperties (&properties, self->device),
                                   "identifying the GPU");
  size_t n;

  if (status == UK_OK)
    status = uk_cuda_check (self, cudaDeviceGetPCIBusId (pci, (int) sizeof pci, self->device),
                            "identifying the GPU");
  if (status != UK_OK)
    return status;
  n = (size_t) snprintf (text, UK_EXPORT_TEXT, "%.24s, ", pci);
  for (size_t i = 0; i < sizeof properties.uuid.bytes; i++)
    n += (size_t) snprintf (text + n, UK_EXPORT_TEXT - n, "%02x",
                            (unsigned) (unsigned char) properties.uuid.bytes[i]);
  return UK_OK;
}

static UkStatus
export_memory (UkBackend *base, void *memory, UkExport *out)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  cudaIpcMemHandle_t handle;
  UkStatus status = uk_cuda_enter (base);
  cudaError_t error;

  memset (out, 0, sizeof *out);
  if (status == UK_OK)
    status = describe_device (self, out->device);
  if (status != UK_OK)
    return status;
  error = cudaIpcGetMemHandle (&handle, memory);
  _Static_assert (sizeof handle == sizeof out->handle, "a handle fits");
  memcpy (out->handle, &handle, sizeof handle);
  status = uk_cuda_check (self, error, "sharing memory with other processes");
  return error == cudaErrorNotSupported ? UK_UNSUPPORTED : status;
}

static UkStatus
import_memory (UkBackend *base, const UkExport *what, void **out)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  cudaIpcMemHandle_t handle;
  char own[UK_EXPORT_TEXT];
  UkStatus status = uk_cuda_enter (base);
  cudaError_t error;

  *out = NULL;
  if (status == UK_OK)
    status = describe_device (self, own);
  if (status != UK_OK)
    return status;
  if (strncmp (own, what->device, sizeof own) != 0)
    {
      snprintf (self->error, sizeof self->error,
                "the other process's memory is on GPU %.*s, but this process uses GPU %s",
                UK_EXPORT_TEXT - 1, what->device, own);
      return UK_UNSUPPORTED;
    }
  memcpy (&handle, what->handle, sizeof handle);
  error = cudaIpcOpenMemHandle (out, handle, cudaIpcMemLazyEnablePeerAccess);
  status = uk_cuda_check (self, error, "opening another process's memory");
  return error == cudaErrorNotSupported ? UK_UNSUPPORTED : status;
}

static void
release_import (UkBackend *base, void *memory)
{
  UkCudaBackend *self = (UkCudaBackend *) base;

  if (memory == NULL || uk_cuda_enter (base) != UK_OK)
    return;
  cudaStreamSynchronize (self->stream); /* pending work may use it */
  if (cudaIpcCloseMemHandle (memory) != cudaSuccess)
    cudaGetLastError ();
}

/* ------------------------------------------------------------------------ */
/* Floats                                                                    */

static bool
is_half (const UkBackend *self, UkArgType type)
{
  return type == UK_VALUE && uk_is_half (self->value_type);
}

static UkStatus
upload (UkBackend *self, UkArgType type, void *dst, const float *src, int64_t count)
{
  uint16_t *halves;
  UkStatus status;

  if (count < 0)
    return UK_BAD_SHAPE;
  if (!is_half (self, type))
    return write_memory (self, dst, src, (size_t) count * sizeof *src);
  halves = malloc ((size_t) count * sizeof *halves + 1);
  if (halves == NULL)
    return UK_NO_MEMORY;
  for (int64_t i = 0; i < count; i++)
    halves[i] = uk_to_half (self->value_type, src[i]);
  status = write_memory (self, dst, halves, (size_t) count * sizeof *halves);
  free (halves);
  return status;
}

static UkStatus
download (UkBackend *self, UkArgType type, float *dst, const void *src, int64_t count)
{
  uint16_t *halves;
  UkStatus status;

  if (count < 0)
    return UK_BAD_SHAPE;
  if (!is_half (self, type))
    return read_memory (self, dst, src, (size_t) count * sizeof *dst);
  halves = malloc ((size_t) count * sizeof *halves + 1);
  if (halves == NULL)
    return UK_NO_MEMORY;
  status = read_memory (self, halves, src, (size_t) count * sizeof *halves);
  for (int64_t i = 0; i < count && status == UK_OK; i++)
    dst[i] = uk_from_half (self->value_type, halves[i]);
  free (halves);
  return status;
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

static const UkCudaKernel *const kernels[UK_N_OPS] = {
  [UK_OP_LOAD] = &uk_cuda_load,
  [UK_OP_NOISE] = &uk_cuda_noise,
  [UK_OP_AUGMENT] = &uk_cuda_augment,
  [UK_OP_AUGMENT_GRAD] = &uk_cuda_augment,
  [UK_OP_CONV] = &uk_cuda_conv,
  [UK_OP_CONV_DGRAD] = &uk_cuda_conv_dgrad,
  [UK_OP_CONV_WGRAD] = &uk_cuda_conv_wgrad,
  [UK_OP_DEPTHWISE] = &uk_cuda_depthwise,
  [UK_OP_DEPTHWISE_DGRAD] = &uk_cuda_depthwise_dgrad,
  [UK_OP_DEPTHWISE_WGRAD] = &uk_cuda_depthwise_wgrad,
  [UK_OP_BIAS_ACT] = &uk_cuda_bias_act,
  [UK_OP_ACT_GRAD] = &uk_cuda_act_grad,
  [UK_OP_BATCH_NORM] = &uk_cuda_batch_norm,
  [UK_OP_BATCH_NORM_GRAD] = &uk_cuda_batch_norm_grad,
  [UK_OP_BATCH_NORM_INFER] = &uk_cuda_batch_norm_infer,
  [UK_OP_BATCH_NORM_RECOMPUTE] = &uk_cuda_batch_norm_infer,
  [UK_OP_BATCH_NORM_LOCAL] = &uk_cuda_batch_norm_local,
  [UK_OP_BATCH_NORM_GLOBAL] = &uk_cuda_batch_norm_global,
  [UK_OP_BATCH_NORM_GRAD_LOCAL] = &uk_cuda_batch_norm_grad_local,
  [UK_OP_BATCH_NORM_GRAD_GLOBAL] = &uk_cuda_batch_norm_grad_global,
  [UK_OP_UPSAMPLE] = &uk_cuda_resample,
  [UK_OP_DOWNSAMPLE] = &uk_cuda_resample,
  [UK_OP_ADD] = &uk_cuda_add,
  [UK_OP_AXPBY] = &uk_cuda_axpby,
  [UK_OP_SQUARED_NORM] = &uk_cuda_squared_norm,
  [UK_OP_LOSS_BCE] = &uk_cuda_loss_bce,
  [UK_OP_LOSS_PAIR_D] = &uk_cuda_loss_pair,
  [UK_OP_LOSS_PAIR_G] = &uk_cuda_loss_pair,
  [UK_OP_GRAD_SQUARES] = &uk_cuda_grad_squares,
  [UK_OP_GRAD_FACTOR] = &uk_cuda_grad_factor,
  [UK_OP_ADAM] = &uk_cuda_adam,
  [UK_OP_FILL] = &uk_cuda_fill,
  [UK_OP_CONCAT] = &uk_cuda_concat,
  [UK_OP_SHARES] = &uk_cuda_shares,
  [UK_OP_SHARES_GRAD] = &uk_cuda_shares,
};

static void
release (UkOp *base)
{
  UkCudaOp *op = (UkCudaOp *) base;

  if (op == NULL)
    return;
  if (op->kernel->release != NULL)
    op->kernel->release (op);
  free (op);
}

static UkStatus
prepare (UkBackend *base, const UkOpDesc *desc, UkOp **out)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_op_check (desc);
  UkCudaOp *op;

  if (status == UK_OK)
    status = uk_cuda_enter (base);
  if (status != UK_OK)
    return status;
  op = calloc (1, sizeof *op);
  if (op == NULL)
    return UK_NO_MEMORY;
  op->base.backend = base;
  op->base.desc = *desc;
  op->kernel = kernels[desc->kind];
  op->stream = self->stream;
  op->type = base->value_type;
  if (op->kernel->prepare != NULL)
    status = op->kernel->prepare (op);
  if (status != UK_OK)
    {
      release (&op->base);
      return status;
    }
  *out = &op->base;
  return UK_OK;
}

static UkStatus
pack (UkOp *base, const void *w, void *packed)
{
  UkCudaOp *op = (UkCudaOp *) base;
  UkStatus status;

  if (op->kernel->pack == NULL || op->base.packed_bytes == 0 || w == NULL || packed == NULL)
    return UK_BAD_ARGUMENT;
  status = uk_cuda_enter (base->backend);
  return status == UK_OK ? op->kernel->pack (op, w, packed) : status;
}

static UkStatus
run (UkOp *base, void *const *args, void *scratch)
{
  UkCudaOp *op = (UkCudaOp *) base;
  UkStatus status = uk_op_check_args (op->base.desc.kind, args);

  if (op->base.scratch_bytes > 0 && scratch == NULL)
    return UK_BAD_ARGUMENT;
  if (status == UK_OK)
    status = uk_cuda_enter (base->backend);
  return status == UK_OK ? op->kernel->run (op, args, scratch) : status;
}

static bool
describe (const UkOp *base, char *text, size_t size)
{
  const UkCudaOp *op = (const UkCudaOp *) base;

  text[0] = '\0';
  return op->kernel->describe == NULL || op->kernel->describe (op, text, size);
}

static UkPlanCounts
count_plans (UkBackend *base)
{
  const UkCudaBackend *self = (UkCudaBackend *) base;

  return self->libraries != NULL ? uk_cuda_libraries_count (self->libraries) : (UkPlanCounts) { 0 };
}

/* ------------------------------------------------------------------------ */
/* Captures                                                                  */

/* Thread-local: other threads may go on with calls that a capture forbids. */
static UkStatus
begin_capture (UkBackend *base)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkStatus status = uk_cuda_enter (base);

  return status != UK_OK ? status
                         : uk_cuda_check (self,
                                          cudaStreamBeginCapture (self->stream,
                                                                  cudaStreamCaptureModeThreadLocal),
                                          "starting a capture");
}

static void
free_capture (UkRecording *self)
{
  if (self == NULL)
    return;
  if (self->graph != NULL)
    cudaGraphExecDestroy (self->graph);
  free (self);
}

static UkStatus
end_capture (UkBackend *base, UkRecording **out)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  UkRecording *recording = calloc (1, sizeof *recording);
  cudaGraph_t graph = NULL;
  UkStatus status = uk_cuda_check (self, cudaStreamEndCapture (self->stream, &graph), "ending a capture");

  if (recording == NULL)
    status = UK_NO_MEMORY;
  if (status == UK_OK)
    {
      recording->backend = self;
      status = uk_cuda_check (self, cudaGraphInstantiate (&recording->graph, graph, 0),
                              "instantiating a graph");
    }
  if (graph != NULL)
    cudaGraphDestroy (graph);
  if (status == UK_OK)
    *out = recording;
  else
    free_capture (recording);
  return status;
}

static UkStatus
replay (UkRecording *self)
{
  UkStatus status = uk_cuda_enter (&self->backend->base);

  return status != UK_OK
           ? status
           : uk_cuda_check (self->backend, cudaGraphLaunch (self->graph, self->backend->stream),
                            "launching a graph");
}

static UkStatus
get_memory (UkBackend *base, int64_t *n_free, int64_t *n_total)
{
  UkCudaBackend *self = (UkCudaBackend *) base;
  size_t free_bytes = 0, total_bytes = 0;
  UkStatus status = uk_cuda_enter (base);

  if (status == UK_OK)
    status = uk_cuda_check (self, cudaMemGetInfo (&free_bytes, &total_bytes), "querying the GPU's memory");
  *n_free = (int64_t) free_bytes;
  *n_total = (int64_t) total_bytes;
  return status;
}

const UkBackendTable uk_cuda_table = {
  .name = "cuda",
  .element_size = sizeof (float),
  .is_host = false,
  .open = open_backend,
  .close = close_backend,
  .alloc = alloc_memory,
  .free = free_memory,
  .upload = upload,
  .download = download,
  .write = write_memory,
  .read = read_memory,
  .copy = copy_memory,
  .prepare = prepare,
  .release = release,
  .pack = pack,
  .run = run,
  .describe = describe,
  .count_plans = count_plans,
  .sync = sync_backend,
  .mark = mark,
  .wait_for = wait_for,
  .begin_capture = begin_capture,
  .end_capture = end_capture,
  .replay = replay,
  .free_capture = free_capture,
  .read_async = read_async,
  .write_async = write_async,
  .pin = pin,
  .unpin = unpin,
  .export_memory = export_memory,
  .import_memory = import_memory,
  .release_import = release_import,
  .ranks = &uk_cuda_ranks,
  .memory = get_memory,
  .explain = explain,
};
