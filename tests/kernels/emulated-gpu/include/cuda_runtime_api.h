/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_runtime_api.h - the part of CUDA's runtime that the project uses, for the emulated GPU.  Plain C; names
 * and values are CUDA's.  ../README.md lists the differences from CUDA's documentation.
 */
#pragma once

#include <stddef.h>

#define CUDART_VERSION 13000

/* A default argument, which C does not have. */
#ifdef __cplusplus
#define UK_EMULATED_DEFAULT(value) = value
extern "C" {
#else
#define UK_EMULATED_DEFAULT(value)
#endif

/* Errors, in our words. */
#define UK_EMULATED_ERRORS(X)                                                                      \
  X (cudaSuccess, 0, "no error")                                                                   \
  X (cudaErrorInvalidValue, 1, "invalid argument")                                                 \
  X (cudaErrorMemoryAllocation, 2, "out of memory")                                                \
  X (cudaErrorInitializationError, 3, "initialization failed")                                     \
  X (cudaErrorInvalidConfiguration, 9, "a grid or block of impossible size")                       \
  X (cudaErrorInvalidMemcpyDirection, 21, "no such direction of copying")                          \
  X (cudaErrorInsufficientDriver, 35, "the driver is older than the runtime")                      \
  X (cudaErrorDevicesUnavailable, 46, "devices are busy or unavailable")                           \
  X (cudaErrorNoDevice, 100, "there is no device")                                                 \
  X (cudaErrorInvalidDevice, 101, "no device of this number")                                      \
  X (cudaErrorNoKernelImageForDevice, 209, "no code for this device")                              \
  X (cudaErrorECCUncorrectable, 214, "uncorrectable memory error")                                 \
  X (cudaErrorPeerAccessUnsupported, 217, "devices cannot reach each other")                       \
  X (cudaErrorOperatingSystem, 304, "the operating system refused")                                \
  X (cudaErrorInvalidResourceHandle, 400, "invalid handle")                                        \
  X (cudaErrorIllegalState, 401, "not possible in this state")                                     \
  X (cudaErrorNotReady, 600, "not ready")                                                          \
  X (cudaErrorIllegalAddress, 700, "a kernel used an illegal address")                             \
  X (cudaErrorLaunchOutOfResources, 701, "too many resources wanted for a launch")                 \
  X (cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                     \
  X (cudaErrorHostMemoryAlreadyRegistered, 712, "the host memory is already pinned")               \
  X (cudaErrorHostMemoryNotRegistered, 713, "the host memory is not pinned")                       \
  X (cudaErrorMisalignedAddress, 716, "a kernel used a misaligned address")                        \
  X (cudaErrorLaunchFailure, 719, "a kernel failed")                                               \
  X (cudaErrorNotPermitted, 800, "not permitted")                                                  \
  X (cudaErrorNotSupported, 801, "not supported")                                                  \
  X (cudaErrorStreamCaptureUnsupported, 900, "not possible while a stream is captured")            \
  X (cudaErrorStreamCaptureInvalidated, 901, "an earlier error has ended the capture")             \
  X (cudaErrorStreamCaptureIsolation, 905, "the capture depends on work outside it")               \
  X (cudaErrorCapturedEvent, 907, "the event was recorded in a capture")                           \
  X (cudaErrorStreamCaptureWrongThread, 908, "another thread began the capture")                   \
  X (cudaErrorUnknown, 999, "unknown error")

typedef enum cudaError
{
#define UK_EMULATED_ERROR(name, number, text) name = number,
  UK_EMULATED_ERRORS (UK_EMULATED_ERROR)
#undef UK_EMULATED_ERROR
} cudaError_t;

enum cudaMemcpyKind
{
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

enum cudaStreamCaptureStatus
{
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};

enum cudaStreamCaptureMode
{
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};

enum cudaDeviceAttr
{
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrPciBusId = 33,
  cudaDevAttrPciDeviceId = 34,
  cudaDevAttrMemoryClockRate = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrPciDomainId = 50,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76
};

#define cudaHostAllocDefault            0x00
#define cudaHostAllocPortable           0x01
#define cudaHostRegisterDefault         0x00
#define cudaHostRegisterPortable        0x01
#define cudaStreamDefault               0x00
#define cudaStreamNonBlocking           0x01
#define cudaEventDefault                0x00
#define cudaEventBlockingSync           0x01
#define cudaEventDisableTiming          0x02
#define cudaEventInterprocess           0x04
#define cudaIpcMemLazyEnablePeerAccess  0x01

typedef struct CUstream_st    *cudaStream_t;
typedef struct CUevent_st     *cudaEvent_t;
typedef struct CUgraph_st     *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

typedef struct
{
  char bytes[16];
} cudaUUID_t;

typedef struct
{
  char reserved[64];
} cudaIpcMemHandle_t;

struct cudaDeviceProp
{
  char       name[256];
  cudaUUID_t uuid;
  size_t     totalGlobalMem;
  size_t     sharedMemPerBlock;
  int        regsPerBlock;
  int        warpSize;
  int        maxThreadsPerBlock;
  int        major, minor;
  int        multiProcessorCount;
  int        integrated;
  int        pciBusID, pciDeviceID, pciDomainID;
  int        memoryBusWidth;
  int        l2CacheSize;
  int        maxThreadsPerMultiProcessor;
};

const char *cudaGetErrorName       (cudaError_t error);
const char *cudaGetErrorString     (cudaError_t error);
cudaError_t cudaGetLastError       (void);
cudaError_t cudaPeekAtLastError    (void);

cudaError_t cudaDriverGetVersion   (int *version);
cudaError_t cudaRuntimeGetVersion  (int *version);
cudaError_t cudaGetDeviceCount     (int *count);
cudaError_t cudaGetDevice          (int *device);
cudaError_t cudaSetDevice          (int device);
cudaError_t cudaGetDeviceProperties (struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId  (char *id, int size, int device);
cudaError_t cudaDeviceCanAccessPeer (int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess (int peer, unsigned flags);
cudaError_t cudaDeviceSynchronize  (void);
cudaError_t cudaMemGetInfo         (size_t *n_free, size_t *n_total);

cudaError_t cudaMalloc             (void **memory, size_t n_bytes);
cudaError_t cudaFree               (void *memory);
cudaError_t cudaMallocAsync        (void **memory, size_t n_bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync          (void *memory, cudaStream_t stream);
cudaError_t cudaMallocHost         (void **memory, size_t n_bytes);
cudaError_t cudaHostAlloc          (void **memory, size_t n_bytes, unsigned flags);
cudaError_t cudaFreeHost           (void *memory);
cudaError_t cudaHostRegister       (void *memory, size_t n_bytes, unsigned flags);
cudaError_t cudaHostUnregister     (void *memory);
cudaError_t cudaIpcGetMemHandle    (cudaIpcMemHandle_t *handle, void *memory);
cudaError_t cudaIpcOpenMemHandle   (void **memory, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle  (void *memory);

cudaError_t cudaMemcpy             (void *dst, const void *src, size_t n_bytes,
                                    enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync        (void *dst, const void *src, size_t n_bytes,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream UK_EMULATED_DEFAULT (0));
cudaError_t cudaMemset             (void *dst, int byte, size_t n_bytes);
cudaError_t cudaMemsetAsync        (void *dst, int byte, size_t n_bytes,
                                    cudaStream_t stream UK_EMULATED_DEFAULT (0));

cudaError_t cudaStreamCreateWithFlags (cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy      (cudaStream_t stream);
cudaError_t cudaStreamQuery        (cudaStream_t stream);
cudaError_t cudaStreamSynchronize  (cudaStream_t stream);
cudaError_t cudaStreamWaitEvent    (cudaStream_t stream, cudaEvent_t event,
                                    unsigned flags UK_EMULATED_DEFAULT (0));

cudaError_t cudaEventCreate        (cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags (cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy       (cudaEvent_t event);
cudaError_t cudaEventRecord        (cudaEvent_t event, cudaStream_t stream UK_EMULATED_DEFAULT (0));
cudaError_t cudaEventQuery         (cudaEvent_t event);
cudaError_t cudaEventSynchronize   (cudaEvent_t event);
cudaError_t cudaEventElapsedTime   (float *ms, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaStreamBeginCapture (cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture   (cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing  (cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaGraphInstantiate   (cudaGraphExec_t *exec, cudaGraph_t graph,
                                    unsigned long long flags UK_EMULATED_DEFAULT (0));
cudaError_t cudaGraphUpload        (cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch        (cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy       (cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy   (cudaGraphExec_t exec);

#ifdef __cplusplus
}
#endif
