/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder-private.h - what the files of the run folder share.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

#define URB_CHECKPOINT_FOLDER "checkpoints"
#define URB_SAMPLE_FOLDER "samples"
#define URB_RUN_LOCK_NAME "lock"

struct _UrbRunFolder
{
  char *path; /* owned; absolute */
  int   fd;
  int   lock_fd;
  guint64 db_inode; /* 0: unknown yet */
};

/* Whether the folder @name in it is a folder, or missing. */
gboolean urb_run_folder_has_own (UrbRunFolder *self, const char *name);

/* Sets "Cannot @what '@path'" with the reason in errno.   Returns: %FALSE */
gboolean urb_run_folder_fail (GError **error, UrbRunError code, const char *path, const char *what);

/* As urb_run_folder_list_checkpoints(); empty, with an error, if the folder cannot be read. */
GArray *urb_run_folder_look_for_checkpoints (const char *path, GError **error);

/* Deletes a run that was just made, and the folder if it was made for it. */
void     urb_run_folder_undo (UrbRunFolder *self, gboolean was_there);
/* Whether a run has a whole checkpoint of @step; otherwise a sentence that lists the existing steps. */
gboolean urb_run_folder_check_checkpoint (const char *folder, gint64 step, GError **error);
/* The steps of all sample grids, ascending. (transfer full) */
GArray  *urb_run_folder_list_samples (const char *path);

G_END_DECLS
