/* SPDX-License-Identifier: Apache-2.0 */
/* decisions-state.c - decisions as a GVariant, for the next session and for a map opened again. */
#include "app/areas/decisions.h"

#define EDITS_TYPE "a(xdddd)"
#define OPTIONS_TYPE "(ddidddxibidit)"
#define STATE_TYPE "(" OPTIONS_TYPE EDITS_TYPE EDITS_TYPE "ud)"
#define OLD_STATE_TYPE "(" OPTIONS_TYPE EDITS_TYPE EDITS_TYPE "u)" /* before areas for validation */
#define MEMORY_TYPE "(aayv)" /* paths (bytes, not necessarily UTF-8) and decisions */

static GVariant *
edits_to_variant (GArray *edits)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE (EDITS_TYPE));
  for (guint i = 0; i < edits->len; i++)
    {
      const UrbariumEdit *edit = &g_array_index (edits, UrbariumEdit, i);
      g_variant_builder_add (&builder, "(xdddd)", edit->id, edit->square.x, edit->square.y,
                             edit->square.angle_deg, edit->square.size_m);
    }
  return g_variant_builder_end (&builder);
}

static GArray *
edits_from_variant (GVariant *variant)
{
  GArray *edits = g_array_new (FALSE, FALSE, sizeof (UrbariumEdit));
  GVariantIter iter;
  UrbariumEdit edit;
  g_variant_iter_init (&iter, variant);
  while (g_variant_iter_next (&iter, "(xdddd)", &edit.id, &edit.square.x, &edit.square.y,
                              &edit.square.angle_deg, &edit.square.size_m))
    if (edit.id >= 0)
      g_array_append_val (edits, edit);
  return edits;
}

GVariant *
urbarium_decisions_to_variant (UrbariumDecisions *self)
{
  const UrbCurateOptions *o = &self->options;
  GVariant *options
    = g_variant_new (OPTIONS_TYPE, o->area_size_m, o->stride_m, o->n_rotations, o->min_variance,
                     o->min_coverage, o->max_overlap, o->top, (int) o->encoding, o->soft,
                     o->resolution_px, o->test_share, (int) o->fill, o->seed);
  GVariant *children[] = { options, edits_to_variant (self->added),
                           edits_to_variant (self->removed),
                           g_variant_new_uint32 (self->n_taken_out),
                           g_variant_new_double (o->validation_share) };
  return g_variant_ref_sink (g_variant_new_tuple (children, G_N_ELEMENTS (children)));
}

static gboolean
read_options (GVariant *variant, UrbCurateOptions *o)
{
  int encoding, fill;
  urb_curate_options_init (o);
  g_variant_get (variant, OPTIONS_TYPE, &o->area_size_m, &o->stride_m, &o->n_rotations,
                 &o->min_variance, &o->min_coverage, &o->max_overlap, &o->top, &encoding, &o->soft,
                 &o->resolution_px, &o->test_share, &fill, &o->seed);
  o->encoding = (UrbEncoding) encoding;
  o->fill = (UrbFill) fill;
  /* The search validates the other options and reports an error. */
  return (encoding == URB_ENCODING_RGB || encoding == URB_ENCODING_GREY) && fill >= URB_FILL_AUTO
         && fill <= URB_FILL_YES;
}

UrbariumDecisions *
urbarium_decisions_new_from_variant (GVariant *variant)
{
  g_autoptr(GVariant) options_variant = NULL;
  g_autoptr(GVariant) added_variant = NULL;
  g_autoptr(GVariant) removed_variant = NULL;
  g_autoptr(GArray) added = NULL;
  g_autoptr(GArray) removed = NULL;
  g_autoptr(UrbariumDecisions) blank = NULL;
  g_autoptr(UrbariumDecisions) decided = NULL;
  UrbCurateOptions options;
  guint32 n_taken_out;
  gboolean is_old = g_variant_is_of_type (variant, G_VARIANT_TYPE (OLD_STATE_TYPE));
  if (!is_old && !g_variant_is_of_type (variant, G_VARIANT_TYPE (STATE_TYPE)))
    return NULL;
  options_variant = g_variant_get_child_value (variant, 0);
  added_variant = g_variant_get_child_value (variant, 1);
  removed_variant = g_variant_get_child_value (variant, 2);
  g_variant_get_child (variant, 3, "u", &n_taken_out);
  if (!read_options (options_variant, &options))
    return NULL;
  if (!is_old)
    g_variant_get_child (variant, 4, "d", &options.validation_share);
  added = edits_from_variant (added_variant);
  removed = edits_from_variant (removed_variant);
  blank = urbarium_decisions_new ();
  decided = urbarium_decisions_with_options (blank, &options);
  return urbarium_decisions_with_edits (decided, added, removed, n_taken_out);
}

UrbariumRecent *
urbarium_decisions_memory_new (void)
{
  return urbarium_recent_new (MEMORY_TYPE);
}

void
urbarium_decisions_memory_keep (UrbariumRecent *self, const char *const *paths,
                                UrbariumDecisions *decisions)
{
  g_autoptr(GVariant) state = urbarium_decisions_to_variant (decisions);
  urbarium_recent_keep (self, g_variant_new ("(^aayv)", paths, state));
}

UrbariumDecisions *
urbarium_decisions_memory_find (UrbariumRecent *self, const char *const *paths)
{
  g_autoptr(GVariant) key = g_variant_ref_sink (g_variant_new_bytestring_array (paths, -1));
  GVariant *entry = urbarium_recent_find (self, key);
  g_autoptr(GVariant) state = NULL;
  if (entry == NULL)
    return NULL;
  g_variant_get_child (entry, 1, "v", &state);
  return urbarium_decisions_new_from_variant (state);
}
