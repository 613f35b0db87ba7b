/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-module.h - the interface of urbarium-cuda.so, which is loaded when a GPU is requested.
 *
 * A module, because CUDA's libraries take longer to load than a processor takes for its first step, and
 * because one build then serves machines with and without them.
 */
#pragma once

#include "kernels/uk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this file, uk.h and uk-ranks.h: incremented with every change of one of them. */
enum { UK_CUDA_MODULE_VERSION = 6 };

typedef struct
{
  int version;
  const UkBackendTable *backend;
  int      (*count) (const char **why);
  UkStatus (*info)  (int device, UkCudaInfo *info);
} UkCudaModule;

/* The one symbol of the module: a UkCudaModuleFunc. */
#define UK_CUDA_MODULE_SYMBOL "uk_cuda_module"
typedef const UkCudaModule *(*UkCudaModuleFunc) (void);

#ifdef __cplusplus
}
#endif
