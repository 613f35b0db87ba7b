/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk-model.h - the possible contents of a disk after a power failure, from a write log.
 *
 * POSIX guarantees less than most file systems provide, and this model relies on POSIX alone: data of
 * a file is certain once the file was synced, a name once its folder was synced, and unsynced changes
 * are unordered.  Names in one folder change one by one; a rename within a folder is atomic.
 */
#pragma once

#include <glib.h>

#include "write-log.h"

G_BEGIN_DECLS

typedef enum
{
  DISK_LOSS_ALL,   /* everything unsynced is lost */
  DISK_LOSS_NONE,  /* nothing is lost */
  DISK_LOSS_DATA,  /* unsynced data is lost, names are kept */
  DISK_LOSS_NAMES, /* unsynced names are lost, data is kept */
  DISK_LOSS_SOME,  /* each write and each change of a name is lost at random */
  DISK_LOSS_512,   /* as SOME, in units of 512 bytes of a write */
  DISK_LOSS_4096,  /* as SOME, in units of 4 KiB of a write */
  DISK_N_LOSSES
} DiskLoss;

typedef struct _DiskModel DiskModel;

/* The folder is initially empty. */
DiskModel *disk_model_new  (const char *log);
void       disk_model_free (DiskModel *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DiskModel, disk_model_free)

int        disk_model_get_n_entries (DiskModel *self);
/* @path: (out) (transfer full) */
WriteLogEntry disk_model_get_entry (DiskModel *self, int i, char **path);
/* Replays all entries before @n, which must not decrease between calls. */
void       disk_model_play (DiskModel *self, int n);
/* Writes one possible state of the disk into @folder, which must be empty: folders and named files,
 * without sockets and links. */
void       disk_model_write (DiskModel *self, DiskLoss loss, guint32 seed, const char *folder);

/* SHA-256 of the contents that were complete when named @path, up to now, newest last.
 * (nullable) (element-type utf8) (transfer none) */
GPtrArray *disk_model_get_versions (DiskModel *self, const char *path);

G_END_DECLS
