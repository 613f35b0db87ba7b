/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/strategy-group.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/train/strategy-diagram.h"

typedef struct
{
  AdwActionRow   *row;   /* borrowed */
  GtkCheckButton *check; /* borrowed */
} Choice;

struct _UrbariumStrategyGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumForecast *forecast; /* (nullable) owned */
  GArray           *choices;  /* (element-type Choice) owned: as in the table */
};

G_DEFINE_FINAL_TYPE (UrbariumStrategyGroup, urbarium_strategy_group, ADW_TYPE_PREFERENCES_GROUP)

/* Speed where it is known; memory, and whether it is there. */
static char *
dup_forecast (UrbariumStrategyGroup *self)
{
  UrbariumSpeedSource source;
  const UrbariumPlan *plan = urbarium_forecast_get_plan (self->forecast);
  double speed = urbarium_forecast_get_speed (self->forecast, &source, NULL);
  g_autofree char *needed = NULL, *available = NULL, *memory = NULL, *rate = NULL;
  if (urbarium_forecast_get_error (self->forecast) != NULL)
    return g_strdup (urbarium_forecast_get_error (self->forecast));
  if (plan == NULL)
    return NULL;
  needed = urbarium_format_bytes (plan->bytes_total);
  available = urbarium_format_bytes (plan->bytes_available);
  if (plan->bytes_total > plan->bytes_available)
    /* translators: two amounts of memory */
    memory = g_strdup_printf (_ ("Does not fit: needs %s of memory, and %s are free"), needed,
                              available);
  else
    /* translators: two amounts of memory */
    memory = g_strdup_printf (_ ("Fits: needs %s of the %s of memory that are free"), needed,
                              available);
  if (source == URBARIUM_SPEED_UNKNOWN)
    return g_steal_pointer (&memory);
  rate = urbarium_format_number (speed, speed < 10 ? 1 : 0);
  /* translators: a speed; then a sentence about memory */
  return g_strdup_printf (_ ("%s images/s. %s"), rate, memory);
}

static void
update (UrbariumStrategyGroup *self)
{
  guint n;
  const UrbariumStrategy *strategies = urbarium_strategy_list (&n);
  const Choice *single = &g_array_index (self->choices, Choice, 0);
  g_autofree char *forecast = self->forecast == NULL ? NULL : dup_forecast (self);
  g_autofree char *text = g_strconcat (_ (strategies[0].text), forecast == NULL ? NULL : "\n",
                                       forecast, NULL);
  adw_action_row_set_subtitle (single->row, text);
}

static GtkWidget *
new_badge (void)
{
  GtkWidget *badge = gtk_label_new (_ ("Recommended"));
  gtk_widget_add_css_class (badge, "train-badge");
  gtk_widget_set_valign (badge, GTK_ALIGN_CENTER);
  return badge;
}

static void
add_choice (UrbariumStrategyGroup *self, const UrbariumStrategy *strategy)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *check = gtk_check_button_new ();
  Choice choice = { ADW_ACTION_ROW (row), GTK_CHECK_BUTTON (check) };
  g_object_set (row, "use-markup", FALSE, "title", _ (strategy->title), "subtitle-lines", 4, NULL);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (check), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (strategy->title), -1);
  if (self->choices->len > 0)
    gtk_check_button_set_group (choice.check, g_array_index (self->choices, Choice, 0).check);
  else
    gtk_check_button_set_active (choice.check, TRUE);
  adw_action_row_add_prefix (choice.row, urbarium_strategy_diagram_new (strategy->kind));
  adw_action_row_add_prefix (choice.row, check);
  adw_action_row_set_activatable_widget (choice.row, check);
  if (strategy->kind == URBARIUM_STRATEGY_SINGLE)
    adw_action_row_add_suffix (choice.row, new_badge ());
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
  g_array_append_val (self->choices, choice);
}

/* A strategy that an engine newer than this window offers is shown, not chosen: nothing here
 * would know its settings. */
void
urbarium_strategy_group_set_available (UrbariumStrategyGroup *self, const char *const *reported)
{
  guint n;
  const UrbariumStrategy *strategies = urbarium_strategy_list (&n);
  for (guint i = 1; i < n; i++)
    {
      const Choice *choice = &g_array_index (self->choices, Choice, i);
      gboolean available = urbarium_strategy_is_available (&strategies[i], reported);
      g_autofree char *text = NULL;
      text = g_strdup_printf ("%s\n%s", _ (strategies[i].text),
                              available ? _ ("Start it with urbarium-engine in a terminal")
                                        : _ ("Not in this version"));
      gtk_widget_set_sensitive (GTK_WIDGET (choice->row), FALSE);
      adw_action_row_set_subtitle (choice->row, text);
    }
}

void
urbarium_strategy_group_set_forecast (UrbariumStrategyGroup *self, UrbariumForecast *forecast)
{
  g_return_if_fail (self->forecast == NULL);
  self->forecast = g_object_ref (forecast);
  g_signal_connect_object (forecast, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
dispose (GObject *object)
{
  UrbariumStrategyGroup *self = URBARIUM_STRATEGY_GROUP (object);
  g_clear_object (&self->forecast);
  G_OBJECT_CLASS (urbarium_strategy_group_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_array_unref (URBARIUM_STRATEGY_GROUP (object)->choices);
  G_OBJECT_CLASS (urbarium_strategy_group_parent_class)->finalize (object);
}

static void
urbarium_strategy_group_class_init (UrbariumStrategyGroupClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
urbarium_strategy_group_init (UrbariumStrategyGroup *self)
{
  guint n;
  const UrbariumStrategy *strategies = urbarium_strategy_list (&n);
  self->choices = g_array_new (FALSE, FALSE, sizeof (Choice));
  for (guint i = 0; i < n; i++)
    add_choice (self, &strategies[i]);
  urbarium_strategy_group_set_available (self, NULL);
  update (self);
}
