/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-order.c - see step-order.h.
 */
#include "train/step-order.h"

/* More steps than workers can be ahead of one that lives. */
enum { MAX_HELD = 1024 };

struct _UrbStepOrder
{
  gint64  last;    /* the last step returned */
  gint64  free_to; /* up to here, gaps are not waited for */
  gint64  newest;  /* the newest step reported */
  gint64 *reported;    /* owned; (n_workers) the newest step of each; G_MAXINT64: absent */
  int     n_workers;
  GArray *held;    /* of UrbStepMetrics, ascending, all after `last` */
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
  while (at > 0 && get (self, at - 1)->step > metrics->step)
    at--;
  if (metrics->step <= self->last || (at > 0 && get (self, at - 1)->step == metrics->step))
    return;
  g_array_insert_vals (self->held, at, metrics, 1);
  if (self->held->len > MAX_HELD)
    urb_step_order_release (self);
}

void
urb_step_order_release (UrbStepOrder *self)
{
  if (self->held->len > 0)
    self->free_to = get (self, self->held->len - 1)->step;
}

gboolean
urb_step_order_pop (UrbStepOrder *self, UrbStepMetrics *metrics)
{
  if (self->held->len == 0)
    return FALSE;
  *metrics = *get (self, 0);
  for (int i = 0; i < self->n_workers; i++)
    if (metrics->step != self->last + 1 && metrics->step > self->free_to
        && self->reported[i] < metrics->step - 1)
      return FALSE; /* this worker may still report an earlier one */
  self->last = metrics->step;
  g_array_remove_index (self->held, 0);
  return TRUE;
}
