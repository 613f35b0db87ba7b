/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpi-ranks.c - one rank of comm-table.c's tests, started by mpirun.
 *
 *   mpirun -n 3 mpi-ranks good         every row that must succeed
 *   mpirun -n 3 mpi-ranks fail-count   this row
 *   mpirun -n 3 mpi-ranks leave        the last rank ends early, as it should not
 *   mpirun -n 3 mpi-ranks die          the last rank is killed
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm-table.h"

static gboolean
is_last (UrbComm *comm)
{
  return urb_comm_get_rank (comm) == urb_comm_get_n_ranks (comm) - 1;
}

static void
tell (UrbComm *comm, const char *what)
{
  g_print ("rank %d of %d is %s\n", urb_comm_get_rank (comm), urb_comm_get_n_ranks (comm), what);
}

static void
leave (UrbComm *comm)
{
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  g_autoptr(GError) error = NULL;

  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  if (is_last (comm))
    return;
  g_assert_false (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_nonnull (strstr (error->message, "has left while rank "));
}

/* Without informing the communicator. */
static void
end (UrbComm *comm)
{
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };
  g_autoptr(GError) error = NULL;

  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  if (is_last (comm))
    exit (0);
  g_assert_false (urb_comm_run (comm, &barrier, NULL, NULL, &error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED);
  g_assert_nonnull (strstr (error->message, "ended in the middle of its work"));
}

static void
die (UrbComm *comm)
{
  UrbCollective barrier = { URB_COLLECTIVE_BARRIER, URB_ELEMENT_F32, 0, 0 };

  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, NULL));
  tell (comm, "here");
  g_assert_true (urb_comm_run (comm, &barrier, NULL, NULL, NULL));
  if (is_last (comm))
    kill (getpid (), SIGKILL);
  urb_comm_run (comm, &barrier, NULL, NULL, NULL);
}

static const CommTableRow more[] = {
  { "leave", leave, TRUE },
  { "end", end, TRUE },
  { "die", die, TRUE },
};

static gboolean
is_meant (const CommTableRow *row, const char *name)
{
  return strcmp (name, "good") == 0 ? !row->fails : strcmp (name, row->name) == 0;
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbComm) comm = urb_comm_new_mpi (&error);
  guint n_run = 0;

  if (comm == NULL || argc != 2)
    g_error ("%s", comm == NULL ? error->message : "usage: mpi-ranks ROW");
  g_assert_cmpstr (urb_comm_get_name (comm), ==, "mpi");
  for (guint i = 0; i < comm_table_length + G_N_ELEMENTS (more); i++)
    {
      const CommTableRow *row = i < comm_table_length ? &comm_table[i] : &more[i - comm_table_length];
      if (!is_meant (row, argv[1]))
        continue;
      row->func (comm);
      n_run++;
    }
  g_assert_cmpuint (n_run, >, 0);
  tell (comm, "done");
  return 0;
}
