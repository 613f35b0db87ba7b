/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-interpreter.c - the interpreter's instructions other than operations: notes, and
 * copies of every element type, also from and to the middle of buffers.
 */
#include "step/interpreter.h"

enum { COUNT = 7, LARGE = 300001 };

static UrbInstruction
copy_new (UrbView from, UrbView to, gint64 count)
{
  UrbInstruction result = urb_instruction_new (URB_DO_COPY);

  result.count = count;
  result.args[0] = from;
  result.args[1] = to;
  return result;
}

static int
add (UrbProgram *program, const char *name, UrbStore store, UkArgType type, gint64 count)
{
  return urb_program_add_buffer (program, g_strdup (name), store, type, count);
}

/* x[2 ..] through the arena into y[1 ..]; the rest of y stays 0. */
static void
check_copy (const char *backend_name, gint64 n_copied)
{
  const UkBackendTable *table = uk_backend_find (backend_name);
  const UkBackendConfig config = { .n_threads = 2 };
  g_autoptr(UrbProgram) program = urb_program_new ();
  gint64 count = n_copied + 3;
  int x = add (program, "x", URB_STORE_INPUT, UK_REAL, count);
  int y = add (program, "y", URB_STORE_OUTPUT, UK_REAL, count);
  int tiles = add (program, "tiles", URB_STORE_INPUT, UK_U8, COUNT);
  int bytes = add (program, "bytes", URB_STORE_OUTPUT, UK_U8, COUNT);
  UrbView between = urb_program_add_temp (program, g_strdup ("between"), UK_REAL, n_copied);
  g_autoptr(UrbInterpreter) interpreter = NULL;
  g_autofree float *numbers = g_new (float, count), *result = g_new (float, count);
  guint8 result_bytes[COUNT];
  UkBackend *backend;
  g_autoptr(GError) error = NULL;

  urb_program_emit (program, copy_new ((UrbView) { x, 2 }, between, n_copied));
  urb_program_emit (program, copy_new (between, (UrbView) { y, 1 }, n_copied));
  urb_program_emit (program, copy_new ((UrbView) { tiles, 1 }, (UrbView) { bytes, 2 }, 3));
  g_assert_cmpint (table->open (&config, &backend), ==, UK_OK);
  urb_program_plan (program, backend, &error);
  g_assert_no_error (error);
  interpreter = urb_interpreter_new (program, backend, NULL, NULL, &error);
  g_assert_no_error (error);

  for (gint64 i = 0; i < count; i++)
    numbers[i] = (float) (i + 1);
  table->upload (backend, UK_REAL, urb_interpreter_get_memory (interpreter, x), numbers, count);
  table->write (backend, urb_interpreter_get_memory (interpreter, tiles),
                (guint8[COUNT]) { 1, 2, 3, 4, 5, 6, 7 }, COUNT);
  g_assert_true (urb_interpreter_run (interpreter, &error));
  g_assert_no_error (error);
  table->download (backend, UK_REAL, result, urb_interpreter_get_memory (interpreter, y), count);
  table->read (backend, result_bytes, urb_interpreter_get_memory (interpreter, bytes), COUNT);

  for (gint64 i = 0; i < count; i++)
    g_assert_cmpfloat (result[i], ==, i >= 1 && i <= n_copied ? numbers[i + 1] : 0);
  g_assert_cmpmem (result_bytes, COUNT, ((guint8[COUNT]) { 0, 0, 2, 3, 4, 0, 0 }), COUNT);
  g_clear_pointer (&interpreter, urb_interpreter_free);
  g_clear_pointer (&program, urb_program_free);
  table->close (backend);
}

static void
test_copy (gconstpointer backend)
{
  check_copy (backend, COUNT);
  check_copy (backend, LARGE);
}

typedef struct
{
  const float *y;
  GString     *heard; /* "note:value " of each */
} Listener;

static void
listen (gpointer data, int note)
{
  Listener *self = data;

  g_string_append_printf (self->heard, "%d:%g ", note, (double) self->y[0]);
}

/* When a note arrives, the instructions before it are done and those after it are not. */
static void
test_note (void)
{
  const UkBackendTable *table = uk_backend_find ("cpu");
  const UkBackendConfig config = { .n_threads = 1 };
  g_autoptr(UrbProgram) program = urb_program_new ();
  int x = add (program, "x", URB_STORE_INPUT, UK_REAL, 1);
  int y = add (program, "y", URB_STORE_OUTPUT, UK_REAL, 1);
  UrbInstruction note = copy_new (URB_NO_VIEW, URB_NO_VIEW, 0);
  g_autoptr(UrbInterpreter) interpreter = NULL;
  Listener listener = { .heard = g_string_new (NULL) };
  UkBackend *backend;
  float one = 1;

  note.kind = URB_DO_NOTE;
  note.note = 7;
  urb_program_emit (program, note);
  urb_program_emit (program, copy_new ((UrbView) { x, 0 }, (UrbView) { y, 0 }, 1));
  note.note = 8;
  urb_program_emit (program, note);
  g_assert_cmpint (table->open (&config, &backend), ==, UK_OK);
  g_assert_true (urb_program_plan (program, backend, NULL));
  interpreter = urb_interpreter_new (program, backend, NULL, NULL, NULL);
  table->upload (backend, UK_REAL, urb_interpreter_get_memory (interpreter, x), &one, 1);
  listener.y = urb_interpreter_get_memory (interpreter, y);
  g_assert_true (urb_interpreter_run (interpreter, NULL)); /* without a listener */
  table->write (backend, urb_interpreter_get_memory (interpreter, y), &(float) { 0 }, sizeof (float));
  urb_interpreter_set_listener (interpreter, listen, &listener);
  g_assert_true (urb_interpreter_run (interpreter, NULL));
  g_assert_cmpstr (listener.heard->str, ==, "7:0 8:1 ");
  g_string_free (listener.heard, TRUE);
  g_clear_pointer (&interpreter, urb_interpreter_free);
  g_clear_pointer (&program, urb_program_free);
  table->close (backend);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/interpreter/copy/reference", "reference", test_copy);
  g_test_add_data_func ("/interpreter/copy/cpu", "cpu", test_copy);
  g_test_add_func ("/interpreter/note", test_note);
  return g_test_run ();
}
