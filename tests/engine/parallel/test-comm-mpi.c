/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-comm-mpi.c - the tests of comm-table.c in processes started by mpirun;
 * skipped without it.
 */
#include <string.h>

#include "mpi-leaks.h"
#include "parallel/comm.h"

typedef struct
{
  const char *row;
  int         n_ranks;
  gboolean    dies; /* mpirun must end, with an error */
} Launch;

static char *
run (const Launch *launch, int *status)
{
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "engine", "parallel",
                                                    "mpi-ranks", NULL);
  g_autofree char *n_ranks = g_strdup_printf ("%d", launch->n_ranks);
  /* `timeout` kills hanging ranks, which its exit status shows. */
  char *argv[] = { "timeout", "-k", "5", "120", "mpirun", "-n", n_ranks, program,
                   (char *) launch->row, NULL };
  g_auto(GStrv) env = NULL;
  g_autoptr(GError) error = NULL;
  char *output = NULL;

  allow_mpi_leaks ();
  env = g_get_environ ();
  /* Also with fewer cores than ranks, and as root: Open MPI 4 and 5. */
  env = g_environ_setenv (env, "OMPI_ALLOW_RUN_AS_ROOT", "1", TRUE);
  env = g_environ_setenv (env, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", TRUE);
  env = g_environ_setenv (env, "OMPI_MCA_rmaps_base_oversubscribe", "1", TRUE);
  env = g_environ_setenv (env, "PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", TRUE);
  env = g_environ_setenv (env, "OMPI_MCA_hwloc_base_binding_policy", "none", TRUE);
  env = g_environ_setenv (env, "PRTE_MCA_hwloc_default_binding_policy", "none", TRUE);
  env = g_environ_setenv (env, "HWLOC_COMPONENTS", "-gl", TRUE); /* tests of the window end X servers */
  g_spawn_sync (NULL, argv, env, G_SPAWN_SEARCH_PATH, NULL, NULL,
                &output, NULL, status, &error);
  g_assert_no_error (error);
  return output;
}

static void
test_launch (gconstpointer data)
{
  const Launch *launch = data;
  g_autofree char *mpirun = g_find_program_in_path ("mpirun");
  g_autofree char *output = NULL;
  int status = 0;

  if (mpirun == NULL)
    {
      g_test_skip ("mpirun is not installed");
      return;
    }
  output = run (launch, &status);
  if (launch->dies && (status == 0 || status >> 8 == 124)) /* not killed by `timeout` */
    g_error ("mpirun ended with status %d after a rank was killed", status);
  if (!launch->dies && status != 0)
    g_error ("%s on %d ranks ended with status %d", launch->row, launch->n_ranks, status);
  for (int r = 0; r < launch->n_ranks; r++)
    {
      g_autofree char *line = g_strdup_printf ("rank %d of %d is %s\n", r, launch->n_ranks,
                                               launch->dies ? "here" : "done");
      if (strcmp (launch->row, "end") != 0 || r < launch->n_ranks - 1)
        g_assert_nonnull (strstr (output, line));
    }
}

static void
test_not_launched (void)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_comm_new_mpi (&error));
  g_assert_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE);
}

int
main (int argc, char **argv)
{
  static const Launch launches[] = {
    { "good", 1 }, { "good", 2 }, { "good", 3 }, { "good", 4 },
    { "fail-count", 2 }, { "fail-count", 4 },
    { "fail-large", 2 }, { "fail-large", 3 },
    { "fail-kind", 2 }, { "fail-kind", 3 },
    { "fail-root", 3 },
    { "fail-abort", 2 }, { "fail-abort", 4 },
    { "fail-group", 2 }, { "fail-group", 4 },
    { "leave", 3 }, { "end", 2 }, { "end", 3 },
    { "die", 3, TRUE },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comm/mpi/not-launched", test_not_launched);
  for (guint i = 0; urb_comm_has_mpi () && i < G_N_ELEMENTS (launches); i++)
    {
      g_autofree char *path = g_strdup_printf ("/comm/mpi/%s/%d", launches[i].row,
                                               launches[i].n_ranks);
      g_test_add_data_func (path, &launches[i], test_launch);
    }
  return g_test_run ();
}
