/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-link.h - exchanges buffers in device memory: directly between GPUs if each rank has its
 * own, else through the host's memory.
 */
#pragma once

#include "kernels/uk.h"
#include "parallel/board.h"
#include "parallel/mesh-comm.h"

G_BEGIN_DECLS

typedef struct _UrbDeviceLink UrbDeviceLink;

/* Through the host.  @host: of the host; @backend: of the buffers.  Both borrowed; used by one
 * thread at a time. */
UrbDeviceLink *urb_device_link_new     (UrbMeshComm *host, UkBackend *backend);
void           urb_device_link_free    (UrbDeviceLink *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDeviceLink, urb_device_link_free)

/* Collective: switches to direct exchange by NCCL if possible, with the same result on all ranks.
 * @mesh: of @host
 * @board: (nullable): borrowed; records direct exchanges.
 * @must: fail with %URB_COMM_ERROR_UNAVAILABLE if it is not possible. */
gboolean       urb_device_link_connect (UrbDeviceLink *self, const UrbMesh *mesh, UrbBoard *board,
                                        gboolean must, GError **error);
gboolean       urb_device_link_is_direct (UrbDeviceLink *self);

/* urb_comm_run() for device memory, among the ranks along @axes; earlier work of the device must be done. */
gboolean       urb_device_link_run     (UrbDeviceLink *self, const UrbCollective *what, guint axes,
                                        const void *in, void *out, GError **error);

/* For the interpreter; borrows @self. */
UrbTransport   urb_device_link_get_transport (UrbDeviceLink *self);

G_END_DECLS
