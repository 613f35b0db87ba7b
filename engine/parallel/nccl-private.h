/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-private.h - the parts of the NCCL communicator: what it is and how it
 * ends (comm-nccl.c), and how work gets onto the GPU (nccl-launch.c).
 */
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include "parallel/comm-private.h"

G_BEGIN_DECLS

/* What a rank is about to do, on the host. */
typedef struct
{
  gint64 kind, element, count, peer;
} UrbNcclHeader;

typedef struct
{
  UrbRequest     base;
  UrbRequest    *agreed;  /* on the host: all ranks' headers; NULL: two ranks only */
  cudaEvent_t    done;    /* owned by the communicator */
  UrbNcclHeader  header;
  UrbNcclHeader *headers; /* owned by the communicator; (n_ranks) */
} UrbNcclRequest;

typedef struct
{
  cudaEvent_t    done;    /* owned */
  UrbNcclHeader *headers; /* owned; (n_ranks) */
  gboolean       in_use;
} UrbNcclSlot;

typedef struct
{
  UrbComm         base;
  UrbComm        *meet;    /* owned; on the host */
  int             device;
  ncclComm_t      comm;    /* owned; NULL after a failure */
  cudaStream_t    stream;  /* owned */
  GError         *failure; /* owned */
  UrbNcclSlot     slots[URB_COMM_MAX_UNDER_WAY];
  UrbNcclRequest *messages[URB_COMM_MAX_UNDER_WAY]; /* sends and receives, not yet launched */
  int             n_messages;
} UrbNcclComm;

/* A %URB_COMM_ERROR_TRANSPORT unless @result says that all is well. */
gboolean urb_nccl_ok      (UrbNcclComm *self, ncclResult_t result, GError **error);
gboolean urb_nccl_cuda_ok (UrbNcclComm *self, cudaError_t result, GError **error);
/* A moment's rest in a loop that has looked @n_looks times. */
void     urb_nccl_rest    (guint n_looks);
/* A call that has not blocked goes on by itself; the next must wait for it.  @result: of the call. */
gboolean urb_nccl_settle  (UrbNcclComm *self, ncclResult_t result, GError **error);

/* Puts @request, a collective, onto the stream behind what is there, and its event behind it. */
gboolean urb_nccl_launch          (UrbNcclComm *self, UrbNcclRequest *request, GError **error);
/* The same for all sends and receives that wait for it. */
gboolean urb_nccl_launch_messages (UrbNcclComm *self, GError **error);

G_END_DECLS
