/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/areas-page.h"

#include <glib/gi18n.h>

#include "app/areas/area-tile.h"
#include "app/areas/areas-overlay.h"
#include "app/areas/areas-panel.h"
#include "app/areas/areas-trouble.h"
#include "app/areas/dataset-save.h"
#include "app/areas/heat-legend.h"
#include "app/areas/tested-ask.h"
#include "app/areas/tile-grid.h"
#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/job-bar.h"
#include "app/base/message.h"
#include "app/base/replace.h"
#include "app/base/ui-path.h"
#include "app/map/part-dialog.h"

/* The bar of a search appears after a delay, so that short searches do not make it flash. */
enum { SEARCH_BAR_DELAY_MS = 400, SMALLEST_SHOWN_PX = 24, GRID_MIN_PX = 232, GRID_MAX_PX = 440 };

struct _UrbariumAreasPage
{
  AdwBin                parent_instance;
  UrbariumMapDocument  *document; /* owned */
  UrbariumCuration     *curation; /* owned */
  UrbariumTileSource   *tiles;    /* owned */
  UrbariumAreasOverlay *overlay;  /* owned */
  UrbariumAreasTrouble *trouble;  /* owned; nullable */
  GCancellable         *advising; /* owned; nullable: of the search for advice */
  UrbariumJob          *saving;   /* owned; nullable */
  GStrv                 run_places; /* owned; nullable */
  guint                 search_bar_delay; /* source */
  gboolean              hovered;          /* the pointer is over the candidate hover */
  gboolean              hovered_chosen;
  UrbRankedArea         hover;

  GtkStack             *stack, *content;
  AdwFlap              *flap;
  GtkPaned             *paned;
  UrbariumCanvas       *canvas;
  UrbariumTileGrid     *grid;
  UrbariumAreasPanel   *panel;
  UrbariumHeatLegend   *legend;
  GtkAdjustment        *heat;
  AdwStatusPage        *trouble_page;
  GtkButton            *fix;
  GtkLabel             *status;
  GtkToggleButton      *point, *add, *remove, *regions;
  UrbariumJobBar       *search_bar, *save_bar;
};

G_DEFINE_FINAL_TYPE (UrbariumAreasPage, urbarium_areas_page, ADW_TYPE_BIN)

enum { PROP_SHOW_PANEL = 1, PROP_RUN_PLACES };

static guint dataset_saved;

/* Describes the area under the pointer in the status line. */
static void
show_status (UrbariumAreasPage *self)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  g_autofree char *text = NULL;
  if (!self->hovered || ranked == NULL)
    text = g_strdup ("");
  else if (self->hovered_chosen)
    {
      g_autofree char *description = urbarium_area_describe (
        &self->hover, urbarium_tile_source_get (self->tiles, ranked->search, &self->hover));
      g_auto(GStrv) lines = g_strsplit (description, "\n", -1);
      text = g_strjoinv (" · ", lines);
    }
  else
    {
      g_autofree char *variance = urbarium_format_number (self->hover.variance, 2);
      /* translators: %s is a number: 0.12 */
      text = g_strdup_printf (_ ("Not chosen, variance %s: click to add"), variance);
    }
  gtk_label_set_label (self->status, text);
}

static void
pointer_cb (UrbariumAreasPage *self, double x, double y, gboolean inside)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  gssize chosen = inside ? urbarium_curation_find_chosen (self->curation, x, y) : -1;
  const UrbRankedArea *removed
    = inside ? urbarium_curation_find_removed (self->curation, x, y) : NULL;
  self->hovered_chosen = chosen >= 0 && removed == NULL;
  self->hovered = self->hovered_chosen || removed != NULL;
  if (removed != NULL)
    self->hover = *removed;
  else if (chosen >= 0)
    self->hover = *urbarium_curation_get_area (self->curation, (gsize) chosen);
  else if (inside && ranked != NULL)
    {
      UrbCurator *curator = ranked->search->curator;
      self->hover.id = urb_curator_find_at (curator, x, y);
      self->hovered = self->hover.id >= 0;
      if (self->hovered)
        self->hover.square
          = urb_curator_get_square (curator, self->hover.id, &self->hover.variance);
    }
  urbarium_areas_overlay_set_hover (self->overlay, self->hovered ? &self->hover.square : NULL,
                                    self->hovered_chosen);
  show_status (self);
}

static void
tile_ready_cb (UrbariumAreasPage *self, gint64 id)
{
  if (self->hovered && self->hovered_chosen && self->hover.id == id)
    show_status (self);
}

static void
clicked_cb (UrbariumAreasPage *self, double x, double y, guint modifiers)
{
  if (urbarium_curation_get_ranked (self->curation) == NULL)
    return;
  if (!urbarium_curation_toggle_at (self->curation, x, y))
    urbarium_message_toast (GTK_WIDGET (self),
                            _ ("The map does not cover an area here sufficiently"));
}

static void
lasso_cb (UrbariumAreasPage *self, GArray *loop)
{
  const double *xy = (const double *) (void *) loop->data;
  if (gtk_toggle_button_get_active (self->add))
    urbarium_curation_add_within (self->curation, xy, loop->len / 2);
  else
    urbarium_curation_remove_within (self->curation, xy, loop->len / 2);
}

static void
tool_toggled_cb (UrbariumAreasPage *self)
{
  gboolean point = gtk_toggle_button_get_active (self->point);
  g_object_set (self->canvas, "tool", point ? URBARIUM_CANVAS_PAN : URBARIUM_CANVAS_LASSO, NULL);
}

static void
tool_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumAreasPage *self = URBARIUM_AREAS_PAGE (widget);
  const char *tool = g_variant_get_string (param, NULL);
  GtkToggleButton *button = g_str_equal (tool, "add")      ? self->add
                            : g_str_equal (tool, "remove") ? self->remove
                                                           : self->point;
  gtk_toggle_button_set_active (button, TRUE);
}

static void
heat_cb (UrbariumAreasPage *self)
{
  if (self->overlay != NULL)
    urbarium_areas_overlay_set_heat (self->overlay, gtk_adjustment_get_value (self->heat) / 100);
}

static void
regions_cb (UrbariumAreasPage *self)
{
  if (self->overlay != NULL)
    urbarium_areas_overlay_set_regions (self->overlay,
                                        gtk_toggle_button_get_active (self->regions));
}

static void
zoom_in_cb (UrbariumAreasPage *self)
{
  urbarium_canvas_zoom (self->canvas, 2);
}

static void
zoom_out_cb (UrbariumAreasPage *self)
{
  urbarium_canvas_zoom (self->canvas, 0.5);
}

/* Changes the view only as far as needed. */
static void
bring_into_view (UrbariumAreasPage *self, const UrbSquare *square)
{
  UrbariumView view = urbarium_canvas_get_view (self->canvas);
  UrbBox box = urb_square_get_box (square), seen = urbarium_view_get_box (&view);
  if (square->size_m < SMALLEST_SHOWN_PX * view.m_per_px)
    urbarium_canvas_show_box (self->canvas, urb_box_widen (box, 2 * square->size_m));
  else if (!urb_box_contains (seen, box))
    urbarium_canvas_set_view (self->canvas, square->x, square->y, view.m_per_px);
}

static void
area_selected_cb (UrbariumAreasPage *self, gint64 index)
{
  const UrbRankedArea *area = NULL;
  if (index >= 0 && (gsize) index < urbarium_curation_get_choice (self->curation).n)
    area = urbarium_curation_get_area (self->curation, (gsize) index);
  urbarium_areas_overlay_set_selected (self->overlay, area == NULL ? NULL : &area->square);
  if (area != NULL)
    bring_into_view (self, &area->square);
}

static void
update_actions (UrbariumAreasPage *self)
{
  gboolean busy;
  g_object_get (self->curation, "busy", &busy, NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "areas.save",
                                 !busy && self->saving == NULL
                                   && urbarium_curation_get_choice (self->curation).n > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "areas.reset",
                                 !urbarium_curation_is_automatic (self->curation));
}

/* Whether candidates were found, but the threshold excludes them all. */
static gboolean
is_threshold_too_high (UrbariumAreasPage *self)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  return ranked != NULL && ranked->decisions->added->len == 0
         && ranked->search->max_variance < urbarium_curation_get_threshold (self->curation);
}

static void
choice_changed_cb (UrbariumAreasPage *self)
{
  urbarium_heat_legend_set_threshold (self->legend,
                                      urbarium_curation_get_threshold (self->curation));
  if (urbarium_curation_get_error (self->curation) == NULL && !is_threshold_too_high (self))
    gtk_stack_set_visible_child_name (self->content, "map");
  update_actions (self);
}

static UrbCurateOptions
get_options (UrbariumAreasPage *self)
{
  UrbCurateOptions options = urbarium_curation_get_decisions (self->curation)->options;
  options.min_variance = urbarium_curation_get_threshold (self->curation);
  return options;
}

static void
show_trouble (UrbariumAreasPage *self, const GArray *advice)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  UrbCurateOptions options = get_options (self);
  g_clear_pointer (&self->trouble, urbarium_areas_trouble_free);
  self->trouble = urbarium_areas_trouble_new (urbarium_curation_get_map (self->curation), &options,
                                              urbarium_curation_get_error (self->curation),
                                              ranked != NULL ? ranked->search->max_variance : 0, advice);
  adw_status_page_set_title (self->trouble_page, self->trouble->title);
  adw_status_page_set_description (self->trouble_page, self->trouble->text);
  gtk_widget_set_visible (GTK_WIDGET (self->fix), self->trouble->fix_label != NULL);
  if (self->trouble->fix_label != NULL)
    gtk_button_set_label (self->fix, self->trouble->fix_label);
}

static void
cancel_advice (UrbariumAreasPage *self)
{
  g_cancellable_cancel (self->advising);
  g_clear_object (&self->advising);
}

static void
advised_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumAreasPage) self = data;
  g_autoptr(GArray) advice = urbarium_advice_find_finish (result, NULL);
  if (advice == NULL || self->curation == NULL)
    return; /* superseded */
  g_clear_object (&self->advising);
  show_trouble (self, advice);
}

static void
start_advice (UrbariumAreasPage *self)
{
  UrbCurateOptions options = get_options (self);
  cancel_advice (self);
  self->advising = g_cancellable_new ();
  urbarium_advice_find_async (urbarium_curation_get_map (self->curation), &options, self->advising, advised_cb,
                              g_object_ref (self));
}

static void
fix_cb (UrbariumAreasPage *self)
{
  UrbCurateOptions options = get_options (self);
  if (self->trouble->retry)
    {
      urbarium_curation_retry (self->curation);
      return;
    }
  if (self->trouble->choose_part)
    {
      UrbMap *map = urbarium_curation_get_map (self->curation);
      urbarium_part_dialog_show (GTK_WIDGET (self), self->document, urb_map_get_extent (map));
      return;
    }
  urbarium_areas_trouble_fix (self->trouble, &options);
  urbarium_curation_set_options (self->curation, &options, _ ("Apply the suggested options"));
}

static void
result_changed_cb (UrbariumAreasPage *self)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  const GError *error = urbarium_curation_get_error (self->curation);
  gboolean trouble = error != NULL || is_threshold_too_high (self);
  cancel_advice (self);
  if (trouble)
    show_trouble (self, NULL);
  if (trouble && urbarium_areas_trouble_needs_advice (error))
    start_advice (self);
  if (ranked != NULL)
    urbarium_heat_legend_set_scale (self->legend, ranked->search->max_variance);
  self->hovered = FALSE;
  urbarium_areas_overlay_set_hover (self->overlay, NULL, FALSE);
  show_status (self);
  gtk_stack_set_visible_child_name (self->content, trouble ? "trouble" : "map");
}

static void
edits_moved_cb (UrbariumAreasPage *self, guint n_moved, guint n_lost)
{
  g_autofree char *moved = urbarium_format_count (n_moved);
  g_autofree char *lost = urbarium_format_count (n_lost);
  g_autofree char *text = NULL;
  if (n_lost == 0)
    text = g_strdup_printf (ngettext ("%s area chosen by hand moved to the nearest candidate",
                                      "%s areas chosen by hand moved to the nearest candidates",
                                      n_moved), moved);
  else
    text = g_strdup_printf (ngettext ("%s area chosen by hand has no candidate with these options",
                                      "%s areas chosen by hand have no candidate with these "
                                      "options",
                                      n_lost), lost);
  urbarium_message_toast (GTK_WIDGET (self), text);
}

static void
left_out_cb (UrbariumAreasPage *self, guint n_straddling, guint n_overlapping)
{
  urbarium_message_toast (
    GTK_WIDGET (self), n_straddling > 0
                         ? _ ("Left out: it crosses the border of a test region")
                         : _ ("Left out: it overlaps too much with another area chosen by hand"));
}

static void
show_search_bar_cb (gpointer data)
{
  UrbariumAreasPage *self = data;
  g_autoptr(UrbariumJob) job = NULL;
  self->search_bar_delay = 0;
  g_object_get (self->curation, "job", &job, NULL);
  urbarium_job_bar_set_job (self->search_bar, job);
}

static void
job_changed_cb (UrbariumAreasPage *self)
{
  g_autoptr(UrbariumJob) job = NULL;
  g_object_get (self->curation, "job", &job, NULL);
  g_clear_handle_id (&self->search_bar_delay, g_source_remove);
  if (job == NULL)
    urbarium_job_bar_set_job (self->search_bar, NULL);
  else
    self->search_bar_delay = g_timeout_add_once (SEARCH_BAR_DELAY_MS, show_search_bar_cb, self);
  update_actions (self);
}

/* Sets the initial width of the grid as soon as the window is large enough: two columns of tiles,
 * or more in a wide window. */
static void
place_grid_cb (UrbariumAreasPage *self)
{
  int width;
  g_object_get (self->paned, "max-position", &width, NULL);
  if (width < GRID_MIN_PX || gtk_widget_get_width (GTK_WIDGET (self->paned)) == 0)
    return;
  g_signal_handlers_disconnect_by_func (self->paned, place_grid_cb, self);
  width = gtk_widget_get_width (GTK_WIDGET (self->paned));
  gtk_paned_set_position (self->paned, width - CLAMP (width / 4, GRID_MIN_PX, GRID_MAX_PX));
}

static void
map_changed_cb (UrbariumAreasPage *self)
{
  UrbMap *map = urbarium_map_document_get_map (self->document);
  urbarium_canvas_set_map (self->canvas, map);
  gtk_stack_set_visible_child_name (self->stack, map == NULL ? "empty" : "loaded");
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumAreasPage) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = urbarium_job_finish (URBARIUM_JOB (source), result, &error);
  g_clear_object (&self->saving);
  if (path == NULL)
    urbarium_message_error (GTK_WIDGET (self), _ ("The dataset cannot be saved"), error);
  if (self->curation == NULL)
    return; /* the window has been closed */
  update_actions (self);
  if (path == NULL)
    return;
  urbarium_dataset_toast_saved (GTK_WIDGET (self), path);
  g_signal_emit (self, dataset_saved, 0, path);
}

static void
save (UrbariumAreasPage *self, const char *path)
{
  self->saving = urbarium_dataset_save (self->curation,
                                        urbarium_map_document_get_paths (self->document), path,
                                        saved_cb, g_object_ref (self));
  urbarium_job_bar_set_job (self->save_bar, self->saving);
  update_actions (self);
}

/* While a question was open, the areas may have changed, or the window been closed. */
static gboolean
can_save (UrbariumAreasPage *self)
{
  return self->curation != NULL && self->saving == NULL
         && urbarium_curation_get_choice (self->curation).n > 0;
}

static void
tested_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumAreasPage *self = URBARIUM_AREAS_PAGE (source);
  g_autofree char *path = data;
  if (urbarium_tested_ask_finish (GTK_WIDGET (self), result) && can_save (self))
    save (self, path);
}

void
urbarium_areas_page_save (UrbariumAreasPage *self, const char *path)
{
  static const char *const none[] = { NULL };
  g_return_if_fail (URBARIUM_IS_AREAS_PAGE (self));
  if (can_save (self))
    urbarium_tested_ask (GTK_WIDGET (self), self->curation,
                         self->run_places != NULL ? (const char *const *) self->run_places : none,
                         tested_cb, g_strdup (path));
}

static void
may_save_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree char *path = data;
  if (urbarium_replace_ask_finish (GTK_WIDGET (source), result))
    urbarium_areas_page_save (URBARIUM_AREAS_PAGE (source), path);
}

/* The chooser has already asked about replacing a file of the name as typed. */
static void
chosen_cb (UrbariumAreasPage *self, const char *path)
{
  g_autofree char *whole = urbarium_dataset_dup_path (path);
  if (g_str_equal (whole, path))
    urbarium_areas_page_save (self, path);
  else
    urbarium_replace_ask (GTK_WIDGET (self), (const char *const[]) { whole, NULL }, may_save_cb,
                          g_strdup (whole));
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumAreasPage *self = URBARIUM_AREAS_PAGE (widget);
  urbarium_file_chooser_show (urbarium_dataset_dialog_new (widget, self->document), widget,
                              G_CALLBACK (chosen_cb), self, NULL);
}

static void
reset_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_curation_reset (URBARIUM_AREAS_PAGE (widget)->curation);
}

static void
map (GtkWidget *widget)
{
  UrbariumAreasPage *self = URBARIUM_AREAS_PAGE (widget);
  GTK_WIDGET_CLASS (urbarium_areas_page_parent_class)->map (widget);
  if (self->curation != NULL)
    g_object_set (self->curation, "active", TRUE, NULL);
}

static void
unmap (GtkWidget *widget)
{
  UrbariumAreasPage *self = URBARIUM_AREAS_PAGE (widget);
  if (self->curation != NULL)
    g_object_set (self->curation, "active", FALSE, NULL);
  GTK_WIDGET_CLASS (urbarium_areas_page_parent_class)->unmap (widget);
}

static void
reveal_cb (UrbariumAreasPage *self)
{
  g_object_notify (G_OBJECT (self), "show-panel");
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOW_PANEL)
    g_value_set_boolean (value, adw_flap_get_reveal_flap (URBARIUM_AREAS_PAGE (object)->flap));
  else if (id == PROP_RUN_PLACES)
    g_value_set_boxed (value, URBARIUM_AREAS_PAGE (object)->run_places);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SHOW_PANEL)
    adw_flap_set_reveal_flap (URBARIUM_AREAS_PAGE (object)->flap, g_value_get_boolean (value));
  else if (id == PROP_RUN_PLACES)
    {
      g_strfreev (URBARIUM_AREAS_PAGE (object)->run_places);
      URBARIUM_AREAS_PAGE (object)->run_places = g_value_dup_boxed (value);
    }
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumAreasPage *self = URBARIUM_AREAS_PAGE (object);
  g_clear_handle_id (&self->search_bar_delay, g_source_remove);
  cancel_advice (self);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  if (self->curation != NULL)
    g_signal_handlers_disconnect_by_data (self->curation, self);
  if (self->tiles != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->tiles, self);
      urbarium_tile_source_set_ranked (self->tiles, NULL); /* drops all requests */
    }
  g_clear_pointer (&self->overlay, urbarium_areas_overlay_free);
  g_clear_pointer (&self->trouble, urbarium_areas_trouble_free);
  g_clear_object (&self->saving);
  g_clear_object (&self->tiles);
  g_clear_object (&self->curation);
  g_clear_object (&self->document);
  g_clear_pointer (&self->run_places, g_strfreev);
  G_OBJECT_CLASS (urbarium_areas_page_parent_class)->dispose (object);
}

static void
bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "areas-page.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, UrbariumAreasPage, name)
  BIND (stack);
  BIND (content);
  BIND (flap);
  BIND (paned);
  BIND (canvas);
  BIND (grid);
  BIND (panel);
  BIND (legend);
  BIND (heat);
  BIND (trouble_page);
  BIND (fix);
  BIND (status);
  BIND (point);
  BIND (add);
  BIND (remove);
  BIND (regions);
  BIND (search_bar);
  BIND (save_bar);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, pointer_cb);
  gtk_widget_class_bind_template_callback (widget_class, clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, lasso_cb);
  gtk_widget_class_bind_template_callback (widget_class, tool_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, heat_cb);
  gtk_widget_class_bind_template_callback (widget_class, regions_cb);
  gtk_widget_class_bind_template_callback (widget_class, zoom_in_cb);
  gtk_widget_class_bind_template_callback (widget_class, zoom_out_cb);
  gtk_widget_class_bind_template_callback (widget_class, urbarium_canvas_fit);
  gtk_widget_class_bind_template_callback (widget_class, fix_cb);
  gtk_widget_class_bind_template_callback (widget_class, area_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, reveal_cb);
}

static void
urbarium_areas_page_class_init (UrbariumAreasPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  widget_class->map = map;
  widget_class->unmap = unmap;
  g_object_class_install_property (
    object_class, PROP_SHOW_PANEL,
    g_param_spec_boolean ("show-panel", NULL, NULL, TRUE,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY));
  g_object_class_install_property (
    object_class, PROP_RUN_PLACES,
    g_param_spec_boxed ("run-places", NULL, NULL, G_TYPE_STRV, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
  dataset_saved = g_signal_new ("dataset-saved", URBARIUM_TYPE_AREAS_PAGE, G_SIGNAL_RUN_LAST, 0,
                                NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  g_type_ensure (URBARIUM_TYPE_AREAS_PANEL);
  g_type_ensure (URBARIUM_TYPE_CANVAS);
  g_type_ensure (URBARIUM_TYPE_HEAT_LEGEND);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  g_type_ensure (URBARIUM_TYPE_TILE_GRID);
  gtk_widget_class_install_action (widget_class, "areas.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "areas.reset", NULL, reset_action);
  gtk_widget_class_install_action (widget_class, "areas.tool", "s", tool_action);
  bind_template (widget_class);
}

static void
urbarium_areas_page_init (UrbariumAreasPage *self)
{
  self->tiles = urbarium_tile_source_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->paned, "notify::max-position", G_CALLBACK (place_grid_cb), self);
}

void
urbarium_areas_page_set_document (UrbariumAreasPage *self, UrbariumMapDocument *document,
                                  UrbariumUndo *undo)
{
  const struct
  {
    const char *signal;
    GCallback   callback;
  } handlers[] = {
    { "result-changed", G_CALLBACK (result_changed_cb) },
    { "choice-changed", G_CALLBACK (choice_changed_cb) },
    { "decisions-changed", G_CALLBACK (update_actions) },
    { "edits-moved", G_CALLBACK (edits_moved_cb) },
    { "left-out", G_CALLBACK (left_out_cb) },
    { "notify::job", G_CALLBACK (job_changed_cb) },
    { "notify::busy", G_CALLBACK (update_actions) },
  };
  g_return_if_fail (URBARIUM_IS_AREAS_PAGE (self) && self->document == NULL);
  self->document = g_object_ref (document);
  self->curation = urbarium_curation_new (document, undo);
  self->overlay = urbarium_areas_overlay_new (self->canvas, self->curation);
  urbarium_areas_panel_set_curation (self->panel, self->curation);
  urbarium_tile_grid_set_curation (self->grid, self->curation, self->tiles);
  for (gsize i = 0; i < G_N_ELEMENTS (handlers); i++)
    g_signal_connect_swapped (self->curation, handlers[i].signal, handlers[i].callback, self);
  g_signal_connect_swapped (document, "changed", G_CALLBACK (map_changed_cb), self);
  g_signal_connect_swapped (self->tiles, "ready", G_CALLBACK (tile_ready_cb), self);
  map_changed_cb (self);
  result_changed_cb (self);
  choice_changed_cb (self);
  heat_cb (self);
  regions_cb (self);
  g_object_set (self->curation, "active", gtk_widget_get_mapped (GTK_WIDGET (self)), NULL);
}

UrbariumCuration *
urbarium_areas_page_get_curation (UrbariumAreasPage *self)
{
  g_return_val_if_fail (URBARIUM_IS_AREAS_PAGE (self), NULL);
  return self->curation;
}
