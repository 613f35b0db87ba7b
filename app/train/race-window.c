/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race-window.c - see race-window.h.  Read update() first.
 */
#include "app/train/race-window.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "app/base/ui-path.h"
#include "app/train/race-text.h"
#include "app/train/race-view.h"
#include "app/train/strategy.h"

/* One of the two ways. */
typedef struct
{
  AdwComboRow   *strategy_row; /* borrowed */
  GtkWidget     *ranks_row;
  GtkSpinButton *ranks_spin;
} Way;

struct _UrbariumRaceWindow
{
  AdwWindow        parent_instance;

  char            *folder;     /* owned */
  UrbRunConfig     config;
  gboolean         has_config, busy, continuing, closed;
  GArray          *strategies; /* (element-type UrbStrategy) owned: those to choose from */
  UrbariumRace    *race;       /* (nullable) owned: in view */
  GCancellable    *starting;   /* (nullable) owned */

  GtkStack        *stack;
  Way              ways[URB_RACE_N_ARMS];
  GtkSpinButton   *minutes_spin, *seeds_spin;
  GtkLabel        *summary_label;
  GtkWidget       *earlier_group, *new_groups;
  GtkListBox      *earlier_list;
  GtkWidget       *back_button, *start_button, *stop_button, *continue_button, *delete_button;
  UrbariumRaceView *view;
};

G_DEFINE_FINAL_TYPE (UrbariumRaceWindow, urbarium_race_window, ADW_TYPE_WINDOW)

/* ------------------------------------------------------------------------ */
/* State                                                                     */

static UrbStrategy
get_strategy (UrbariumRaceWindow *self, const Way *way)
{
  guint selected = adw_combo_row_get_selected (way->strategy_row);
  return selected < self->strategies->len ? g_array_index (self->strategies, UrbStrategy, selected)
                                          : URB_STRATEGY_SINGLE;
}

/* Returns: (nullable) (transfer full) */
static char *
find_problem (UrbariumRaceWindow *self)
{
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    {
      const Way *way = &self->ways[arm];
      char *problem = urbarium_strategy_check_batch (get_strategy (self, way),
                                                     gtk_spin_button_get_value_as_int (way->ranks_spin),
                                                     &self->config.train);
      if (problem != NULL)
        return problem;
    }
  return NULL;
}

/* @problem: (nullable) */
static void
show_summary (UrbariumRaceWindow *self, const char *problem)
{
  double seconds = urb_race_get_planned_s (gtk_spin_button_get_value (self->minutes_spin),
                                           gtk_spin_button_get_value_as_int (self->seeds_spin));
  g_autofree char *duration = urbarium_format_duration (seconds);
  /* translators: a duration */
  g_autofree char *plan = g_strdup_printf (_ ("About %s of training, and then the scoring of cities."), duration);
  g_autofree char *text
    = g_strdup_printf ("%s %s", plan, self->busy ? _ ("A run is training: wait until it has ended, or it will distort the result.")
                                                 : _ ("Let the computer do nothing else meanwhile."));
  gtk_label_set_text (self->summary_label, problem != NULL ? problem : text);
}

static void
update (UrbariumRaceWindow *self)
{
  gboolean viewing = self->race != NULL, running = viewing && urbarium_race_is_running (self->race);
  g_autofree char *problem = find_problem (self);
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    gtk_widget_set_visible (self->ways[arm].ranks_row, get_strategy (self, &self->ways[arm]) != URB_STRATEGY_SINGLE);
  gtk_stack_set_visible_child_name (self->stack, viewing ? "race" : "new");
  gtk_widget_set_visible (self->new_groups, self->has_config);
  gtk_widget_set_visible (self->back_button, viewing);
  gtk_widget_set_visible (self->start_button, !viewing && self->has_config);
  gtk_widget_set_visible (self->stop_button, running);
  gtk_widget_set_visible (self->continue_button, viewing && urbarium_race_can_continue (self->race));
  gtk_widget_set_visible (self->delete_button, viewing && !running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "race.start",
                                 self->has_config && problem == NULL && self->starting == NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "race.stop", running);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "race.continue", viewing && !self->continuing);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "race.delete", viewing && !running && !self->continuing);
  show_summary (self, problem);
}

static void
view_race (UrbariumRaceWindow *self, UrbariumRace *race)
{
  if (self->race != NULL)
    g_signal_handlers_disconnect_by_func (self->race, update, self);
  g_set_object (&self->race, race);
  if (race != NULL)
    g_signal_connect_object (race, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  urbarium_race_view_set_race (self->view, race);
  update (self);
}

/* ------------------------------------------------------------------------ */
/* Deleting                                                                  */

static void show_all (UrbariumRaceWindow *self);

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumRaceWindow) self = data;
  g_autoptr(GError) error = NULL;
  if (!urbarium_race_delete_finish (URBARIUM_RACE (source), result, &error))
    urbarium_message_error (GTK_WIDGET (self), _ ("The comparison was not deleted"), error);
  if (!self->closed && (self->race == NULL || self->race == URBARIUM_RACE (source)))
    show_all (self);
}

static void
asked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumRace) race = data;
  if (g_task_propagate_boolean (G_TASK (result), NULL))
    urbarium_race_delete_async (race, deleted_cb, g_object_ref (source));
}

static void
ask_to_delete (UrbariumRaceWindow *self, UrbariumRace *race)
{
  urbarium_message_ask (GTK_WIDGET (self), _ ("Delete this comparison?"),
                        _ ("Its curves, scores and trainings are moved to the trash, or deleted permanently if there "
                           "is none."),
                        _ ("_Delete"), g_task_new (self, NULL, asked_cb, g_object_ref (race)));
}

static void
delete_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRaceWindow *self = URBARIUM_RACE_WINDOW (widget);
  if (self->race != NULL)
    ask_to_delete (self, self->race);
}

/* ------------------------------------------------------------------------ */
/* Earlier comparisons                                                       */

static void
delete_clicked_cb (GtkWidget *button, UrbariumRace *race)
{
  ask_to_delete (URBARIUM_RACE_WINDOW (gtk_widget_get_ancestor (button, URBARIUM_TYPE_RACE_WINDOW)), race);
}

/* @title: of the comparison */
static GtkWidget *
create_delete_button (UrbariumRace *race, const char *title)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("user-trash-symbolic");
  /* translators: a comparison */
  g_autofree char *label = g_strdup_printf (_ ("Delete %s…"), title);
  g_object_set (button, "valign", GTK_ALIGN_CENTER, "tooltip-text", _ ("Delete this comparison…"), NULL);
  gtk_widget_add_css_class (button, "flat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_signal_connect_object (button, "clicked", G_CALLBACK (delete_clicked_cb), race, 0);
  return button;
}

static void
add_earlier (UrbariumRaceWindow *self, UrbariumRace *race)
{
  const UrbQualityRace *quality = urbarium_race_get_race (race);
  g_autofree char *first = urbarium_race_dup_arm (quality, 0), *second = urbarium_race_dup_arm (quality, 1);
  /* translators: two ways to train, which were compared */
  g_autofree char *title = g_strdup_printf (_ ("%s – %s"), first, second);
  g_autofree char *answer = urbarium_race_dup_answer (race);
  g_autofree char *date = urbarium_format_time (urbarium_race_get_progress (race)->started);
  g_autofree char *subtitle = g_strdup_printf ("%s · %s", answer, date);
  GtkWidget *row = adw_action_row_new ();
  g_object_set (row, "use-markup", FALSE, "title", title, "subtitle", subtitle, "title-lines", 2, "subtitle-lines", 3,
                "activatable", TRUE, NULL);
  if (!urbarium_race_is_running (race))
    adw_action_row_add_suffix (ADW_ACTION_ROW (row), create_delete_button (race, title));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("go-next-symbolic"));
  g_object_set_data_full (G_OBJECT (row), "race", g_object_ref (race), g_object_unref);
  gtk_list_box_append (self->earlier_list, row);
}

/* Returns: (transfer none) (nullable): one that is running */
static UrbariumRace *
list_earlier (UrbariumRaceWindow *self)
{
  g_autoptr(GPtrArray) races = urbarium_race_list (self->folder);
  UrbariumRace *running = NULL;
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index (self->earlier_list, 0)) != NULL)
    gtk_list_box_remove (self->earlier_list, GTK_WIDGET (row));
  for (guint i = 0; i < races->len; i++)
    {
      add_earlier (self, races->pdata[i]);
      if (running == NULL && urbarium_race_is_running (races->pdata[i]))
        running = races->pdata[i]; /* its row keeps it */
    }
  gtk_widget_set_visible (self->earlier_group, races->len > 0);
  return running;
}

static void
earlier_activated_cb (UrbariumRaceWindow *self, GtkListBoxRow *row)
{
  view_race (self, g_object_get_data (G_OBJECT (row), "race"));
}

static void
show_all (UrbariumRaceWindow *self)
{
  view_race (self, NULL);
  list_earlier (self);
}

static void
back_action (GtkWidget *widget, const char *name, GVariant *param)
{
  show_all (URBARIUM_RACE_WINDOW (widget));
}

/* ------------------------------------------------------------------------ */
/* Starting and stopping                                                     */

static void
started_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumRaceWindow) self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRace) race = urbarium_race_start_finish (result, &error);
  if (self->starting == NULL)
    return; /* the window was closed; the comparison goes on */
  g_clear_object (&self->starting);
  if (race != NULL)
    view_race (self, race);
  else
    {
      urbarium_message_error (GTK_WIDGET (self), _ ("The comparison did not start"), error);
      update (self);
    }
}

static char *
dup_way (UrbariumRaceWindow *self, const Way *way)
{
  UrbStrategy strategy = get_strategy (self, way);
  return strategy == URB_STRATEGY_SINGLE
           ? g_strdup (urb_strategy_names[strategy])
           : g_strdup_printf ("%s:%d", urb_strategy_names[strategy], gtk_spin_button_get_value_as_int (way->ranks_spin));
}

static void
start_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRaceWindow *self = URBARIUM_RACE_WINDOW (widget);
  g_autofree char *first = dup_way (self, &self->ways[0]), *second = dup_way (self, &self->ways[1]);
  UrbariumRacePlan plan = { &self->config, first, second, gtk_spin_button_get_value (self->minutes_spin),
                            gtk_spin_button_get_value_as_int (self->seeds_spin) };
  if (!self->has_config || self->starting != NULL)
    return;
  self->starting = g_cancellable_new ();
  urbarium_race_start_async (&plan, self->folder, self->starting, started_cb, g_object_ref (self));
  update (self);
}

static void
stop_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRaceWindow *self = URBARIUM_RACE_WINDOW (widget);
  if (self->race != NULL)
    urbarium_race_stop (self->race);
}

/* ------------------------------------------------------------------------ */
/* Continuing                                                                */

static void
continued_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumRaceWindow) self = data;
  g_autoptr(GError) error = NULL;
  self->continuing = FALSE;
  if (!urbarium_race_continue_finish (URBARIUM_RACE (source), result, &error))
    urbarium_message_error (GTK_WIDGET (self), _ ("The comparison did not start"), error);
  if (!self->closed)
    update (self);
}

static void
continue_action (GtkWidget *widget, const char *name, GVariant *param)
{
  UrbariumRaceWindow *self = URBARIUM_RACE_WINDOW (widget);
  if (self->race == NULL || !urbarium_race_can_continue (self->race) || self->continuing)
    return;
  self->continuing = TRUE;
  urbarium_race_continue_async (self->race, continued_cb, g_object_ref (self));
  update (self);
}

/* ------------------------------------------------------------------------ */

static void
set_way (UrbariumRaceWindow *self, Way *way, UrbStrategy strategy, int n_ranks)
{
  for (guint i = 0; i < self->strategies->len; i++)
    if (g_array_index (self->strategies, UrbStrategy, i) == strategy)
      adw_combo_row_set_selected (way->strategy_row, i);
  gtk_spin_button_set_value (way->ranks_spin, n_ranks);
}

/* A mesh has several numbers of ranks, which a comparison in a terminal can name. */
static void
offer_strategies (UrbariumRaceWindow *self, const char *const *reported)
{
  g_autoptr(GtkStringList) titles = gtk_string_list_new (NULL);
  for (UrbStrategy i = 0; i < URB_N_STRATEGIES; i++)
    if (i != URB_STRATEGY_MESH && urbarium_strategy_is_available (i, reported))
      {
        g_array_append_val (self->strategies, i);
        gtk_string_list_append (titles, _ (urbarium_strategies[i].title));
      }
  for (int arm = 0; arm < URB_RACE_N_ARMS; arm++)
    adw_combo_row_set_model (self->ways[arm].strategy_row, G_LIST_MODEL (titles));
}

UrbariumRaceWindow *
urbarium_race_window_new (const char *folder, const UrbRunConfig *config, const char *const *strategies, gboolean busy)
{
  UrbariumRaceWindow *self = g_object_new (URBARIUM_TYPE_RACE_WINDOW, NULL);
  UrbStrategy strategy = URB_STRATEGY_HOGWILD;
  int n_ranks = 2;
  self->folder = folder != NULL ? g_strdup (folder)
                                : g_build_filename (g_get_user_data_dir (), "urbarium", "races", NULL);
  self->has_config = config != NULL;
  self->busy = busy;
  if (config != NULL)
    urb_run_config_copy (&self->config, config);
  if (config != NULL && config->train.strategy != URB_STRATEGY_SINGLE && config->train.strategy != URB_STRATEGY_MESH)
    {
      strategy = config->train.strategy;
      n_ranks = config->train.n_ranks;
    }
  offer_strategies (self, strategies);
  set_way (self, &self->ways[0], strategy, n_ranks);
  set_way (self, &self->ways[1], URB_STRATEGY_SINGLE, 2);
  view_race (self, list_earlier (self));
  return self;
}

static void
dispose (GObject *object)
{
  UrbariumRaceWindow *self = URBARIUM_RACE_WINDOW (object);
  self->closed = TRUE;
  g_clear_object (&self->starting);
  g_clear_object (&self->race);
  G_OBJECT_CLASS (urbarium_race_window_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumRaceWindow *self = URBARIUM_RACE_WINDOW (object);
  g_free (self->folder);
  urb_run_config_clear (&self->config);
  g_array_unref (self->strategies);
  G_OBJECT_CLASS (urbarium_race_window_parent_class)->finalize (object);
}

static void
urbarium_race_window_class_init (UrbariumRaceWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  g_type_ensure (URBARIUM_TYPE_RACE_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "race-window.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, stack);
  gtk_widget_class_bind_template_child_full (widget_class, "first_row", FALSE,
                                             G_STRUCT_OFFSET (UrbariumRaceWindow, ways[0].strategy_row));
  gtk_widget_class_bind_template_child_full (widget_class, "first_ranks_row", FALSE,
                                             G_STRUCT_OFFSET (UrbariumRaceWindow, ways[0].ranks_row));
  gtk_widget_class_bind_template_child_full (widget_class, "first_ranks", FALSE,
                                             G_STRUCT_OFFSET (UrbariumRaceWindow, ways[0].ranks_spin));
  gtk_widget_class_bind_template_child_full (widget_class, "second_row", FALSE,
                                             G_STRUCT_OFFSET (UrbariumRaceWindow, ways[1].strategy_row));
  gtk_widget_class_bind_template_child_full (widget_class, "second_ranks_row", FALSE,
                                             G_STRUCT_OFFSET (UrbariumRaceWindow, ways[1].ranks_row));
  gtk_widget_class_bind_template_child_full (widget_class, "second_ranks", FALSE,
                                             G_STRUCT_OFFSET (UrbariumRaceWindow, ways[1].ranks_spin));
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, minutes_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, seeds_spin);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, summary_label);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, new_groups);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, earlier_group);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, earlier_list);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, back_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, start_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, stop_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, continue_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, delete_button);
  gtk_widget_class_bind_template_child (widget_class, UrbariumRaceWindow, view);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_bind_template_callback (widget_class, earlier_activated_cb);
  gtk_widget_class_install_action (widget_class, "race.start", NULL, start_action);
  gtk_widget_class_install_action (widget_class, "race.stop", NULL, stop_action);
  gtk_widget_class_install_action (widget_class, "race.back", NULL, back_action);
  gtk_widget_class_install_action (widget_class, "race.continue", NULL, continue_action);
  gtk_widget_class_install_action (widget_class, "race.delete", NULL, delete_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_race_window_init (UrbariumRaceWindow *self)
{
  self->strategies = g_array_new (FALSE, FALSE, sizeof (UrbStrategy));
  urb_run_config_init (&self->config);
  gtk_widget_init_template (GTK_WIDGET (self));
}
