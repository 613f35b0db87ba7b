/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record-writes.c - a preloaded library that records every change to files below a folder.
 *
 * The difficulty: the order must be correct across threads and processes, because disk-model.c
 * relies on it.  Each change and its record are therefore made under one lock, that of the log.
 * The C library's streams bypass these functions; their writes are detected when the file is synced
 * or named, by comparing it with its recorded contents.
 */
#include "write-log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__ ((visibility ("default")))
#define REAL(name) ((__typeof__ (&name)) real_function (#name))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char            folder[PATH_MAX];
static size_t          folder_bytes;
static int             log_fd = -1;
static pid_t           log_pid;

static void *
real_function (const char *name)
{
  void *function = dlsym (RTLD_NEXT, name);
  if (function == NULL)
    abort ();
  return function;
}

/* ------------------------------------------------------------------------ */
/* The log                                                                   */

/* The lock belongs to the open file description, so each process opens the log itself. */
static int
lock_log (void)
{
  int saved = errno;
  /* Another thread of the parent may have held the mutex during the fork. */
  if (log_pid != getpid ())
    mutex = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock (&mutex);
  if (log_pid != getpid ())
    {
      const char *path = getenv (WRITE_LOG_FILE), *below = getenv (WRITE_LOG_FOLDER);
      if (log_fd >= 0)
        close (log_fd);
      log_fd = -1;
      if (path != NULL && below != NULL && strlen (below) < sizeof folder)
        {
          folder_bytes = strlen (strcpy (folder, below));
          /* Avoids the low descriptors that are passed to workers. */
          int fd = REAL (open) (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
          log_fd = fcntl (fd, F_DUPFD_CLOEXEC, 900);
          close (fd);
          if (log_fd < 0)
            abort ();
        }
      log_pid = getpid ();
    }
  if (log_fd >= 0)
    flock (log_fd, LOCK_EX);
  errno = saved;
  return log_fd >= 0;
}

static void
unlock_log (void)
{
  int saved = errno;
  if (log_fd >= 0)
    flock (log_fd, LOCK_UN);
  pthread_mutex_unlock (&mutex);
  errno = saved;
}

static void
note (WriteLogEntry entry, const char *path, const char *path2, const void *data)
{
  int saved = errno;
  struct iovec parts[4];
  ssize_t total = 0;
  entry.path_bytes = path != NULL ? (uint32_t) strlen (path) : 0;
  entry.path2_bytes = path2 != NULL ? (uint32_t) strlen (path2) : 0;
  entry.pid = (uint32_t) getpid ();
  parts[0] = (struct iovec){ &entry, sizeof entry };
  parts[1] = (struct iovec){ (void *) path, entry.path_bytes };
  parts[2] = (struct iovec){ (void *) path2, entry.path2_bytes };
  parts[3] = (struct iovec){ (void *) data, entry.n_bytes };
  for (int i = 0; i < 4; i++)
    total += (ssize_t) parts[i].iov_len;
  /* A record with a gap would make the test worthless. */
  if (REAL (writev) (log_fd, parts, 4) != total)
    abort ();
  errno = saved;
}

/* ------------------------------------------------------------------------ */
/* Names                                                                     */

static int
is_below (const char *path)
{
  return strncmp (path, folder, folder_bytes) == 0
         && (path[folder_bytes] == '/' || path[folder_bytes] == '\0');
}

static int
path_of_fd (int fd, char path[PATH_MAX])
{
  char link[64];
  ssize_t n;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink (link, path, PATH_MAX - 1);
  if (n < 0)
    return 0;
  path[n] = '\0';
  return 1;
}

/* The last component may be missing or a link; links in the others are followed.
 * Returns: @name relative to the folder; NULL if it is elsewhere */
static const char *
resolve (int dir_fd, const char *name, char path[PATH_MAX])
{
  char given[2 * PATH_MAX], parent[PATH_MAX], *slash;
  char base[NAME_MAX + 1];
  if (name[0] == '/')
    snprintf (given, sizeof given, "%s", name);
  else
    {
      char start[PATH_MAX];
      if (!(dir_fd == AT_FDCWD ? getcwd (start, sizeof start) != NULL : path_of_fd (dir_fd, start)))
        return NULL;
      snprintf (given, sizeof given, "%s/%s", start, name);
    }
  slash = strrchr (given, '/');
  snprintf (base, sizeof base, "%s", slash + 1);
  *slash = '\0';
  if (realpath (given[0] != '\0' ? given : "/", parent) == NULL)
    return NULL;
  if (strlen (parent) + strlen (base) + 2 > PATH_MAX)
    return NULL;
  strcpy (path, parent);
  if (base[0] != '\0' && strcmp (base, ".") != 0)
    strcat (strcat (path, "/"), base);
  return is_below (path) ? path + folder_bytes + (path[folder_bytes] == '/') : NULL;
}

/* Returns: whether @fd is a recorded file or folder, with or without a name */
static int
is_ours (int fd, struct stat *info)
{
  char path[PATH_MAX];
  return fstat (fd, info) == 0 && (S_ISREG (info->st_mode) || S_ISDIR (info->st_mode))
         && path_of_fd (fd, path) && is_below (path);
}

/* Records a whole file, for writers that bypass these functions. */
static void
note_content (int fd, const struct stat *info)
{
  char *data = info->st_size > 0 ? mmap (NULL, (size_t) info->st_size, PROT_READ, MAP_SHARED, fd, 0)
                                 : NULL;
  if (data == MAP_FAILED)
    abort ();
  note ((WriteLogEntry){ .kind = WRITE_LOG_SIZE, .file = info->st_ino,
                         .size = (uint64_t) info->st_size }, NULL, NULL, NULL);
  if (data == NULL)
    return;
  note ((WriteLogEntry){ .kind = WRITE_LOG_DATA, .file = info->st_ino,
                         .n_bytes = (uint64_t) info->st_size }, NULL, NULL, data);
  munmap (data, (size_t) info->st_size);
}

static void
note_content_of (int dir_fd, const char *name)
{
  struct stat info;
  int saved = errno;
  int fd = REAL (openat) (dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    note_content (fd, &info);
  if (fd >= 0)
    close (fd);
  errno = saved;
}

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static int
open_noted (int dir_fd, const char *name, int flags, mode_t mode)
{
  char path[PATH_MAX];
  const char *below;
  struct stat before, info;
  int fd, was_there;
  if ((flags & (O_CREAT | O_TRUNC)) == 0 && (flags & O_TMPFILE) != O_TMPFILE)
    return REAL (openat) (dir_fd, name, flags, mode);
  if (!lock_log () || (below = resolve (dir_fd, name, path)) == NULL)
    {
      unlock_log ();
      return REAL (openat) (dir_fd, name, flags, mode);
    }
  was_there = (flags & O_TMPFILE) != O_TMPFILE && fstatat (dir_fd, name, &before, 0) == 0;
  fd = REAL (openat) (dir_fd, name, flags, mode);
  if (fd >= 0 && fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    {
      if (!was_there)
        note ((WriteLogEntry){ .kind = WRITE_LOG_NEW, .file = info.st_ino },
              (flags & O_TMPFILE) == O_TMPFILE ? "" : below, NULL, NULL);
      else if ((flags & O_TRUNC) != 0)
        note ((WriteLogEntry){ .kind = WRITE_LOG_SIZE, .file = info.st_ino }, NULL, NULL, NULL);
    }
  unlock_log ();
  return fd;
}

static mode_t
take_mode (int flags, va_list arguments)
{
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (arguments, mode_t) : 0;
}

#define DEFINE_OPEN(name)                                                                          \
  EXPORT int name (const char *path, int flags, ...)                                               \
  {                                                                                                \
    va_list arguments;                                                                             \
    mode_t mode;                                                                                   \
    va_start (arguments, flags);                                                                   \
    mode = take_mode (flags, arguments);                                                           \
    va_end (arguments);                                                                            \
    return open_noted (AT_FDCWD, path, flags, mode);                                               \
  }
#define DEFINE_OPENAT(name)                                                                        \
  EXPORT int name (int dir_fd, const char *path, int flags, ...)                                   \
  {                                                                                                \
    va_list arguments;                                                                             \
    mode_t mode;                                                                                   \
    va_start (arguments, flags);                                                                   \
    mode = take_mode (flags, arguments);                                                           \
    va_end (arguments);                                                                            \
    return open_noted (dir_fd, path, flags, mode);                                                 \
  }
DEFINE_OPEN (open)
DEFINE_OPEN (open64)
DEFINE_OPENAT (openat)
DEFINE_OPENAT (openat64)

/* ------------------------------------------------------------------------ */
/* Data                                                                      */

/* Calls @call, under the lock if @fd is recorded; records what it wrote. */
#define NOTED(fd, result, call, noted)                                                             \
  do                                                                                               \
    {                                                                                              \
      struct stat info;                                                                            \
      if (!lock_log () || !is_ours (fd, &info) || !S_ISREG (info.st_mode))                         \
        {                                                                                          \
          unlock_log ();                                                                           \
          return call;                                                                             \
        }                                                                                          \
      result = call;                                                                               \
      if (result >= 0)                                                                             \
        note (noted, NULL, NULL, buffer);                                                          \
      unlock_log ();                                                                               \
      return result;                                                                               \
    }                                                                                              \
  while (0)

EXPORT ssize_t
write (int fd, const void *buffer, size_t n_bytes)
{
  ssize_t n;
  NOTED (fd, n, REAL (write) (fd, buffer, n_bytes),
         ((WriteLogEntry){ .kind = WRITE_LOG_DATA, .file = info.st_ino, .n_bytes = (uint64_t) n,
                           .offset = (uint64_t) (lseek (fd, 0, SEEK_CUR) - n) }));
}

EXPORT ssize_t
pwrite (int fd, const void *buffer, size_t n_bytes, off_t offset)
{
  ssize_t n;
  NOTED (fd, n, REAL (pwrite) (fd, buffer, n_bytes, offset),
         ((WriteLogEntry){ .kind = WRITE_LOG_DATA, .file = info.st_ino, .n_bytes = (uint64_t) n,
                           .offset = (uint64_t) offset }));
}

EXPORT ssize_t
pwrite64 (int fd, const void *buffer, size_t n_bytes, off64_t offset)
{
  return pwrite (fd, buffer, n_bytes, offset);
}

/* Writes partially, which callers must expect anyway. */
EXPORT ssize_t
writev (int fd, const struct iovec *parts, int n_parts)
{
  struct stat info;
  ssize_t total = 0;
  if (getenv (WRITE_LOG_FOLDER) == NULL || fstat (fd, &info) != 0 || !S_ISREG (info.st_mode))
    return REAL (writev) (fd, parts, n_parts);
  for (int i = 0; i < n_parts; i++)
    {
      ssize_t n = write (fd, parts[i].iov_base, parts[i].iov_len);
      if (n < 0)
        return total > 0 ? total : n;
      total += n;
      if ((size_t) n < parts[i].iov_len)
        break;
    }
  return total;
}

EXPORT int
ftruncate (int fd, off_t size)
{
  const void *buffer = NULL;
  int result;
  NOTED (fd, result, REAL (ftruncate) (fd, size),
         ((WriteLogEntry){ .kind = WRITE_LOG_SIZE, .file = info.st_ino, .size = (uint64_t) size }));
}

EXPORT int
ftruncate64 (int fd, off64_t size)
{
  return ftruncate (fd, size);
}

static int
note_size (int fd, int result)
{
  struct stat info;
  if (lock_log () && is_ours (fd, &info) && S_ISREG (info.st_mode) && result == 0)
    note ((WriteLogEntry){ .kind = WRITE_LOG_SIZE, .file = info.st_ino,
                           .size = (uint64_t) info.st_size }, NULL, NULL, NULL);
  unlock_log ();
  return result;
}

EXPORT int
fallocate (int fd, int mode, off_t offset, off_t n_bytes)
{
  return note_size (fd, REAL (fallocate) (fd, mode, offset, n_bytes));
}

EXPORT int
fallocate64 (int fd, int mode, off64_t offset, off64_t n_bytes)
{
  return fallocate (fd, mode, offset, n_bytes);
}

EXPORT int
posix_fallocate (int fd, off_t offset, off_t n_bytes)
{
  return note_size (fd, REAL (posix_fallocate) (fd, offset, n_bytes));
}

EXPORT int
posix_fallocate64 (int fd, off64_t offset, off64_t n_bytes)
{
  return posix_fallocate (fd, offset, n_bytes);
}

EXPORT void *
mmap (void *address, size_t n_bytes, int protection, int flags, int fd, off_t offset)
{
  struct stat info;
  if (fd >= 0 && (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0 && lock_log ())
    {
      char path[PATH_MAX];
      if (is_ours (fd, &info) && path_of_fd (fd, path))
        note ((WriteLogEntry){ .kind = WRITE_LOG_MAPPED, .file = info.st_ino },
              path + folder_bytes + 1, NULL, NULL);
      unlock_log ();
    }
  return REAL (mmap) (address, n_bytes, protection, flags, fd, offset);
}

EXPORT void *
mmap64 (void *address, size_t n_bytes, int protection, int flags, int fd, off64_t offset)
{
  return mmap (address, n_bytes, protection, flags, fd, offset);
}

/* ------------------------------------------------------------------------ */
/* Syncing                                                                   */

static int
sync_noted (int fd, int (*sync) (int))
{
  struct stat info;
  int result;
  if (!lock_log () || !is_ours (fd, &info))
    {
      unlock_log ();
      return sync (fd);
    }
  if (S_ISREG (info.st_mode))
    {
      /* It may be open write-only. */
      char link[64];
      snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
      int again = REAL (open) (link, O_RDONLY | O_CLOEXEC);
      if (again < 0)
        abort ();
      note_content (again, &info);
      close (again);
    }
  result = sync (fd);
  if (result == 0)
    note ((WriteLogEntry){ .kind = WRITE_LOG_SYNC, .file = info.st_ino }, NULL, NULL, NULL);
  unlock_log ();
  return result;
}

EXPORT int
fsync (int fd)
{
  return sync_noted (fd, REAL (fsync));
}

EXPORT int
fdatasync (int fd)
{
  return sync_noted (fd, REAL (fdatasync));
}

/* ------------------------------------------------------------------------ */
/* Folders                                                                   */

EXPORT int
renameat (int from_fd, const char *from, int to_fd, const char *to)
{
  char path[PATH_MAX], path2[PATH_MAX];
  const char *old = NULL, *new = NULL;
  int result, on = lock_log ();
  if (on)
    {
      old = resolve (from_fd, from, path);
      new = resolve (to_fd, to, path2);
    }
  if (new != NULL)
    note_content_of (from_fd, from);
  result = REAL (renameat) (from_fd, from, to_fd, to);
  if (result == 0 && old != NULL && new != NULL)
    note ((WriteLogEntry){ .kind = WRITE_LOG_RENAME }, old, new, NULL);
  else if (result == 0 && on && (old != NULL || new != NULL))
    abort (); /* renames into or out of the folder do not occur */
  unlock_log ();
  return result;
}

EXPORT int
rename (const char *from, const char *to)
{
  return renameat (AT_FDCWD, from, AT_FDCWD, to);
}

EXPORT int
unlinkat (int dir_fd, const char *name, int flags)
{
  char path[PATH_MAX];
  const char *below = lock_log () ? resolve (dir_fd, name, path) : NULL;
  int result = REAL (unlinkat) (dir_fd, name, flags);
  if (result == 0 && below != NULL)
    note ((WriteLogEntry){ .kind = WRITE_LOG_UNLINK }, below, NULL, NULL);
  unlock_log ();
  return result;
}

EXPORT int
unlink (const char *name)
{
  return unlinkat (AT_FDCWD, name, 0);
}

EXPORT int
rmdir (const char *name)
{
  return unlinkat (AT_FDCWD, name, AT_REMOVEDIR);
}

EXPORT int
remove (const char *name)
{
  struct stat info;
  return lstat (name, &info) == 0 && S_ISDIR (info.st_mode) ? rmdir (name) : unlink (name);
}

EXPORT int
linkat (int from_fd, const char *from, int to_fd, const char *to, int flags)
{
  char path[PATH_MAX];
  const char *below = lock_log () ? resolve (to_fd, to, path) : NULL;
  struct stat info;
  int result = REAL (linkat) (from_fd, from, to_fd, to, flags);
  if (result == 0 && below != NULL && fstatat (to_fd, to, &info, AT_SYMLINK_NOFOLLOW) == 0)
    {
      note_content_of (to_fd, to);
      note ((WriteLogEntry){ .kind = WRITE_LOG_LINK, .file = info.st_ino }, below, NULL, NULL);
    }
  unlock_log ();
  return result;
}

EXPORT int
link (const char *from, const char *to)
{
  return linkat (AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int
symlinkat (const char *text, int dir_fd, const char *name)
{
  char path[PATH_MAX];
  const char *below = lock_log () ? resolve (dir_fd, name, path) : NULL;
  int result = REAL (symlinkat) (text, dir_fd, name);
  if (result == 0 && below != NULL)
    note ((WriteLogEntry){ .kind = WRITE_LOG_SYMLINK }, below, NULL, NULL);
  unlock_log ();
  return result;
}

EXPORT int
mkdirat (int dir_fd, const char *name, mode_t mode)
{
  char path[PATH_MAX];
  const char *below = lock_log () ? resolve (dir_fd, name, path) : NULL;
  struct stat info;
  int result = REAL (mkdirat) (dir_fd, name, mode);
  if (result == 0 && below != NULL && fstatat (dir_fd, name, &info, 0) == 0)
    note ((WriteLogEntry){ .kind = WRITE_LOG_NEW, .file = info.st_ino, .size = 1 }, below, NULL,
          NULL);
  unlock_log ();
  return result;
}

EXPORT int
mkdir (const char *name, mode_t mode)
{
  return mkdirat (AT_FDCWD, name, mode);
}
