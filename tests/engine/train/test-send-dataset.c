/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-send-dataset.c - a rank 0 that does not send what it announced.  tests/e2e/test-ranks has the rest.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "parallel/comm.h"
#include "train/send-dataset.h"

typedef struct
{
  char   id[72];
  gint64 n_bytes;
} Head; /* as in send-dataset.c */

typedef struct
{
  UrbComm *comm; /* owned */
  Head     head;
} First;

static gboolean
run (UrbComm *comm, UrbCollectiveKind kind, gint64 count, int peer, gpointer in, gpointer out)
{
  return urb_comm_run (comm, &(UrbCollective) { kind, URB_ELEMENT_U8, count, peer }, in, out, NULL);
}

/* Announces a dataset, and sends zeros. */
static gpointer
first_main (gpointer data)
{
  First *self = data;
  guint8 lacks = 0, lacking[2] = { 0 };
  g_autofree char *zeros = g_malloc0 ((gsize) MAX (self->head.n_bytes, 1));

  g_assert_true (run (self->comm, URB_COLLECTIVE_BROADCAST, sizeof self->head, 0, &self->head, &self->head));
  if (self->head.n_bytes > 0)
    {
      g_assert_true (run (self->comm, URB_COLLECTIVE_ALL_GATHER, 1, 0, &lacks, lacking));
      g_assert_cmpint (lacking[1], ==, 1);
      g_assert_true (run (self->comm, URB_COLLECTIVE_SEND, self->head.n_bytes, 1, zeros, NULL));
    }
  urb_comm_free (self->comm);
  return NULL;
}

/* @n_bytes: announced.  What rank 1 says of it. */
static gboolean
receive (gint64 n_bytes, char **copy, GError **problem, GError **error)
{
  UrbComm *comms[2];
  First first = { .head = { .id = "sha:../0", .n_bytes = n_bytes } };
  GThread *thread;
  gboolean ok;

  urb_comm_new_threads (2, comms);
  first.comm = comms[0];
  thread = g_thread_new ("rank", first_main, &first);
  ok = urb_send_dataset (comms[1], NULL, copy, problem, error);
  g_thread_join (thread);
  urb_comm_free (comms[1]);
  return ok;
}

static void
test_other_data (void)
{
  g_autofree char *copy = NULL, *folder = NULL;
  g_autoptr(GError) problem = NULL, error = NULL;
  g_autoptr(GDir) dir = NULL;

  g_assert_true (receive (5000, &copy, &problem, &error));
  g_assert_no_error (error);
  g_assert_nonnull (problem);
  g_assert_true (g_str_has_suffix (copy, "/urbarium/datasets/sha-..-0.gpkg"));
  folder = g_path_get_dirname (copy);
  dir = g_dir_open (folder, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (g_dir_read_name (dir), ==, NULL);
}

static void
test_no_bytes (void)
{
  static const gint64 wrong[] = { 0, -1, G_MININT64 };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *copy = NULL;
      g_autoptr(GError) problem = NULL, error = NULL;

      g_assert_false (receive (wrong[i], &copy, &problem, &error));
      g_assert_nonnull (strstr (error->message, "Rank 0 offers a dataset of"));
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = g_dir_make_tmp ("urbarium-send-XXXXXX", NULL);
  static const char *const made[] = { "urbarium/datasets", "urbarium", "" };
  int failed;

  g_assert_nonnull (cache);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/send-dataset/other-data", test_other_data);
  g_test_add_func ("/send-dataset/no-bytes", test_no_bytes);
  failed = g_test_run ();
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    {
      g_autofree char *path = g_build_filename (cache, made[i], NULL);

      g_assert_cmpint (g_rmdir (path), ==, 0);
    }
  return failed;
}
