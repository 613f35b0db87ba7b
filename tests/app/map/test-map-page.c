/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include "app/map/class-button.h"
#include "app/map/layer-row.h"
#include "app/map/map-page.h"
#include "app/map/map-welcome.h"
#include "app/map/parcel-popover.h"
#include "app/map/value-row.h"
#include "map-server.h"

typedef struct
{
  UrbariumUndo        *undo;     /* owned */
  UrbariumMapDocument *document; /* owned */
  GtkWidget           *page;     /* borrowed */
  GtkWindow           *window;   /* borrowed */
} Fixture;

static void
set_up_size (Fixture *self, int width, int height)
{
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  self->page = g_object_new (URBARIUM_TYPE_MAP_PAGE, NULL);
  urbarium_map_page_set_document (URBARIUM_MAP_PAGE (self->page), self->document);
  self->window = test_window_new (self->page, width, height);
}

static void
set_up (Fixture *self, gconstpointer data)
{
  set_up_size (self, 1280, 760);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  if (self->window != NULL)
    test_window_destroy (self->window);
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
}

static gboolean
is_idle (gpointer data)
{
  g_autoptr(UrbariumJob) job = NULL;
  g_object_get (((Fixture *) data)->document, "job", &job, NULL);
  return job == NULL;
}

static gboolean
is_busy (gpointer data)
{
  return !is_idle (data);
}

static gboolean
is_drawn (gpointer page)
{
  gboolean is_drawing;
  g_object_get (urbarium_map_page_get_canvas (page), "busy", &is_drawing, NULL);
  return !is_drawing;
}

static void
open_path (Fixture *self, const char *path)
{
  g_autoptr(GListStore) files = g_list_store_new (G_TYPE_FILE);
  g_autoptr(GFile) file = g_file_new_for_path (path);
  g_list_store_append (files, file);
  urbarium_map_page_open_files (URBARIUM_MAP_PAGE (self->page), G_LIST_MODEL (files));
  test_until (is_idle, self);
  test_frames (self->window, 3);
}

/* The row whose title without zero-width spaces is @title. */
static AdwPreferencesRow *
find_row (Fixture *self, GType type, const char *title)
{
  g_autoptr(GPtrArray) rows = test_list (self->page, type);
  for (guint i = 0; i < rows->len; i++)
    {
      GString *text = g_string_new (adw_preferences_row_get_title (rows->pdata[i]));
      gboolean is_it;
      g_string_replace (text, "\u200b", "", 0);
      is_it = g_str_equal (text->str, title);
      g_string_free (text, TRUE);
      if (is_it)
        return rows->pdata[i];
    }
  g_error ("there is no row '%s'", title);
}

static void
assert_visible_child (Fixture *self, const char *name)
{
  GtkStack *stack = GTK_STACK (test_find (self->page, GTK_TYPE_STACK));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (stack), ==, name);
}

static void
open_sample (Fixture *self)
{
  g_assert_true (gtk_widget_activate_action (self->page, "map.open-sample", NULL));
  test_until (is_idle, self);
  test_frames (self->window, 3);
}

static void
choose (UrbariumValueRow *row, UrbClass class_)
{
  GtkWidget *button = test_find (GTK_WIDGET (row), URBARIUM_TYPE_CLASS_BUTTON);
  g_assert_true (gtk_widget_activate_action (test_find (button, GTK_TYPE_MENU_BUTTON),
                                             "class.choose", "i", (int) class_));
}

static double
area (Fixture *self, UrbClass class_)
{
  return urb_map_get_class_area_m2 (urbarium_map_document_get_map (self->document), class_);
}

static void
reread (Fixture *self)
{
  test_until (is_busy, self);
  test_until (is_idle, self);
  test_frames (self->window, 3);
}

static void
test_classes (Fixture *self, gconstpointer data)
{
  UrbariumValueRow *row;
  AdwPreferencesRow *layer;
  double before_m2, roads_m2;
  assert_visible_child (self, "empty");
  open_sample (self);
  assert_visible_child (self, "loaded");
  layer = find_row (self, URBARIUM_TYPE_LAYER_ROW, "landcover");
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (layer), TRUE);
  row = URBARIUM_VALUE_ROW (find_row (self, URBARIUM_TYPE_VALUE_ROW, "building"));
  before_m2 = area (self, URB_CLASS_BUILDING);
  roads_m2 = area (self, URB_CLASS_ROAD);
  choose (row, URB_CLASS_ROAD);
  reread (self);
  g_assert_cmpfloat (area (self, URB_CLASS_BUILDING), ==, 0);
  g_assert_cmpfloat (area (self, URB_CLASS_ROAD), >, roads_m2);
  g_assert_true (find_row (self, URBARIUM_TYPE_VALUE_ROW, "building")
                 == ADW_PREFERENCES_ROW (row)); /* the same row, in place */
  test_screenshot (self->window, "map-by-hand");
  urbarium_undo_undo (self->undo);
  reread (self);
  g_assert_cmpfloat_with_epsilon (area (self, URB_CLASS_BUILDING), before_m2, 1e-3);
  urbarium_undo_redo (self->undo);
  reread (self);
  g_assert_cmpfloat (area (self, URB_CLASS_BUILDING), ==, 0);
  g_assert_true (gtk_widget_activate_action (self->page, "map.close", NULL));
  assert_visible_child (self, "empty");
}

/* The part of the map that the canvas shows is offered, and read. */
static void
test_visible_part (Fixture *self, gconstpointer data)
{
  UrbariumCanvas *canvas = urbarium_map_page_get_canvas (URBARIUM_MAP_PAGE (self->page));
  AdwMessageDialog *dialog;
  UrbBox whole, part;
  open_sample (self);
  whole = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  urbarium_canvas_set_view (canvas, (whole.min_x + whole.max_x) / 2, (whole.min_y + whole.max_y) / 2, 0.5);
  g_assert_true (gtk_widget_activate_action (self->page, "map.choose-part", NULL));
  dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  adw_message_dialog_response (dialog, "read");
  reread (self);
  part = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  g_assert_cmpfloat (part.max_x - part.min_x, <, (whole.max_x - whole.min_x) / 2);
  g_assert_cmpfloat (part.max_y - part.min_y, <, (whole.max_y - whole.min_y) / 2);
  g_assert_true (urb_box_contains_point (part, (whole.min_x + whole.max_x) / 2, (whole.min_y + whole.max_y) / 2));
  test_screenshot (self->window, "map-visible-part");
}

static void
test_panel (Fixture *self, gconstpointer data)
{
  gboolean shown;
  open_sample (self);
  g_object_get (self->page, "show-panel", &shown, NULL);
  g_assert_true (shown);
  g_object_set (self->page, "show-panel", FALSE, NULL);
  test_frames (self->window, 3);
  g_object_get (self->page, "show-panel", &shown, NULL);
  g_assert_false (shown);
}

static gboolean
open_files_cb (char **uri, GListModel *files)
{
  g_autoptr(GFile) file = g_list_model_get_item (files, 0);
  g_assert_cmpuint (g_list_model_get_n_items (files), ==, 1);
  *uri = g_file_get_uri (file);
  return TRUE;
}

/* Chosen files may be opened by a handler other than the page. */
static void
test_open_files (Fixture *self, gconstpointer data)
{
  static const char chosen[] = "file:///nowhere/no.gpkg";
  g_autofree char *uri = NULL;
  g_signal_connect_swapped (self->page, "open-files", G_CALLBACK (open_files_cb), &uri);
  g_assert_true (gtk_widget_activate_action (self->page, "map.open-recent", "s", chosen));
  g_assert_cmpstr (uri, ==, chosen);
  g_assert_true (is_idle (self));
}

static gboolean
has_file_dialog (void)
{
  return test_find_window (GTK_TYPE_FILE_CHOOSER) != NULL;
}

static void
test_dialog (Fixture *self, gconstpointer data)
{
  test_file_chooser_begin ();
  g_assert_true (gtk_widget_activate_action (self->page, "map.open", NULL));
  g_assert_true (has_file_dialog ());
  g_assert_true (gtk_widget_activate_action (self->page, "map.open-folder", NULL));
  test_frames (self->window, 3);
  g_assert_true (has_file_dialog ());
  test_window_destroy (self->window);
  self->window = NULL;
  g_assert_false (has_file_dialog ());
  test_file_chooser_end ();
}

static gboolean
has_popover (gpointer page)
{
  return gtk_widget_get_visible (test_find (page, URBARIUM_TYPE_PARCEL_POPOVER));
}

static gboolean
has_attributes (gpointer page)
{
  return has_popover (page) && test_find (test_find (page, URBARIUM_TYPE_PARCEL_POPOVER), GTK_TYPE_GRID) != NULL;
}

static gboolean
has_no_popover (gpointer page)
{
  return !has_popover (page);
}

static void
click (Fixture *self, UrbBox box)
{
  g_signal_emit_by_name (urbarium_map_page_get_canvas (URBARIUM_MAP_PAGE (self->page)), "clicked",
                         (box.min_x + box.max_x) / 2, (box.min_y + box.max_y) / 2, 0);
}

static void
test_parcel (Fixture *self, gconstpointer data)
{
  UrbBox box;
  UrbariumCanvas *canvas = urbarium_map_page_get_canvas (URBARIUM_MAP_PAGE (self->page));
  open_sample (self);
  test_until (is_drawn, self->page);
  box = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  click (self, box);
  test_until (has_attributes, self->page);
  test_frames (self->window, 3);
  test_screenshot (self->window, "map-parcel-outline");
  urbarium_canvas_zoom (canvas, 4); /* the point moves away */
  test_until (has_no_popover, self->page);
  /* Closed before the result arrives. */
  click (self, box);
  urbarium_map_document_close (self->document);
  test_frames (self->window, 3);
  g_assert_false (has_popover (self->page));
  open_sample (self);
  click (self, box);
}

/* As a user does, in the dialog. */
static void
open_address (Fixture *self, const char *address)
{
  AdwMessageDialog *dialog;
  g_assert_true (gtk_widget_activate_action (self->page, "map.open-address", NULL));
  dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  gtk_editable_set_text (GTK_EDITABLE (test_find (adw_message_dialog_get_extra_child (dialog), GTK_TYPE_ENTRY)), address);
  g_assert_true (adw_message_dialog_get_response_enabled (dialog, "open"));
  adw_message_dialog_response (dialog, "open");
  test_until (is_idle, self);
  test_frames (self->window, 3);
  assert_visible_child (self, "loaded");
}

/* Whether a label of the popover contains @text, apart from zero-width spaces. */
static gboolean
popover_tells (Fixture *self, const char *text)
{
  g_autoptr(GPtrArray) labels = test_list (test_find (self->page, URBARIUM_TYPE_PARCEL_POPOVER), GTK_TYPE_LABEL);
  gboolean is_found = FALSE;
  for (guint i = 0; i < labels->len && !is_found; i++)
    {
      GString *shown = g_string_new (gtk_label_get_text (labels->pdata[i]));
      g_string_replace (shown, "\u200b", "", 0);
      is_found = strstr (shown->str, text) != NULL;
      g_string_free (shown, TRUE);
    }
  return is_found;
}

static gboolean
tells_no_server (gpointer data)
{
  Fixture *self = data;
  return has_popover (self->page) && popover_tells (self, "no server answers");
}

static gboolean
lists_two_layers (gpointer data)
{
  g_autoptr(GPtrArray) rows = test_list (((Fixture *) data)->page, URBARIUM_TYPE_LAYER_ROW);
  return rows->len == 2;
}

/* Its classes are shown; a click tells the attributes, and why not when the server has gone. */
static void
check_server (Fixture *self, GSubprocess *server, const char *address, const char *layer, const char *value)
{
  const UrbBox house = { 2600000, 1200000, 2600010, 1200010 };
  g_autofree char *name = g_strconcat ("map-server-", layer, NULL);
  open_address (self, address);
  test_until (lists_two_layers, self);
  g_assert_nonnull (find_row (self, URBARIUM_TYPE_LAYER_ROW, layer));
  g_assert_cmpfloat (area (self, URB_CLASS_BUILDING), >=, 10 * 10);
  g_assert_cmpfloat (area (self, URB_CLASS_ROAD), >=, 30 * 6);
  click (self, house);
  test_until (has_attributes, self->page);
  g_assert_true (popover_tells (self, layer));
  g_assert_true (popover_tells (self, value));
  test_frames (self->window, 3);
  test_screenshot (self->window, name);
  map_server_stop (server);
  click (self, house);
  test_until (tells_no_server, self);
  g_assert_false (popover_tells (self, "cret"));
  test_frames (self->window, 3);
  test_screenshot (self->window, "map-server-gone");
}

static void
test_feature_service (Fixture *self, gconstpointer data)
{
  int port = 0;
  GSubprocess *server = wfs_start ("/dev/null", NULL, &port);
  g_autofree char *address = g_strdup_printf ("http://anna:se%%3Acret@127.0.0.1:%d/locked?service=WFS", port);
  if (server == NULL)
    g_test_skip ("Python is not installed");
  else
    check_server (self, server, address, "t:buildings", "buildings.0");
}

static void
test_database (Fixture *self, gconstpointer data)
{
  int port = 0;
  GSubprocess *server = postgis_start (&port);
  g_autofree char *address = g_strdup_printf ("postgresql://anna:se%%3Acret@127.0.0.1:%d/town", port);
  if (server == NULL)
    g_test_skip ("PostgreSQL with PostGIS is not installed");
  else
    check_server (self, server, address, "houses", "Berta");
}

/* The page is disposed while its document reads. */
static void
test_finalized_early (Fixture *self, gconstpointer data)
{
  g_assert_true (gtk_widget_activate_action (self->page, "map.open-sample", NULL));
  test_window_destroy (self->window);
  self->window = NULL;
  test_until (is_idle, self);
}

static GtkWidget *
find_recent (GtkWidget *page)
{
  g_autoptr(GPtrArray) rows = test_list (test_find (page, URBARIUM_TYPE_MAP_WELCOME), ADW_TYPE_ACTION_ROW);
  for (guint i = 0; i < rows->len; i++)
    if (g_str_equal (adw_preferences_row_get_title (rows->pdata[i]), "my town.geojson"))
      return rows->pdata[i];
  return NULL;
}

static gboolean
has_recent (gpointer page)
{
  return find_recent (page) != NULL;
}

/* A map that was opened is listed as recent. */
static void
test_recent (Fixture *self, gconstpointer data)
{
  static const char json[]
    = "{ \"type\": \"FeatureCollection\", \"features\": ["
      "{ \"type\": \"Feature\", \"properties\": { \"class\": \"building\" }, \"geometry\": {"
      "  \"type\": \"Polygon\", \"coordinates\": [[[7.5,47.2],[7.51,47.2],[7.51,47.21],"
      "  [7.5,47.2]]] } } ] }";
  g_autofree char *path = g_build_filename (g_get_home_dir (), "my town.geojson", NULL);
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  g_assert_false (has_recent (self->page));
  open_path (self, path);
  assert_visible_child (self, "loaded");
  g_assert_true (gtk_widget_activate_action (self->page, "map.close", NULL));
  test_until (has_recent, self->page);
  test_frames (self->window, 3);
  test_screenshot (self->window, "map-empty-recent");
  g_assert_true (gtk_widget_activate (find_recent (self->page)));
  test_until (is_idle, self);
  assert_visible_child (self, "loaded");
}

static gboolean
has_dialog (void)
{
  return test_find_window (ADW_TYPE_MESSAGE_DIALOG) != NULL;
}

static void
close_dialogs (void)
{
  g_autoptr(GList) windows = gtk_window_list_toplevels ();
  for (GList *window = windows; window != NULL; window = window->next)
    if (ADW_IS_MESSAGE_DIALOG (window->data))
      gtk_window_destroy (window->data);
}

/* Every bad file leads to a dialog or a map, and the next file opens. */
static void
test_bad_inputs (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = test_data ("bad-inputs/derived");
  g_autoptr(GDir) dir = folder == NULL ? NULL : g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      urbarium_map_document_close (self->document);
      open_path (self, path);
      g_assert_true (has_dialog ()
                     == (urbarium_map_document_get_map (self->document) == NULL));
      if (g_str_equal (name, "truncated_half.geojson"))
        test_screenshot (self->window, "map-failed");
      close_dialogs ();
    }
  open_sample (self);
  assert_visible_child (self, "loaded");
}

static AdwMessageDialog *
find_dialog (const char *heading)
{
  g_autoptr(GList) windows = gtk_window_list_toplevels ();
  for (GList *window = windows; window != NULL; window = window->next)
    if (ADW_IS_MESSAGE_DIALOG (window->data) && g_str_equal (adw_message_dialog_get_heading (window->data), heading))
      return window->data;
  g_error ("there is no dialog '%s'", heading);
}

/* The map was refused; the dialog that tells why leads to the one for a part. */
static AdwMessageDialog *
ask_for_part (Fixture *self)
{
  AdwMessageDialog *dialog = find_dialog ("This map cannot be opened");
  g_assert_cmpstr (adw_message_dialog_get_response_label (dialog, "part"), ==, "Open a _part…");
  test_frames (GTK_WINDOW (dialog), 3);
  test_screenshot (GTK_WINDOW (dialog), "map-too-large");
  adw_message_dialog_response (dialog, "part");
  dialog = find_dialog ("Part of the map");
  g_assert_false (adw_message_dialog_get_response_enabled (dialog, "read"));
  test_frames (GTK_WINDOW (dialog), 3);
  test_screenshot (GTK_WINDOW (dialog), "part-of-refused");
  return dialog;
}

/* A few kilobytes that unpack to 3.2 GB do not fit into the memory that the reader has. */
static void
test_too_large (Fixture *self, gconstpointer data)
{
  static const guint8 zeros[] = /* 40 million of them, packed by bzip2 */
    "BZh91AY&SY\xd8\xec\xdd\xfe\x01\x32\x5f\x40\x08\xc0\x00\x00\x10\x00\x08\x20\x00\x30\xcc\x09\xaa\x69\xa0\x4a\x51\x5b"
    "\x50\x12\x94\x57\x8b\xb9\x22\x9c\x28\x48\x6c\x76\x6e\xff";
  enum { N_COPIES = 80 };
  g_autofree char *path = g_build_filename (g_get_home_dir (), "plan.geojson.bz2", NULL);
  g_autoptr(GByteArray) bomb = g_byte_array_new ();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("a sanitizer's memory has no bound");
  return;
#endif
  for (int i = 0; i < N_COPIES; i++)
    g_byte_array_append (bomb, zeros, sizeof zeros); /* its last byte is 0, too */
  g_assert_true (g_file_set_contents (path, (const char *) bomb->data, bomb->len, NULL));
  open_path (self, path);
  adw_message_dialog_response (ask_for_part (self), "cancel");
  g_assert_true (urbarium_map_document_can_open_part (self->document));
  open_sample (self);
  g_assert_false (urbarium_map_document_can_open_part (self->document));
}

static char *
write_house (double west)
{
  char *path = g_build_filename (g_get_home_dir (), "house.geojson", NULL);
  g_autofree char *json = g_strdup_printf (
    "{\"type\":\"Feature\",\"properties\":{\"class\":\"building\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":"
    "[[[%g,47.2],[%g,47.2],[%g,47.21],[%g,47.2]]]}}", west, west + 0.01, west + 0.01, west);
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  return path;
}

/* A file that has nothing in the part that was chosen is refused, and opened with another part. */
static void
test_part_of_refused (Fixture *self, gconstpointer data)
{
  static const char *const numbers[] = { "8.5", "47.19", "8.505", "47.22" };
  g_autofree char *path = write_house (7.5), *replaced = NULL;
  g_autoptr(GPtrArray) sides = NULL;
  AdwMessageDialog *dialog;
  open_path (self, path);
  urbarium_map_document_set_part (self->document, "7.4,47.1,7.6,47.3");
  reread (self);
  urbarium_map_document_close (self->document);
  replaced = write_house (8.5);
  open_path (self, replaced);
  dialog = ask_for_part (self);
  sides = test_list (adw_message_dialog_get_extra_child (dialog), ADW_TYPE_ENTRY_ROW);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    gtk_editable_set_text (sides->pdata[i], numbers[i]);
  adw_message_dialog_response (dialog, "read");
  test_until (is_idle, self);
  g_assert_cmpint (urb_map_get_n_polygons (urbarium_map_document_get_map (self->document)), ==, 1);
  g_assert_cmpstr (urbarium_map_document_get_part (self->document), ==, "8.5,47.19,8.505,47.22");
}

static void
shoot (Fixture *self, const char *map, const char *name, gboolean dark, gboolean has_panel)
{
  g_autofree char *file = g_strdup_printf ("map-%s-%s", name, dark ? "dark" : "light");
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                           : ADW_COLOR_SCHEME_FORCE_LIGHT);
  if (map != NULL)
    {
      g_autoptr(GPtrArray) rows = NULL;
      open_path (self, map);
      test_until (is_drawn, self->page);
      rows = test_list (self->page, ADW_TYPE_EXPANDER_ROW);
      for (guint i = 0; i < MIN (rows->len, 2); i++)
        adw_expander_row_set_expanded (rows->pdata[i], TRUE);
    }
  if (has_panel)
    g_object_set (self->page, "show-panel", TRUE, NULL);
  test_frames (self->window, 3);
  test_screenshot (self->window, file);
}

/* The dialog about a file that cannot be opened goes when another map opens. */
static void
test_error_goes (Fixture *self, gconstpointer data)
{
  open_path (self, "/nowhere/town.geojson");
  g_assert_true (has_dialog ());
  open_sample (self);
  g_assert_false (has_dialog ());
}

static void
test_screenshots (void)
{
  static const struct
  {
    const char *map, *name;
    int width, height;
    gboolean dark, is_rtl, has_panel;
  } shots[] = {
    { NULL, "empty", 1280, 760, FALSE },
    { NULL, "empty", 1920, 1040, TRUE },
    { NULL, "empty-narrow", 400, 700, FALSE },
    { "ch-so-wasseramt/wasseramt_lv03.gpkg", "wasseramt", 1280, 760, FALSE },
    { "ch-so-wasseramt/wasseramt_lv03.gpkg", "wasseramt", 1920, 1040, TRUE },
    { "nl-delft-bgt", "delft", 1280, 760, TRUE },
    { "osm-monaco/monaco-latest.osm.pbf", "monaco", 1280, 760, FALSE },
    { "osm-monaco/monaco-latest.osm.pbf", "monaco-narrow", 400, 700, FALSE },
    { "osm-monaco/monaco-latest.osm.pbf", "monaco-narrow-panel", 400, 700, TRUE, FALSE, TRUE },
    { "ch-so-wasseramt/wasseramt_lv03.gpkg", "wasseramt-rtl", 1280, 760, FALSE, TRUE },
    { NULL, "empty-rtl", 1280, 760, FALSE, TRUE },
    { "bad-inputs/derived/unknown_class_values.gpkg", "unknown", 1280, 760, TRUE },
  };
  if (g_getenv ("URBARIUM_SCREENSHOTS") == NULL)
    {
      g_test_skip ("URBARIUM_SCREENSHOTS is not set");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (shots); i++)
    {
      Fixture self = { 0 };
      g_autofree char *map = shots[i].map == NULL ? NULL : test_data (shots[i].map);
      gtk_widget_set_default_direction (shots[i].is_rtl ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
      set_up_size (&self, shots[i].width, shots[i].height);
      shoot (&self, map, shots[i].name, shots[i].dark, shots[i].has_panel);
      tear_down (&self, NULL);
    }
}

/* As the application does. */
static void
load_style (void)
{
  g_autoptr(GtkCssProvider) provider = gtk_css_provider_new ();
  gtk_css_provider_load_from_resource (provider, "/org/urbarium/Urbarium/style.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) \
  g_test_add ("/app/map-page/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (gdk_display_get_default ()),
                                    "/org/urbarium/Urbarium/icons");
  load_style ();
  ADD ("classes", test_classes);
  ADD ("visible-part", test_visible_part);
  ADD ("panel", test_panel);
  ADD ("open-files", test_open_files);
  ADD ("dialog", test_dialog);
  ADD ("too-large", test_too_large);
  ADD ("part-of-refused", test_part_of_refused);
  ADD ("parcel", test_parcel);
  ADD ("feature-service", test_feature_service);
  ADD ("database", test_database);
  ADD ("finalized-early", test_finalized_early);
  ADD ("recent", test_recent);
  ADD ("bad-inputs", test_bad_inputs);
  ADD ("error-goes", test_error_goes);
  g_test_add_func ("/app/map-page/screenshots", test_screenshots);
  return g_test_run ();
}
