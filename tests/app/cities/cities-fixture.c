/* SPDX-License-Identifier: Apache-2.0 */
#include "cities-fixture.h"

#include "app/base/engine-program.h"
#include "app/base/ui-path.h"

static char *folder, *runs, *run, *checkpoint, *dataset;

void
cities_fixture_engine (const char *format, ...)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *program = urbarium_engine_program_find (&error);
  g_autofree char *arguments = NULL, *line = NULL, *out = NULL, *err = NULL;
  va_list list;
  int status;
  g_assert_no_error (error);
  va_start (list, format);
  arguments = g_strdup_vprintf (format, list);
  va_end (list);
  line = g_strdup_printf ("%s %s", program, arguments);
  g_spawn_command_line_sync (line, &out, &err, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s: %s", line, err);
}

static char *
find_checkpoint (void)
{
  g_autofree char *path = g_build_filename (run, "checkpoints", NULL);
  g_autoptr(GDir) dir = g_dir_open (path, 0, NULL);
  return g_build_filename (path, g_dir_read_name (dir), NULL);
}

void
cities_fixture_set_up (void)
{
  g_autoptr(GtkCssProvider) style = gtk_css_provider_new ();
  const char *real = g_getenv ("URBARIUM_TEST_RUN"); /* a trained run, for screenshots */
  gtk_css_provider_load_from_resource (style, URBARIUM_RESOURCE_PATH "style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (style),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (gdk_display_get_default ()),
                                    URBARIUM_RESOURCE_PATH "icons");
  folder = g_dir_make_tmp ("urbarium-cities-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  runs = real != NULL ? g_path_get_dirname (real) : g_build_filename (folder, "runs", NULL);
  g_mkdir_with_parents (runs, 0700);
  run = real != NULL ? g_strdup (real) : g_build_filename (runs, "First Town", NULL);
  dataset = g_build_filename (folder, "areas.gpkg", NULL);
  if (real == NULL)
    {
      cities_fixture_engine ("sample --seed 3 --size-km 1 %s/town.gpkg", folder);
      cities_fixture_engine ("curate %s/town.gpkg --out %s --resolution 64 --soft", folder, dataset);
      cities_fixture_engine ("train --dataset %s --run '%s' --preset tiny --batch 4 --steps 2 "
                             "--quiet", dataset, run);
    }
  checkpoint = find_checkpoint ();
}

void
cities_fixture_tear_down (void)
{
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
  g_clear_pointer (&folder, g_free);
  g_clear_pointer (&runs, g_free);
  g_clear_pointer (&run, g_free);
  g_clear_pointer (&checkpoint, g_free);
  g_clear_pointer (&dataset, g_free);
}

const char *
cities_fixture_folder (void)
{
  return folder;
}

const char *
cities_fixture_runs (void)
{
  return runs;
}

const char *
cities_fixture_run (void)
{
  return run;
}

const char *
cities_fixture_checkpoint (void)
{
  return checkpoint;
}

const char *
cities_fixture_dataset (void)
{
  return dataset;
}
