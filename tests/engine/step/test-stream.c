/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-stream.c - collectives concurrent with the computation: their contents, the
 * lifetimes of their buffers, and failures.
 *
 * The transport is a mock with one rank that doubles sums and records its calls.  Another has two lanes, whose
 * collectives wait for each other.
 */
#include <stdlib.h>

#include <gio/gio.h>

#include "step/interpreter.h"

enum { COUNT = 32 };

typedef struct
{
  GArray       *seen;    /* of UrbCollective; written by the stream's thread, ordered by the end of a step */
  GThread      *thread;  /* that ran the last collective */
  int           fail_at; /* which call fails; -1: none */
  gint          n_aborts; /* atomic */
} Pretended;

static gboolean
pretended_run (gpointer data, const UrbCollective *what, guint axes, const void *in, void *out,
               GError **error)
{
  Pretended *self = data;

  self->thread = g_thread_self ();
  if (self->fail_at == (int) self->seen->len)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "The other rank is gone.");
      return FALSE;
    }
  g_array_append_val (self->seen, *what);
  for (gint64 i = 0; i < what->count; i++)
    if (what->element == URB_ELEMENT_F64)
      ((double *) out)[i] = 2 * ((const double *) in)[i];
    else if (what->element == URB_ELEMENT_F32)
      ((float *) out)[i] = 2 * ((const float *) in)[i];
  return TRUE;
}

static void
pretended_abort (gpointer data, const char *why)
{
  g_assert_cmpstr (why, !=, "");
  g_atomic_int_inc (&((Pretended *) data)->n_aborts);
}

typedef struct
{
  UkBackend      *backend;
  UrbProgram     *program;
  UrbInterpreter *interpreter;
  Pretended       pretended;
  UrbView         first, second, busy, result;
} Fixture;

static void
emit (UrbProgram *program, UkOpKind kind, float scale, UrbView a, UrbView b, UrbView c)
{
  UkShape shape = { COUNT, 1, 1, 1 };
  UrbInstruction instruction = urb_instruction_new (URB_DO_OP);

  instruction.desc = (UkOpDesc) { .kind = kind, .x = shape, .y = shape, .scale = scale };
  instruction.args[0] = a;
  instruction.args[1] = b;
  instruction.args[2] = c;
  urb_program_emit (program, instruction);
}

/* Two sums are pending while something else is computed; then result = 2 first + 2
 * second. */
static void
set_up (Fixture *self, gconstpointer backend)
{
  UrbProgram *program = urb_program_new ();
  UkBackendConfig config = { .n_threads = 1 };
  UrbInstruction collect[2];
  UrbTransport transport = { .self = &self->pretended, .n_ranks = 1, .run = pretended_run,
                             .abort = pretended_abort };
  g_autoptr(GError) error = NULL;

  self->program = program;
  self->pretended.seen = g_array_new (FALSE, FALSE, sizeof (UrbCollective));
  self->pretended.fail_at = -1;
  self->first = urb_program_add_temp (program, g_strdup ("first"), UK_REAL, COUNT);
  self->second = urb_program_add_temp (program, g_strdup ("second"), UK_REAL, COUNT);
  self->busy = urb_program_add_temp (program, g_strdup ("busy"), UK_REAL, COUNT);
  self->result.buffer = urb_program_add_buffer (program, g_strdup ("result"), URB_STORE_OUTPUT,
                                                UK_REAL, COUNT);
  self->result.offset = 0;
  collect[0] = urb_program_new_collect (program, URB_COLLECTIVE_ALL_REDUCE, COUNT, 0, self->first,
                                        self->first);
  collect[1] = urb_program_new_collect (program, URB_COLLECTIVE_ALL_REDUCE, COUNT - 1, 0,
                                        self->second, self->second);
  emit (program, UK_OP_FILL, 1, URB_NO_VIEW, self->first, URB_NO_VIEW);
  urb_program_emit (program, collect[0]);
  emit (program, UK_OP_FILL, 10, URB_NO_VIEW, self->second, URB_NO_VIEW);
  urb_program_emit (program, collect[1]);
  emit (program, UK_OP_FILL, 100, URB_NO_VIEW, self->busy, URB_NO_VIEW);
  urb_program_emit (program, urb_program_new_wait (&collect[0]));
  emit (program, UK_OP_ADD, 0, self->first, self->busy, self->result);
  urb_program_emit (program, urb_program_new_wait (&collect[1]));
  emit (program, UK_OP_ADD, 0, self->first, self->second, self->result);

  g_assert_cmpint (uk_backend_find (backend)->open (&config, &self->backend), ==, UK_OK);
  urb_program_plan (program, self->backend, &error);
  g_assert_no_error (error);
  self->interpreter = urb_interpreter_new (program, self->backend, NULL, &transport, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *self, gconstpointer backend)
{
  urb_interpreter_free (self->interpreter);
  urb_program_free (self->program);
  self->backend->table->close (self->backend);
  g_array_unref (self->pretended.seen);
}

static void
test_sums (Fixture *self, gconstpointer backend)
{
  float result[COUNT];
  UrbElement element = g_str_equal (backend, "reference") ? URB_ELEMENT_F64 : URB_ELEMENT_F32;

  for (int step = 0; step < 50; step++)
    {
      g_autoptr(GError) error = NULL;
      const UrbCollective *seen;

      g_assert_true (urb_interpreter_run (self->interpreter, &error));
      g_assert_no_error (error);
      g_assert_true (self->pretended.thread != g_thread_self ());
      g_assert_cmpuint (self->pretended.seen->len, ==, 2 * step + 2);
      seen = &g_array_index (self->pretended.seen, UrbCollective, 2 * step);
      g_assert_cmpint (seen[0].count, ==, COUNT);
      g_assert_cmpint (seen[1].count, ==, COUNT - 1);
      g_assert_cmpint (seen[0].element, ==, element);
    }
  self->backend->table->download (self->backend, UK_REAL, result,
                                  urb_interpreter_get_memory (self->interpreter,
                                                              self->result.buffer), COUNT);
  g_assert_cmpfloat (result[0], ==, 22);
  g_assert_cmpfloat (result[COUNT - 1], ==, 12); /* beyond the count of the second sum */
}

/* Instruction 2 computes while `first` is pending, 4 while both are. */
static void
test_liveness (Fixture *self, gconstpointer backend)
{
  const UrbBuffer *first = urb_program_get_buffer (self->program, self->first.buffer);
  const UrbBuffer *second = urb_program_get_buffer (self->program, self->second.buffer);
  const UrbBuffer *busy = urb_program_get_buffer (self->program, self->busy.buffer);

  g_assert_cmpint (second->last_use, ==, 8);
  g_assert_cmpint (llabs (first->offset - busy->offset), >=, first->n_bytes);
  g_assert_cmpint (llabs (second->offset - busy->offset), >=, first->n_bytes);
  g_assert_cmpint (llabs (second->offset - first->offset), >=, first->n_bytes);
}

/* A buffer stays alive while its collective is pending. */
static void
test_liveness_without_reader (void)
{
  g_autoptr(UrbProgram) program = urb_program_new ();
  UkBackendConfig config = { .n_threads = 1 };
  UkBackend *backend;
  UrbView a = urb_program_add_temp (program, g_strdup ("a"), UK_REAL, COUNT);
  UrbView b = urb_program_add_temp (program, g_strdup ("b"), UK_REAL, COUNT);
  UrbInstruction collect = urb_program_new_collect (program, URB_COLLECTIVE_SEND, COUNT, 1, a,
                                                    URB_NO_VIEW);
  g_autoptr(GError) error = NULL;

  emit (program, UK_OP_FILL, 1, URB_NO_VIEW, a, URB_NO_VIEW);
  urb_program_emit (program, collect);
  emit (program, UK_OP_FILL, 2, URB_NO_VIEW, b, URB_NO_VIEW);
  g_assert_cmpint (uk_backend_reference ()->open (&config, &backend), ==, UK_OK);
  urb_program_plan (program, backend, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_program_get_buffer (program, a.buffer)->offset, !=,
                   urb_program_get_buffer (program, b.buffer)->offset);
  g_clear_pointer (&program, urb_program_free);
  backend->table->close (backend);
}

static void
test_failed_collective (Fixture *self, gconstpointer backend)
{
  self->pretended.fail_at = 1;
  for (int step = 0; step < 3; step++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_false (urb_interpreter_run (self->interpreter, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED);
    }
  /* Nothing ran after the failure. */
  g_assert_cmpuint (self->pretended.seen->len, ==, 1);
}

static UkStatus
break_run (UkOp *op, void *const *args, void *scratch)
{
  (void) args;
  (void) scratch;
  return op->desc.kind == UK_OP_ADD ? UK_DEVICE_ERROR : UK_OK;
}

/* A failed operation notifies the other ranks and leaves nothing pending. */
static void
test_failed_operation (Fixture *self, gconstpointer backend)
{
  const UkBackendTable *table = self->backend->table;
  UkBackendTable broken = *table;
  g_autoptr(GError) error = NULL;

  broken.run = break_run;
  self->backend->table = &broken;
  g_assert_false (urb_interpreter_run (self->interpreter, &error));
  g_assert_error (error, URB_STEP_ERROR, URB_STEP_ERROR_KERNEL);
  g_assert_cmpint (g_atomic_int_get (&self->pretended.n_aborts), ==, 1);
  g_assert_cmpuint (self->pretended.seen->len, ==, 2);
  self->backend->table = table;
}

/* ------------------------------------------------------------------------ */
/* Lanes                                                                     */

enum { AXES_A = 1, AXES_B = 2, N_LANES = 3, PATIENCE_S = 60 };

typedef struct
{
  GMutex   lock;
  GCond    changed;
  int      n_begun;
  gboolean fails;  /* along AXES_A, as soon as the other one runs */
  gboolean aborted;
} Meeting;

/* Until @at_least have begun, or the transport was aborted.  FALSE: in vain */
static gboolean
wait_for_others (Meeting *self, int at_least)
{
  gint64 until = g_get_monotonic_time () + PATIENCE_S * G_USEC_PER_SEC;
  gboolean in_time = TRUE;

  while (self->n_begun < at_least && !self->aborted && in_time)
    in_time = g_cond_wait_until (&self->changed, &self->lock, until);
  return in_time && !self->aborted;
}

/* Each waits for the other; or, if that fails, for more than there are. */
static gboolean
meet (gpointer data, const UrbCollective *what, guint axes, const void *in, void *out, GError **error)
{
  Meeting *self = data;
  gboolean ok;

  g_mutex_lock (&self->lock);
  self->n_begun++;
  g_cond_broadcast (&self->changed);
  ok = wait_for_others (self, self->fails && axes == AXES_B ? 3 : 2) && !self->fails;
  g_mutex_unlock (&self->lock);
  if (!ok)
    g_set_error (error, G_IO_ERROR, axes == AXES_A ? G_IO_ERROR_CLOSED : G_IO_ERROR_TIMED_OUT, "Along %u.", axes);
  return ok;
}

static void
abort_meeting (gpointer data, const char *why)
{
  Meeting *self = data;

  g_mutex_lock (&self->lock);
  self->aborted = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

/* Collectives along different axes run at once: here none could end before the other has begun.  If one fails, so does
 * the other, and the run says why. */
static void
test_lanes (gconstpointer fails)
{
  g_autoptr(UrbProgram) program = urb_program_new ();
  UkBackendConfig config = { .n_threads = 1 };
  UkBackend *backend;
  Meeting meeting = { .fails = GPOINTER_TO_INT (fails) };
  UrbTransport transport = { .self = &meeting, .n_ranks = 1, .n_lanes = N_LANES, .run = meet, .abort = abort_meeting };
  UrbInstruction collects[2];
  g_autoptr(UrbInterpreter) interpreter = NULL;
  g_autoptr(GError) error = NULL;

  g_mutex_init (&meeting.lock);
  g_cond_init (&meeting.changed);
  for (int i = 0; i < 2; i++)
    {
      UrbView view = urb_program_add_temp (program, g_strdup_printf ("value %d", i), UK_REAL, COUNT);

      emit (program, UK_OP_FILL, 1, URB_NO_VIEW, view, URB_NO_VIEW);
      collects[i] = urb_program_new_collect (program, URB_COLLECTIVE_ALL_REDUCE, COUNT, 0, view, view);
      collects[i].axes = i == 0 ? AXES_A : AXES_B;
      urb_program_emit (program, collects[i]);
    }
  for (int i = 1; i >= 0; i--)
    urb_program_emit (program, urb_program_new_wait (&collects[i]));
  g_assert_cmpint (uk_backend_reference ()->open (&config, &backend), ==, UK_OK);
  urb_program_plan (program, backend, &error);
  g_assert_no_error (error);
  interpreter = urb_interpreter_new (program, backend, NULL, &transport, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_interpreter_run (interpreter, &error), ==, !meeting.fails);
  if (meeting.fails)
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED);
  else
    g_assert_no_error (error);
  g_clear_pointer (&interpreter, urb_interpreter_free);
  g_clear_pointer (&program, urb_program_free);
  backend->table->close (backend);
  g_mutex_clear (&meeting.lock);
  g_cond_clear (&meeting.changed);
}

int
main (int argc, char **argv)
{
  static const char *const backends[] = { "reference", "cpu" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      g_autofree char *path = g_strdup_printf ("/stream/sums/%s", backends[i]);

      g_test_add (path, Fixture, backends[i], set_up, test_sums, tear_down);
    }
  g_test_add ("/stream/liveness", Fixture, "cpu", set_up, test_liveness, tear_down);
  g_test_add_func ("/stream/liveness-without-reader", test_liveness_without_reader);
  g_test_add ("/stream/failed-collective", Fixture, "cpu", set_up, test_failed_collective, tear_down);
  g_test_add ("/stream/failed-operation", Fixture, "cpu", set_up, test_failed_operation, tear_down);
  g_test_add_data_func ("/stream/lanes", GINT_TO_POINTER (FALSE), test_lanes);
  g_test_add_data_func ("/stream/failed-lane", GINT_TO_POINTER (TRUE), test_lanes);
  return g_test_run ();
}
