/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/strategy-rows.h"

#include <glib/gi18n.h>

#include "app/train/strategy.h"

enum { INDENT = 18 };

typedef struct
{
  const char *title, *text;
} Words;

/* A wide suffix would leave the words no room, so they may take several lines. */
static GtkWidget *
new_row (const Words *words, GtkWidget *suffix)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *indent = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_object_set (row, "use-markup", FALSE, "title", _ (words->title), "subtitle", _ (words->text),
                "subtitle-lines", 4, NULL);
  gtk_widget_set_size_request (indent, INDENT, -1);
  gtk_widget_set_valign (suffix, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (suffix), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (words->title), -1);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), indent);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), suffix);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), suffix);
  return row;
}

GtkWidget *
urbarium_strategy_rows_new_ranks (UrbStrategy strategy, GtkAdjustment *n_ranks)
{
  static const Words processes = { N_ ("Processes"),
                                   N_ ("Each trains on batches of its own, with its share of the "
                                       "processor’s threads") };
  static const Words threads = { N_ ("Threads"),
                                 N_ ("Each trains on batches of its own, with its share of the "
                                     "processor’s threads") };
  static const Words copies = { N_ ("Copies"),
                                N_ ("Each computes an equal part of every batch, with its share of "
                                    "the processor’s threads") };
  GtkWidget *spin = gtk_spin_button_new (n_ranks, 1, 0);
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), TRUE);
  return new_row (strategy == URB_STRATEGY_HOGWILD   ? &processes
                  : strategy == URB_STRATEGY_STREAMS ? &threads
                                                     : &copies,
                  spin);
}

GtkWidget *
urbarium_strategy_rows_new_switch (UrbStrategy strategy, GtkSwitch **toggle)
{
  static const Words stale_lr = { N_ ("Lower the learning rate with the number of workers"),
                                  N_ ("What a worker learns is a little out of date when it "
                                      "arrives: smaller steps keep the training steady") };
  static const Words sync_batch_norm = { N_ ("Batch statistics over all copies"),
                                         N_ ("The result is then that of one process; it costs "
                                             "some time") };
  GtkWidget *widget = gtk_switch_new ();
  gtk_switch_set_active (GTK_SWITCH (widget), TRUE);
  *toggle = GTK_SWITCH (widget);
  return new_row (urbarium_strategy_is_asynchronous (strategy) ? &stale_lr : &sync_batch_norm,
                  widget);
}
