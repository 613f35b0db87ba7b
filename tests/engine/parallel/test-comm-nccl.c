/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-comm-nccl.c - the tests of comm-table.c with one GPU per rank, on four emulated GPUs or on
 * real ones; and failures before the ranks are connected.
 */
#include <string.h>

#include "comm-table.h"
#include "device-comm.h"
#include "kernels/uk-ranks.h"

enum { MAX_RANKS = 4 };

typedef struct
{
  const CommTableRow *row; /* NULL: ranks that cannot connect */
  UrbComm *meet;           /* owned by the thread */
  int      device;         /* -1: the processor */
  const char *expected;    /* of the error */
} Rank;

static UkBackend *
open_device (int device)
{
  const UkBackendTable *table = device >= 0 ? uk_backend_cuda () : uk_backend_cpu ();
  UkBackendConfig config = { .n_threads = 1, .device = MAX (device, 0) };
  UkBackend *backend = NULL;

  g_assert_cmpint (table->open (&config, &backend), ==, UK_OK);
  return backend;
}

static gpointer
rank_main (gpointer data)
{
  Rank *self = data;
  UkBackend *backend = open_device (self->device);
  g_autoptr(GError) error = NULL;
  UrbComm *comm = urb_comm_new_nccl (self->meet, backend, &error);

  if (self->row != NULL)
    {
      g_assert_no_error (error);
      g_assert_cmpstr (urb_comm_get_name (comm), ==, "nccl");
      comm = device_comm_new (comm, backend);
      self->row->func (comm);
      urb_comm_free (comm);
    }
  else
    {
      UrbCollective barrier = { .kind = URB_COLLECTIVE_BARRIER };

      g_assert_null (comm);
      g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE);
      g_assert_nonnull (strstr (error->message, self->expected));
      g_clear_error (&error);
      /* They remain usable. */
      g_assert_true (urb_comm_run (self->meet, &barrier, NULL, NULL, &error));
    }
  urb_comm_free (self->meet);
  backend->table->close (backend);
  return NULL;
}

/* @last: the device of the last rank; the others have the first ones. */
static void
run_ranks (int n_ranks, int last, const CommTableRow *row, const char *expected)
{
  UrbComm *meet[MAX_RANKS];
  Rank ranks[MAX_RANKS];
  GThread *threads[MAX_RANKS];

  urb_comm_new_threads (n_ranks, meet);
  for (int r = 0; r < n_ranks; r++)
    {
      ranks[r] = (Rank) { row, meet[r], r == n_ranks - 1 ? last : r, expected };
      threads[r] = g_thread_new ("rank", rank_main, &ranks[r]);
    }
  for (int r = 0; r < n_ranks; r++)
    g_thread_join (threads[r]);
}

/* Whether there are enough GPUs. */
static gboolean
has_gpus (int n)
{
  const char *why = "";
  int n_gpus = uk_cuda_count (&why);
  UkBackend *backend;
  char device[UK_EXPORT_TEXT];
  gboolean can;

  if (n_gpus == 0 && g_getenv ("URBARIUM_CUDA_MODULE") != NULL)
    g_error ("%s", why);
  if (n_gpus < n)
    {
      g_autofree char *text = n_gpus == 0 ? g_strdup (why)
                                          : g_strdup_printf ("there are %d GPUs", n_gpus);

      g_test_skip (text);
      return FALSE;
    }
  backend = open_device (0);
  can = backend->table->ranks->check (backend, device) == UK_OK;
  if (!can)
    g_test_skip (backend->table->explain (backend));
  backend->table->close (backend);
  return can;
}

static void
test_row (gconstpointer data)
{
  const CommTableRow *row = data;
  int least = row->fails ? 2 : 1;

  if (has_gpus (least))
    for (int n_ranks = least; n_ranks <= MIN (MAX_RANKS, uk_cuda_count (NULL)); n_ranks++)
      run_ranks (n_ranks, n_ranks - 1, row, NULL);
}

static void
test_one_gpu (void)
{
  if (has_gpus (1))
    run_ranks (2, 0, NULL, "Ranks 0 and 1 have the same GPU");
}

/* The rank with a GPU does not wait for the one without. */
static void
test_processor (void)
{
  if (has_gpus (1))
    run_ranks (2, -1, NULL, "Rank 1 cannot use NCCL: it computes on the CPU");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < comm_table_length; i++)
    {
      g_autofree char *path = g_strdup_printf ("/comm/nccl/%s", comm_table[i].name);

      if (!g_str_equal (comm_table[i].name, "order")) /* NCCL sums in its own order, with its own
                                                       * rounding */
        g_test_add_data_func (path, &comm_table[i], test_row);
    }
  g_test_add_func ("/comm/nccl/one-gpu", test_one_gpu);
  g_test_add_func ("/comm/nccl/processor", test_processor);
  return g_test_run ();
}
