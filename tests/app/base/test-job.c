/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include "app/base/job.h"

typedef struct
{
  GMutex    lock;
  GCond     cond;
  gboolean  go;
  gboolean  done;
  char     *result; /* owned */
  GError   *error;  /* owned */
} Work;

static gpointer
work (gpointer input, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  Work *self = input;
  for (int i = 0; i <= 1000; i++)
    urbarium_job_progress (i / 1000.0, "Counting", job);
  g_mutex_lock (&self->lock);
  while (!self->go)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  return g_strdup ("done");
}

static void
go (Work *self)
{
  g_mutex_lock (&self->lock);
  self->go = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Work *self = data;
  self->result = urbarium_job_finish (URBARIUM_JOB (source), result, &self->error);
  self->done = TRUE;
}

static gboolean
is_done (gpointer data)
{
  return ((Work *) data)->done;
}

static gboolean
go_cb (gpointer data)
{
  go (data);
  return G_SOURCE_REMOVE;
}

static void
activate_cb (GApplication *application, Work *self)
{
  g_autoptr(UrbariumJob) job = urbarium_job_new ("Test");
  urbarium_job_outlive_window (job);
  urbarium_job_run (job, work, self, NULL, g_free, done_cb, self);
  g_timeout_add (100, go_cb, self);
}

/* A program without windows ends at once, but not before such a job. */
static void
test_outlives (void)
{
  g_autoptr(GApplication) application = g_application_new ("org.urbarium.Test",
                                                           G_APPLICATION_NON_UNIQUE);
  Work self = { 0 };
  g_signal_connect (application, "activate", G_CALLBACK (activate_cb), &self);
  g_assert_cmpint (g_application_run (application, 0, NULL), ==, 0);
  g_assert_true (self.done);
  g_assert_no_error (self.error);
  g_free (self.result);
}

static gboolean
has_progress (gpointer data)
{
  double fraction;
  g_object_get (data, "fraction", &fraction, NULL);
  return fraction == 1;
}

static void
test_job (gconstpointer cancelled)
{
  Work self = { 0 };
  UrbariumJob *job = urbarium_job_new ("Test");
  g_assert_false (urbarium_job_get_running (job));
  urbarium_job_run (job, work, &self, NULL, g_free, done_cb, &self);
  test_until (has_progress, job);
  g_assert_true (urbarium_job_get_running (job));
  if (cancelled != NULL)
    urbarium_job_cancel (job);
  go (&self);
  test_until (is_done, &self);
  if (cancelled != NULL)
    g_assert_error (self.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  else
    g_assert_cmpstr (self.result, ==, "done");
  g_assert_false (urbarium_job_get_running (job));
  test_assert_last_unref (job);
  g_clear_error (&self.error);
  g_free (self.result);
}

/* Prepared on the main loop: it counts as running, with progress, before its thread starts. */
static void
test_begun (gconstpointer run)
{
  Work self = { .go = TRUE };
  UrbariumJob *job = urbarium_job_new ("Test");
  double fraction;
  urbarium_job_begin (job);
  g_assert_true (urbarium_job_get_running (job));
  urbarium_job_progress (1, NULL, job);
  test_until (has_progress, job);
  urbarium_job_progress (0.5, NULL, job);
  if (run != NULL)
    {
      urbarium_job_run (job, work, &self, NULL, g_free, done_cb, &self);
      test_until (is_done, &self);
      g_assert_cmpstr (self.result, ==, "done");
    }
  else
    {
      urbarium_job_end (job); /* without a thread */
      g_object_get (job, "fraction", &fraction, NULL);
      g_assert_cmpfloat (fraction, ==, 1);
    }
  g_assert_false (urbarium_job_get_running (job));
  test_assert_last_unref (job);
  g_free (self.result);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_data_func ("/app/job/finished", NULL, test_job);
  g_test_add_data_func ("/app/job/cancelled", "yes", test_job);
  g_test_add_data_func ("/app/job/begun", "yes", test_begun);
  g_test_add_data_func ("/app/job/ended", NULL, test_begun);
  g_test_add_func ("/app/job/outlives", test_outlives);
  return g_test_run ();
}
