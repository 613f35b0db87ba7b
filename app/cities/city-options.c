/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cities/city-options.h"

#include <math.h>

#include "app/base/ui-path.h"
#include "app/cities/share-rows.h"

enum { DELAY_MS = 150 }; /* after the last motion of a slider */

struct _UrbariumCityOptions
{
  AdwBin             parent_instance;
  gint64             seed;
  double             truncation;
  UrbariumShareWish  wish;
  UrbariumShares    *shares;   /* owned */
  guint              delay;    /* source */
  GSettings         *settings; /* (nullable) owned */

  AdwEntryRow       *seed_row;
  UrbariumShareRows *share_rows;
  GtkScale          *truncation_scale;
  GtkAdjustment     *truncation_adjustment;
};

G_DEFINE_FINAL_TYPE (UrbariumCityOptions, urbarium_city_options, ADW_TYPE_BIN)

static guint changed_signal;

gint64
urbarium_city_options_get_seed (UrbariumCityOptions *self)
{
  return self->seed;
}

UrbariumShares *
urbarium_city_options_get_shares (UrbariumCityOptions *self)
{
  return self->shares;
}

UrbariumCity *
urbarium_city_options_make_city (UrbariumCityOptions *self, gint64 index)
{
  UrbariumCity *city = urbarium_city_new (self->seed, index, self->truncation);
  urbarium_city_set_shares (city, &self->wish);
  return city;
}

UrbariumCity *
urbarium_city_options_change_city (UrbariumCityOptions *self, UrbariumCity *city)
{
  UrbariumCity *changed;
  if (urbarium_share_wish_equal (urbarium_city_get_shares (city), &self->wish))
    return NULL;
  changed = urbarium_city_copy (city);
  urbarium_city_set_shares (changed, &self->wish);
  return changed;
}

static void
set_seed (UrbariumCityOptions *self, gint64 seed)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  gboolean changed = self->seed != seed;
  self->seed = seed;
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->seed_row)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->seed_row), text);
  if (!changed)
    return;
  if (self->settings != NULL)
    g_settings_set_int64 (self->settings, "cities-seed", seed);
  g_signal_emit (self, changed_signal, 0);
}

void
urbarium_city_options_set_seed (UrbariumCityOptions *self, gint64 seed)
{
  g_return_if_fail (URBARIUM_IS_CITY_OPTIONS (self));
  set_seed (self, seed);
}

void
urbarium_city_options_renew_seed (UrbariumCityOptions *self)
{
  /* Up to six digits: easy to write down. */
  set_seed (self, g_random_int_range (1, 1000000));
}

static gboolean
read_seed (UrbariumCityOptions *self, gint64 *seed)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (
    GTK_EDITABLE (self->seed_row))));
  return g_ascii_string_to_signed (text, 10, 0, G_MAXINT64, seed, NULL);
}

/* Marks invalid input while typing; Enter applies the seed. */
static void
seed_changed_cb (UrbariumCityOptions *self)
{
  gint64 seed;
  if (read_seed (self, &seed))
    gtk_widget_remove_css_class (GTK_WIDGET (self->seed_row), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->seed_row), "error");
}

static void
seed_cb (UrbariumCityOptions *self)
{
  gint64 seed;
  if (read_seed (self, &seed))
    set_seed (self, seed);
}

static void
read_sliders (UrbariumCityOptions *self)
{
  g_clear_handle_id (&self->delay, g_source_remove);
  /* Two digits, as the scale shows and the favorites store. */
  self->truncation = rint (100 * gtk_adjustment_get_value (self->truncation_adjustment)) / 100;
  self->wish = *urbarium_shares_get_wish (self->shares);
}

static gboolean
delay_cb (gpointer data)
{
  UrbariumCityOptions *self = data;
  self->delay = 0;
  read_sliders (self);
  g_signal_emit (self, changed_signal, 0);
  return G_SOURCE_REMOVE;
}

static void
queue_changed (UrbariumCityOptions *self)
{
  g_clear_handle_id (&self->delay, g_source_remove);
  self->delay = g_timeout_add (DELAY_MS, delay_cb, self);
}

void
urbarium_city_options_set_model (UrbariumCityOptions *self, const UrbariumCityModel *model)
{
  g_return_if_fail (URBARIUM_IS_CITY_OPTIONS (self));
  urbarium_shares_set_ranges (self->shares, model->has_shares ? model->shares : NULL);
  read_sliders (self);
}

void
urbarium_city_options_bind_settings (UrbariumCityOptions *self, GSettings *settings)
{
  g_return_if_fail (URBARIUM_IS_CITY_OPTIONS (self) && self->settings == NULL);
  g_settings_bind (settings, "cities-truncation", self->truncation_adjustment, "value",
                   G_SETTINGS_BIND_DEFAULT);
  set_seed (self, MAX (g_settings_get_int64 (settings, "cities-seed"), 0));
  self->settings = g_object_ref (settings);
}

static void
dispose (GObject *object)
{
  UrbariumCityOptions *self = URBARIUM_CITY_OPTIONS (object);
  g_clear_handle_id (&self->delay, g_source_remove);
  g_clear_object (&self->settings);
  if (self->shares != NULL)
    g_signal_handlers_disconnect_by_data (self->shares, self);
  g_clear_object (&self->shares);
  G_OBJECT_CLASS (urbarium_city_options_parent_class)->dispose (object);
}

static void
urbarium_city_options_class_init (UrbariumCityOptionsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (URBARIUM_TYPE_SHARE_ROWS);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "city-options.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityOptions, seed_row);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityOptions, share_rows);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityOptions, truncation_scale);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCityOptions, truncation_adjustment);
  gtk_widget_class_bind_template_callback (widget_class, queue_changed);
  gtk_widget_class_bind_template_callback (widget_class, seed_cb);
  gtk_widget_class_bind_template_callback (widget_class, seed_changed_cb);
}

static void
urbarium_city_options_init (UrbariumCityOptions *self)
{
  self->seed = 1;
  self->truncation = 1;
  self->wish = URBARIUM_SHARES_AS_IN_MAP;
  self->shares = urbarium_shares_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_scale_add_mark (self->truncation_scale, 1, GTK_POS_BOTTOM, NULL);
  g_object_set (self->share_rows, "shares", self->shares, NULL);
  g_signal_connect_swapped (self->shares, "changed", G_CALLBACK (queue_changed), self);
}
