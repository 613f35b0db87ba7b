/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample-grid.c - while the slider is dragged, one image is decoded at a time, and positions
 * passed meanwhile are skipped, so the image follows the slider and no threads pile up.
 */
#include "app/train/sample-grid.h"

#include <glib/gi18n.h>

#include "app/base/file-chooser.h"
#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/train/grid-image.h"
#include "app/train/plan-colors.h"
#include "app/train/step-player.h"
#include "app/train/surface-cache.h"

enum { CACHE_BYTES = 96 << 20, SAVED_EDGE_PX = 512 };

struct _UrbariumSampleGrid
{
  AdwBin                parent_instance;

  GListModel           *samples;     /* (nullable) owned */
  UrbariumSampleGrid   *leader;      /* (nullable) weak */
  UrbariumStepPlayer   *player;      /* owned */
  UrbariumSurfaceCache *cache;       /* owned */
  cairo_surface_t      *plan;        /* (nullable) owned; shown, in the engine's colors */
  gboolean              can_open;
  GCancellable         *cancellable; /* (nullable) owned: an image is being decoded */
  gint64                step;        /* chosen */
  gint64                shown_step;  /* on the screen; -1: none */
  gint64                loading_step; /* being decoded, with a cancellable */
  gboolean              follow;
  gboolean              updating;    /* the slider is moved by this widget */
  gboolean              is_early;    /* the leader's step is before the first sample: nothing is shown */

  GtkStack             *stack;
  UrbariumGridImage    *image;
  GtkLabel             *title, *step_label;
  GtkWidget            *back_button, *open_button;
  GtkWidget            *time_box; /* the scale and the button */
  GtkScale             *scale;
  GtkAdjustment        *adjustment;
  GtkToggleButton      *latest_button, *play_button;
  GtkWidget            *compare_button;
  AdwStatusPage        *empty_page, *error_page;
};

G_DEFINE_FINAL_TYPE (UrbariumSampleGrid, urbarium_sample_grid, ADW_TYPE_BIN)

enum { PROP_0, PROP_STEP, PROP_CAN_OPEN, PROP_CAN_COMPARE, N_PROPS };
static GParamSpec *props[N_PROPS];
static guint open_city;

static void load (UrbariumSampleGrid *self);

/* (transfer full) (nullable) */
static UrbariumRunFile *
dup_chosen (UrbariumSampleGrid *self)
{
  guint index = (guint) gtk_adjustment_get_value (self->adjustment);
  return self->samples == NULL || self->is_early ? NULL : g_list_model_get_item (self->samples, index);
}

static char *
dup_step_text (gint64 step)
{
  g_autofree char *count = urbarium_format_count (step);
  if (step == 0)
    return g_strdup (_ ("Step 0, untrained"));
  /* translators: %s: a training step */
  return g_strdup_printf (_ ("Step %s"), count);
}

static int
get_tile (UrbariumSampleGrid *self)
{
  int tile;
  g_object_get (self->image, "tile", &tile, NULL);
  return tile;
}

static void
update_actions (UrbariumSampleGrid *self)
{
  gboolean shown = self->plan != NULL, enlarged = shown && get_tile (self) >= 0;
  gtk_widget_set_visible (self->back_button, enlarged);
  gtk_widget_set_visible (self->open_button, enlarged);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "samples.back", enlarged);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "samples.open", enlarged && self->can_open);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "samples.save", shown);
}

static void
tile_cb (UrbariumSampleGrid *self)
{
  int tile = get_tile (self);
  /* translators: a city of a grid: its number, and how many there are */
  g_autofree char *title = tile < 0 ? g_strdup (_ ("Cities"))
                                    : g_strdup_printf (_ ("City %1$d of %2$d"), tile + 1,
                                                       urbarium_grid_image_get_n_tiles (self->image));
  gtk_label_set_text (self->title, title);
  update_actions (self);
}

/* In the colors of the window. */
static void
show_plan (UrbariumSampleGrid *self)
{
  g_autofree char *when = dup_step_text (self->shown_step);
  /* translators: %s: "Step 1,200" */
  g_autofree char *text = g_strdup_printf (_ ("Cities from the same seeds. %s"), when);
  cairo_surface_t *colored;
  if (self->plan == NULL)
    return;
  colored = urbarium_plan_recolor (self->plan, urbarium_palette_get_current ());
  urbarium_grid_image_set (self->image, colored, text);
  cairo_surface_destroy (colored);
}

static void
show (UrbariumSampleGrid *self, cairo_surface_t *surface, gint64 step)
{
  cairo_surface_reference (surface);
  g_clear_pointer (&self->plan, cairo_surface_destroy);
  self->plan = surface;
  self->shown_step = step;
  show_plan (self);
  if (self->leader != NULL) /* which may have enlarged a city while there was no image here */
    g_object_set (self->image, "tile", get_tile (self->leader), NULL);
  gtk_stack_set_visible_child_name (self->stack, "sample");
  update_actions (self);
}

static void
back_action (GtkWidget *widget, const char *name, GVariant *param)
{
  g_object_set (URBARIUM_SAMPLE_GRID (widget)->image, "tile", -1, NULL);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *param)
{
  g_signal_emit (widget, open_city, 0, (guint) get_tile (URBARIUM_SAMPLE_GRID (widget)) + 1);
}

/* The shown part, with pixels of whole image pixels. (transfer full) */
static cairo_surface_t *
crop (UrbariumSampleGrid *self)
{
  cairo_rectangle_int_t shown = urbarium_grid_image_get_shown (self->image);
  int scale = MAX (1, SAVED_EDGE_PX / shown.width);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, scale * shown.width, scale * shown.height);
  cairo_t *cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  cairo_set_source_surface (cr, self->plan, -shown.x, -shown.y);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_destroy (cr);
  return surface;
}

typedef struct
{
  cairo_surface_t *surface; /* owned */
  char            *path;    /* owned */
} Picture;

static void
picture_free (gpointer data)
{
  Picture *self = data;
  cairo_surface_destroy (self->surface);
  g_free (self->path);
  g_free (self);
}

static void
save_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Picture *picture = data;
  GError *error = NULL;
  if (urb_plan_write_png (picture->surface, picture->path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  const Picture *picture = g_task_get_task_data (G_TASK (result));
  g_autofree char *name = g_filename_display_basename (picture->path);
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      urbarium_message_error (GTK_WIDGET (source), _ ("The image cannot be saved"), error);
      return;
    }
  /* translators: %s is a file */
  text = g_strdup_printf (_ ("“%s” saved"), name);
  urbarium_message_toast (GTK_WIDGET (source), text);
}

static void
save_cb (UrbariumSampleGrid *self, const char *path)
{
  g_autoptr(GTask) task = NULL;
  Picture *picture;
  if (self->plan == NULL)
    return;
  picture = g_new0 (Picture, 1);
  picture->surface = crop (self);
  picture->path = g_str_has_suffix (path, ".png") ? g_strdup (path) : g_strconcat (path, ".png", NULL);
  task = g_task_new (self, NULL, saved_cb, NULL);
  g_task_set_task_data (task, picture, picture_free);
  g_task_run_in_thread (task, save_thread);
}

static void
save_action (GtkWidget *widget, const char *action, GVariant *param)
{
  UrbariumSampleGrid *self = URBARIUM_SAMPLE_GRID (widget);
  int tile = get_tile (self);
  g_autofree char *name
    = tile < 0 ? g_strdup_printf ("cities-step-%" G_GINT64_FORMAT ".png", self->shown_step)
               : g_strdup_printf ("city-%d-step-%" G_GINT64_FORMAT ".png", tile + 1, self->shown_step);
  GtkFileChooser *chooser
    = urbarium_file_chooser_new (widget, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("Save image"), _ ("_Save"));
  urbarium_file_chooser_add_filter (chooser, _ ("PNG images"), "png", NULL);
  gtk_file_chooser_set_current_name (chooser, name);
  urbarium_file_chooser_show (chooser, widget, G_CALLBACK (save_cb), self, NULL);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumSampleGrid) self = data;
  g_autoptr(GError) error = NULL;
  gint64 step;
  cairo_surface_t *surface =
    urbarium_surface_cache_load_finish (URBARIUM_SURFACE_CACHE (source), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* another run was set, or none */
  step = self->loading_step;
  g_clear_object (&self->cancellable);
  if (surface != NULL)
    {
      show (self, surface, step);
      cairo_surface_destroy (surface);
    }
  else
    {
      g_autofree char *text = g_markup_escape_text (error->message, -1);
      adw_status_page_set_description (self->error_page, text);
      gtk_stack_set_visible_child_name (self->stack, "error");
    }
  if (step != self->step)
    load (self);
}

static void
load (UrbariumSampleGrid *self)
{
  g_autoptr(UrbariumRunFile) sample = dup_chosen (self);
  g_autofree char *path = NULL;
  double time;
  cairo_surface_t *surface;
  if (sample == NULL || self->cancellable != NULL)
    return; /* loaded_cb() loads the chosen one afterwards */
  g_object_get (sample, "path", &path, "time", &time, NULL);
  surface = urbarium_surface_cache_lookup (self->cache, path, (gint64) (1000 * time));
  if (surface != NULL)
    {
      show (self, surface, self->step);
      cairo_surface_destroy (surface);
      return;
    }
  self->cancellable = g_cancellable_new ();
  self->loading_step = self->step;
  urbarium_surface_cache_load_async (self->cache, path, (gint64) (1000 * time), self->cancellable,
                                     loaded_cb, g_object_ref (self));
}

static void
update_choice (UrbariumSampleGrid *self)
{
  g_autoptr(UrbariumRunFile) sample = dup_chosen (self);
  g_autofree char *text = NULL;
  gint64 step = -1;
  if (sample != NULL)
    g_object_get (sample, "step", &step, NULL);
  text = step < 0 ? g_strdup ("") : dup_step_text (step);
  gtk_label_set_text (self->step_label, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scale), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
                                  text, -1);
  if (step != self->step)
    {
      self->step = step;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_STEP]);
    }
  if (step < 0)
    gtk_stack_set_visible_child_name (self->stack, "empty");
  else
    load (self);
}

static void
set_follow (UrbariumSampleGrid *self, gboolean follow)
{
  self->follow = follow;
  self->updating = TRUE;
  gtk_toggle_button_set_active (self->latest_button, follow);
  self->updating = FALSE;
}

static void
value_changed_cb (UrbariumSampleGrid *self)
{
  if (self->updating)
    return;
  set_follow (self, gtk_adjustment_get_value (self->adjustment)
                      >= gtk_adjustment_get_upper (self->adjustment));
  update_choice (self);
}

static void
stop (UrbariumSampleGrid *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

/* And what is being loaded. */
static void
clear_plan (UrbariumSampleGrid *self)
{
  stop (self);
  self->shown_step = -1;
  g_clear_pointer (&self->plan, cairo_surface_destroy);
  update_actions (self);
}

static gint64
get_sample_step (UrbariumSampleGrid *self, guint index)
{
  g_autoptr(UrbariumRunFile) sample = g_list_model_get_item (self->samples, index);
  gint64 step;
  g_object_get (sample, "step", &step, NULL);
  return step;
}

/* The position of the newest sample until the leader's step, or else 0 */
static guint
find_led (UrbariumSampleGrid *self)
{
  guint i = self->samples == NULL ? 0 : g_list_model_get_n_items (self->samples);
  while (i-- > 1)
    if (get_sample_step (self, i) <= self->leader->step)
      return i;
  return 0;
}

/* A run that is a branch, or whose first samples were deleted, has none until some step: cities of a later one beside the leader's would
 * look as if they were of the same. */
static void
update_early (UrbariumSampleGrid *self)
{
  gboolean has_leader = self->leader != NULL && self->leader->step >= 0 && self->samples != NULL
                        && g_list_model_get_n_items (self->samples) > 0;
  gint64 first = has_leader ? get_sample_step (self, 0) : 0;
  g_autofree char *count = urbarium_format_count (first), *text = NULL;
  self->is_early = has_leader && self->leader->step < first;
  if (self->is_early)
    {
      clear_plan (self);
      /* translators: %s: a training step */
      text = g_strdup_printf (_ ("The first cities of this run are of step %s"), count);
    }
  adw_status_page_set_description (self->empty_page,
                                   text != NULL ? text : _ ("The first cities are drawn before training begins"));
}

static void
samples_changed_cb (UrbariumSampleGrid *self)
{
  guint n = self->samples == NULL ? 0 : g_list_model_get_n_items (self->samples);
  double last = n == 0 ? 0 : n - 1;
  double value = self->leader != NULL ? find_led (self)
                 : self->follow       ? last
                                      : MIN (gtk_adjustment_get_value (self->adjustment), last);
  update_early (self);
  self->updating = TRUE;
  gtk_adjustment_set_upper (self->adjustment, last);
  gtk_adjustment_set_value (self->adjustment, value);
  self->updating = FALSE;
  gtk_widget_set_visible (self->time_box, n > 1 && self->leader == NULL);
  update_choice (self);
}

static void
latest_cb (UrbariumSampleGrid *self)
{
  if (self->updating)
    return;
  self->follow = gtk_toggle_button_get_active (self->latest_button);
  if (self->follow)
    samples_changed_cb (self);
}

void
urbarium_sample_grid_set_samples (UrbariumSampleGrid *self, GListModel *samples)
{
  urbarium_step_player_stop (self->player);
  if (self->samples != NULL)
    g_signal_handlers_disconnect_by_data (self->samples, self);
  g_set_object (&self->samples, samples);
  urbarium_grid_image_set (self->image, NULL, NULL);
  clear_plan (self);
  if (samples != NULL)
    g_signal_connect_object (samples, "items-changed", G_CALLBACK (samples_changed_cb), self,
                             G_CONNECT_SWAPPED);
  set_follow (self, TRUE);
  samples_changed_cb (self);
}

void
urbarium_sample_grid_set_leader (UrbariumSampleGrid *self, UrbariumSampleGrid *leader)
{
  g_autoptr(GtkSizeGroup) same_height = gtk_size_group_new (GTK_SIZE_GROUP_VERTICAL);
  GtkWidget *spacer = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0); /* beside the leader's slider */
  g_return_if_fail (self->leader == NULL);
  gtk_widget_insert_after (spacer, gtk_widget_get_parent (self->time_box), self->time_box);
  gtk_size_group_add_widget (same_height, spacer);
  gtk_size_group_add_widget (same_height, leader->time_box);
  g_set_weak_pointer (&self->leader, leader);
  g_signal_connect_object (leader, "notify::step", G_CALLBACK (samples_changed_cb), self, G_CONNECT_SWAPPED);
  g_object_bind_property (leader->image, "tile", self->image, "tile", G_BINDING_BIDIRECTIONAL);
  samples_changed_cb (self);
}

gint64
urbarium_sample_grid_get_step (UrbariumSampleGrid *self)
{
  return self->step;
}

gboolean
urbarium_sample_grid_get_ready (UrbariumSampleGrid *self)
{
  return self->step >= 0 && self->shown_step == self->step
         && !urbarium_grid_image_is_empty (self->image);
}

/* UrbariumShownFunc */
static gboolean
is_shown (gpointer self)
{
  return ((UrbariumSampleGrid *) self)->cancellable == NULL; /* also a damaged image */
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STEP)
    g_value_set_int64 (value, URBARIUM_SAMPLE_GRID (object)->step);
  else if (id == PROP_CAN_OPEN)
    g_value_set_boolean (value, URBARIUM_SAMPLE_GRID (object)->can_open);
  else if (id == PROP_CAN_COMPARE)
    g_value_set_boolean (value, gtk_widget_get_visible (URBARIUM_SAMPLE_GRID (object)->compare_button));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumSampleGrid *self = URBARIUM_SAMPLE_GRID (object);
  if (id == PROP_CAN_OPEN)
    {
      self->can_open = g_value_get_boolean (value);
      update_actions (self);
    }
  else if (id == PROP_CAN_COMPARE)
    gtk_widget_set_visible (self->compare_button, g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumSampleGrid *self = URBARIUM_SAMPLE_GRID (object);
  stop (self);
  g_clear_pointer (&self->player, urbarium_step_player_free);
  g_clear_weak_pointer (&self->leader);
  g_clear_pointer (&self->plan, cairo_surface_destroy);
  g_clear_object (&self->samples);
  g_clear_object (&self->cache);
  G_OBJECT_CLASS (urbarium_sample_grid_parent_class)->dispose (object);
}

static void
urbarium_sample_grid_class_init (UrbariumSampleGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->get_property = get_property;
  G_OBJECT_CLASS (klass)->set_property = set_property;
  props[PROP_STEP] = g_param_spec_int64 ("step", NULL, NULL, -1, G_MAXINT64, -1,
                                         G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_CAN_OPEN] = g_param_spec_boolean ("can-open", NULL, NULL, FALSE,
                                               G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  props[PROP_CAN_COMPARE] = g_param_spec_boolean ("can-compare", NULL, NULL, FALSE,
                                                  G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  open_city = g_signal_new ("open-city", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                            G_TYPE_NONE, 1, G_TYPE_UINT);
  g_type_ensure (URBARIUM_TYPE_GRID_IMAGE);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "sample-grid.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, image);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, title);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, step_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, back_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, open_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, time_box);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, scale);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, adjustment);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, latest_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, play_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, compare_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, empty_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumSampleGrid, error_page);
  gtk_widget_class_bind_template_callback (widget_class, value_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, latest_cb);
  gtk_widget_class_bind_template_callback (widget_class, tile_cb);
  gtk_widget_class_install_action (widget_class, "samples.back", NULL, back_action);
  gtk_widget_class_install_action (widget_class, "samples.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "samples.save", NULL, save_action);
}

static void
urbarium_sample_grid_init (UrbariumSampleGrid *self)
{
  self->cache = urbarium_surface_cache_new (CACHE_BYTES);
  self->step = self->shown_step = -1;
  self->follow = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->player = urbarium_step_player_new (self->adjustment, self->play_button, is_shown, self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (show_plan), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::high-contrast", G_CALLBACK (show_plan), self,
                           G_CONNECT_SWAPPED);
  update_actions (self);
  samples_changed_cb (self);
}
