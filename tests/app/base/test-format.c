/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <math.h>

#include "app/base/format.h"

static void
check (char *got, const char *expected)
{
  g_assert_cmpstr (got, ==, expected);
  g_free (got);
}

/* The C locale groups nothing. */
static void
test_units (void)
{
  check (urbarium_format_count (1234567), "1234567");
  check (urbarium_format_percent (0.1234), "12.3 %");
  check (urbarium_format_area (850), "850 m²");
  check (urbarium_format_area (62500), "6.25 ha");
  check (urbarium_format_area (4.56e7), "45.6 km²");
  check (urbarium_format_length (12.5), "12.5 m");
  check (urbarium_format_length (3200), "3.2 km");
  check (urbarium_format_duration (45), "45 s");
  check (urbarium_format_duration (200), "3 min");
  check (urbarium_format_duration (7500), "2 h 5 min");
  check (urbarium_format_duration (273600), "3 d 4 h");
  check (urbarium_format_value (0.00123), "0.00123");
  check (urbarium_format_value (NAN), "–");
  check (urbarium_format_value (1e-9), "1e-09");
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_test_add_func ("/app/format/units", test_units);
  return g_test_run ();
}
