/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-nccl-none.c - stands in for comm-nccl.c where NCCL was not found.
 */
#include "parallel/comm.h"

gboolean
urb_comm_has_nccl (void)
{
  return FALSE;
}

UrbComm *
urb_comm_new_nccl (UrbComm *meet, int device, GError **error)
{
  g_set_error_literal (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                       "This build has no NCCL. Install CUDA and NCCL's development files and "
                       "build again, or let ranks meet on the host");
  return NULL;
}
