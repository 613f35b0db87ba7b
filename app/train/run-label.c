/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-label.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/train/run-differences.h"

enum { MAX_SETTINGS = 2 };

static gboolean
is_between_words (char c)
{
  return c == '\0' || strchr (" -_/:;", c) != NULL;
}

/* How many bytes at the beginning, or at the end, are the same words in all names. */
static gsize
count_same (GPtrArray *runs, gboolean at_end)
{
  const char *first = urbarium_run_get_name (runs->pdata[0]);
  gsize length = strlen (first), same = 0;
  for (gsize n = 1; n < length; n++)
    {
      char c = at_end ? first[length - n] : first[n - 1];
      for (guint i = 1; i < runs->len; i++)
        {
          const char *name = urbarium_run_get_name (runs->pdata[i]);
          gsize other = strlen (name);
          if (n >= other || (at_end ? name[other - n] : name[n - 1]) != c)
            return same;
        }
      if (is_between_words (c))
        same = n;
    }
  return same;
}

static gboolean
has_other_of_name (UrbariumRun *run, GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    if (runs->pdata[i] != run
        && g_str_equal (urbarium_run_get_name (runs->pdata[i]), urbarium_run_get_name (run)))
      return TRUE;
  return FALSE;
}

static void
append_settings (GString *label, UrbariumRun *run, GPtrArray *runs)
{
  g_autoptr(GPtrArray) differences = urbarium_run_find_differences (runs);
  int n = 0;
  for (guint i = 0; i < differences->len && n < MAX_SETTINGS; i++)
    {
      const UrbSetting *setting = differences->pdata[i];
      g_autofree char *value = urbarium_run_dup_setting (run, setting);
      if (value == NULL)
        continue;
      /* translators: a setting of a run and its value: "Seed 2" */
      g_string_append_printf (label, C_ ("setting", ", %1$s %2$s"), _ (setting->title), value);
      n++;
    }
}

char *
urbarium_run_dup_label (UrbariumRun *run, GPtrArray *runs)
{
  const char *name = urbarium_run_get_name (run);
  gsize length = strlen (name), from = count_same (runs, FALSE), to = count_same (runs, TRUE);
  g_autoptr(GString) label = NULL;
  gboolean twice = has_other_of_name (run, runs);
  if (from + to >= length || twice)
    from = to = 0;
  label = g_string_new_len (name + from, (gssize) (length - from - to));
  if (twice)
    append_settings (label, run, runs);
  return g_string_free (g_steal_pointer (&label), FALSE);
}
