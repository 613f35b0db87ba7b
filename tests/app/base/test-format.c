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

/* The C locale has no grouping; our code groups. */
static void
test_groups (void)
{
  check (urbarium_format_count (0), "0");
  check (urbarium_format_count (999), "999");
  check (urbarium_format_count (1000), "1\u202f000");
  check (urbarium_format_count (1234567), "1\u202f234\u202f567");
  check (urbarium_format_count (-123456), "-123\u202f456");
  check (urbarium_format_number (12345.678, 2), "12\u202f345.68");
  check (urbarium_format_number (INFINITY, 2), "inf");
  check (urbarium_format_value (54321), "54\u202f321");
}

static void
test_units (void)
{
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
  g_test_add_func ("/app/format/groups", test_groups);
  g_test_add_func ("/app/format/units", test_units);
  return g_test_run ();
}
