/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advice.c - see advice.h.
 *
 * A limit is lowered no further than until it gives areas: what barely qualifies is seldom worth it.
 */
#include "dataset/advice.h"

#include "dataset/curator-private.h"

typedef void (*Change) (UrbCurateOptions *options, double value);

static void
change_fill (UrbCurateOptions *options, double value)
{
  options->fill = URB_FILL_YES;
}

static void
change_coverage (UrbCurateOptions *options, double value)
{
  options->min_coverage = value;
}

static void
change_variance (UrbCurateOptions *options, double value)
{
  options->min_variance = value;
}

static void
change_size (UrbCurateOptions *options, double value)
{
  options->area_size_m *= value;
  options->stride_m *= value;
}

static void
change_stride (UrbCurateOptions *options, double value)
{
  options->stride_m *= value;
}

/* Each with values from the smallest change; 0 ends them. */
static const struct
{
  const char *key; /* of the setting; NULL: a switch */
  Change change;
  double values[5];
} tries[] = {
  { NULL, change_fill, { 1 } },
  { "min-coverage", change_coverage, { 0.9, 0.75, 0.5 } },
  { "min-variance", change_variance, { 0.2, 0.1, 0.05 } },
  { "area-size-m", change_size, { 0.5, 0.25, 0.1, 0.05 } },
  { "stride-m", change_stride, { 0.25 } },
};

static char *
name_option (const char *key, const UrbCurateOptions *options)
{
  char value[G_ASCII_DTOSTR_BUF_SIZE];

  if (key == NULL)
    return g_strdup ("--fill-uncovered");
  g_ascii_formatd (value, sizeof value, "%g",
                   urb_setting_get_number (urb_settings_find (&urb_curate_settings, key), options));
  return g_strdup_printf ("--%s %s", key, value);
}

static gboolean
is_a_change (const UrbCurateOptions *before, const UrbCurateOptions *after)
{
  return after->min_coverage < before->min_coverage || after->min_variance < before->min_variance
         || after->fill != before->fill || after->stride_m < before->stride_m;
}

static int
compare_advice (gconstpointer a, gconstpointer b)
{
  const UrbAdvice *p = a, *q = b;

  return (p->n_areas < q->n_areas) - (p->n_areas > q->n_areas);
}

static void
clear_advice (gpointer data)
{
  g_free ((char *) ((UrbAdvice *) data)->option);
}

GArray *
urb_advice_find (UrbMap *map, const UrbCurateOptions *options, GCancellable *cancellable)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (UrbAdvice));

  g_array_set_clear_func (found, clear_advice);
  for (gsize i = 0; i < G_N_ELEMENTS (tries); i++)
    for (const double *value = tries[i].values; *value > 0; value++)
      {
        UrbAdvice advice = { .options = *options };
        g_autoptr(UrbCuration) curation = NULL;

        tries[i].change (&advice.options, *value);
        if (is_a_change (options, &advice.options))
          curation = urb_curation_try (map, &advice.options, NULL, NULL, cancellable, NULL);
        if (curation == NULL)
          continue;
        advice.option = name_option (tries[i].key, &advice.options);
        advice.n_areas = curation->areas->len;
        g_array_append_val (found, advice);
        break;
      }
  g_array_sort (found, compare_advice);
  return found;
}
