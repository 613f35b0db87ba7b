/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk-model.h - what a disk may hold when the power fails after any change of a write log.
 *
 * POSIX promises less than most file systems keep, and this takes it at its word: data of a file is
 * certain once that file was synced, a name once its folder was synced, and nothing orders what was
 * not.  Names of one folder change one by one, a rename within it at once.
 */
#pragma once

#include <glib.h>

#include "write-log.h"

G_BEGIN_DECLS

typedef enum
{
  DISK_LOSS_ALL,   /* nothing that was not synced is there */
  DISK_LOSS_NONE,  /* all is there */
  DISK_LOSS_DATA,  /* all names are there, and no data that was not synced */
  DISK_LOSS_NAMES, /* all data is there, and no name that was not synced */
  DISK_LOSS_SOME,  /* of each write, and of each change of a name, chance decides */
  DISK_LOSS_512,   /* as SOME, for each 512 bytes of a write */
  DISK_LOSS_4096,  /* as SOME, for each 4 KiB of a write */
  DISK_N_LOSSES
} DiskLoss;

typedef struct _DiskModel DiskModel;

/* The folder is empty at first. */
DiskModel *disk_model_new  (const char *log);
void       disk_model_free (DiskModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DiskModel, disk_model_free)

int        disk_model_get_n_entries (DiskModel *self);
/* @path: (out) (transfer full) */
WriteLogEntry disk_model_get_entry (DiskModel *self, int i, char **path);
/* Makes all changes before entry @n, which is not before the last @n. */
void       disk_model_play (DiskModel *self, int n);
/* Writes what the disk may hold now into @folder, which must be empty.  Folders, and files under their
 * names; sockets and links are left out. */
void       disk_model_write (DiskModel *self, DiskLoss loss, guint32 seed, const char *folder);

/* Contents that were whole when they got the name @path, up to now: SHA-256, the newest last.
 * (nullable) (element-type utf8) (transfer none) */
GPtrArray *disk_model_get_versions (DiskModel *self, const char *path);

G_END_DECLS
