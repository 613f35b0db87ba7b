/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu-monitor.h - reads the state of some GPUs every few seconds.
 *
 * A thread calls the driver, which may hang, so that the main loop never waits.  Without an NVIDIA
 * driver there are no readings, which is not an error.
 */
#pragma once

#include "run/store/gpu.h"

G_BEGIN_DECLS

typedef struct _UrbGpuMonitor UrbGpuMonitor;

/* Called from the main context that was the thread's default when the monitor was created. */
typedef struct
{
  void (*read) (const UrbGpu *gpu, gpointer user_data);
  /* It is not read any more.  @gpu: its last reading; index -1 and no name if there was none.
   * @why: the driver's reason */
  void (*lost) (const UrbGpu *gpu, const char *why, gpointer user_data);
} UrbGpuMonitorOps;

/* @interval_ms: between two readings of the same GPU; @ops: borrowed */
UrbGpuMonitor *urb_gpu_monitor_new  (int interval_ms, const UrbGpuMonitorOps *ops,
                                     gpointer user_data);
/* Waits a moment for the thread; a thread that hangs in the driver is abandoned. */
void           urb_gpu_monitor_free (UrbGpuMonitor *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbGpuMonitor, urb_gpu_monitor_free)

/* Monitors this GPU too, from now on; does nothing if it does already.
 * @pci: its PCI address, as cudaDeviceGetPCIBusId() gives it */
void           urb_gpu_monitor_add  (UrbGpuMonitor *self, const char *pci);

G_END_DECLS
