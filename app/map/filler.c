/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/filler.h"

/* Leaves time for layout and drawing in a frame of 16 ms. */
enum { BUDGET_US = 6000 };

struct _UrbariumFiller
{
  UrbariumFillerFunc func;
  gpointer           data;
  guint              idle; /* source */
};

UrbariumFiller *
urbarium_filler_new (UrbariumFillerFunc func, gpointer data)
{
  UrbariumFiller *self = g_new0 (UrbariumFiller, 1);
  self->func = func;
  self->data = data;
  return self;
}

void
urbarium_filler_free (UrbariumFiller *self)
{
  urbarium_filler_stop (self);
  g_free (self);
}

static gboolean
fill (UrbariumFiller *self)
{
  gint64 end_us = g_get_monotonic_time () + BUDGET_US;
  do
    if (!self->func (self->data))
      return FALSE;
  while (g_get_monotonic_time () < end_us);
  return TRUE;
}

static gboolean
idle_cb (gpointer data)
{
  UrbariumFiller *self = data;
  if (fill (self))
    return G_SOURCE_CONTINUE;
  self->idle = 0;
  return G_SOURCE_REMOVE;
}

void
urbarium_filler_start (UrbariumFiller *self)
{
  urbarium_filler_stop (self);
  if (fill (self))
    self->idle = g_idle_add (idle_cb, self);
}

void
urbarium_filler_stop (UrbariumFiller *self)
{
  g_clear_handle_id (&self->idle, g_source_remove);
}
