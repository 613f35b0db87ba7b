/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer-row.c - creates the rows of values when they are first shown, in batches: a layer may
 * have thousands of values, and creating a row takes almost a millisecond.
 */
#include "app/map/layer-row.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/map/filler.h"
#include "app/map/value-row.h"

enum { BATCH = 50 };

struct _UrbariumLayerRow
{
  AdwExpanderRow       parent_instance;
  UrbariumMapDocument *document; /* owned */
  char                *name;     /* owned */
  GPtrArray           *values;   /* owned; of UrbariumValueInfo */
  GHashTable          *ranks;    /* owned; value to position, from 1 */
  GPtrArray           *rows;     /* borrowed; of UrbariumValueRow, for the first values */
  guint                n_wanted; /* rows to show */
  UrbariumFiller      *filler;   /* owned */
  AdwActionRow        *more;     /* borrowed; nullable: shows more values */
};

G_DEFINE_FINAL_TYPE (UrbariumLayerRow, urbarium_layer_row, ADW_TYPE_EXPANDER_ROW)

static void show_rows (UrbariumLayerRow *self, guint n);

static void
more_cb (UrbariumLayerRow *self)
{
  guint n = self->rows->len;
  show_rows (self, n + BATCH);
  if (n < self->rows->len)
    gtk_widget_child_focus (self->rows->pdata[n], GTK_DIR_TAB_FORWARD);
}

static void
add_more_row (UrbariumLayerRow *self)
{
  guint n_left = self->values->len - self->n_wanted;
  g_autofree char *count = urbarium_format_count (n_left);
  g_autofree char *title = NULL;
  if (n_left == 0)
    return;
  title = g_strdup_printf (ngettext ("Show %s more value", "Show %s more values", n_left), count);
  self->more = ADW_ACTION_ROW (adw_action_row_new ());
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->more), title);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self->more), TRUE);
  g_signal_connect_object (self->more, "activated", G_CALLBACK (more_cb), self, G_CONNECT_SWAPPED);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), GTK_WIDGET (self->more));
}

/* UrbariumFillerFunc */
static gboolean
add_row (gpointer data)
{
  UrbariumLayerRow *self = data;
  GtkWidget *row;
  if (self->rows->len >= self->n_wanted)
    {
      add_more_row (self);
      return FALSE;
    }
  row = urbarium_value_row_new (self->document, self->name);
  urbarium_value_row_set_info (URBARIUM_VALUE_ROW (row), self->values->pdata[self->rows->len]);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
  g_ptr_array_add (self->rows, row);
  return TRUE;
}

/* Adds or removes rows until there are @n, or all. */
static void
show_rows (UrbariumLayerRow *self, guint n)
{
  self->n_wanted = MIN (n, self->values->len);
  if (self->more != NULL)
    adw_expander_row_remove (ADW_EXPANDER_ROW (self), GTK_WIDGET (self->more));
  self->more = NULL;
  while (self->rows->len > self->n_wanted)
    {
      GtkWidget *row = g_ptr_array_steal_index (self->rows, self->rows->len - 1);
      adw_expander_row_remove (ADW_EXPANDER_ROW (self), row);
    }
  urbarium_filler_start (self->filler);
}

static void
expanded_cb (UrbariumLayerRow *self)
{
  if (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self)) && self->n_wanted == 0
      && self->values != NULL)
    show_rows (self, BATCH);
}

/* @format: with one %s */
static void
append (GString *text, gint64 n, const char *format)
{
  g_autofree char *count = urbarium_format_count (n);
  if (n == 0)
    return;
  if (text->len > 0)
    g_string_append (text, ", ");
  g_string_append_printf (text, format, count);
}

char *
urbarium_layer_row_make_remark (const UrbariumLayerInfo *info)
{
  GString *text = g_string_new (NULL);
  append (text, info->n_points_ignored,
          ngettext ("%s point skipped", "%s points skipped", (gulong) info->n_points_ignored));
  append (text, info->n_unreadable,
          ngettext ("%s unreadable", "%s unreadable", (gulong) info->n_unreadable));
  append (text, info->n_repaired,
          ngettext ("%s repaired", "%s repaired", (gulong) info->n_repaired));
  append (text, info->n_dropped,
          ngettext ("%s dropped", "%s dropped", (gulong) info->n_dropped));
  append (text, info->n_superseded,
          ngettext ("%s superseded", "%s superseded", (gulong) info->n_superseded));
  return g_string_free (text, text->len == 0);
}

static int
compare_ranks (gconstpointer a, gconstpointer b, gpointer ranks)
{
  guint ra = GPOINTER_TO_UINT (
    g_hash_table_lookup (ranks, (*(UrbariumValueInfo *const *) a)->value));
  guint rb = GPOINTER_TO_UINT (
    g_hash_table_lookup (ranks, (*(UrbariumValueInfo *const *) b)->value));
  return ra < rb ? -1 : ra > rb;
}

static void
set_subtitle (UrbariumLayerRow *self, const UrbariumLayerInfo *info)
{
  g_autofree char *count = urbarium_format_count (info->n_features);
  g_autofree char *remark = urbarium_layer_row_make_remark (info);
  GString *text = g_string_new (NULL);
  g_autofree char *subtitle = NULL;
  g_string_append_printf (
    text, ngettext ("%s object", "%s objects", (gulong) info->n_features), count);
  if (info->attribute != NULL)
    {
      g_string_append (text, " · ");
      /* translators: %s is the name of one or more attributes of the map */
      g_string_append_printf (text, _ ("classes by %s"), info->attribute);
    }
  if (remark != NULL)
    g_string_append_printf (text, " · %s", remark);
  subtitle = g_string_free (text, FALSE);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), subtitle);
}

void
urbarium_layer_row_set_info (UrbariumLayerRow *self, const UrbariumLayerInfo *info)
{
  guint n;
  g_return_if_fail (URBARIUM_IS_LAYER_ROW (self));
  g_free (self->name);
  self->name = g_strdup (info->name);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  self->values = g_ptr_array_ref (info->values);
  for (guint i = 0; i < self->values->len; i++)
    {
      const UrbariumValueInfo *value = self->values->pdata[i];
      if (!g_hash_table_contains (self->ranks, value->value))
        g_hash_table_insert (self->ranks, g_strdup (value->value),
                             GUINT_TO_POINTER (g_hash_table_size (self->ranks) + 1));
    }
  g_ptr_array_sort_with_data (self->values, compare_ranks, self->ranks);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), info->name);
  set_subtitle (self, info);
  n = MIN (self->rows->len, self->values->len);
  for (guint i = 0; i < n; i++)
    urbarium_value_row_set_info (self->rows->pdata[i], self->values->pdata[i]);
  if (self->n_wanted > 0)
    show_rows (self, self->n_wanted);
}

void
urbarium_layer_row_update (UrbariumLayerRow *self)
{
  g_return_if_fail (URBARIUM_IS_LAYER_ROW (self));
  for (guint i = 0; i < self->rows->len; i++)
    urbarium_value_row_update (self->rows->pdata[i]);
}

static void
dispose (GObject *object)
{
  UrbariumLayerRow *self = URBARIUM_LAYER_ROW (object);
  urbarium_filler_stop (self->filler);
  g_clear_object (&self->document);
  g_ptr_array_set_size (self->rows, 0);
  G_OBJECT_CLASS (urbarium_layer_row_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumLayerRow *self = URBARIUM_LAYER_ROW (object);
  g_free (self->name);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  g_hash_table_unref (self->ranks);
  g_ptr_array_unref (self->rows);
  urbarium_filler_free (self->filler);
  G_OBJECT_CLASS (urbarium_layer_row_parent_class)->finalize (object);
}

static void
urbarium_layer_row_class_init (UrbariumLayerRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_layer_row_init (UrbariumLayerRow *self)
{
  self->ranks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->rows = g_ptr_array_new ();
  self->filler = urbarium_filler_new (add_row, self);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  g_signal_connect (self, "notify::expanded", G_CALLBACK (expanded_cb), NULL);
}

GtkWidget *
urbarium_layer_row_new (UrbariumMapDocument *document)
{
  UrbariumLayerRow *self = g_object_new (URBARIUM_TYPE_LAYER_ROW, NULL);
  self->document = g_object_ref (document);
  return GTK_WIDGET (self);
}
