/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-step-order.c - steps that come in any order leave in theirs, once.
 */
#include "run/step-order.h"

static void
push (UrbStepOrder *order, gint64 step)
{
  UrbStepMetrics metrics = { .step = step, .images = step * 8 };
  urb_step_order_push (order, &metrics);
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
  g_autoptr(UrbStepOrder) order = urb_step_order_new (20);
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
  g_autoptr(UrbStepOrder) order = urb_step_order_new (0);
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

/* A step whose worker died before it could tell of it. */
static void
test_gap (void)
{
  g_autoptr(UrbStepOrder) order = urb_step_order_new (0);
  push (order, 3);
  push (order, 4);
  urb_step_order_release (order);
  push (order, 6); /* came later: waits for 5 */
  assert_pops (order, 3, 4);
  push (order, 5);
  assert_pops (order, 5, 6);
}

/* Nobody can fill the memory. */
static void
test_many (void)
{
  g_autoptr(UrbStepOrder) order = urb_step_order_new (0);
  for (gint64 i = 2; i < 10000; i++)
    push (order, i);
  {
    UrbStepMetrics metrics;
    gint64 last = 0;
    while (urb_step_order_pop (order, &metrics))
      {
        g_assert_cmpint (metrics.step, >, last);
        last = metrics.step;
      }
    g_assert_cmpint (last, ==, 9999);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/step-order/order", test_order);
  g_test_add_func ("/step-order/twice", test_twice);
  g_test_add_func ("/step-order/gap", test_gap);
  g_test_add_func ("/step-order/many", test_many);
  return g_test_run ();
}
