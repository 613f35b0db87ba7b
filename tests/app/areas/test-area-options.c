/* SPDX-License-Identifier: Apache-2.0 */
/* test-area-options.c - a changed row becomes one decision with an undo label after a delay; rows
 * show decisions made elsewhere. */
#include "app/areas/area-options.h"

#include "curation-fixture.h"
#include "looks.h"

typedef struct
{
  CurationFixture      base;
  UrbariumAreaOptions *options;
  GtkWindow           *window;
  guint                n_decisions;
} Fixture;

static void
decided_cb (Fixture *self)
{
  self->n_decisions++;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  curation_fixture_init (&self->base);
  self->options = g_object_new (URBARIUM_TYPE_AREA_OPTIONS, NULL);
  urbarium_area_options_set_curation (self->options, self->base.curation);
  g_signal_connect_swapped (self->base.curation, "decisions-changed", G_CALLBACK (decided_cb),
                            self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->options));
  self->window = test_window_new (scrolled, 400, 700);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_window_destroy (self->window);
  curation_fixture_clear (&self->base);
}

static gpointer
row (Fixture *self, const char *name)
{
  GObject *object = gtk_widget_get_template_child (GTK_WIDGET (self->options),
                                                   URBARIUM_TYPE_AREA_OPTIONS, name);
  g_assert_nonnull (object);
  return object;
}

static double
value_of (Fixture *self, const char *name)
{
  return gtk_spin_button_get_value (row (self, name));
}

static void
turn (Fixture *self, const char *name, double value)
{
  gpointer widget = row (self, name);
  if (ADW_IS_COMBO_ROW (widget))
    adw_combo_row_set_selected (widget, (guint) value);
  else if (GTK_IS_SWITCH (widget))
    gtk_widget_activate (widget);
  else
    gtk_spin_button_set_value (widget, value);
}

static gboolean
has_decided (gpointer data)
{
  return ((Fixture *) data)->n_decisions > 0;
}

static void
settle (Fixture *self)
{
  test_until (has_decided, self);
  g_assert_cmpuint (self->n_decisions, ==, 1);
  self->n_decisions = 0;
}

static void
undo (Fixture *self)
{
  urbarium_undo_undo (self->base.undo);
  self->n_decisions = 0;
}

static void
test_defaults (Fixture *self, gconstpointer data)
{
  UrbCurateOptions o = curation_fixture_options (&self->base);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "preset")), ==, 1);
  g_assert_cmpfloat (value_of (self, "area_size"), ==, o.area_size_m);
  g_assert_cmpfloat (value_of (self, "stride"), ==, o.stride_m);
  turn (self, "preset", 3); /* "Other" decides nothing */
  g_assert_cmpfloat (value_of (self, "rotations"), ==, o.n_rotations);
  g_assert_cmpfloat_with_epsilon (value_of (self, "coverage"), 100 * o.min_coverage, 1e-9);
  g_assert_cmpfloat_with_epsilon (value_of (self, "overlap"), 100 * o.max_overlap, 1e-9);
  g_assert_cmpfloat_with_epsilon (value_of (self, "test_share"), 100 * o.test_share, 1e-9);
  g_assert_cmpfloat_with_epsilon (value_of (self, "validation_share"), 100 * o.validation_share, 1e-9);
  g_assert_cmpfloat (value_of (self, "top"), ==, (double) o.top);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "fill")), ==, o.fill);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "encoding")), ==, o.encoding);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "resolution")), ==, 3); /* 256 px */
  g_assert_cmpstr (adw_action_row_get_subtitle (row (self, "resolution")), ==,
                   "A pixel is 0.98 m wide");
  test_assert_name (row (self, "area_size"), "Area");
  test_assert_name (row (self, "soft"), "Soft edges");
  curation_fixture_assert_undo (&self->base, NULL); /* updating rows is not a decision */
  g_assert_cmpuint (self->n_decisions, ==, 0);
}

/* Changes in quick succession are one decision, with the label of the last. */
static void
test_rows (Fixture *self, gconstpointer data)
{
  UrbCurateOptions before = curation_fixture_options (&self->base), o;
  turn (self, "stride", 100);
  turn (self, "rotations", 4);
  turn (self, "coverage", 63);
  turn (self, "fill", 2);
  turn (self, "overlap", 7);
  turn (self, "test_share", 29);
  turn (self, "validation_share", 13);
  turn (self, "seed", 12345);
  turn (self, "top", 17);
  turn (self, "encoding", 1);
  turn (self, "resolution", 0);
  turn (self, "soft", 1);
  settle (self);
  curation_fixture_assert_undo (&self->base, "Change the edges");
  o = curation_fixture_options (&self->base);
  g_assert_cmpfloat (o.area_size_m, ==, before.area_size_m);
  g_assert_cmpfloat (o.stride_m, ==, 100);
  g_assert_cmpint (o.n_rotations, ==, 4);
  g_assert_cmpfloat (o.min_coverage, ==, 0.63);
  g_assert_cmpint (o.fill, ==, URB_FILL_YES);
  g_assert_cmpfloat (o.max_overlap, ==, 0.07);
  g_assert_cmpfloat (o.test_share, ==, 0.29);
  g_assert_cmpfloat (o.validation_share, ==, 0.13);
  g_assert_cmpuint (o.seed, ==, 12345);
  g_assert_cmpint (o.top, ==, 17);
  g_assert_cmpint (o.encoding, ==, URB_ENCODING_GREY);
  g_assert_cmpint (o.resolution_px, ==, 32);
  g_assert_true (o.soft);
  undo (self);
  test_defaults (self, data);
}

/* Many values lead to one decision; a step of half an area is kept. */
static void
test_settles (Fixture *self, gconstpointer data)
{
  for (int size = 260; size <= 400; size += 10)
    turn (self, "area_size", size);
  g_assert_cmpfloat (value_of (self, "stride"), ==, 200);
  g_assert_cmpuint (self->n_decisions, ==, 0);
  settle (self);
  curation_fixture_assert_undo (&self->base, "Change the area");
  g_assert_cmpfloat (curation_fixture_options (&self->base).area_size_m, ==, 400);
  g_assert_cmpfloat (curation_fixture_options (&self->base).stride_m, ==, 200);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "preset")), ==, 3); /* "Other" */
  g_assert_cmpstr (adw_action_row_get_subtitle (row (self, "resolution")), ==,
                   "A pixel is 1.6 m wide");

  undo (self);
  curation_fixture_assert_undo (&self->base, NULL);
  g_assert_cmpfloat (value_of (self, "area_size"), ==, 250);
  g_assert_cmpfloat (value_of (self, "stride"), ==, 125);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "preset")), ==, 1);
}

static void
set_stride (Fixture *self, double stride_m)
{
  UrbCurateOptions o = curation_fixture_options (&self->base);
  o.stride_m = stride_m;
  urbarium_curation_set_options (self->base.curation, &o, "Elsewhere");
  self->n_decisions = 0;
}

/* Choosing a size sets the step to half an area, whatever it was. */
static void
test_preset (Fixture *self, gconstpointer data)
{
  set_stride (self, 30);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "preset")), ==, 3);
  turn (self, "area_size", 260);
  g_assert_cmpfloat (value_of (self, "stride"), ==, 30); /* other changes keep the step */
  turn (self, "preset", 2);
  turn (self, "preset", 0);
  settle (self);
  curation_fixture_assert_undo (&self->base, "Change the size");
  g_assert_cmpfloat (curation_fixture_options (&self->base).area_size_m, ==, 120);
  g_assert_cmpfloat (curation_fixture_options (&self->base).stride_m, ==, 60);
  g_assert_cmpfloat (value_of (self, "area_size"), ==, 120);
  g_assert_cmpfloat (value_of (self, "stride"), ==, 60);
}

/* Values out of a row's range are clamped. */
static void
test_limits (Fixture *self, gconstpointer data)
{
  const struct
  {
    const char *name;
    double      low, high;
  } rows[] = { { "area_size", 10, 10000 }, { "stride", 1, 10000 },  { "rotations", 1, 90 },
               { "coverage", 0, 100 },     { "overlap", 0, 100 },   { "test_share", 0, 90 },
               { "validation_share", 0, 90 },
               { "seed", 0, 999999 },      { "top", 0, 10000000 } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      turn (self, rows[i].name, -1e9);
      g_assert_cmpfloat (value_of (self, rows[i].name), ==, rows[i].low);
      turn (self, rows[i].name, 1e9);
      g_assert_cmpfloat (value_of (self, rows[i].name), ==, rows[i].high);
    }
}

/* A decision made elsewhere cancels a pending change. */
static void
test_elsewhere (Fixture *self, gconstpointer data)
{
  UrbCurateOptions o = curation_fixture_options (&self->base);
  gint64 end = g_get_monotonic_time () + 400000;
  turn (self, "rotations", 9);
  o.resolution_px = 1024;
  o.area_size_m = 500;
  o.stride_m = 250;
  urbarium_curation_set_options (self->base.curation, &o, "Elsewhere");
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "preset")), ==, 2);
  turn (self, "preset", 3); /* "Other" decides nothing */
  g_assert_cmpfloat (value_of (self, "rotations"), ==, o.n_rotations);
  g_assert_cmpuint (adw_combo_row_get_selected (row (self, "resolution")), ==, 5);
  g_assert_cmpstr (adw_action_row_get_subtitle (row (self, "resolution")), ==,
                   "A pixel is 0.49 m wide");
  while (g_get_monotonic_time () < end)
    test_frames (self->window, 1);
  g_assert_cmpuint (self->n_decisions, ==, 1);
  curation_fixture_assert_undo (&self->base, "Elsewhere");
}

/* Disposed during the delay: nothing is decided, nothing leaks. */
static void
test_close (Fixture *self, gconstpointer data)
{
  turn (self, "area_size", 300);
}

int
main (int argc, char **argv)
{
  test_keep_names ();
  test_app_init (&argc, &argv);
#define ADD(name, func)                                                                            \
  g_test_add ("/app/area-options/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("defaults", test_defaults);
  ADD ("rows", test_rows);
  ADD ("settles", test_settles);
  ADD ("preset", test_preset);
  ADD ("limits", test_limits);
  ADD ("elsewhere", test_elsewhere);
  ADD ("close", test_close);
#undef ADD
  return g_test_run ();
}
