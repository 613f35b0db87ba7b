/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.c - see runs.h.
 */
#include "step/runs.h"

gint64
urb_runs_count (const GArray *runs)
{
  const UrbRun *last = runs->len == 0 ? NULL : &g_array_index (runs, UrbRun, runs->len - 1);

  return last == NULL ? 0 : last->local + last->count;
}

gint64
urb_runs_find (const GArray *runs, gint64 whole, gint64 *count)
{
  guint low = 0, high = runs != NULL ? runs->len : 0; /* the first run that ends after @whole */
  UrbRun run = { runs == NULL ? 0 : G_MAXINT64, 0, G_MAXINT64 };

  while (low < high)
    {
      guint middle = (low + high) / 2;
      const UrbRun *candidate = &g_array_index (runs, UrbRun, middle);

      if (candidate->whole + candidate->count <= whole)
        low = middle + 1;
      else
        high = middle;
    }
  if (runs != NULL && low < runs->len)
    run = g_array_index (runs, UrbRun, low);
  if (count != NULL)
    *count = run.whole <= whole ? run.count - (whole - run.whole) : run.whole - whole;
  return run.whole <= whole ? run.local + (whole - run.whole) : -1;
}

void
urb_runs_append (GArray *self, const GArray *of, gint64 first, gint64 count, gint64 local)
{
  const UrbRun everything = { 0, 0, G_MAXINT64 };

  for (guint i = 0; i < (of == NULL ? 1 : of->len); i++)
    {
      const UrbRun *run = of == NULL ? &everything : &g_array_index (of, UrbRun, i);
      gint64 begin = MAX (first, run->local);
      gint64 end = MIN (first + count, run->count == G_MAXINT64 ? G_MAXINT64 : run->local + run->count);
      UrbRun part = { run->whole + (begin - run->local), local + (begin - first), end - begin };

      if (begin < end)
        g_array_append_val (self, part);
    }
}
