/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - see trace.h.
 *
 * The format is Chrome's Trace Event Format, as published by the Catapult
 * project; "X" is an event with a duration, times are microseconds.  It is
 * written as text, because json-glib would keep a node for every event.
 */
#include "train/trace.h"

#include "settings/mesh.h"

enum { STREAM_COMPUTE, STREAM_COLLECTIVES };

struct _UrbTrace
{
  GString       *events;
  int            rank;
  gint64         zero_us;
  UrbTraceTotals totals;
};

static void
add_name (UrbTrace *self, const char *what, int stream, const char *name)
{
  g_string_append_printf (self->events,
                          "%s{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,"
                          "\"args\":{\"name\":\"%s\"}}",
                          self->events->len > 0 ? ",\n" : "", what, self->rank, stream, name);
}

UrbTrace *
urb_trace_new (int rank, gint64 zero_us)
{
  UrbTrace *self = g_new0 (UrbTrace, 1);
  g_autofree char *name = g_strdup_printf ("rank %d", rank);

  self->events = g_string_new (NULL);
  self->rank = rank;
  self->zero_us = zero_us;
  add_name (self, "process_name", STREAM_COMPUTE, name);
  add_name (self, "thread_name", STREAM_COMPUTE, "computation");
  add_name (self, "thread_name", STREAM_COLLECTIVES, "collectives");
  return self;
}

void
urb_trace_free (UrbTrace *self)
{
  if (self == NULL)
    return;
  g_string_free (self->events, TRUE);
  g_free (self);
}

/* Labels contain only letters, digits, dots, spaces and hyphens. */
static void
add_event (UrbTrace *self, const UrbInstruction *instruction, int stream, UrbSpan span,
           double n_bytes, gint64 step)
{
  g_autofree char *label = urb_instruction_dup_label (instruction);
  gint64 flops = instruction->kind == URB_DO_OP ? (gint64) uk_op_flops (&instruction->desc) : 0;
  g_autofree char *axes = urb_mesh_name_axes (instruction->axes);

  g_string_append_printf (
    self->events,
    ",\n{\"name\":\"%s\",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%" G_GINT64_FORMAT
    ",\"dur\":%" G_GINT64_FORMAT ",\"pid\":%d,\"tid\":%d,\"args\":{\"step\":%" G_GINT64_FORMAT
    ",\"flops\":%" G_GINT64_FORMAT ",\"bytes\":%" G_GINT64_FORMAT "%s%s%s}}",
    label, urb_pass_get_name (instruction->pass), span.begin_us - self->zero_us,
    span.end_us - span.begin_us, self->rank, stream, step, flops,
    (gint64) n_bytes, *axes != '\0' ? ",\"group\":\"" : "", axes, *axes != '\0' ? "\"" : "");
}

/* How long, in microseconds, instructions computed during @collective. */
static gint64
find_hidden (const UrbProgram *program, UrbInterpreter *interpreter, UrbSpan collective)
{
  gint64 hidden = 0;

  for (guint i = 0; i < program->instructions->len; i++)
    {
      UrbSpan span = urb_interpreter_get_span (interpreter, i);

      if (urb_program_get_instruction (program, i)->kind != URB_DO_WAIT)
        hidden += MAX (MIN (span.end_us, collective.end_us)
                         - MAX (span.begin_us, collective.begin_us), 0);
    }
  return hidden;
}

/* The same for all collectives of an ideal schedule with the same durations: instructions follow
 * each other at once, a collective begins when it is issued and the one before it has ended, and a
 * wait lasts until its collective has ended. */
static gint64
find_hideable (const UrbProgram *program, UrbInterpreter *interpreter)
{
  guint n = program->instructions->len;
  g_autoptr(GArray) collectives = g_array_new (FALSE, FALSE, sizeof (UrbSpan));
  g_autofree gint64 *ends = g_new0 (gint64, program->n_requests); /* by request */
  gint64 now = 0, free_at = 0, hideable = 0;

  for (guint i = 0; i < n; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      UrbSpan span = urb_interpreter_get_span (interpreter, i);

      if (instruction->kind == URB_DO_COLLECTIVE)
        {
          UrbSpan ran = urb_interpreter_get_request_span (interpreter, instruction->request);
          UrbSpan ideal = { MAX (now, free_at), MAX (now, free_at) + ran.end_us - ran.begin_us };

          g_array_append_val (collectives, ideal);
          free_at = ends[instruction->request] = ideal.end_us;
        }
      if (instruction->kind == URB_DO_WAIT)
        {
          now = MAX (now, ends[instruction->request]);
          continue;
        }
      for (guint c = 0; c < collectives->len; c++)
        {
          const UrbSpan *ideal = &g_array_index (collectives, UrbSpan, c);

          hideable += MAX (MIN (now + span.end_us - span.begin_us, ideal->end_us)
                             - MAX (now, ideal->begin_us), 0);
        }
      now += span.end_us - span.begin_us;
    }
  return hideable;
}

void
urb_trace_add_step (UrbTrace *self, const UrbProgram *program, UrbInterpreter *interpreter,
                    const UkBackend *backend, gint64 step)
{
  guint n = program->instructions->len;
  gint64 end_us = urb_interpreter_get_span (interpreter, n - 1).end_us;

  for (guint i = 0; i < n; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      double n_bytes = urb_program_count_bytes (program, instruction, backend);
      UrbSpan span = urb_interpreter_get_span (interpreter, i);

      add_event (self, instruction, STREAM_COMPUTE, span, n_bytes, step);
      if (instruction->kind != URB_DO_COLLECTIVE)
        continue;
      span = urb_interpreter_get_request_span (interpreter, instruction->request);
      add_event (self, instruction, STREAM_COLLECTIVES, span, n_bytes, step);
      self->totals.comm_s += (double) (span.end_us - span.begin_us) * 1e-6;
      self->totals.hidden_s += (double) find_hidden (program, interpreter, span) * 1e-6;
      end_us = MAX (end_us, span.end_us);
    }
  self->totals.hideable_s += (double) find_hideable (program, interpreter) * 1e-6;
  self->totals.step_s += (double) (end_us - urb_interpreter_get_span (interpreter, 0).begin_us)
                         * 1e-6;
  if (self->totals.n_steps++ == 0)
    {
      self->totals.first_step = step;
      self->totals.n_ranks = 1;
    }
}

const char *
urb_trace_get_events (UrbTrace *self)
{
  return self->events->str;
}

const UrbTraceTotals *
urb_trace_get_totals (UrbTrace *self)
{
  return &self->totals;
}
