/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-monitor.h - looks at some GPUs every few seconds.
 *
 * A thread of its own asks the driver, which may be in trouble: the main loop is never kept
 * waiting.  Where there is no NVIDIA driver nothing is ever told, and that is no error.
 */
#pragma once

#include "run/store/gpu.h"

G_BEGIN_DECLS

typedef struct _UrbGpuMonitor UrbGpuMonitor;

/* Both are called from the main context that was the thread's default when the monitor was made. */
typedef struct
{
  void (*read) (const UrbGpu *gpu, gpointer user_data);
  /* It is not asked any more.  @gpu: as it was when it was read last; its index is -1, and it has
   * no name, if it never was.  @why: what the driver says */
  void (*lost) (const UrbGpu *gpu, const char *why, gpointer user_data);
} UrbGpuMonitorOps;

/* @interval_ms: between two looks at the same GPU; @ops: borrowed */
UrbGpuMonitor *urb_gpu_monitor_new  (int interval_ms, const UrbGpuMonitorOps *ops,
                                     gpointer user_data);
/* Waits a moment for the thread; one that hangs in the driver is left behind. */
void           urb_gpu_monitor_free (UrbGpuMonitor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGpuMonitor, urb_gpu_monitor_free)

/* Looks at this one too, at once.  A second time it does nothing.
 * @pci: its PCI address, as cudaDeviceGetPCIBusId() has it */
void           urb_gpu_monitor_add  (UrbGpuMonitor *self, const char *pci);

G_END_DECLS
