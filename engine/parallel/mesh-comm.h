/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mesh-comm.h - the communicators of a rank with its groups along the axes of a mesh.
 */
#pragma once

#include "parallel/comm.h"
#include "settings/mesh.h"

G_BEGIN_DECLS

/* Of its transport: collectives along different axes may run at once. */
enum { URB_MESH_COMM_N_LANES = URB_ALL_AXES };

typedef struct
{
  UrbComm *all;                 /* borrowed */
  UrbComm *along[URB_ALL_AXES]; /* owned; by axes: NULL where that group has one rank or all, and before
                                 * urb_mesh_comm_connect() */
} UrbMeshComm;

/* Splits self->all.  Collective. */
gboolean     urb_mesh_comm_connect (UrbMeshComm *self, const UrbMesh *mesh, GError **error);
void         urb_mesh_comm_clear   (UrbMeshComm *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbMeshComm, urb_mesh_comm_clear)

/* @axes: as urb_mesh_simplify() gives them; 0: all ranks */
UrbComm     *urb_mesh_comm_get (UrbMeshComm *self, guint axes);

/* For the interpreter; borrows @self. */
UrbTransport urb_mesh_comm_get_transport (UrbMeshComm *self);

G_END_DECLS
