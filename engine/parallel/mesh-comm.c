/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mesh-comm.c - see mesh-comm.h.
 */
#include "parallel/mesh-comm.h"

/* Whether @axes are those of groups that have some of the ranks. */
static gboolean
has_groups (const UrbMesh *mesh, guint axes)
{
  for (guint axis = 1; axis < URB_ALL_AXES; axis <<= 1)
    if (axes & axis && urb_mesh_count (mesh, axis) == 1)
      return FALSE;
  return urb_mesh_simplify (mesh, axes) != 0;
}

gboolean
urb_mesh_comm_connect (UrbMeshComm *self, const UrbMesh *mesh, GError **error)
{
  int rank = urb_comm_get_rank (self->all);

  for (guint axes = 1; axes < URB_ALL_AXES; axes++)
    if (has_groups (mesh, axes))
      {
        g_autofree char *name = urb_mesh_name_axes (axes);

        self->along[axes] = urb_comm_split (self->all, name, urb_mesh_get_rank (mesh, rank, axes, 0),
                                            urb_mesh_get_index (mesh, rank, axes), error);
        if (self->along[axes] == NULL)
          return FALSE;
      }
  return TRUE;
}

void
urb_mesh_comm_clear (UrbMeshComm *self)
{
  for (guint axes = 1; axes < URB_ALL_AXES; axes++)
    g_clear_pointer (&self->along[axes], urb_comm_free);
}

UrbComm *
urb_mesh_comm_get (UrbMeshComm *self, guint axes)
{
  UrbComm *comm = axes == 0 ? self->all : self->along[axes];

  g_assert (comm != NULL);
  return comm;
}

static gboolean
run_transport (gpointer data, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  return urb_comm_run (urb_mesh_comm_get (data, axes), what, in, out, error);
}

static void
abort_transport (gpointer data, const char *why)
{
  UrbMeshComm *self = data;

  urb_comm_abort (self->all, why);
}

UrbTransport
urb_mesh_comm_get_transport (UrbMeshComm *self)
{
  return (UrbTransport) { .self = self, .rank = urb_comm_get_rank (self->all),
                          .n_ranks = urb_comm_get_n_ranks (self->all), .n_lanes = URB_MESH_COMM_N_LANES,
                          .run = run_transport, .abort = abort_transport };
}
