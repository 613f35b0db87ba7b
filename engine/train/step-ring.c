/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step-ring.c - see step-ring.h.
 */
#include "train/step-ring.h"

#include <string.h>

#include "train/device.h"

enum { N_SLOTS = UK_N_MARKS, N_INPUTS = 7, ALIGN = 256, PAGE = 4096 };

struct _UrbStepRing
{
  const UrbProgram *program; /* borrowed */
  UkBackend *backend;        /* borrowed */
  gsize      n_inputs, n_metrics; /* bytes of a step */
  char      *inputs;         /* on the device, owned */
  char      *host;           /* owned: for each slot its inputs, then its metrics */
  gsize      n_host;
};

static void
list_inputs (const UrbProgram *program, int buffers[N_INPUTS])
{
  const int list[N_INPUTS] = { program->rng, program->penalty, program->augment, program->refine, program->shares,
                               program->g.hyper, program->d.hyper };

  memcpy (buffers, list, sizeof list);
}

static gsize
align (gsize n_bytes)
{
  return (n_bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes before @buffer in a step's inputs; -1: all of them. */
static gsize
find_input (const UrbStepRing *self, int buffer)
{
  int buffers[N_INPUTS];
  gsize at = 0;

  list_inputs (self->program, buffers);
  for (int i = 0; i < N_INPUTS; i++)
    {
      if (buffers[i] < 0)
        continue;
      if (buffers[i] == buffer)
        break;
      at += align ((gsize) urb_program_get_buffer (self->program, buffers[i])->n_bytes);
    }
  return at;
}

UrbStepRing *
urb_step_ring_new (const UrbProgram *program, UkBackend *backend, GError **error)
{
  g_autoptr(UrbStepRing) self = g_new0 (UrbStepRing, 1);

  self->program = program;
  self->backend = backend;
  self->n_inputs = find_input (self, -1);
  self->n_metrics = (gsize) urb_program_get_buffer (program, program->metrics)->n_bytes;
  self->n_host = (N_SLOTS * (self->n_inputs + align (self->n_metrics)) + PAGE - 1) / PAGE * PAGE;
  self->host = g_aligned_alloc0 (1, self->n_host, PAGE); /* pages are pinned */
  if (backend->table->pin != NULL)
    backend->table->pin (backend, self->host, self->n_host); /* on failure the host waits for its copies */
  self->inputs = backend->table->alloc (backend, self->n_inputs);
  if (self->inputs == NULL)
    {
      urb_step_set_error (error, backend, UK_NO_MEMORY, "The inputs of a step do not fit");
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
urb_step_ring_free (UrbStepRing *self)
{
  if (self == NULL)
    return;
  if (self->inputs != NULL)
    self->backend->table->free (self->backend, self->inputs, self->n_inputs);
  if (self->backend->table->unpin != NULL)
    self->backend->table->unpin (self->backend, self->host);
  g_aligned_free (self->host);
  g_free (self);
}

void
urb_step_ring_lend (UrbStepRing *self, void **memory)
{
  int buffers[N_INPUTS];

  list_inputs (self->program, buffers);
  for (int i = 0; i < N_INPUTS; i++)
    if (buffers[i] >= 0)
      memory[buffers[i]] = self->inputs + find_input (self, buffers[i]);
}

static char *
get_slot (const UrbStepRing *self, gint64 step)
{
  return self->host + (gsize) (step % N_SLOTS) * (self->n_inputs + align (self->n_metrics));
}

void
urb_step_ring_set_reals (UrbStepRing *self, gint64 step, int buffer, gint64 first, const float *values,
                         gint64 count)
{
  gsize size = self->backend->table->element_size;
  char *to = get_slot (self, step) + find_input (self, buffer) + (gsize) first * size;

  for (gint64 i = 0; i < count; i++)
    if (size == sizeof (double))
      ((double *) to)[i] = values[i];
    else
      ((float *) to)[i] = values[i];
}

void
urb_step_ring_set_words (UrbStepRing *self, gint64 step, int buffer, const guint64 *words, gint64 count)
{
  memcpy (get_slot (self, step) + find_input (self, buffer), words, (gsize) count * sizeof *words);
}

gboolean
urb_step_ring_send (UrbStepRing *self, gint64 step, GError **error)
{
  return urb_device_check (self->backend->table->copy (self->backend, self->inputs, get_slot (self, step),
                                                       self->n_inputs), error);
}

gboolean
urb_step_ring_fetch (UrbStepRing *self, gint64 step, const void *from, int *mark, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  UkStatus status = table->copy (self->backend, get_slot (self, step) + self->n_inputs, from, self->n_metrics);

  *mark = (int) (step % N_SLOTS);
  if (status == UK_OK && table->mark != NULL)
    status = table->mark (self->backend, *mark);
  return urb_device_check (status, error);
}

float
urb_step_ring_get_metric (const UrbStepRing *self, gint64 step, gint64 index)
{
  const char *metrics = get_slot (self, step) + self->n_inputs;

  return self->backend->table->element_size == sizeof (double) ? (float) ((const double *) metrics)[index]
                                                               : ((const float *) metrics)[index];
}
