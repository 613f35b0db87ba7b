/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder-private.h - what the files of the run folder share.
 */
#pragma once

#include "run/store/folder.h"

G_BEGIN_DECLS

#define URB_CHECKPOINT_FOLDER "checkpoints"
#define URB_SAMPLE_FOLDER "samples"

struct _UrbRunFolder
{
  char *path; /* owned; absolute */
  int   fd;
  int   lock_fd;
};

/* Sets "Cannot @what '@path'" with the reason in errno.   Returns: %FALSE */
gboolean urb_run_folder_fail (GError **error, UrbRunError code, const char *path, const char *what);

/* As urb_run_folder_list_checkpoints(); empty, with an error, if the folder cannot be read. */
GArray *urb_run_folder_look_for_checkpoints (const char *path, GError **error);

G_END_DECLS
