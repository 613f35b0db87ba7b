/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race-file.c - see race-file.h.
 *
 * A lock of fcntl() names its holder, and ends with it.
 */
#include "city/race-file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic-file.h"

static const char race_group[] = "race";
static const char *const state_names[URB_RACE_N_STATES] = { "running", "finished", "stopped", "failed" };
static const char *const stage_names[URB_RACE_N_STAGES] = { "speed", "tune", "train", "score" };

void
urb_race_progress_clear (UrbRaceProgress *self)
{
  g_clear_pointer (&self->dataset, g_free);
  g_clear_pointer (&self->problem, g_free);
}

/* ------------------------------------------------------------------------ */
/* Writing                                                                   */

static void
put_curve (GKeyFile *file, guint index, const UrbQualityCurve *curve)
{
  g_autofree char *group = g_strdup_printf ("curve-%u", index);
  guint n = curve->points->len;
  g_autofree double *columns = g_new (double, 4 * n + 1);

  for (guint i = 0; i < n; i++)
    {
      const UrbQualityPoint *point = &g_array_index (curve->points, UrbQualityPoint, i);

      columns[i] = point->seconds;
      columns[n + i] = (double) point->step;
      columns[2 * n + i] = (double) point->images;
      columns[3 * n + i] = point->score;
    }
  g_key_file_set_integer (file, group, "arm", curve->arm);
  g_key_file_set_uint64 (file, group, "seed", curve->seed);
  g_key_file_set_boolean (file, group, "complete", curve->complete);
  g_key_file_set_double (file, group, "images_per_s", curve->images_per_s);
  g_key_file_set_double_list (file, group, "seconds", columns, n);
  g_key_file_set_double_list (file, group, "steps", columns + n, n);
  g_key_file_set_double_list (file, group, "images", columns + 2 * n, n);
  g_key_file_set_double_list (file, group, "scores", columns + 3 * n, n);
}

static void
put_trial (GKeyFile *file, const char *group, const UrbRaceTrial *trial)
{
  g_key_file_set_double (file, group, "steps_per_s", trial->steps_per_s);
  g_key_file_set_integer (file, group, "tuned", trial->n_tuned);
  g_key_file_set_double (file, group, "best_tuned", trial->best_score);
}

gboolean
urb_race_file_save (const char *folder, const UrbRaceProgress *progress, const UrbQualityRace *race, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *path = g_build_filename (folder, "ab.ini", NULL);
  g_autofree char *text = NULL;
  gsize n_bytes;

  g_key_file_set_string (file, race_group, "state", state_names[progress->state]);
  g_key_file_set_string (file, race_group, "stage", stage_names[progress->stage]);
  g_key_file_set_integer (file, race_group, "arm", progress->arm);
  g_key_file_set_uint64 (file, race_group, "seed", progress->seed);
  g_key_file_set_double (file, race_group, "trained_s", progress->trained_s);
  g_key_file_set_double (file, race_group, "planned_s", progress->planned_s);
  g_key_file_set_int64 (file, race_group, "started", progress->started);
  g_key_file_set_integer (file, race_group, "seeds", progress->n_seeds);
  g_key_file_set_integer (file, race_group, "evaluations", progress->n_evaluations);
  g_key_file_set_int64 (file, race_group, "count", progress->count);
  g_key_file_set_double (file, race_group, "budget_s", race->budget_s);
  g_key_file_set_string (file, race_group, "dataset", progress->dataset);
  g_key_file_set_string (file, race_group, "problem", progress->problem != NULL ? progress->problem : "");
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      g_autofree char *group = g_strdup_printf ("arm-%d", arm);

      g_key_file_set_string (file, group, "name", race->arms[arm]);
      g_key_file_set_boolean (file, group, "single", race->is_single[arm]);
      g_key_file_set_double (file, group, "lr_factor", race->lr_factor[arm]);
      put_trial (file, group, &progress->trials[arm]);
    }
  for (guint i = 0; i < race->curves->len; i++)
    put_curve (file, i, race->curves->pdata[i]);
  text = g_key_file_to_data (file, &n_bytes, NULL);
  return urb_atomic_file_set_contents (path, text, n_bytes, error);
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

static gboolean
find_name (GKeyFile *file, const char *key, const char *const *names, guint n_names, guint *out, GError **error)
{
  g_autofree char *name = g_key_file_get_string (file, race_group, key, error);

  for (*out = 0; name != NULL && *out < n_names; ++*out)
    if (g_str_equal (name, names[*out]))
      return TRUE;
  if (name != NULL)
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "“%s” is no %s", name, key);
  return FALSE;
}

static gboolean
get_arm (GKeyFile *file, const char *group, int *arm, GError **error)
{
  GError *problem = NULL;

  *arm = g_key_file_get_integer (file, group, "arm", &problem);
  if (problem == NULL && (*arm < 0 || *arm >= URB_RACE_N_ARMS))
    problem = g_error_new (G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "There is no arm %d", *arm);
  if (problem != NULL)
    g_propagate_error (error, problem);
  return problem == NULL;
}

static gboolean
get_curve (GKeyFile *file, const char *group, UrbQualityRace *race, GError **error)
{
  static const char *const keys[] = { "seconds", "steps", "images", "scores" };
  double *columns[G_N_ELEMENTS (keys)] = { 0 };
  gsize lengths[G_N_ELEMENTS (keys)] = { 0 };
  UrbQualityCurve *curve;
  gboolean same = TRUE;
  int arm;

  if (!get_arm (file, group, &arm, error))
    return FALSE;
  curve = urb_quality_race_add (race, arm, g_key_file_get_uint64 (file, group, "seed", NULL));
  curve->complete = g_key_file_get_boolean (file, group, "complete", NULL);
  curve->images_per_s = g_key_file_get_double (file, group, "images_per_s", NULL);
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      columns[k] = g_key_file_get_double_list (file, group, keys[k], &lengths[k], NULL);
      same = same && lengths[k] == lengths[0];
    }
  for (gsize i = 0; same && i < lengths[0]; i++)
    {
      UrbQualityPoint point = { .seconds = columns[0][i], .step = (gint64) CLAMP (columns[1][i], 0, 1e15),
                                .images = (gint64) CLAMP (columns[2][i], 0, 1e15), .score = columns[3][i] };

      g_array_append_val (curve->points, point);
    }
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    g_free (columns[k]);
  if (!same)
    g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "The columns of %s differ in length", group);
  return same;
}

static UrbQualityRace *
get_race (GKeyFile *file, GError **error)
{
  g_autofree char *first = g_key_file_get_string (file, "arm-0", "name", error);
  g_autofree char *second = first != NULL ? g_key_file_get_string (file, "arm-1", "name", error) : NULL;
  g_autoptr(UrbQualityRace) race = second != NULL ? urb_quality_race_new (first, second) : NULL;
  g_auto(GStrv) groups = g_key_file_get_groups (file, NULL);

  if (race == NULL)
    return NULL;
  race->budget_s = g_key_file_get_double (file, race_group, "budget_s", NULL);
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      g_autofree char *group = g_strdup_printf ("arm-%d", arm);

      race->is_single[arm] = g_key_file_get_boolean (file, group, "single", NULL);
      race->lr_factor[arm] = g_key_file_get_double (file, group, "lr_factor", NULL);
    }
  for (char **group = groups; *group != NULL; group++)
    if (g_str_has_prefix (*group, "curve-") && !get_curve (file, *group, race, error))
      return NULL;
  return g_steal_pointer (&race);
}

static UrbRaceTrial
get_trial (GKeyFile *file, int arm)
{
  g_autofree char *group = g_strdup_printf ("arm-%d", arm);
  UrbRaceTrial trial = { .steps_per_s = g_key_file_get_double (file, group, "steps_per_s", NULL),
                         .n_tuned = g_key_file_get_integer (file, group, "tuned", NULL),
                         .best_score = g_key_file_get_double (file, group, "best_tuned", NULL) };

  if (!isfinite (trial.steps_per_s) || trial.steps_per_s <= 0 || trial.n_tuned < 0)
    return (UrbRaceTrial) { 0 };
  return trial;
}

static UrbQualityRace *
get_all (GKeyFile *file, UrbRaceProgress *out, GError **error)
{
  g_autoptr(UrbQualityRace) race = NULL;
  guint state, stage;

  if (!find_name (file, "state", state_names, URB_RACE_N_STATES, &state, error)
      || !find_name (file, "stage", stage_names, URB_RACE_N_STAGES, &stage, error)
      || !get_arm (file, race_group, &out->arm, error))
    return NULL;
  race = get_race (file, error);
  if (race == NULL)
    return NULL;
  out->state = (UrbRaceState) state;
  out->stage = (UrbRaceStage) stage;
  out->seed = g_key_file_get_uint64 (file, race_group, "seed", NULL);
  out->trained_s = g_key_file_get_double (file, race_group, "trained_s", NULL);
  out->planned_s = g_key_file_get_double (file, race_group, "planned_s", NULL);
  out->started = g_key_file_get_int64 (file, race_group, "started", NULL);
  out->n_seeds = g_key_file_get_integer (file, race_group, "seeds", NULL);
  out->n_evaluations = g_key_file_get_integer (file, race_group, "evaluations", NULL);
  out->count = g_key_file_get_int64 (file, race_group, "count", NULL);
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    out->trials[arm] = get_trial (file, arm);
  out->dataset = g_key_file_get_string (file, race_group, "dataset", NULL);
  out->problem = g_key_file_get_string (file, race_group, "problem", NULL);
  return g_steal_pointer (&race);
}

UrbQualityRace *
urb_race_file_load (const char *folder, UrbRaceProgress *out, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *path = g_build_filename (folder, "ab.ini", NULL);
  UrbQualityRace *race = NULL;

  *out = (UrbRaceProgress) { 0 };
  if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error))
    race = get_all (file, out, error);
  if (race == NULL)
    g_prefix_error (error, "%s: ", path);
  return race;
}

gboolean
urb_race_progress_can_continue (const UrbRaceProgress *self)
{
  return self->state != URB_RACE_FINISHED && self->n_evaluations > 0;
}

/* ------------------------------------------------------------------------ */
/* The lock                                                                  */

static int
open_lock (const char *folder, int flags)
{
  g_autofree char *path = g_build_filename (folder, "lock", NULL);

  return open (path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
}

gboolean
urb_race_file_lock (const char *folder, GError **error)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = open_lock (folder, O_CREAT); /* never closed: the lock ends with the process */

  if (fd >= 0 && fcntl (fd, F_SETLK, &lock) == 0)
    return TRUE;
  if (fd >= 0 && (errno == EACCES || errno == EAGAIN))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY, "'%s' is used by another comparison; choose another folder (--out)",
                 folder);
  else
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "The folder '%s' cannot be locked: %s", folder,
                 g_strerror (errno));
  if (fd >= 0)
    close (fd);
  return FALSE;
}

pid_t
urb_race_file_find_holder (const char *folder)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = open_lock (folder, 0);
  gboolean is_held = fd >= 0 && fcntl (fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

  if (fd >= 0)
    close (fd);
  return is_held ? lock.l_pid : 0;
}
