/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/dialog-fields.h"

#include <adwaita.h>

GtkEditable *
urbarium_dialog_fields_add (GtkWidget *group, GtkWidget *row, const char *title, const char *text)
{
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_editable_set_text (GTK_EDITABLE (row), text);
  adw_entry_row_set_activates_default (ADW_ENTRY_ROW (row), TRUE);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
  return GTK_EDITABLE (row);
}

GtkLabel *
urbarium_dialog_fields_new_problem (void)
{
  GtkWidget *label = gtk_label_new (NULL);
  g_object_set (label, "wrap", TRUE, "xalign", 0.0, "visible", FALSE, "accessible-role", GTK_ACCESSIBLE_ROLE_ALERT, NULL);
  gtk_widget_add_css_class (label, "error");
  gtk_widget_add_css_class (label, "caption");
  return GTK_LABEL (label);
}

void
urbarium_dialog_fields_show_problem (GtkLabel *label, const char *problem)
{
  gtk_label_set_text (label, problem != NULL ? problem : "");
  gtk_widget_set_visible (GTK_WIDGET (label), problem != NULL);
}

char *
urbarium_dialog_fields_dup_text (GtkEditable *row)
{
  return g_strstrip (g_strdup (gtk_editable_get_text (row)));
}
