/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-mpi-none.c - replaces comm-mpi.c in builds without MPI.
 */
#include "parallel/comm.h"

gboolean
urb_comm_has_mpi (void)
{
  return FALSE;
}

UrbComm *
urb_comm_new_mpi (GError **error)
{
  g_set_error_literal (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                       "This build has no MPI. Install Open MPI's development files and build "
                       "again, or train with the threads of one process");
  return NULL;
}
