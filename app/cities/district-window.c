/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A district is a city of several areas.  Its pixels appear first, since the plan of a large one takes
 * seconds; a thread computes it.
 */
#include "app/cities/district-window.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/job-bar.h"
#include "app/base/ui-path.h"
#include "app/cities/city-export.h"
#include "app/cities/city-view.h"
#include "app/cities/place-window.h"
#include "city/tile-vectors.h"

/* Until a number that is typed or clicked counts. */
enum { DELAY_MS = 500 };

struct _UrbariumDistrictWindow
{
  AdwWindow           parent_instance;
  UrbariumCitySource *source; /* owned */
  UrbariumCity       *city;   /* (nullable) owned; wanted from the source */
  UrbariumGround     *ground; /* owned */
  gint64              seed, index;
  UrbariumShareWish   shares;
  guint               delay;  /* source */

  AdwWindowTitle     *title;
  GtkSpinButton      *width, *height;
  GtkStack           *content;
  UrbariumCityView   *view;
  GtkSpinner         *spinner;
  GtkMenuButton      *export_button;
  AdwStatusPage      *error_page;
  UrbariumJobBar     *job_bar;
};

G_DEFINE_FINAL_TYPE (UrbariumDistrictWindow, urbarium_district_window, ADW_TYPE_WINDOW)

static void
show_size (UrbariumDistrictWindow *self)
{
  const UrbariumCityModel *model = urbarium_city_source_get_last_model (self->source);
  g_autofree char *number = urbarium_format_count (self->index);
  g_autofree char *width = NULL, *height = NULL, *text = NULL;
  if (model == NULL)
    return;
  width = urbarium_format_number (gtk_spin_button_get_value (self->width) * model->area_size_m, 0);
  height = urbarium_format_number (gtk_spin_button_get_value (self->height) * model->area_size_m, 0);
  /* translators: number of a generated district; its width and height: No. 3, 750 m × 500 m */
  text = g_strdup_printf (_ ("No. %s, %s m × %s m"), number, width, height);
  adw_window_title_set_subtitle (self->title, text);
}

static void
set_drawn (UrbariumDistrictWindow *self, gboolean is_drawn)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), is_drawn);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "district.place", is_drawn);
}

static void
show_busy (UrbariumDistrictWindow *self, gboolean busy)
{
  gtk_spinner_set_spinning (self->spinner, busy);
  set_drawn (self, !busy);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_STATE_BUSY, busy, -1);
}

static void
show_error (UrbariumDistrictWindow *self, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  adw_status_page_set_description (self->error_page, escaped);
  gtk_stack_set_visible_child_name (self->content, "error");
  show_busy (self, FALSE);
  set_drawn (self, FALSE);
}

/* ------------------------------------------------------------------------ */
/* The plan                                                                  */

static void
plan_thread (GTask *task, gpointer source, gpointer tile, GCancellable *cancellable)
{
  urbarium_tile_get_vectors (tile);
  g_task_return_boolean (task, TRUE);
}

static void
planned_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumDistrictWindow *self = URBARIUM_DISTRICT_WINDOW (source);
  UrbariumTile *tile = self->city != NULL ? urbarium_city_get_tile (self->city) : NULL;
  if (tile == NULL || tile != g_task_get_task_data (G_TASK (result)))
    return; /* another district is shown by now */
  g_object_set (self->view, "vectors", TRUE, NULL);
  show_busy (self, FALSE);
}

static void
drawn_cb (UrbariumDistrictWindow *self)
{
  UrbariumTile *tile = urbarium_city_get_tile (self->city);
  g_autoptr(GTask) task = NULL;
  if (tile == NULL)
    return;
  g_object_set (self->view, "vectors", FALSE, NULL);
  urbarium_city_view_set_city (self->view, self->city);
  task = g_task_new (self, NULL, planned_cb, NULL);
  g_task_set_task_data (task, urbarium_tile_ref (tile), (GDestroyNotify) urbarium_tile_unref);
  g_task_run_in_thread (task, plan_thread);
}

static void
failure_cb (UrbariumDistrictWindow *self)
{
  const char *failure = urbarium_city_get_failure (self->city);
  if (failure != NULL)
    show_error (self, failure);
}

static void
drop_city (UrbariumDistrictWindow *self)
{
  if (self->city == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->city, self);
  urbarium_city_source_unwant (self->source, self->city);
  g_clear_object (&self->city);
}

/* The district before stays on screen until the next is drawn. */
static void
draw (UrbariumDistrictWindow *self)
{
  g_clear_handle_id (&self->delay, g_source_remove);
  drop_city (self);
  self->city = urbarium_city_new_wide (self->seed, self->index,
                                       gtk_spin_button_get_value_as_int (self->width),
                                       gtk_spin_button_get_value_as_int (self->height));
  urbarium_city_set_shares (self->city, &self->shares);
  g_object_connect (self->city, "swapped-signal::notify::drawn", drawn_cb, self,
                    "swapped-signal::notify::failure", failure_cb, self, NULL);
  gtk_stack_set_visible_child_name (self->content, "plan");
  show_size (self);
  show_busy (self, TRUE);
  urbarium_city_source_want (self->source, self->city);
}

static gboolean
delay_cb (gpointer data)
{
  UrbariumDistrictWindow *self = data;
  self->delay = 0;
  draw (self);
  return G_SOURCE_REMOVE;
}

/* The other edge yields if there would be too many areas. */
static void
edge_cb (UrbariumDistrictWindow *self, GtkSpinButton *edge)
{
  GtkSpinButton *other = edge == self->width ? self->height : self->width;
  int most = URB_CITY_MAX_AREAS / gtk_spin_button_get_value_as_int (edge);
  if (gtk_spin_button_get_value_as_int (other) > most)
    gtk_spin_button_set_value (other, most);
  show_size (self);
  g_clear_handle_id (&self->delay, g_source_remove);
  self->delay = g_timeout_add (DELAY_MS, delay_cb, self);
}

static void
another_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumDistrictWindow *self = URBARIUM_DISTRICT_WINDOW (widget);
  self->index++;
  draw (self);
}

static void
fit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  urbarium_city_view_fit (URBARIUM_DISTRICT_WINDOW (widget)->view);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumDistrictWindow *self = URBARIUM_DISTRICT_WINDOW (widget);
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  if (self->city == NULL || urbarium_city_get_tile (self->city) == NULL)
    return;
  g_ptr_array_add (cities, g_object_ref (self->city));
  urbarium_city_export_ask (widget, self->source, cities, g_variant_get_string (parameter, NULL),
                            self->job_bar);
}

static void
place_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumDistrictWindow *self = URBARIUM_DISTRICT_WINDOW (widget);
  if (self->city != NULL && urbarium_city_get_tile (self->city) != NULL)
    urbarium_place_window_open (widget, self->source, self->city, self->ground);
}

/* ------------------------------------------------------------------------ */

static void
failed_cb (UrbariumDistrictWindow *self, const GError *error)
{
  show_error (self, error->message);
}

UrbariumDistrictWindow *
urbarium_district_window_open (GtkWidget *where, const char *checkpoint, gint64 seed,
                               const UrbariumShareWish *shares, UrbariumGround *ground)
{
  UrbariumDistrictWindow *self = g_object_new (URBARIUM_TYPE_DISTRICT_WINDOW, "transient-for",
                                               gtk_widget_get_root (where), NULL);
  self->seed = seed;
  self->ground = g_object_ref (ground);
  self->shares = *shares;
  urbarium_city_source_open (self->source, checkpoint);
  draw (self);
  gtk_window_present (GTK_WINDOW (self));
  return self;
}

static void
dispose (GObject *object)
{
  UrbariumDistrictWindow *self = URBARIUM_DISTRICT_WINDOW (object);
  g_clear_handle_id (&self->delay, g_source_remove);
  drop_city (self);
  if (self->source != NULL)
    g_signal_handlers_disconnect_by_data (self->source, self);
  g_clear_object (&self->source);
  g_clear_object (&self->ground);
  G_OBJECT_CLASS (urbarium_district_window_parent_class)->dispose (object);
}

static void
urbarium_district_window_class_init (UrbariumDistrictWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_CITY_VIEW);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "district-window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, title);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, width);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, height);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, view);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, spinner);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, export_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, error_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumDistrictWindow, job_bar);
  gtk_widget_class_bind_template_callback (widget_class, edge_cb);
  gtk_widget_class_install_action (widget_class, "district.another", NULL, another_action);
  gtk_widget_class_install_action (widget_class, "district.fit", NULL, fit_action);
  gtk_widget_class_install_action (widget_class, "district.export", "s", export_action);
  gtk_widget_class_install_action (widget_class, "district.place", NULL, place_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_district_window_init (UrbariumDistrictWindow *self)
{
  self->index = 1;
  self->source = urbarium_city_source_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  urbarium_city_export_set_menu (self->export_button, "district.export", URBARIUM_EXPORT_ALL);
  g_object_connect (self->source, "swapped-object-signal::opened", show_size, self,
                    "swapped-object-signal::failed", failed_cb, self, NULL);
}
