/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cities-page.c - see cities-page.h.
 *
 * What is shown follows the source: another checkpoint makes all cities anew.
 * The child process is started when the page is seen for the first time.
 */
#include "app/cities/cities-page.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/base/job-bar.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/cities/city-store.h"
#include "app/cities/favourites.h"
#include "app/cities/gallery.h"
#include "app/cities/model-chooser.h"

enum { TRUNCATION_DELAY_MS = 150 };

struct _UrbariumCitiesPage
{
  AdwBin                parent_instance;
  UrbariumCitySource   *source;     /* owned */
  UrbariumCityStore    *store;      /* owned */
  UrbariumFavourites   *favourites; /* owned */
  char                 *checkpoint; /* (nullable) owned; chosen */
  gint64                seed;
  double                truncation;
  guint                 truncation_delay; /* source */
  gboolean              seen;

  AdwFlap              *flap;
  GtkStack             *panels, *content, *gallery_stack;
  AdwViewStack         *views;
  AdwViewSwitcher      *switcher;
  AdwStatusPage        *error_page;
  UrbariumModelChooser *chooser;
  UrbariumGallery      *gallery;
  UrbariumJobBar       *job_bar;
  AdwEntryRow          *seed_row;
  GtkScale             *truncation_scale;
  GtkAdjustment        *truncation_adjustment, *size_adjustment;
  GtkSwitch            *favourites_switch;
  GtkToggleButton      *raster_button, *vector_button;
  GtkSpinner           *spinner;
  GtkRevealer          *selection_bar;
  GtkLabel             *selection_label;
};

G_DEFINE_FINAL_TYPE (UrbariumCitiesPage, urbarium_cities_page, ADW_TYPE_BIN)

/* ------------------------------------------------------------------------ */
/* What is shown                                                             */

static void
update_content (UrbariumCitiesPage *self)
{
  gboolean only = gtk_switch_get_active (self->favourites_switch);
  gboolean none = only && g_list_model_get_n_items (G_LIST_MODEL (self->favourites)) == 0;
  gtk_stack_set_visible_child_name (self->gallery_stack, none ? "no-favourites" : "cities");
  gtk_stack_set_visible_child_name (self->content, self->checkpoint != NULL ? "views" : "empty");
}

static void
update_selection (UrbariumCitiesPage *self)
{
  g_autoptr(GPtrArray) cities = urbarium_gallery_get_selection (self->gallery);
  g_autofree char *count = urbarium_format_count (cities->len);
  g_autofree char *text
    /* translators: %s is a number of cities */
    = g_strdup_printf (ngettext ("%s city selected", "%s cities selected",
                                    cities->len), count);
  gtk_label_set_label (self->selection_label, text);
  gtk_revealer_set_reveal_child (self->selection_bar, cities->len > 0);
}

static void
reset_cities (UrbariumCitiesPage *self)
{
  if (urbarium_city_source_get_model (self->source) == NULL)
    urbarium_city_store_clear (self->store);
  else
    urbarium_city_store_reset (self->store, self->seed, self->truncation);
  urbarium_gallery_unselect (self->gallery);
}

static void
favourites_only_cb (UrbariumCitiesPage *self)
{
  gboolean only = gtk_switch_get_active (self->favourites_switch);
  urbarium_gallery_set_model (self->gallery, only ? G_LIST_MODEL (self->favourites)
                                                  : G_LIST_MODEL (self->store));
  update_content (self);
}

static void
end_reached_cb (UrbariumCitiesPage *self)
{
  if (!gtk_switch_get_active (self->favourites_switch)
      && g_list_model_get_n_items (G_LIST_MODEL (self->store)) > 0)
    urbarium_city_store_grow (self->store, 0);
}

static void
made_cb (UrbariumCity *city, gpointer user_data)
{
  urbarium_favourites_mark (URBARIUM_CITIES_PAGE (user_data)->favourites, city);
}

static void
favourites_changed_cb (UrbariumCitiesPage *self)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->store)); i++)
    {
      g_autoptr(UrbariumCity) city = g_list_model_get_item (G_LIST_MODEL (self->store), i);
      urbarium_favourites_mark (self->favourites, city);
    }
  update_content (self);
}

static void
favourite_cb (UrbariumCitiesPage *self, UrbariumCity *city, gboolean favourite)
{
  urbarium_favourites_set (self->favourites, city, favourite);
}

static void
opened_cb (UrbariumCitiesPage *self, UrbariumCity *city)
{
}

/* ------------------------------------------------------------------------ */
/* The generator                                                             */

static void
open_checkpoint (UrbariumCitiesPage *self)
{
  if (self->seen)
    urbarium_city_source_open (self->source, self->checkpoint);
  update_content (self);
}

static void
chosen_cb (UrbariumCitiesPage *self, const char *checkpoint, const char *run)
{
  g_free (self->checkpoint);
  self->checkpoint = g_strdup (checkpoint);
  urbarium_favourites_set_run (self->favourites, run);
  urbarium_model_chooser_set_text (self->chooser, NULL);
  open_checkpoint (self);
}

static void
source_opened_cb (UrbariumCitiesPage *self)
{
  const UrbariumCityModel *model = urbarium_city_source_get_model (self->source);
  g_autofree char *size = urbarium_format_number (model->area_size_m, 0);
  g_autofree char *step = urbarium_format_count (model->step);
  g_autofree char *text
    /* translators: name of a preset, how long it was trained, edge of a city, edge of its image */
    = g_strdup_printf (_ ("Preset “%s” after %s steps: cities of %s m × %s m in %d × %d pixels"),
                       model->preset, step, size, size, model->size_px, model->size_px);
  urbarium_model_chooser_set_text (self->chooser, text);
  reset_cities (self);
  urbarium_favourites_renew (self->favourites);
  update_content (self);
}

static void
source_failed_cb (UrbariumCitiesPage *self, const GError *error)
{
  g_autofree char *text = g_markup_escape_text (error->message, -1);
  urbarium_city_store_clear (self->store);
  adw_status_page_set_description (self->error_page, text);
  gtk_stack_set_visible_child_name (self->content, "error");
}

static void
source_restarted_cb (UrbariumCitiesPage *self, const GError *error)
{
  g_autofree char *text
    /* translators: %s is a sentence that says what happened */
    = g_strdup_printf (_ ("%s It has been started again."), error->message);
  urbarium_message_toast (GTK_WIDGET (self), text);
}

static void
favourites_failed_cb (UrbariumCitiesPage *self, const GError *error)
{
  urbarium_message_error (GTK_WIDGET (self), _ ("The Favourites Cannot Be Kept"), error);
}

/* ------------------------------------------------------------------------ */
/* Seed and truncation                                                       */

static void
set_seed (UrbariumCitiesPage *self, gint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  gboolean changed = self->seed != seed;
  self->seed = seed;
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->seed_row)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->seed_row), text);
  if (changed)
    reset_cities (self);
}

static gboolean
read_seed (UrbariumCitiesPage *self, gint64 *seed)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (
    GTK_EDITABLE (self->seed_row))));
  return g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, seed, NULL);
}

/* Wrong as one types; taken with Enter. */
static void
seed_changed_cb (UrbariumCitiesPage *self)
{
  gint64 seed;
  if (read_seed (self, &seed))
    gtk_widget_remove_css_class (GTK_WIDGET (self->seed_row), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->seed_row), "error");
}

static void
seed_cb (UrbariumCitiesPage *self)
{
  gint64 seed;
  if (read_seed (self, &seed))
    set_seed (self, seed);
}

static void
new_seed_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  gtk_switch_set_active (self->favourites_switch, FALSE);
  /* Six digits: easy to write down and to say. */
  set_seed (self, g_random_int_range (1, 1000000));
}

static gboolean
truncation_delay_cb (gpointer data)
{
  UrbariumCitiesPage *self = data;
  self->truncation_delay = 0;
  /* As it is shown, and kept for favourites. */
  self->truncation = rint (100 * gtk_adjustment_get_value (self->truncation_adjustment)) / 100;
  reset_cities (self);
  return G_SOURCE_REMOVE;
}

static void
truncation_cb (UrbariumCitiesPage *self)
{
  g_clear_handle_id (&self->truncation_delay, g_source_remove);
  self->truncation_delay = g_timeout_add (TRUNCATION_DELAY_MS, truncation_delay_cb, self);
}

/* ------------------------------------------------------------------------ */

static void
unselect_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_gallery_unselect (URBARIUM_CITIES_PAGE (widget)->gallery);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *param)
{
  urbarium_model_chooser_ask (URBARIUM_CITIES_PAGE (widget)->chooser);
}

static void
retry_action (GtkWidget *widget, const char *name, GVariant *param)
{
  open_checkpoint (URBARIUM_CITIES_PAGE (widget));
}

void
urbarium_cities_page_set_library (UrbariumCitiesPage *self, UrbariumRunLibrary *library)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  urbarium_model_chooser_set_library (self->chooser, library);
}

void
urbarium_cities_page_show_run (UrbariumCitiesPage *self, UrbariumRun *run)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  urbarium_model_chooser_show_run (self->chooser, run);
}

void
urbarium_cities_page_open (UrbariumCitiesPage *self, const char *checkpoint)
{
  g_return_if_fail (URBARIUM_IS_CITIES_PAGE (self));
  urbarium_model_chooser_open (self->chooser, checkpoint);
}

static void
map (GtkWidget *widget)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (widget);
  GTK_WIDGET_CLASS (urbarium_cities_page_parent_class)->map (widget);
  if (self->seen)
    return;
  self->seen = TRUE;
  if (self->checkpoint != NULL)
    open_checkpoint (self);
}

static void
dispose (GObject *object)
{
  UrbariumCitiesPage *self = URBARIUM_CITIES_PAGE (object);
  g_clear_handle_id (&self->truncation_delay, g_source_remove);
  if (self->gallery != NULL)
    {
      urbarium_gallery_set_model (self->gallery, NULL);
      urbarium_gallery_set_source (self->gallery, NULL);
    }
  g_clear_object (&self->store);
  if (self->favourites != NULL)
    g_signal_handlers_disconnect_by_data (self->favourites, self);
  g_clear_object (&self->favourites);
  if (self->source != NULL)
    g_signal_handlers_disconnect_by_data (self->source, self);
  g_clear_object (&self->source);
  g_clear_pointer (&self->checkpoint, g_free);
  G_OBJECT_CLASS (urbarium_cities_page_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, flap);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, panels);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, gallery_stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, views);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, switcher);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, error_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, chooser);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, gallery);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, job_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, seed_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, truncation_scale);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, truncation_adjustment);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, size_adjustment);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, favourites_switch);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, raster_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, vector_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, spinner);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, selection_bar);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCitiesPage, selection_label);
}

static void
urbarium_cities_page_class_init (UrbariumCitiesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  widget_class->map = map;
  g_type_ensure (URBARIUM_TYPE_GALLERY);
  g_type_ensure (URBARIUM_TYPE_JOB_BAR);
  g_type_ensure (URBARIUM_TYPE_MODEL_CHOOSER);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "cities-page.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, end_reached_cb);
  gtk_widget_class_bind_template_callback (widget_class, favourite_cb);
  gtk_widget_class_bind_template_callback (widget_class, favourites_only_cb);
  gtk_widget_class_bind_template_callback (widget_class, opened_cb);
  gtk_widget_class_bind_template_callback (widget_class, seed_cb);
  gtk_widget_class_bind_template_callback (widget_class, seed_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, truncation_cb);
  gtk_widget_class_bind_template_callback (widget_class, update_selection);
  gtk_widget_class_install_action (widget_class, "cities.new-seed", NULL, new_seed_action);
  gtk_widget_class_install_action (widget_class, "cities.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "cities.retry", NULL, retry_action);
  gtk_widget_class_install_action (widget_class, "cities.unselect", NULL, unselect_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_r, 0, "cities.new-seed", NULL);
}

static void
urbarium_cities_page_init (UrbariumCitiesPage *self)
{
  self->seed = 1;
  self->truncation = 1;
  self->source = urbarium_city_source_new ();
  self->favourites = urbarium_favourites_new (NULL);
  self->store = urbarium_city_store_new (made_cb, self);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_scale_add_mark (self->truncation_scale, 1, GTK_POS_BOTTOM, NULL);
  urbarium_gallery_set_source (self->gallery, self->source);
  urbarium_gallery_set_model (self->gallery, G_LIST_MODEL (self->store));
  g_object_bind_property (self->source, "opening", self->spinner, "spinning",
                          G_BINDING_SYNC_CREATE);
  g_signal_connect_swapped (self->source, "opened", G_CALLBACK (source_opened_cb), self);
  g_signal_connect_swapped (self->source, "failed", G_CALLBACK (source_failed_cb), self);
  g_signal_connect_swapped (self->source, "restarted", G_CALLBACK (source_restarted_cb), self);
  g_signal_connect_swapped (self->favourites, "items-changed", G_CALLBACK (favourites_changed_cb),
                            self);
  g_signal_connect_swapped (self->favourites, "failed", G_CALLBACK (favourites_failed_cb), self);
  update_content (self);
}
