/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic-file.h - a file that is there whole or not at all.
 *
 * Where the file system allows it, the file has no name until it is complete
 * (O_TMPFILE), so that a writer killed at any moment leaves nothing behind.
 * Elsewhere it is written to a hidden temporary name in the same folder, which
 * urb_atomic_file_sweep() removes after a crash.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _UrbAtomicFile UrbAtomicFile;

/* Starts to write @path; nothing is there to see before the commit. */
UrbAtomicFile *urb_atomic_file_open  (const char *path, GError **error);
/* Appends.  Fails with a %G_FILE_ERROR, such as a full disk. */
gboolean       urb_atomic_file_write (UrbAtomicFile *self, const void *data, gsize n_bytes,
                                      GError **error);
/* Overwrites bytes that were written before. */
gboolean       urb_atomic_file_patch (UrbAtomicFile *self, gint64 offset, const void *data,
                                      gsize n_bytes, GError **error);
/* Permissions other than those of the umask, before the file has a name. */
gboolean       urb_atomic_file_set_mode (UrbAtomicFile *self, int mode, GError **error);
/* Syncs the file, gives it its name (replacing an older file), syncs the folder. */
gboolean       urb_atomic_file_commit (UrbAtomicFile *self, GError **error);
/* Discards what was not committed. */
void           urb_atomic_file_free  (UrbAtomicFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbAtomicFile, urb_atomic_file_free)

/* All of that for @n_bytes in memory. */
gboolean       urb_atomic_file_set_contents (const char *path, const void *data, gsize n_bytes,
                                             GError **error);

/**
 * urb_atomic_file_sweep:
 * @folder: a folder in which nobody writes at the moment
 *
 * Removes the temporaries that killed writers left: names that begin with a
 * dot and end in ".tmp".
 *
 * Returns: how many there were
 */
int            urb_atomic_file_sweep (const char *folder);

G_END_DECLS
