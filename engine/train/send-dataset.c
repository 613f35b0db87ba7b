/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send-dataset.c - see send-dataset.h.
 */
#include "train/send-dataset.h"

#include <errno.h>
#include <stdio.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "dataset/dataset.h"

enum { PIECE_BYTES = 16 << 20 };

typedef struct
{
  char   id[72];  /* empty: nothing is sent */
  gint64 n_bytes;
} Head;

static gboolean
fill_head (Head *self, const char *path, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (path, error);
  GStatBuf info;

  if (dataset == NULL)
    return FALSE;
  if (g_stat (path, &info) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "The dataset '%s' cannot be read: %s",
                   path, g_strerror (errno));
      return FALSE;
    }
  g_strlcpy (self->id, urb_dataset_get_info (dataset)->id, sizeof self->id);
  self->n_bytes = (gint64) info.st_size;
  return TRUE;
}

/* Whatever rank 0 says, the name stays within the folder. */
static char *
dup_copy_path (Head *head)
{
  g_autofree char *name = NULL;

  head->id[sizeof head->id - 1] = '\0';
  for (char *c = head->id; *c != '\0'; c++)
    *c = g_ascii_isalnum (*c) ? *c : '-';
  name = g_strconcat (head->id, ".gpkg", NULL);
  return g_build_filename (g_get_user_cache_dir (), "urbarium", "datasets", name, NULL);
}

static gboolean
send_file (UrbComm *comm, const char *path, gint64 n_bytes, int to, GError **error)
{
  g_autofree char *piece = g_malloc (PIECE_BYTES);
  FILE *file = g_fopen (path, "rb");
  gboolean ok = file != NULL;

  for (gint64 at = 0; ok && at < n_bytes; at += PIECE_BYTES)
    {
      gsize n = (gsize) MIN (PIECE_BYTES, n_bytes - at);
      const UrbCollective what = { URB_COLLECTIVE_SEND, URB_ELEMENT_U8, (gint64) n, to };

      ok = fread (piece, 1, n, file) == n;
      if (ok && !urb_comm_run (comm, &what, piece, NULL, error))
        {
          fclose (file);
          return FALSE;
        }
    }
  if (!ok)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_IO, "The dataset '%s' cannot be read to its end", path);
  g_clear_pointer (&file, fclose);
  return ok;
}

static gboolean
receive_file (UrbComm *comm, const char *path, gint64 n_bytes, GError **problem, GError **error)
{
  g_autofree char *piece = g_malloc (PIECE_BYTES), *folder = g_path_get_dirname (path);
  g_autoptr(UrbAtomicFile) file = NULL;
  g_autoptr(GError) cause = NULL;

  g_mkdir_with_parents (folder, 0700);
  file = urb_atomic_file_open (path, &cause);
  for (gint64 at = 0; at < n_bytes; at += PIECE_BYTES)
    {
      gsize n = (gsize) MIN (PIECE_BYTES, n_bytes - at);
      const UrbCollective what = { URB_COLLECTIVE_RECV, URB_ELEMENT_U8, (gint64) n, 0 };

      if (!urb_comm_run (comm, &what, NULL, piece, error))
        return FALSE;
      if (cause == NULL)
        urb_atomic_file_write (file, piece, n, &cause);
    }
  if (cause == NULL)
    urb_atomic_file_commit (file, &cause);
  if (cause != NULL && *problem == NULL)
    *problem = g_steal_pointer (&cause);
  return TRUE;
}

gboolean
urb_send_dataset (UrbComm *comm, const char *path, char **copy, GError **problem, GError **error)
{
  const UrbCollective tell = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, sizeof (Head), 0 };
  const UrbCollective ask = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, 1, 0 };
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  g_autofree guint8 *lacking = g_malloc0 ((gsize) n_ranks);
  g_autofree char *cached = NULL;
  Head head = { 0 };
  guint8 lacks;

  *copy = NULL;
  if ((rank == 0 && path != NULL && !fill_head (&head, path, error))
      || !urb_comm_run (comm, &tell, &head, &head, error))
    return FALSE;
  if (head.id[0] == '\0')
    return TRUE;
  cached = dup_copy_path (&head);
  if (rank > 0 && (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS)))
    *copy = g_steal_pointer (&cached);
  lacks = *copy != NULL && !g_file_test (*copy, G_FILE_TEST_EXISTS);
  if (!urb_comm_run (comm, &ask, &lacks, lacking, error))
    return FALSE;
  for (int r = 1; r < n_ranks; r++)
    if (lacking[r] && ((rank == 0 && !send_file (comm, path, head.n_bytes, r, error))
                       || (rank == r && !receive_file (comm, *copy, head.n_bytes, problem, error))))
      return FALSE;
  return TRUE;
}
