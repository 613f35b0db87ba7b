/* SPDX-License-Identifier: Apache-2.0 */
/* test-job-bar.c - the bar shows its job while it runs, and cancels no other. */
#include "app-test.h"

#include "app/base/job-bar.h"
#include "looks.h"

/* A job that follows orders: it reports progress, or ends. */
typedef struct
{
  UrbariumJob *job;
  GAsyncQueue *orders; /* of Order; owned */
  gboolean     done;
} Work;

typedef struct
{
  double      fraction;
  const char *what;
  gboolean    end;
} Order;

static gpointer
work_thread (gpointer input, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  GAsyncQueue *orders = input;
  for (;;)
    {
      g_autofree Order *order = g_async_queue_pop (orders);
      if (order->end)
        return NULL;
      urbarium_job_progress (order->fraction, order->what, job);
    }
}

static void
order (Work *self, Order order)
{
  g_async_queue_push (self->orders, g_memdup2 (&order, sizeof order));
}

static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GError) error = NULL;
  urbarium_job_finish (URBARIUM_JOB (source), result, &error);
  ((Work *) data)->done = TRUE;
}

static void
work_start (Work *self)
{
  urbarium_job_run (self->job, work_thread, g_async_queue_ref (self->orders),
                    (GDestroyNotify) g_async_queue_unref, NULL, done_cb, self);
}

static void
work_init (Work *self, const char *title)
{
  *self = (Work) { urbarium_job_new (title), g_async_queue_new (), FALSE };
}

static gboolean
is_done (gpointer data)
{
  return ((Work *) data)->done;
}

static void
work_end (Work *self)
{
  order (self, (Order) { .end = TRUE });
  test_until (is_done, self);
}

static void
work_clear (Work *self)
{
  test_assert_last_unref (self->job);
  g_async_queue_unref (self->orders);
}

static gpointer
part (GtkWidget *bar, const char *name)
{
  GObject *object = gtk_widget_get_template_child (bar, URBARIUM_TYPE_JOB_BAR, name);
  g_assert_nonnull (object);
  return object;
}

static void
assert_what (GtkWidget *bar, const char *expected)
{
  g_assert_cmpstr (gtk_label_get_label (part (bar, "what")), ==, expected);
}

/* GTK's style class of a pulsing bar. */
static gboolean
pulses (gpointer bar)
{
  GtkWidget *trough = gtk_widget_get_last_child (part (bar, "bar"));
  return gtk_widget_has_css_class (gtk_widget_get_first_child (trough), "pulse");
}

static gboolean
is_half (gpointer bar)
{
  return gtk_progress_bar_get_fraction (part (bar, "bar")) == 0.5;
}

static gboolean
is_three_quarters (gpointer bar)
{
  return gtk_progress_bar_get_fraction (part (bar, "bar")) == 0.75;
}

/* Hidden, shown with the known values, hidden. */
static void
test_progress (void)
{
  Work work;
  GtkWidget *bar = g_object_new (URBARIUM_TYPE_JOB_BAR, NULL);
  GtkWindow *window = test_window_new (bar, 400, 100);
  gint64 start;
  g_assert_false (gtk_widget_get_visible (bar)); /* no job */
  work_init (&work, "Opening the map");
  g_object_set (bar, "job", work.job, NULL);
  g_assert_false (gtk_widget_get_visible (bar)); /* not running */

  start = g_get_monotonic_time ();
  work_start (&work);
  g_assert_true (gtk_widget_get_visible (bar));
  assert_what (bar, "Opening the map");
  g_assert_false (pulses (bar));
  test_until (pulses, bar);
  order (&work, (Order) { 0.5, "Reading roads", FALSE });
  test_until (is_half, bar);
  assert_what (bar, "Reading roads");
  order (&work, (Order) { 0.75, NULL, FALSE }); /* unchanged */
  test_until (is_three_quarters, bar);
  assert_what (bar, "Reading roads");
  if (g_get_monotonic_time () - start < G_USEC_PER_SEC)
    g_assert_cmpstr (gtk_label_get_label (part (bar, "left")), ==, ""); /* too early */
  for (gint64 end = g_get_monotonic_time () + 250000; g_get_monotonic_time () < end;)
    {
      test_frames (window, 1);
      g_assert_false (pulses (bar)); /* the fraction is known */
    }
  test_screenshot (window, "job-bar");
  order (&work, (Order) { -1, "Nobody knows", FALSE });
  test_until (pulses, bar);

  work_end (&work);
  g_assert_false (gtk_widget_get_visible (bar));
  test_window_destroy (window);
  work_clear (&work);
}

static gboolean
says_left (gpointer bar)
{
  return *gtk_label_get_label (part (bar, "left")) != '\0';
}

static gboolean
again_cb (gpointer data)
{
  order (data, (Order) { 0.5, NULL, FALSE });
  return G_SOURCE_CONTINUE;
}

/* After the first second there is an estimate. */
static void
test_estimate (void)
{
  Work work;
  GtkWidget *bar;
  GtkWindow *window;
  guint timer;
  const char *left;
  work_init (&work, "Long");
  bar = g_object_new (URBARIUM_TYPE_JOB_BAR, "job", work.job, NULL);
  window = test_window_new (bar, 400, 100);
  work_start (&work);
  timer = g_timeout_add (50, again_cb, &work);
  test_until (says_left, bar);
  g_source_remove (timer);
  left = gtk_label_get_label (part (bar, "left"));
  g_assert_true (g_ascii_isdigit (*left) && g_str_has_suffix (left, " s left"));
  work_end (&work);
  test_window_destroy (window);
  work_clear (&work);
}

static void
test_cancel (void)
{
  Work work;
  GtkWidget *bar, *button;
  GtkWindow *window;
  work_init (&work, "To be cancelled");
  bar = g_object_new (URBARIUM_TYPE_JOB_BAR, "job", work.job, NULL);
  button = part (bar, "cancel");
  test_assert_name (button, "Cancel");
  window = test_window_new (bar, 400, 100);
  work_start (&work);
  test_frames (window, 2);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (g_cancellable_is_cancelled (urbarium_job_get_cancellable (work.job)));
  g_assert_false (gtk_widget_is_sensitive (button)); /* can be cancelled once */
  order (&work, (Order) { 0.5, "Still at it", FALSE });
  test_until (is_half, bar);
  g_assert_false (gtk_widget_is_sensitive (button));
  work_end (&work);
  test_window_destroy (window);
  work_clear (&work);
}

/* Progress of a job that is no longer shown is ignored; the next job can be cancelled. */
static void
test_another (void)
{
  Work first, second;
  GtkWidget *bar = g_object_new (URBARIUM_TYPE_JOB_BAR, NULL);
  GtkWindow *window = test_window_new (bar, 400, 100);
  g_autoptr(UrbariumJob) shown = NULL;
  work_init (&first, "First");
  work_init (&second, "Second");
  work_start (&first);
  work_start (&second);
  urbarium_job_bar_set_job (URBARIUM_JOB_BAR (bar), first.job);
  assert_what (bar, "First");
  g_signal_emit_by_name (part (bar, "cancel"), "clicked");
  urbarium_job_bar_set_job (URBARIUM_JOB_BAR (bar), second.job);
  g_object_get (bar, "job", &shown, NULL);
  g_assert_true (shown == second.job);
  assert_what (bar, "Second");
  g_assert_true (gtk_widget_is_sensitive (part (bar, "cancel")));
  order (&second, (Order) { 0.5, "Half", FALSE });
  test_until (is_half, bar);
  order (&first, (Order) { 0.1, "Late", FALSE });
  work_end (&first);
  assert_what (bar, "Half");
  g_assert_true (is_half (bar));
  g_assert_true (gtk_widget_get_visible (bar));
  g_assert_false (g_cancellable_is_cancelled (urbarium_job_get_cancellable (second.job)));

  g_object_set (bar, "job", NULL, NULL);
  g_assert_false (gtk_widget_get_visible (bar));
  g_clear_object (&shown);
  work_end (&second);
  g_assert_false (gtk_widget_get_visible (bar));
  work_clear (&first);
  work_clear (&second);
  test_window_destroy (window);
}

/* Disposed while pulsing: the timeout is removed. */
static void
test_close (void)
{
  Work work;
  GtkWidget *bar;
  GtkWindow *window;
  work_init (&work, "Outlives");
  bar = g_object_new (URBARIUM_TYPE_JOB_BAR, "job", work.job, NULL);
  window = test_window_new (bar, 400, 100);
  work_start (&work);
  test_frames (window, 2);
  test_window_destroy (window);
  order (&work, (Order) { 0.5, "Half", FALSE });
  work_end (&work);
  work_clear (&work);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/job-bar/progress", test_progress);
  g_test_add_func ("/app/job-bar/estimate", test_estimate);
  g_test_add_func ("/app/job-bar/cancel", test_cancel);
  g_test_add_func ("/app/job-bar/another", test_another);
  g_test_add_func ("/app/job-bar/close", test_close);
  return g_test_run ();
}
