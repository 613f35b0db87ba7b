/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/search.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

#include "app/areas/covered.h"
#include "app/areas/heat-colors.h"
#include "dataset/advice.h"

typedef struct
{
  UrbMap          *map; /* owned */
  UrbCurateOptions options;
} Input;

static Input *
input_new (UrbMap *map, const UrbCurateOptions *options)
{
  Input *self = g_new0 (Input, 1);
  self->map = urb_map_ref (map);
  self->options = *options;
  return self;
}

static void
input_free (gpointer data)
{
  Input *self = data;
  urb_map_unref (self->map);
  g_free (self);
}

UrbariumSearch *
urbarium_search_ref (UrbariumSearch *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
search_clear (gpointer data)
{
  UrbariumSearch *self = data;
  g_clear_pointer (&self->map, urb_map_unref);
  g_clear_pointer (&self->curator, urb_curator_unref);
  g_clear_object (&self->heat);
}

void
urbarium_search_unref (UrbariumSearch *self)
{
  g_atomic_rc_box_release_full (self, search_clear);
}

static gpointer
search_thread (gpointer data, UrbariumJob *job, GCancellable *cancellable, GError **error)
{
  Input *input = data;
  g_autoptr(UrbariumSearch) self = g_atomic_rc_box_new0 (UrbariumSearch);
  const UrbHeatMap *heat;
  self->map = urb_map_ref (input->map);
  self->options = input->options;
  self->curator = urb_curator_new (input->map, &input->options, urbarium_job_progress, job,
                                   cancellable, error);
  if (self->curator == NULL)
    return NULL;
  heat = urb_curator_get_heat_map (self->curator);
  self->heat_box = heat->box;
  for (gsize i = 0; i < (gsize) heat->width * heat->height; i++)
    self->max_variance = MAX (self->max_variance, heat->variance[i]);
  self->heat = urbarium_heat_texture_new (heat, self->max_variance);
  return g_steal_pointer (&self);
}

UrbariumJob *
urbarium_search_start (UrbMap *map, const UrbCurateOptions *options, GAsyncReadyCallback callback,
                       gpointer user_data)
{
  UrbariumJob *job = urbarium_job_new (_ ("Searching for areas"));
  urbarium_job_run (job, search_thread, input_new (map, options), input_free, (GDestroyNotify) urbarium_search_unref,
                    callback, user_data);
  return job;
}

static void
advice_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Input *input = data;
  g_task_return_pointer (task, urb_advice_find (input->map, &input->options, cancellable),
                         (GDestroyNotify) g_array_unref);
}

void
urbarium_advice_find_async (UrbMap *map, const UrbCurateOptions *options, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (task, urbarium_advice_find_async);
  g_task_set_task_data (task, input_new (map, options), input_free);
  g_task_run_in_thread (task, advice_thread);
}

GArray *
urbarium_advice_find_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

UrbariumRanked *
urbarium_ranked_ref (UrbariumRanked *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
ranked_clear (gpointer data)
{
  UrbariumRanked *self = data;
  g_clear_pointer (&self->ranking, urb_ranking_free);
  g_clear_pointer (&self->edits, urbarium_edits_free);
  g_clear_pointer (&self->decisions, urbarium_decisions_unref);
  g_clear_pointer (&self->search, urbarium_search_unref);
  g_clear_pointer (&self->held_out, g_free);
  g_clear_pointer (&self->covered_m2, g_free);
}

void
urbarium_ranked_unref (UrbariumRanked *self)
{
  g_atomic_rc_box_release_full (self, ranked_clear);
}

/* Extends the box of each block of @split by its intersection with @box. */
static void
add_box (const UrbBlocks *blocks, UrbSplit split, UrbBox box, UrbBox *held_out)
{
  double w = blocks->block_w, h = blocks->block_h;
  int left = CLAMP ((int) floor ((box.min_x - blocks->x) / w), 0, blocks->n_x - 1);
  int right = CLAMP ((int) ceil ((box.max_x - blocks->x) / w), 1, blocks->n_x);
  int bottom = CLAMP ((int) floor ((box.min_y - blocks->y) / h), 0, blocks->n_y - 1);
  int top = CLAMP ((int) ceil ((box.max_y - blocks->y) / h), 1, blocks->n_y);
  for (int row = bottom; row < top; row++)
    for (int col = left; col < right; col++)
      {
        gsize i = (gsize) row * blocks->n_x + col;
        UrbBox block = { blocks->x + col * w, blocks->y + row * h, blocks->x + (col + 1) * w,
                         blocks->y + (row + 1) * h };
        if (blocks->split[i] == split)
          urb_box_add (&held_out[i], urb_box_intersect (box, block));
      }
}

/* The blocks cover all ground; this finds the parts of test and validation blocks that have
 * candidates. */
static UrbBox *
find_held_out (UrbCurator *curator, const UrbBlocks *blocks)
{
  gsize n_blocks = (gsize) blocks->n_x * blocks->n_y;
  UrbBox *held_out = g_new (UrbBox, n_blocks);
  gint64 n = urb_curator_get_n_candidates (curator);
  for (gsize i = 0; i < n_blocks; i++)
    held_out[i] = URB_BOX_EMPTY;
  for (gint64 id = 0; id < n; id++)
    {
      UrbSquare square = urb_curator_get_square (curator, id, NULL);
      UrbSplit split;
      if (urb_blocks_get_split (blocks, &square, &split) && split != URB_SPLIT_TRAIN)
        add_box (blocks, split, urb_square_get_box (&square), held_out);
    }
  return held_out;
}

static void
derive_results (UrbariumRanked *self)
{
  self->held_out = find_held_out (self->search->curator, self->ranking->blocks);
  self->covered_m2 = urbarium_covered_new (self->ranking->areas);
  for (guint i = 0; i < self->edits->added->len; i++)
    {
      gint64 id = g_array_index (self->edits->added, UrbariumEdit, i).id;
      UrbFate fate = urb_ranking_get_fate (self->ranking, id);
      self->n_straddling += fate == URB_FATE_STRADDLES;
      self->n_overlapping += fate == URB_FATE_OVERLAPS;
    }
}

static void
rank_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  UrbariumRanked *self = data;
  GError *error = NULL;
  self->edits = urbarium_edits_resolve (self->decisions, self->search->curator);
  self->ranking = urbarium_edits_rank (self->edits, self->search->curator,
                                       &self->decisions->options, cancellable, &error);
  if (self->ranking == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  derive_results (self);
  g_task_return_pointer (task, urbarium_ranked_ref (self), (GDestroyNotify) urbarium_ranked_unref);
}

void
urbarium_ranked_new_async (UrbariumSearch *search, UrbariumDecisions *decisions,
                           GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  UrbariumRanked *self = g_atomic_rc_box_new0 (UrbariumRanked);
  self->search = urbarium_search_ref (search);
  self->decisions = urbarium_decisions_ref (decisions);
  g_task_set_source_tag (task, urbarium_ranked_new_async);
  g_task_set_task_data (task, self, (GDestroyNotify) urbarium_ranked_unref);
  g_task_run_in_thread (task, rank_thread);
}

UrbariumRanked *
urbarium_ranked_new_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
