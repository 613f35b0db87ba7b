/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/compare-list.h"

#include <glib/gi18n.h>

#include "app/base/ui-path.h"
#include "app/train/run-text.h"

enum { MAX_RUNS = URBARIUM_COMPARE_MAX - 1 }; /* plus the run in view */

typedef struct
{
  UrbariumRun *run; /* owned; followed */
  guint        color_index;
} Chosen;

struct _UrbariumCompareList
{
  AdwBin              parent_instance;

  GListModel         *others;  /* (nullable) owned */
  GArray             *chosen;  /* (element-type Chosen) owned */

  GtkStack           *stack;
  GtkListBox         *list;
};

G_DEFINE_FINAL_TYPE (UrbariumCompareList, urbarium_compare_list, ADW_TYPE_BIN)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
chosen_clear (gpointer data)
{
  Chosen *chosen = data;
  urbarium_run_unfollow (chosen->run);
  g_clear_object (&chosen->run);
}

static int
find (UrbariumCompareList *self, UrbariumRun *run)
{
  for (guint i = 0; i < self->chosen->len; i++)
    if (g_array_index (self->chosen, Chosen, i).run == run)
      return (int) i;
  return -1;
}

static void
update_sensitive (UrbariumCompareList *self)
{
  gboolean full = self->chosen->len >= MAX_RUNS;
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *check = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));
      gtk_widget_set_sensitive (row,
                                !full || gtk_check_button_get_active (GTK_CHECK_BUTTON (check)));
    }
}

static void
toggled_cb (GtkCheckButton *check, UrbariumCompareList *self)
{
  UrbariumRun *run = g_object_get_data (G_OBJECT (check), "run");
  int index = find (self, run);
  if (gtk_check_button_get_active (check) == (index >= 0))
    return;
  if (index >= 0)
    g_array_remove_index (self->chosen, (guint) index);
  else
    {
      Chosen chosen = { g_object_ref (run), 1 };
      for (guint i = 0; i < self->chosen->len;) /* find the first free color */
        if (g_array_index (self->chosen, Chosen, i++).color_index == chosen.color_index)
          {
            chosen.color_index++;
            i = 0;
          }
      urbarium_run_follow (run);
      g_array_append_val (self->chosen, chosen);
    }
  update_sensitive (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

static GtkWidget *
create_row (gpointer item, gpointer data)
{
  UrbariumCompareList *self = data;
  GtkWidget *check = gtk_check_button_new ();
  GtkWidget *row = gtk_list_box_row_new ();
  g_object_bind_property (item, "name", check, "label", G_BINDING_SYNC_CREATE);
  g_object_set_data_full (G_OBJECT (check), "run", g_object_ref (item), g_object_unref);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), find (self, item) >= 0);
  g_signal_connect_object (check, "toggled", G_CALLBACK (toggled_cb), self, 0);
  g_object_set (row, "child", check, "activatable", FALSE, "focusable", FALSE, NULL);
  return row;
}

/* Includes runs that have no curve yet. */
static gboolean
is_other (gpointer item, gpointer run)
{
  return item != run;
}

/* Drops deleted runs, and updates the sensitivity of new rows. */
static void
others_changed_cb (UrbariumCompareList *self)
{
  guint n = g_list_model_get_n_items (self->others);
  gboolean changed = FALSE;
  gtk_stack_set_visible_child_name (self->stack, n > 0 ? "runs" : "empty");
  for (guint i = self->chosen->len; i-- > 0;)
    {
      UrbariumRun *run = g_array_index (self->chosen, Chosen, i).run;
      gboolean exists = FALSE;
      for (guint k = 0; k < n && !exists; k++)
        {
          g_autoptr(GObject) other = g_list_model_get_item (self->others, k);
          exists = other == G_OBJECT (run);
        }
      if (!exists)
        g_array_remove_index (self->chosen, i);
      changed |= !exists;
    }
  update_sensitive (self);
  if (changed)
    g_signal_emit (self, signals[CHANGED], 0);
}

void
urbarium_compare_list_set_run (UrbariumCompareList *self, UrbariumRun *run,
                               UrbariumRunLibrary *library)
{
  int index = run == NULL ? -1 : find (self, run);
  if (self->others != NULL)
    g_signal_handlers_disconnect_by_data (self->others, self);
  gtk_list_box_bind_model (self->list, NULL, NULL, NULL, NULL);
  g_clear_object (&self->others);
  if (index >= 0)
    g_array_remove_index (self->chosen, (guint) index); /* now the run in view */
  if (run == NULL || library == NULL)
    {
      g_array_set_size (self->chosen, 0);
      return;
    }
  self->others = G_LIST_MODEL (
    gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (library)),
                               GTK_FILTER (gtk_custom_filter_new (is_other, run, NULL))));
  gtk_list_box_bind_model (self->list, self->others, create_row, self, NULL);
  g_signal_connect_object (self->others, "items-changed", G_CALLBACK (others_changed_cb), self,
                           G_CONNECT_SWAPPED);
  others_changed_cb (self);
}

void
urbarium_compare_list_foreach (UrbariumCompareList *self, UrbariumCompareFunc func, gpointer data)
{
  for (guint i = 0; i < self->chosen->len; i++)
    {
      const Chosen *chosen = &g_array_index (self->chosen, Chosen, i);
      func (chosen->run, chosen->color_index, data);
    }
}

guint
urbarium_compare_list_get_n (UrbariumCompareList *self)
{
  return self->chosen->len;
}

static void
dispose (GObject *object)
{
  UrbariumCompareList *self = URBARIUM_COMPARE_LIST (object);
  g_clear_object (&self->others);
  g_array_set_size (self->chosen, 0);
  G_OBJECT_CLASS (urbarium_compare_list_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_array_unref (URBARIUM_COMPARE_LIST (object)->chosen);
  G_OBJECT_CLASS (urbarium_compare_list_parent_class)->finalize (object);
}

static void
urbarium_compare_list_class_init (UrbariumCompareListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "compare-list.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumCompareList, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumCompareList, list);
}

static void
urbarium_compare_list_init (UrbariumCompareList *self)
{
  self->chosen = g_array_new (FALSE, FALSE, sizeof (Chosen));
  g_array_set_clear_func (self->chosen, chosen_clear);
  gtk_widget_init_template (GTK_WIDGET (self));
}
