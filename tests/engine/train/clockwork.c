/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clockwork.c - see clockwork.h.
 *
 * A sleep lasts longer than asked by up to a tenth of a millisecond, or more on a busy machine.  What one
 * slept too long, the next one sleeps less, so that the sum is right.
 */
#include "clockwork.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  UkBackend     base;
  ClockworkCost cost;
  double        debt; /* seconds slept too long */
} Clockwork;

static void
sleep_for (double seconds, double *debt)
{
  gint64 before = g_get_monotonic_time ();
  double wanted = seconds - *debt;

  if (wanted > 0)
    g_usleep ((gulong) (wanted * 1e6));
  *debt = 1e-6 * (double) (g_get_monotonic_time () - before) - wanted;
}

static void
close_clockwork (UkBackend *self)
{
  g_free (self);
}

static void *
alloc_memory (UkBackend *self, size_t n_bytes)
{
  size_t rounded = (n_bytes + 63) / 64 * 64;
  void *memory = aligned_alloc (64, rounded);

  if (memory != NULL)
    memset (memory, 0, rounded);
  return memory;
}

static void
free_memory (UkBackend *self, void *memory, size_t n_bytes)
{
  free (memory);
}

static UkStatus
copy_memory (UkBackend *self, void *dst, const void *src, size_t n_bytes)
{
  return UK_OK;
}

static UkStatus
prepare (UkBackend *self, const UkOpDesc *desc, UkOp **out)
{
  *out = g_new0 (UkOp, 1);
  (*out)->backend = self;
  (*out)->desc = *desc;
  return UK_OK;
}

static void
release (UkOp *op)
{
  g_free (op);
}

static UkStatus
run (UkOp *op, void *const *args, void *scratch)
{
  Clockwork *self = (Clockwork *) op->backend;

  sleep_for (self->cost (&op->desc), &self->debt);
  return UK_OK;
}

static UkStatus
sync_clockwork (UkBackend *self)
{
  return UK_OK;
}

static const UkBackendTable table = {
  .name = "clockwork",
  .element_size = sizeof (float),
  .is_host = true,
  .close = close_clockwork,
  .alloc = alloc_memory,
  .free = free_memory,
  .copy = copy_memory,
  .prepare = prepare,
  .release = release,
  .run = run,
  .sync = sync_clockwork,
};

UkBackend *
clockwork_new (ClockworkCost cost)
{
  Clockwork *self = g_new0 (Clockwork, 1);

  self->base.table = &table;
  self->base.value_type = UK_DATA_F32;
  self->cost = cost;
  return &self->base;
}

double
clockwork_link_get_seconds (const ClockworkLink *self, const UrbCollective *what)
{
  double n_bytes = (double) what->count * (double) urb_element_get_size (what->element);

  return self->latency + (self->bytes_per_second > 0 ? n_bytes / self->bytes_per_second : 0);
}

/* All ranks of the exchange have come when the inner one is done. */
static gboolean
run_link (gpointer data, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  ClockworkLink *self = data;

  if (!self->inner.run (self->inner.self, what, axes, in, out, error))
    return FALSE;
  sleep_for (clockwork_link_get_seconds (self, what), &self->debt);
  return TRUE;
}

static void
abort_link (gpointer data, const char *why)
{
  ClockworkLink *self = data;

  self->inner.abort (self->inner.self, why);
}

UrbTransport
clockwork_link_get_transport (ClockworkLink *self)
{
  return (UrbTransport) { .self = self, .rank = self->inner.rank, .n_ranks = self->inner.n_ranks, .run = run_link,
                          .abort = abort_link };
}
