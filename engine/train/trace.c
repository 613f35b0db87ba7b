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

enum { STREAM_COMPUTE, STREAM_COLLECTIVES }; /* of all ranks; along axes: STREAM_COLLECTIVES + axes */

struct _UrbTrace
{
  GString       *events;
  guint          named; /* streams that have a name, a bit each */
  int            rank;
  gint64         zero_us;
  UrbTraceTotals totals;
};

static void
add_name (UrbTrace *self, const char *what, int stream, const char *name)
{
  self->named |= 1u << stream;
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
    label, instruction->kind == URB_DO_WAIT ? "wait" : urb_pass_get_name (instruction->pass), span.begin_us - self->zero_us,
    span.end_us - span.begin_us, self->rank, stream, step, flops,
    (gint64) n_bytes, *axes != '\0' ? ",\"group\":\"" : "", axes, *axes != '\0' ? "\"" : "");
}

/* The stream of a collective; those along different axes may overlap. */
static int
open_stream (UrbTrace *self, guint axes)
{
  int stream = STREAM_COLLECTIVES + (int) axes;
  g_autofree char *along = urb_mesh_name_axes (axes);
  g_autofree char *name = g_strdup_printf ("collectives, %s", *along != '\0' ? along : "all ranks");

  if ((self->named >> stream & 1) == 0)
    add_name (self, "thread_name", stream, name);
  return stream;
}

/* ------------------------------------------------------------------------ */
/* Totals                                                                    */

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const UrbSpan *x = a, *y = b;

  return (x->begin_us > y->begin_us) - (x->begin_us < y->begin_us);
}

/* Makes one span of those that overlap, in order. */
static void
unite (GArray *spans)
{
  guint n = 0;

  g_array_sort (spans, compare_spans);
  for (guint i = 0; i < spans->len; i++)
    {
      UrbSpan span = g_array_index (spans, UrbSpan, i);
      UrbSpan *last = n > 0 ? &g_array_index (spans, UrbSpan, n - 1) : NULL;

      if (last != NULL && span.begin_us <= last->end_us)
        last->end_us = MAX (last->end_us, span.end_us);
      else
        g_array_index (spans, UrbSpan, n++) = span;
    }
  g_array_set_size (spans, n);
}

/* How long, in microseconds, @a and @b overlap: neither has spans that overlap each other. */
static gint64
measure_overlap (const GArray *a, const GArray *b)
{
  gint64 sum = 0;

  for (guint i = 0; i < a->len; i++)
    for (guint k = 0; k < b->len; k++)
      {
        const UrbSpan *x = &g_array_index (a, UrbSpan, i), *y = &g_array_index (b, UrbSpan, k);

        sum += MAX (MIN (x->end_us, y->end_us) - MAX (x->begin_us, y->begin_us), 0);
      }
  return sum;
}

static gint64
measure (const GArray *spans)
{
  gint64 sum = 0;

  for (guint i = 0; i < spans->len; i++)
    sum += g_array_index (spans, UrbSpan, i).end_us - g_array_index (spans, UrbSpan, i).begin_us;
  return sum;
}

/* When instructions computed, and when collectives ran. */
static void
list_spans (const UrbProgram *program, UrbInterpreter *interpreter, GArray *computed, GArray *collectives)
{
  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      UrbSpan span = urb_interpreter_get_span (interpreter, i);

      if (instruction->kind != URB_DO_WAIT)
        g_array_append_val (computed, span);
      if (instruction->kind == URB_DO_COLLECTIVE)
        {
          span = urb_interpreter_get_request_span (interpreter, instruction->request);
          g_array_append_val (collectives, span);
        }
    }
}

/* The same in an ideal schedule with the same durations: instructions follow each other at once, a collective begins
 * when it is issued and the one before it in its lane has ended, and a wait lasts until its collective has ended. */
static void
list_ideal_spans (const UrbProgram *program, UrbInterpreter *interpreter, GArray *computed, GArray *collectives)
{
  g_autofree gint64 *ends = g_new0 (gint64, program->n_requests); /* by request */
  gint64 now = 0, free_at[URB_ALL_AXES] = { 0 };

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);
      UrbSpan span = urb_interpreter_get_span (interpreter, i), ideal = { now, now + span.end_us - span.begin_us };

      if (instruction->kind == URB_DO_COLLECTIVE)
        {
          UrbSpan ran = urb_interpreter_get_request_span (interpreter, instruction->request), runs;
          guint lane = urb_lane_of (urb_interpreter_get_n_lanes (interpreter), instruction->axes);

          runs.begin_us = MAX (now, free_at[lane]);
          runs.end_us = runs.begin_us + ran.end_us - ran.begin_us;
          g_array_append_val (collectives, runs);
          free_at[lane] = ends[instruction->request] = runs.end_us;
        }
      if (instruction->kind == URB_DO_WAIT)
        now = MAX (now, ends[instruction->request]);
      else
        {
          g_array_append_val (computed, ideal);
          now = ideal.end_us;
        }
    }
}

static void
add_totals (UrbTraceTotals *self, const UrbProgram *program, UrbInterpreter *interpreter)
{
  g_autoptr(GArray) computed = g_array_new (FALSE, FALSE, sizeof (UrbSpan));
  g_autoptr(GArray) collectives = g_array_new (FALSE, FALSE, sizeof (UrbSpan));

  list_spans (program, interpreter, computed, collectives);
  unite (collectives);
  self->comm_s += (double) measure (collectives) * 1e-6;
  self->hidden_s += (double) measure_overlap (computed, collectives) * 1e-6;
  g_array_set_size (computed, 0);
  g_array_set_size (collectives, 0);
  list_ideal_spans (program, interpreter, computed, collectives);
  unite (collectives);
  self->hideable_s += (double) measure_overlap (computed, collectives) * 1e-6;
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
      add_event (self, instruction, open_stream (self, instruction->axes), span, n_bytes, step);
      end_us = MAX (end_us, span.end_us);
    }
  add_totals (&self->totals, program, interpreter);
  self->totals.step_s += (double) (end_us - urb_interpreter_get_span (interpreter, 0).begin_us) * 1e-6;
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
