/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-order.c - see step-order.h.
 */
#include "train/step-order.h"

/* More steps than the others do until a worker that stands still is ended: a minute of the smallest
 * network, 27 MB. */
enum { MAX_HELD = 1 << 18 };

struct _UrbStepOrder
{
  gint64  last;    /* the last step returned */
  gint64  free_to; /* up to here, gaps are not waited for */
  gint64  newest;  /* the newest step reported */
  gint64 *reported;    /* owned; (n_workers) the newest step of each; G_MAXINT64: absent */
  int     n_workers;
  GArray *held;    /* of UrbStepMetrics, ascending, from `first` on all after `last` */
  guint   first;   /* those before it were returned */
};

UrbStepOrder *
urb_step_order_new (gint64 last, int n_workers)
{
  UrbStepOrder *self = g_new0 (UrbStepOrder, 1);
  self->last = self->free_to = self->newest = last;
  self->reported = g_new (gint64, n_workers);
  self->n_workers = n_workers;
  for (int i = 0; i < n_workers; i++)
    self->reported[i] = G_MAXINT64;
  self->held = g_array_new (FALSE, FALSE, sizeof (UrbStepMetrics));
  return self;
}

void
urb_step_order_free (UrbStepOrder *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->held);
  g_free (self->reported);
  g_free (self);
}

static const UrbStepMetrics *
get (UrbStepOrder *self, guint i)
{
  return &g_array_index (self->held, UrbStepMetrics, i);
}

static guint
count_held (UrbStepOrder *self)
{
  return self->held->len - self->first;
}

/* Removes the first one.  Its place is given back only when that is worth the copy. */
static void
drop_first (UrbStepOrder *self)
{
  self->first++;
  if (self->first > self->held->len / 2)
    {
      g_array_remove_range (self->held, 0, self->first);
      self->first = 0;
    }
}

void
urb_step_order_add_rank (UrbStepOrder *self, int worker)
{
  self->reported[worker] = self->newest;
}

void
urb_step_order_remove_rank (UrbStepOrder *self, int worker)
{
  self->reported[worker] = G_MAXINT64;
}

void
urb_step_order_push (UrbStepOrder *self, int worker, const UrbStepMetrics *metrics)
{
  guint at = self->held->len;
  self->newest = MAX (self->newest, metrics->step);
  self->reported[worker] = MAX (self->reported[worker], metrics->step);
  while (at > self->first && get (self, at - 1)->step > metrics->step)
    at--;
  if (metrics->step <= self->last || (at > self->first && get (self, at - 1)->step == metrics->step))
    return;
  g_array_insert_vals (self->held, at, metrics, 1);
  if (count_held (self) > MAX_HELD)
    urb_step_order_release (self);
}

void
urb_step_order_release (UrbStepOrder *self)
{
  if (count_held (self) > 0)
    self->free_to = get (self, self->held->len - 1)->step;
}

gboolean
urb_step_order_pop (UrbStepOrder *self, UrbStepMetrics *metrics)
{
  if (count_held (self) == 0)
    return FALSE;
  *metrics = *get (self, self->first);
  for (int i = 0; i < self->n_workers; i++)
    if (metrics->step != self->last + 1 && metrics->step > self->free_to
        && self->reported[i] < metrics->step - 1)
      return FALSE; /* this worker may still report an earlier one */
  self->last = metrics->step;
  drop_first (self);
  return TRUE;
}
