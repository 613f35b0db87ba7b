/* SPDX-License-Identifier: Apache-2.0 */
/*
 * price-dialog.h - asks what a kilowatt-hour costs, for the report of a run, and keeps it for the next report.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * urbarium_price_dialog_show:
 * @where: a widget in the window of the dialog
 * @answered: void (*) (gpointer @data): the report is wanted, and the price kept, if one was entered
 * @destroy: frees @data, also if the dialog is cancelled
 */
void urbarium_price_dialog_show     (GtkWidget *where, GCallback answered, gpointer data, GDestroyNotify destroy);
/* Adds the options of the report for the price that was kept, if there is one. */
void urbarium_price_dialog_add_args (GStrvBuilder *args);

G_END_DECLS
