/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvml.h - the state of NVIDIA GPUs, from the driver's management library.
 *
 * The library comes with the driver and is loaded when needed: nothing is linked, and a machine
 * without it has no GPUs.  It needs no context on a GPU, and so none of its memory.
 *
 * A call may take seconds, or never return, if the driver is in trouble: do not call it from a main
 * loop.  One thread at a time.
 */
#pragma once

#include "run/store/gpu.h"

G_BEGIN_DECLS

typedef struct _UrbNvml UrbNvml;

/* (nullable): %NULL without the library or a driver. */
UrbNvml    *urb_nvml_open  (void);
void        urb_nvml_close (UrbNvml *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbNvml, urb_nvml_close)

const char *urb_nvml_get_driver (UrbNvml *self); /* version; "" if unknown */
int         urb_nvml_get_n_gpus (UrbNvml *self);

typedef enum
{
  URB_NVML_READ,
  URB_NVML_ABSENT, /* no such GPU, or not visible */
  URB_NVML_LOST    /* it does not answer any more */
} UrbNvmlResult;

/**
 * urb_nvml_read:
 * @pci: a PCI address, as cudaDeviceGetPCIBusId() gives it
 * @gpu: (out): as far as known; unchanged unless it was read
 * @why: (out) (transfer full) (nullable): if lost, the driver's reason
 */
UrbNvmlResult urb_nvml_read     (UrbNvml *self, const char *pci, UrbGpu *gpu, char **why);
/* The same for the driver's n-th GPU. */
UrbNvmlResult urb_nvml_read_nth (UrbNvml *self, int i, UrbGpu *gpu, char **why);

G_END_DECLS
