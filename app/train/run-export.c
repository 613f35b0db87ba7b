/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-export.h"

#include <glib/gi18n.h>

#include "app/base/browser.h"
#include "app/base/engine-program.h"
#include "app/base/file-chooser.h"
#include "app/base/message.h"
#include "app/base/replace.h"
#include "app/train/price-dialog.h"

static const struct
{
  const char *command, *ending;
  const char *title, *filter, *failed; /* translatable */
  gboolean    opens;
} kinds[] = {
  [URBARIUM_RUN_EXPORT_REPORT]
  = { "report", ".html", N_ ("Save the report"), N_ ("Web pages"), N_ ("The report cannot be made"), TRUE },
  [URBARIUM_RUN_EXPORT_FIGURES]
  = { "figures", ".csv", N_ ("Export the figures of all steps"), N_ ("Tables (.csv)"), N_ ("The figures cannot be exported"), FALSE },
  [URBARIUM_RUN_EXPORT_PROBLEM]
  = { "debug-report", ".tar.gz", N_ ("Save an archive to report a problem"), N_ ("Archives"), N_ ("The archive cannot be made"), FALSE },
};

typedef struct
{
  GtkWidget        *where; /* owned */
  UrbariumRun      *run;   /* (nullable) owned */
  UrbariumRunExport what;
  char             *path;  /* (nullable) owned */
} Export;

static Export *
export_new (GtkWidget *where, UrbariumRun *run, UrbariumRunExport what)
{
  Export *self = g_new0 (Export, 1);
  self->where = g_object_ref (where);
  g_set_object (&self->run, run);
  self->what = what;
  return self;
}

static void
export_free (Export *self)
{
  g_object_unref (self->where);
  g_clear_object (&self->run);
  g_free (self->path);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Export, export_free)

static void
open_page (Export *self)
{
  g_autoptr(GFile) file = g_file_new_for_path (self->path);
  g_autofree char *uri = g_file_get_uri (file);
  urbarium_browser_open (self->where, uri, _ ("The page is saved, but no browser could be started"));
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Export) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error);
  g_autofree char *name = g_filename_display_basename (self->path), *text = NULL;
  if (out == NULL)
    {
      urbarium_message_error (self->where, _ (kinds[self->what].failed), error);
      return;
    }
  /* translators: %s is a file */
  text = g_strdup_printf (_ ("“%s” saved"), name);
  urbarium_message_toast (self->where, text);
  if (kinds[self->what].opens)
    open_page (self);
}

/* Takes @self. */
static void
write_file (Export *self)
{
  const char *folder = self->run != NULL ? urbarium_run_get_folder (self->run) : NULL;
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_auto(GStrv) args = NULL;
  g_strv_builder_add_many (builder, kinds[self->what].command, "--output", self->path, "--force", NULL);
  if (self->what == URBARIUM_RUN_EXPORT_REPORT)
    g_strv_builder_add (builder, "--translated");
  if (self->what == URBARIUM_RUN_EXPORT_REPORT && urbarium_run_knows_energy (self->run))
    urbarium_price_dialog_add_args (builder);
  if (folder != NULL)
    g_strv_builder_add (builder, folder);
  args = g_strv_builder_end (builder);
  urbarium_engine_program_run_async ((const char *const *) args, NULL, NULL, written_cb, self);
}

static void
may_write_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Export *self = data;
  if (urbarium_replace_ask_finish (GTK_WIDGET (source), result))
    write_file (self);
  else
    export_free (self);
}

void
urbarium_run_export_save (GtkWidget *where, UrbariumRun *run, UrbariumRunExport what, const char *path)
{
  Export *self = export_new (where, run, what);
  if (g_str_has_suffix (path, kinds[what].ending))
    {
      self->path = g_strdup (path);
      write_file (self);
      return;
    }
  self->path = g_strconcat (path, kinds[what].ending, NULL);
  urbarium_replace_ask (where, (const char *const[]){ self->path, NULL }, may_write_cb, self);
}

static void
chosen_cb (Export *self, const char *path)
{
  urbarium_run_export_save (self->where, self->run, self->what, path);
}

static void
ask_path (Export *self)
{
  UrbariumRunExport what = self->what;
  GtkFileChooser *chooser = urbarium_file_chooser_new (self->where, GTK_FILE_CHOOSER_ACTION_SAVE, _ (kinds[what].title), _ ("_Save"));
  g_autofree char *name = g_strconcat (self->run != NULL ? urbarium_run_get_name (self->run) : "urbarium", kinds[what].ending, NULL);
  g_strdelimit (name, G_DIR_SEPARATOR_S, '-');
  urbarium_file_chooser_add_filter (chooser, _ (kinds[what].filter), kinds[what].ending + 1, NULL);
  gtk_file_chooser_set_current_name (chooser, name);
  urbarium_file_chooser_show (chooser, self->where, G_CALLBACK (chosen_cb), export_new (self->where, self->run, what),
                              (GDestroyNotify) export_free);
}

void
urbarium_run_export_ask (GtkWidget *where, UrbariumRun *run, UrbariumRunExport what)
{
  g_autoptr(Export) self = export_new (where, run, what);
  if (what == URBARIUM_RUN_EXPORT_REPORT && urbarium_run_knows_energy (run))
    urbarium_price_dialog_show (where, G_CALLBACK (ask_path), g_steal_pointer (&self), (GDestroyNotify) export_free);
  else
    ask_path (self);
}
