/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output-file.h - writes a file through a stream and replaces the old file atomically.
 *
 * Unlike base/atomic-file.h, whose file has no name until it is complete, this file has
 * a temporary name with the suffix of the path: GDAL opens files by name, chooses the
 * format by suffix, and may replace the file.
 */
#pragma once

#include <gio/gio.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct _UrbOutputFile UrbOutputFile;

/* Creates a temporary file in the folder of @path. */
UrbOutputFile *urb_output_file_new  (const char *path, GError **error);

/* (transfer none) */
FILE          *urb_output_file_get_stream (UrbOutputFile *self);

/* The temporary name, for writers that open files themselves.  (transfer none) */
const char    *urb_output_file_get_temporary (UrbOutputFile *self);

/* Flushes, checks, syncs, renames to the path, and syncs the folder.  %FALSE with a
 * %G_IO_ERROR, for example if the disk is full; the old file is kept then. */
gboolean       urb_output_file_commit (UrbOutputFile *self, GError **error);

/* Deletes the temporary file unless committed. */
void           urb_output_file_free (UrbOutputFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbOutputFile, urb_output_file_free)

G_END_DECLS
