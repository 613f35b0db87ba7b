/* SPDX-License-Identifier: Apache-2.0 */
/* ranks-none.c - for builds without NCCL: collectives go through the host. */
#include "kernels/cuda/cuda-private.h"

#include <stdio.h>

static UkStatus
check (UkBackend *base, char device[UK_EXPORT_TEXT])
{
  UkCudaBackend *self = (UkCudaBackend *) base;

  device[0] = '\0';
  snprintf (self->error, sizeof self->error, "this build has no NCCL support");
  return UK_UNSUPPORTED;
}

const UkRanksTable uk_cuda_ranks = { .name = "NCCL", .check = check };
