/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-energy.c - records the energy of this machine's processors while a run trains.
 */
#include "run/supervisor/rapl.h"
#include "run/supervisor/supervisor-private.h"

static void
record (UrbSupervisor *self)
{
  gint64 now_us = g_get_monotonic_time ();
  urb_recorder_energy (self->recorder, urb_rapl_read (self->rapl), (double) (now_us - self->energy_us) / G_USEC_PER_SEC);
  self->energy_us = now_us;
}

static gboolean
record_cb (gpointer user_data)
{
  record (user_data);
  return G_SOURCE_CONTINUE;
}

void
urb_supervisor_watch_energy (UrbSupervisor *self)
{
  if (self->rapl != NULL)
    return;
  self->rapl = urb_rapl_open (self->options.powercap != NULL ? self->options.powercap : URB_RAPL_FOLDER);
  if (self->rapl == NULL)
    return;
  self->energy_us = g_get_monotonic_time ();
  self->energy_id = g_timeout_add ((guint) self->options.gpu_interval_ms, record_cb, self);
}

void
urb_supervisor_leave_energy (UrbSupervisor *self)
{
  if (self->rapl == NULL)
    return;
  record (self);
  g_clear_handle_id (&self->energy_id, g_source_remove);
  g_clear_pointer (&self->rapl, urb_rapl_close);
}
