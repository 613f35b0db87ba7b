/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-settings.c - the tables of settings, and what follows from a row.
 */
#include <math.h>
#include <string.h>

#include "dataset/curate.h"
#include "settings/args.h"
#include "settings/recipe.h"
#include "settings/run-config.h"

static const struct { const char *name; const UrbSettingTable *table; gsize size; } tables[] = {
  { "run", &urb_run_settings, sizeof (UrbRunConfig) },
  { "curate", &urb_curate_settings, sizeof (UrbCurateOptions) },
};

/* Something that is neither the default nor out of range, as text. */
static char *
make_other (const UrbSetting *row)
{
  if (row->type == URB_SETTING_BOOLEAN)
    return g_strdup (row->number > 0 ? "false" : "true");
  if (row->choices != NULL)
    return g_strdup (row->choices[1]);
  if (urb_setting_is_text (row))
    return g_strdup ("/some where/else");
  if (row->max > row->min && row->max <= 1)
    return g_strdup ("0.625");
  return g_strdup ("64");
}

static void
test_rows (gconstpointer data)
{
  const UrbSettingTable *table = tables[GPOINTER_TO_INT (data)].table;
  g_autofree char *fields = g_malloc0 (tables[GPOINTER_TO_INT (data)].size);

  urb_settings_reset (table, fields);
  for (guint i = 0; i < table->n_rows; i++)
    {
      const UrbSetting *row = &table->rows[i];
      g_autofree char *usual = urb_setting_dup_default (row);
      g_autoptr(GError) error = NULL;

      g_assert_true (urb_settings_find (table, row->key) == row); /* no key twice */
      g_assert_nonnull (row->title);
      g_assert_nonnull (row->help);
      g_autofree char *help = urb_setting_fill_in (row, row->flags, row->help);
      g_assert_null (strchr (help, '%'));
      g_assert_cmpstr (usual, !=, "");
      g_assert_true (row->type == URB_SETTING_BOOLEAN || row->arg != NULL || row->flags == 0);
      g_assert_true (row->type != URB_SETTING_ENUM || row->choices != NULL);
      g_assert_false (urb_setting_is_set (row, fields));
      g_assert_true (urb_setting_check (table, row, fields, &error));
      g_assert_no_error (error);
      /* Fields of two rows do not overlap. */
      for (guint k = 0; k < i; k++)
        g_assert_cmpuint (table->rows[k].offset, !=, row->offset);
    }
  urb_settings_clear (table, fields);
}

static void
test_copies (gconstpointer data)
{
  const UrbSettingTable *table = tables[GPOINTER_TO_INT (data)].table;
  g_autofree char *a = g_malloc0 (tables[GPOINTER_TO_INT (data)].size);
  g_autofree char *b = g_malloc0 (tables[GPOINTER_TO_INT (data)].size);
  g_autoptr(GError) error = NULL;

  urb_settings_reset (table, a);
  urb_settings_reset (table, b);
  for (guint i = 0; i < table->n_rows; i++)
    {
      g_autofree char *text = make_other (&table->rows[i]);

      g_assert_true (urb_setting_set_text (table, &table->rows[i], a, text, &error));
      g_assert_no_error (error);
      g_assert_true (urb_setting_is_set (&table->rows[i], a));
    }
  urb_settings_copy (table, b, a);
  for (guint i = 0; i < table->n_rows; i++)
    {
      g_autofree char *x = urb_setting_dup_text (&table->rows[i], a);
      g_autofree char *y = urb_setting_dup_text (&table->rows[i], b);

      g_assert_cmpstr (x, ==, y);
    }
  urb_settings_clear (table, a);
  urb_settings_clear (table, b);
}

/* Every row of a run goes through run.ini. */
static void
test_run_ini (void)
{
  g_auto(UrbRunConfig) config = { 0 }, back = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  urb_run_config_init (&config);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      g_autofree char *other = make_other (&urb_run_settings.rows[i]);

      urb_setting_set_text (&urb_run_settings, &urb_run_settings.rows[i], &config, other, &error);
      g_assert_no_error (error);
    }
  text = urb_run_config_to_text (&config);
  urb_run_config_init (&back);
  g_assert_true (urb_run_config_from_text (&back, text, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      g_autofree char *x = urb_setting_dup_text (&urb_run_settings.rows[i], &config);
      g_autofree char *y = urb_setting_dup_text (&urb_run_settings.rows[i], &back);

      g_assert_cmpstr (x, ==, y);
    }
}

/* What version 0.1 wrote is read as it was meant. */
static void
test_old_run_ini (void)
{
  static const char text[] =
    "[run]\nname=old\nengine=0.1.0\ncreated=1700000000\nsample_every=7\ncheckpoint_every=9\n"
    "keep_checkpoints=2\n\n[train]\ndataset=/a.gpkg\npreset=small\nrecipe=dcgan\nbackend=cuda:1\n"
    "channels=3\nsteps=77\nbatch=8\naccumulate=2\nprecision=tf32\nthreads=4\nseed=18446744073709551615\n"
    "lr-g=0.00020000000000000001\nlr-d=0.5\nlr-final=1\ngamma=0\nbeta2=0.999\nclip-norm=0\naugment=0.25\n"
    "ema-kimg=2\nwarmup=0\nschedule-steps=77\nstrategy=hogwild\nranks=3\ncommunicator=auto\n"
    "sync-batch-norm=true\nbucket-mib=25\nlocal-moments=true\nstaleness=5\nstale-lr=false\n"
    "sharing=file_system\n";
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;

  urb_run_config_init (&config);
  g_assert_true (urb_run_config_from_text (&config, text, &error));
  g_assert_no_error (error);
  g_assert_cmpint (config.sample_every, ==, 7);
  g_assert_cmpint (config.checkpoint_every, ==, 9);
  g_assert_cmpint (config.keep_checkpoints, ==, 2);
  g_assert_cmpstr (config.train.backend, ==, "cuda:1");
  g_assert_cmpint (config.train.precision, ==, UK_TF32);
  g_assert_cmpuint (config.train.seed, ==, G_MAXUINT64);
  g_assert_cmpfloat (config.train.lr_g, ==, 2e-4);
  g_assert_cmpfloat (config.train.gamma, ==, 0);
  g_assert_cmpint (config.train.strategy, ==, URB_STRATEGY_HOGWILD);
  g_assert_true (config.train.local_moments);
  g_assert_false (config.train.stale_lr);
  g_assert_cmpint (config.train.staleness, ==, 5);
  g_assert_cmpstr (config.train.sharing, ==, "file_system");
}

static void
test_ranges (gconstpointer data)
{
  const UrbSettingTable *table = tables[GPOINTER_TO_INT (data)].table;
  g_autofree char *fields = g_malloc0 (tables[GPOINTER_TO_INT (data)].size);

  urb_settings_reset (table, fields);
  for (guint i = 0; i < table->n_rows; i++)
    {
      const UrbSetting *row = &table->rows[i];
      double wrong[2] = { row->min - 2, row->max < G_MAXINT ? row->max + 1 : NAN };

      if (urb_setting_is_text (row) || row->max <= row->min)
        continue;
      for (int k = 0; k < 2; k++)
        {
          g_autoptr(GError) error = NULL;
          g_autofree char *name = urb_setting_dup_stored_name (row);
          g_autofree char *said = g_strconcat (name, " must be ", NULL);

          if (isnan (wrong[k]) ? row->type != URB_SETTING_DOUBLE
                               : wrong[k] < 0 && row->type == URB_SETTING_UINT64)
            continue;
          urb_setting_set_number (row, fields, wrong[k]);
          g_assert_false (urb_setting_check (table, row, fields, &error));
          g_assert_error (error, table->error_domain (), table->error_code);
          g_assert_true (g_str_has_prefix (error->message, said));
        }
      urb_setting_reset (row, fields);
    }
  urb_settings_clear (table, fields);
}

static void
test_wrong_texts (void)
{
  static const struct { const char *key, *text; } cases[] = {
    { "steps", "many" },     { "steps", "1.5" },   { "steps", "" },    { "seed", "-1" },
    { "lr-g", "fast" },      { "lr-g", "0.1x" },   { "batch", "99999999999" },
    { "strategy", "ddp:2" }, { "precision", "fp8" }, { "stale-lr", "perhaps" },
  };
  g_auto(UrbRunConfig) config = { 0 };

  urb_run_config_init (&config);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const UrbSetting *row = urb_settings_find (&urb_run_settings, cases[i].key);
      g_autofree char *file = g_strdup_printf ("[run]\n[train]\n%s=%s\n", row->key, cases[i].text);
      g_autofree char *name = urb_setting_dup_stored_name (row);
      g_autoptr(GError) error = NULL, in_file = NULL;

      g_assert_false (urb_setting_set_text (&urb_run_settings, row, &config, cases[i].text, &error));
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
      g_assert_false (urb_run_config_from_text (&config, file, &in_file));
      g_assert_error (in_file, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
      g_assert_true (g_str_has_prefix (in_file->message, name));
      g_assert_nonnull (strstr (in_file->message, cases[i].key));
      g_assert_nonnull (strstr (in_file->message, error->message));
      g_assert_false (urb_setting_is_set (row, &config)); /* untouched */
    }
}

/* A file that somebody wrote may leave out almost everything, but has nothing unknown. */
static void
test_written (void)
{
  static const struct { const char *text, *said; } wrong[] = {
    { "[run]\nsteps=20\n", "There is no setting [run] steps; write [train] steps." },
    { "[train]\ndevice=reference\n", "write [train] backend." },
    { "[train]\nsample-every=5\n", "write [run] sample_every." },
    { "[run]\nsample-every=5\n", "write [run] sample_every." },
    { "[train]\nlr_g=0.5\n", "write [train] lr-g." },
    { "[train]\nfull-lr=true\n", "write [train] stale-lr." },
    { "[train]\nmood=good\n", "There is no setting [train] mood; `urbarium-engine settings`" },
    { "[train]\nname=x\n", "There is no setting [train] name" },
    { "[trian]\nsteps=1\n", "There is no group [trian]" },
    { "steps=1\n", "" },
    { "[train]\nlr-g=fast\n", "[train] lr-g needs a number, not “fast”." },
    { "[run]\nkeep_checkpoints=-1\n", "[run] keep_checkpoints must be from 0 to " },
    { "[train]\nstrategy=ddp:2\nranks=3\n", "leave one of them out" },
    { "[train]\nstrategy=ddp:x\n", "from 1 to" },
  };
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) why = NULL;

      g_assert_false (urb_run_config_from_written_text (&config, wrong[i].text, &why));
      g_test_message ("%s", why->message);
      g_assert_nonnull (strstr (why->message, wrong[i].said));
    }
  g_assert_true (urb_run_config_from_written_text (
    &config, "[train]\nbackend=cuda:1\nstrategy=ddp:2\n", &error));
  g_assert_no_error (error);
  g_assert_cmpstr (config.train.backend, ==, "cuda:1");
  g_assert_cmpint (config.train.strategy, ==, URB_STRATEGY_DDP);
  g_assert_cmpint (config.train.n_ranks, ==, 2);
  g_assert_true (urb_run_config_from_written_text (&config, "[train]\nstrategy=dp\n", &error));
  g_assert_cmpint (config.train.n_ranks, ==, 0); /* to be asked for */
  g_assert_true (urb_run_config_from_written_text (&config, "[train]\nstrategy=dp\nranks=1\n", &error));
  g_assert_cmpint (config.train.n_ranks, ==, 1);
}

/* The file of a run is as strict: to ignore a setting would be to train something else. */
static void
test_own_file (void)
{
  static const struct { const char *text, *said; } cases[] = {
    { "[run]\nmood=good\n", "There is no setting [run] mood" },
    { "[run]\nname=x\n[train]\nlr_g=0.1\n", "write [train] lr-g." },
    { "[run]\nname=x\n[new]\nx=1\n", "There is no group [new]" },
    { "[run]\nformat=2\nengine=9.9\n", "It was written by Urbarium 9.9, and this is " URBARIUM_VERSION
                                        ". It has the format 2" },
    { "[run]\nformat=x\n", "It has the format x" },
    { "[run]\nengine=9.9\nmood=good\n", "It was written by Urbarium 9.9" },
    { "[run]\nname=x\nengine=0.0.1\n", NULL },
    { "[run]\nformat=1\n", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(UrbRunConfig) config = { 0 };
      g_autoptr(GError) why = NULL;

      g_assert_true (urb_run_config_from_text (&config, cases[i].text, &why) == (cases[i].said == NULL));
      if (why != NULL)
        g_assert_nonnull (strstr (why->message, cases[i].said));
    }
}

static void
test_changes (void)
{
  g_auto(UrbRunConfig) before = { 0 }, after = { 0 };
  g_autofree char *batch = NULL, *hosts = NULL, *same = NULL;

  urb_run_config_init (&before);
  urb_run_config_init (&after);
  before.train.batch = 16;
  after.train.batch = 32;
  after.hosts = g_strdup ("/a");
  batch = urb_setting_dup_change (urb_settings_find (&urb_run_settings, "batch"), &before, &after);
  hosts = urb_setting_dup_change (urb_settings_find (&urb_run_settings, "hosts"), &before, &after);
  same = urb_setting_dup_change (urb_settings_find (&urb_run_settings, "seed"), &before, &after);
  g_assert_cmpstr (batch, ==, "batch 16 -> 32");
  g_assert_cmpstr (hosts, ==, "hosts none -> /a");
  g_assert_null (same);
}

/* One check, wherever the settings come from. */
static void
test_check (void)
{
  static const struct { const char *text, *said; } cases[] = {
    { "[train]\nranks=4\n", "“single” is one process" },
    { "[train]\nstrategy=ddp\n", "How many ranks?" },
    { "[train]\nstaleness=3\n",
      "[train] staleness is a setting of hogwild and streams; the strategy is single." },
    { "[run]\nhosts=h\n[train]\nstrategy=dp:2\n", "[run] hosts is a setting of ddp" },
    { "[train]\nlr-g=3\n", "[train] lr-g must be above 0 and at most 1, and is 3." },
    { "[train]\nstrategy=hogwild:300\n", "at most 256 ranks" },
    { "[train]\nstrategy=ddp:2\nbatch=3\n", "cannot be split" },
    { "[run]\nhook-on=end,bests\n", "[run] hook-on has the event “bests”" },
    { "[train]\nstaleness=0\nlr-g=0\nbatch=0\n", NULL },
    { "[train]\nstrategy=streams:2\nstaleness=3\n", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto(UrbRunConfig) config = { 0 };
      g_autoptr(GError) error = NULL, why = NULL;

      urb_run_config_from_written_text (&config, cases[i].text, &error);
      g_assert_no_error (error);
      g_assert_true (urb_run_config_check (&config, &why) == (cases[i].said == NULL));
      if (why != NULL)
        g_assert_nonnull (strstr (why->message, cases[i].said));
    }
}

/* ------------------------------------------------------------------------ */
/* The command line                                                          */

static UrbSettingArgs *
parse (UrbSettingFlags command, const char *line, GError **error)
{
  g_autoptr(UrbSettingArgs) args = urb_setting_args_new (&urb_run_settings, command);
  g_autoptr(GOptionContext) context = g_option_context_new ("");
  g_auto(GStrv) argv = NULL;

  g_assert_true (g_shell_parse_argv (line, NULL, &argv, NULL));
  urb_setting_args_add (args, context);
  return g_option_context_parse_strv (context, &argv, error) ? g_steal_pointer (&args) : NULL;
}

static void
test_args (void)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSettingArgs) args
    = parse (URB_SETTING_TRAIN, "train --steps 12 --lr-g=0.5 --backend cuda --full-lr --no-sync-batch-norm",
             &error);
  g_auto(UrbRunConfig) read = { 0 };
  g_autofree char *text = NULL, *again = NULL;

  g_assert_no_error (error);
  urb_run_config_init (&config);
  g_assert_true (urb_setting_args_apply (args, &config, &error));
  g_assert_cmpint (config.train.n_steps, ==, 12);
  g_assert_cmpfloat (config.train.lr_g, ==, 0.5);
  g_assert_cmpstr (config.train.backend, ==, "cuda");
  g_assert_false (config.train.stale_lr);
  g_assert_false (config.train.sync_batch_norm);
  g_assert_cmpint (config.train.batch, ==, 0); /* not given */
  g_assert_false (urb_setting_args_given (args, "batch"));

  /* Whoever reads the file has the same settings. */
  text = urb_run_config_to_text (&config);
  g_assert_true (urb_run_config_from_written_text (&read, text, &error));
  g_assert_no_error (error);
  again = urb_run_config_to_text (&read);
  g_assert_cmpstr (again, ==, text);
  g_assert_nonnull (strstr (text, "\nbackend=cuda\n"));
  g_assert_nonnull (strstr (text, "\nsteps=12\n"));
  g_assert_nonnull (strstr (text, "\nlr-g=0.5\n"));
  g_assert_nonnull (strstr (text, "\nsync-batch-norm=false\n"));
  g_assert_nonnull (strstr (text, "\nstale-lr=false\n"));
}

/* What stands for "not set" is not for typing, unless it is in the range. */
static void
test_args_out_of_range (void)
{
  static const char *const lines[] = { "x --batch 0", "x --gamma -1", "x --lr-d 2", "x --steps -5",
                                       "x --bucket-mib 0", "x --ema-kimg nan", "x --channels 2",
                                       "x --channels 4", "x --channels -1", "x --lr-g 0", "x --lr-d 0",
                                       "x --lr-final 0", "x --beta2 0" };

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_auto(UrbRunConfig) config = { 0 };
      g_autoptr(GError) error = NULL;
      g_autoptr(UrbSettingArgs) args = parse (URB_SETTING_TRAIN, lines[i], &error);

      g_assert_no_error (error);
      urb_run_config_init (&config);
      g_assert_false (urb_setting_args_apply (args, &config, &error));
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
      g_assert_true (g_str_has_prefix (error->message, "--"));
    }
}

/* A command offers its own rows only. */
static void
test_args_of_commands (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbSettingArgs) resume = parse (URB_SETTING_RESUME, "x --lr-g 0.1", &error);
  UrbSettingArgs *none;

  g_assert_no_error (error);
  g_assert_nonnull (resume);
  none = parse (URB_SETTING_RESUME, "x --batch 4", &error);
  g_assert_null (none);
  g_assert_error (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION);
  g_clear_error (&error);
  none = parse (URB_SETTING_BENCH, "x --sharing file_system", &error); /* of hogwild alone */
  g_assert_null (none);
  g_assert_error (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 0; i < (int) G_N_ELEMENTS (tables); i++)
    {
      g_autofree char *rows = g_strdup_printf ("/settings/%s/rows", tables[i].name);
      g_autofree char *copies = g_strdup_printf ("/settings/%s/copies", tables[i].name);
      g_autofree char *ranges = g_strdup_printf ("/settings/%s/ranges", tables[i].name);

      g_test_add_data_func (rows, GINT_TO_POINTER (i), test_rows);
      g_test_add_data_func (copies, GINT_TO_POINTER (i), test_copies);
      g_test_add_data_func (ranges, GINT_TO_POINTER (i), test_ranges);
    }
  g_test_add_func ("/settings/run-ini", test_run_ini);
  g_test_add_func ("/settings/old-run-ini", test_old_run_ini);
  g_test_add_func ("/settings/wrong-texts", test_wrong_texts);
  g_test_add_func ("/settings/written", test_written);
  g_test_add_func ("/settings/own-file", test_own_file);
  g_test_add_func ("/settings/changes", test_changes);
  g_test_add_func ("/settings/check", test_check);
  g_test_add_func ("/settings/args", test_args);
  g_test_add_func ("/settings/args/out-of-range", test_args_out_of_range);
  g_test_add_func ("/settings/args/of-commands", test_args_of_commands);
  return g_test_run ();
}
