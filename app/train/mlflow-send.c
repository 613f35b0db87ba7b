/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow-send.c - see mlflow-send.h.  The engine sends the run; what it needs to know is in its environment, since
 * other users can see its arguments.
 */
#include "app/train/mlflow-send.h"

#include <glib/gi18n.h>

#include "app/base/engine-program.h"
#include "app/base/message.h"
#include "app/base/settings.h"

#define USUAL_SERVER "http://localhost:5000"

/* ------------------------------------------------------------------------ */
/* What is kept                                                              */

const char *
urbarium_mlflow_find_problem (const char *server)
{
  g_autoptr(GUri) uri = g_uri_parse (server, G_URI_FLAGS_NONE, NULL);
  const char *scheme = uri != NULL ? g_uri_get_scheme (uri) : "", *host = uri != NULL ? g_uri_get_host (uri) : NULL;
  if ((g_strcmp0 (scheme, "http") != 0 && g_strcmp0 (scheme, "https") != 0) || host == NULL || *host == '\0')
    return _ ("The server has to be an address, such as http://localhost:5000.");
  if (g_uri_get_userinfo (uri) != NULL) /* the address is kept, a password is not */
    return _ ("Enter name and password below instead of in the address.");
  if (g_uri_get_query (uri) != NULL || g_uri_get_fragment (uri) != NULL) /* it may be a password, too */
    return _ ("The address of a server has no “?” and no “#”. Enter name and password below.");
  return NULL;
}

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

char *
urbarium_mlflow_dup_server (void)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *kept = g_settings_get_string (settings, "mlflow-server");
  if (*kept != '\0' && urbarium_mlflow_find_problem (kept) != NULL)
    g_settings_reset (settings, "mlflow-server");
  return dup_kept ("mlflow-server", "MLFLOW_TRACKING_URI", USUAL_SERVER);
}

char *
urbarium_mlflow_dup_experiment (void)
{
  return dup_kept ("mlflow-experiment", "MLFLOW_EXPERIMENT_NAME", "urbarium");
}

char *
urbarium_mlflow_dup_name (void)
{
  return dup_kept ("mlflow-name", "MLFLOW_TRACKING_USERNAME", "");
}

static GObject *
get_window (GtkWidget *where)
{
  GtkRoot *root = gtk_widget_get_root (where);
  return root != NULL ? G_OBJECT (root) : G_OBJECT (where);
}

const char *
urbarium_mlflow_get_password (GtkWidget *where)
{
  return g_object_get_data (get_window (where), "mlflow-password");
}

void
urbarium_mlflow_keep (GtkWidget *where, const char *server, const char *experiment, const char *name, const char *password)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_settings_set_string (settings, "mlflow-server", server);
  g_settings_set_string (settings, "mlflow-experiment", experiment);
  g_settings_set_string (settings, "mlflow-name", name);
  g_object_set_data_full (get_window (where), "mlflow-password", *password != '\0' ? g_strdup (password) : NULL, g_free);
}

/* ------------------------------------------------------------------------ */
/* Sending                                                                   */

typedef struct
{
  GtkWidget   *where; /* owned */
  UrbariumRun *run;   /* owned */
  gboolean     asked; /* by the user, just now */
  gboolean     again; /* the run has ended meanwhile */
} Sending;

static void
sending_free (Sending *self)
{
  g_object_unref (self->where);
  g_object_unref (self->run);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Sending, sending_free)

static void
show_failure_cb (GtkWidget *where)
{
  const GError *error = g_object_get_data (G_OBJECT (where), "mlflow-error");
  urbarium_message_error (where, _ ("The run could not be sent to MLflow"), error);
}

/* The last failure is shown, until the user has seen it. */
static void
offer_failure (Sending *self, const GError *error)
{
  /* translators: the name of a run */
  g_autofree char *text = g_strdup_printf (_ ("“%s” could not be sent to MLflow"), urbarium_run_get_name (self->run));
  g_object_set_data_full (G_OBJECT (self->where), "mlflow-error", g_error_copy (error), (GDestroyNotify) g_error_free);
  urbarium_message_toast_offer (self->where, text, _ ("_Details"), G_CALLBACK (show_failure_cb), self->where);
}

static void begin (GtkWidget *where, UrbariumRun *run, gboolean asked);

static void
sent_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Sending) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *out = urbarium_engine_program_run_finish (result, &error), *text = NULL;
  g_object_set_data (G_OBJECT (self->run), "mlflow", NULL);
  if (out == NULL && self->asked)
    urbarium_message_error (self->where, _ ("The run could not be sent to MLflow"), error);
  else if (out == NULL)
    offer_failure (self, error);
  else if (!self->again)
    {
      /* translators: the name of a run */
      text = g_strdup_printf (_ ("“%s” was sent to MLflow"), urbarium_run_get_name (self->run));
      urbarium_message_toast (self->where, text);
    }
  if (self->again && out != NULL)
    begin (self->where, self->run, FALSE);
}

/* Names and values. */
static GStrv
dup_environment (GtkWidget *where)
{
  g_autofree char *server = urbarium_mlflow_dup_server (), *experiment = urbarium_mlflow_dup_experiment ();
  g_autofree char *name = urbarium_mlflow_dup_name ();
  const struct { const char *variable, *value; } rows[] = {
    { "MLFLOW_TRACKING_URI", server },
    { "MLFLOW_EXPERIMENT_NAME", experiment },
    { "MLFLOW_TRACKING_USERNAME", name },
    { "MLFLOW_TRACKING_PASSWORD", urbarium_mlflow_get_password (where) },
  };
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].value != NULL && *rows[i].value != '\0')
      g_strv_builder_add_many (builder, rows[i].variable, rows[i].value, NULL);
  return g_strv_builder_end (builder);
}

static void
begin (GtkWidget *where, UrbariumRun *run, gboolean asked)
{
  const char *const args[] = { "mlflow", urbarium_run_get_folder (run), NULL };
  g_auto(GStrv) environment = dup_environment (where);
  Sending *self = g_new (Sending, 1);
  *self = (Sending){ g_object_ref (where), g_object_ref (run), asked, FALSE };
  g_object_set_data (G_OBJECT (run), "mlflow", self);
  urbarium_engine_program_run_with_async (args, (const char *const *) environment, NULL, sent_cb, self);
}

gboolean
urbarium_mlflow_is_sending (UrbariumRun *run)
{
  return g_object_get_data (G_OBJECT (run), "mlflow") != NULL;
}

void
urbarium_mlflow_send (GtkWidget *where, UrbariumRun *run)
{
  urbarium_message_toast (where, _ ("The run is being sent to MLflow…"));
  begin (where, run, TRUE);
}

void
urbarium_mlflow_run_ended (GtkWidget *where, UrbariumRun *run)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  Sending *sending = g_object_get_data (G_OBJECT (run), "mlflow");
  if (!g_settings_get_boolean (settings, "mlflow-at-end"))
    return;
  if (sending != NULL)
    sending->again = TRUE;
  else
    begin (where, run, FALSE);
}
