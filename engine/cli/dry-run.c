/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dry-run.c - see dry-run.h.
 *
 * What the run did is read from its run.db.  A sample grid or a checkpoint takes from the record before it to
 * its own; steps tell their time themselves, since several short ones are recorded at once.
 */
#include "cli/dry-run.h"

#include "base/json-build.h"
#include "city/score.h"
#include "cli/cli.h"
#include "cli/temporary-run.h"
#include "run/store/run-db.h"
#include "train/sampler.h"

enum { N_STEPS = 6 };

typedef enum { START, STEPS, SAMPLE, CHECKPOINT, SCORE, N_PARTS } Part;

static const char *const part_names[N_PARTS] = { "start", "steps", "sample", "checkpoint", "score" };

typedef struct
{
  gint64 n_steps;
  int    n_abreast; /* steps at the same time, in processes */
  double begin;     /* since 1970 */
  double last;      /* time of the newest record of a step or of what follows */
  double first_s;   /* of the first step */
  gint64 n_done, images, n_bytes;
  double seconds[N_PARTS]; /* negative: it was not reached */
  char  *problem;   /* owned, nullable: of the score */
} DryRun;

static void
dry_run_clear (DryRun *self)
{
  g_free (self->problem);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DryRun, dry_run_clear)

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

static void
end_part (DryRun *self, Part part, double time)
{
  self->seconds[part] = MAX (time - self->last, 0);
  self->last = time;
}

static void
take_step (DryRun *self, const UrbRunRecord *record)
{
  double seconds = record->metrics.seconds / self->n_abreast;

  if (self->n_done++ == 0)
    {
      self->first_s = seconds;
      self->seconds[STEPS] = 0;
    }
  self->images = record->metrics.images;
  self->seconds[STEPS] += seconds;
  self->seconds[START] = MAX (record->time - self->seconds[STEPS] - self->begin, 0);
  self->last = record->time;
}

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  DryRun *self = user_data;
  gboolean is_last = record->step == self->n_steps;

  if (record->type == URB_RUN_RECORD_STEP)
    take_step (self, record);
  else if (record->type == URB_RUN_RECORD_SAMPLE && is_last)
    end_part (self, SAMPLE, record->time);
  else if (record->type == URB_RUN_RECORD_CHECKPOINT && is_last)
    {
      end_part (self, CHECKPOINT, record->time);
      self->n_bytes = record->n_bytes;
    }
}

static gboolean
read_run (DryRun *self, const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "run.db", NULL);
  g_autoptr(UrbRunDb) db = urb_run_db_open_reader (path, error);

  return db != NULL && urb_run_db_read (db, 0, G_MAXINT, record_cb, self, error) >= 0;
}

/* The checkpoint as a generator, as all other commands read it. */
static gboolean
read_checkpoint (const char *folder, GError **error)
{
  const UrbSamplerPlace place = { 0 };
  g_autoptr(UrbSampler) sampler = urb_sampler_open (folder, &place, error);

  return sampler != NULL;
}

static void
score_few (DryRun *self, const char *folder, const UrbRunConfig *config)
{
  g_autoptr(UrbScorer) scorer = urb_scorer_new_short ();
  g_autoptr(GError) error = NULL;
  gint64 begin = g_get_monotonic_time ();
  UrbScores scores;

  if (urb_scorer_score (scorer, folder, config->train.dataset, &scores, &error))
    self->seconds[SCORE] = (double) (g_get_monotonic_time () - begin) * 1e-6;
  else
    self->problem = g_strdup_printf ("the cities cannot be scored: %s", error->message);
}

/* ------------------------------------------------------------------------ */
/* Telling                                                                   */

/* The first step takes longer than those that follow. */
static double
get_seconds_per_step (const DryRun *self)
{
  if (self->n_done < 2)
    return MAX (self->seconds[STEPS], 0);
  return (self->seconds[STEPS] - self->first_s) / (double) (self->n_done - 1);
}

static double
get_images_per_s (const DryRun *self)
{
  double seconds = get_seconds_per_step (self);

  return seconds > 0 ? (double) self->images / (double) MAX (self->n_done, 1) / seconds : 0;
}

static gboolean
has_worked (const DryRun *self, const UrbRunConfig *config)
{
  for (int part = 0; part < N_PARTS; part++)
    if (self->seconds[part] < 0 && (part != SCORE || config->score))
      return FALSE;
  return TRUE;
}

/* (transfer full) */
static char *
describe (const DryRun *self, Part part, const UrbRunConfig *config)
{
  g_autofree char *size = g_format_size_full ((guint64) self->n_bytes, G_FORMAT_SIZE_IEC_UNITS);

  if (self->seconds[part] < 0)
    return part != SCORE    ? g_strdup ("not reached")
           : !config->score ? g_strdup ("left out, as in the run")
                            : g_strdup (self->problem != NULL ? self->problem : "not reached");
  switch (part)
    {
    case START:
      return g_strdup ("processes, networks, dataset and a first sample grid");
    case STEPS:
      return g_strdup_printf ("%" G_GINT64_FORMAT " steps, %.1f images/s", self->n_done, get_images_per_s (self));
    case SAMPLE:
      return g_strdup ("a sample grid");
    case CHECKPOINT:
      return g_strdup_printf ("%s, written", size);
    case SCORE:
      return g_strdup ("a few cities compared with a few areas");
    default:
      g_return_val_if_reached (NULL);
    }
}

static char *
dup_duration (double seconds)
{
  if (seconds < 120)
    return g_strdup_printf ("%.0f second%s", MAX (seconds, 1), seconds < 1.5 ? "" : "s");
  if (seconds < 120 * 60)
    return g_strdup_printf ("%.0f minutes", seconds / 60);
  return g_strdup_printf ("%.1f hours", seconds / 3600);
}

static void
print_text (const DryRun *self, const UrbRunConfig *config)
{
  g_autofree char *duration = dup_duration ((double) config->train.n_steps * get_seconds_per_step (self));

  for (int part = 0; part < N_PARTS; part++)
    {
      g_autofree char *text = describe (self, (Part) part, config);
      g_autofree char *time = self->seconds[part] < 0 ? g_strdup ("-")
                                                      : g_strdup_printf ("%.2f s", self->seconds[part]);

      g_print ("%-10s  %9s  %s\n", part_names[part], time, text);
    }
  if (has_worked (self, config))
    g_print ("All of it works here. The %" G_GINT64_FORMAT " steps of the run take about %s.\n",
             config->train.n_steps, duration);
}

static void
print_json (const DryRun *self, const UrbRunConfig *config)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_add_bool (json, "works", has_worked (self, config));
  urb_json_add_int (json, "steps", self->n_done);
  urb_json_add_double (json, "images_per_second", get_images_per_s (self));
  urb_json_add_double (json, "seconds_per_step", get_seconds_per_step (self));
  urb_json_add_int (json, "bytes_checkpoint", self->n_bytes);
  urb_json_begin_object (json, "seconds");
  for (int part = 0; part < N_PARTS; part++)
    if (self->seconds[part] >= 0)
      urb_json_add_double (json, part_names[part], self->seconds[part]);
  urb_json_end_object (json);
  if (self->problem != NULL)
    urb_json_add_string (json, "problem", self->problem);
  urb_cli_print_json (json);
}

/* ------------------------------------------------------------------------ */

/* The run that tries out @config. */
static void
shorten (UrbRunConfig *self, const UrbRunConfig *config)
{
  gint64 n_steps = N_STEPS * (urb_strategy_is_asynchronous (config->train.strategy) ? config->train.n_ranks : 1);

  urb_run_config_copy (self, config);
  self->train.n_steps = MIN (n_steps, config->train.n_steps);
  self->sample_every = self->checkpoint_every = self->train.n_steps;
  self->score = FALSE; /* of so many cities it would take minutes: see score_few() */
  self->patience = 0;
  self->tensorboard = FALSE;
  g_clear_pointer (&self->hook, g_free);
  g_clear_pointer (&self->hook_on, g_free);
}

int
urb_cli_dry_run (const UrbRunConfig *config, const UrbCliSession *session, const char *run)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = urb_temporary_run_make (&error);
  g_auto(UrbRunConfig) shortened = { 0 };
  g_auto(DryRun) self = { .n_abreast = 1 };
  gboolean has_ended;
  int code;

  if (folder == NULL)
    return urb_cli_fail (error);
  for (int part = 0; part < N_PARTS; part++)
    self.seconds[part] = -1;
  shorten (&shortened, config);
  self.n_steps = shortened.train.n_steps;
  if (config->train.strategy == URB_STRATEGY_HOGWILD)
    self.n_abreast = config->train.n_ranks;
  code = urb_cli_session_check_run (session, run != NULL ? run : folder, -1, FALSE, config);
  if (code == URB_EXIT_OK)
    {
      self.begin = (double) g_get_real_time () * 1e-6;
      has_ended = urb_temporary_run_train (folder, &shortened, "dry run", urb_cli_get_cancellable (), NULL, &error);
      read_run (&self, folder, has_ended ? &error : NULL);
      if (error == NULL && read_checkpoint (folder, &error) && config->score)
        score_few (&self, folder, config);
      if (session->json)
        print_json (&self, config);
      else if (!session->quiet)
        print_text (&self, config);
      if (error == NULL && !has_worked (&self, config))
        g_set_error (&error, URB_RUN_ERROR, URB_RUN_ERROR_WORKER, "Not all of it works here: %s",
                     self.problem != NULL ? self.problem : "the run ended before its last step");
      code = error != NULL ? urb_cli_fail (error) : URB_EXIT_OK;
    }
  urb_temporary_run_delete (folder);
  return code;
}
