/* SPDX-License-Identifier: Apache-2.0 */
/* test-layer-row.c - the values of a layer: created late, in batches, and never reordered. */
#include "app/map/class-button.h"
#include "app/map/layer-row.h"
#include "app/map/value-row.h"
#include "map-fixture.h"

enum { BATCH = 50 };

typedef struct
{
  MapFixture        map;
  UrbariumLayerRow *row; /* borrowed */
  GtkWindow        *window;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  GtkWidget *list = gtk_list_box_new (); /* as in a preferences group */
  GtkWidget *scroller = gtk_scrolled_window_new ();
  map_fixture_set_up (&self->map, NULL);
  self->row = URBARIUM_LAYER_ROW (urbarium_layer_row_new (self->map.document));
  gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (self->row));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  self->window = test_window_new (scroller, 400, 300);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  map_fixture_tear_down (&self->map, NULL);
}

static void
value_free (gpointer data)
{
  UrbariumValueInfo *self = data;
  g_free (self->value);
  g_free (self);
}

static void
add_value (GPtrArray *values, const char *value)
{
  UrbariumValueInfo *info = g_new0 (UrbariumValueInfo, 1);
  info->value = g_strdup (value);
  info->class_ = URB_CLASS_OTHER;
  info->known = TRUE;
  info->n_features = 1;
  g_ptr_array_add (values, info);
}

/* @values: separated by spaces */
static void
set_values (Fixture *self, const char *values)
{
  g_auto(GStrv) words = g_strsplit (values, " ", -1);
  g_autoptr(GPtrArray) infos = g_ptr_array_new_with_free_func (value_free);
  UrbariumLayerInfo info = { .name = (char *) "walls", .values = infos };
  for (int i = 0; words[i] != NULL; i++)
    add_value (infos, words[i]);
  urbarium_layer_row_set_info (self->row, &info);
}

static void
set_many (Fixture *self, int n)
{
  GString *values = g_string_new (NULL);
  for (int i = 0; i < n; i++)
    g_string_append_printf (values, "%s%d", i > 0 ? " " : "", i);
  set_values (self, values->str);
  g_string_free (values, TRUE);
}

static void
expand (Fixture *self)
{
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (self->row), TRUE);
}

/* The titles of the rows, also of hidden ones. (transfer full) */
static char *
list_rows (Fixture *self)
{
  g_autoptr(GPtrArray) rows
    = map_fixture_list (GTK_WIDGET (self->row), ADW_TYPE_ACTION_ROW);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < rows->len; i++)
    {
      const char *title = adw_preferences_row_get_title (rows->pdata[i]);
      if (URBARIUM_IS_VALUE_ROW (rows->pdata[i]))
        g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", title);
    }
  return g_string_free (text, FALSE);
}

static void
assert_rows (Fixture *self, const char *expected)
{
  g_autofree char *rows = list_rows (self);
  g_assert_cmpstr (rows, ==, expected);
}

static guint
count_rows (Fixture *self)
{
  g_autoptr(GPtrArray) rows
    = map_fixture_list (GTK_WIDGET (self->row), URBARIUM_TYPE_VALUE_ROW);
  return rows->len;
}

/* The row that adds more rows; NULL if there is none. */
static GtkWidget *
find_more (Fixture *self)
{
  g_autoptr(GPtrArray) rows
    = map_fixture_list (GTK_WIDGET (self->row), ADW_TYPE_ACTION_ROW);
  for (guint i = 0; i < rows->len; i++)
    if (gtk_list_box_row_get_activatable (rows->pdata[i]) && !URBARIUM_IS_VALUE_ROW (rows->pdata[i])
        && g_str_has_prefix (adw_preferences_row_get_title (rows->pdata[i]), "Show"))
      return rows->pdata[i];
  return NULL;
}

static gboolean
has_more (gpointer self)
{
  return find_more (self) != NULL;
}

static void
assert_more (Fixture *self, const char *title)
{
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (find_more (self))), ==,
                   title);
}

static gboolean
has_120 (gpointer self)
{
  return count_rows (self) == 120;
}

static void
test_subtitle (Fixture *self, gconstpointer data)
{
  g_autoptr(GPtrArray) none = g_ptr_array_new ();
  UrbariumLayerInfo info
    = { .name = (char *) "<b>walls & roofs", .values = none, .n_features = 12345 };
  AdwExpanderRow *row = ADW_EXPANDER_ROW (self->row);
  urbarium_layer_row_set_info (self->row, &info);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), ==,
                   "<b>walls & roofs");
  g_assert_cmpstr (adw_expander_row_get_subtitle (row), ==, "12\u202f345 objects");
  info.n_features = 1;
  info.attribute = (char *) "kind, use";
  info.n_repaired = 3;
  info.n_dropped = 1;
  urbarium_layer_row_set_info (self->row, &info);
  g_assert_cmpstr (adw_expander_row_get_subtitle (row), ==,
                   "1 object · classes by kind, use · 3 repaired, 1 dropped");
  test_frames (self->window, 2);
}

static void
test_remark (void)
{
  UrbariumLayerInfo info = { .n_features = 9 };
  g_autofree char *none = urbarium_layer_row_make_remark (&info);
  g_autofree char *one = NULL, *all = NULL;
  g_assert_null (none);
  info.n_points_ignored = 1;
  one = urbarium_layer_row_make_remark (&info);
  g_assert_cmpstr (one, ==, "1 point skipped");
  info.n_points_ignored = 2;
  info.n_repaired = 3;
  info.n_dropped = 4;
  info.n_superseded = 5;
  all = urbarium_layer_row_make_remark (&info);
  g_assert_cmpstr (all, ==, "2 points skipped, 3 repaired, 4 dropped, 5 superseded");
}

/* No rows before it is expanded; later they stay. */
static void
test_expand (Fixture *self, gconstpointer data)
{
  expand (self); /* without values */
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (self->row), FALSE);
  set_values (self, "a b c");
  g_assert_null (test_find (GTK_WIDGET (self->row), URBARIUM_TYPE_VALUE_ROW));
  expand (self);
  map_fixture_settle (self->window);
  assert_rows (self, "a b c");
  g_assert_null (find_more (self));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (self->row), FALSE);
  expand (self);
  map_fixture_settle (self->window);
  assert_rows (self, "a b c");
}

/* A changed class would sort the values differently; rows under the pointer do not move. */
static void
test_order (Fixture *self, gconstpointer data)
{
  GtkWidget *first;
  set_values (self, "a b c");
  expand (self);
  map_fixture_settle (self->window);
  first = test_find (GTK_WIDGET (self->row), URBARIUM_TYPE_VALUE_ROW);
  set_values (self, "c b a");
  assert_rows (self, "a b c");
  g_assert_true (test_find (GTK_WIDGET (self->row), URBARIUM_TYPE_VALUE_ROW) == first);
  set_values (self, "d c a"); /* new ones at the end */
  map_fixture_settle (self->window);
  assert_rows (self, "a c d");
  set_values (self, "c");
  map_fixture_settle (self->window);
  assert_rows (self, "c");
}

static void
test_batches (Fixture *self, gconstpointer data)
{
  GtkWidget *focus;
  set_many (self, 2 * BATCH + 20);
  expand (self);
  test_until (has_more, self);
  g_assert_cmpuint (count_rows (self), ==, BATCH);
  assert_more (self, "Show 70 more values");
  g_signal_emit_by_name (find_more (self), "activated");
  test_until (has_more, self);
  g_assert_cmpuint (count_rows (self), ==, 2 * BATCH);
  assert_more (self, "Show 20 more values");
  /* The activated row is removed: the focus moves to the first new row. */
  focus = gtk_window_get_focus (self->window);
  g_assert_nonnull (focus);
  focus = gtk_widget_get_ancestor (focus, URBARIUM_TYPE_VALUE_ROW);
  g_assert_nonnull (focus);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (focus)), ==, "50");
  g_signal_emit_by_name (find_more (self), "activated");
  test_until (has_120, self);
  g_assert_null (find_more (self));
}

static void
test_last_of_batch (Fixture *self, gconstpointer data)
{
  set_many (self, BATCH + 1);
  expand (self);
  test_until (has_more, self);
  assert_more (self, "Show 1 more value");
  set_many (self, BATCH); /* read again, it is gone */
  map_fixture_settle (self->window);
  g_assert_cmpuint (count_rows (self), ==, BATCH);
  g_assert_null (find_more (self));
}

/* Chosen elsewhere: in another layer of that name, or by undo. */
static void
test_update (Fixture *self, gconstpointer data)
{
  static const char *const values[] = { "building", "quarry", NULL };
  g_autofree char *path = map_fixture_write ("walls", 0, values);
  const char *paths[] = { path, NULL };
  g_autoptr(GPtrArray) rows = NULL;
  map_fixture_open (&self->map, paths);
  set_values (self, "building quarry");
  expand (self);
  map_fixture_settle (self->window);
  urbarium_map_document_set_class (self->map.document, "walls", "quarry", URB_CLASS_ROAD);
  urbarium_layer_row_update (self->row);
  rows = map_fixture_list (GTK_WIDGET (self->row), URBARIUM_TYPE_VALUE_ROW);
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpstr (adw_action_row_get_subtitle (rows->pdata[0]), ==, "1 object");
  g_assert_cmpstr (adw_action_row_get_subtitle (rows->pdata[1]), ==, "1 object · by hand");
}

/* Disposed while rows are being created. */
static void
test_gone_early (Fixture *self, gconstpointer data)
{
  set_many (self, 1000);
  expand (self);
}

int
main (int argc, char **argv)
{
#define ADD(name, func) g_test_add ("/app/layer-row/" name, Fixture, NULL, set_up, func, tear_down)
  test_app_init (&argc, &argv);
  ADD ("subtitle", test_subtitle);
  g_test_add_func ("/app/layer-row/remark", test_remark);
  ADD ("expand", test_expand);
  ADD ("order", test_order);
  ADD ("batches", test_batches);
  ADD ("last-of-batch", test_last_of_batch);
  ADD ("update", test_update);
  ADD ("gone-early", test_gone_early);
  return g_test_run ();
}
