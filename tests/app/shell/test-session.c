/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>

#include "app/shell/session.h"

typedef struct
{
  char    *folder, *path; /* owned */
  int      n_asked;
  gboolean has_nothing, has_idled;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("urbarium-session-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "state", "session", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autofree char *inner = g_path_get_dirname (self->path);
  g_unlink (self->path);
  g_rmdir (inner);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0); /* no other files are left */
  g_free (self->folder);
  g_free (self->path);
}

static GVariant *
ask (gpointer data)
{
  Fixture *self = data;
  if (self->has_nothing)
    return NULL;
  return g_variant_ref_sink (g_variant_new_int32 (++self->n_asked));
}

static int
kept (Fixture *self)
{
  g_autoptr(UrbariumSession) session = urbarium_session_new (self->path);
  g_autoptr(GVariant) value = urbarium_session_get (session, "answer", G_VARIANT_TYPE_INT32);
  return value == NULL ? 0 : g_variant_get_int32 (value);
}

static gboolean
is_written (gpointer data)
{
  return kept (data) > 0;
}

static void
test_touch (Fixture *self, gconstpointer data)
{
  UrbariumSession *session = urbarium_session_new (self->path);
  urbarium_session_add (session, "answer", ask, self);
  for (int i = 0; i < 1000; i++)
    urbarium_session_touch (session);
  test_until (is_written, self);
  g_assert_cmpint (self->n_asked, ==, 1); /* many touches, one snapshot */
  test_assert_last_unref (session);
}

static void
test_close (Fixture *self, gconstpointer data)
{
  UrbariumSession *session = urbarium_session_new (self->path);
  urbarium_session_add (session, "answer", ask, self);
  urbarium_session_close (session);
  urbarium_session_touch (session); /* too late */
  g_assert_cmpint (kept (self), ==, 1);
  test_assert_last_unref (session);
}

static gboolean
was_asked (gpointer data)
{
  return ((Fixture *) data)->n_asked > 0;
}

static gboolean
idle_cb (gpointer data)
{
  ((Fixture *) data)->has_idled = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
has_idled (gpointer data)
{
  return ((Fixture *) data)->has_idled;
}

/* The window closes while a thread writes: writes do not interleave, and the last snapshot wins. */
static void
test_close_at_once (Fixture *self, gconstpointer data)
{
  UrbariumSession *session = urbarium_session_new (self->path);
  urbarium_session_add (session, "answer", ask, self);
  urbarium_session_touch (session);
  test_until (was_asked, self);
  g_idle_add_full (G_PRIORITY_HIGH, idle_cb, self, NULL);
  urbarium_session_close (session);
  g_assert_false (self->has_idled);
  g_assert_cmpint (kept (self), ==, 2);
  test_until (has_idled, self);
  while (G_OBJECT (session)->ref_count > 1) /* held by the thread */
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (kept (self), ==, 2);
  test_assert_last_unref (session);
}

/* Unavailable state keeps its previous value. */
static void
test_nothing_new (Fixture *self, gconstpointer data)
{
  for (int i = 0; i < 2; i++)
    {
      UrbariumSession *session = urbarium_session_new (self->path);
      self->has_nothing = i > 0;
      urbarium_session_add (session, "answer", ask, self);
      urbarium_session_close (session);
      g_assert_cmpint (kept (self), ==, 1);
      test_assert_last_unref (session);
    }
}

static void
test_damaged (Fixture *self, gconstpointer data)
{
  g_autofree char *inner = g_path_get_dirname (self->path);
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  char bytes[200];
  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  for (int n = 0; n < 200; n++)
    {
      for (int i = 0; i < n; i++)
        bytes[i] = (char) g_rand_int (rand);
      g_assert_true (g_file_set_contents (self->path, bytes, n, NULL));
      g_assert_cmpint (kept (self), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add ("/app/session/touch", Fixture, NULL, set_up, test_touch, tear_down);
  g_test_add ("/app/session/close", Fixture, NULL, set_up, test_close, tear_down);
  g_test_add ("/app/session/close-at-once", Fixture, NULL, set_up, test_close_at_once, tear_down);
  g_test_add ("/app/session/nothing-new", Fixture, NULL, set_up, test_nothing_new, tear_down);
  g_test_add ("/app/session/damaged", Fixture, NULL, set_up, test_damaged, tear_down);
  return g_test_run ();
}
