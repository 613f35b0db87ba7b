/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event-list.c - the list has a row for what is on the screen only: a run of a
 * week may have thousands of events.
 */
#include "app/train/event-list.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/runs/run.h"
#include "app/train/reversed-list.h"

struct _UrbariumEventList
{
  AdwBin         parent_instance;

  gboolean       at_top;  /* the newest event is in view: stay there */
  guint          pinning; /* source that goes back there, once the list has laid itself out */

  GtkStack      *stack;
  GtkListView   *view;
  GtkAdjustment *place;
};

G_DEFINE_FINAL_TYPE (UrbariumEventList, urbarium_event_list, ADW_TYPE_BIN)

typedef struct
{
  GtkImage *icon;
  GtkLabel *words, *time;
} Row;

char *
urbarium_event_list_dup_words (const char *code, const char *text)
{
  static const struct
  {
    const char *state, *words;
  } states[] = {
    { "starting", N_ ("The run is starting") },
    { "running", N_ ("Training goes on") },
    { "pausing", N_ ("The run is about to pause") },
    { "paused", N_ ("The run is paused; its memory is free for others") },
    { "stopping", N_ ("The run is about to end") },
    { "stopped", N_ ("The run was stopped; it can be resumed") },
    { "finished", N_ ("All steps are done") },
    { "failed", N_ ("The run failed") },
    { "queued", N_ ("The run waits for another one") },
  };
  if (g_strcmp0 (code, "state") == 0)
    for (guint i = 0; i < G_N_ELEMENTS (states); i++)
      if (g_strcmp0 (text, states[i].state) == 0)
        return g_strdup (_ (states[i].words));
  return g_strdup (text == NULL ? "" : text);
}

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  Row *row = g_new (Row, 1);
  row->icon = GTK_IMAGE (gtk_image_new ());
  row->words = GTK_LABEL (gtk_label_new (NULL));
  row->time = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (row->words, 0);
  gtk_label_set_wrap (row->words, TRUE);
  gtk_label_set_wrap_mode (row->words, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (GTK_WIDGET (row->words), TRUE);
  gtk_widget_set_valign (GTK_WIDGET (row->icon), GTK_ALIGN_START);
  gtk_widget_set_valign (GTK_WIDGET (row->time), GTK_ALIGN_START);
  gtk_widget_add_css_class (GTK_WIDGET (row->time), "dim-label");
  gtk_widget_add_css_class (GTK_WIDGET (row->time), "numeric");
  gtk_widget_add_css_class (box, "train-event");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (row->icon));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (row->words));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (row->time));
  g_object_set_data_full (G_OBJECT (box), "row", row, g_free);
  gtk_list_item_set_child (item, box);
  gtk_list_item_set_activatable (item, FALSE);
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  Row *row = g_object_get_data (G_OBJECT (gtk_list_item_get_child (item)), "row");
  g_autofree char *level = NULL, *code = NULL, *text = NULL, *words = NULL, *when = NULL;
  double time;
  gboolean error, warning;
  g_object_get (gtk_list_item_get_item (item), "level", &level, "code", &code, "text", &text,
                "time", &time, NULL);
  error = g_strcmp0 (level, "error") == 0;
  warning = g_strcmp0 (level, "warning") == 0;
  words = urbarium_event_list_dup_words (code, text);
  when = urbarium_format_time ((gint64) time);
  gtk_label_set_text (row->words, words);
  gtk_label_set_text (row->time, when);
  /* Most are neither: an icon on each would be noise. */
  gtk_widget_set_visible (GTK_WIDGET (row->icon), error || warning);
  gtk_image_set_from_icon_name (row->icon,
                                error ? "dialog-error-symbolic" : "dialog-warning-symbolic");
  gtk_widget_set_css_classes (GTK_WIDGET (row->icon),
                              (const char *[]){ error ? "error" : "warning", NULL });
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  error ? _ ("Error") : _ ("Warning"), -1);
}

static gboolean
pin_cb (gpointer data)
{
  UrbariumEventList *self = data;
  self->pinning = 0;
  gtk_adjustment_set_value (self->place, 0);
  return G_SOURCE_REMOVE;
}

static void
scrolled_cb (UrbariumEventList *self)
{
  if (self->pinning == 0)
    self->at_top = gtk_adjustment_get_value (self->place) < 1;
}

/* A list view keeps what is in view where it is when something comes above it. */
static void
pin (UrbariumEventList *self)
{
  if (self->at_top && self->pinning == 0)
    self->pinning = g_idle_add_full (GDK_PRIORITY_REDRAW + 10, pin_cb, self, NULL);
}

static void
count_cb (UrbariumEventList *self, guint position, guint n_removed, guint n_added,
          GListModel *model)
{
  gtk_stack_set_visible_child_name (self->stack,
                                    g_list_model_get_n_items (model) > 0 ? "events" : "empty");
  pin (self);
}

void
urbarium_event_list_set_events (UrbariumEventList *self, GListModel *events)
{
  g_autoptr(GtkNoSelection) selection = NULL;
  if (events != NULL)
    selection = gtk_no_selection_new (G_LIST_MODEL (urbarium_reversed_list_new (events)));
  gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  gtk_stack_set_visible_child_name (self->stack, "empty");
  self->at_top = TRUE;
  if (selection == NULL)
    return;
  g_signal_connect_object (selection, "items-changed", G_CALLBACK (count_cb), self,
                           G_CONNECT_SWAPPED);
  count_cb (self, 0, 0, 0, G_LIST_MODEL (selection));
}

static void
dispose (GObject *object)
{
  g_clear_handle_id (&URBARIUM_EVENT_LIST (object)->pinning, g_source_remove);
  G_OBJECT_CLASS (urbarium_event_list_parent_class)->dispose (object);
}

static void
urbarium_event_list_class_init (UrbariumEventListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "event-list.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumEventList, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumEventList, view);
  gtk_widget_class_bind_template_callback (widget_class, setup_cb);
  gtk_widget_class_bind_template_callback (widget_class, bind_cb);
}

static void
urbarium_event_list_init (UrbariumEventList *self)
{
  self->at_top = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->place = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->view));
  g_signal_connect_object (self->place, "value-changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
}
