/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-panel.c - another map replaces all rows; the same map read again updates them in place, to
 * keep the scroll position and expanded rows.
 */
#include "app/map/map-panel.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/map/filler.h"
#include "app/map/layer-row.h"
#include "app/map/layer-options.h"
#include "app/map/legend-row.h"
#include "app/map/map-words.h"
#include "app/map/profile-row.h"
#include "app/map/value-row.h"

struct _UrbariumMapPanel
{
  AdwBin               parent_instance;
  UrbariumMapDocument *document; /* owned */
  char               **paths;    /* owned; nullable: of the map that is shown */
  char                *read_as;  /* owned; nullable: its profile, and those of layers */
  GHashTable          *rows;     /* owned; layer name (owned) to GtkWidget (borrowed) */
  GHashTable          *options;  /* owned; layer name (owned) to UrbariumLayerOptions (borrowed) */
  char                *focused;  /* owned; nullable: the layer of the options that had the focus */
  GPtrArray           *infos;    /* owned; nullable; of UrbariumLayerInfo */
  guint                n_shown;  /* number of infos with up-to-date rows */
  UrbariumFiller      *filler;   /* owned: creates rows */
  GPtrArray           *note_rows; /* borrowed */
  UrbariumLegendRow   *legend_rows[URB_N_CLASSES]; /* borrowed */

  GtkLabel            *title, *profile, *crs, *extent, *size;
  UrbariumProfileRow  *profile_row;
  AdwEntryRow         *crs_row;
  AdwActionRow        *part_row;
  AdwPreferencesGroup *notes_group, *legend, *roads, *layers;
  AdwExpanderRow      *notes;
  GtkSpinButton       *width;
};

G_DEFINE_FINAL_TYPE (UrbariumMapPanel, urbarium_map_panel, ADW_TYPE_BIN)

static guint class_visible_signal;

static void
switch_cb (GtkSwitch *visible_switch, GParamSpec *pspec, UrbariumMapPanel *self)
{
  for (int c = 0; c < URB_N_CLASSES; c++)
    if (urbarium_legend_row_get_switch (self->legend_rows[c]) == visible_switch)
      g_signal_emit (self, class_visible_signal, 0, c, gtk_switch_get_active (visible_switch));
}

static gboolean
width_output_cb (GtkSpinButton *spin, gpointer data)
{
  double width_m = gtk_spin_button_get_value (spin);
  g_autofree char *number = urbarium_format_number (width_m, 1);
  g_autofree char *text = NULL;
  if (width_m <= 0)
    /* translators: the width of a road that was not chosen by hand */
    text = g_strdup (_ ("proposed"));
  else
    /* translators: %s is a number of meters */
    text = g_strdup_printf (_ ("%s m"), number);
  if (!g_str_equal (text, gtk_editable_get_text (GTK_EDITABLE (spin))))
    gtk_editable_set_text (GTK_EDITABLE (spin), text);
  return TRUE;
}

static int
width_input_cb (GtkSpinButton *spin, double *width_m, gpointer data)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (spin));
  char *end;
  if (*text == '\0' || g_str_equal (text, _ ("proposed")))
    {
      *width_m = 0;
      return TRUE;
    }
  *width_m = g_strtod (text, &end);
  if (end != text)
    return TRUE;
  *width_m = gtk_spin_button_get_value (spin); /* GTK uses it in spite of the error */
  return GTK_INPUT_ERROR;
}

static void
width_changed_cb (UrbariumMapPanel *self)
{
  if (self->document != NULL)
    urbarium_map_document_set_road_width (self->document,
                                          gtk_spin_button_get_value (self->width));
}

static void
profile_selected_cb (UrbariumMapPanel *self)
{
  if (self->document != NULL)
    urbarium_map_document_set_profile (self->document,
                                       urbarium_profile_row_get_profile (self->profile_row));
}

static void
crs_applied_cb (UrbariumMapPanel *self)
{
  g_autofree char *crs
    = urbarium_map_words_make_crs (gtk_editable_get_text (GTK_EDITABLE (self->crs_row)));
  if (self->document != NULL)
    urbarium_map_document_set_crs (self->document, crs);
}

static void
show_choices (UrbariumMapPanel *self)
{
  const char *crs = urbarium_map_document_get_crs (self->document);
  const char *part = urbarium_map_document_get_part (self->document);
  g_auto(GStrv) sides = g_strsplit (part, ",", 0);
  g_autofree char *shown = g_strjoinv (", ", sides);
  urbarium_profile_row_set_profile (self->profile_row,
                                    urbarium_map_document_get_profile (self->document));
  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (self->crs_row)), crs))
    gtk_editable_set_text (GTK_EDITABLE (self->crs_row), crs);
  adw_action_row_set_subtitle (self->part_row, *part != '\0' ? shown : _ ("All of it"));
  gtk_spin_button_set_value (self->width, urbarium_map_document_get_road_width (self->document));
}

/* "Dutch large-scale topography (BGT), 97 of 100 points" */
static char *
describe_profile (const char *title, GPtrArray *fits)
{
  const UrbMapFit *best = fits->len > 0 ? g_ptr_array_index (fits, 0) : NULL;
  g_autofree char *score = NULL;
  if (best == NULL)
    return g_strdup (title);
  score = urbarium_format_number (best->score, 0);
  /* translators: %1$s is the kind of the map, %2$s says how well it fits */
  return g_strdup_printf (_ ("%1$s, %2$s of 100 points"), title, score);
}

static void
update_facts (UrbariumMapPanel *self, UrbMap *map)
{
  UrbBox box = urb_map_get_extent (map);
  gint64 n_polygons = urb_map_get_n_polygons (map), n_vertices = urb_map_get_n_vertices (map);
  const char *profile_name = urb_map_get_profile (map), *profile_title = NULL;
  g_autoptr(UrbProfile) profile
    = profile_name == NULL ? NULL : urb_profile_load (profile_name, NULL);
  g_autofree char *title = NULL;
  g_autofree char *width = urbarium_format_length (box.max_x - box.min_x);
  g_autofree char *height = urbarium_format_length (box.max_y - box.min_y);
  g_autofree char *extent = g_strdup_printf ("%s × %s", width, height);
  g_autofree char *n_polygons_text = urbarium_format_count (n_polygons);
  g_autofree char *n_vertices_text = urbarium_format_count (n_vertices);
  g_autofree char *polygons = g_strdup_printf (
    ngettext ("%s polygon", "%s polygons", (gulong) n_polygons), n_polygons_text);
  g_autofree char *vertices = g_strdup_printf (
    ngettext ("%s vertex", "%s vertices", (gulong) n_vertices), n_vertices_text);
  g_autofree char *size = g_strdup_printf ("%s, %s", polygons, vertices);
  g_autofree char *breakable = NULL;
  g_autofree char *described = NULL;
  g_object_get (self->document, "title", &title, NULL);
  breakable = urbarium_map_words_make_breakable (title);
  gtk_label_set_text (self->title, breakable);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->title), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  if (profile != NULL)
    profile_title = urb_profile_get_title (profile);
  described = describe_profile (profile_title != NULL  ? _ (profile_title)
                                : profile_name != NULL ? profile_name
                                                       : "–",
                                urb_map_get_fits (map));
  gtk_label_set_text (self->profile, described);
  gtk_label_set_text (self->crs, _ (urb_map_get_crs_name (map)));
  gtk_label_set_text (self->extent, extent);
  gtk_label_set_text (self->size, size);
}

static void
add_note (UrbariumMapPanel *self, const char *text)
{
  GtkWidget *row = adw_action_row_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), text);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 0);
  gtk_widget_add_css_class (row, "map-note");
  adw_expander_row_add_row (self->notes, row);
  g_ptr_array_add (self->note_rows, row);
}

static void
update_notes (UrbariumMapPanel *self, UrbMap *map)
{
  enum { MAX_NOTES = 100 };
  GPtrArray *warnings = urb_map_get_warnings (map);
  const char *const *paths = urbarium_map_document_get_paths (self->document);
  g_autofree char *count = urbarium_format_count (warnings->len);
  g_autofree char *title
    = g_strdup_printf (ngettext ("%s note on this map", "%s notes on this map", warnings->len),
                       count);
  for (guint i = 0; i < self->note_rows->len; i++)
    adw_expander_row_remove (self->notes, self->note_rows->pdata[i]);
  g_ptr_array_set_size (self->note_rows, 0);
  gtk_widget_set_visible (GTK_WIDGET (self->notes_group), warnings->len > 0);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->notes), title);
  for (guint i = 0; i < MIN (warnings->len, MAX_NOTES); i++)
    {
      g_autofree char *text = urbarium_map_words_make_plain (warnings->pdata[i], paths);
      add_note (self, text);
    }
  if (warnings->len > MAX_NOTES)
    add_note (self, _ ("…and more."));
}

static GtkWidget *
make_row (UrbariumMapPanel *self, const UrbariumLayerInfo *info)
{
  if (info->values->len == 0)
    return adw_action_row_new ();
  if (info->values->len == 1 && *((UrbariumValueInfo *) info->values->pdata[0])->value == '\0')
    return urbarium_value_row_new (self->document, info->name);
  return urbarium_layer_row_new (self->document);
}

static void
set_row_info (GtkWidget *row, const UrbariumLayerInfo *info)
{
  if (URBARIUM_IS_LAYER_ROW (row))
    urbarium_layer_row_set_info (URBARIUM_LAYER_ROW (row), info);
  else if (URBARIUM_IS_VALUE_ROW (row) && info->values->len > 0)
    urbarium_value_row_set_info (URBARIUM_VALUE_ROW (row), info->values->pdata[0]);
  else if (ADW_IS_ACTION_ROW (row))
    {
      g_autofree char *remark = urbarium_layer_row_make_remark (info);
      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), info->name);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), remark != NULL ? remark : "");
    }
}

/* The choices for the whole map are enough for its only layer. */
static void
add_options (UrbariumMapPanel *self, const char *layer, GtkWidget *row)
{
  GtkWidget *options;
  if (self->infos->len < 2)
    return;
  options = urbarium_layer_options_new (self->document, layer);
  g_hash_table_insert (self->options, g_strdup (layer), options);
  if (ADW_IS_EXPANDER_ROW (row))
    adw_expander_row_add_action (ADW_EXPANDER_ROW (row), options);
  else
    adw_action_row_add_suffix (ADW_ACTION_ROW (row), options);
  if (g_strcmp0 (self->focused, layer) != 0)
    return;
  g_clear_pointer (&self->focused, g_free);
  gtk_widget_child_focus (options, GTK_DIR_TAB_FORWARD);
}

/* UrbariumFillerFunc */
static gboolean
show_layer (gpointer data)
{
  UrbariumMapPanel *self = data;
  const UrbariumLayerInfo *info;
  GtkWidget *row;
  if (self->n_shown >= self->infos->len)
    return FALSE;
  info = self->infos->pdata[self->n_shown++];
  row = g_hash_table_lookup (self->rows, info->name);
  if (row == NULL)
    {
      row = make_row (self, info);
      g_hash_table_insert (self->rows, g_strdup (info->name), row);
      set_row_info (row, info);
      adw_preferences_group_add (self->layers, row);
      add_options (self, info->name, row);
    }
  else
    set_row_info (row, info);
  return TRUE;
}

static void
update_layers (UrbariumMapPanel *self, UrbMap *map)
{
  urbarium_filler_stop (self->filler);
  g_clear_pointer (&self->infos, g_ptr_array_unref);
  self->infos = urbarium_layer_info_list (map);
  self->n_shown = 0;
  urbarium_filler_start (self->filler);
  gtk_widget_set_visible (
    GTK_WIDGET (self->roads),
    urbarium_layer_info_has_road_lines (self->infos)
      || urbarium_map_document_get_road_width (self->document) > 0);
}

static void
classes_changed_cb (UrbariumMapPanel *self)
{
  GHashTableIter iter;
  gpointer row;
  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    if (URBARIUM_IS_LAYER_ROW (row))
      urbarium_layer_row_update (row);
    else if (URBARIUM_IS_VALUE_ROW (row))
      urbarium_value_row_update (row);
  g_hash_table_iter_init (&iter, self->options);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    urbarium_layer_options_update (row);
  show_choices (self);
}

/* Another profile of the map or a layer has other values.  @map: (nullable) */
static char *
describe_reading (UrbariumMapPanel *self, UrbMap *map)
{
  GPtrArray *layers = map != NULL ? urb_map_get_layers (map) : NULL;
  GString *text = g_string_new (map != NULL ? urb_map_get_profile (map) : NULL);
  for (guint i = 0; layers != NULL && i < layers->len; i++)
    {
      const UrbMapLayer *layer = layers->pdata[i];
      UrbMapLayerOptions chosen = urbarium_map_document_get_layer (self->document, layer->name);
      if (*chosen.profile != '\0')
        g_string_append_printf (text, "\n%s: %s", layer->name, chosen.profile);
    }
  return g_string_free (text, FALSE);
}

static void
remove_layers (UrbariumMapPanel *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GHashTableIter iter;
  gpointer layer, row;
  urbarium_filler_stop (self->filler);
  g_clear_pointer (&self->focused, g_free);
  g_hash_table_iter_init (&iter, self->options);
  while (g_hash_table_iter_next (&iter, &layer, &row))
    if (focus != NULL && gtk_widget_is_ancestor (focus, row))
      self->focused = g_strdup (layer);
  g_hash_table_remove_all (self->options);
  g_hash_table_iter_init (&iter, self->rows);
  while (g_hash_table_iter_next (&iter, NULL, &row))
    adw_preferences_group_remove (self->layers, row);
  g_hash_table_remove_all (self->rows);
}

static void
changed_cb (UrbariumMapPanel *self)
{
  UrbMap *map = urbarium_map_document_get_map (self->document);
  const char *const *paths = urbarium_map_document_get_paths (self->document);
  g_autofree char *read_as = describe_reading (self, map);
  double total_m2 = 0;
  if (paths == NULL || self->paths == NULL || g_strcmp0 (read_as, self->read_as) != 0
      || !g_strv_equal (paths, (const char *const *) self->paths))
    {
      remove_layers (self);
      adw_expander_row_set_expanded (self->notes, FALSE);
      g_strfreev (self->paths);
      self->paths = g_strdupv ((char **) paths);
      g_free (self->read_as);
      self->read_as = g_steal_pointer (&read_as);
    }
  if (map == NULL)
    return;
  update_facts (self, map);
  for (int c = 0; c < URB_N_CLASSES; c++)
    total_m2 += urb_map_get_class_area_m2 (map, (UrbClass) c);
  for (int c = 0; c < URB_N_CLASSES; c++)
    urbarium_legend_row_set_area (self->legend_rows[c],
                                  urb_map_get_class_area_m2 (map, (UrbClass) c), total_m2);
  update_notes (self, map);
  update_layers (self, map);
  classes_changed_cb (self);
}

void
urbarium_map_panel_set_document (UrbariumMapPanel *self, UrbariumMapDocument *document)
{
  g_return_if_fail (URBARIUM_IS_MAP_PANEL (self) && self->document == NULL);
  self->document = g_object_ref (document);
  g_signal_connect_object (document, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "classes-changed", G_CALLBACK (classes_changed_cb), self,
                           G_CONNECT_SWAPPED);
  changed_cb (self);
}

static void
dispose (GObject *object)
{
  UrbariumMapPanel *self = URBARIUM_MAP_PANEL (object);
  urbarium_filler_stop (self->filler);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (urbarium_map_panel_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumMapPanel *self = URBARIUM_MAP_PANEL (object);
  g_strfreev (self->paths);
  g_free (self->read_as);
  g_free (self->focused);
  g_hash_table_unref (self->rows);
  g_hash_table_unref (self->options);
  g_ptr_array_unref (self->note_rows);
  g_clear_pointer (&self->infos, g_ptr_array_unref);
  urbarium_filler_free (self->filler);
  G_OBJECT_CLASS (urbarium_map_panel_parent_class)->finalize (object);
}

static void
urbarium_map_panel_class_init (UrbariumMapPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  class_visible_signal
    = g_signal_new ("class-visible", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_BOOLEAN);
  g_type_ensure (URBARIUM_TYPE_PROFILE_ROW);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "map-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, title);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, profile);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, crs);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, profile_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, crs_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, part_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, extent);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, size);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, notes_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, notes);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, legend);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, roads);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, width);
  gtk_widget_class_bind_template_child (widget_class, UrbariumMapPanel, layers);
  gtk_widget_class_bind_template_callback (widget_class, width_output_cb);
  gtk_widget_class_bind_template_callback (widget_class, width_input_cb);
  gtk_widget_class_bind_template_callback (widget_class, width_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, profile_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, crs_applied_cb);
}

static void
urbarium_map_panel_init (UrbariumMapPanel *self)
{
  self->rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->note_rows = g_ptr_array_new ();
  self->filler = urbarium_filler_new (show_layer, self);
  gtk_widget_init_template (GTK_WIDGET (self));
  /* translators: the kind of a map, if none is chosen */
  urbarium_profile_row_fill (self->profile_row, _ ("Recognized"));
  for (int c = 0; c < URB_N_CLASSES; c++)
    {
      GtkWidget *row = urbarium_legend_row_new ((UrbClass) c);
      self->legend_rows[c] = URBARIUM_LEGEND_ROW (row);
      adw_preferences_group_add (self->legend, row);
      g_signal_connect_object (urbarium_legend_row_get_switch (self->legend_rows[c]),
                               "notify::active", G_CALLBACK (switch_cb), self, 0);
    }
}
