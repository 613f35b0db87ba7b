/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include "app/base/undo.h"

typedef struct
{
  int *value, before, after;
} Change;

static void
back (gpointer data)
{
  Change *self = data;
  *self->value = self->before;
}

static void
again (gpointer data)
{
  Change *self = data;
  *self->value = self->after;
}

static void
set (UrbariumUndo *undo, int *value, int after)
{
  Change *change = g_new (Change, 1);
  *change = (Change) { value, *value, after };
  *value = after;
  urbarium_undo_push (undo, "Set", back, again, change, g_free);
}

static void
test_back_and_forth (void)
{
  g_autoptr(UrbariumUndo) undo = urbarium_undo_new ();
  gboolean can_undo, can_redo;
  int value = 0;
  for (int i = 1; i <= 1000; i++)
    set (undo, &value, i);
  for (int i = 999; i >= 0; i--)
    {
      urbarium_undo_undo (undo);
      g_assert_cmpint (value, ==, i);
    }
  urbarium_undo_undo (undo); /* empty stack: ignored */
  for (int i = 1; i <= 500; i++)
    urbarium_undo_redo (undo);
  g_assert_cmpint (value, ==, 500);
  set (undo, &value, -1); /* clears the redo stack */
  g_object_get (undo, "can-undo", &can_undo, "can-redo", &can_redo, NULL);
  g_assert_true (can_undo);
  g_assert_false (can_redo);
  urbarium_undo_redo (undo);
  g_assert_cmpint (value, ==, -1);
  urbarium_undo_undo (undo);
  g_assert_cmpint (value, ==, 500);
  urbarium_undo_clear (undo);
  urbarium_undo_undo (undo);
  g_assert_cmpint (value, ==, 500);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/undo/back-and-forth", test_back_and_forth);
  return g_test_run ();
}
