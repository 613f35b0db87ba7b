/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output-file.h - a stream into a file that is the old one or the new one, whole, at
 * any time.
 *
 * Unlike base/atomic-file.h, whose file has no name before it is complete, this
 * one has a temporary name with the suffix of the path: GDAL opens by name,
 * chooses the format by the suffix, and may put a new file in its place.
 */
#pragma once

#include <gio/gio.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct _UrbOutputFile UrbOutputFile;

/* Begins a file beside @path; nobody sees it under that name yet. */
UrbOutputFile *urb_output_file_new  (const char *path, GError **error);

/* To write to; borrowed. */
FILE          *urb_output_file_get_stream (UrbOutputFile *self);

/* The temporary name, for writers that open files themselves.  Borrowed. */
const char    *urb_output_file_get_temporary (UrbOutputFile *self);

/* Flushes, checks, syncs, renames to the path, syncs the folder.  %FALSE with a
 * %G_IO_ERROR that says so if the disk is full; the old file stays. */
gboolean       urb_output_file_commit (UrbOutputFile *self, GError **error);

/* Removes what was not committed. */
void           urb_output_file_free (UrbOutputFile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbOutputFile, urb_output_file_free)

G_END_DECLS
