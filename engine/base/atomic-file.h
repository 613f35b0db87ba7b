/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic-file.h - a file that appears complete or not at all.
 *
 * Where the file system allows it, the file has no name until it is complete
 * (O_TMPFILE), so that a writer killed at any moment leaves nothing behind.
 * Elsewhere it is written to a hidden temporary file in the same folder, which
 * the next one removes after a crash (temporary.h), or urb_atomic_file_sweep().
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbAtomicFile UrbAtomicFile;

/* Starts to write @path; nothing is visible before the commit. */
UrbAtomicFile *urb_atomic_file_open  (const char *path, GError **error);
/* Appends.  Fails with a %G_FILE_ERROR, for example if the disk is full. */
gboolean       urb_atomic_file_write (UrbAtomicFile *self, const void *data, gsize n_bytes,
                                      GError **error);
/* Overwrites bytes written before. */
gboolean       urb_atomic_file_patch (UrbAtomicFile *self, gint64 offset, const void *data,
                                      gsize n_bytes, GError **error);
/* Sets permissions, instead of the umask's, before the file has a name. */
gboolean       urb_atomic_file_set_mode (UrbAtomicFile *self, int mode, GError **error);
/* Syncs the file, names it (replacing an older file), and syncs the folder. */
gboolean       urb_atomic_file_commit (UrbAtomicFile *self, GError **error);
/* Discards the file unless it was committed. */
void           urb_atomic_file_free  (UrbAtomicFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbAtomicFile, urb_atomic_file_free)

/* Writes @n_bytes from memory in one call. */
gboolean       urb_atomic_file_set_contents (const char *path, const void *data, gsize n_bytes,
                                             GError **error);

/**
 * urb_atomic_file_sweep:
 * @folder: a folder without active writers
 *
 * Removes temporary files of killed writers: names that begin with a dot and end
 * in ".tmp".
 *
 * Returns: the number of files removed
 */
int            urb_atomic_file_sweep (const char *folder);

G_END_DECLS
