/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-device.c - shared blocks in the memory of a GPU.
 *
 * A GPU's memory always belongs to a process, and is freed with it, even if others have opened it.
 * So the process of rank 0 is the owner.  The control part stays in the segment, which survives all
 * processes; it says how to open the owner's memory, who the owner is, and who has opened it.
 *
 * The end needs care.  CUDA does not define what happens to an importer whose memory was freed, so
 * an owner that exits normally closes first, and waits for the others.  A killed owner cannot, and
 * what the others write to that memory from then on is lost, if it does not fail.  So each rank
 * checks before every step, with a pidfd of the owner: a process id may be reused, and still exists
 * after a process ended until it is waited for.  The supervisor then restarts all ranks.
 */
#include "parallel/shared-params-private.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { POLL_US = 1000 };

/* @status: of the device */
static gboolean
fail (UrbSharedParams *self, UkStatus status, const char *what, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  const char *explanation = table->explain != NULL ? table->explain (self->backend) : "";

  if (*explanation == '\0')
    explanation = uk_status_text (status);
  if (status == UK_UNSUPPORTED)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "Shared parameters: %s: %s.", what,
                 explanation);
  else
    g_set_error (error, G_FILE_ERROR,
                 status == UK_NO_MEMORY ? G_FILE_ERROR_NOMEM : G_FILE_ERROR_FAILED,
                 "Shared parameters: %s: %s.", what, explanation);
  return FALSE;
}

gboolean
urb_shared_params_has_owner (UrbSharedParams *self)
{
  return self->head->owner != 0;
}

/* ------------------------------------------------------------------------ */
/* The owner                                                                 */

static gboolean
fail_ended (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED,
                       "Shared parameters: the process of rank 0 has ended, and the GPU memory "
                       "that held them is gone.");
  return FALSE;
}

/* The blocks are zero when this returns, also for other processes: moments start at zero. */
static gboolean
allocate (UrbSharedParams *self, const UrbSharedLayout *layout, UkExport *exported, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  UkStatus status;

  self->blocks = table->alloc (self->backend, self->n_block_bytes);
  if (self->blocks == NULL)
    return fail (self, UK_NO_MEMORY, "not enough device memory", error);
  status = table->export_memory (self->backend, self->blocks, exported);
  if (status == UK_OK)
    status = table->sync (self->backend);
  if (status == UK_OK)
    return TRUE;
  table->free (self->backend, self->blocks, self->n_block_bytes);
  self->blocks = NULL;
  return fail (self, status, "the device memory cannot be shared", error);
}

/* Ranks that opened the blocks of a first worker that died before all was ready notice the new
 * generation. */
static gboolean
lay_out (UrbSharedParams *self, const UrbSharedLayout *layout, GError **error)
{
  UrbSharedHead *head = self->head;
  guint64 words[G_N_ELEMENTS (head->exported)];
  UkExport exported;

  if (head->ready)
    return fail_ended (error);
  if (!allocate (self, layout, &exported, error))
    return FALSE;
  head->laid_out = 0;
  self->generation = atomic_fetch_add (&head->generation, 1) + 1;
  head->owner = (guint64) getpid ();
  memcpy (words, &exported, sizeof words);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    head->exported[i] = words[i];
  urb_shared_place_blocks (self, layout, self->blocks);
  urb_shared_lay_out (self, layout);
  return TRUE;
}

/* The entry of a killed importer is cleared when it is reaped. */
static gboolean
is_imported (UrbSharedParams *self)
{
  for (int i = 0; i < self->n_workers; i++)
    {
      guint64 pid = self->entries[i].importer;

      if (pid != 0 && (kill ((pid_t) pid, 0) == 0 || errno != ESRCH))
        return TRUE;
    }
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* The others                                                                */

gboolean
urb_shared_params_check_owner (UrbSharedParams *self, GError **error)
{
  struct pollfd owner = { .fd = self->owner_fd, .events = POLLIN }; /* readable once it has ended */

  if (self->generation == self->head->generation
      && (self->owner_fd < 0 || poll (&owner, 1, 0) <= 0))
    return TRUE;
  return self->generation == 0 || fail_ended (error); /* 0: blocks of another kind */
}

static gboolean
open_import (UrbSharedParams *self, GError **error)
{
  guint64 words[G_N_ELEMENTS (self->head->exported)];
  UkExport exported;
  UkStatus status;

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    words[i] = self->head->exported[i];
  memcpy (&exported, words, sizeof exported);
  exported.device[sizeof exported.device - 1] = '\0';
  status = self->backend->table->import_memory (self->backend, &exported, &self->blocks);
  if (status == UK_OK)
    return TRUE;
  return urb_shared_params_check_owner (self, error)
         && fail (self, status, "rank 0's memory cannot be opened", error);
}

static gboolean
import (UrbSharedParams *self, const UrbSharedLayout *layout, GError **error)
{
  if (!urb_shared_wait_for_layout (self, layout, error))
    return FALSE;
  self->generation = self->head->generation;
  /* If the kernel has no pidfd, or denies it, only the supervisor notices the end. */
  self->owner_fd = (int) syscall (SYS_pidfd_open, (pid_t) self->head->owner, 0);
  if (self->owner_fd < 0 && errno == ESRCH)
    return fail_ended (error);
  if (!open_import (self, error))
    return FALSE;
  urb_shared_place_blocks (self, layout, self->blocks);
  /* Checked again, since the owner may have been replaced meanwhile. */
  return urb_shared_params_check_owner (self, error);
}

/* ------------------------------------------------------------------------ */

gboolean
urb_shared_params_map_device (UrbSharedParams *self, int rank, const UrbSharedLayout *layout,
                              UkBackend *backend, GError **error)
{
  g_return_val_if_fail (self->blocks == NULL && self->fd >= 0, FALSE);
  g_return_val_if_fail (rank >= 0 && rank < self->n_workers, FALSE);
  g_return_val_if_fail (backend->table->export_memory != NULL, FALSE);

  self->backend = backend;
  self->n_block_bytes = (urb_shared_count_block_bytes (layout) + UK_EXPORT_ALIGN - 1)
                        / UK_EXPORT_ALIGN * UK_EXPORT_ALIGN;
  if (rank == 0)
    return lay_out (self, layout, error);
  self->entries[rank].importer = (guint64) getpid (); /* before the import, so that the owner waits
                                                       * for it */
  if (import (self, layout, error))
    return TRUE;
  urb_shared_params_unmap_device (self, rank, 0);
  return FALSE;
}

void
urb_shared_params_unmap_device (UrbSharedParams *self, int rank, int timeout_s)
{
  if (self->backend == NULL)
    return;
  if (self->blocks != NULL && rank == 0)
    {
      gint64 end = g_get_monotonic_time () + timeout_s * (gint64) G_USEC_PER_SEC;

      urb_shared_params_close (self);
      while (is_imported (self) && g_get_monotonic_time () < end)
        g_usleep (POLL_US);
      self->backend->table->free (self->backend, self->blocks, self->n_block_bytes);
    }
  else if (self->blocks != NULL)
    self->backend->table->release_import (self->backend, self->blocks);
  if (rank != 0)
    self->entries[rank].importer = 0;
  if (self->owner_fd >= 0)
    close (self->owner_fd);
  self->owner_fd = -1;
  self->generation = 0;
  memset (self->block, 0, sizeof self->block);
  self->blocks = NULL;
  self->backend = NULL;
}
