/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-dialog.c - see mlflow-dialog.h.  The engine sends the run; what it needs to know is in its environment, since
 * other users can see its arguments.
 */
#include "app/train/mlflow-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/engine-program.h"
#include "app/base/message.h"
#include "app/base/settings.h"
#include "app/train/dialog-fields.h"

#define USUAL_SERVER "http://localhost:5000"

/* ------------------------------------------------------------------------ */
/* Sending                                                                   */

typedef struct
{
  GtkWidget   *where; /* owned */
  UrbariumRun *run;   /* owned */
} Sending;

static void
sending_free (Sending *self)
{
  g_object_set_data (G_OBJECT (self->run), "mlflow", NULL);
  g_object_unref (self->where);
  g_object_unref (self->run);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sending, sending_free)

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Sending) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error), *text = NULL;
  if (out == NULL)
    {
      urbarium_message_error (self->where, _ ("The run could not be sent to MLflow"), error);
      return;
    }
  /* translators: the name of a run */
  text = g_strdup_printf (_ ("“%s” was sent to MLflow"), urbarium_run_get_name (self->run));
  urbarium_message_toast (self->where, text);
}

/* @environment: names and values */
static void
begin_sending (GtkWidget *where, UrbariumRun *run, const char *const *environment)
{
  const char *const args[] = { "mlflow", urbarium_run_get_folder (run), NULL };
  Sending *self = g_new (Sending, 1);
  *self = (Sending){ g_object_ref (where), g_object_ref (run) };
  g_object_set_data (G_OBJECT (run), "mlflow", self);
  urbarium_message_toast (where, _ ("The run is being sent to MLflow…"));
  urbarium_engine_program_run_with_async (args, environment, NULL, sent_cb, self);
}

/* ------------------------------------------------------------------------ */
/* The dialog                                                                */

typedef struct
{
  AdwMessageDialog *dialog; /* borrowed; it owns this */
  GtkWidget        *where;  /* owned */
  UrbariumRun      *run;    /* owned */
  GtkEditable      *server, *experiment, *name, *password;
  GtkLabel         *problem;
} Fields;

static void
fields_free (gpointer data)
{
  Fields *self = data;
  g_object_unref (self->where);
  g_object_unref (self->run);
  g_free (self);
}

/* Returns: (transfer none) (nullable): a sentence; NULL: it is an address of a server */
static const char *
find_problem (const char *server)
{
  g_autoptr(GUri) uri = g_uri_parse (server, G_URI_FLAGS_NONE, NULL);
  const char *scheme = uri != NULL ? g_uri_get_scheme (uri) : "", *host = uri != NULL ? g_uri_get_host (uri) : NULL;
  if ((g_strcmp0 (scheme, "http") != 0 && g_strcmp0 (scheme, "https") != 0) || host == NULL || *host == '\0')
    return _ ("The server has to be an address, such as http://localhost:5000.");
  if (g_uri_get_userinfo (uri) != NULL) /* the address is kept, a password is not */
    return _ ("Enter name and password below instead of in the address.");
  return NULL;
}

static void
check_cb (Fields *self)
{
  g_autofree char *server = urbarium_dialog_fields_dup_text (self->server);
  const char *problem = find_problem (server);
  adw_message_dialog_set_response_enabled (self->dialog, "send", problem == NULL);
  urbarium_dialog_fields_show_problem (self->problem, problem);
}

static void
keep (GtkEditable *row, const char *key)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *text = urbarium_dialog_fields_dup_text (row);
  g_settings_set_string (settings, key, text);
}

static void
add_variable (GStrvBuilder *environment, const char *name, GtkEditable *row)
{
  g_autofree char *text = urbarium_dialog_fields_dup_text (row);
  if (*text != '\0')
    g_strv_builder_add_many (environment, name, text, NULL);
}

static void
send_cb (Fields *self)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  g_auto(GStrv) environment = NULL;
  keep (self->server, "mlflow-server");
  keep (self->experiment, "mlflow-experiment");
  keep (self->name, "mlflow-name");
  add_variable (builder, "MLFLOW_TRACKING_URI", self->server);
  add_variable (builder, "MLFLOW_EXPERIMENT_NAME", self->experiment);
  add_variable (builder, "MLFLOW_TRACKING_USERNAME", self->name);
  if (*gtk_editable_get_text (self->password) != '\0') /* spaces belong to it */
    g_strv_builder_add_many (builder, "MLFLOW_TRACKING_PASSWORD", gtk_editable_get_text (self->password), NULL);
  environment = g_strv_builder_end (builder);
  begin_sending (self->where, self->run, (const char *const *) environment);
}

/* (transfer full): what was kept, else that of the environment, as of MLflow's own clients */
static char *
dup_kept (const char *key, const char *variable, const char *otherwise)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *kept = g_settings_get_string (settings, key);
  const char *given = g_getenv (variable);
  if (*kept != '\0')
    return g_steal_pointer (&kept);
  return g_strdup (given != NULL ? given : otherwise);
}

static GtkEditable *
add_kept (GtkWidget *group, const char *title, const char *key, const char *variable, const char *otherwise)
{
  g_autofree char *text = dup_kept (key, variable, otherwise);
  return urbarium_dialog_fields_add (group, adw_entry_row_new (), title, text);
}

static GtkWidget *
new_fields (Fields *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *group = adw_preferences_group_new ();
  self->server = add_kept (group, _ ("Address of the server"), "mlflow-server", "MLFLOW_TRACKING_URI", USUAL_SERVER);
  self->experiment = add_kept (group, _ ("Experiment"), "mlflow-experiment", "MLFLOW_EXPERIMENT_NAME", "urbarium");
  self->name = add_kept (group, _ ("Name, if the server asks for one"), "mlflow-name", "MLFLOW_TRACKING_USERNAME", "");
  self->password = urbarium_dialog_fields_add (group, adw_password_entry_row_new (), _ ("Password"), "");
  self->problem = urbarium_dialog_fields_new_problem ();
  gtk_box_append (GTK_BOX (box), group);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->problem));
  g_signal_connect_swapped (self->server, "changed", G_CALLBACK (check_cb), self);
  return box;
}

void
urbarium_mlflow_dialog_show (GtkWidget *where, UrbariumRun *run)
{
  GtkWidget *window;
  AdwMessageDialog *dialog;
  Fields *fields;
  if (g_object_get_data (G_OBJECT (run), "mlflow") != NULL)
    {
      urbarium_message_toast (where, _ ("The run is being sent to MLflow…"));
      return;
    }
  window = urbarium_message_dialog_new (where, _ ("Send to MLflow"),
                                        _ ("Sends settings, figures and sample grids of the run to an MLflow server; "
                                           "later, what is new of them. The password is not kept."));
  dialog = ADW_MESSAGE_DIALOG (window);
  fields = g_new0 (Fields, 1);
  *fields = (Fields){ .dialog = dialog, .where = g_object_ref (where), .run = g_object_ref (run) };
  adw_message_dialog_set_extra_child (dialog, new_fields (fields));
  g_object_set_data_full (G_OBJECT (dialog), "fields", fields, fields_free);
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "send", _ ("_Send"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "send", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "send");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_swapped (dialog, "response::send", G_CALLBACK (send_cb), fields);
  check_cb (fields);
  gtk_window_present (GTK_WINDOW (window));
}
