/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage.h - memory outside of a device: a file, or the host's memory of a GPU.
 *
 * Positions are bytes from 0 on.  What was never written is 0.
 */
#pragma once

#include "kernels/uk.h"
#include "step/collective.h"

G_BEGIN_DECLS

typedef struct _UrbStorage UrbStorage;

/**
 * urb_storage_new:
 * @place: a folder, or %URB_OFFLOAD_HOST
 * @backend: borrowed; whose device memory is sent there and received from there
 *
 * Allocates all of it now.  A file in a folder has no name: it is gone when this process ends, however
 * that happens.  Fails with %URB_TRAIN_ERROR_MEMORY if there is no room, or no such folder.
 */
UrbStorage  *urb_storage_new  (const char *place, gint64 n_bytes, UkBackend *backend, GError **error);
void         urb_storage_free (UrbStorage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbStorage, urb_storage_free)

/* From and to memory of the host, while no step runs. */
gboolean     urb_storage_read  (UrbStorage *self, gint64 at, void *to, gsize n_bytes, GError **error);
gboolean     urb_storage_write (UrbStorage *self, gint64 at, const void *from, gsize n_bytes,
                                GError **error);

/* For an interpreter (step/interpreter.h): it sends device memory to a position, `out`, and receives
 * from one, `in`. */
UrbTransport urb_storage_get_transport (UrbStorage *self);

G_END_DECLS
