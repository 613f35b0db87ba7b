/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/mlflow-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/message.h"
#include "app/base/settings.h"
#include "app/train/dialog-fields.h"
#include "app/train/mlflow-send.h"

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

static void
check_cb (Fields *self)
{
  g_autofree char *server = urbarium_dialog_fields_dup_text (self->server);
  const char *problem = urbarium_mlflow_find_problem (server);
  adw_message_dialog_set_response_enabled (self->dialog, "send", problem == NULL);
  urbarium_dialog_fields_show_problem (self->problem, problem);
}

static void
send_cb (Fields *self)
{
  g_autofree char *server = urbarium_dialog_fields_dup_text (self->server);
  g_autofree char *experiment = urbarium_dialog_fields_dup_text (self->experiment);
  g_autofree char *name = urbarium_dialog_fields_dup_text (self->name);
  /* Spaces belong to a password. */
  urbarium_mlflow_keep (self->where, server, experiment, name, gtk_editable_get_text (self->password));
  urbarium_mlflow_send (self->where, self->run);
}

/* It is kept at once, also if nothing is sent now. */
static GtkWidget *
new_at_end_row (void)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  GtkWidget *row = adw_action_row_new (), *toggle = gtk_switch_new ();
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Send each run when it ends"));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row),
                               _ ("With these entries, if this window is open then."));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  g_settings_bind (settings, "mlflow-at-end", toggle, "active", G_SETTINGS_BIND_DEFAULT);
  return row;
}

static GtkEditable *
add_entry (GtkWidget *group, const char *title, char *text)
{
  g_autofree char *kept = text;
  return urbarium_dialog_fields_add (group, adw_entry_row_new (), title, kept);
}

static GtkWidget *
new_fields (Fields *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *group = adw_preferences_group_new ();
  const char *password = urbarium_mlflow_get_password (self->where);
  self->server = add_entry (group, _ ("Address of the server"), urbarium_mlflow_dup_server ());
  self->experiment = add_entry (group, _ ("Experiment"), urbarium_mlflow_dup_experiment ());
  self->name = add_entry (group, _ ("Name, if the server asks for one"), urbarium_mlflow_dup_name ());
  self->password = urbarium_dialog_fields_add (group, adw_password_entry_row_new (), _ ("Password"),
                                               password != NULL ? password : "");
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), new_at_end_row ());
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
  if (urbarium_mlflow_is_sending (run))
    {
      urbarium_message_toast (where, _ ("The run is being sent to MLflow…"));
      return;
    }
  window = urbarium_message_dialog_new (where, _ ("Send to MLflow"),
                                        _ ("Sends settings, figures and sample grids of the run to an MLflow server; "
                                           "later, what is new of them. The password is forgotten when this window closes."));
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
