/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-text.h - what is said of a device in its row: its name, what it can do and what is free.
 */
#pragma once

#include "app/train/engine-query.h"

G_BEGIN_DECLS

/* The name of one of @devices, with the engine's name if several have the same. (transfer full) */
char *urbarium_device_text_dup_gpu_title (const UrbariumDevices *devices, const UrbariumGpu *gpu);
/* "70 GB of memory free · compute capability 9.0 · bf16, fp16 and TF32", or why it cannot be used. (transfer full) */
char *urbarium_device_text_dup_gpu       (const UrbariumGpu *gpu);
/* "8 cores, 9 GB of memory free · AVX2 · bf16". (transfer full) */
char *urbarium_device_text_dup_processor (const UrbariumDevices *devices);

G_END_DECLS
