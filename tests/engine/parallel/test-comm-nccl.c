/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-comm-nccl.c - every operation on the memory of one GPU, by one rank;
 * skipped where there is no GPU.
 */
#include <cuda_runtime.h>

#include "parallel/comm.h"

enum { COUNT = 1001 };

static void
test_one_rank (void)
{
  g_autoptr(UrbComm) meet = urb_comm_new_self ();
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) comm = urb_comm_new_nccl (meet, 0, &error);
  float host[COUNT], *in, *out;

  if (comm == NULL)
    {
      g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE);
      g_test_skip (error->message);
      return;
    }
  g_assert_cmpint (urb_comm_get_n_ranks (comm), ==, 1);
  g_assert_cmpint (cudaMalloc ((void **) &in, sizeof host), ==, cudaSuccess);
  g_assert_cmpint (cudaMalloc ((void **) &out, sizeof host), ==, cudaSuccess);
  for (UrbCollectiveKind kind = 0; kind < URB_COLLECTIVE_SEND; kind++)
    {
      UrbCollective what = { kind, URB_ELEMENT_F32, COUNT, 0 };
      for (int i = 0; i < COUNT; i++)
        host[i] = (float) (i + (int) kind);
      g_assert_cmpint (cudaMemcpy (in, host, sizeof host, cudaMemcpyHostToDevice), ==, cudaSuccess);
      g_assert_true (urb_comm_run (comm, &what, in, out, &error));
      g_assert_no_error (error);
      g_assert_cmpint (cudaMemcpy (host, out, sizeof host, cudaMemcpyDeviceToHost), ==,
                       cudaSuccess);
      for (int i = 0; kind != URB_COLLECTIVE_BARRIER && i < COUNT; i++)
        g_assert_cmpfloat (host[i], ==, (float) (i + (int) kind));
    }
  urb_comm_abort (comm, "enough");
  g_assert_false (urb_comm_run (comm, &(UrbCollective) { URB_COLLECTIVE_ALL_REDUCE, URB_ELEMENT_F32,
                                                         COUNT, 0 }, in, out, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  cudaFree (in);
  cudaFree (out);
}

/* The rank that has a GPU must not wait for the one that has not. */
static gpointer
open_missing (gpointer meet)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_comm_new_nccl (meet, urb_comm_get_rank (meet) == 0 ? 0 : 4711, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE);
  urb_comm_free (meet);
  return NULL;
}

static void
test_missing (void)
{
  UrbComm *meet[2];
  GThread *threads[2];

  urb_comm_new_threads (2, meet);
  for (int r = 0; r < 2; r++)
    threads[r] = g_thread_new ("rank", open_missing, meet[r]);
  for (int r = 0; r < 2; r++)
    g_thread_join (threads[r]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comm/nccl/one-rank", test_one_rank);
  g_test_add_func ("/comm/nccl/missing", test_missing);
  return g_test_run ();
}
