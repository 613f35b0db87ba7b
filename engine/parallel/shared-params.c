/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-params.c - the segment: creating, opening and validating it.
 *
 * A worker gets a descriptor or a name from outside and must not trust it: a file that is truncated
 * while mapped would end the worker with a SIGBUS.  A memfd is sealed against that; a named file
 * must be owned by this user and closed to others.
 */
#include "parallel/shared-params-private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC G_GUINT64_CONSTANT (0x3472687362627275) /* "urbbshr4" */
#define NAME_PREFIX "urbarium-"
#define NAME_FOLDER "/dev/shm"

enum { LAY_OUT_TIMEOUT_S = 120, POLL_US = 1000 };

static gsize
align_to (gsize n_bytes, gsize alignment)
{
  return (n_bytes + alignment - 1) / alignment * alignment;
}

/* Whole pages, so that the blocks after it can be mapped separately. */
gsize
urb_shared_count_control_bytes (int n_workers)
{
  return align_to (sizeof (UrbSharedHead) + (gsize) n_workers * sizeof (UrbSharedEntry),
                   (gsize) sysconf (_SC_PAGESIZE));
}

static gboolean
fail (GError **error, int number, const char *what)
{
  g_set_error (error, G_FILE_ERROR,
               number != 0 ? (gint) g_file_error_from_errno (number) : (gint) G_FILE_ERROR_INVAL,
               "Shared parameters: %s%s%s.", what, number != 0 ? ": " : "",
               number != 0 ? g_strerror (number) : "");
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* Making                                                                    */

static UrbSharedParams *
object_new (int fd, char *name, int n_workers, void *memory)
{
  UrbSharedParams *self = g_new0 (UrbSharedParams, 1);

  self->fd = fd;
  self->name = name;
  self->n_workers = n_workers;
  self->head = memory;
  self->entries = (UrbSharedEntry *) (self->head + 1);
  self->owner_fd = -1;
  self->patience_s = LAY_OUT_TIMEOUT_S;
  return self;
}

/* Takes @fd and @name. */
static UrbSharedParams *
map_control (int fd, char *name, int n_workers, GError **error)
{
  void *memory = mmap (NULL, urb_shared_count_control_bytes (n_workers), PROT_READ | PROT_WRITE,
                       MAP_SHARED, fd, 0);

  if (memory != MAP_FAILED)
    return object_new (fd, name, n_workers, memory);
  fail (error, errno, "they cannot be mapped");
  close (fd);
  g_free (name);
  return NULL;
}

static UrbSharedParams *
make_control (int fd, char *name, int n_workers, GError **error)
{
  UrbSharedParams *self;
  /* Not ftruncate(): this fails if memory is short, rather than a later write. */
  int failure = posix_fallocate (fd, 0, (off_t) urb_shared_count_control_bytes (n_workers));

  if (failure != 0)
    {
      fail (error, failure, "there is no room for them in " NAME_FOLDER);
      close (fd);
      g_free (name);
      return NULL;
    }
  self = map_control (fd, name, n_workers, error);
  if (self == NULL)
    return NULL;
  self->head->n_workers = (guint64) n_workers;
  self->head->magic = MAGIC;
  return self;
}

static gboolean
check_n_workers (int n_workers, GError **error)
{
  if (n_workers >= 1 && n_workers <= URB_SHARED_MAX_WORKERS)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
               "Shared parameters: the number of ranks must be from 1 to %d, not %d.",
               URB_SHARED_MAX_WORKERS, n_workers);
  return FALSE;
}

UrbSharedParams *
urb_shared_params_new_memfd (int n_workers, GError **error)
{
  int fd;

  if (!check_n_workers (n_workers, error))
    return NULL;
  fd = memfd_create ("urbarium-params", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0 && fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
    return make_control (fd, NULL, n_workers, error);
  fail (error, errno, "no memory for them");
  if (fd >= 0)
    close (fd);
  return NULL;
}

UrbSharedParams *
urb_shared_params_new_heap (int n_workers)
{
  gsize n_bytes;
  UrbSharedParams *self;

  g_return_val_if_fail (n_workers >= 1 && n_workers <= URB_SHARED_MAX_WORKERS, NULL);
  n_bytes = urb_shared_count_control_bytes (n_workers);
  self = object_new (-1, NULL, n_workers, g_aligned_alloc0 (1, n_bytes, URB_SHARED_LINE));
  self->head->n_workers = (guint64) n_workers;
  self->head->magic = MAGIC;
  return self;
}

/* ------------------------------------------------------------------------ */
/* Names in /dev/shm                                                         */

/* A maker locks its file as long as it lives: a file that can be locked is a leftover. */
static void
remove_if_left (const char *file)
{
  g_autofree char *name = g_strconcat ("/", file, NULL);
  int fd = shm_open (name, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
  struct stat info;

  if (fd < 0)
    return;
  if (fstat (fd, &info) == 0 && info.st_uid == geteuid () && S_ISREG (info.st_mode)
      && flock (fd, LOCK_EX | LOCK_NB) == 0)
    shm_unlink (name);
  close (fd);
}

static UrbSharedParams *
try_named (int n_workers, gboolean *again, GError **error)
{
  g_autofree char *name = g_strdup_printf (NAME_PREFIX "%d-%08x", (int) getpid (), g_random_int ());
  g_autofree char *path = g_strconcat ("/", name, NULL);
  int fd = shm_open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat info;
  UrbSharedParams *self;

  *again = fd < 0 && errno == EEXIST;
  if (fd < 0)
    {
      if (!*again)
        fail (error, errno, "cannot create their file in " NAME_FOLDER);
      return NULL;
    }
  /* Another maker may have removed it between these two calls. */
  if (flock (fd, LOCK_EX | LOCK_NB) != 0 || fstat (fd, &info) != 0 || info.st_nlink == 0)
    {
      close (fd);
      *again = TRUE;
      return NULL;
    }
  self = make_control (fd, g_steal_pointer (&name), n_workers, error);
  if (self == NULL)
    shm_unlink (path);
  else
    self->is_maker = TRUE;
  return self;
}

void
urb_shared_params_sweep (void)
{
  g_autoptr(GDir) folder = g_dir_open (NAME_FOLDER, 0, NULL);
  const char *file;

  while (folder != NULL && (file = g_dir_read_name (folder)) != NULL)
    if (g_str_has_prefix (file, NAME_PREFIX))
      remove_if_left (file);
}

UrbSharedParams *
urb_shared_params_new_named (int n_workers, GError **error)
{
  UrbSharedParams *self;
  gboolean again;

  if (!check_n_workers (n_workers, error))
    return NULL;
  urb_shared_params_sweep ();
  do
    self = try_named (n_workers, &again, error);
  while (self == NULL && again);
  return self;
}

/* ------------------------------------------------------------------------ */
/* Opening                                                                   */

static gboolean
check_head (int fd, gint64 size, int *n_workers, GError **error)
{
  UrbSharedHead *head;
  guint64 magic, n;

  if (size < (gint64) urb_shared_count_control_bytes (1))
    return fail (error, 0, "the file is too short");
  head = mmap (NULL, sizeof *head, PROT_READ, MAP_SHARED, fd, 0);
  if (head == MAP_FAILED)
    return fail (error, errno, "they cannot be mapped");
  magic = head->magic;
  n = head->n_workers;
  munmap (head, sizeof *head);
  if (magic != MAGIC)
    return fail (error, 0, "the file is not theirs, or from another version of this program");
  if (n < 1 || n > URB_SHARED_MAX_WORKERS
      || size < (gint64) urb_shared_count_control_bytes ((int) n))
    return fail (error, 0, "the file is damaged");
  *n_workers = (int) n;
  return TRUE;
}

/* Takes @fd and @name. */
static UrbSharedParams *
open_checked (int fd, char *name, gboolean is_good, GError **error)
{
  struct stat info;
  int n_workers;

  if (fstat (fd, &info) != 0)
    fail (error, errno, "their file cannot be examined");
  else if (!is_good || !S_ISREG (info.st_mode))
    fail (error, 0, "the file is not private to this user");
  else if (check_head (fd, (gint64) info.st_size, &n_workers, error))
    return map_control (fd, name, n_workers, error);
  close (fd);
  g_free (name);
  return NULL;
}

UrbSharedParams *
urb_shared_params_open_fd (int fd, GError **error)
{
  int own = fcntl (fd, F_DUPFD_CLOEXEC, 3), seals;

  if (own < 0)
    {
      fail (error, errno, "their descriptor is not open");
      return NULL;
    }
  seals = fcntl (own, F_GET_SEALS);
  return open_checked (own, NULL, seals >= 0 && (seals & F_SEAL_SHRINK) != 0, error);
}

UrbSharedParams *
urb_shared_params_open_name (const char *name, GError **error)
{
  g_autofree char *path = g_strconcat ("/", name, NULL);
  struct stat info;
  int fd;

  if (!g_str_has_prefix (name, NAME_PREFIX) || strchr (name, '/') != NULL)
    {
      fail (error, 0, "their name is invalid");
      return NULL;
    }
  fd = shm_open (path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0)
    {
      fail (error, errno, "their file in " NAME_FOLDER " cannot be opened");
      return NULL;
    }
  return open_checked (fd, g_strdup (name),
                       fstat (fd, &info) == 0 && info.st_uid == geteuid ()
                         && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0, error);
}

void
urb_shared_params_free (UrbSharedParams *self)
{
  if (self == NULL)
    return;
  if (self->is_maker)
    {
      g_autofree char *path = g_strconcat ("/", self->name, NULL);

      shm_unlink (path);
    }
  if (self->blocks != NULL && self->backend == NULL)
    munmap (self->blocks, self->n_block_bytes);
  if (self->owner_fd >= 0)
    close (self->owner_fd);
  if (self->fd < 0)
    g_aligned_free (self->head);
  else
    {
      munmap (self->head, urb_shared_count_control_bytes (self->n_workers));
      close (self->fd);
    }
  g_free (self->name);
  g_free (self);
}

int
urb_shared_params_get_fd (UrbSharedParams *self)
{
  return self->fd;
}

const char *
urb_shared_params_get_name (UrbSharedParams *self)
{
  return self->name;
}

/* ------------------------------------------------------------------------ */
/* Blocks                                                                    */

gsize
urb_shared_count_block_bytes (const UrbSharedLayout *layout)
{
  gsize sum = 0;

  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      sum += align_to ((gsize) layout->n_bytes[net][block], URB_SHARED_LINE);
  return sum;
}

static void
write_layout (UrbSharedHead *head, const UrbSharedLayout *layout)
{
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      head->n_bytes[net][block] = (guint64) layout->n_bytes[net][block];
  for (gsize i = 0; i < G_N_ELEMENTS (head->hash); i++)
    {
      guint64 word;

      memcpy (&word, layout->hash + i * sizeof word, sizeof word);
      head->hash[i] = word;
    }
}

static gboolean
is_layout (UrbSharedHead *head, const UrbSharedLayout *layout)
{
  UrbSharedHead own = { 0 };

  write_layout (&own, layout);
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      if (own.n_bytes[net][block] != head->n_bytes[net][block])
        return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (own.hash); i++)
    if (own.hash[i] != head->hash[i])
      return FALSE;
  return TRUE;
}

void
urb_shared_params_plan (UrbSharedParams *self)
{
  self->head->planner = (guint64) getpid ();
}

static gboolean
is_being_planned (UrbSharedParams *self)
{
  guint64 pid = self->head->planner;

  return pid != 0 && (kill ((pid_t) pid, 0) == 0 || errno != ESRCH);
}

/* Choosing kernels for a GPU that was never used may take minutes: as long as the first worker lives, the
 * others wait. */
static gboolean
wait_until_laid_out (UrbSharedParams *self, GError **error)
{
  gint64 end = g_get_monotonic_time () + self->patience_s * (gint64) G_USEC_PER_SEC;

  while (!self->head->laid_out && !self->head->closed)
    {
      if (is_being_planned (self))
        end = g_get_monotonic_time () + self->patience_s * (gint64) G_USEC_PER_SEC;
      else if (g_get_monotonic_time () > end)
        return fail (error, 0, "the first worker did not create them; see why it did not start");
      g_usleep (POLL_US);
    }
  return self->head->laid_out || fail (error, 0, "the run ended before they were created");
}

gboolean
urb_shared_wait_for_layout (UrbSharedParams *self, const UrbSharedLayout *layout, GError **error)
{
  return wait_until_laid_out (self, error)
         && (is_layout (self->head, layout)
             || fail (error, 0, "they belong to other networks or options"));
}

void
urb_shared_lay_out (UrbSharedParams *self, const UrbSharedLayout *layout)
{
  write_layout (self->head, layout);
  self->head->laid_out = 1;
}

void
urb_shared_place_blocks (UrbSharedParams *self, const UrbSharedLayout *layout, void *memory)
{
  gsize offset = 0;

  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    for (int block = 0; block < URB_SHARED_N_BLOCKS; block++)
      {
        gsize n_bytes = (gsize) layout->n_bytes[net][block];

        if (n_bytes > 0)
          self->block[net][block] = (char *) memory + offset;
        offset += align_to (n_bytes, URB_SHARED_LINE);
      }
}

static gboolean
map_blocks (UrbSharedParams *self, const UrbSharedLayout *layout, GError **error)
{
  gsize first = urb_shared_count_control_bytes (self->n_workers);
  void *memory = mmap (NULL, self->n_block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
                       (off_t) first);

  if (memory == MAP_FAILED)
    return fail (error, errno, "they cannot be mapped");
  self->blocks = memory;
  urb_shared_place_blocks (self, layout, memory);
  return TRUE;
}

/* Clears what a first worker that died before all was ready may have left, since moments start at
 * 0. */
static gboolean
lay_out (UrbSharedParams *self, const UrbSharedLayout *layout, GError **error)
{
  gsize n_bytes = urb_shared_count_control_bytes (self->n_workers) + self->n_block_bytes;
  int failure = posix_fallocate (self->fd, 0, (off_t) n_bytes);

  if (failure != 0)
    {
      g_autofree char *size = g_format_size (n_bytes);
      g_autofree char *what = g_strdup_printf ("there is no room for %s in shared memory", size);

      return fail (error, failure, what);
    }
  if (!map_blocks (self, layout, error))
    return FALSE;
  memset (self->blocks, 0, self->n_block_bytes);
  self->head->owner = 0;
  urb_shared_lay_out (self, layout);
  return TRUE;
}

gboolean
urb_shared_params_map (UrbSharedParams *self, int rank, const UrbSharedLayout *layout,
                       GError **error)
{
  gsize n_control = urb_shared_count_control_bytes (self->n_workers);
  struct stat info;

  g_return_val_if_fail (self->blocks == NULL, FALSE);
  if (self->fd < 0)
    return TRUE;
  self->n_block_bytes = urb_shared_count_block_bytes (layout);
  g_return_val_if_fail (self->n_block_bytes > 0, FALSE);
  if (rank == 0 && !self->head->ready)
    return lay_out (self, layout, error);
  if (!urb_shared_wait_for_layout (self, layout, error))
    return FALSE;
  if (fstat (self->fd, &info) != 0 || (gsize) info.st_size < n_control + self->n_block_bytes)
    return fail (error, 0, "the file was truncated");
  return map_blocks (self, layout, error);
}

void
urb_shared_params_lend (UrbSharedParams *self, UrbSharedNet net, UrbSharedBlock block, void *memory)
{
  g_return_if_fail (self->fd < 0);
  self->block[net][block] = memory;
}

void *
urb_shared_params_get_block (UrbSharedParams *self, UrbSharedNet net, UrbSharedBlock block)
{
  return self->block[net][block];
}

void
urb_shared_params_set_ready (UrbSharedParams *self, gint64 n_done, gint64 n_steps)
{
  UrbSharedHead *head = self->head;

  g_return_if_fail (n_done >= 0 && n_steps > 0);
  if (self->fd < 0)
    head->closed = 0; /* the threads start again */
  for (int i = 0; i < self->n_workers; i++)
    self->entries[i].ticket = 0;
  head->started = head->done = (guint64) n_done;
  head->n_steps = (guint64) n_steps;
  head->ready = 1;
}

gboolean
urb_shared_params_is_ready (UrbSharedParams *self)
{
  return self->head->ready != 0;
}

gboolean
urb_shared_params_wait_until_ready (UrbSharedParams *self, int timeout_s, GError **error)
{
  gint64 end = g_get_monotonic_time () + timeout_s * (gint64) G_USEC_PER_SEC;

  while (!self->head->ready && !self->head->closed)
    {
      if (!urb_shared_params_check_owner (self, error))
        return FALSE;
      if (g_get_monotonic_time () > end)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
                       "The first worker did not start within %d s; see what it waits for.",
                       timeout_s);
          return FALSE;
        }
      g_usleep (POLL_US);
    }
  return TRUE;
}

void
urb_shared_params_close (UrbSharedParams *self)
{
  self->head->closed = 1;
}
