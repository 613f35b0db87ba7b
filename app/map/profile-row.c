/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/profile-row.h"

#include <glib/gi18n.h>

#include "map/profile.h"

struct _UrbariumProfileRow
{
  AdwComboRow    parent_instance;
  GtkStringList *names; /* owned: the first one is "" */
};

G_DEFINE_FINAL_TYPE (UrbariumProfileRow, urbarium_profile_row, ADW_TYPE_COMBO_ROW)

void
urbarium_profile_row_fill (UrbariumProfileRow *self, const char *none)
{
  g_auto(GStrv) names = urb_profile_list ();
  g_autoptr(GtkStringList) titles = gtk_string_list_new (NULL);
  g_return_if_fail (URBARIUM_IS_PROFILE_ROW (self));
  gtk_string_list_append (self->names, "");
  gtk_string_list_append (titles, none);
  for (char **name = names; *name != NULL; name++)
    {
      g_autoptr(UrbProfile) profile = urb_profile_load (*name, NULL);
      gtk_string_list_append (self->names, *name);
      gtk_string_list_append (titles, profile != NULL ? _ (urb_profile_get_title (profile)) : *name);
    }
  adw_combo_row_set_model (ADW_COMBO_ROW (self), G_LIST_MODEL (titles));
}

void
urbarium_profile_row_set_profile (UrbariumProfileRow *self, const char *name)
{
  g_return_if_fail (URBARIUM_IS_PROFILE_ROW (self));
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->names)); i++)
    if (g_str_equal (gtk_string_list_get_string (self->names, i), name))
      adw_combo_row_set_selected (ADW_COMBO_ROW (self), i);
}

const char *
urbarium_profile_row_get_profile (UrbariumProfileRow *self)
{
  const char *name;
  g_return_val_if_fail (URBARIUM_IS_PROFILE_ROW (self), "");
  name = gtk_string_list_get_string (self->names, adw_combo_row_get_selected (ADW_COMBO_ROW (self)));
  return name != NULL ? name : "";
}

static void
finalize (GObject *object)
{
  g_object_unref (URBARIUM_PROFILE_ROW (object)->names);
  G_OBJECT_CLASS (urbarium_profile_row_parent_class)->finalize (object);
}

static void
urbarium_profile_row_class_init (UrbariumProfileRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_profile_row_init (UrbariumProfileRow *self)
{
  self->names = gtk_string_list_new (NULL);
}
