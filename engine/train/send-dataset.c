/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send-dataset.c - see send-dataset.h.
 */
#include "train/send-dataset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/atomic-file.h"
#include "base/free-space.h"
#include "base/temporary.h"
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
dup_copy_path (const char *id)
{
  g_autofree char *name = g_strconcat (id, ".gpkg", NULL);

  for (char *c = name; *c != '\0'; c++)
    *c = g_ascii_isalnum (*c) || *c == '.' ? *c : '-';
  return g_build_filename (g_get_user_cache_dir (), "urbarium", "datasets", name, NULL);
}

/* Whether the file is whole, and the dataset @id. */
static gboolean
check_copy (const char *path, const char *id, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open_unverified (path, error);

  if (dataset == NULL || !urb_dataset_verify (dataset, NULL, error))
    return FALSE;
  if (strcmp (urb_dataset_get_info (dataset)->id, id) == 0)
    return TRUE;
  g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED, "'%s' is another dataset than that of rank 0",
               path);
  return FALSE;
}

/* Before it is asked for. */
static gboolean
make_room (const char *path, gint64 n_bytes, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *needed = NULL, *left = NULL;
  gint64 n_free;

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno),
                   "The folder '%s' for rank 0's dataset cannot be made: %s", folder, g_strerror (errno));
      return FALSE;
    }
  urb_temporary_sweep (folder);
  n_free = urb_free_space_get_bytes (folder);
  if (n_bytes <= n_free)
    return TRUE;
  needed = g_format_size ((guint64) n_bytes);
  left = g_format_size ((guint64) n_free);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "Rank 0's dataset has %s, and '%s' has room for %s: "
               "free space there, or copy the dataset to another place and name it with --dataset", needed, folder,
               left);
  return FALSE;
}

/* The first problem is told. */
static void
keep_problem (GError **problem, GError *cause)
{
  if (*problem == NULL)
    *problem = cause;
  else
    g_error_free (cause);
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

/* What came gets its name only if it is the dataset. */
static gboolean
accept_file (UrbAtomicFile *file, const char *temporary, const char *path, const char *id, GError **error)
{
  if (!urb_atomic_file_commit (file, error) || !check_copy (temporary, id, error))
    return FALSE;
  if (g_rename (temporary, path) == 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno), "'%s' cannot be written: %s", path,
               g_strerror (errno));
  return FALSE;
}

static gboolean
receive_file (UrbComm *comm, const char *path, const Head *head, GError **problem, GError **error)
{
  g_autofree char *piece = g_malloc (PIECE_BYTES), *temporary = urb_temporary_dup_path (path, ".gpkg");
  g_autoptr(GError) cause = NULL;
  g_autoptr(UrbAtomicFile) file = urb_atomic_file_open (temporary, &cause);

  for (gint64 at = 0; at < head->n_bytes; at += PIECE_BYTES)
    {
      gsize n = (gsize) MIN (PIECE_BYTES, head->n_bytes - at);
      const UrbCollective what = { URB_COLLECTIVE_RECV, URB_ELEMENT_U8, (gint64) n, 0 };

      if (!urb_comm_run (comm, &what, NULL, piece, error))
        return FALSE;
      if (cause == NULL)
        urb_atomic_file_write (file, piece, n, &cause);
    }
  if (cause == NULL && accept_file (file, temporary, path, head->id, &cause))
    return TRUE;
  g_unlink (temporary);
  keep_problem (problem, g_steal_pointer (&cause));
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
  g_autoptr(GError) cause = NULL;
  Head head = { 0 };
  guint8 lacks;

  *copy = NULL;
  if ((rank == 0 && path != NULL && !fill_head (&head, path, error))
      || !urb_comm_run (comm, &tell, &head, &head, error))
    return FALSE;
  if (head.id[0] == '\0')
    return TRUE;
  head.id[sizeof head.id - 1] = '\0';
  if (head.n_bytes <= 0)
    {
      g_set_error (error, URB_DATASET_ERROR, URB_DATASET_ERROR_DAMAGED,
                   "Rank 0 offers a dataset of %" G_GINT64_FORMAT " bytes", head.n_bytes);
      return FALSE;
    }
  cached = dup_copy_path (head.id);
  if (rank > 0 && (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS)))
    *copy = g_steal_pointer (&cached);
  lacks = *copy != NULL && !check_copy (*copy, head.id, NULL) && make_room (*copy, head.n_bytes, &cause);
  if (cause != NULL)
    keep_problem (problem, g_steal_pointer (&cause));
  if (!urb_comm_run (comm, &ask, &lacks, lacking, error))
    return FALSE;
  for (int r = 1; r < n_ranks; r++)
    if (lacking[r] && ((rank == 0 && !send_file (comm, path, head.n_bytes, r, error))
                       || (rank == r && !receive_file (comm, *copy, &head, problem, error))))
      return FALSE;
  return TRUE;
}
