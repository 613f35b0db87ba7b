/* SPDX-License-Identifier: Apache-2.0 */
/* open-files.h - finds out what kind of files the user opens. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_FILE_MAP,
  URBARIUM_FILE_DATASET,
  URBARIUM_FILE_RUN, /* a run folder */
  URBARIUM_FILE_CHECKPOINT
} UrbariumFileKind;

typedef struct
{
  UrbariumFileKind kind;  /* of all paths */
  GStrv            paths; /* owned */
} UrbariumOpenFiles;

void urbarium_open_files_free (UrbariumOpenFiles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumOpenFiles, urbarium_open_files_free)

/* Reads the files in a thread.  Several files form one map, unless the first is of another kind:
 * then only the first is returned. */
void               urbarium_open_files_classify_async  (GFile **files, int n_files,
                                                        GCancellable *cancellable,
                                                        GAsyncReadyCallback callback,
                                                        gpointer user_data);
/* Returns: (transfer full): %NULL with @error if a file is not local */
UrbariumOpenFiles *urbarium_open_files_classify_finish (GAsyncResult *result, GError **error);

G_END_DECLS
