/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat-folder.h - a temporary folder of a test, without folders in it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A test that has such a folder, empty at first: for g_test_add(). */
typedef struct
{
  char *folder; /* owned */
} FlatFolderFixture;

void flat_folder_set_up    (FlatFolderFixture *self, gconstpointer data);
void flat_folder_tear_down (FlatFolderFixture *self, gconstpointer data);

/* Files, and whatever else is in it. */
int  flat_folder_count  (const char *folder);

/* Removes the files and the folder, all of which must be possible.  @folder: (transfer full) */
void flat_folder_remove (char *folder);

G_END_DECLS
