/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>

#include "app/areas/area-tile.h"
#include "app/areas/areas-page.h"
#include "app/areas/square-nodes.h"
#include "app/canvas/canvas.h"
#include "app/plot/histogram.h"

typedef struct
{
  UrbariumUndo        *undo;
  UrbariumMapDocument *document;
  UrbariumAreasPage   *page;
  UrbariumCuration    *curation;
  GtkWindow           *window;
  char                *saved;
} Fixture;

static gboolean
has_map (gpointer data)
{
  return urbarium_map_document_get_map (data) != NULL;
}

static gboolean
is_settled (gpointer data)
{
  gboolean busy;
  g_object_get (data, "busy", &busy, NULL);
  return !busy;
}

static gboolean
is_drawn (gpointer data)
{
  gboolean busy;
  g_object_get (data, "busy", &busy, NULL);
  return !busy;
}

static GtkWidget *
find (Fixture *self, GType type)
{
  GtkWidget *widget = test_find (GTK_WIDGET (self->page), type);
  g_assert_nonnull (widget);
  return widget;
}

static void
saved_cb (Fixture *self, const char *path)
{
  self->saved = g_strdup (path);
}

static void
build (Fixture *self, int width, int height)
{
  GtkWidget *toasts = adw_toast_overlay_new ();
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  self->page = g_object_new (URBARIUM_TYPE_AREAS_PAGE, NULL);
  urbarium_areas_page_set_document (self->page, self->document, self->undo);
  self->curation = urbarium_areas_page_get_curation (self->page);
  g_signal_connect_swapped (self->page, "dataset-saved", G_CALLBACK (saved_cb), self);
  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (toasts), GTK_WIDGET (self->page));
  self->window = test_window_new (toasts, width, height);
}

static void
settle (Fixture *self)
{
  test_until (is_settled, self->curation);
  test_frames (self->window, 3);
}

static void
open_map (Fixture *self, const char *path)
{
  if (path == NULL)
    urbarium_map_document_open_sample (self->document);
  else
    urbarium_map_document_open (self->document, (const char *const[]) { path, NULL });
  test_until (has_map, self->document);
  settle (self);
  g_assert_no_error (urbarium_curation_get_error (self->curation));
}

static void
set_up (Fixture *self, gconstpointer data)
{
  build (self, 1280, 800);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
  g_free (self->saved);
}

static gsize
n_chosen (Fixture *self)
{
  return urbarium_curation_get_choice (self->curation).n;
}

static void
test_empty (Fixture *self, gconstpointer data)
{
  test_screenshot (self->window, "areas-empty");
  g_assert_false (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_CANVAS)));
}

static void
test_click (Fixture *self, gconstpointer data)
{
  UrbariumCanvas *canvas;
  UrbSquare square;
  gsize n;
  open_map (self, NULL);
  canvas = URBARIUM_CANVAS (find (self, URBARIUM_TYPE_CANVAS));
  square = urbarium_curation_get_area (self->curation, 0)->square;
  n = n_chosen (self);
  g_signal_emit_by_name (canvas, "pointer", square.x, square.y, TRUE);
  g_signal_emit_by_name (canvas, "clicked", square.x, square.y, 0);
  settle (self);
  g_assert_cmpuint (n_chosen (self), ==, n - 1);
  g_signal_emit_by_name (canvas, "pointer", 0.0, 0.0, FALSE);
  gtk_widget_activate_action (GTK_WIDGET (self->page), "areas.reset", NULL);
  settle (self);
  g_assert_cmpuint (n_chosen (self), ==, n);
}

static void
test_lasso (Fixture *self, gconstpointer data)
{
  UrbariumCanvas *canvas;
  UrbBox box;
  int tool;
  g_autoptr(GArray) loop = g_array_new (FALSE, FALSE, sizeof (double));
  open_map (self, NULL);
  canvas = URBARIUM_CANVAS (find (self, URBARIUM_TYPE_CANVAS));
  box = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  const double corners[] = { box.min_x, box.min_y, box.max_x, box.min_y,
                             box.max_x, box.max_y, box.min_x, box.max_y };
  g_array_append_vals (loop, corners, G_N_ELEMENTS (corners));
  gtk_widget_activate_action (GTK_WIDGET (self->page), "areas.tool", "s", "remove");
  g_object_get (canvas, "tool", &tool, NULL);
  g_assert_cmpint (tool, ==, URBARIUM_CANVAS_LASSO);
  g_signal_emit_by_name (canvas, "lasso", loop);
  settle (self);
  g_assert_cmpuint (n_chosen (self), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (self->page), "areas.tool", "s", "add");
  g_signal_emit_by_name (canvas, "lasso", loop);
  settle (self);
  g_assert_cmpuint (n_chosen (self), >, 0);
  gtk_widget_activate_action (GTK_WIDGET (self->page), "areas.tool", "s", "point");
  g_object_get (canvas, "tool", &tool, NULL);
  g_assert_cmpint (tool, ==, URBARIUM_CANVAS_PAN);
}

/* The first tile has been encoded, in whichever widget it is shown. */
static gboolean
has_picture (gpointer data)
{
  GtkWidget *page = GTK_WIDGET (((Fixture *) data)->page);
  GtkWidget *tile = test_find (page, URBARIUM_TYPE_AREA_TILE);
  const char *text = tile == NULL ? NULL : gtk_widget_get_tooltip_text (tile);
  return text != NULL && strchr (text, '\n') != NULL;
}

static void
test_tiles (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  open_map (self, NULL);
  test_until (has_picture, self);
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.soft = TRUE;
  options.resolution_px = 32;
  options.encoding = URB_ENCODING_GREY;
  urbarium_curation_set_options (self->curation, &options, "Grey");
  settle (self);
  test_until (has_picture, self);
  test_screenshot (self->window, "areas-grey");
}

static gboolean
is_saved (gpointer data)
{
  return ((Fixture *) data)->saved != NULL;
}

static void
test_save (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "areas & <page>.gpkg", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = NULL;
  open_map (self, NULL);
  urbarium_areas_page_save (self->page, path);
  test_until (is_saved, self);
  g_assert_cmpstr (self->saved, ==, path);
  dataset = urb_dataset_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (urb_dataset_get_info (dataset)->n_areas, ==, n_chosen (self));
  g_unlink (path);
}

/* The dialog opens, and is destroyed with its window. */
static void
test_save_dialog (Fixture *self, gconstpointer data)
{
  g_autoptr(GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  open_map (self, NULL);
  test_file_chooser_begin ();
  gtk_widget_activate_action (GTK_WIDGET (self->page), "areas.save", NULL);
  test_frames (self->window, 3);
  g_assert_cmpuint (g_list_model_get_n_items (windows), ==, 2);
  test_file_chooser_end ();
}

static gboolean
has_question (gpointer data)
{
  return test_find_window (ADW_TYPE_MESSAGE_DIALOG) != NULL;
}

static void
answer (const char *response)
{
  AdwMessageDialog *dialog = test_find_window (ADW_TYPE_MESSAGE_DIALOG);
  adw_message_dialog_response (dialog, response);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static gboolean
is_in_folder (gpointer folder)
{
  g_autoptr(GFile) file
    = gtk_file_chooser_get_current_folder (test_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG));
  g_autofree char *path = file == NULL ? NULL : g_file_get_path (file);
  return g_strcmp0 (path, folder) == 0;
}

static void
save_as (Fixture *self, char *folder, const char *name)
{
  g_autoptr(GFile) file = g_file_new_for_path (folder);
  GtkFileChooser *chooser;
  gtk_widget_activate_action (GTK_WIDGET (self->page), "areas.save", NULL);
  test_frames (self->window, 3);
  chooser = test_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);
  gtk_file_chooser_set_current_folder (chooser, file, NULL);
  test_until (is_in_folder, folder);
  gtk_file_chooser_set_current_name (chooser, name);
  gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_ACCEPT);
}

/* The suffix is added; an existing file of the completed name is not replaced without asking. */
static void
test_save_suffix (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-areas-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "town 2.0.gpkg", NULL);
  /* Later GTK versions complete the name by the filter's suffix, and ask. */
  gboolean completes = gtk_check_version (4, 10, 0) == NULL;
  g_autofree char *text = NULL;
  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  open_map (self, NULL);
  test_file_chooser_begin ();
  for (int i = 0; i < 2 && !completes; i++)
    {
      save_as (self, folder, "town 2.0");
      test_until (has_question, NULL);
      g_assert_null (self->saved);
      answer (i == 0 ? "cancel" : "accept");
      test_frames (self->window, 3);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL) || i > 0);
      g_assert_true (i > 0 || g_str_equal (text, "old"));
      g_clear_pointer (&text, g_free);
    }
  if (!completes)
    {
      test_until (is_saved, self);
      g_assert_cmpstr (self->saved, ==, path);
      g_clear_pointer (&self->saved, g_free);
    }
  g_unlink (path);
  save_as (self, folder, "town 2.0"); /* no such file, no question */
  test_until (is_saved, self);
  g_assert_cmpstr (self->saved, ==, path);
  g_assert_false (has_question (NULL));
  test_file_chooser_end ();
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static gboolean
is_asked_or_saved (gpointer data)
{
  return has_question (NULL) || is_saved (data);
}

/* The dataset of a run, and the run that used it. */
static char *
use_dataset (Fixture *self, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "first.gpkg", NULL);
  g_autofree char *ini = g_build_filename (folder, "run.ini", NULL);
  g_autofree char *text = g_strdup_printf ("[run]\nname=first\n[train]\ndataset=%s\n", path);
  urbarium_areas_page_save (self->page, path);
  test_until (is_saved, self);
  g_clear_pointer (&self->saved, g_free);
  g_assert_true (g_file_set_contents (ini, text, -1, NULL));
  return g_steal_pointer (&path);
}

/* A dataset that trains on test areas of a run is saved after a question only. */
static void
test_save_tested (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-areas-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "second.gpkg", NULL);
  g_autofree char *ini = g_build_filename (folder, "run.ini", NULL);
  g_autofree char *first = NULL;
  UrbCurateOptions options;
  open_map (self, NULL);
  first = use_dataset (self, folder);
  g_object_set (self->page, "run-places", (const char *const[]) { folder, NULL }, NULL);
  urbarium_areas_page_save (self->page, path); /* the same test areas */
  test_until (is_asked_or_saved, self);
  g_assert_false (has_question (NULL));
  g_clear_pointer (&self->saved, g_free);
  g_unlink (path);
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.seed++;
  urbarium_curation_set_options (self->curation, &options, "Seed");
  settle (self);
  for (int i = 0; i < 2; i++)
    {
      urbarium_areas_page_save (self->page, path);
      test_until (is_asked_or_saved, self);
      g_assert_null (self->saved);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      test_frames (self->window, 3);
      g_assert_nonnull (strstr (adw_message_dialog_get_body (test_find_window (ADW_TYPE_MESSAGE_DIALOG)), "“first.gpkg”"));
      test_screenshot (test_find_window (ADW_TYPE_MESSAGE_DIALOG), "areas-tested");
      answer (i == 0 ? "cancel" : "accept");
      test_frames (self->window, 3);
    }
  test_until (is_saved, self);
  g_assert_cmpstr (self->saved, ==, path);
  g_unlink (path);
  g_unlink (first);
  g_unlink (ini);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Closed while searching and encoding: nothing leaks, late results do no harm. */
static void
test_close (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  open_map (self, NULL);
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.stride_m = 20;
  urbarium_curation_set_options (self->curation, &options, "Stride");
}

static gboolean
has_failed (gpointer data)
{
  return urbarium_curation_get_error (data) != NULL;
}

static GtkButton *
find_fix (Fixture *self)
{
  GtkWidget *page = test_find (find (self, GTK_TYPE_PANED), ADW_TYPE_STATUS_PAGE);
  return GTK_BUTTON (test_find (page, GTK_TYPE_BUTTON));
}

static gboolean
has_advice (gpointer data)
{
  return gtk_widget_get_mapped (GTK_WIDGET (find_fix (data)));
}

/* Waits for the advice, takes it, and compares the areas with the number that it promised. */
static void
take_advice (Fixture *self, const char *label)
{
  g_autofree char *text = NULL;
  g_autofree char *promised = NULL;
  test_until (has_advice, self);
  test_frames (self->window, 3);
  test_screenshot (self->window, "areas-trouble");
  text = g_strdup (adw_status_page_get_description (
    ADW_STATUS_PAGE (gtk_widget_get_ancestor (GTK_WIDGET (find_fix (self)), ADW_TYPE_STATUS_PAGE))));
  g_assert_cmpstr (gtk_button_get_label (find_fix (self)), ==, label);
  g_signal_emit_by_name (find_fix (self), "clicked");
  settle (self);
  g_assert_no_error (urbarium_curation_get_error (self->curation));
  promised = g_strdup_printf ("the most: %" G_GSIZE_FORMAT " area", n_chosen (self));
  g_assert_nonnull (strstr (text, promised));
  g_assert_cmpuint (n_chosen (self), >, 0);
  g_assert_true (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_HISTOGRAM)));
  g_assert_true (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_CANVAS)));
}

/* If no area is possible, the page explains why, and one button makes the change that helps most. */
static void
test_trouble (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  open_map (self, NULL);
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.area_size_m = options.stride_m = 5000;
  urbarium_curation_set_options (self->curation, &options, "Large");
  test_until (has_failed, self->curation);
  test_frames (self->window, 3);
  g_assert_false (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_HISTOGRAM)));
  take_advice (self, "Use areas of 1.2 km");
}

/* A map with too many places for the options: a part of it can be read. */
static void
test_too_large (Fixture *self, gconstpointer data)
{
  static const char json[]
    = "{\"type\":\"Feature\",\"properties\":{\"class\":\"building\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":"
      "[[[7,47],[7.5,47],[7.5,47.5],[7,47]]]}}";
  g_autofree char *path = g_build_filename (g_get_home_dir (), "large.geojson", NULL);
  UrbCurateOptions options;
  g_assert_true (g_file_set_contents (path, json, -1, NULL));
  urbarium_map_document_open (self->document, (const char *const[]) { path, NULL });
  test_until (has_map, self->document);
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.area_size_m = 10;
  options.stride_m = 0.2;
  urbarium_curation_set_options (self->curation, &options, "Small");
  test_until (has_failed, self->curation);
  test_frames (self->window, 3);
  test_screenshot (self->window, "areas-too-large");
  g_assert_cmpstr (gtk_button_get_label (find_fix (self)), ==, "Open a _part…");
  g_signal_emit_by_name (find_fix (self), "clicked");
  g_assert_cmpstr (adw_message_dialog_get_heading (test_find_window (ADW_TYPE_MESSAGE_DIALOG)), ==, "Part of the map");
  adw_message_dialog_response (test_find_window (ADW_TYPE_MESSAGE_DIALOG), "cancel");
}

/* So too if areas were found, and the threshold excludes them all; but not in the middle of a drag. */
static void
test_threshold_too_high (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  open_map (self, NULL);
  g_object_set (self->curation, "threshold", 0.9, NULL);
  test_frames (self->window, 3);
  g_assert_true (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_CANVAS)));
  urbarium_curation_settle_threshold (self->curation);
  settle (self);
  g_assert_false (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_CANVAS)));
  g_assert_true (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_HISTOGRAM)));
  /* An option that needs no search stays as it is chosen while others are tried. */
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.soft = TRUE;
  urbarium_curation_set_options (self->curation, &options, "Soft");
  take_advice (self, "Lower the threshold to 0.20");
  g_assert_true (urbarium_curation_get_decisions (self->curation)->options.soft);
  /* A drag brings the map back, and the end of a drag above all areas the advice. */
  g_object_set (self->curation, "threshold", 0.9, NULL);
  urbarium_curation_settle_threshold (self->curation);
  settle (self);
  g_object_set (self->curation, "threshold", 0.2, NULL);
  g_assert_true (gtk_widget_get_mapped (find (self, URBARIUM_TYPE_CANVAS)));
}

/* With cached nodes, a frame with thousands of areas takes the main loop little time. */
static void
test_many (Fixture *self, gconstpointer data)
{
  enum { N_FRAMES = 50 };
  g_autoptr(UrbariumSquareNodes) nodes = urbarium_square_nodes_new ();
  UrbCurateOptions options;
  gint64 start;
  double frame_ms;
  open_map (self, NULL);
  options = urbarium_curation_get_decisions (self->curation)->options;
  options.stride_m = 25;
  options.max_overlap = 1;
  options.min_variance = 0;
  options.validation_share = 0; /* places set aside cost the areas around them */
  urbarium_curation_set_options (self->curation, &options, "Many");
  settle (self);
  g_assert_cmpuint (n_chosen (self), >, 3000);
  start = g_get_monotonic_time ();
  for (int i = 0; i <= N_FRAMES; i++)
    {
      g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new ();
      g_autoptr(GskRenderNode) node = NULL;
      urbarium_square_nodes_draw (nodes, snapshot, urbarium_curation_get_ranked (self->curation),
                                  n_chosen (self) - (gsize) i, 2);
      node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
      if (i == 0)
        {
          g_test_message ("%" G_GSIZE_FORMAT " areas: first frame %.2f ms", n_chosen (self),
                          (double) (g_get_monotonic_time () - start) / 1000);
          start = g_get_monotonic_time ();
        }
    }
  frame_ms = (double) (g_get_monotonic_time () - start) / 1000 / N_FRAMES;
  g_test_message ("while the threshold is dragged: %.2f ms a frame", frame_ms);
  g_assert_cmpfloat (frame_ms, <, 16);
}

static void
choose_densely (Fixture *self)
{
  UrbCurateOptions options = urbarium_curation_get_decisions (self->curation)->options;
  options.stride_m = 25;
  options.max_overlap = 0.9;
  urbarium_curation_set_options (self->curation, &options, "Dense");
  settle (self);
}

/* The share of the plan hidden by the areas, 0 to 1, in the center of the map. */
static double
measure_cover (Fixture *self, double m_per_px)
{
  enum { SIZE = 64 };
  g_autoptr(UrbariumSquareNodes) nodes = urbarium_square_nodes_new ();
  g_autoptr(GtkSnapshot) snapshot = gtk_snapshot_new ();
  g_autoptr(GskRenderNode) node = NULL;
  UrbBox box = urb_map_get_extent (urbarium_map_document_get_map (self->document));
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, SIZE, SIZE);
  cairo_t *cr = cairo_create (surface);
  double alpha = 0;
  urbarium_square_nodes_draw (nodes, snapshot, urbarium_curation_get_ranked (self->curation),
                              n_chosen (self), m_per_px);
  node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
  cairo_translate (cr, SIZE / 2, SIZE / 2);
  cairo_scale (cr, 1 / m_per_px, 1 / m_per_px);
  cairo_translate (cr, (box.min_x - box.max_x) / 2, (box.min_y - box.max_y) / 2);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  for (int i = 0; i < SIZE * SIZE; i++)
    alpha += ((guint32 *) (void *) cairo_image_surface_get_data (surface))[i] >> 24;
  cairo_surface_destroy (surface);
  return alpha / (SIZE * SIZE * 255.0);
}

/* However many areas overlap, both areas and plan stay visible. */
static void
test_dense (Fixture *self, gconstpointer data)
{
  open_map (self, NULL);
  g_assert_cmpfloat (measure_cover (self, 3), >, 0.1);
  g_assert_cmpfloat (measure_cover (self, 3), <, 0.5);
  choose_densely (self);
  for (double m_per_px = 1; m_per_px < 40; m_per_px *= 1.5)
    {
      double cover = measure_cover (self, m_per_px);
      g_test_message ("%.1f m per pixel: %.2f", m_per_px, cover);
      g_assert_cmpfloat (cover, >, 0.15);
      g_assert_cmpfloat (cover, <, 0.7);
    }
}

/* Screenshots of the page with a real map and with the sample town. */
static void
take_pictures (const char *path, const char *name, int width, int height)
{
  const struct
  {
    AdwColorScheme scheme;
    const char    *name;
  } schemes[] = { { ADW_COLOR_SCHEME_FORCE_LIGHT, "light" }, { ADW_COLOR_SCHEME_FORCE_DARK, "dark" } };
  Fixture self = { 0 };
  build (&self, width, height);
  open_map (&self, path);
  if (g_str_has_suffix (name, "-dense"))
    choose_densely (&self);
  for (gsize i = 0; i < G_N_ELEMENTS (schemes); i++)
    {
      g_autofree char *file = g_strdup_printf ("areas-%s-%d-%s", name, width, schemes[i].name);
      const UrbRankedArea *area = urbarium_curation_get_area (self.curation, 3);
      adw_style_manager_set_color_scheme (adw_style_manager_get_default (), schemes[i].scheme);
      g_signal_emit_by_name (find (&self, URBARIUM_TYPE_CANVAS), "pointer", area->square.x,
                             area->square.y, TRUE);
      test_until (has_picture, &self);
      test_frames (self.window, 30);
      test_until (is_drawn, find (&self, URBARIUM_TYPE_CANVAS));
      test_frames (self.window, 3);
      test_screenshot (self.window, file);
    }
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), ADW_COLOR_SCHEME_DEFAULT);
  tear_down (&self, NULL);
}

static void
test_pictures (gconstpointer data)
{
  g_autofree char *path = NULL;
  if (g_getenv ("URBARIUM_SCREENSHOTS") == NULL)
    {
      g_test_skip ("URBARIUM_SCREENSHOTS is not set");
      return;
    }
  if (data != NULL && (path = test_data ("ch-so-wasseramt/wasseramt_lv03.gpkg")) == NULL)
    return;
  take_pictures (path, data == NULL ? "town" : data, 1280, 800);
  take_pictures (path, data == NULL ? "town" : data, 1920, 1080);
  take_pictures (path, data == NULL ? "town-dense" : "wasseramt-dense", 1280, 800);
}

/* As the application does. */
static void
load_resources (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  g_autoptr(GtkCssProvider) style = gtk_css_provider_new ();
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (display),
                                    "/org/urbarium/Urbarium/icons");
  gtk_css_provider_load_from_resource (style, "/org/urbarium/Urbarium/style.css");
  gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (style),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  load_resources ();
#define ADD(name, func) g_test_add ("/app/areas-page/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("empty", test_empty);
  ADD ("click", test_click);
  ADD ("lasso", test_lasso);
  ADD ("tiles", test_tiles);
  ADD ("save", test_save);
  ADD ("save-dialog", test_save_dialog);
  ADD ("save-suffix", test_save_suffix);
  ADD ("save-tested", test_save_tested);
  ADD ("close", test_close);
  ADD ("trouble", test_trouble);
  ADD ("too-large", test_too_large);
  ADD ("threshold-too-high", test_threshold_too_high);
  ADD ("many", test_many);
  ADD ("dense", test_dense);
#undef ADD
  g_test_add_data_func ("/app/areas-page/pictures/town", NULL, test_pictures);
  g_test_add_data_func ("/app/areas-page/pictures/wasseramt", "wasseramt", test_pictures);
  return g_test_run ();
}
