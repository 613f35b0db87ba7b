/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report-origin.c - what a run was made of: map, areas, settings, machine, events, and how to repeat it.
 */
#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "base/scale-bar.h"
#include "base/show-text.h"
#include "dataset/plan-style.h"
#include "report/repeat.h"
#include "report/report-private.h"

static void
add_row (UrbReport *self, const char *name, const char *value)
{
  if (value != NULL && *value != '\0')
    urb_page_add (self->page, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, value);
}

/* ------------------------------------------------------------------------ */
/* Areas on the map                                                          */

enum { PLAN_WIDTH = 640, PLAN_MAX_HEIGHT = 560, PLAN_MARGIN = 8, PLAN_FOOT = 30, MAX_SQUARES = 5000 };

typedef struct
{
  double min_x, max_y; /* meters */
  double scale;        /* units of the drawing per meter */
  int    height;       /* of the plan, without the scale bar */
} Plan;

static Plan
place_plan (UrbDataset *dataset)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (dataset);
  double min_x = INFINITY, max_x = -INFINITY, min_y = INFINITY, max_y = -INFINITY, reach = info->area_size_m * G_SQRT2 / 2;
  Plan plan;

  for (gint64 i = 0; i < info->n_areas; i++)
    {
      const UrbArea *area = urb_dataset_get_area (dataset, i);

      min_x = fmin (min_x, area->center_x - reach);
      max_x = fmax (max_x, area->center_x + reach);
      min_y = fmin (min_y, area->center_y - reach);
      max_y = fmax (max_y, area->center_y + reach);
    }
  plan.min_x = min_x;
  plan.max_y = max_y;
  plan.scale = fmin ((PLAN_WIDTH - 2 * PLAN_MARGIN) / (max_x - min_x), (PLAN_MAX_HEIGHT - 2 * PLAN_MARGIN) / (max_y - min_y));
  plan.height = (int) ceil ((max_y - min_y) * plan.scale) + 2 * PLAN_MARGIN;
  return plan;
}

/* One path for each split. */
static void
add_squares (UrbReport *self, const Plan *plan, UrbSplit split)
{
  double half = urb_dataset_get_info (self->dataset)->area_size_m / 2 * plan->scale;
  UrbColor color = urb_split_get_color (split);
  gint64 n;
  const gint64 *areas = urb_dataset_get_split (self->dataset, split, &n);
  gint64 n_shown = MIN (n, MAX_SQUARES);

  urb_page_add (self->page, "<path fill=\"#%02x%02x%02x\" fill-opacity=\".35\" stroke=\"#%02x%02x%02x\" d=\"", color.r, color.g,
                color.b, color.r, color.g, color.b);
  for (gint64 i = 0; i < n_shown; i++)
    {
      const UrbArea *area = urb_dataset_get_area (self->dataset, areas[i * n / n_shown]);
      double x = PLAN_MARGIN + (area->center_x - plan->min_x) * plan->scale;
      double y = PLAN_MARGIN + (plan->max_y - area->center_y) * plan->scale;
      double c = half * cos (area->angle_deg * G_PI / 180), s = half * sin (area->angle_deg * G_PI / 180);

      urb_page_add (self->page, "M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fZ", x - c - s, y + s - c, x + c - s, y - s - c, x + c + s,
                    y - s + c, x - c + s, y + s + c);
    }
  urb_page_add (self->page, "\"/>");
}

/* Up to a fifth of the width. */
static void
add_scale_bar (UrbReport *self, const Plan *plan)
{
  double bar = urb_scale_bar_choose_m (PLAN_WIDTH / 5.0 / plan->scale);
  g_autofree char *number = g_strdup_printf ("%g", bar >= 1000 ? bar / 1000 : bar), *shown = urb_page_dup_point (number);
  int y = plan->height + 8;

  urb_page_add (self->page, "<path class=\"axis\" d=\"M%d %dv6h%.1fv-6\"/><text class=\"below\" x=\"%.1f\" y=\"%d\">%s %s</text>",
                PLAN_MARGIN, y, bar * plan->scale, PLAN_MARGIN + bar * plan->scale / 2, y + 20, shown, bar >= 1000 ? "km" : "m");
}

static void
add_plan (UrbReport *self)
{
  /* translators: a number of areas */
  static const char *const names[URB_N_SPLITS] = { N_ ("%s for training"), N_ ("%s for test"), N_ ("%s for validation") };
  const UrbDatasetInfo *info = urb_dataset_get_info (self->dataset);
  Plan plan = place_plan (self->dataset);

  urb_page_add (self->page, "<figure class=\"plan\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", PLAN_WIDTH,
                plan.height + PLAN_FOOT, _ ("Areas of the dataset on the map"));
  for (int split = 0; split < URB_N_SPLITS; split++)
    add_squares (self, &plan, (UrbSplit) split);
  add_scale_bar (self, &plan);
  urb_page_add (self->page, "</svg><figcaption>");
  for (int split = 0; split < URB_N_SPLITS; split++)
    {
      UrbColor color = urb_split_get_color ((UrbSplit) split);
      g_autofree char *n = urb_page_dup_count (info->n_split[split]);
      g_auto(GStrv) parts = g_strsplit (_ (names[split]), "%s", 2);
      g_autofree char *words = g_strjoinv (n, parts);

      if (info->n_split[split] > 0)
        urb_page_add (self->page, "<span class=\"key\" style=\"--line:#%02x%02x%02x\">%s</span>", color.r, color.g, color.b,
                      words);
    }
  urb_page_add (self->page, "</figcaption></figure>\n");
}

static void
add_dataset_rows (UrbReport *self)
{
  const UrbDatasetInfo *info = urb_dataset_get_info (self->dataset);
  g_autofree char *count = urb_page_dup_count (info->n_areas);
  g_autofree char *number = g_strdup_printf ("%g", info->area_size_m), *size = urb_page_dup_point (number);
  /* translators: number of squares, width and height in meters, width of a tile */
  g_autofree char *areas = g_strdup_printf (_ ("%s squares of %s x %s m, tiles of %d pixels"), count, size, size,
                                            info->resolution_px);
  g_autofree char *crs = urb_show_text (info->crs_name != NULL ? info->crs_name : "");

  add_row (self, _ ("Areas"), areas);
  add_row (self, _ ("Coordinate system"), crs);
}

void
urb_report_add_map (UrbReport *self)
{
  const char *licence = urb_provenance_get (self->provenance, "map_licence"), *dataset = urb_provenance_get (self->provenance, "dataset");
  g_autofree char *name = dataset == NULL && self->config.train.dataset != NULL ? g_path_get_basename (self->config.train.dataset) : NULL;
  g_autofree char *shown = name != NULL ? urb_show_text (name) : NULL;

  if (self->config.train.dataset == NULL)
    return;
  urb_page_begin_section (self->page, _ ("Map and areas"));
  if (self->dataset != NULL && urb_dataset_get_info (self->dataset)->n_areas > 0)
    add_plan (self);
  urb_page_add (self->page, "<table class=\"facts\"><tbody>\n");
  add_row (self, _ ("Map"), urb_provenance_get (self->provenance, "map"));
  add_row (self, _ ("License and attribution of the map"), licence != NULL ? licence : _ ("The map states none."));
  add_row (self, _ ("Dataset"), dataset != NULL ? dataset : shown);
  if (self->dataset != NULL)
    add_dataset_rows (self);
  else
    add_row (self, _ ("Areas"), _ ("The dataset is no longer where it was, or has other areas now."));
  add_row (self, _ ("Dataset’s id"), urb_provenance_get (self->provenance, "dataset_id"));
  urb_page_add (self->page, "</tbody></table>\n</section>\n");
}

/* ------------------------------------------------------------------------ */
/* Settings                                                                  */

static gboolean
is_shown (const UrbSetting *setting, const UrbRunConfig *config)
{
  return (setting->flags & URB_SETTING_TRAIN) != 0 && (setting->flags & URB_SETTING_SECRET) == 0
         && (setting->strategies == 0 || (setting->strategies & (1u << config->train.strategy)) != 0);
}

/* (transfer full) */
static char *
dup_usual (const UrbSetting *setting)
{
  g_autofree char *usual = urb_setting_dup_default (setting);

  return g_ascii_isdigit (*usual) ? urb_page_dup_point (usual) : g_steal_pointer (&usual);
}

/* "16", "on", "none" (transfer full) */
static char *
dup_shown_value (const UrbSetting *setting, const UrbRunConfig *config)
{
  g_autofree char *value = urb_repeat_dup_value (setting, config);

  if (setting->type == URB_SETTING_BOOLEAN)
    return g_strdup (urb_setting_get_number (setting, config) > 0 ? _ ("on") : _ ("off"));
  if (value == NULL || !urb_setting_is_set (setting, config))
    return dup_usual (setting);
  if (setting->type == URB_SETTING_DOUBLE)
    {
      g_autofree char *number = g_strdup_printf ("%.6g", urb_setting_get_number (setting, config));

      return urb_page_dup_point (number);
    }
  if (setting->type == URB_SETTING_INT || setting->type == URB_SETTING_INT64)
    return urb_page_dup_count ((gint64) urb_setting_get_number (setting, config));
  return g_steal_pointer (&value);
}

static void
add_setting (UrbReport *self, const UrbSetting *setting, gboolean chosen)
{
  g_autofree char *value = dup_shown_value (setting, &self->config), *usual = dup_usual (setting);
  const char *unit = setting->unit != NULL && g_ascii_isdigit (value[0]) ? _ (setting->unit) : "";
  /* translators: the usual value of a setting */
  g_autofree char *usually = g_strdup_printf (_ ("usually %s"), usual);

  urb_page_add (self->page, "<tr><th scope=\"row\">%s</th><td>%s%s%s</td>", _ (setting->title), value, *unit != '\0' ? " " : "",
                unit);
  if (chosen)
    urb_page_add (self->page, "<td class=\"note\">%s</td>", setting->type == URB_SETTING_FILE ? "" : usually);
  urb_page_add (self->page, "</tr>\n");
}

static guint
add_settings (UrbReport *self, gboolean chosen)
{
  guint n = 0;

  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];

      if (!is_shown (setting, &self->config) || urb_setting_is_set (setting, &self->chosen) != chosen)
        continue;
      add_setting (self, setting, chosen);
      n++;
    }
  return n;
}

void
urb_report_add_settings (UrbReport *self)
{
  urb_page_begin_section (self->page, _ ("Settings"));
  urb_page_add (self->page, "<table class=\"facts chosen\"><caption>%s</caption><tbody>\n", _ ("Chosen for this run"));
  add_settings (self, TRUE); /* at least the dataset */
  urb_page_add (self->page, "</tbody></table>\n<h3>%s</h3>\n<div class=\"usual\"><table class=\"facts\"><tbody>\n",
                _ ("As usual"));
  add_settings (self, FALSE);
  urb_page_add (self->page, "</tbody></table></div>\n</section>\n");
}

/* ------------------------------------------------------------------------ */
/* Machine                                                                   */

/* The newest event @code. (nullable) */
static const UrbHistoryEvent *
find_event (const UrbHistory *history, const char *code)
{
  for (guint i = history->events->len; i-- > 0;)
    {
      const UrbHistoryEvent *event = &g_array_index (history->events, UrbHistoryEvent, i);

      if (strcmp (event->code, code) == 0)
        return event;
    }
  return NULL;
}

static void
add_gpu (UrbReport *self, const UrbHistoryGpu *gpu)
{
  g_autofree char *name = urb_show_text (gpu->name);
  g_autofree char *energy = urb_page_dup_value (gpu->joules / URB_KWH_J), *time = urb_page_dup_duration (gpu->seconds);
  g_autofree char *power = urb_page_dup_value (gpu->joules / gpu->seconds), *text = NULL;

  /* translators: name of a GPU, number, duration, number */
  text = gpu->seconds > 0 ? g_strdup_printf (_ ("%s: %s kWh in %s, %s W on average"), name, energy, time, power)
                          : g_strdup_printf (_ ("%s: its driver does not tell its power"), name);
  add_row (self, _ ("Energy of the GPU"), text);
}

/* Its counters know nothing of programs. */
static void
add_processors (UrbReport *self)
{
  double joules = self->history->processor_joules, seconds = self->history->processor_s;
  g_autofree char *energy = urb_page_dup_value (joules / URB_KWH_J), *time = urb_page_dup_duration (seconds);
  g_autofree char *power = urb_page_dup_value (joules / seconds);
  g_autofree char *text = g_strdup_printf (/* translators: number, duration, number */
                                           _ ("%s kWh in %s, %s W on average, with all other programs of the machine"), energy,
                                           time, power);

  if (seconds > 0)
    add_row (self, _ ("Energy of the processors"), text);
}

/* Whoever gives a price looks for the cost. */
static void
add_cost (UrbReport *self)
{
  double joules = urb_history_get_joules (self->history);
  g_autofree char *cost = urb_report_dup_cost (self, joules), *one = urb_report_dup_cost (self, URB_KWH_J);
  g_autofree char *text = cost != NULL ? g_strdup_printf (/* translators: two prices */ _ ("%s, at %s per kWh"), cost, one) : NULL;

  if (joules > 0)
    add_row (self, _ ("Cost of this energy"), text);
  else if (self->price != NULL)
    add_row (self, _ ("Cost of its energy"), _ ("Not known: the energy of this run was not recorded. GPUs tell theirs, and "
                                                "processors to the administrator."));
}

void
urb_report_add_machine (UrbReport *self)
{
  const UrbHistory *history = self->history;
  const UrbHistoryEvent *device = find_event (history, "device");
  g_autofree char *text = device != NULL ? urb_show_text (device->subject != NULL ? device->subject : device->text) : NULL;
  g_autofree char *engine = urb_show_text (self->config.engine != NULL ? self->config.engine : "");
  g_autofree char *seconds = urb_page_dup_duration (history->seconds);
  g_autofree char *step = history->last_step > 0
                            ? urb_page_dup_value (1000 * history->seconds / (double) history->last_step) : NULL;
  g_autofree char *duration = step != NULL ? g_strdup_printf (/* translators: a duration, and a number */
                                                           _ ("%s of training, %s ms per step"), seconds, step) : NULL;
  g_autofree char *now = urb_page_dup_time ((double) g_get_real_time () / G_USEC_PER_SEC);
  g_autofree char *made = g_strdup_printf ("Urbarium %s, %s", URBARIUM_VERSION, now);

  urb_page_begin_section (self->page, _ ("Machine and versions"));
  urb_page_add (self->page, "<table class=\"facts\"><tbody>\n");
  add_row (self, _ ("Device"), text);
  add_row (self, _ ("Time"), duration);
  for (guint i = 0; i < history->gpus->len; i++)
    add_gpu (self, &g_array_index (history->gpus, UrbHistoryGpu, i));
  add_processors (self);
  add_cost (self);
  add_row (self, _ ("Begun with"), engine[0] != '\0' ? engine : NULL);
  add_row (self, _ ("Checkpoint’s checksum"), urb_provenance_get (self->provenance, "checkpoint_checksum"));
  add_row (self, _ ("Report made with"), made);
  urb_page_add (self->page, "</tbody></table>\n</section>\n");
}

/* ------------------------------------------------------------------------ */
/* Events, whose texts are English                                           */

enum { MAX_EVENTS = 30 };

static gboolean
is_notable (const UrbHistoryEvent *event)
{
  static const char *const codes[] = { "setting", "branch", "rewound", "rewound-to", "extended", "patience", "restart", NULL };

  return strcmp (event->level, "info") != 0 || g_strv_contains (codes, event->code);
}

static void
add_event (UrbReport *self, const UrbHistoryEvent *event)
{
  g_autofree char *when = urb_page_dup_time (event->time), *hidden = urb_hider_hide (self->hider, event->text);
  g_autofree char *text = urb_show_text (hidden), *level = urb_show_text (event->level);

  urb_page_add (self->page, "<tr class=\"%s\"><td>%s</td><td class=\"number\">%" G_GINT64_FORMAT "</td><td lang=\"en\">%s</td></tr>\n", level, when,
                event->step, text);
}

void
urb_report_add_events (UrbReport *self)
{
  GArray *events = self->history->events;
  guint n = 0, n_before;

  for (guint i = 0; i < events->len; i++)
    n += is_notable (&g_array_index (events, UrbHistoryEvent, i));
  if (n == 0)
    return;
  n_before = n > MAX_EVENTS ? n - MAX_EVENTS : 0;
  urb_page_begin_section (self->page, _ ("What happened"));
  if (n_before > 0)
    urb_page_add_paragraph (self->page, _ ("The last %d of %u events."), MAX_EVENTS, n);
  urb_page_add (self->page, "<table class=\"events\"><thead><tr><th>%s</th><th class=\"number\">%s</th><th>%s</th></tr></thead><tbody>\n",
                _ ("When"), _ ("Step"), _ ("Event"));
  for (guint i = 0; i < events->len; i++)
    {
      const UrbHistoryEvent *event = &g_array_index (events, UrbHistoryEvent, i);

      if (!is_notable (event))
        continue;
      if (n_before > 0)
        n_before--;
      else
        add_event (self, event);
    }
  urb_page_add (self->page, "</tbody></table>\n</section>\n");
}

/* ------------------------------------------------------------------------ */

void
urb_report_add_repeat (UrbReport *self)
{
  g_autofree char *name = g_path_get_basename (self->run), *command = urb_repeat_dup_command (&self->chosen, name);

  urb_page_begin_section (self->page, _ ("Repeat it"));
  urb_page_add_paragraph (self->page, "%s", _ ("With the same dataset, version and number of threads, on a processor of the same "
                                               "kind, this command trains the same networks."));
  urb_page_add (self->page, "<pre>%s</pre>\n</section>\n</main>\n", command);
}
