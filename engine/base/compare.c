/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - see compare.h.
 */
#include "base/compare.h"

int
urb_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}
