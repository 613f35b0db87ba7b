/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write-log.h - what record-writes.c notes and disk-model.c reads: every change to files below one
 * folder, in the order in which it was made, whichever process made it.
 */
#pragma once

#include <stdint.h>

/* Environment: the folder, absolute and without links; and the log, outside of it. */
#define WRITE_LOG_FOLDER "URBARIUM_RECORD_FOLDER"
#define WRITE_LOG_FILE "URBARIUM_RECORD_LOG"

typedef enum
{
  WRITE_LOG_NEW,      /* a file, or a folder if size is 1, came to be; path: its name, or "" */
  WRITE_LOG_DATA,     /* at offset of file */
  WRITE_LOG_SIZE,     /* of file, cut or grown to size */
  WRITE_LOG_SYNC,     /* of a file or a folder */
  WRITE_LOG_LINK,     /* file has path, too */
  WRITE_LOG_UNLINK,   /* path is gone */
  WRITE_LOG_RENAME,   /* path became path2 */
  WRITE_LOG_SYMLINK,  /* path came to be; what it says does not matter */
  WRITE_LOG_PROMISE,  /* by the test: what path is about has been said to be on the disk */
  WRITE_LOG_MAPPED,   /* file is written through memory: nobody can follow that */
  WRITE_LOG_N_KINDS
} WriteLogKind;

/* Followed by path, path2 and the data, without zeros between. */
typedef struct
{
  uint32_t kind;
  uint32_t path_bytes, path2_bytes;
  uint32_t pid;
  uint64_t file; /* number of the inode; the file that came to be under it last */
  uint64_t offset, size;
  uint64_t n_bytes; /* of data */
} WriteLogEntry;
