/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blind.c - see blind.h.
 */
#include "city/blind.h"

#include <math.h>
#include <string.h>

#include "base/small-file.h"
#include "city/class-map.h"

const char *const urb_blind_verdict_names[] = { "undecided", "told", "mistaken" };

static const double alpha = 0.05;

char *
urb_blind_dup_picture_name (guint pair, guint plan)
{
  return g_strdup_printf ("pair-%02u-%c.png", pair + 1, plan == 0 ? 'a' : 'b');
}

/* ------------------------------------------------------------------------ */
/* Answers                                                                   */

/* Reads "7 A".  FALSE if the line is something else. */
static gboolean
parse_line (const char *line, guint64 *number, guint8 *choice)
{
  char *end;

  *number = g_ascii_strtoull (line, &end, 10);
  if (end == line || !g_ascii_isspace (*end))
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  *choice = g_ascii_toupper (*end) == 'B';
  return strchr ("AaBb", *end) != NULL && *end != '\0' && end[1] == '\0';
}

GArray *
urb_blind_read_answers (const char *path, GError **error)
{
  g_autoptr(GArray) choices = g_array_new (FALSE, FALSE, 1);
  g_autofree char *text = NULL;
  g_auto(GStrv) lines = NULL;

  text = urb_small_file_read (path, NULL, error);
  if (text == NULL)
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char *comment = strchr (lines[i], '#');
      guint64 number;
      guint8 choice;

      if (comment != NULL)
        *comment = '\0';
      g_strstrip (lines[i]);
      if (*lines[i] == '\0')
        continue;
      if (!parse_line (lines[i], &number, &choice) || number != choices->len + 1
          || number > URB_BLIND_MAX_PAIRS)
        {
          g_set_error (error, URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS,
                       "'%s', line %u: expected '%u A' or '%u B', the answer to pair %u.", path, i + 1,
                       choices->len + 1, choices->len + 1, choices->len + 1);
          return NULL;
        }
      g_array_append_val (choices, choice);
    }
  return g_steal_pointer (&choices);
}

/* ------------------------------------------------------------------------ */
/* Statistics                                                                */

/* The probability of at least @k successes of @n. */
static double
get_upper_tail (guint k, guint n, double p)
{
  double sum = 0;

  if (k == 0 || p >= 1)
    return 1;
  if (p <= 0)
    return 0;
  for (guint i = k; i <= n; i++)
    sum += exp (lgamma (n + 1.0) - lgamma (i + 1.0) - lgamma (n - i + 1.0) + i * log (p)
                + (n - i) * log1p (-p));
  return MIN (sum, 1);
}

/* The lower limit of Clopper and Pearson (1934): at it, at least @k successes have a probability of
 * alpha / 2. */
static double
get_lower_limit (guint k, guint n)
{
  double low = 0, high = 1;

  if (k == 0)
    return 0;
  for (int i = 0; i < 60; i++)
    {
      double middle = (low + high) / 2;

      if (get_upper_tail (k, n, middle) < alpha / 2)
        low = middle;
      else
        high = middle;
    }
  return low;
}

UrbBlindScore
urb_blind_score (guint n_right, guint n)
{
  UrbBlindScore self = { .n = n, .n_right = n_right };

  g_return_val_if_fail (n_right <= n, self);
  /* The distribution is symmetric at 1/2, so both tails are alike. */
  self.p = MIN (2 * get_upper_tail (MAX (n_right, n - n_right), n, 0.5), 1);
  self.low = get_lower_limit (n_right, n);
  self.high = 1 - get_lower_limit (n - n_right, n);
  self.verdict = self.p >= alpha       ? URB_BLIND_UNDECIDED
                 : 2 * n_right > n     ? URB_BLIND_TOLD
                                       : URB_BLIND_MISTAKEN;
  return self;
}

UrbBlindScore
urb_blind_score_answers (const GArray *answers, const GArray *key)
{
  guint n_right = 0;

  for (guint i = 0; i < key->len; i++)
    n_right += g_array_index (answers, guint8, i) == g_array_index (key, guint8, i);
  return urb_blind_score (n_right, key->len);
}
