/* SPDX-License-Identifier: Apache-2.0 */
#include "app/plot/axis.h"

#include <math.h>

#include "app/base/format.h"

#define MAX_PX 1e5           /* still exact in Cairo's 24.8 fixed point */
#define MAX_PLAIN 1e9        /* larger values are written as powers of ten */
#define MAX_DECIMALS 5
#define MIN_PLAIN_DECADE -4
#define MAX_PLAIN_DECADE 6

double
urbarium_axis_to_px (const UrbariumAxis *axis, double value)
{
  double share;

  if (axis->scale == URBARIUM_AXIS_LINEAR)
    share = (value - axis->min) / (axis->max - axis->min);
  else if (value > 0)
    share = log (value / axis->min) / log (axis->max / axis->min);
  else
    share = -INFINITY;
  return CLAMP (axis->from + share * (axis->to - axis->from), -MAX_PX, MAX_PX);
}

double
urbarium_axis_from_px (const UrbariumAxis *axis, double px)
{
  double share = (px - axis->from) / (axis->to - axis->from);

  if (axis->scale == URBARIUM_AXIS_LINEAR)
    return axis->min + share * (axis->max - axis->min);
  return axis->min * pow (axis->max / axis->min, share);
}

void
urbarium_axis_sanitize (UrbariumAxis *axis)
{
  if (axis->scale == URBARIUM_AXIS_LOG)
    {
      if (!(axis->max > 0) || !isfinite (axis->max))
        axis->max = 10;
      if (!(axis->min > 0) || !isfinite (axis->min))
        axis->min = MIN (axis->max, 1) / 10;
      if (!(axis->max > axis->min * (1 + 1e-9)))
        {
          axis->min /= 2;
          axis->max = axis->min * 4;
        }
      return;
    }
  if (!isfinite (axis->min) || !isfinite (axis->max))
    {
      axis->min = 0;
      axis->max = 1;
    }
  /* Also if the range is so small relative to the values that ticks would not differ. */
  if (!(axis->max - axis->min > 1e-9 * MAX (fabs (axis->min), fabs (axis->max))))
    {
      double half = axis->min != 0 ? fabs (axis->min) / 2 : 0.5;
      axis->min -= half;
      axis->max += half;
    }
}

static void
tick_clear (UrbariumTick *tick)
{
  g_free (tick->label);
}

/* Replaces a leading hyphen by a minus sign.  @number: (transfer full) */
static char *
take_typographic (char *number)
{
  char *result;

  if (number[0] != '-')
    return number;
  result = g_strconcat ("−", number + 1, NULL);
  g_free (number);
  return result;
}

static char *
format_power (double value, int exponent, int n_decimals)
{
  static const char *digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
  g_autofree char *mantissa = urbarium_format_number (value / pow (10, exponent), n_decimals);
  g_autofree char *power = g_strdup_printf ("%d", ABS (exponent));
  GString *text = g_string_new (NULL);

  if (g_strcmp0 (mantissa, "1") != 0)
    g_string_append_printf (text, "%s×", mantissa);
  g_string_append (text, exponent < 0 ? "10⁻" : "10");
  for (const char *c = power; *c != '\0'; c++)
    g_string_append (text, digits[*c - '0']);
  return take_typographic (g_string_free (text, FALSE));
}

/* The smallest 1, 2 or 5 times 10^@exponent that is at least @least. */
static double
nice_step (double least, int *exponent)
{
  double power, digit;

  *exponent = (int) floor (log10 (least) + 1e-9);
  power = pow (10, *exponent);
  digit = least / power;
  if (digit <= 1 + 1e-9)
    return power;
  if (digit <= 2 + 1e-9)
    return 2 * power;
  if (digit <= 5 + 1e-9)
    return 5 * power;
  ++*exponent;
  return 10 * power;
}

static void
add_linear (const UrbariumAxis *axis, guint max_labels, GArray *ticks)
{
  int exponent;
  double step = nice_step ((axis->max - axis->min) / MAX (max_labels, 1), &exponent);
  double largest = MAX (fabs (axis->min), fabs (axis->max));
  int n_decimals = MAX (0, -exponent);
  gboolean plain = largest < MAX_PLAIN && n_decimals <= MAX_DECIMALS;
  int power = (int) floor (log10 (largest) + 1e-9);

  /* + 0.0 turns -0.0 into 0.0 */
  for (double i = ceil (axis->min / step - 1e-9) + 0.0; i * step <= axis->max + 1e-9 * step; i++)
    {
      UrbariumTick tick = { .value = i * step };
      if (plain || i == 0)
        tick.label = take_typographic (urbarium_format_number (tick.value, plain ? n_decimals : 0));
      else
        tick.label = format_power (tick.value, power, MAX (0, power - exponent));
      g_array_append_val (ticks, tick);
    }
}

static void
add_log (const UrbariumAxis *axis, guint max_labels, GArray *ticks)
{
  double n_decades = log10 (axis->max / axis->min);
  int first = (int) floor (log10 (axis->min) + 1e-9), last = (int) ceil (log10 (axis->max) - 1e-9);
  int every = MAX (1, (int) ceil (n_decades / MAX (max_labels, 1)));
  gboolean with_2_5 = n_decades * 3 <= max_labels;

  for (int decade = first; decade <= last; decade++)
    for (int digit = 1; digit <= 9; digit++)
      {
        UrbariumTick tick = { .value = digit * pow (10, decade) };
        gboolean labeled = (digit == 1 && decade % every == 0)
                            || (with_2_5 && (digit == 2 || digit == 5));
        if (tick.value < axis->min * (1 - 1e-9) || tick.value > axis->max * (1 + 1e-9))
          continue;
        if (!labeled && every > 1 && digit != 1)
          continue;
        if (labeled && decade >= MIN_PLAIN_DECADE && decade <= MAX_PLAIN_DECADE)
          tick.label = urbarium_format_number (tick.value, MAX (0, -decade));
        else if (labeled)
          tick.label = format_power (tick.value, decade, 0);
        g_array_append_val (ticks, tick);
      }
}

GArray *
urbarium_axis_get_ticks (const UrbariumAxis *axis, guint max_labels)
{
  GArray *ticks = g_array_new (FALSE, FALSE, sizeof (UrbariumTick));

  g_return_val_if_fail (axis->max > axis->min, ticks);
  g_array_set_clear_func (ticks, (GDestroyNotify) tick_clear);
  /* A range of less than a decade has too few powers of ten. */
  if (axis->scale == URBARIUM_AXIS_LOG && axis->max / axis->min >= 8)
    add_log (axis, max_labels, ticks);
  else
    add_linear (axis, max_labels, ticks);
  return ticks;
}
