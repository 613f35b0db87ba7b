/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker-table.c - a hanging worker sends nothing, so the time since its last message must grow
 * without events: all cells are rewritten every second while the table is visible.
 */
#include "app/train/worker-table.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/runs/run.h"
#include "run/store/run.h"

enum { SILENT_S = 10, MIN_CHARS = 8, MAX_LINES = 3 };

typedef char *(*CellFunc) (UrbariumRunWorker *worker);

struct _UrbariumWorkerTable
{
  AdwBin         parent_instance;

  GPtrArray     *cells; /* (element-type GtkListItem) borrowed: bound cells */
  guint          timeout;

  GtkStack      *stack;
  GtkColumnView *view;
};

G_DEFINE_FINAL_TYPE (UrbariumWorkerTable, urbarium_worker_table, ADW_TYPE_BIN)

static char *
dup_rank (UrbariumRunWorker *worker)
{
  int rank;
  g_object_get (worker, "rank", &rank, NULL);
  return urbarium_format_count (rank);
}

static char *
dup_process (UrbariumRunWorker *worker)
{
  gint64 pid;
  g_object_get (worker, "pid", &pid, NULL);
  return pid <= 0 ? g_strdup ("–") : g_strdup_printf ("%" G_GINT64_FORMAT, pid);
}

static char *
dup_device (UrbariumRunWorker *worker)
{
  char *device;
  g_object_get (worker, "device", &device, NULL);
  if (device != NULL && *device != '\0' && !g_str_equal (device, "cpu"))
    return device;
  g_free (device);
  return g_strdup (_ ("Processor"));
}

static char *
dup_step (UrbariumRunWorker *worker)
{
  gint64 step;
  g_object_get (worker, "step", &step, NULL);
  return step < 0 ? g_strdup ("–") : urbarium_format_count (step);
}

/* Translates the engine's names of activities. */
static char *
dup_doing (UrbariumRunWorker *worker)
{
  static const struct
  {
    const char *doing, *text;
  } known[] = {
    { "start", N_ ("Starting") },           { "starting", N_ ("Starting") },
    { "step", N_ ("Training") },            { "sample", N_ ("Drawing samples") },
    { "checkpoint", N_ ("Saving") },        { "save", N_ ("Saving") },
    { "idle", N_ ("Waiting") },             { "restore", N_ ("Reading a checkpoint") },
    { "wait", N_ ("Waiting") },
  };
  g_autofree char *doing = NULL, *text = NULL;
  gboolean alive;
  g_object_get (worker, "doing", &doing, "alive", &alive, "text", &text, NULL);
  if (!alive)
    return g_strdup (text == NULL || *text == '\0' || g_str_equal (text, URB_WORKER_ENDED_WELL)
                       ? _ ("Ended")
                       : text);
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_strcmp0 (known[i].doing, doing) == 0)
      return g_strdup (_ (known[i].text));
  return g_strdup (doing == NULL ? "–" : doing);
}

static char *
dup_memory (UrbariumRunWorker *worker)
{
  gint64 n_bytes;
  g_object_get (worker, "memory-bytes", &n_bytes, NULL);
  return n_bytes <= 0 ? g_strdup ("–") : urbarium_format_bytes (n_bytes);
}

static char *
dup_last_sign (UrbariumRunWorker *worker)
{
  double time, seconds;
  gboolean alive;
  g_autofree char *since = NULL;
  g_object_get (worker, "last-sign", &time, "alive", &alive, NULL);
  if (!(time > 0))
    return g_strdup ("–");
  if (!alive)
    return urbarium_format_time ((gint64) time);
  seconds = (double) g_get_real_time () / G_USEC_PER_SEC - time;
  if (seconds < 2.5)
    return g_strdup (_ ("Just now"));
  since = urbarium_format_duration (seconds);
  if (seconds > SILENT_S)
    /* translators: %s: a duration since the last message of a worker */
    return g_strdup_printf (_ ("Silent for %s"), since);
  /* translators: %s: a duration */
  return g_strdup_printf (_ ("%s ago"), since);
}

static void
write_cell (GtkListItem *item)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  CellFunc func = (CellFunc) g_object_get_data (G_OBJECT (label), "func");
  UrbariumRunWorker *worker = gtk_list_item_get_item (item);
  g_autofree char *text = worker == NULL ? NULL : func (worker);
  if (text == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (label, text); /* in full, if the column is too narrow */
}

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer func)
{
  CellFunc cell = (CellFunc) func;
  GtkWidget *label = gtk_label_new (NULL);
  gboolean is_number
    = cell == dup_rank || cell == dup_step || cell == dup_memory || cell == dup_process;
  gtk_label_set_xalign (GTK_LABEL (label), is_number ? 1 : 0); /* numbers are right-aligned */
  /* Ellipsize text but never numbers: the table scrolls instead. */
  if (cell == dup_device || cell == dup_doing)
    g_object_set (label, "wrap", TRUE, "lines", MAX_LINES, "ellipsize", PANGO_ELLIPSIZE_END,
                  "width-chars", MIN_CHARS, NULL);
  gtk_widget_add_css_class (label, "numeric");
  g_object_set_data (G_OBJECT (label), "func", func);
  gtk_list_item_set_child (item, label);
}

static void
bind_cb (UrbariumWorkerTable *self, GtkListItem *item)
{
  g_ptr_array_add (self->cells, item);
  write_cell (item);
}

static void
unbind_cb (UrbariumWorkerTable *self, GtkListItem *item)
{
  g_ptr_array_remove_fast (self->cells, item);
}

static gboolean
timeout_cb (gpointer data)
{
  UrbariumWorkerTable *self = data;
  for (guint i = 0; i < self->cells->len; i++)
    write_cell (g_ptr_array_index (self->cells, i));
  return G_SOURCE_CONTINUE;
}

static void
map_cb (UrbariumWorkerTable *self)
{
  timeout_cb (self);
  if (self->timeout == 0)
    self->timeout = g_timeout_add_seconds (1, timeout_cb, self);
}

static void
unmap_cb (UrbariumWorkerTable *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
}

static void
add_column (UrbariumWorkerTable *self, const char *title, CellFunc func, gboolean expand)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr(GtkColumnViewColumn) column = NULL;
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), (gpointer) func);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cb), self, G_CONNECT_SWAPPED);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_expand (column, expand);
  gtk_column_view_append_column (self->view, column);
}

static void
count_cb (UrbariumWorkerTable *self, guint position, guint n_removed, guint n_added,
          GListModel *model)
{
  gtk_stack_set_visible_child_name (self->stack,
                                    g_list_model_get_n_items (model) > 0 ? "workers" : "empty");
}

void
urbarium_worker_table_set_workers (UrbariumWorkerTable *self, GListModel *workers)
{
  g_autoptr(GtkNoSelection) selection =
    workers == NULL ? NULL : gtk_no_selection_new (g_object_ref (workers));
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  gtk_stack_set_visible_child_name (self->stack, "empty");
  if (selection == NULL)
    return;
  g_signal_connect_object (selection, "items-changed", G_CALLBACK (count_cb), self,
                           G_CONNECT_SWAPPED);
  count_cb (self, 0, 0, 0, G_LIST_MODEL (selection));
}

static void
dispose (GObject *object)
{
  UrbariumWorkerTable *self = URBARIUM_WORKER_TABLE (object);
  g_clear_handle_id (&self->timeout, g_source_remove);
  G_OBJECT_CLASS (urbarium_worker_table_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_ptr_array_unref (URBARIUM_WORKER_TABLE (object)->cells);
  G_OBJECT_CLASS (urbarium_worker_table_parent_class)->finalize (object);
}

static void
urbarium_worker_table_class_init (UrbariumWorkerTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "worker-table.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumWorkerTable, stack);
  gtk_widget_class_bind_template_child (widget_class, UrbariumWorkerTable, view);
  gtk_widget_class_bind_template_callback (widget_class, map_cb);
  gtk_widget_class_bind_template_callback (widget_class, unmap_cb);
}

static void
urbarium_worker_table_init (UrbariumWorkerTable *self)
{
  self->cells = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  /* The last columns are the first out of sight in a narrow window. */
  add_column (self, _ ("Rank"), dup_rank, FALSE);
  add_column (self, _ ("Device"), dup_device, TRUE);
  add_column (self, _ ("Doing"), dup_doing, TRUE);
  add_column (self, _ ("Step"), dup_step, FALSE);
  add_column (self, _ ("Memory"), dup_memory, FALSE);
  add_column (self, _ ("Last message"), dup_last_sign, TRUE);
  add_column (self, _ ("Process"), dup_process, FALSE);
}
