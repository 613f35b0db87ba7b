/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-link.h - how ranks exchange what lies on their devices: from GPU to GPU where each has one
 * of its own, else through the memory of the host.
 */
#pragma once

#include "kernels/uk.h"
#include "parallel/board.h"
#include "parallel/comm.h"

G_BEGIN_DECLS

typedef struct _UrbDeviceLink UrbDeviceLink;

/* Through the host.  @comm: of the host; @backend: where buffers lie.  Both borrowed; used by one
 * thread at a time. */
UrbDeviceLink *urb_device_link_new     (UrbComm *comm, UkBackend *backend);
void           urb_device_link_free    (UrbDeviceLink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDeviceLink, urb_device_link_free)

/* From GPU to GPU from now on, by NCCL, if that can be: all ranks must get here, and find the same.
 * @board: (nullable): borrowed; sees what goes from GPU to GPU.
 * @must: fail if it cannot be, with %URB_COMM_ERROR_UNAVAILABLE. */
gboolean       urb_device_link_connect (UrbDeviceLink *self, UrbBoard *board, gboolean must,
                                        GError **error);
gboolean       urb_device_link_is_direct (UrbDeviceLink *self);

/* urb_comm_run() for device memory; what the device was asked for before must be done. */
gboolean       urb_device_link_run     (UrbDeviceLink *self, const UrbCollective *what,
                                        const void *in, void *out, GError **error);

/* As the interpreter wants it; borrows @self. */
UrbTransport   urb_device_link_get_transport (UrbDeviceLink *self);

G_END_DECLS
