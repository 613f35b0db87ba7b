/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-report.c - the page of a run, read back as markup: it is well-formed, has what it should, and nothing that runs.
 */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/json-build.h"
#include "base/json-read.h"
#include "city/class-map.h"
#include "city/copying.h"
#include "dataset/dataset.h"
#include "dataset/sample-grid.h"
#include "made-up-run.h"
#include "report/debug-report.h"
#include "report/figures.h"
#include "report/hide.h"
#include "report/mlflow.h"
#include "report/page.h"
#include "report/repeat.h"
#include "report/report.h"
#include "settings/args.h"
#include "settings/recipe.h"

/* ------------------------------------------------------------------------ */
/* Reading a page                                                            */

typedef struct
{
  GString *text;     /* all that is shown, outside the style */
  GString *elements; /* "html head meta …" */
  guint    n_images, n_curves;
  gboolean in_style;
} Seen;

static void
element_cb (GMarkupParseContext *context, const char *name, const char **names, const char **values, gpointer user_data,
            GError **error)
{
  Seen *self = user_data;

  g_string_append_printf (self->elements, "%s ", name);
  self->in_style = strcmp (name, "style") == 0;
  for (int i = 0; names[i] != NULL; i++)
    {
      g_assert_false (g_str_has_prefix (names[i], "on"));
      if (strcmp (names[i], "src") == 0)
        g_assert_true (g_str_has_prefix (values[i], "data:image/png;base64,iVBOR"));
      if (strcmp (names[i], "d") == 0)
        g_assert_null (strchr (values[i], 'n')); /* "nan" or "inf" */
      self->n_images += strcmp (names[i], "src") == 0;
      self->n_curves += strcmp (names[i], "class") == 0 && g_str_has_prefix (values[i], "line line");
    }
}

static void
end_cb (GMarkupParseContext *context, const char *name, gpointer user_data, GError **error)
{
  ((Seen *) user_data)->in_style = FALSE;
}

static void
text_cb (GMarkupParseContext *context, const char *text, gsize n, gpointer user_data, GError **error)
{
  Seen *self = user_data;

  if (!self->in_style)
    g_string_append_len (self->text, text, (gssize) n);
  g_string_append_c (self->text, '\n');
}

static Seen
read_page (const char *html)
{
  static const GMarkupParser parser = { element_cb, end_cb, text_cb, NULL, NULL };
  Seen seen = { g_string_new (NULL), g_string_new (NULL), 0, 0, FALSE };
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, &seen, NULL);
  const char *root = strstr (html, "<html");
  g_autoptr(GError) error = NULL;

  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>\n"));
  g_assert_nonnull (root);
  g_assert_true (g_markup_parse_context_parse (context, root, -1, &error)
                 && g_markup_parse_context_end_parse (context, &error));
  g_assert_no_error (error);
  g_assert_null (strstr (seen.elements->str, "script "));
  g_assert_null (strstr (seen.elements->str, "link "));
  g_assert_null (strstr (html, "url("));
  g_markup_parse_context_free (context);
  return seen;
}

static void
clear_seen (Seen *self)
{
  g_string_free (self->text, TRUE);
  g_string_free (self->elements, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Seen, clear_seen)

static Seen
make_page_with (RunTest *t, const UrbEnergyPrice *price)
{
  g_autoptr(GError) error = NULL;
  gboolean has_energy;
  g_autofree char *html = urb_report_new (t->run, price, &has_energy, &error);

  g_assert_no_error (error);
  g_assert_cmpint (has_energy, ==, strstr (html, "<dt>Energy") != NULL);
  g_assert_null (strstr (html, t->base)); /* no path beyond the names of files */
  return read_page (html);
}

static Seen
make_page (RunTest *t)
{
  return make_page_with (t, NULL);
}

static void
assert_shows (const Seen *seen, const char *text)
{
  if (strstr (seen->text->str, text) == NULL)
    g_error ("'%s' is not in the page: %s", text, seen->text->str);
}

static void
assert_hides (const Seen *seen, const char *text)
{
  if (strstr (seen->text->str, text) != NULL)
    g_error ("'%s' is in the page", text);
}

/* ------------------------------------------------------------------------ */

static void
change (UrbRunConfig *config)
{
  config->name = g_strdup ("<script>alert(1)</script> & “Töss”");
  config->hook = g_strdup ("https://example.org/?key=s3cret");
  config->train.seed = 42;
  config->train.lr_g = 0.003;
}

static void
test_whole (RunTest *t, gconstpointer data)
{
  g_auto(Seen) seen = { 0 };

  made_up_run_write (t, change);
  made_up_run_sql (t, "INSERT INTO event SELECT max(seq) + 1000, time, 'warning', '<i>', 7, 'Weights <b>are</b> large' FROM event");
  seen = make_page (t);
  assert_shows (&seen, "<script>alert(1)</script> & “Töss”");
  assert_shows (&seen, "Weights <b>are</b> large");
  assert_hides (&seen, "s3cret");
  assert_shows (&seen, "finished");
  assert_shows (&seen, "6,400");  /* images */
  assert_shows (&seen, "160");    /* images per second */
  assert_shows (&seen, "at step 100; lower is better; 1: like real areas");
  assert_shows (&seen, "0.8 times as far");
  assert_shows (&seen, "newest, step 400");
  assert_shows (&seen, "25 % of its cities");
  assert_shows (&seen, "32 for training");
  assert_shows (&seen, "40 squares of 250 x 250 m, tiles of 16 pixels");
  assert_shows (&seen, "GPU & co: 0.000278 kWh in 5 s, 200 W on average");
  assert_shows (&seen, "Abacus (cpu), fp32");
  assert_shows (&seen, "urbarium-engine train --dataset areas.gpkg --steps 400 --seed 42 --lr-g 0.003");
  g_assert_cmpuint (seen.n_images, ==, 1 + 32 + 3); /* the newest grid, real areas, grids through time */
  g_assert_cmpuint (seen.n_curves, ==, 2 + 2 + 6 + 1);
}

/* What is not there is left out. */
static void
test_sparse (RunTest *t, gconstpointer data)
{
  g_auto(Seen) seen = { 0 };
  g_autofree char *dataset = g_build_filename (t->base, "areas.gpkg", NULL);

  made_up_run_write (t, NULL);
  made_up_run_sql (t, "DELETE FROM score; DELETE FROM gpu; DELETE FROM step; DELETE FROM sample");
  run_test_delete (dataset);
  seen = make_page (t);
  g_assert_cmpuint (seen.n_images, ==, 0);
  g_assert_cmpuint (seen.n_curves, ==, 0);
  assert_shows (&seen, "The dataset is no longer where it was");
  assert_hides (&seen, "Realism");
  assert_hides (&seen, "Nearest");
  assert_hides (&seen, "Energy");
  assert_hides (&seen, "energy");
  assert_hides (&seen, "What happened");
}

/* Of a kilowatt that was drawn for five seconds. */
static void
test_cost (RunTest *t, gconstpointer data)
{
  const UrbEnergyPrice price = { 0.3, "CHF<b>" }, nameless = { 1000, NULL };
  g_auto(Seen) seen = { 0 }, unpriced = { 0 }, plain = { 0 };

  made_up_run_write (t, NULL);
  made_up_run_sql (t, "UPDATE gpu SET power_w = 1000");
  unpriced = make_page (t);
  assert_shows (&unpriced, "0.00139 kWh");
  assert_hides (&unpriced, "Cost");
  seen = make_page_with (t, &price);
  assert_shows (&seen, "Cost of this energy");
  assert_shows (&seen, "CHF<b> 0.000417, at CHF<b> 0.3 per kWh");
  plain = make_page_with (t, &nameless);
  assert_shows (&plain, "1.39, at 1,000 per kWh");
}

/* Of a run whose processors tell theirs, alone or beside those of GPUs. */
static void
test_processors (RunTest *t, gconstpointer data)
{
  const UrbEnergyPrice price = { 0.3, "CHF" };
  g_auto(Seen) both = { 0 }, alone = { 0 };

  made_up_run_write (t, NULL);
  made_up_run_sql (t, "INSERT INTO energy VALUES (100001, 0, 1800, 5), (100002, 0, 1800, 5)");
  both = make_page_with (t, &price);
  assert_shows (&both, "0.00128 kWh");
  assert_shows (&both, "CHF 0.000383");
  assert_shows (&both, "0.001 kWh in 10 s, 360 W on average, with all other programs of the machine");
  made_up_run_sql (t, "DELETE FROM gpu");
  alone = make_page_with (t, &price);
  assert_shows (&alone, "Energy of the processors");
  assert_shows (&alone, "CHF 0.0003, at CHF 0.3 per kWh");
  assert_hides (&alone, "GPU");
}

/* A run of unknown energy, of which a price was asked. */
static void
test_no_cost (RunTest *t, gconstpointer data)
{
  const UrbEnergyPrice price = { 0.3, "CHF" };
  g_auto(Seen) seen = { 0 };

  made_up_run_write (t, NULL);
  made_up_run_sql (t, "DELETE FROM gpu");
  seen = make_page_with (t, &price);
  assert_shows (&seen, "the energy of this run was not recorded");
  assert_hides (&seen, "CHF");
}

static void
test_price (void)
{
  static const struct { UrbEnergyPrice price; gboolean good; } cases[] = {
    { { 0.3, "CHF" }, TRUE }, { { 0.3, "€" }, TRUE }, { { 1e-9, NULL }, TRUE }, { { 0, "CHF" }, FALSE }, { { -1, "CHF" }, FALSE },
    { { INFINITY, "CHF" }, FALSE }, { { NAN, NULL }, FALSE }, { { 0.3, "Swiss francs" }, FALSE }, { { 0.3, "C F" }, FALSE }, { { 0.3, "" }, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_cmpint (urb_energy_price_check (&cases[i].price, &error), ==, cases[i].good);
      g_assert_cmpint (error == NULL, ==, cases[i].good);
    }
}

/* A grid whose first city is a real area, turned, and whose others are empty. */
static void
test_nearest (RunTest *t, gconstpointer data)
{
  enum { EDGE = 8, SIZE = 16, N = EDGE * EDGE };
  g_auto(Seen) seen = { 0 };
  g_autofree char *areas = g_build_filename (t->base, "areas.gpkg", NULL), *name = urb_run_sample_name (400);
  g_autofree char *sample = g_build_filename (t->run, name, NULL);
  g_autofree guint8 *levels = g_new0 (guint8, N * SIZE * SIZE * 3), *turned = g_new (guint8, SIZE * SIZE * 3);
  g_autoptr(UrbDataset) dataset = NULL;
  const gint64 *train;
  gint64 n;

  made_up_run_write (t, NULL);
  dataset = urb_dataset_open (areas, NULL);
  g_assert_nonnull (dataset);
  train = urb_dataset_get_split (dataset, URB_SPLIT_TRAIN, &n);
  for (gsize i = 0; i < N * SIZE * SIZE; i++)
    levels[3 * i + URB_CLASS_OTHER] = 255;
  g_assert_true (urb_dataset_read_tile (dataset, train[5], SIZE, turned, NULL));
  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      memcpy (levels + 3 * (y * SIZE + x), turned + 3 * (x * SIZE + SIZE - 1 - y), 3);
  g_assert_true (urb_sample_grid_write_png (sample, levels, N, SIZE, 3, EDGE, urb_sample_grid_choose_scale (SIZE), NULL));
  seen = make_page (t);
  assert_shows (&seen, "64 cities of the newest grid were compared with 32 areas");
  assert_shows (&seen, "City 1 and a real area: 100 % repeated");
  assert_shows (&seen, urb_copying_alone_text);
  assert_hides (&seen, "City 2 and");
  g_assert_cmpuint (seen.n_images, ==, 1 + 32 + 3 + 2);
}

/* Numbers that no run writes, and a sample grid that is no image. */
static void
test_odd (RunTest *t, gconstpointer data)
{
  g_auto(Seen) seen = { 0 };
  g_autofree char *name = urb_run_sample_name (200), *sample = g_build_filename (t->run, name, NULL);

  made_up_run_write (t, NULL);
  made_up_run_sql (t, "UPDATE step SET step = 9223372036854775807, images = -9223372036854775807 WHERE step = 400;"
                      "UPDATE step SET step = -9223372036854775807, images = 9223372036854775807, seconds = -1e308 WHERE step = 399;"
                      "UPDATE step SET loss_d = 1e308, loss_g = -1e308, grad_norm_g = 1e-320 WHERE step < 300;"
                      "UPDATE score SET score = 1e308, pixels = -1, precision = 1e300;"
                      "UPDATE event SET time = 1e300, text = CAST(x'ff3c00' AS TEXT);"
                      "UPDATE gpu SET power_w = -1e308");
  g_assert_true (g_file_set_contents (sample, "<svg onload=alert(1)>", -1, NULL));
  seen = make_page (t);
  g_assert_cmpuint (seen.n_images, ==, 1 + 32 + 2);
}

static void
test_missing (RunTest *t, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  g_assert_null (urb_report_new (t->run, NULL, NULL, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, t->run));
}

/* ------------------------------------------------------------------------ */
/* The command                                                               */

/* Reads the options of @command as `train` does, and compares all settings. */
static void
assert_repeats (const char *command, const UrbRunConfig *config)
{
  g_autoptr(UrbSettingArgs) args = urb_setting_args_new (&urb_run_settings, URB_SETTING_TRAIN);
  g_autoptr(GOptionContext) context = g_option_context_new (NULL);
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_autoptr(GError) error = NULL;
  g_autofree char *run = NULL;
  const GOptionEntry entries[] = { { "run", 0, 0, G_OPTION_ARG_FILENAME, &run, NULL, NULL }, G_OPTION_ENTRY_NULL };
  g_auto(UrbRunConfig) again = { 0 };
  g_auto(GStrv) argv = NULL;
  int argc;

  g_assert_true (g_shell_parse_argv (command, &argc, &argv, &error));
  g_assert_cmpstr (argv[0], ==, "urbarium-engine");
  g_assert_cmpstr (argv[1], ==, "train");
  g_option_context_add_main_entries (context, entries, NULL);
  urb_setting_args_add (args, context);
  g_assert_true (g_option_context_parse_strv (context, &argv, &error));
  g_assert_cmpuint (g_strv_length (argv), ==, 2);
  urb_run_config_init (&again);
  g_assert_true (urb_setting_args_apply (args, &again, &error) && urb_recipe_resolve (&again.train, preset, 3, &error));
  g_assert_cmpstr (run, ==, "It’s a run");
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      g_autofree char *a = urb_repeat_dup_value (setting, config), *b = urb_repeat_dup_value (setting, &again);

      if ((setting->flags & URB_SETTING_SECRET) == 0)
        g_assert_cmpstr (a, ==, b);
    }
}

static void
test_command (void)
{
  static const char *const values[][2] = {
    { "seed", "18446744073709551615" },
    { "batch", "48" },
    { "lr-d", "0.0001234567890123" },
  };
  g_autoptr(UrbPreset) preset = urb_preset_load ("tiny", NULL);
  g_auto(UrbRunConfig) config = { 0 }, chosen = { 0 };
  g_autofree char *command = NULL, *plain = NULL;
  g_autoptr(GError) error = NULL;

  urb_run_config_init (&config);
  config.train.dataset = g_strdup ("/home/ada/My areas.gpkg");
  g_assert_true (urb_recipe_resolve (&config.train, preset, 3, &error));
  urb_repeat_find_chosen (&config, NULL, &chosen);
  plain = urb_repeat_dup_command (&chosen, "It’s a run");
  g_assert_cmpstr (plain, ==, "urbarium-engine train --dataset 'My areas.gpkg' --run 'It’s a run'");
  assert_repeats (plain, &config);

  urb_run_config_set_strategy (&config, URB_STRATEGY_DDP, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_true (urb_setting_set_text (&urb_run_settings, urb_settings_find (&urb_run_settings, values[i][0]), &config,
                                         values[i][1], &error));
  config.hook = g_strdup ("curl s3cret");
  config.tensorboard = TRUE;
  config.train.sync_batch_norm = FALSE;
  urb_repeat_find_chosen (&config, NULL, &chosen);
  command = urb_repeat_dup_command (&chosen, "It’s a run");
  g_assert_null (strstr (command, "s3cret"));
  g_assert_null (strstr (command, "ada"));
  assert_repeats (command, &config);
}

/* ------------------------------------------------------------------------ */
/* Hiding                                                                    */

static void
test_hide (void)
{
  static const struct { const char *text, *hidden; } cases[] = {
    { "Cannot read '/home/ada lovelace/maps/town.gpkg'", "Cannot read '~/maps/town.gpkg'" },
    { "/home/ada lovelaces/x", "…/ada lovelaces/x" }, /* somebody else */
    { "Saved “/mnt/Client A/maps/town.gpkg” in 3 s", "Saved “…/town.gpkg” in 3 s" },
    { "open /srv/secret/town.gpkg: 3/4 of and/or 1.5 m/s", "open …/town.gpkg: 3/4 of and/or 1.5 m/s" },
    { "https://a:b@example.org/x?key=1 and postgresql://db", "https://(hidden) and postgresql://(hidden)" },
    { "PG:host=db user=x password=y\nnext", "PG:(hidden)\nnext" },
    { "password = \"with spaces\"; token: abc, {\"api_key\": \"x\"}", "password = (hidden); token: (hidden), {\"api_key\": (hidden)}" },
    { "Authorization: Bearer eyJhbGciOi", "Authorization: (hidden) (hidden)" },
    { "by lovelace on lovelace-laptop, not lovelaces", "by USER on USER-laptop, not lovelaces" },
    { "step 100: loss 1.5 (all keys of a map)", "step 100: loss 1.5 (all keys of a map)" },
    { "\xff<", "\xef\xbf\xbd<" },
    { "", "" },
  };
  g_autoptr(UrbHider) hider = urb_hider_new (NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *hidden = urb_hider_hide (hider, cases[i].text);

      g_assert_cmpstr (hidden, ==, cases[i].hidden);
    }
}

/* ------------------------------------------------------------------------ */
/* The archive                                                               */

/* What tar reads, with the names of the files. */
static char *
unpack (const char *path, GBytes *bytes)
{
  const char *argv[] = { "tar", "-xzvOf", path, NULL };
  g_autofree char *out = NULL, *err = NULL;
  g_autoptr(GError) error = NULL;
  int status;

  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), &error));
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status, &error));
  g_assert_cmpint (status, ==, 0);
  return g_strconcat (err, out, NULL); /* with -O, the names are on standard error */
}

static char *
report_problem (RunTest *t, const char *run)
{
  g_autofree char *path = g_build_filename (t->base, "problem.tar.gz", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) bytes = urb_debug_report_new (run, "{\"cpu\": \"Abacus\"}", &error);

  g_assert_no_error (error);
  return unpack (path, bytes);
}

static void
plant (UrbRunConfig *config)
{
  config->name = g_strdup ("Town of lovelace");
  config->hook = g_strdup ("curl -H 'X-Auth: q9w8e7r6' 'https://ada:p4ssw0rd@hooks.example.org/T0K3NPATH?key=abc123def'");
  config->hosts = g_strdup ("/srv/Client A/hosts.txt");
  config->token_file = g_strdup ("/home/ada lovelace/token.txt");
}

static void
test_no_secrets (RunTest *t, gconstpointer data)
{
  static const char *const secrets[] = { "lovelace", "q9w8e7r6", "p4ssw0rd", "hooks.example.org", "T0K3NPATH", "abc123def",
                                         "geheim123", "hunter22", "db.example.org", "Client A", "/srv", "/mnt" };
  static const char *const told[] = { "urbarium-debug-report/versions.txt\n", "urbarium-debug-report/log.txt\n",
                                      "Urbarium " URBARIUM_VERSION, "Abacus", "State: finished", "Step: 400", "dataset=areas.gpkg",
                                      "name=Town of USER", "hook=(hidden)", "hosts=hosts.txt", "token-file=token.txt",
                                      "town.gpkg", "~/maps/own.gpkg", "PG:(hidden)", "the worker says", "samples/step-000000200.png" };
  g_autofree char *log = g_build_filename (t->run, "log", NULL), *text = NULL;
  g_autoptr(GString) lines = g_string_new (NULL);

  made_up_run_write (t, plant);
  made_up_run_sql (t, "INSERT INTO event SELECT max(seq) + 1000, time, 'error', 'failed', 7, "
                      "'Cannot read PG:host=db.example.org user=ada password=geheim123' FROM event");
  for (int i = 0; i < 4000; i++)
    g_string_append_printf (lines, "%d: password=geheim123 '/mnt/Client A/x y/town.gpkg' and half of all is cut off here\n", i);
  g_string_append (lines, "the worker says: q9w8e7r6 at /home/ada lovelace/maps/own.gpkg postgresql://ada:hunter22@db.example.org/x\n");
  g_assert_true (g_file_set_contents (log, lines->str, -1, NULL));
  text = report_problem (t, t->run);
  for (gsize i = 0; i < G_N_ELEMENTS (secrets); i++)
    if (strstr (text, secrets[i]) != NULL)
      g_error ("%s is in the archive: %s", secrets[i], text);
  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    if (strstr (text, told[i]) == NULL)
      g_error ("%s is not in the archive: %s", told[i], text);
  g_assert_null (strstr (text, t->base));
  g_assert_null (strstr (text, "PNG"));
  g_assert_null (strstr (text, "SQLite"));
  g_assert_cmpuint (strlen (text), <, 600 * 1024);
}

/* The message about a damaged line would quote it, and the log the hook, which is in no configuration then. */
static void
test_no_secrets_of_damaged (RunTest *t, gconstpointer data)
{
  g_autofree char *ini = g_build_filename (t->run, "run.ini", NULL), *log = g_build_filename (t->run, "log", NULL);
  g_autofree char *text = NULL, *before = NULL, *broken = NULL;

  made_up_run_write (t, plant);
  g_assert_true (g_file_get_contents (ini, &before, NULL, NULL));
  broken = g_strconcat (before, "garbage q9w8e7r6 line\n", NULL);
  g_assert_true (g_file_set_contents (ini, broken, -1, NULL));
  g_assert_true (g_file_set_contents (log, "the hook curl -H 'X-Auth: q9w8e7r6' "
                                           "'https://ada:p4ssw0rd@hooks.example.org/T0K3NPATH?key=abc123def' failed\n", -1, NULL));
  text = report_problem (t, t->run);
  g_assert_nonnull (strstr (text, "cannot be read"));
  g_assert_null (strstr (text, "q9w8e7r6"));
  g_assert_null (strstr (text, "p4ssw0rd"));
  g_assert_null (strstr (text, "T0K3NPATH"));
}

/* A run of which nothing can be read is what problems are reported of. */
static void
test_damaged (RunTest *t, gconstpointer data)
{
  static const char *const names[] = { "run.ini", "run.db", "log" };
  g_autofree char *text = NULL, *alone = report_problem (t, NULL);
  g_autoptr(GError) error = NULL;

  g_assert_nonnull (strstr (alone, "devices.json"));
  g_assert_null (strstr (alone, "run.ini"));
  g_assert_null (urb_debug_report_new (t->run, "", &error));
  g_assert_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER);
  made_up_run_write (t, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (t->run, names[i], NULL);

      g_assert_true (g_file_set_contents (path, "hook=s3cret", -1, NULL));
    }
  text = report_problem (t, t->run);
  g_assert_null (strstr (text, "s3cret"));
  g_assert_nonnull (strstr (text, "Has a supervisor: no"));
  g_assert_nonnull (strstr (text, "run.txt"));
}

/* ------------------------------------------------------------------------ */
/* Figures                                                                   */

static gboolean
collect_cb (const char *text, gsize n_bytes, gpointer user_data, GError **error)
{
  g_string_append_len (user_data, text, (gssize) n_bytes);
  return TRUE;
}

static gboolean
full_cb (const char *text, gsize n_bytes, gpointer user_data, GError **error)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "full");
  return FALSE;
}

/* Each value is that of run.db, bit for bit, and empty where that is NULL.
 * @row: of a table with the columns @names */
static void
assert_equal_row (char **names, char **values, sqlite3_stmt *row)
{
  g_assert_cmpuint (g_strv_length (values), ==, g_strv_length (names));
  for (int i = 0; names[i] != NULL; i++)
    if (sqlite3_column_type (row, i) == SQLITE_NULL)
      g_assert_cmpstr (values[i], ==, "");
    else
      {
        double value = g_ascii_strtod (values[i], NULL), stored = sqlite3_column_double (row, i);

        g_assert_cmpstr (values[i], !=, "");
        g_assert_cmpmem (&value, sizeof value, &stored, sizeof stored);
      }
}

/* The only name that is another one in run.db. */
static const char *
get_column (const char *name)
{
  return strcmp (name, "scoring_seconds") == 0 ? "score.seconds" : name;
}

static void
test_figures (RunTest *t, gconstpointer data)
{
  g_autoptr(GString) csv = g_string_new (NULL), sql = g_string_new ("SELECT step.step");
  g_autofree char *path = g_build_filename (t->run, "run.db", NULL);
  g_autoptr(UrbRunDb) db = NULL;
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) lines = NULL, names = NULL;
  sqlite3 *raw = NULL;
  sqlite3_stmt *row = NULL;
  guint n = 1;

  made_up_run_write (t, NULL);
  made_up_run_sql (t, "DELETE FROM step WHERE step = 100 OR step > 398"); /* both scores lose their step */
  made_up_run_sql (t, "UPDATE score SET step = 399 WHERE step = 400; INSERT INTO score SELECT max(seq) + 500, time, 7, seconds, 0.1 + 0.2,"
                      " 1.0 / 3, NULL, 5e-324, 1.7976931348623157e308, blocks, blocks, precision, recall, 5 FROM score");
  db = urb_run_db_open_reader (path, &error);
  g_assert_true (urb_figures_write (db, collect_cb, csv, &error));
  g_assert_no_error (error);
  lines = g_strsplit (csv->str, "\n", -1);
  names = g_strsplit (lines[0], ",", -1);
  for (int i = 1; names[i] != NULL; i++)
    g_string_append_printf (sql, ", %s%s", i < 4 ? "step." : "", get_column (names[i]));
  g_string_append (sql, " FROM step LEFT JOIN score ON score.step = step.step UNION ALL SELECT score.step");
  for (int i = 1; names[i] != NULL; i++)
    g_string_append_printf (sql, ", %s", i < 4 + URB_N_METRICS ? "NULL" : get_column (names[i]));
  g_string_append (sql, " FROM score WHERE step NOT IN (SELECT step FROM step) ORDER BY 1");
  g_assert_cmpint (sqlite3_open (path, &raw), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (raw, sql->str, -1, &row, NULL), ==, SQLITE_OK);
  for (; sqlite3_step (row) == SQLITE_ROW; n++)
    {
      g_auto(GStrv) values = g_strsplit (lines[n], ",", -1);

      assert_equal_row (names, values, row);
    }
  g_assert_cmpuint (n, ==, 1 + 397 + 2);
  g_assert_cmpstr (lines[n], ==, "");
  sqlite3_finalize (row);
  sqlite3_close (raw);
  g_assert_false (urb_figures_write (db, full_cb, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
}

/* ------------------------------------------------------------------------ */
/* MLflow                                                                    */

/* A server, as far as a run needs it. */
typedef struct
{
  GString    *calls;    /* "POST runs/create", … */
  GHashTable *metrics;  /* (element-type utf8): "train/loss_d 17 0.3" */
  GString    *params;   /* bodies with parameters */
  int         fails_at; /* that call is refused; -1: none */
  int         n_calls;
} FakeServer;

static void
take_metrics (FakeServer *self, JsonArray *metrics)
{
  g_assert_cmpuint (json_array_get_length (metrics), <=, 1000);
  for (guint i = 0; i < json_array_get_length (metrics); i++)
    {
      JsonObject *metric = json_array_get_object_element (metrics, i);
      char *key = g_strdup_printf ("%s %" G_GINT64_FORMAT " %.17g", urb_json_get_string (metric, "key", ""),
                                   urb_json_get_int (metric, "step", -1), urb_json_get_double (metric, "value", NAN));

      g_assert_cmpint (urb_json_get_int (metric, "timestamp", 0), >, G_GINT64_CONSTANT (1000000000000));
      g_assert_true (g_hash_table_add (self->metrics, key)); /* nothing twice */
    }
}

static JsonObject *
fake_server_cb (const UrbMlflowRequest *request, gpointer user_data, GError **error)
{
  static const struct { const char *path, *answer; } answers[] = {
    { "experiments/create", "{\"experiment_id\":\"7\"}" },
    { "runs/create", "{\"run\":{\"info\":{\"run_id\":\"abc\",\"artifact_uri\":\"mlflow-artifacts:/7/abc/artifacts\"}}}" },
  };
  FakeServer *self = user_data;
  const char *path = g_str_has_prefix (request->path, "api/2.0/mlflow/") ? request->path + 15 : request->path;
  JsonObject *body;

  if (self->n_calls++ == self->fails_at)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "busy");
      return NULL;
    }
  g_string_append_printf (self->calls, "%s %s\n", request->method, path);
  if (g_str_equal (request->method, "GET"))
    {
      g_set_error_literal (error, G_IO_ERROR, URB_MLFLOW_MISSING, "no such experiment");
      return NULL;
    }
  body = g_str_equal (request->method, "POST") ? urb_json_read_object (request->bytes, request->n_bytes, NULL) : NULL;
  if (urb_json_get_array (body, "metrics") != NULL)
    take_metrics (self, urb_json_get_array (body, "metrics"));
  if (urb_json_get_array (body, "params") != NULL)
    g_string_append_len (self->params, request->bytes, (gssize) request->n_bytes);
  g_clear_pointer (&body, json_object_unref);
  for (gsize i = 0; i < G_N_ELEMENTS (answers); i++)
    if (g_str_equal (path, answers[i].path))
      return urb_json_read_object (answers[i].answer, strlen (answers[i].answer), NULL);
  return json_object_new ();
}

static void
add_hook (UrbRunConfig *config)
{
  config->hook = g_strdup ("https://example.org/?key=s3cret");
}

/* It stops where the server fails, goes on there, and sends nothing twice. */
static void
test_mlflow (RunTest *t, gconstpointer data)
{
  enum { N_SCORED = 2 * (URB_N_SCORES - 1) }; /* one of each score is unknown */
  g_autoptr(GString) calls = g_string_new (NULL), params = g_string_new (NULL);
  g_autoptr(GHashTable) metrics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  FakeServer server = { calls, metrics, params, .fails_at = 6 };
  UrbMlflowOptions options = { .run = t->run, .server = "http://localhost:5000", .experiment = "A & B", .every = 1 };
  g_auto(UrbMlflowSummary) summary = { 0 }, again = { 0 };
  g_autoptr(GError) error = NULL;

  made_up_run_write (t, add_hook);
  g_assert_false (urb_mlflow_send (&options, fake_server_cb, &server, &summary, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_clear_error (&error);
  g_assert_true (g_str_has_prefix (calls->str, "GET experiments/get-by-name?experiment_name=A%20%26%20B\nPOST experiments/create\n"
                                               "POST runs/create\nPOST runs/log-batch\n"));
  g_assert_nonnull (strstr (params->str, "{\"key\":\"steps\",\"value\":\"400\"}"));
  g_assert_null (strstr (params->str, "s3cret"));
  urb_mlflow_summary_clear (&summary);
  g_assert_true (urb_mlflow_send (&options, fake_server_cb, &server, &summary, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (summary.run_id, ==, "abc");
  g_assert_cmpuint (g_hash_table_size (metrics), ==, 400 * (URB_N_METRICS + 2) - 1 + N_SCORED);
  g_assert_true (g_hash_table_contains (metrics, "score/score 100 0.80000000000000004"));
  g_assert_nonnull (strstr (calls->str, "PUT api/2.0/mlflow-artifacts/artifacts/7/abc/artifacts/samples/"));
  g_assert_true (g_str_has_suffix (calls->str, "POST runs/update\n"));
  g_string_truncate (calls, 0);
  g_assert_true (urb_mlflow_send (&options, fake_server_cb, &server, &again, &error));
  g_assert_cmpint (again.n_metrics + again.n_images, ==, 0);
  g_assert_cmpstr (calls->str, ==, "");
}

/* Whether it is the one that has the run does not depend on who asks. */
static void
test_mlflow_same_server (RunTest *t, gconstpointer data)
{
  static const struct { const char *address; gboolean is_known; } cases[] = {
    { "HTTPS://ada:s3cret@host/a%20b/", FALSE }, { "https://ada:n3w@host:443/a%20b", TRUE }, { "https://tök:én@host/a%20b//", TRUE },
    { "http://host/a%20b", FALSE }, { "http://host:5000/a%20b", FALSE }, { "http://host:5000/", FALSE },
    { "http://b@d:p@ss@host:5000", TRUE }, { "http://other:5000", FALSE }, { "http://[::1]:5000", FALSE }, { "http://x:y@[::1]:5000/", TRUE },
  };
  static const char *const wrong[] = { "http://ada:s3cret/@host", "http://host/?token=s3cret", "http://host/#s3cret" };
  g_autoptr(GString) calls = g_string_new (NULL), params = g_string_new (NULL);
  g_autofree char *path = g_build_filename (t->run, "mlflow.ini", NULL);
  UrbMlflowOptions options = { .run = t->run, .experiment = "A", .every = 1 };
  g_autoptr(GError) error = NULL;
  GStatBuf info;

  made_up_run_write (t, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GHashTable) metrics = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      FakeServer server = { calls, metrics, params, .fails_at = -1 };
      g_auto(UrbMlflowSummary) summary = { 0 };
      g_autofree char *state = NULL;

      options.server = cases[i].address;
      g_assert_true (urb_mlflow_send (&options, fake_server_cb, &server, &summary, &error));
      g_assert_cmpint (summary.n_metrics == 0, ==, cases[i].is_known);
      g_assert_true (g_file_get_contents (path, &state, NULL, NULL));
      g_assert_null (strchr (state, '@'));
      g_assert_null (strstr (state, "s3cret"));
      g_assert_cmpint (g_stat (path, &info), ==, 0);
      g_assert_cmpint (info.st_mode & 0777, ==, 0600);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr(GError) refusal = NULL;

      options.server = wrong[i];
      g_assert_false (urb_mlflow_send (&options, fake_server_cb, NULL, &(UrbMlflowSummary) { 0 }, &refusal));
      g_assert_error (refusal, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
      g_assert_null (strstr (refusal->message, "s3cret"));
    }
}

/* A server on this machine, which answers once, and what it was asked. */
typedef struct
{
  GSocketListener *listener; /* owned */
  GCancellable    *end;      /* owned: of waiting */
  GString         *request;  /* owned: the lines before the body */
} OneAnswer;

static gpointer
answer_cb (gpointer data)
{
  static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
  OneAnswer *self = data;
  g_autoptr(GSocketConnection) connection = g_socket_listener_accept (self->listener, NULL, self->end, NULL);
  g_autoptr(GDataInputStream) in = NULL;
  char *line;

  if (connection == NULL)
    return NULL;
  in = g_data_input_stream_new (g_io_stream_get_input_stream (G_IO_STREAM (connection)));
  while ((line = g_data_input_stream_read_line (in, NULL, NULL, NULL)) != NULL && *g_strchomp (line) != '\0')
    {
      g_string_append_printf (self->request, "%s\n", line);
      g_free (line);
    }
  g_free (line);
  g_output_stream_write_all (g_io_stream_get_output_stream (G_IO_STREAM (connection)), answer, strlen (answer), NULL, NULL, NULL);
  return NULL;
}

/* What curl sends to a server whose address has @before and @after around "127.0.0.1:port". */
static char *
dup_request (const char *before, const char *after)
{
  const UrbMlflowRequest request = { .method = "GET", .path = "api" };
  g_autoptr(GSocketListener) listener = g_socket_listener_new ();
  g_autoptr(GCancellable) end = g_cancellable_new ();
  OneAnswer self = { listener, end, g_string_new (NULL) };
  guint16 port = g_socket_listener_add_any_inet_port (listener, NULL, NULL);
  g_autofree char *server = g_strdup_printf ("%s127.0.0.1:%u%s", before, port, after);
  GThread *thread = g_thread_new ("answer", answer_cb, &self);
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonObject) answer = urb_mlflow_http_call (&request, server, &error);

  g_cancellable_cancel (end);
  g_thread_join (thread);
  g_assert_no_error (error);
  return g_string_free (self.request, FALSE);
}

static void
assert_sends_rights (const char *request, const char *user)
{
  g_autofree char *coded = g_base64_encode ((const guchar *) user, strlen (user));
  g_autofree char *line = g_strdup_printf ("\nAuthorization: Basic %s\n", coded);

  if (strstr (request, line) == NULL)
    g_error ("%s is not in %s", line, request);
}

/* Letters of all languages, and what the options of curl have a meaning for. */
static void
test_mlflow_secrets (void)
{
  g_autofree char *curl = g_find_program_in_path ("curl"), *password = NULL, *token = NULL, *address = NULL, *path = NULL;

  if (curl == NULL)
    {
      g_test_skip ("there is no curl");
      return;
    }
  g_setenv ("MLFLOW_TRACKING_USERNAME", "Zoë", TRUE);
  g_setenv ("MLFLOW_TRACKING_PASSWORD", "ä\"\\n#\t\001ÿ", TRUE);
  password = dup_request ("http://", "");
  assert_sends_rights (password, "Zoë:ä\"\\n#\t\001ÿ");
  g_unsetenv ("MLFLOW_TRACKING_USERNAME");
  g_unsetenv ("MLFLOW_TRACKING_PASSWORD");
  g_setenv ("MLFLOW_TRACKING_TOKEN", "tökén", TRUE);
  token = dup_request ("http://", "");
  g_unsetenv ("MLFLOW_TRACKING_TOKEN");
  g_assert_nonnull (strstr (token, "\nAuthorization: Bearer tökén\n"));
  address = dup_request ("http://Zoë:ä@", "/Zürich");
  assert_sends_rights (address, "Zoë:ä");
  path = g_uri_unescape_segment (address, strchr (address, '\n'), NULL);
  g_assert_cmpstr (path, ==, "GET /Zürich/api HTTP/1.1");
}

/* Nobody answers at that port of this machine. */
static void
test_mlflow_silence (void)
{
  const UrbMlflowRequest request = { .method = "GET", .path = "api" };
  g_autofree char *curl = g_find_program_in_path ("curl");
  g_autoptr(JsonObject) answer = NULL;
  g_autoptr(GError) error = NULL;

  if (curl == NULL)
    {
      g_test_skip ("there is no curl");
      return;
    }
  answer = urb_mlflow_http_call (&request, (gpointer) "http://127.0.0.1:1", &error);
  g_assert_null (answer);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, "does not answer: curl: (7)"));
}

/* ------------------------------------------------------------------------ */

/* The page that the program writes with @option, for a user of that language. */
static char *
write_in (RunTest *t, const char *language, const char *option)
{
  g_autofree char *path = g_build_filename (t->base, "page.html", NULL);
  const char *argv[] = { g_getenv ("URBARIUM_ENGINE"), "report", "--output", path, "--force", t->run, option, NULL };
  g_auto(GStrv) environment = g_environ_setenv (g_get_environ (), "LANGUAGE", language, TRUE);
  g_autoptr(GError) error = NULL;
  char *html = NULL;
  int status;

  environment = g_environ_setenv (environment, "LC_ALL", "C.UTF-8", TRUE);
  g_assert_true (g_spawn_sync (NULL, (char **) argv, environment, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, &error));
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (path, &html, NULL, NULL));
  return html;
}

static gboolean
are_translations_built (void)
{
  g_autofree char *folder = g_path_get_dirname (g_getenv ("URBARIUM_ENGINE"));
  g_autofree char *german = g_build_filename (folder, "../../po/de/LC_MESSAGES/urbarium.mo", NULL);

  return g_file_test (german, G_FILE_TEST_EXISTS);
}

/* On request, headings, settings, numbers and dates are in the user's language, and the page says which it is. */
static void
test_translated (RunTest *t, gconstpointer data)
{
  static const struct { const char *language, *heading; } others[] = { { "fr", "<h2>Courbes</h2>" }, { "it", "<h2>Curve</h2>" } };
  static const char *const words[] = { "<h2>Realitätsnähe</h2>", "<h2>Kurven</h2>", "<h2>Einstellungen</h2>", "<h2>Wiederholen</h2>",
                                       "Lernrate des Generators", "0,8", "<td>0,05</td>" };
  g_autofree char *english = NULL, *german = NULL;

  made_up_run_write (t, NULL);
  english = write_in (t, "de", NULL);
  g_assert_nonnull (strstr (english, "<html lang=\"en\">"));
  g_assert_nonnull (strstr (english, "<h2>Realism</h2>"));
  if (!are_translations_built ())
    {
      g_test_skip ("no translations have been built");
      return;
    }
  german = write_in (t, "de", "--translated");
  g_assert_nonnull (strstr (german, "<html lang=\"de\">"));
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (german, words[i]) == NULL)
      g_error ("There is no “%s”", words[i]);
  g_assert_null (strstr (german, "<h2>Realism</h2>"));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *html = write_in (t, others[i].language, "--translated");

      g_assert_nonnull (strstr (html, others[i].heading));
    }
}

/* MLflow's own server and client. */
static void
test_mlflow_server (RunTest *t, gconstpointer data)
{
  const char *python = g_getenv ("URBARIUM_MLFLOW_PYTHON");
  g_autofree char *script = g_test_build_filename (G_TEST_DIST, "engine", "report", "read-mlflow.py", NULL), *said = NULL;
  const char *argv[] = { python != NULL ? python : "python3", script, g_getenv ("URBARIUM_ENGINE"), t->run, NULL };
  g_autoptr(GError) error = NULL;
  int status;

  made_up_run_write (t, NULL);
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               &said, &status, &error));
  g_assert_no_error (error);
  if (status == 77 << 8)
    g_test_skip ("there is no MLflow: URBARIUM_MLFLOW_PYTHON may name a Python that has it");
  else if (status != 0)
    g_error ("%s", said);
}

/* ------------------------------------------------------------------------ */

static void
test_numbers (void)
{
  static const struct { double value; const char *text; } values[] = {
    { 0, "0" }, { 0.8, "0.8" }, { 1.2345, "1.23" }, { 99.99, "100" }, { 12345.6, "12,346" }, { -1234, "-1,234" },
    { 1e-5, "1e-05" }, { 1e30, "1e+30" }, { NAN, "–" },
  };
  static const struct { double seconds; const char *text; } durations[] = {
    { 0, "0 s" }, { 59.9, "59 s" }, { 60, "1 min" }, { 7500, "2 h 5 min" }, { 273600, "3 d 4 h" }, { NAN, "0 s" },
  };
  g_autofree char *count = urb_page_dup_count (G_MININT64);

  g_assert_cmpstr (count, ==, "-9,223,372,036,854,775,808");
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = urb_page_dup_value (values[i].value);

      g_assert_cmpstr (text, ==, values[i].text);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (durations); i++)
    {
      g_autofree char *text = urb_page_dup_duration (durations[i].seconds);

      g_assert_cmpstr (text, ==, durations[i].text);
    }
}

int
main (int argc, char **argv)
{
  g_setenv ("HOME", "/home/ada lovelace", TRUE); /* before GLib asks */
  g_setenv ("USER", "lovelace", TRUE);
  g_setenv ("no_proxy", "*", TRUE); /* the servers are on this machine */
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/report/translated", test_translated);
  run_test_add ("/report/whole", test_whole);
  run_test_add ("/report/sparse", test_sparse);
  run_test_add ("/report/cost", test_cost);
  run_test_add ("/report/no-cost", test_no_cost);
  run_test_add ("/report/processors", test_processors);
  g_test_add_func ("/report/price", test_price);
  run_test_add ("/report/nearest", test_nearest);
  run_test_add ("/report/odd", test_odd);
  run_test_add ("/report/missing", test_missing);
  g_test_add_func ("/report/command", test_command);
  g_test_add_func ("/report/hide", test_hide);
  run_test_add ("/report/no-secrets", test_no_secrets);
  run_test_add ("/report/no-secrets-of-damaged", test_no_secrets_of_damaged);
  run_test_add ("/report/damaged", test_damaged);
  run_test_add ("/report/figures", test_figures);
  run_test_add ("/report/mlflow", test_mlflow);
  run_test_add ("/report/mlflow-same-server", test_mlflow_same_server);
  g_test_add_func ("/report/mlflow-silence", test_mlflow_silence);
  g_test_add_func ("/report/mlflow-secrets", test_mlflow_secrets);
  run_test_add ("/report/mlflow-server", test_mlflow_server);
  g_test_add_func ("/report/numbers", test_numbers);
  return g_test_run ();
}
