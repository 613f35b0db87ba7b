/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/part-dialog.h"

#include <glib/gi18n.h>

#include "app/base/message.h"

enum { N_SIDES = 4 };

typedef struct
{
  UrbariumMapDocument *document; /* owned */
  char                *visible;  /* (nullable) owned: the part that is shown */
  AdwMessageDialog    *dialog;   /* borrowed */
  GtkEditable         *sides[N_SIDES]; /* borrowed: west, south, east, north */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;
  g_object_unref (self->document);
  g_free (self->visible);
  g_free (self);
}

/* As UrbMapOptions has it.  (transfer full) */
static char *
dup_part (Question *self)
{
  GString *part = g_string_new (NULL);
  for (int i = 0; i < N_SIDES; i++)
    {
      const char *text = gtk_editable_get_text (self->sides[i]);
      char number[G_ASCII_DTOSTR_BUF_SIZE], *end;
      double value = g_strtod (text, &end);
      while (g_ascii_isspace (*end))
        end++;
      if (i > 0)
        g_string_append_c (part, ',');
      if (end != text && *end == '\0')
        g_string_append (part, g_ascii_formatd (number, sizeof number, "%.10g", value));
    }
  return g_string_free (part, FALSE);
}

static void
changed_cb (Question *self)
{
  g_autofree char *part = dup_part (self);
  UrbBox box;
  adw_message_dialog_set_response_enabled (self->dialog, "read", urb_map_clip_parse (part, &box));
}

static void
fill_in (Question *self, const char *part)
{
  g_auto(GStrv) numbers = g_strsplit (part, ",", N_SIDES);
  for (int i = 0; i < N_SIDES && numbers[i] != NULL; i++)
    gtk_editable_set_text (self->sides[i], numbers[i]);
}

static void
visible_cb (Question *self)
{
  fill_in (self, self->visible);
}

static void
read_cb (Question *self)
{
  g_autofree char *part = dup_part (self);
  urbarium_map_document_set_part (self->document, part);
}

static void
open_cb (Question *self)
{
  g_autofree char *part = dup_part (self);
  urbarium_map_document_open_part (self->document, part);
}

static void
all_cb (Question *self)
{
  urbarium_map_document_set_part (self->document, "");
}

static GtkWidget *
new_sides (Question *self)
{
  const char *const names[N_SIDES] = { _ ("West"), _ ("South"), _ ("East"), _ ("North") };
  GtkWidget *group = adw_preferences_group_new ();
  for (int i = 0; i < N_SIDES; i++)
    {
      GtkWidget *row = g_object_new (ADW_TYPE_ENTRY_ROW, "title", names[i], "activates-default", TRUE, NULL);
      self->sides[i] = GTK_EDITABLE (row);
      g_signal_connect_swapped (row, "changed", G_CALLBACK (changed_cb), self);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
    }
  return group;
}

static GtkWidget *
new_content (Question *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("_Visible part"));
  gtk_widget_set_halign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (button, self->visible != NULL);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (visible_cb), self);
  gtk_box_append (GTK_BOX (box), new_sides (self));
  gtk_box_append (GTK_BOX (box), button);
  return box;
}

static Question *
question_new (GtkWidget *where, UrbariumMapDocument *document, const char *body)
{
  Question *self = g_new0 (Question, 1);
  self->document = g_object_ref (document);
  self->dialog = ADW_MESSAGE_DIALOG (urbarium_message_dialog_new (where, _ ("Part of the map"), body));
  adw_message_dialog_add_response (self->dialog, "cancel", _ ("_Cancel"));
  adw_message_dialog_set_close_response (self->dialog, "cancel");
  g_object_set_data_full (G_OBJECT (self->dialog), "question", self, question_free);
  return self;
}

/* @accept: label of the last response; @part: (nullable): to begin with */
static void
question_ask (Question *self, const char *accept, GCallback accepted_cb, const char *part)
{
  adw_message_dialog_set_extra_child (self->dialog, new_content (self));
  adw_message_dialog_add_response (self->dialog, "read", accept);
  adw_message_dialog_set_response_appearance (self->dialog, "read", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (self->dialog, "read");
  adw_message_dialog_set_response_enabled (self->dialog, "read", FALSE);
  if (part != NULL)
    fill_in (self, part);
  g_signal_connect_swapped (self->dialog, "response::read", accepted_cb, self);
  gtk_window_present (GTK_WINDOW (self->dialog));
}

void
urbarium_part_dialog_show (GtkWidget *where, UrbariumMapDocument *document, UrbBox visible)
{
  UrbMap *map = urbarium_map_document_get_map (document);
  const char *part = urbarium_map_document_get_part (document);
  gboolean has_place = *urb_map_get_crs_wkt (map) != '\0';
  Question *self = question_new (
    where, document,
    has_place ? _ ("Only this part is read, in degrees of longitude and latitude. Objects are cut at its edges.")
              : _ ("Only this part is read, in meters. Objects are cut at its edges."));
  self->visible = urb_map_dup_clip (map, visible);
  adw_message_dialog_add_response (self->dialog, "all", _ ("_Whole map"));
  adw_message_dialog_set_response_enabled (self->dialog, "all", *part != '\0');
  g_signal_connect_swapped (self->dialog, "response::all", G_CALLBACK (all_cb), self);
  question_ask (self, _ ("_Read part"), G_CALLBACK (read_cb), *part != '\0' ? part : self->visible);
}

void
urbarium_part_dialog_show_refused (GtkWidget *where, UrbariumMapDocument *document)
{
  Question *self = question_new (
    where, document,
    _ ("Only this part is read, in degrees of longitude and latitude, or in meters if the map has no coordinate system. "
       "Objects are cut at its edges."));
  question_ask (self, _ ("_Open part"), G_CALLBACK (open_cb), NULL);
}
