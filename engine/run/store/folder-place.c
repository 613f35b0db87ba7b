/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder-place.c - whether a run's folder is still where it was opened.
 *
 * Descriptors stay valid when their files are moved or deleted, so that a run would go on unnoticed;
 * and whoever opens files by their path would write into another folder that has taken its place.
 */
#include "run/store/folder-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static gboolean
is_same (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

gboolean
urb_run_folder_has_own (UrbRunFolder *self, const char *name)
{
  struct stat info;
  return fstatat (self->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR (info.st_mode);
}

/* The database of the first call. */
static gboolean
has_database (UrbRunFolder *self)
{
  struct stat info;
  if (fstatat (self->fd, "run.db", &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno != ENOENT;
  if (self->db_inode == 0)
    self->db_inode = info.st_ino;
  return info.st_ino == self->db_inode;
}

/* Whether what the descriptor of the folder refers to is still this run. */
static gboolean
is_whole (UrbRunFolder *self)
{
  struct stat held, found;
  if (fstat (self->lock_fd, &held) != 0)
    return TRUE; /* cannot be told */
  return fstatat (self->fd, URB_RUN_LOCK_NAME, &found, AT_SYMLINK_NOFOLLOW) == 0 && is_same (&held, &found)
         && has_database (self) && urb_run_folder_has_own (self, URB_CHECKPOINT_FOLDER)
         && urb_run_folder_has_own (self, URB_SAMPLE_FOLDER);
}

/* Only an answer of the file system counts, not its failure. */
static gboolean
is_in_place (UrbRunFolder *self)
{
  struct stat held, found;
  if (fstat (self->fd, &held) != 0)
    return TRUE;
  if (stat (self->path, &found) != 0)
    return errno != ENOENT && errno != ENOTDIR;
  return is_same (&held, &found);
}

gboolean
urb_run_folder_check_place (UrbRunFolder *self, gboolean *moved, GError **error)
{
  gboolean whole = is_whole (self), in_place = is_in_place (self);
  g_autofree char *link = NULL, *now = NULL;
  if (moved != NULL)
    *moved = whole && !in_place;
  if (whole && in_place)
    return TRUE;
  link = g_strdup_printf ("/proc/self/fd/%d", self->fd);
  now = g_file_read_link (link, NULL);
  if (whole)
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
                 "The folder of the run was moved while it trained, from '%s' to '%s': go on with "
                 "urbarium-engine resume '%s'", self->path, now != NULL ? now : "?", now != NULL ? now : "?");
  else
    g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER,
                 "The folder of the run, '%s', was deleted or replaced while it trained: the run ends, and its "
                 "newest steps are lost", self->path);
  return FALSE;
}
