/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/decisions.h"

static UrbariumDecisions *
decisions_new (const UrbCurateOptions *options, GArray *added, GArray *removed, guint n_taken_out)
{
  UrbariumDecisions *self = g_atomic_rc_box_new0 (UrbariumDecisions);
  self->options = *options;
  if (options->min_variance < 0)
    self->options.min_variance = urb_curate_get_default_variance (options->encoding);
  self->added = g_array_ref (added);
  self->removed = g_array_ref (removed);
  self->n_taken_out = n_taken_out;
  return self;
}

UrbariumDecisions *
urbarium_decisions_new (void)
{
  g_autoptr(GArray) none = g_array_new (FALSE, FALSE, sizeof (UrbariumEdit));
  UrbCurateOptions options;
  urb_curate_options_init (&options);
  return decisions_new (&options, none, none, 0);
}

UrbariumDecisions *
urbarium_decisions_ref (UrbariumDecisions *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  UrbariumDecisions *self = data;
  g_array_unref (self->added);
  g_array_unref (self->removed);
}

void
urbarium_decisions_unref (UrbariumDecisions *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

UrbariumDecisions *
urbarium_decisions_with_options (UrbariumDecisions *self, const UrbCurateOptions *options)
{
  return decisions_new (options, self->added, self->removed, self->n_taken_out);
}

UrbariumDecisions *
urbarium_decisions_with_edits (UrbariumDecisions *self, GArray *added, GArray *removed,
                               guint n_taken_out)
{
  return decisions_new (&self->options, added, removed, n_taken_out);
}

gboolean
urbarium_options_same_search (const UrbCurateOptions *a, const UrbCurateOptions *b)
{
  /* Soft edges do not matter: the variance of candidates is measured without them. */
  return a->area_size_m == b->area_size_m && a->stride_m == b->stride_m
         && a->n_rotations == b->n_rotations && a->min_coverage == b->min_coverage
         && a->encoding == b->encoding && a->resolution_px == b->resolution_px
         && a->fill == b->fill;
}

static gboolean
same_options (const UrbCurateOptions *a, const UrbCurateOptions *b)
{
  return urbarium_options_same_search (a, b) && a->min_variance == b->min_variance
         && a->max_overlap == b->max_overlap && a->top == b->top && a->soft == b->soft
         && a->test_share == b->test_share
         && a->validation_share == b->validation_share && a->seed == b->seed;
}

static gboolean
same_edits (const GArray *a, const GArray *b)
{
  if (a == b)
    return TRUE;
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const UrbariumEdit *p = &g_array_index (a, UrbariumEdit, i);
      const UrbariumEdit *q = &g_array_index (b, UrbariumEdit, i);
      if (p->id != q->id || p->square.x != q->square.x || p->square.y != q->square.y
          || p->square.angle_deg != q->square.angle_deg || p->square.size_m != q->square.size_m)
        return FALSE;
    }
  return TRUE;
}

gboolean
urbarium_decisions_equal (const UrbariumDecisions *a, const UrbariumDecisions *b)
{
  return a == b
         || (same_options (&a->options, &b->options) && same_edits (a->added, b->added)
             && same_edits (a->removed, b->removed) && a->n_taken_out == b->n_taken_out);
}
