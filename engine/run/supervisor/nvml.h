/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvml.h - what NVIDIA's driver tells of its GPUs, through its management library.
 *
 * The library comes with the driver and is looked for when it is wanted: nothing is linked, and a
 * machine without it has no GPUs.  Looking needs no context on the GPU, and so none of its memory.
 * What is hard: a call may take seconds, or for ever, while the driver is in trouble; not for a
 * main loop.  One thread at a time.
 */
#pragma once

#include "run/store/gpu.h"

G_BEGIN_DECLS

typedef struct _UrbNvml UrbNvml;

/* (nullable): %NULL where there is no such library or driver. */
UrbNvml    *urb_nvml_open  (void);
void        urb_nvml_close (UrbNvml *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbNvml, urb_nvml_close)

const char *urb_nvml_get_driver (UrbNvml *self); /* its version; "" if it does not say */
int         urb_nvml_get_n_gpus (UrbNvml *self);

typedef enum
{
  URB_NVML_READ,
  URB_NVML_ABSENT, /* there is none, or we may not see it */
  URB_NVML_LOST    /* it is there and does not answer any more */
} UrbNvmlResult;

/**
 * urb_nvml_read:
 * @pci: a PCI address, as cudaDeviceGetPCIBusId() has it
 * @gpu: (out): as far as it is known; all of it stays as it was unless it was read
 * @why: (out) (transfer full) (nullable): of one that is lost, what the driver says
 */
UrbNvmlResult urb_nvml_read     (UrbNvml *self, const char *pci, UrbGpu *gpu, char **why);
/* The same, of those that the driver counts. */
UrbNvmlResult urb_nvml_read_nth (UrbNvml *self, int i, UrbGpu *gpu, char **why);

G_END_DECLS
