/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic-file.h - a file that is the old one or the new one, whole, at any time.
 */
#pragma once

#include <gio/gio.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct _UrbAtomicFile UrbAtomicFile;

/* Begins a file beside @path; nobody sees it under that name yet. */
UrbAtomicFile *urb_atomic_file_new  (const char *path, GError **error);

/* To write to; borrowed. */
FILE          *urb_atomic_file_get_stream (UrbAtomicFile *self);

/* The temporary name, for writers that open files themselves.  Borrowed. */
const char    *urb_atomic_file_get_temporary (UrbAtomicFile *self);

/* Flushes, checks, syncs, renames to the path, syncs the folder.  %FALSE with a
 * %URB_CITY_ERROR_WRITE that says so if the disk is full; the old file stays. */
gboolean       urb_atomic_file_commit (UrbAtomicFile *self, GError **error);

/* Removes what was not committed. */
void           urb_atomic_file_free (UrbAtomicFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbAtomicFile, urb_atomic_file_free)

G_END_DECLS
