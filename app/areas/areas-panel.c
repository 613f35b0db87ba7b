/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/areas-panel.h"

#include <math.h>

#include <glib/gi18n.h>

#include "app/areas/area-options.h"
#include "app/areas/share-bar.h"
#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/plot/histogram.h"
#include "dataset/plan-style.h"

/* For the whole range of the variance; empty bins at the end are not shown. */
enum { N_BINS = 128, MIN_BINS = 16 };

struct _UrbariumAreasPanel
{
  AdwBin               parent_instance;
  UrbariumCuration    *curation; /* owned */
  GtkLabel            *count, *splits, *threshold, *candidates;
  GtkWidget           *numbers, *variance;
  AdwActionRow        *by_hand;
  UrbariumShareBar    *shares;
  UrbariumHistogram   *histogram;
  UrbariumAreaOptions *options;
};

G_DEFINE_FINAL_TYPE (UrbariumAreasPanel, urbarium_areas_panel, ADW_TYPE_BIN)

/* Markup: a dot in the color of the areas on the map, and the number. */
static char *
with_dot (const char *number, UrbColor color)
{
  return g_markup_printf_escaped (
    "<span color=\"#%02x%02x%02x\" alpha=\"100%%\">●</span>\u00a0%s", color.r, color.g, color.b,
    number);
}

/* @validation: (nullable): NULL if there are none, as of a small map */
static char *
describe_splits (const char *train, const char *test, const char *validation, const char *area)
{
  if (validation != NULL)
    /* translators: %1$s areas for training, %2$s for testing, %3$s for validation, covering %4$s of
     * ground: 12.3 km² */
    return g_strdup_printf (_ ("%1$s for training, %2$s for testing, %3$s for validation, on %4$s of ground"),
                            train, test, validation, area);
  /* translators: %1$s areas for training, %2$s for testing, covering %3$s of ground: 12.3 km² */
  return g_strdup_printf (_ ("%1$s for training, %2$s for testing, on %3$s of ground"), train, test,
                          area);
}

/* Why there are no areas at all or none for testing.  Returns: (nullable) */
static char *
explain (UrbariumAreasPanel *self, UrbChoice choice)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  gboolean has_regions = FALSE; /* any test region is drawn on the map */
  const UrbBlocks *blocks;
  double threshold = urbarium_curation_get_threshold (self->curation);
  if (ranked == NULL)
    return NULL;
  if (choice.n == 0 && ranked->search->max_variance < threshold)
    {
      g_autofree char *wanted = urbarium_format_number (threshold, 3);
      g_autofree char *most
        = urbarium_format_number (floor (ranked->search->max_variance * 1000) / 1000, 3);
      /* translators: %1$s is the threshold of the variance, %2$s the largest variance: 0.180 */
      return g_strdup_printf (
        _ ("No candidate reaches %1$s; the maximum is %2$s."), wanted, most);
    }
  if (choice.n == 0 || choice.n_split[URB_SPLIT_TEST] > 0
      || ranked->decisions->options.test_share <= 0)
    return NULL;
  blocks = ranked->ranking->blocks;
  for (gsize i = 0; i < (gsize) blocks->n_x * blocks->n_y; i++)
    has_regions = has_regions || (blocks->split[i] == URB_SPLIT_TEST
                                   && ranked->held_out[i].min_x < ranked->held_out[i].max_x);
  return g_strdup (has_regions ? _ ("All for training: none of these lies in a test region")
                               : _ ("All for training: the map is too small for test regions"));
}

static void
show_splits (UrbariumAreasPanel *self, UrbChoice choice)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  g_autofree char *train = urbarium_format_count (choice.n_split[URB_SPLIT_TRAIN]);
  g_autofree char *test = urbarium_format_count (choice.n_split[URB_SPLIT_TEST]);
  gint64 n_validation = choice.n_split[URB_SPLIT_VALIDATION];
  g_autofree char *validation = n_validation > 0 ? urbarium_format_count (n_validation) : NULL;
  g_autofree char *area = urbarium_format_area (ranked == NULL ? 0 : ranked->covered_m2[choice.n]);
  g_autofree char *train_dot = with_dot (train, URB_COLOR_TRAIN);
  g_autofree char *test_dot = with_dot (test, URB_COLOR_TEST);
  g_autofree char *validation_dot
    = validation != NULL ? with_dot (validation, URB_COLOR_VALIDATION) : NULL;
  g_autofree char *text = describe_splits (train, test, validation, area);
  g_autofree char *markup = describe_splits (train_dot, test_dot, validation_dot, area);
  g_autofree char *reason = explain (self, choice);
  if (reason != NULL)
    gtk_label_set_text (self->splits, reason);
  else
    gtk_label_set_markup (self->splits, markup);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->splits), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  reason != NULL ? reason : text, -1);
}

static void
show_choice (UrbariumAreasPanel *self)
{
  UrbChoice choice = urbarium_curation_get_choice (self->curation);
  g_autofree char *count = urbarium_format_count ((gint64) choice.n);
  /* translators: number of chosen areas */
  g_autofree char *title = g_strdup_printf (ngettext ("%s area", "%s areas", choice.n), count);
  g_autofree char *threshold
    = urbarium_format_number (urbarium_curation_get_threshold (self->curation), 3);
  gtk_label_set_label (self->count, title);
  gtk_label_set_label (self->threshold, threshold);
  show_splits (self, choice);
  urbarium_share_bar_set_shares (self->shares, choice.share);
}

static void
show_by_hand (UrbariumAreasPanel *self)
{
  UrbariumDecisions *decisions = urbarium_curation_get_decisions (self->curation);
  guint n_added = decisions->added->len, n_taken_out = decisions->n_taken_out;
  g_autofree char *added = urbarium_format_count (n_added);
  g_autofree char *taken_out = urbarium_format_count (n_taken_out);
  /* translators: areas that were added and removed by hand */
  g_autofree char *text = g_strdup_printf (_ ("%1$s added, %2$s removed"), added, taken_out);
  adw_action_row_set_subtitle (
    self->by_hand, n_added + n_taken_out == 0 ? _ ("Click on the map to add or remove areas") : text);
}

static void
show_result (UrbariumAreasPanel *self)
{
  UrbariumRanked *ranked = urbarium_curation_get_ranked (self->curation);
  gint64 counts[N_BINS] = { 0 };
  guint n_bins = N_BINS;
  gint64 n = 0;
  g_autofree char *count = NULL;
  g_autofree char *text = NULL;
  if (ranked != NULL)
    {
      urb_curator_get_histogram (ranked->search->curator, counts, N_BINS);
      n = urb_curator_get_n_candidates (ranked->search->curator);
    }
  while (n > 0 && n_bins > MIN_BINS && counts[n_bins - 1] == 0)
    n_bins--;
  n_bins = MIN (N_BINS, n_bins + 2);
  urbarium_histogram_set_counts (self->histogram, counts, n_bins, 0, (double) n_bins / N_BINS);
  count = urbarium_format_count (n);
  /* translators: possible areas, in the histogram of the variance */
  text = g_strdup_printf (ngettext ("%s candidate", "%s candidates", (gulong) n), count);
  gtk_label_set_label (self->candidates, text);
  /* With an error, the page explains it instead. */
  gtk_widget_set_visible (self->numbers, urbarium_curation_get_error (self->curation) == NULL);
}

static void
threshold_set_cb (UrbariumAreasPanel *self)
{
  if (self->curation != NULL)
    urbarium_curation_settle_threshold (self->curation);
}

static void
dispose (GObject *object)
{
  UrbariumAreasPanel *self = URBARIUM_AREAS_PANEL (object);
  g_clear_object (&self->curation);
  G_OBJECT_CLASS (urbarium_areas_panel_parent_class)->dispose (object);
}

static void
urbarium_areas_panel_class_init (UrbariumAreasPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = dispose;
  g_type_ensure (URBARIUM_TYPE_AREA_OPTIONS);
  g_type_ensure (URBARIUM_TYPE_HISTOGRAM);
  g_type_ensure (URBARIUM_TYPE_SHARE_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "areas-panel.ui");
#define BIND(name) gtk_widget_class_bind_template_child (widget_class, UrbariumAreasPanel, name)
  BIND (numbers);
  BIND (variance);
  BIND (count);
  BIND (splits);
  BIND (threshold);
  BIND (by_hand);
  BIND (candidates);
  BIND (shares);
  BIND (histogram);
  BIND (options);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, threshold_set_cb);
}

static void
urbarium_areas_panel_init (UrbariumAreasPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
urbarium_areas_panel_set_curation (UrbariumAreasPanel *self, UrbariumCuration *curation)
{
  g_return_if_fail (URBARIUM_IS_AREAS_PANEL (self) && self->curation == NULL);
  self->curation = g_object_ref (curation);
  urbarium_area_options_set_curation (self->options, curation);
  g_object_bind_property (curation, "threshold", self->histogram, "threshold",
                          G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  g_signal_connect_object (curation, "choice-changed", G_CALLBACK (show_choice), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (curation, "result-changed", G_CALLBACK (show_result), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (curation, "decisions-changed", G_CALLBACK (show_by_hand), self,
                           G_CONNECT_SWAPPED);
  show_result (self);
  show_choice (self);
  show_by_hand (self);
}
