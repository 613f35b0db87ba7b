/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank-memory.c - all bars have one scale, so that their lengths compare.  The accessible description says what
 * they show.
 */
#include "app/train/rank-memory.h"

#include <glib/gi18n.h>
#include <math.h>

#include "app/base/format.h"
#include "app/plot/chart-style.h"
#include "app/plot/swatch.h"
#include "app/plot/wrap-layout.h"

enum { BAR_PX = 12, ROW_PX = 22, GAP_PX = 9 };

/* What each color stands for. */
static const char *const names[URBARIUM_N_MEMORIES] = { N_ ("Weights"), N_ ("Optimizer and average"),
                                                        N_ ("Activations and gradients"), N_ ("Batches and samples") };

struct _UrbariumRankMemory
{
  AdwBin          parent_instance;
  UrbariumPlan    plan; /* its ranks are shown */
  GtkDrawingArea *bars; /* owned by the widget tree */
  GtkLabel       *more, *shared, *letters; /* the same */
};

G_DEFINE_FINAL_TYPE (UrbariumRankMemory, urbarium_rank_memory, ADW_TYPE_BIN)

static int
count_shown (UrbariumRankMemory *self)
{
  return MIN (self->plan.n_ranks, URBARIUM_PLAN_RANKS);
}

static gint64
sum_rank (UrbariumRankMemory *self, int rank)
{
  gint64 sum = 0;
  for (int i = 0; i < URBARIUM_N_MEMORIES; i++)
    sum += self->plan.ranks[rank][i];
  return sum;
}

static char *
dup_title (UrbariumRankMemory *self, int rank)
{
  /* translators: %d is the number of a process or thread, from 0 */
  return self->plan.n_ranks == 1 ? g_strdup (_ ("Memory")) : g_strdup_printf (_ ("Rank %d"), rank);
}

/* "13.7 MB: G 6–9, D 4–7"; who has which layers, if not all ranks have all. */
static char *
dup_caption (UrbariumRankMemory *self, int rank)
{
  g_autofree char *size = urbarium_format_bytes (sum_rank (self, rank));
  const char *layers = self->plan.layers[rank];
  return *layers == '\0' ? g_steal_pointer (&size) : g_strdup_printf ("%s: %s", size, layers);
}

/* Ends in an ellipsis where it does not fit. */
static void
draw_caption (const UrbariumChartStyle *style, cairo_t *cr, const char *text, double x, double y, double width)
{
  g_autoptr(PangoLayout) layout = urbarium_chart_style_create_layout (style, text, URBARIUM_TEXT_NORMAL);
  int height;
  pango_layout_set_width (layout, (int) ceil (width * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_get_pixel_size (layout, NULL, &height);
  gdk_cairo_set_source_rgba (cr, &style->dim);
  cairo_move_to (cr, x, y - height / 2.0);
  pango_cairo_show_layout (cr, layout);
}

static void
draw_rank (UrbariumRankMemory *self, cairo_t *cr, const UrbariumChartStyle *style, int rank, double left, double width,
           double caption_width)
{
  double y = ROW_PX * rank + ROW_PX / 2.0, x = left, most = 1;
  g_autofree char *title = dup_title (self, rank), *caption = dup_caption (self, rank);
  for (int r = 0; r < count_shown (self); r++)
    most = MAX (most, (double) sum_rank (self, r));
  urbarium_chart_style_draw_text (style, cr, title, URBARIUM_TEXT_NORMAL, &style->ink, 0, y, 0, 0.5);
  for (int i = 0; i < URBARIUM_N_MEMORIES; i++)
    {
      GdkRGBA color = urbarium_chart_style_get_color (style, (guint) i);
      double part = width * (double) self->plan.ranks[rank][i] / most;
      gdk_cairo_set_source_rgba (cr, &color);
      cairo_rectangle (cr, x, y - BAR_PX / 2.0, part, BAR_PX);
      cairo_fill (cr);
      x += part;
    }
  draw_caption (style, cr, caption, x + GAP_PX, y, caption_width);
}

static void
draw_bars (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  UrbariumRankMemory *self = data;
  g_auto(UrbariumChartStyle) style = { 0 };
  double before = 0, after = 0;
  urbarium_chart_style_init_widget (&style, GTK_WIDGET (self));
  for (int r = 0; r < count_shown (self); r++)
    {
      g_autofree char *title = dup_title (self, r), *caption = dup_caption (self, r);
      before = MAX (before, urbarium_chart_style_measure_text (&style, title, URBARIUM_TEXT_NORMAL));
      after = MAX (after, urbarium_chart_style_measure_text (&style, caption, URBARIUM_TEXT_NORMAL));
    }
  after = MIN (after, width / 2.0); /* the description has all of it */
  for (int r = 0; r < count_shown (self); r++)
    draw_rank (self, cr, &style, r, before + GAP_PX, MAX (width - before - after - 2 * GAP_PX, 1), after);
}

static GtkWidget *
new_legend_entry (guint i)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (_ (names[i]));
  gtk_widget_add_css_class (label, "caption");
  gtk_box_append (GTK_BOX (box), urbarium_swatch_new (i));
  gtk_box_append (GTK_BOX (box), label);
  return box;
}

/* "Rank 0: 27.5 MB: G 1–5, D 1–3 (Weights 1.4 MB, …)", a line for each rank. */
static char *
dup_description (UrbariumRankMemory *self)
{
  GString *text = g_string_new (NULL);
  for (int r = 0; r < count_shown (self); r++)
    {
      g_autofree char *title = dup_title (self, r), *caption = dup_caption (self, r);
      g_string_append_printf (text, "%s%s: %s (", r > 0 ? "\n" : "", title, caption);
      for (int i = 0; i < URBARIUM_N_MEMORIES; i++)
        {
          g_autofree char *part = urbarium_format_bytes (self->plan.ranks[r][i]);
          g_string_append_printf (text, "%s%s %s", i > 0 ? ", " : "", _ (names[i]), part);
        }
      g_string_append_c (text, ')');
    }
  return g_string_free (text, FALSE);
}

void
urbarium_rank_memory_set_plan (UrbariumRankMemory *self, const UrbariumPlan *plan)
{
  g_autofree char *description = NULL, *more = NULL, *bytes = NULL, *shared = NULL;
  int n_more;
  g_return_if_fail (URBARIUM_IS_RANK_MEMORY (self));
  self->plan = plan != NULL ? *plan : (UrbariumPlan) { 0 };
  n_more = self->plan.n_ranks - count_shown (self);
  description = dup_description (self);
  more = g_strdup_printf (ngettext ("and %d more rank", "and %d more ranks", n_more), n_more);
  gtk_label_set_label (self->more, more);
  gtk_widget_set_visible (GTK_WIDGET (self->more), n_more > 0);
  bytes = urbarium_format_bytes (self->plan.bytes_shared);
  /* translators: %s: an amount of memory */
  shared = g_strdup_printf (_ ("and %s of weights and optimizer that all ranks share"), bytes);
  gtk_label_set_label (self->shared, shared);
  gtk_widget_set_visible (GTK_WIDGET (self->shared), self->plan.bytes_shared > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->letters), self->plan.layers[0][0] != '\0');
  gtk_widget_set_visible (GTK_WIDGET (self), self->plan.n_ranks > 0);
  gtk_drawing_area_set_content_height (self->bars, ROW_PX * count_shown (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bars), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Memory of each rank"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self->bars));
}

static void
urbarium_rank_memory_class_init (UrbariumRankMemoryClass *klass)
{
}

static GtkLabel *
new_remark (void)
{
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, "dim-label");
  return GTK_LABEL (label);
}

static void
urbarium_rank_memory_init (UrbariumRankMemory *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *legend = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkLayoutManager *lines = urbarium_wrap_layout_new (12);
  self->bars = GTK_DRAWING_AREA (g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL));
  gtk_drawing_area_set_draw_func (self->bars, draw_bars, self, NULL);
  self->more = new_remark ();
  self->shared = new_remark ();
  self->letters = new_remark ();
  gtk_label_set_label (self->letters, _ ("G and D: layers of the generator and the discriminator"));
  g_object_set (lines, "xalign", 0.0, NULL);
  gtk_widget_set_layout_manager (legend, lines);
  for (guint i = 0; i < URBARIUM_N_MEMORIES; i++)
    gtk_box_append (GTK_BOX (legend), new_legend_entry (i));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->bars));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->more));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->shared));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->letters));
  gtk_box_append (GTK_BOX (box), legend);
  adw_bin_set_child (ADW_BIN (self), box);
  g_signal_connect_object (adw_style_manager_get_default (), "notify", G_CALLBACK (gtk_widget_queue_draw), self->bars,
                           G_CONNECT_SWAPPED);
  urbarium_rank_memory_set_plan (self, NULL);
}

GtkWidget *
urbarium_rank_memory_new (void)
{
  return g_object_new (URBARIUM_TYPE_RANK_MEMORY, NULL);
}
