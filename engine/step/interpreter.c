/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interpreter.c - allocates memory for a program and runs it.
 *
 * If the backend can record, each stretch of consecutive device instructions runs one by
 * one in the first step, so that libraries load what they load lazily; is recorded in
 * the second step; and is replayed from then on: one call for hundreds of instructions.
 */
#include "step/interpreter.h"

#include "step/stream-private.h"

#include <math.h>

typedef struct
{
  UkOp    *op;
  UrbInstructionKind kind;
  const UrbInstruction *instruction; /* borrowed from the program */
  void    *args[UK_MAX_ARGS];
  void    *scratch;
} Resolved;

/* Consecutive instructions without involvement of the host. */
typedef struct
{
  guint        first, n;
  UkRecording *recording; /* (nullable) owned; NULL: not recorded yet */
} Stretch;

struct _UrbInterpreter
{
  UrbProgram *program; /* borrowed */
  UkBackend  *backend; /* borrowed */
  void      **memory;  /* (n_buffers) */
  gboolean   *owned;   /* (n_buffers) */
  void       *arena, *scratch;
  char       *workspace; /* (nullable) borrowed; holds arena, scratch and packed weights */
  Resolved   *steps;    /* (n_instructions) */
  Resolved   *prologue; /* (n_prologue) */
  UrbStream  *stream;   /* (nullable) owned; NULL without collectives */
  UrbStream  *storage;  /* (nullable) owned; NULL without transfers */
  UrbNoteFunc listener; /* (nullable) */
  gpointer    listener_data;
  UrbInstructionFunc progress; /* (nullable) */
  gpointer    progress_data;
  UrbTiming  *timings;  /* (n_instructions) */
  gboolean    profiling;
  UrbSpan    *spans;    /* (n_instructions); NULL: not tracing */
  GArray     *stretches; /* of Stretch (nullable), owned; NULL where nothing is recorded */
  gboolean    warm;      /* a step has run */
};

static void *
allocate (UrbInterpreter *self, gint64 n_bytes, GError **error)
{
  void *memory = self->backend->table->alloc (self->backend, (gsize) MAX (n_bytes, 64));

  if (memory == NULL)
    {
      g_autofree char *size = g_format_size ((guint64) n_bytes);
      g_set_error (error, URB_STEP_ERROR, URB_STEP_ERROR_MEMORY,
                   "There is not enough memory for %s; choose a smaller batch or preset.", size);
    }
  return memory;
}

static gboolean
allocate_all (UrbInterpreter *self, void *const *borrowed, GError **error)
{
  UrbProgram *program = self->program;
  char *packed = NULL; /* next packed weights in the workspace */

  if (self->workspace != NULL)
    {
      self->arena = self->workspace;
      self->scratch = self->workspace + program->store_bytes[URB_STORE_ARENA];
      packed = (char *) self->scratch + program->scratch_bytes;
    }
  else
    {
      self->arena = allocate (self, program->store_bytes[URB_STORE_ARENA], error);
      self->scratch = self->arena == NULL ? NULL : allocate (self, program->scratch_bytes, error);
    }
  if (self->scratch == NULL)
    return FALSE;
  for (guint i = 0; i < program->buffers->len; i++)
    {
      const UrbBuffer *buffer = urb_program_get_buffer (program, (int) i);

      if (borrowed != NULL && borrowed[i] != NULL)
        self->memory[i] = borrowed[i];
      else if (buffer->store == URB_STORE_OUTSIDE) /* a position, not an address */
        self->memory[i] = GSIZE_TO_POINTER (buffer->offset);
      else if (packed != NULL && buffer->store == URB_STORE_PACKED)
        {
          self->memory[i] = packed;
          packed += buffer->n_bytes;
        }
      else if (buffer->store != URB_STORE_ARENA)
        {
          self->memory[i] = allocate (self, buffer->n_bytes, error);
          self->owned[i] = TRUE;
          if (self->memory[i] == NULL)
            return FALSE;
        }
      else if (buffer->offset >= 0)
        self->memory[i] = (char *) self->arena + buffer->offset;
    }
  return TRUE;
}

static gsize
view_bytes (const UrbInterpreter *self, UrbView view)
{
  return (gsize) view.offset
         * uk_type_size (self->backend, urb_program_get_buffer (self->program, view.buffer)->type);
}

static Resolved *
resolve (UrbInterpreter *self, const GArray *instructions)
{
  Resolved *steps = g_new0 (Resolved, MAX (instructions->len, 1));

  for (guint i = 0; i < instructions->len; i++)
    {
      const UrbInstruction *instruction = &g_array_index (instructions, UrbInstruction, i);

      steps[i].op = instruction->op;
      steps[i].kind = instruction->kind;
      steps[i].instruction = instruction;
      steps[i].scratch = instruction->scratch > 0 ? self->memory[instruction->scratch]
                                                  : self->scratch;
      for (int a = 0; a < UK_MAX_ARGS; a++)
        if (instruction->args[a].buffer >= 0)
          steps[i].args[a] = (char *) self->memory[instruction->args[a].buffer]
                             + view_bytes (self, instruction->args[a]);
    }
  return steps;
}

static GArray *
find_stretches (const GArray *instructions)
{
  GArray *stretches = g_array_new (FALSE, TRUE, sizeof (Stretch));
  Stretch stretch = { 0 };

  for (guint i = 0; i <= instructions->len; i++)
    {
      UrbInstructionKind kind = i < instructions->len
                                  ? g_array_index (instructions, UrbInstruction, i).kind
                                  : URB_DO_NOTE;

      if (kind == URB_DO_OP || kind == URB_DO_PACK || kind == URB_DO_COPY)
        {
          stretch.n++;
          continue;
        }
      if (stretch.n > 0)
        g_array_append_val (stretches, stretch);
      stretch = (Stretch) { .first = i + 1 };
    }
  return stretches;
}

static void
free_recordings (UrbInterpreter *self)
{
  for (guint i = 0; self->stretches != NULL && i < self->stretches->len; i++)
    {
      Stretch *stretch = &g_array_index (self->stretches, Stretch, i);

      if (stretch->recording != NULL)
        self->backend->table->free_capture (stretch->recording);
      stretch->recording = NULL;
    }
}

static UrbInterpreter *
interpreter_new (UrbProgram *program, UkBackend *backend, void *const *borrowed, void *workspace,
                 const UrbTransport *transport, GError **error)
{
  g_autoptr(UrbInterpreter) self = g_new0 (UrbInterpreter, 1);

  g_return_val_if_fail (program->planned, NULL);
  g_return_val_if_fail (program->n_requests == 0 || transport != NULL, NULL);

  self->program = program;
  self->backend = backend;
  self->workspace = workspace;
  self->memory = g_new0 (void *, program->buffers->len);
  self->owned = g_new0 (gboolean, program->buffers->len);
  self->timings = g_new0 (UrbTiming, program->instructions->len);
  if (!allocate_all (self, borrowed, error))
    return NULL;
  self->steps = resolve (self, program->instructions);
  self->prologue = resolve (self, program->prologue);
  if (backend->table->begin_capture != NULL)
    self->stretches = find_stretches (program->instructions);
  if (program->n_requests > 0)
    self->stream = urb_stream_new (transport, "collectives", (guint) program->n_requests);
  return g_steal_pointer (&self);
}

UrbInterpreter *
urb_interpreter_new (UrbProgram *program, UkBackend *backend, void *const *borrowed,
                     const UrbTransport *transport, GError **error)
{
  return interpreter_new (program, backend, borrowed, NULL, transport, error);
}

UrbInterpreter *
urb_interpreter_new_in (UrbProgram *program, UkBackend *backend, void *const *borrowed,
                        void *workspace, GError **error)
{
  g_return_val_if_fail (workspace != NULL, NULL);
  return interpreter_new (program, backend, borrowed, workspace, NULL, error);
}

void
urb_interpreter_free (UrbInterpreter *self)
{
  const UkBackendTable *table;

  if (self == NULL)
    return;
  table = self->backend->table;
  urb_stream_free (self->stream);
  urb_stream_free (self->storage);
  free_recordings (self);
  g_clear_pointer (&self->stretches, g_array_unref);
  for (guint i = 0; i < self->program->buffers->len; i++)
    if (self->owned[i] && self->memory[i] != NULL)
      table->free (self->backend, self->memory[i],
                   (gsize) MAX (urb_program_get_buffer (self->program, (int) i)->n_bytes, 64));
  if (self->arena != NULL && self->workspace == NULL)
    table->free (self->backend, self->arena,
                 (gsize) MAX (self->program->store_bytes[URB_STORE_ARENA], 64));
  if (self->scratch != NULL && self->workspace == NULL)
    table->free (self->backend, self->scratch, (gsize) MAX (self->program->scratch_bytes, 64));
  g_free (self->memory);
  g_free (self->owned);
  g_free (self->steps);
  g_free (self->prologue);
  g_free (self->timings);
  g_free (self->spans);
  g_free (self);
}

void
urb_interpreter_set_storage (UrbInterpreter *self, const UrbTransport *storage)
{
  g_return_if_fail (self->storage == NULL);
  if (self->program->n_transfers > 0)
    self->storage = urb_stream_new (storage, "storage", (guint) self->program->n_transfers);
}

void *
urb_interpreter_get_arena (UrbInterpreter *self, gint64 *n_bytes)
{
  *n_bytes = self->program->store_bytes[URB_STORE_ARENA];
  return self->arena;
}

void *
urb_interpreter_get_memory (UrbInterpreter *self, int buffer)
{
  return self->memory[buffer];
}

/* ------------------------------------------------------------------------ */

static gboolean
fail_run (UrbInterpreter *self, const UrbInstruction *instruction, UkStatus status, GError **error)
{
  g_autofree char *label = urb_instruction_dup_label (instruction);

  urb_step_set_error (error, self->backend, status, "The operation “%s” failed", label);
  return FALSE;
}

/* A device reports failures only when it is waited for, without the operation that failed. */
static gboolean
wait_for_device (UrbInterpreter *self, const Resolved *first, const Resolved *last, int mark,
                 GError **error)
{
  const UkBackendTable *table = self->backend->table;
  UkStatus status = mark >= 0 && table->wait_for != NULL ? table->wait_for (self->backend, mark)
                                                         : table->sync (self->backend);
  g_autofree char *from = NULL, *to = NULL;

  if (status == UK_OK)
    return TRUE;
  if (first == last)
    return fail_run (self, first->instruction, status, error);
  from = urb_instruction_dup_label (first->instruction);
  to = urb_instruction_dup_label (last->instruction);
  urb_step_set_error (error, self->backend, status,
                      "One of the operations from “%s” to “%s” failed", from, to);
  return FALSE;
}

static gboolean
run_one (UrbInterpreter *self, const Resolved *step, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  const UrbInstruction *instruction = step->instruction;
  UkStatus status = UK_OK;

  switch (step->kind)
    {
    case URB_DO_OP:
      status = table->run (step->op, step->args, step->scratch);
      break;
    case URB_DO_PACK:
      status = table->pack (step->op, step->args[0], step->args[1]);
      break;
    case URB_DO_COLLECTIVE:
    case URB_DO_TRANSFER:
      /* The transport may read its input only after everything submitted so far is done. */
      status = table->sync (self->backend);
      if (status == UK_OK)
        urb_stream_start (instruction->kind == URB_DO_COLLECTIVE ? self->stream : self->storage,
                          (guint) instruction->request, &instruction->collective, instruction->axes,
                          step->args[0], step->args[1]);
      break;
    case URB_DO_WAIT:
      return urb_stream_wait (self->stream, (guint) instruction->request, error);
    case URB_DO_AWAIT:
      return urb_stream_wait (self->storage, (guint) instruction->request, error);
    case URB_DO_COPY:
      status = table->copy (self->backend, step->args[1], step->args[0],
                            view_bytes (self, (UrbView) { instruction->args[0].buffer,
                                                          instruction->count }));
      break;
    case URB_DO_NOTE:
      status = table->sync (self->backend);
      if (status == UK_OK && self->listener != NULL)
        self->listener (self->listener_data, instruction->note);
      break;
    }
  return status == UK_OK || fail_run (self, instruction, status, error);
}

static gboolean
run_traced (UrbInterpreter *self, const Resolved *step, GError **error)
{
  UrbSpan *span = &self->spans[step - self->steps];

  span->begin_us = g_get_monotonic_time ();
  if (!run_one (self, step, error))
    return FALSE;
  if (self->backend->table->sync (self->backend) != UK_OK)
    return fail_run (self, step->instruction, UK_DEVICE_ERROR, error);
  span->end_us = g_get_monotonic_time ();
  return TRUE;
}

/* Submits the instructions without waiting for them. */
static gboolean
start_list (UrbInterpreter *self, const Resolved *steps, guint n_steps, GError **error)
{
  for (guint i = 0; i < n_steps; i++)
    {
      gboolean in_step = steps != self->prologue;

      if (self->progress != NULL && in_step)
        self->progress (self->progress_data, (int) (&steps[i] - self->steps));
      if (!(self->spans != NULL && in_step ? run_traced : run_one) (self, &steps[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_list (UrbInterpreter *self, const Resolved *steps, guint n_steps, GError **error)
{
  return start_list (self, steps, n_steps, error)
         && wait_for_device (self, &steps[0], &steps[n_steps - 1], -1, error);
}

/* ------------------------------------------------------------------------ */
/* Recordings                                                                */

static gboolean
record_stretch (UrbInterpreter *self, Stretch *stretch, GError **error)
{
  const UkBackendTable *table = self->backend->table;
  const UrbInstruction *first = self->steps[stretch->first].instruction;
  UkStatus status = table->begin_capture (self->backend);
  gboolean ok = TRUE;

  if (status != UK_OK)
    return fail_run (self, first, status, error);
  for (guint i = 0; i < stretch->n && ok; i++)
    ok = run_one (self, &self->steps[stretch->first + i], error);
  status = table->end_capture (self->backend, &stretch->recording);
  if (ok && status != UK_OK)
    return fail_run (self, first, status, error);
  if (!ok && stretch->recording != NULL) /* incomplete */
    {
      table->free_capture (stretch->recording);
      stretch->recording = NULL;
    }
  return ok;
}

static gboolean
start_stretches (UrbInterpreter *self, GError **error)
{
  guint n = self->program->instructions->len, next = 0;

  for (guint i = 0; i < n;)
    {
      Stretch *stretch = next < self->stretches->len
                           ? &g_array_index (self->stretches, Stretch, next) : NULL;
      UkStatus status;

      if (self->progress != NULL)
        self->progress (self->progress_data, (int) i);
      if (stretch == NULL || stretch->first != i)
        {
          if (!run_one (self, &self->steps[i++], error))
            return FALSE;
          continue;
        }
      if (stretch->recording == NULL && !record_stretch (self, stretch, error))
        return FALSE;
      status = self->backend->table->replay (stretch->recording);
      if (status != UK_OK)
        return fail_run (self, self->steps[i].instruction, status, error);
      i += stretch->n;
      next++;
    }
  return TRUE;
}

static gboolean
runs_one_by_one (const UrbInterpreter *self)
{
  return self->stretches == NULL || !self->warm || self->spans != NULL;
}

gboolean
urb_interpreter_may_overlap (const UrbInterpreter *self)
{
  const Stretch *stretch;

  if (self->profiling || runs_one_by_one (self) || self->stretches->len != 1)
    return FALSE;
  stretch = &g_array_index (self->stretches, Stretch, 0);
  return stretch->n == self->program->instructions->len && stretch->recording != NULL;
}

static gboolean
start_step (UrbInterpreter *self, GError **error)
{
  if (!(runs_one_by_one (self) ? start_list (self, self->steps, self->program->instructions->len, error)
                               : start_stretches (self, error)))
    return FALSE;
  self->warm = TRUE;
  return TRUE;
}

gboolean
urb_interpreter_run_prologue (UrbInterpreter *self, GError **error)
{
  return self->program->prologue->len == 0
         || run_list (self, self->prologue, self->program->prologue->len, error);
}

static gboolean
run_timed (UrbInterpreter *self, GError **error)
{
  GArray *instructions = self->program->instructions;
  gint64 before = g_get_monotonic_time ();

  for (guint i = 0; i < instructions->len; i++)
    {
      gint64 after;

      if (!run_list (self, &self->steps[i], 1, error))
        return FALSE;
      after = g_get_monotonic_time ();
      self->timings[i].seconds += (double) (after - before) * 1e-6;
      self->timings[i].n_runs++;
      before = after;
    }
  return TRUE;
}

/* Nothing stays pending.  Takes @cause. */
static gboolean
give_up (UrbInterpreter *self, GError *cause, GError **error)
{
  if (self->storage != NULL)
    urb_stream_drain (self->storage, NULL);
  if (self->stream != NULL)
    {
      urb_stream_abort (self->stream, cause->message);
      urb_stream_drain (self->stream, NULL);
    }
  g_propagate_error (error, cause);
  return FALSE;
}

gboolean
urb_interpreter_start (UrbInterpreter *self, GError **error)
{
  GError *cause = NULL;

  g_return_val_if_fail (self->program->n_transfers == 0 || self->storage != NULL, FALSE);

  return (self->profiling ? run_timed (self, &cause) : start_step (self, &cause)) || give_up (self, cause, error);
}

gboolean
urb_interpreter_finish (UrbInterpreter *self, int mark, GError **error)
{
  guint n = self->program->instructions->len;
  GError *cause = NULL;

  if (!wait_for_device (self, &self->steps[0], &self->steps[n - 1], mark, &cause)
      || (self->storage != NULL && !urb_stream_drain (self->storage, &cause)))
    return give_up (self, cause, error);
  return self->stream == NULL || urb_stream_drain (self->stream, error);
}

gboolean
urb_interpreter_run (UrbInterpreter *self, GError **error)
{
  return urb_interpreter_start (self, error) && urb_interpreter_finish (self, -1, error);
}

gboolean
urb_interpreter_retrace (UrbInterpreter *self, UrbCheckFunc check, gpointer data, GError **error)
{
  g_return_val_if_fail (self->program->n_requests == 0, FALSE);

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const Resolved *step = &self->steps[i];

      if (step->kind == URB_DO_NOTE || step->kind == URB_DO_TRANSFER || step->kind == URB_DO_AWAIT
          || (step->kind == URB_DO_OP && step->instruction->pass == URB_PASS_UPDATE))
        continue;
      if (!run_list (self, step, 1, error))
        return FALSE;
      if (!check (data, step->instruction))
        break;
    }
  return TRUE;
}

void
urb_interpreter_set_listener (UrbInterpreter *self, UrbNoteFunc func, gpointer data)
{
  self->listener = func;
  self->listener_data = data;
}

void
urb_interpreter_set_progress (UrbInterpreter *self, UrbInstructionFunc func, gpointer data)
{
  self->progress = func;
  self->progress_data = data;
}

void
urb_interpreter_forbid_recording (UrbInterpreter *self)
{
  free_recordings (self);
  g_clear_pointer (&self->stretches, g_array_unref);
}

void
urb_interpreter_set_tracing (UrbInterpreter *self, gboolean on)
{
  g_clear_pointer (&self->spans, g_free);
  if (on)
    self->spans = g_new0 (UrbSpan, self->program->instructions->len);
}

UrbSpan
urb_interpreter_get_span (UrbInterpreter *self, guint instruction)
{
  g_return_val_if_fail (self->spans != NULL, ((UrbSpan) { 0, 0 }));
  return self->spans[instruction];
}

UrbSpan
urb_interpreter_get_request_span (UrbInterpreter *self, int request)
{
  UrbSpan span;

  urb_stream_get_span (self->stream, (guint) request, &span.begin_us, &span.end_us);
  return span;
}

guint
urb_interpreter_get_n_lanes (UrbInterpreter *self)
{
  return self->stream != NULL ? urb_stream_get_n_lanes (self->stream) : 1;
}

void
urb_interpreter_set_profiling (UrbInterpreter *self, gboolean on)
{
  self->profiling = on;
  for (guint i = 0; i < self->program->instructions->len; i++)
    self->timings[i] = (UrbTiming) { 0 };
}

const UrbTiming *
urb_interpreter_get_timing (UrbInterpreter *self, guint instruction)
{
  return &self->timings[instruction];
}

static UrbLayerTiming *
ensure_layer (GArray *layers, const char *net, int layer)
{
  UrbLayerTiming new = { g_intern_string (net), layer, 0 }; /* that of the network ends with it */

  for (guint i = 0; i < layers->len; i++)
    {
      UrbLayerTiming *timing = &g_array_index (layers, UrbLayerTiming, i);

      if (timing->layer == layer && g_str_equal (timing->net, net))
        return timing;
    }
  g_array_append_val (layers, new);
  return &g_array_index (layers, UrbLayerTiming, layers->len - 1);
}

GArray *
urb_interpreter_list_layers (UrbInterpreter *self, double *total)
{
  GArray *layers = g_array_new (FALSE, FALSE, sizeof (UrbLayerTiming));

  *total = 0;
  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (self->program, i);
      double seconds = self->timings[i].seconds / (double) MAX (self->timings[i].n_runs, 1);

      *total += seconds;
      if (instruction->layer >= 0)
        ensure_layer (layers, instruction->net, instruction->layer)->seconds += seconds;
    }
  return layers;
}

static void
append_row (UrbInterpreter *self, GString *text, guint index, double total, double peak_flops,
            double peak_copy)
{
  const UrbInstruction *instruction = urb_program_get_instruction (self->program, index);
  const UrbTiming *timing = &self->timings[index];
  g_autofree char *label = urb_instruction_dup_label (instruction);
  double seconds = MAX (timing->seconds / (double) MAX (timing->n_runs, 1), 1e-9);
  double flops = instruction->kind != URB_DO_OP ? 0 : uk_op_flops (&instruction->desc);
  double bytes = instruction->kind == URB_DO_COLLECTIVE
                   ? 0 : urb_program_count_bytes (self->program, instruction, self->backend);

  char how[256] = "";

  if (instruction->kind == URB_DO_OP && self->backend->table->describe != NULL)
    self->backend->table->describe (instruction->op, how, sizeof how);
  g_string_append_printf (text, "%-9s %-24s %9.3f ms %5.1f %%  %8.1f GFLOP/s %5.1f %%  "
                                "%7.1f GB/s %5.1f %%%s%s\n",
                          urb_pass_get_name (instruction->pass), label, seconds * 1e3,
                          100 * timing->seconds / total, flops / seconds * 1e-9,
                          100 * flops / seconds / peak_flops, bytes / seconds * 1e-9,
                          100 * bytes / seconds / peak_copy, how[0] != '\0' ? "  " : "", how);
}

char *
urb_interpreter_dup_profile (UrbInterpreter *self, double peak_flops, double peak_copy)
{
  GString *text = g_string_new (NULL);
  double total = 1e-12;
  gint64 n_runs = 1;

  peak_flops = peak_flops > 0 ? peak_flops : INFINITY; /* not measured: prints 0 % */
  peak_copy = peak_copy > 0 ? peak_copy : INFINITY;

  for (guint i = 0; i < self->program->instructions->len; i++)
    {
      total += self->timings[i].seconds;
      n_runs = MAX (n_runs, self->timings[i].n_runs);
    }
  g_string_append_printf (text, "%.3f ms a step over %" G_GINT64_FORMAT " steps; peaks: "
                                "%.1f GFLOP/s, %.1f GB/s\n",
                          total / (double) n_runs * 1e3, n_runs, peak_flops * 1e-9,
                          peak_copy * 1e-9);
  for (guint i = 0; i < self->program->instructions->len; i++)
    append_row (self, text, i, total, peak_flops, peak_copy);
  return g_string_free (text, FALSE);
}
