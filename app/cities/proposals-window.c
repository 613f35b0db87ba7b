/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stays is a file, or the plan of a city on one side of an outline, which a thread cuts.  The
 * generator is this window's own, so that the search, which takes seconds, holds up no gallery.
 */
#include "app/cities/proposals-window.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/base/job-bar.h"
#include "app/base/ui-path.h"
#include "app/cities/city-export.h"
#include "app/cities/city-view.h"
#include "app/cities/gallery.h"

enum { N_PROPOSALS = 9 };

struct _UrbariumProposalsWindow
{
  AdwWindow           parent_instance;
  UrbariumCitySource *source;   /* owned */
  UrbariumCity       *city;     /* (nullable) owned; NULL: of a file */
  GArray             *outline;  /* (nullable) owned; with a city */
  char               *keep;     /* (nullable) owned; a file, without a city */
  UrbariumShareWish   shares;
  GListStore         *proposals; /* owned; UrbariumCity */
  gint64              seed;
  guint               generation; /* of the search: results of older ones are dropped */

  AdwWindowTitle     *title;
  GtkStack           *content;
  GtkToggleButton    *inside_button;
  GtkWidget          *outline_tools, *place_tools, *back_button;
  GtkEntry           *x_entry, *y_entry, *epsg_entry;
  GtkProgressBar     *progress;
  UrbariumGallery    *gallery;
  UrbariumCityView   *view;
  GtkMenuButton      *export_button;
  AdwStatusPage      *error_page;
  UrbariumJobBar     *job_bar;
};

G_DEFINE_FINAL_TYPE (UrbariumProposalsWindow, urbarium_proposals_window, ADW_TYPE_WINDOW)

static void
show_content (UrbariumProposalsWindow *self, const char *name)
{
  gboolean city = g_str_equal (name, "city"), drawn = city || g_str_equal (name, "gallery");
  gtk_stack_set_visible_child_name (self->content, name);
  gtk_widget_set_visible (self->back_button, city);
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), drawn);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "proposals.back", city);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "proposals.cancel", g_str_equal (name, "busy"));
}

static void
show_error (UrbariumProposalsWindow *self, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  adw_status_page_set_title (self->error_page, _ ("There are no proposals"));
  adw_status_page_set_description (self->error_page, escaped);
  show_content (self, "error");
}

/* ------------------------------------------------------------------------ */
/* The search                                                                */

static void
progress_cb (UrbariumProposalsWindow *self, double fraction)
{
  gtk_progress_bar_set_fraction (self->progress, fraction);
}

static void
drawn_cb (UrbariumProposalsWindow *self)
{
  for (guint i = 0; i < N_PROPOSALS; i++)
    {
      g_autoptr(UrbariumCity) city = g_list_model_get_item (G_LIST_MODEL (self->proposals), i);
      if (city == NULL || urbarium_city_get_tile (city) == NULL)
        return;
    }
  show_content (self, "gallery");
  gtk_widget_grab_focus (GTK_WIDGET (self->gallery));
}

static void
failure_cb (UrbariumProposalsWindow *self, GParamSpec *pspec, UrbariumCity *city)
{
  const char *failure = urbarium_city_get_failure (city);
  if (failure != NULL)
    show_error (self, failure);
}

static void
drop_proposals (UrbariumProposalsWindow *self)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->proposals)); i++)
    {
      g_autoptr(UrbariumCity) city = g_list_model_get_item (G_LIST_MODEL (self->proposals), i);
      g_signal_handlers_disconnect_by_data (city, self);
    }
  g_list_store_remove_all (self->proposals);
}

/* An empty entry is 0.  Marks the entry if it holds no number from @min to @max. */
static gboolean
read_number (GtkEntry *entry, double min, double max, double *value)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
  char *end;
  gboolean done;
  *value = g_strtod (text, &end);
  done = *end == '\0' && *value >= min && *value <= max;
  if (done)
    gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
                               done ? GTK_ACCESSIBLE_INVALID_FALSE : GTK_ACCESSIBLE_INVALID_TRUE, -1);
  return done;
}

static gboolean
read_place (UrbariumProposalsWindow *self, UrbPlace *place)
{
  const double far_m = 1e8;
  double epsg;
  gboolean x_done = read_number (self->x_entry, -far_m, far_m, &place->x);
  gboolean y_done = read_number (self->y_entry, -far_m, far_m, &place->y);
  gboolean epsg_done = read_number (self->epsg_entry, 0, G_MAXINT, &epsg);
  place->epsg = epsg_done ? (int) epsg : 0;
  return x_done && y_done && epsg_done;
}

/* @given: (nullable): without it, what stays is in the file */
static void
ask_engine (UrbariumProposalsWindow *self, UrbGiven *given, const UrbPlace *place)
{
  const UrbariumSiteTask task = { given, self->keep, *place, self->seed };
  g_autoptr(GPtrArray) cities = g_ptr_array_new_with_free_func (g_object_unref);
  drop_proposals (self);
  for (int i = 0; i < N_PROPOSALS; i++)
    {
      UrbariumCity *city = urbarium_city_new_proposal (self->seed, i + 1, place);
      urbarium_city_set_shares (city, &self->shares);
      g_object_connect (city, "swapped-signal::notify::drawn", drawn_cb, self,
                        "swapped-signal::notify::failure", failure_cb, self, NULL);
      g_list_store_append (self->proposals, city);
      g_ptr_array_add (cities, city);
    }
  urbarium_city_view_set_city (self->view, NULL);
  urbarium_city_source_propose (self->source, &task, cities);
}

typedef struct
{
  UrbariumTile *tile;    /* owned */
  GArray       *outline; /* owned */
  gboolean      keeps_inside;
  guint         generation;
} Cut;

static void
cut_free (gpointer data)
{
  Cut *cut = data;
  urbarium_tile_unref (cut->tile);
  g_array_unref (cut->outline);
  g_free (cut);
}

static void
cut_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Cut *cut = data;
  g_task_return_pointer (task,
                         urb_given_new_from_plan (urbarium_tile_get_vectors (cut->tile),
                                                  &g_array_index (cut->outline, double, 0),
                                                  cut->outline->len / 2, cut->keeps_inside),
                         (GDestroyNotify) urb_given_unref);
}

static void
cut_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (source);
  const Cut *cut = g_task_get_task_data (G_TASK (result));
  g_autoptr(UrbGiven) given = g_task_propagate_pointer (G_TASK (result), NULL);
  if (cut->generation == self->generation)
    ask_engine (self, given, &(UrbPlace) { 0 });
}

/* Finds what stays of the city first. */
static void
cut_plan (UrbariumProposalsWindow *self)
{
  g_autoptr(GTask) task = g_task_new (self, NULL, cut_cb, NULL);
  Cut *cut = g_new0 (Cut, 1);
  cut->tile = urbarium_tile_ref (urbarium_city_get_tile (self->city));
  cut->outline = g_array_ref (self->outline);
  cut->keeps_inside = !gtk_toggle_button_get_active (self->inside_button);
  cut->generation = self->generation;
  g_task_set_task_data (task, cut, cut_free);
  g_task_run_in_thread (task, cut_thread);
}

static void
search (UrbariumProposalsWindow *self)
{
  UrbPlace place;
  if ((self->city == NULL && self->keep == NULL) || !read_place (self, &place))
    return;
  self->generation++;
  urbarium_city_source_stop (self->source);
  gtk_progress_bar_set_fraction (self->progress, 0);
  show_content (self, "busy");
  if (self->city != NULL)
    cut_plan (self);
  else
    ask_engine (self, NULL, &place);
}

static void
again_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (widget);
  if (g_str_equal (name, "proposals.another"))
    self->seed++;
  search (self);
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (widget);
  self->generation++;
  urbarium_city_source_stop (self->source);
  drop_proposals (self);
  show_error (self, _ ("The search was cancelled."));
}

/* ------------------------------------------------------------------------ */
/* One proposal, and export                                                  */

static void
opened_cb (UrbariumProposalsWindow *self, UrbariumCity *city)
{
  urbarium_city_view_set_city (self->view, city);
  show_content (self, "city");
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
back_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (widget);
  urbarium_city_view_set_city (self->view, NULL);
  show_content (self, "gallery");
}

/* Returns: (transfer full): the one in sight, or the selected ones, or all */
static GPtrArray *
get_chosen (UrbariumProposalsWindow *self)
{
  UrbariumCity *one = urbarium_city_view_get_city (self->view);
  GPtrArray *cities = urbarium_gallery_get_selection (self->gallery);
  if (one != NULL)
    {
      g_ptr_array_set_size (cities, 0);
      g_ptr_array_add (cities, g_object_ref (one));
    }
  if (cities->len == 0)
    for (guint i = 0; i < N_PROPOSALS; i++)
      g_ptr_array_add (cities, g_list_model_get_item (G_LIST_MODEL (self->proposals), i));
  return cities;
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (widget);
  g_autoptr(GPtrArray) cities = get_chosen (self);
  urbarium_city_export_ask (widget, self->source, cities, g_variant_get_string (parameter, NULL),
                            self->job_bar);
}

/* ------------------------------------------------------------------------ */

static void
failed_cb (UrbariumProposalsWindow *self, const GError *error)
{
  show_error (self, error->message);
}

static UrbariumProposalsWindow *
make (GtkWidget *where, const char *checkpoint)
{
  UrbariumProposalsWindow *self = g_object_new (URBARIUM_TYPE_PROPOSALS_WINDOW, "transient-for",
                                                gtk_widget_get_root (where), NULL);
  urbarium_city_source_open (self->source, checkpoint);
  return self;
}

UrbariumProposalsWindow *
urbarium_proposals_window_open (GtkWidget *where, const char *checkpoint, UrbariumCity *city,
                                const GArray *outline)
{
  UrbariumProposalsWindow *self = make (where, checkpoint);
  g_autofree char *title = urbarium_city_dup_title (city);
  self->city = g_object_ref (city);
  self->shares = *urbarium_city_get_shares (city);
  self->outline = g_array_copy ((GArray *) outline);
  adw_window_title_set_subtitle (self->title, title);
  gtk_widget_set_visible (self->outline_tools, TRUE);
  search (self);
  gtk_window_present (GTK_WINDOW (self));
  return self;
}

UrbariumProposalsWindow *
urbarium_proposals_window_open_file (GtkWidget *where, const char *checkpoint, const char *keep)
{
  UrbariumProposalsWindow *self = make (where, checkpoint);
  g_autofree char *name = g_path_get_basename (keep);
  self->keep = g_strdup (keep);
  adw_window_title_set_subtitle (self->title, name);
  gtk_widget_set_visible (self->place_tools, !g_str_has_suffix (keep, ".png"));
  search (self);
  gtk_window_present (GTK_WINDOW (self));
  return self;
}

static void
dispose (GObject *object)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (object);
  self->generation++;
  if (self->proposals != NULL)
    drop_proposals (self);
  if (self->source != NULL)
    g_signal_handlers_disconnect_by_data (self->source, self);
  g_clear_object (&self->source);
  g_clear_object (&self->proposals);
  g_clear_object (&self->city);
  G_OBJECT_CLASS (urbarium_proposals_window_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumProposalsWindow *self = URBARIUM_PROPOSALS_WINDOW (object);
  g_clear_pointer (&self->outline, g_array_unref);
  g_free (self->keep);
  G_OBJECT_CLASS (urbarium_proposals_window_parent_class)->finalize (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, title);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, inside_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, outline_tools);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, place_tools);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, back_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, x_entry);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, y_entry);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, epsg_entry);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, progress);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, gallery);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, view);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, export_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, error_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumProposalsWindow, job_bar);
}

static void
urbarium_proposals_window_class_init (UrbariumProposalsWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  g_type_ensure (URBARIUM_TYPE_CITY_VIEW);
  g_type_ensure (URBARIUM_TYPE_GALLERY);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "proposals-window.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, search);
  gtk_widget_class_bind_template_callback (widget_class, opened_cb);
  gtk_widget_class_install_action (widget_class, "proposals.again", NULL, again_action);
  gtk_widget_class_install_action (widget_class, "proposals.another", NULL, again_action);
  gtk_widget_class_install_action (widget_class, "proposals.back", NULL, back_action);
  gtk_widget_class_install_action (widget_class, "proposals.cancel", NULL, cancel_action);
  gtk_widget_class_install_action (widget_class, "proposals.export", "s", export_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "proposals.back", NULL);
}

static void
urbarium_proposals_window_init (UrbariumProposalsWindow *self)
{
  self->seed = 1;
  self->shares = URBARIUM_SHARES_AS_IN_MAP;
  self->source = urbarium_city_source_new ();
  self->proposals = g_list_store_new (URBARIUM_TYPE_CITY);
  gtk_widget_init_template (GTK_WIDGET (self));
  urbarium_city_export_set_menu (self->export_button, "proposals.export", URBARIUM_EXPORT_ALL);
  urbarium_gallery_set_source (self->gallery, self->source);
  urbarium_gallery_set_model (self->gallery, G_LIST_MODEL (self->proposals));
  g_object_connect (self->source, "swapped-object-signal::progress", progress_cb, self,
                    "swapped-object-signal::failed", failed_cb, self, NULL);
}
