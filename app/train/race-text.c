/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/race-text.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/train/strategy.h"

static char *
dup_way (const char *text)
{
  UrbStrategy strategy;
  int n_ranks = 1;
  /* One from a terminal may have options. */
  return urb_strategy_parse (text, &strategy, &n_ranks, NULL) ? urbarium_strategy_dup_summary (strategy, n_ranks)
                                                              : g_strdup (text);
}

char *
urbarium_race_dup_arm (const UrbQualityRace *race, int arm)
{
  g_autofree char *first = dup_way (race->arms[0]), *second = dup_way (race->arms[1]);
  if (arm == 0)
    return g_steal_pointer (&first);
  /* translators: a way to train that is compared with itself */
  return urb_quality_race_is_again (race) ? g_strdup_printf (_ ("%s, again"), first)
                                          : g_steal_pointer (&second);
}

char *
urbarium_race_dup_stage (UrbariumRace *race)
{
  const UrbRaceProgress *progress = urbarium_race_get_progress (race);
  g_autofree char *arm = urbarium_race_dup_arm (urbarium_race_get_race (race), progress->arm);
  switch (progress->stage)
    {
    case URB_RACE_SPEED:
      /* translators: a way to train */
      return g_strdup_printf (_ ("How fast is it? %s"), arm);
    case URB_RACE_TUNE:
      return g_strdup_printf (_ ("Which learning rates are best? %s"), arm);
    case URB_RACE_TRAIN:
      /* translators: a way to train; of so many trainings */
      return g_strdup_printf (_ ("Training: %s, seed %d of %d"), arm, (int) progress->seed, progress->n_seeds);
    default:
      return g_strdup_printf (_ ("Scoring cities: %s, seed %d of %d"), arm, (int) progress->seed, progress->n_seeds);
    }
}

char *
urbarium_race_dup_answer (UrbariumRace *race)
{
  const UrbRaceProgress *progress = urbarium_race_get_progress (race);
  const UrbQualityRace *quality = urbarium_race_get_race (race);
  UrbQualityVerdict verdict;
  g_autofree char *winner = NULL;
  if (progress->state == URB_RACE_FAILED)
    return g_strdup (_ ("The comparison failed"));
  if (progress->state == URB_RACE_STOPPED)
    return g_strdup (_ ("The comparison was stopped"));
  if (progress->state == URB_RACE_RUNNING)
    return g_strdup (urbarium_race_is_running (race) ? _ ("The comparison is not finished")
                                                     : _ ("The comparison ended unexpectedly"));
  if (!urb_quality_race_judge (quality, &verdict))
    return g_strdup (_ ("Too few scores for an answer"));
  if (verdict.winner < 0)
    return g_strdup (_ ("No clear difference here: the seeds differ more"));
  if (quality->is_single[verdict.winner] && !quality->is_single[1 - verdict.winner])
    return g_strdup (_ ("One process is best here"));
  winner = urbarium_race_dup_arm (quality, verdict.winner);
  /* translators: a way to train */
  return g_strdup_printf (_ ("%s: best here"), winner);
}

static char *
format_seconds (double seconds)
{
  const double fine = 600;
  g_autofree char *number = NULL;
  if (!isfinite (seconds))
    return g_strdup (_ ("never"));
  number = urbarium_format_number (seconds, 0);
  return seconds < fine ? g_strdup_printf (_ ("%s s"), number) : urbarium_format_duration (seconds);
}

static char *
join (char *median, char *min, char *max, int n_seeds)
{
  /* translators: a median, and the range of values */
  char *text = n_seeds < 2 ? g_strdup (median) : g_strdup_printf (_ ("%s (%s to %s)"), median, min, max);
  g_free (median);
  g_free (min);
  g_free (max);
  return text;
}

char *
urbarium_race_dup_time (UrbSpread seconds, int n_seeds)
{
  if (!isfinite (seconds.min))
    return format_seconds (seconds.min);
  return join (format_seconds (seconds.median), format_seconds (seconds.min), format_seconds (seconds.max), n_seeds);
}

char *
urbarium_race_dup_spread (UrbSpread values, int n_decimals, int n_seeds)
{
  if (!isfinite (values.min))
    return g_strdup ("–");
  return join (urbarium_format_number (values.median, n_decimals), urbarium_format_number (values.min, n_decimals),
               urbarium_format_number (values.max, n_decimals), n_seeds);
}
