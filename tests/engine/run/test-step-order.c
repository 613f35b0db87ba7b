/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-step-order.c - steps that arrive in any order are returned in order, each
 * once.
 */
#include "train/step-order.h"

static void
push_of (UrbStepOrder *order, int worker, gint64 step)
{
  UrbStepMetrics metrics = { .step = step, .images = step * 8 };
  urb_step_order_push (order, worker, &metrics);
}

static void
push (UrbStepOrder *order, gint64 step)
{
  push_of (order, 0, step);
}

/* The second worker is running all the time, but reports nothing. */
static UrbStepOrder *
order_new (gint64 last)
{
  UrbStepOrder *order = urb_step_order_new (last, 2);
  urb_step_order_add_rank (order, 0);
  urb_step_order_add_rank (order, 1);
  return order;
}

static void
assert_pops (UrbStepOrder *order, gint64 first, gint64 last)
{
  UrbStepMetrics metrics;
  for (gint64 i = first; i <= last; i++)
    {
      g_assert_true (urb_step_order_pop (order, &metrics));
      g_assert_cmpint (metrics.step, ==, i);
      g_assert_cmpint (metrics.images, ==, i * 8);
    }
  g_assert_false (urb_step_order_pop (order, &metrics));
}

static void
test_order (void)
{
  g_autoptr(UrbStepOrder) order = order_new (20);
  assert_pops (order, 1, 0);
  push (order, 23);
  push (order, 22);
  assert_pops (order, 1, 0);
  push (order, 21);
  assert_pops (order, 21, 23);
  push (order, 24);
  assert_pops (order, 24, 24);
}

static void
test_twice (void)
{
  g_autoptr(UrbStepOrder) order = order_new (0);
  push (order, 2);
  push (order, 2);
  push (order, 1);
  push (order, 1);
  assert_pops (order, 1, 2);
  push (order, 2);
  push (order, -5);
  push (order, 0);
  assert_pops (order, 1, 0);
}

/* A step whose worker died before reporting it. */
static void
test_gap (void)
{
  g_autoptr(UrbStepOrder) order = order_new (0);
  push (order, 3);
  push (order, 4);
  urb_step_order_release (order);
  push (order, 6); /* arrived later: waits for 5 */
  assert_pops (order, 3, 4);
  push (order, 5);
  assert_pops (order, 5, 6);
}

/* A worker dies without reporting its step.  The steps of the others neither wait for it nor are
 * they lost. */
static void
test_death (void)
{
  g_autoptr(UrbStepOrder) order = urb_step_order_new (0, 3);
  for (int i = 0; i < 3; i++)
    urb_step_order_add_rank (order, i);
  push_of (order, 0, 1);
  push_of (order, 1, 5); /* 2: of worker 2; 3 and 4: of worker 0 */
  assert_pops (order, 1, 1);
  urb_step_order_remove_rank (order, 2);
  assert_pops (order, 1, 0);
  push_of (order, 0, 3); /* now no worker can report 2 */
  assert_pops (order, 3, 3);
  push_of (order, 0, 4);
  assert_pops (order, 4, 5);
  /* Its successor reports no step before those already returned. */
  urb_step_order_add_rank (order, 2);
  push_of (order, 0, 7); /* 6 was of worker 1 */
  urb_step_order_remove_rank (order, 1);
  assert_pops (order, 1, 0); /* or of worker 2 */
  push_of (order, 2, 8);
  assert_pops (order, 7, 8);
}

/* The processor was taken from a worker between its step and its report: the others wait for it. */
static void
test_late (void)
{
  enum { N = 50000 };
  g_autoptr(UrbStepOrder) order = order_new (0);
  for (gint64 i = 2; i <= N; i++)
    push (order, i);
  assert_pops (order, 1, 0);
  push_of (order, 1, 1);
  assert_pops (order, 1, N);
  push (order, N + 2);
  push_of (order, 1, N + 1);
  assert_pops (order, N + 1, N + 2);
}

/* The queue is bounded. */
static void
test_many (void)
{
  enum { N = 300000 };
  g_autoptr(UrbStepOrder) order = order_new (0);
  UrbStepMetrics metrics;
  gint64 last = 0;
  for (gint64 i = 2; i < N; i++)
    push (order, i);
  while (urb_step_order_pop (order, &metrics))
    {
      g_assert_cmpint (metrics.step, >, last);
      last = metrics.step;
    }
  g_assert_cmpint (last, ==, N - 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step-order/order", test_order);
  g_test_add_func ("/step-order/twice", test_twice);
  g_test_add_func ("/step-order/gap", test_gap);
  g_test_add_func ("/step-order/death", test_death);
  g_test_add_func ("/step-order/late", test_late);
  g_test_add_func ("/step-order/many", test_many);
  return g_test_run ();
}
