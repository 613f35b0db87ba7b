/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write-log.h - the format that record-writes.c writes and disk-model.c reads: every change to files
 * below one folder, in order, by any process.
 */
#pragma once

#include <stdint.h>

/* Environment variables: the folder, absolute and without links; and the log, outside it. */
#define WRITE_LOG_FOLDER "URBARIUM_RECORD_FOLDER"
#define WRITE_LOG_FILE "URBARIUM_RECORD_LOG"

typedef enum
{
  WRITE_LOG_NEW,      /* creates a file, or a folder if size is 1; path: its name, or "" */
  WRITE_LOG_DATA,     /* data at offset of file */
  WRITE_LOG_SIZE,     /* file is truncated or extended to size */
  WRITE_LOG_SYNC,     /* a file or folder is synced */
  WRITE_LOG_LINK,     /* file gets the additional name path */
  WRITE_LOG_UNLINK,   /* path is removed */
  WRITE_LOG_RENAME,   /* path is renamed to path2 */
  WRITE_LOG_SYMLINK,  /* path is created; its target does not matter */
  WRITE_LOG_PROMISE,  /* by the test: path has been reported as saved */
  WRITE_LOG_MAPPED,   /* file is written through a memory mapping, which cannot be recorded */
  WRITE_LOG_N_KINDS
} WriteLogKind;

/* Followed by path, path2 and the data, without terminating zeros. */
typedef struct
{
  uint32_t kind;
  uint32_t path_bytes, path2_bytes;
  uint32_t pid;
  uint64_t file; /* inode number; refers to the latest file created with it */
  uint64_t offset, size;
  uint64_t n_bytes; /* of the data */
} WriteLogEntry;
