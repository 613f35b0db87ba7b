/* SPDX-License-Identifier: Apache-2.0 */
#include "map-fixture.h"

#include "app/map/map-panel.h"

void
map_fixture_set_up (MapFixture *self, gconstpointer data)
{
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
}

void
map_fixture_tear_down (MapFixture *self, gconstpointer data)
{
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
}

void
map_panel_fixture_set_up (MapPanelFixture *self, gconstpointer data)
{
  map_fixture_set_up (&self->map, NULL);
  self->panel = g_object_new (URBARIUM_TYPE_MAP_PANEL, NULL);
  urbarium_map_panel_set_document (URBARIUM_MAP_PANEL (self->panel), self->map.document);
  self->window = test_window_new (self->panel, 400, 900);
}

void
map_panel_fixture_tear_down (MapPanelFixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  map_fixture_tear_down (&self->map, NULL);
}

static void
append_geometry (GString *json, char kind, double x, double y)
{
  if (kind == '~')
    g_string_append_printf (json, "\"LineString\", \"coordinates\": [[%.0f,%.0f],[%.0f,%.0f]]", x,
                            y, x + 10, y);
  else if (kind == '*')
    g_string_append_printf (json, "\"Point\", \"coordinates\": [%.0f,%.0f]", x, y);
  else
    g_string_append_printf (json,
                            "\"Polygon\", \"coordinates\": [[[%.0f,%.0f],[%.0f,%.0f],[%.0f,%.0f],"
                            "[%.0f,%.0f],[%.0f,%.0f]]]",
                            x, y, x + 10, y, x + 10, y + 10, x, y + 10, x, y);
}

char *
map_fixture_write (const char *name, int y_m, const char *const *values)
{
  GString *json = g_string_new (NULL);
  g_autofree char *file = g_strconcat (name, ".geojson", NULL);
  char *path = g_build_filename (g_get_user_cache_dir (), file, NULL);
  g_string_append_printf (
    json,
    "{ \"type\": \"FeatureCollection\", \"name\": \"%s\", \"crs\": { \"type\": \"name\","
    " \"properties\": { \"name\": \"urn:ogc:def:crs:EPSG::2056\" } }, \"features\": [",
    name);
  for (int i = 0; values[i] != NULL; i++)
    {
      char kind = values[i][0];
      const char *value = kind == '~' || kind == '*' ? values[i] + 1 : values[i];
      g_string_append_printf (json, "%s{ \"type\": \"Feature\", \"properties\": { ",
                              i > 0 ? "," : "");
      if (*value != '\0')
        g_string_append_printf (json, "\"class\": \"%s\" ", value);
      g_string_append (json, "}, \"geometry\": { \"type\": ");
      append_geometry (json, kind, 2600000 + 20.0 * i, 1200000.0 + y_m);
      g_string_append (json, " } }");
    }
  g_string_append (json, "] }");
  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  g_assert_true (g_file_set_contents (path, json->str, -1, NULL));
  g_string_free (json, TRUE);
  return path;
}

static gboolean
is_idle (gpointer data)
{
  g_autoptr(UrbariumJob) job = NULL;
  g_object_get (((MapFixture *) data)->document, "job", &job, NULL);
  return job == NULL;
}

static gboolean
is_busy (gpointer data)
{
  return !is_idle (data);
}

static void
failed_cb (UrbariumMapDocument *document, GError *error)
{
  g_error ("the map cannot be opened: %s", error->message);
}

void
map_fixture_open (MapFixture *self, const char *const *paths)
{
  gulong failed = g_signal_connect (self->document, "failed", G_CALLBACK (failed_cb), NULL);
  urbarium_map_document_open (self->document, paths);
  test_until (is_idle, self);
  g_signal_handler_disconnect (self->document, failed);
  g_assert_nonnull (urbarium_map_document_get_map (self->document));
}

void
map_fixture_reread (MapFixture *self)
{
  test_until (is_busy, self);
  test_until (is_idle, self);
}

void
map_fixture_settle (GtkWindow *window)
{
  while (g_main_context_iteration (NULL, FALSE))
    ;
  test_frames (window, 3);
}

GPtrArray *
map_fixture_list (GtkWidget *root, GType type)
{
  GPtrArray *found = test_list (root, type);
  for (guint i = found->len; i > 0; i--)
    if (!gtk_widget_get_mapped (found->pdata[i - 1]))
      g_ptr_array_remove_index (found, i - 1);
  return found;
}

char *
map_fixture_unbreak (const char *text)
{
  GString *joined = g_string_new (text);
  g_string_replace (joined, "\u200b", "", 0);
  return g_string_free (joined, FALSE);
}

void
map_fixture_choose (GtkWidget *class_button, const char *title)
{
  GtkMenuButton *button = GTK_MENU_BUTTON (test_find (class_button, GTK_TYPE_MENU_BUTTON));
  GtkWidget *toggle = gtk_widget_get_first_child (GTK_WIDGET (button));
  GtkWidget *popover;
  g_signal_emit_by_name (toggle, "clicked");
  popover = GTK_WIDGET (gtk_menu_button_get_popover (button));
  g_assert_true (gtk_widget_get_visible (popover));
  for (GtkWidget *window = popover;; window = gtk_widget_get_parent (window))
    if (GTK_IS_WINDOW (window))
      {
        test_frames (GTK_WINDOW (window), 2);
        break;
      }
  {
    g_autoptr(GPtrArray) items
      = map_fixture_list (popover, g_type_from_name ("GtkModelButton"));
    for (guint i = 0; i < items->len; i++)
      {
        g_autofree char *text = NULL;
        g_object_get (items->pdata[i], "text", &text, NULL);
        if (g_str_equal (text, title))
          {
            g_assert_true (gtk_widget_activate (items->pdata[i]));
            return;
          }
      }
  }
  g_error ("there is no item '%s'", title);
}
