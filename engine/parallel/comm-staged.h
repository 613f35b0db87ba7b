/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-staged.h - ranks whose numbers lie on devices, and who talk through the memory of the host:
 * several on one GPU, or where there is no NCCL.
 */
#pragma once

#include "kernels/uk.h"
#include "parallel/comm.h"

G_BEGIN_DECLS

typedef struct _UrbStaged UrbStaged;

/* @comm: of the host; @backend: where buffers lie.  Both borrowed; used by one thread at a time. */
UrbStaged   *urb_staged_new  (UrbComm *comm, UkBackend *backend);
void         urb_staged_free (UrbStaged *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStaged, urb_staged_free)

/* urb_comm_run() for device memory; what the device was asked for before must be done. */
gboolean     urb_staged_run (UrbStaged *self, const UrbCollective *what, const void *in, void *out,
                             GError **error);

/* As the interpreter wants it; borrows @self. */
UrbTransport urb_staged_get_transport (UrbStaged *self);

G_END_DECLS
