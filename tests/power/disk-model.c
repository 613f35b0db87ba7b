/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk-model.c - see disk-model.h.
 *
 * The difficulty: a name and the data behind it can be lost independently.  Files are therefore stored
 * separately from names, in two states each: as programs see them, and as of the last sync, together
 * with the changes in between.
 */
#include "disk-model.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

typedef struct _File File;

struct _File
{
  gboolean    is_folder;
  GByteArray *now, *synced;               /* owned; for a file */
  GHashTable *names_now, *names_synced;   /* owned; for a folder: name -> File, borrowed, nullable */
  GPtrArray  *changes;                    /* owned; Change, since the last sync */
};

/* A change of data: @data at @offset, or of the size if @data is NULL.  A change of names: @removed and
 * @added. */
typedef struct
{
  const guint8 *data; /* borrowed from the log */
  gsize         offset, n_bytes;
  char         *removed, *added; /* owned, nullable */
  File         *file;            /* borrowed, nullable: a link */
} Change;

struct _DiskModel
{
  GMappedFile *log;      /* owned */
  GArray      *entries;  /* owned; gsize, offsets into the log */
  int          n_played;
  GPtrArray   *files;    /* owned; all Files that ever existed */
  GHashTable  *by_inode; /* owned; guint64 -> File, borrowed */
  GHashTable  *versions; /* owned; path -> GPtrArray of checksums */
  File        *root;     /* borrowed */
};

static void
change_free (gpointer data)
{
  Change *self = data;
  g_free (self->removed);
  g_free (self->added);
  g_free (self);
}

static void
file_free (gpointer data)
{
  File *self = data;
  g_byte_array_unref (self->now);
  g_byte_array_unref (self->synced);
  g_hash_table_unref (self->names_now);
  g_hash_table_unref (self->names_synced);
  g_ptr_array_unref (self->changes);
  g_free (self);
}

static File *
file_new (DiskModel *self, gboolean is_folder)
{
  File *file = g_new0 (File, 1);
  file->is_folder = is_folder;
  file->now = g_byte_array_new ();
  file->synced = g_byte_array_new ();
  file->names_now = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  file->names_synced = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  file->changes = g_ptr_array_new_with_free_func (change_free);
  g_ptr_array_add (self->files, file);
  return file;
}

/* ------------------------------------------------------------------------ */
/* The log                                                                   */

DiskModel *
disk_model_new (const char *log)
{
  g_autoptr(GError) error = NULL;
  DiskModel *self = g_new0 (DiskModel, 1);
  gsize size;
  self->log = g_mapped_file_new (log, FALSE, &error);
  g_assert_no_error (error);
  self->entries = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->files = g_ptr_array_new_with_free_func (file_free);
  self->by_inode = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->versions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify) g_ptr_array_unref);
  self->root = file_new (self, TRUE);
  size = g_mapped_file_get_length (self->log);
  for (gsize at = 0; at < size;)
    {
      WriteLogEntry entry;
      g_assert_cmpuint (size - at, >=, sizeof entry);
      memcpy (&entry, g_mapped_file_get_contents (self->log) + at, sizeof entry);
      g_assert_cmpuint (entry.kind, <, WRITE_LOG_N_KINDS);
      g_array_append_val (self->entries, at);
      at += sizeof entry + entry.path_bytes + entry.path2_bytes + entry.n_bytes;
      g_assert_cmpuint (at, <=, size);
    }
  return self;
}

void
disk_model_free (DiskModel *self)
{
  if (self == NULL)
    return;
  g_mapped_file_unref (self->log);
  g_array_unref (self->entries);
  g_ptr_array_unref (self->files);
  g_hash_table_unref (self->by_inode);
  g_hash_table_unref (self->versions);
  g_free (self);
}

int
disk_model_get_n_entries (DiskModel *self)
{
  return (int) self->entries->len;
}

static const char *
read_entry (DiskModel *self, int i, WriteLogEntry *entry, char **path, char **path2)
{
  const char *bytes = g_mapped_file_get_contents (self->log)
                      + g_array_index (self->entries, gsize, i);
  memcpy (entry, bytes, sizeof *entry);
  bytes += sizeof *entry;
  *path = g_strndup (bytes, entry->path_bytes);
  bytes += entry->path_bytes;
  *path2 = g_strndup (bytes, entry->path2_bytes);
  return bytes + entry->path2_bytes;
}

WriteLogEntry
disk_model_get_entry (DiskModel *self, int i, char **path)
{
  WriteLogEntry entry;
  g_autofree char *path2 = NULL;
  read_entry (self, i, &entry, path, &path2);
  return entry;
}

/* ------------------------------------------------------------------------ */
/* Replaying                                                                 */

/* Returns: (nullable): the folder of @path, if it has a name; its base name in @base */
static File *
find_folder (DiskModel *self, const char *path, char **base)
{
  g_auto(GStrv) parts = g_strsplit (path, "/", -1);
  File *folder = self->root;
  guint n = g_strv_length (parts);
  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i + 1 < n && folder != NULL; i++)
    folder = g_hash_table_lookup (folder->names_now, parts[i]);
  *base = g_strdup (parts[n - 1]);
  return folder;
}

static File *
find_inode (DiskModel *self, guint64 inode)
{
  File *file = g_hash_table_lookup (self->by_inode, &inode);
  if (file == NULL)
    g_error ("the log changes a file that was never created: inode %" G_GUINT64_FORMAT, inode);
  return file;
}

static void
name_now (File *folder, const char *removed, const char *added, File *file)
{
  Change *change = g_new0 (Change, 1);
  *change = (Change){ .removed = g_strdup (removed), .added = g_strdup (added), .file = file };
  g_ptr_array_add (folder->changes, change);
  if (removed != NULL)
    g_hash_table_remove (folder->names_now, removed);
  if (added != NULL)
    g_hash_table_insert (folder->names_now, g_strdup (added), file);
}

static void
add_version (DiskModel *self, const char *path, File *file)
{
  GPtrArray *versions = g_hash_table_lookup (self->versions, path);
  if (file == NULL || file->is_folder)
    return;
  if (versions == NULL)
    {
      versions = g_ptr_array_new_with_free_func (g_free);
      g_hash_table_insert (self->versions, g_strdup (path), versions);
    }
  g_ptr_array_add (versions, g_compute_checksum_for_data (G_CHECKSUM_SHA256, file->now->data,
                                                          file->now->len));
}

/* @folder may be below a folder that no longer has a name. */
static void
play_name (DiskModel *self, const char *path, gboolean is_added, File *file)
{
  g_autofree char *base = NULL;
  File *folder = find_folder (self, path, &base);
  if (folder != NULL && (is_added || g_hash_table_contains (folder->names_now, base)))
    name_now (folder, is_added ? NULL : base, is_added ? base : NULL, file);
}

static void
play_rename (DiskModel *self, const char *path, const char *path2)
{
  g_autofree char *from = NULL, *to = NULL;
  File *old = find_folder (self, path, &from), *new = find_folder (self, path2, &to);
  File *file = g_hash_table_lookup (old->names_now, from);
  g_assert_true (g_hash_table_contains (old->names_now, from));
  if (old == new)
    name_now (old, from, to, file);
  else
    {
      name_now (new, NULL, to, file);
      name_now (old, from, NULL, NULL);
    }
  add_version (self, path2, file);
}

static void
apply_data (GByteArray *bytes, const guint8 *data, gsize offset, gsize n_bytes)
{
  if (data == NULL || offset + n_bytes > bytes->len)
    {
      guint old = bytes->len;
      gsize size = data == NULL ? offset : offset + n_bytes;
      g_byte_array_set_size (bytes, (guint) size);
      if (size > old)
        memset (bytes->data + old, 0, size - old);
    }
  if (data != NULL)
    memcpy (bytes->data + offset, data, n_bytes);
}

/* @data: (nullable): NULL sets the size to @offset */
static void
change_data (File *file, const guint8 *data, gsize offset, gsize n_bytes)
{
  Change *change;
  /* Most data recorded before a sync is already known. */
  if (data == NULL ? file->now->len == offset
                   : offset + n_bytes <= file->now->len
                       && memcmp (file->now->data + offset, data, n_bytes) == 0)
    return;
  change = g_new0 (Change, 1);
  *change = (Change){ .data = data, .offset = offset, .n_bytes = n_bytes };
  g_ptr_array_add (file->changes, change);
  apply_data (file->now, data, offset, n_bytes);
}

static void
play_sync (File *file)
{
  GHashTableIter iter;
  gpointer name, target;
  g_ptr_array_set_size (file->changes, 0);
  g_byte_array_set_size (file->synced, 0);
  g_byte_array_append (file->synced, file->now->data, file->now->len);
  g_hash_table_remove_all (file->names_synced);
  g_hash_table_iter_init (&iter, file->names_now);
  while (g_hash_table_iter_next (&iter, &name, &target))
    g_hash_table_insert (file->names_synced, g_strdup (name), target);
}

static void
play_new (DiskModel *self, const WriteLogEntry *entry, const char *path)
{
  File *file = file_new (self, entry->size == 1);
  guint64 *inode = g_new (guint64, 1);
  *inode = entry->file;
  g_hash_table_replace (self->by_inode, inode, file);
  if (path[0] != '\0')
    play_name (self, path, TRUE, file);
}

static void
play_entry (DiskModel *self, int i)
{
  g_autofree char *path = NULL, *path2 = NULL;
  WriteLogEntry entry;
  const guint8 *data = (const guint8 *) read_entry (self, i, &entry, &path, &path2);
  switch ((WriteLogKind) entry.kind)
    {
    case WRITE_LOG_NEW:
      play_new (self, &entry, path);
      break;
    case WRITE_LOG_DATA:
      if (entry.n_bytes > 0)
        change_data (find_inode (self, entry.file), data, entry.offset, entry.n_bytes);
      break;
    case WRITE_LOG_SIZE:
      change_data (find_inode (self, entry.file), NULL, entry.size, 0);
      break;
    case WRITE_LOG_SYNC:
      /* The root folder exists from the start. */
      play_sync (g_hash_table_contains (self->by_inode, &(guint64){ entry.file })
                   ? find_inode (self, entry.file) : self->root);
      break;
    case WRITE_LOG_LINK:
      play_name (self, path, TRUE, find_inode (self, entry.file));
      add_version (self, path, find_inode (self, entry.file));
      break;
    case WRITE_LOG_UNLINK:
      play_name (self, path, FALSE, NULL);
      break;
    case WRITE_LOG_RENAME:
      play_rename (self, path, path2);
      break;
    case WRITE_LOG_SYMLINK:
      play_name (self, path, TRUE, NULL);
      break;
    case WRITE_LOG_MAPPED:
      /* SQLite's shared-memory index holds nothing that outlives its processes. */
      if (!g_str_has_suffix (path, "-shm"))
        g_error ("'%s' is written through a memory mapping, which the log cannot record", path);
      break;
    case WRITE_LOG_PROMISE:
    case WRITE_LOG_N_KINDS:
      break;
    }
}

void
disk_model_play (DiskModel *self, int n)
{
  g_assert_cmpint (n, >=, self->n_played);
  for (; self->n_played < n; self->n_played++)
    play_entry (self, self->n_played);
}

/* ------------------------------------------------------------------------ */
/* The state after a failure                                                 */

static gboolean
is_kept (DiskLoss loss, gboolean is_name, GRand *chance)
{
  switch (loss)
    {
    case DISK_LOSS_ALL:
      return FALSE;
    case DISK_LOSS_NONE:
      return TRUE;
    case DISK_LOSS_DATA:
      return is_name;
    case DISK_LOSS_NAMES:
      return !is_name;
    default:
      return g_rand_boolean (chance);
    }
}

static void
keep_part (GByteArray *bytes, const Change *change, gsize sector, GRand *chance)
{
  gsize end = change->offset + change->n_bytes;
  for (gsize at = change->offset, next; at < end; at = next)
    {
      next = MIN ((at / sector + 1) * sector, end);
      if (g_rand_boolean (chance))
        apply_data (bytes, change->data + (at - change->offset), at, next - at);
    }
}

static void
write_file (const File *file, DiskLoss loss, GRand *chance, const char *path)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new ();
  g_autoptr(GError) error = NULL;
  gsize sector = loss == DISK_LOSS_512 ? 512 : loss == DISK_LOSS_4096 ? 4096 : 0;
  g_byte_array_append (bytes, file->synced->data, file->synced->len);
  for (guint i = 0; i < file->changes->len; i++)
    {
      const Change *change = g_ptr_array_index (file->changes, i);
      if (change->data != NULL && sector > 0)
        keep_part (bytes, change, sector, chance);
      else if (is_kept (loss, FALSE, chance))
        apply_data (bytes, change->data, change->offset, change->n_bytes);
    }
  g_file_set_contents_full (path, (const char *) bytes->data, (gssize) bytes->len,
                            G_FILE_SET_CONTENTS_NONE, 0600, &error);
  g_assert_no_error (error);
}

static GHashTable *
choose_names (const File *folder, DiskLoss loss, GRand *chance)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer name, file;
  g_hash_table_iter_init (&iter, folder->names_synced);
  while (g_hash_table_iter_next (&iter, &name, &file))
    g_hash_table_insert (names, name, file);
  for (guint i = 0; i < folder->changes->len; i++)
    {
      const Change *change = g_ptr_array_index (folder->changes, i);
      if (!is_kept (loss, TRUE, chance))
        continue;
      if (change->removed != NULL)
        g_hash_table_remove (names, change->removed);
      if (change->added != NULL)
        g_hash_table_insert (names, change->added, change->file);
    }
  return names;
}

static void
write_folder (const File *folder, DiskLoss loss, GRand *chance, const char *path)
{
  g_autoptr(GHashTable) names = choose_names (folder, loss, chance);
  /* Sorted, so that a seed is reproducible. */
  g_autoptr(GList) sorted = g_list_sort (g_hash_table_get_keys (names), (GCompareFunc) strcmp);
  for (GList *l = sorted; l != NULL; l = l->next)
    {
      const File *file = g_hash_table_lookup (names, l->data);
      g_autofree char *child = g_build_filename (path, l->data, NULL);
      if (file == NULL)
        continue;
      if (!file->is_folder)
        write_file (file, loss, chance, child);
      else
        {
          g_assert_cmpint (g_mkdir (child, 0700), ==, 0);
          write_folder (file, loss, chance, child);
        }
    }
}

void
disk_model_write (DiskModel *self, DiskLoss loss, guint32 seed, const char *folder)
{
  GRand *chance = g_rand_new_with_seed (seed);
  write_folder (self->root, loss, chance, folder);
  g_rand_free (chance);
}

GPtrArray *
disk_model_get_versions (DiskModel *self, const char *path)
{
  return g_hash_table_lookup (self->versions, path);
}
