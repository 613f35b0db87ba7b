/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/address-dialog.h"

#include <glib/gi18n.h>

#include "app/base/message.h"
#include "map/address.h"

typedef struct
{
  UrbariumMapDocument *document; /* owned */
  AdwMessageDialog    *dialog;   /* borrowed */
  GtkEditable         *entry;    /* borrowed */
  GtkLabel            *problem;  /* borrowed */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->document);
  g_free (self);
}

static char *
dup_address (Question *self)
{
  return g_strstrip (g_strdup (gtk_editable_get_text (self->entry)));
}

static void
changed_cb (Question *self)
{
  g_autofree char *text = dup_address (self);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMapAddress) address = NULL;
  const char *problem = "";
  if (urb_map_address_is (text))
    address = urb_map_address_parse (text, &error);
  if (address == NULL && !urb_map_address_may_become (text))
    problem = error != NULL ? error->message : _ ("An address begins with https://, http:// or postgresql://.");
  gtk_label_set_text (self->problem, problem);
  gtk_widget_set_visible (GTK_WIDGET (self->problem), *problem != '\0');
  adw_message_dialog_set_response_enabled (self->dialog, "open", address != NULL);
}

static void
open_cb (Question *self)
{
  g_autofree char *text = dup_address (self);
  g_autoptr(GError) error = NULL;
  if (!urbarium_map_document_open_address (self->document, text, &error))
    g_warning ("%s", error->message); /* a bug: the response is disabled then */
}

static GtkWidget *
new_entry (Question *self)
{
  GtkWidget *entry = gtk_entry_new ();
  gtk_entry_set_input_purpose (GTK_ENTRY (entry), GTK_INPUT_PURPOSE_URL);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "https://maps.example.org/wfs?service=WFS");
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Address"), -1);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (changed_cb), self);
  self->entry = GTK_EDITABLE (entry);
  return entry;
}

/* After a failure, one letter is put right; whoever wants another address types over it. */
static void
fill_in_last (Question *self)
{
  const char *last = urbarium_map_document_get_typed_address (self->document);
  if (last == NULL)
    return;
  gtk_editable_set_text (self->entry, last);
  gtk_editable_select_region (self->entry, 0, -1);
}

void
urbarium_address_dialog_show (GtkWidget *where, UrbariumMapDocument *document)
{
  Question *self = g_new0 (Question, 1);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *dialog = urbarium_message_dialog_new (
    where, _ ("Open a map on a server"),
    _ ("The address of a Web Feature Service or of a PostGIS database. Whenever classes change, the map is read from "
       "there again. The address is not kept for the next session."));
  self->document = g_object_ref (document);
  self->dialog = ADW_MESSAGE_DIALOG (dialog);
  self->problem = GTK_LABEL (gtk_label_new (NULL));
  g_object_set (self->problem, "wrap", TRUE, "xalign", 0.0, "visible", FALSE, "max-width-chars", 40, NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->problem), "error");
  gtk_box_append (GTK_BOX (box), new_entry (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->problem));
  adw_message_dialog_set_extra_child (self->dialog, box);
  adw_message_dialog_add_responses (self->dialog, "cancel", _ ("_Cancel"), "open", _ ("_Open"), NULL);
  adw_message_dialog_set_response_appearance (self->dialog, "open", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (self->dialog, "open");
  adw_message_dialog_set_close_response (self->dialog, "cancel");
  adw_message_dialog_set_response_enabled (self->dialog, "open", FALSE);
  fill_in_last (self);
  g_signal_connect_swapped (dialog, "response::open", G_CALLBACK (open_cb), self);
  g_object_set_data_full (G_OBJECT (dialog), "question", self, question_free);
  gtk_window_present (GTK_WINDOW (dialog));
}
