/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/price-dialog.h"

#include <locale.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/message.h"
#include "app/base/settings.h"
#include "app/train/dialog-fields.h"
#include "settings/energy-price.h"

typedef struct
{
  AdwMessageDialog *dialog; /* borrowed; it owns this */
  GtkEditable      *price, *currency;
  GtkLabel         *problem; /* what is wrong with them */
} Fields;

/* No price is one, too: 0. @problem: (out) (transfer none) (nullable): a sentence; NULL: they can be kept
 * Returns: whether they can be kept */
static gboolean
read_fields (const Fields *self, double *per_kwh, char **currency, const char **problem)
{
  g_autofree char *text = urbarium_dialog_fields_dup_text (self->price);
  UrbEnergyPrice price;
  char *end;
  *currency = urbarium_dialog_fields_dup_text (self->currency);
  price = (UrbEnergyPrice){ g_strtod (text, &end), NULL };
  *per_kwh = price.per_kwh;
  *problem = NULL;
  if (*text == '\0')
    return TRUE;
  if (*end != '\0' || !urb_energy_price_check (&price, NULL))
    *problem = _ ("The price has to be a number above 0, such as 0.30.");
  price.currency = **currency != '\0' ? *currency : NULL;
  if (*problem == NULL && !urb_energy_price_check (&price, NULL))
    *problem = _ ("The currency has to be one short word, such as CHF or €.");
  return *problem == NULL;
}

static void
check_cb (Fields *self)
{
  g_autofree char *currency = NULL;
  const char *problem;
  double per_kwh;
  adw_message_dialog_set_response_enabled (self->dialog, "save", read_fields (self, &per_kwh, &currency, &problem));
  urbarium_dialog_fields_show_problem (self->problem, problem);
}

static void
keep_cb (Fields *self)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *currency = NULL;
  const char *problem;
  double per_kwh;
  if (!read_fields (self, &per_kwh, &currency, &problem))
    return;
  g_settings_set_double (settings, "energy-price", per_kwh);
  g_settings_set_string (settings, "energy-currency", currency);
}

/* (transfer full): that of the user's country, if none was kept; may be empty */
static char *
dup_currency (GSettings *settings)
{
  g_autofree char *kept = g_settings_get_string (settings, "energy-currency");
  return *kept != '\0' ? g_steal_pointer (&kept) : g_strstrip (g_strdup (localeconv ()->int_curr_symbol));
}

static GtkWidget *
new_fields (Fields *self)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *group = adw_preferences_group_new ();
  double per_kwh = g_settings_get_double (settings, "energy-price");
  g_autofree char *price = per_kwh > 0 ? g_strdup_printf ("%.6g", per_kwh) : g_strdup (""), *currency = dup_currency (settings);
  self->price = urbarium_dialog_fields_add (group, adw_entry_row_new (), _ ("Price of a kilowatt-hour"), price);
  self->currency = urbarium_dialog_fields_add (group, adw_entry_row_new (), _ ("Currency"), currency);
  self->problem = urbarium_dialog_fields_new_problem ();
  gtk_box_append (GTK_BOX (box), group);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->problem));
  g_signal_connect_swapped (self->price, "changed", G_CALLBACK (check_cb), self);
  g_signal_connect_swapped (self->currency, "changed", G_CALLBACK (check_cb), self);
  return box;
}

void
urbarium_price_dialog_show (GtkWidget *where, GCallback answered, gpointer data, GDestroyNotify destroy)
{
  GtkWidget *window = urbarium_message_dialog_new (
    where, _ ("Cost of energy"), _ ("The report can tell what the energy of the GPUs and processors cost. Without a price it "
                                    "tells only the energy."));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (window);
  Fields *fields = g_new0 (Fields, 1);
  fields->dialog = dialog;
  adw_message_dialog_set_extra_child (dialog, new_fields (fields));
  g_object_set_data_full (G_OBJECT (dialog), "fields", fields, g_free);
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "save", _ ("_Continue"), NULL);
  adw_message_dialog_set_response_appearance (dialog, "save", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, "save");
  adw_message_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_swapped (dialog, "response::save", G_CALLBACK (keep_cb), fields);
  g_signal_connect_data (dialog, "response::save", answered, data, (GClosureNotify) (GCallback) destroy,
                         G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (window));
}

void
urbarium_price_dialog_add_args (GStrvBuilder *args)
{
  g_autoptr(GSettings) settings = urbarium_settings_new ();
  g_autofree char *currency = g_settings_get_string (settings, "energy-currency");
  char price[G_ASCII_DTOSTR_BUF_SIZE];
  double per_kwh = g_settings_get_double (settings, "energy-price");
  if (per_kwh <= 0)
    return;
  g_strv_builder_add_many (args, "--price-kwh", g_ascii_formatd (price, sizeof price, "%.6g", per_kwh), NULL);
  if (*currency != '\0')
    g_strv_builder_add_many (args, "--currency", currency, NULL);
}
