/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/note-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/message.h"
#include "settings/note.h"

/* Text that was pasted may have control characters, which are shown as symbols. */
static void
check_cb (AdwMessageDialog *dialog, GtkEditable *entry)
{
  GtkWidget *problem = gtk_widget_get_next_sibling (GTK_WIDGET (entry));
  gboolean good = urb_note_check (gtk_editable_get_text (entry), NULL);
  adw_message_dialog_set_response_enabled (dialog, "set", good);
  gtk_widget_set_visible (problem, !good);
  if (good)
    gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
}

static GtkWidget *
new_entry (const char *note)
{
  GtkWidget *entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), note != NULL ? note : "");
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("wider roads #alps"));
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Note"), -1);
  return entry;
}

static GtkWidget *
new_problem (void)
{
  g_autofree char *text = g_strdup_printf (_ ("A note is one line of at most %d bytes, without tabs or other control "
                                              "characters."), URB_NOTE_MOST_BYTES);
  GtkWidget *problem = gtk_label_new (text);
  gtk_label_set_wrap (GTK_LABEL (problem), TRUE);
  gtk_label_set_xalign (GTK_LABEL (problem), 0);
  gtk_widget_add_css_class (problem, "problem");
  return problem;
}

static void
set_cb (UrbariumRun *run, const char *response, AdwMessageDialog *dialog)
{
  GtkWidget *entry = gtk_widget_get_first_child (adw_message_dialog_get_extra_child (dialog));
  g_autofree char *note = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
  g_autofree char *before = NULL;
  g_object_get (run, "note", &before, NULL);
  if (g_strcmp0 (note, before != NULL ? before : "") != 0)
    urbarium_run_annotate (run, note);
}

void
urbarium_note_dialog_show (GtkWidget *where, UrbariumRun *run)
{
  g_autofree char *note = NULL;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *window = urbarium_message_dialog_new (where, _ ("Note and tags"), _ ("What you want to remember of the run. "
                                                                              "Words that begin with # are tags."));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (window);
  GtkWidget *entry;
  g_object_get (run, "note", &note, NULL);
  entry = new_entry (note);
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), new_problem ());
  adw_message_dialog_set_extra_child (dialog, box);
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "set", _ ("_Set"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "set", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "set");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (entry, "changed", G_CALLBACK (check_cb), dialog, G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog, "response::set", G_CALLBACK (set_cb), run, G_CONNECT_SWAPPED);
  check_cb (dialog, GTK_EDITABLE (entry));
  gtk_window_present (GTK_WINDOW (window));
}
