/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open-files.h - what is it that somebody wants to open?
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  URBARIUM_FILE_MAP,
  URBARIUM_FILE_DATASET,
  URBARIUM_FILE_RUN, /* its folder */
  URBARIUM_FILE_CHECKPOINT
} UrbariumFileKind;

typedef struct
{
  UrbariumFileKind kind; /* of all of them */
  GStrv            paths; /* owned */
} UrbariumOpenFiles;

void urbarium_open_files_free (UrbariumOpenFiles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumOpenFiles, urbarium_open_files_free)

/* Looks into the files, in a thread.  Several are taken as one map unless the first is something
 * else: that is then opened alone. */
void               urbarium_open_files_classify_async  (GFile **files, int n_files,
                                                        GCancellable *cancellable,
                                                        GAsyncReadyCallback callback,
                                                        gpointer user_data);
/* Returns: (transfer full): or %NULL if a file is not on this machine */
UrbariumOpenFiles *urbarium_open_files_classify_finish (GAsyncResult *result, GError **error);

G_END_DECLS
