/* SPDX-License-Identifier: Apache-2.0 */
#include "app-test.h"

#include <glib/gstdio.h>

#include "app/areas/curation.h"
#include "app/areas/dataset-save.h"

typedef struct
{
  UrbariumUndo        *undo;
  UrbariumMapDocument *document;
  UrbariumCuration    *curation;
  guint                n_moved, n_lost; /* last signal */
  guint                n_results;
} Fixture;

static gboolean
is_settled (gpointer data)
{
  gboolean busy;
  g_object_get (data, "busy", &busy, NULL);
  return !busy;
}

static gboolean
has_map (gpointer data)
{
  return urbarium_map_document_get_map (data) != NULL;
}

static void
settle (Fixture *self)
{
  test_until (is_settled, self->curation);
  g_assert_no_error (urbarium_curation_get_error (self->curation));
  g_assert_nonnull (urbarium_curation_get_ranked (self->curation));
}

static void
moved_cb (Fixture *self, guint n_moved, guint n_lost)
{
  self->n_moved = n_moved;
  self->n_lost = n_lost;
}

static void
result_cb (Fixture *self)
{
  self->n_results++;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  self->curation = urbarium_curation_new (self->document, self->undo);
  g_signal_connect_swapped (self->curation, "edits-moved", G_CALLBACK (moved_cb), self);
  g_signal_connect_swapped (self->curation, "result-changed", G_CALLBACK (result_cb), self);
  urbarium_map_document_open_sample (self->document);
  test_until (has_map, self->document);
  g_assert_true (is_settled (self->curation)); /* inactive */
  g_assert_null (urbarium_curation_get_ranked (self->curation));
  g_object_set (self->curation, "active", TRUE, NULL);
  settle (self);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_assert_last_unref (self->curation);
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
}

static UrbCurateOptions
options_of (Fixture *self)
{
  return urbarium_curation_get_decisions (self->curation)->options;
}

static void
assert_as_engine (Fixture *self, double threshold)
{
  UrbCurateOptions options = options_of (self);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbCuration) expected = NULL;
  UrbChoice choice = urbarium_curation_get_choice (self->curation);
  options.min_variance = threshold;
  expected = urb_curation_new (urbarium_curation_get_map (self->curation), &options, NULL, NULL,
                               NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (choice.n, ==, expected->areas->len);
  for (int s = 0; s < URB_N_SPLITS; s++)
    g_assert_cmpint (choice.n_split[s], ==, expected->n_split[s]);
  for (guint i = 0; i < choice.n; i++)
    {
      const UrbArea *area = &g_array_index (expected->areas, UrbArea, i);
      const UrbRankedArea *ours = urbarium_curation_get_area (self->curation, i);
      g_assert_cmpfloat (ours->square.x, ==, area->center_x);
      g_assert_cmpfloat (ours->square.y, ==, area->center_y);
      g_assert_cmpuint (ours->split, ==, area->split);
    }
}

/* During a drag the choice changes at once; at rest it equals the engine's choice. */
static void
test_drag (Fixture *self, gconstpointer data)
{
  const double thresholds[] = { 0.25, 0.4, 0.1, 0.35 };
  assert_as_engine (self, options_of (self).min_variance);
  for (gsize i = 0; i < G_N_ELEMENTS (thresholds); i++)
    {
      UrbariumRanked *shown = urbarium_curation_get_ranked (self->curation);
      gsize n = urbarium_curation_get_choice (self->curation).n;
      double from, to = thresholds[i];
      g_object_get (self->curation, "threshold", &from, NULL);
      for (int step = 1; step <= 10; step++)
        {
          gsize n_now;
          g_object_set (self->curation, "threshold", step == 10 ? to : from + (to - from) * step / 10,
                        NULL);
          n_now = urbarium_curation_get_choice (self->curation).n;
          g_assert_true (to > from ? n_now <= n : n_now >= n);
          n = n_now;
        }
      g_assert_true (shown == urbarium_curation_get_ranked (self->curation));
      urbarium_curation_settle_threshold (self->curation);
      g_assert_cmpfloat (options_of (self).min_variance, ==, to);
      settle (self);
      assert_as_engine (self, to);
    }
}

static void
assert_no_overlap (Fixture *self)
{
  UrbChoice choice = urbarium_curation_get_choice (self->curation);
  gint64 n_split[URB_N_SPLITS] = { 0 };
  for (gsize i = 0; i < choice.n; i++)
    {
      const UrbRankedArea *a = urbarium_curation_get_area (self->curation, i);
      n_split[a->split]++;
      for (gsize j = 0; j < i; j++)
        {
          const UrbRankedArea *b = urbarium_curation_get_area (self->curation, j);
          if (a->split != b->split)
            g_assert_cmpfloat (urb_square_overlap_m2 (&a->square, &b->square), <, 1e-6);
        }
    }
  g_assert_cmpint (n_split[URB_SPLIT_TRAIN], ==, choice.n_split[URB_SPLIT_TRAIN]);
  g_assert_cmpint (n_split[URB_SPLIT_TEST], ==, choice.n_split[URB_SPLIT_TEST]);
}

static void
random_place (Fixture *self, double *x, double *y)
{
  UrbBox box = urb_map_get_extent (urbarium_curation_get_map (self->curation));
  *x = g_test_rand_double_range (box.min_x, box.max_x);
  *y = g_test_rand_double_range (box.min_y, box.max_y);
}

static void
decide_at_random (Fixture *self)
{
  UrbCurateOptions options = options_of (self);
  double x, y, r = g_test_rand_double_range (50, 300);
  random_place (self, &x, &y);
  const double loop[] = { x - r, y - r, x + r, y - r, x + r, y + r, x - r, y + r };
  switch (g_test_rand_int_range (0, 8))
    {
    case 0:
      g_object_set (self->curation, "threshold", g_test_rand_double_range (0.05, 0.4), NULL);
      urbarium_curation_settle_threshold (self->curation);
      break;
    case 1: urbarium_curation_add_within (self->curation, loop, 4); break;
    case 2: urbarium_curation_remove_within (self->curation, loop, 4); break;
    case 3:
      options.test_share = g_test_rand_double_range (0, 0.4);
      urbarium_curation_set_options (self->curation, &options, "Share");
      break;
    case 4:
      options.max_overlap = g_test_rand_double_range (0.2, 0.6);
      urbarium_curation_set_options (self->curation, &options, "Overlap");
      break;
    default: urbarium_curation_toggle_at (self->curation, x, y); break;
    }
}

static gboolean
can (UrbariumUndo *undo, const char *what)
{
  gboolean can;
  g_object_get (undo, what, &can, NULL);
  return can;
}

static void
assert_same_choice (GArray *a, GArray *b)
{
  g_assert_cmpmem (a->data, a->len * sizeof (gint64), b->data, b->len * sizeof (gint64));
}

static GArray *
ids_of_choice (Fixture *self)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gsize i = 0; i < urbarium_curation_get_choice (self->curation).n; i++)
    g_array_append_val (ids, urbarium_curation_get_area (self->curation, i)->id);
  return ids;
}

static void
test_undo (Fixture *self, gconstpointer data)
{
  enum { N_DECISIONS = 200, N_CHECKS = 10 };
  g_autoptr(GPtrArray) states
    = g_ptr_array_new_with_free_func ((GDestroyNotify) urbarium_decisions_unref);
  g_autoptr(GPtrArray) choices = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_ptr_array_add (states,
                   urbarium_decisions_ref (urbarium_curation_get_decisions (self->curation)));
  g_ptr_array_add (choices, ids_of_choice (self));
  while (states->len <= N_DECISIONS)
    {
      UrbariumDecisions *before = urbarium_curation_get_decisions (self->curation);
      decide_at_random (self);
      settle (self);
      if (urbarium_curation_get_decisions (self->curation) == before)
        continue;
      assert_no_overlap (self);
      g_ptr_array_add (states,
                       urbarium_decisions_ref (urbarium_curation_get_decisions (self->curation)));
      g_ptr_array_add (choices, ids_of_choice (self));
    }
  for (guint i = N_DECISIONS; i > 0; i--)
    {
      urbarium_undo_undo (self->undo);
      g_assert_true (urbarium_decisions_equal (urbarium_curation_get_decisions (self->curation),
                                               states->pdata[i - 1]));
      if (i % N_CHECKS == 1)
        {
          g_autoptr(GArray) ids = NULL;
          settle (self);
          ids = ids_of_choice (self);
          assert_same_choice (ids, choices->pdata[i - 1]);
        }
    }
  g_assert_false (can (self->undo, "can-undo"));
  g_assert_true (urbarium_curation_is_automatic (self->curation));
  for (guint i = 1; i <= N_DECISIONS; i++)
    urbarium_undo_redo (self->undo);
  g_assert_false (can (self->undo, "can-redo"));
  settle (self);
  g_assert_true (urbarium_decisions_equal (urbarium_curation_get_decisions (self->curation),
                                           states->pdata[N_DECISIONS]));
  {
    g_autoptr(GArray) ids = ids_of_choice (self);
    assert_same_choice (ids, choices->pdata[N_DECISIONS]);
  }
}

/* No area contains the center of another. */
static void
set_apart (Fixture *self)
{
  UrbCurateOptions options = options_of (self);
  options.max_overlap = 0.2;
  urbarium_curation_set_options (self->curation, &options, "Overlap");
  settle (self);
}

/* A click removes an area without a replacement; a second click restores it. */
static void
test_click (Fixture *self, gconstpointer data)
{
  gsize n;
  UrbSquare square;
  set_apart (self);
  n = urbarium_curation_get_choice (self->curation).n;
  square = urbarium_curation_get_area (self->curation, n / 2)->square;
  g_assert_true (urbarium_curation_toggle_at (self->curation, square.x, square.y));
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, ==, n - 1);
  g_assert_cmpint (urbarium_curation_find_chosen (self->curation, square.x, square.y), <, 0);
  g_assert_cmpuint (urbarium_curation_get_decisions (self->curation)->n_taken_out, ==, 1);
  g_assert_true (urbarium_curation_toggle_at (self->curation, square.x, square.y));
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, ==, n);
  g_assert_true (urbarium_curation_is_automatic (self->curation)); /* as if nothing had happened */
  urbarium_curation_toggle_at (self->curation, square.x, square.y);
  settle (self);
  g_object_set (self->curation, "threshold", 0.31, NULL);
  urbarium_curation_settle_threshold (self->curation);
  settle (self);
  g_assert_true (urbarium_curation_toggle_at (self->curation, square.x, square.y));
  settle (self);
  g_assert_true (urbarium_curation_get_area (self->curation, 0)->forced);
  g_assert_cmpfloat (urbarium_curation_get_area (self->curation, 0)->square.x, ==, square.x);
  g_assert_false (urbarium_curation_is_automatic (self->curation));
  urbarium_curation_reset (self->curation);
  settle (self);
  g_assert_true (urbarium_curation_is_automatic (self->curation));
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, ==, n);
  g_assert_false (urbarium_curation_toggle_at (self->curation, 0, 0)); /* no candidate */
}

static guint
count_at (Fixture *self, double x, double y)
{
  guint n = 0;
  for (gsize i = 0; i < urbarium_curation_get_choice (self->curation).n; i++)
    {
      UrbBox box = urb_square_get_box (&urbarium_curation_get_area (self->curation, i)->square);
      n += x >= box.min_x && x <= box.max_x && y >= box.min_y && y <= box.max_y;
    }
  return n;
}

/* Where several areas overlap, a second click restores the removed one instead of removing the
 * next. */
static void
test_click_again (Fixture *self, gconstpointer data)
{
  UrbSquare square
    = urbarium_curation_get_area (self->curation, urbarium_curation_get_choice (self->curation).n / 2)
        ->square;
  double x = square.x + 10, y = square.y - 10;
  guint n = count_at (self, x, y);
  gint64 id = 0;
  g_assert_cmpuint (n, >, 1);
  for (int i = 0; i < 4; i++)
    {
      gsize chosen = (gsize) urbarium_curation_find_chosen (self->curation, x, y);
      const UrbRankedArea *removed;
      id = i == 0 ? urbarium_curation_get_area (self->curation, chosen)->id : id;
      g_assert_true (urbarium_curation_toggle_at (self->curation, x + i, y));
      settle (self);
      g_assert_cmpuint (count_at (self, x, y), ==, i % 2 == 0 ? n - 1 : n);
      removed = urbarium_curation_find_removed (self->curation, x, y);
      g_assert_true (i % 2 == 0 ? removed->id == id : removed == NULL);
      g_assert_cmpint (urbarium_curation_is_automatic (self->curation), ==, i % 2);
    }
  urbarium_curation_toggle_at (self->curation, x, y);
  settle (self);
  urbarium_curation_toggle_at (self->curation, x + square.size_m / 8, y); /* another spot */
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_decisions (self->curation)->n_taken_out, ==, 2);
}

static void
test_loop (Fixture *self, gconstpointer data)
{
  UrbBox box = urb_map_get_extent (urbarium_curation_get_map (self->curation));
  const double all[] = { box.min_x, box.min_y, box.max_x, box.min_y,
                         box.max_x, box.max_y, box.min_x, box.max_y };
  gsize n = urbarium_curation_get_choice (self->curation).n;
  urbarium_curation_remove_within (self->curation, all, 4);
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, ==, 0);
  urbarium_curation_add_within (self->curation, all, 4);
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, >=, n);
  assert_no_overlap (self);
  urbarium_undo_undo (self->undo);
  urbarium_undo_undo (self->undo);
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, ==, n);
}

/* Only the last of several requests is served; the previous result is shown until then. */
static void
test_late (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options = options_of (self);
  UrbariumRanked *shown = urbarium_curation_get_ranked (self->curation);
  guint n_results = self->n_results;
  for (int i = 1; i <= 5; i++)
    {
      options.stride_m = 125 - 5 * i;
      urbarium_curation_set_options (self->curation, &options, "Stride");
      for (int k = 0; k < 100 * i; k++)
        g_main_context_iteration (NULL, FALSE);
      g_assert_true (shown == urbarium_curation_get_ranked (self->curation));
    }
  settle (self);
  g_assert_cmpuint (self->n_results, ==, n_results + 1);
  g_assert_cmpfloat (urbarium_curation_get_ranked (self->curation)->search->options.stride_m, ==,
                     100);
  assert_as_engine (self, options.min_variance);
  urbarium_undo_undo (self->undo); /* then freed during a request */
}

static void
test_another_search (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options;
  UrbSquare square;
  set_apart (self);
  options = options_of (self);
  square = urbarium_curation_get_area (self->curation, 0)->square;
  const double loop[] = { square.x - 1, square.y - 1, square.x + 1, square.y - 1,
                          square.x + 1, square.y + 1, square.x - 1, square.y + 1 };
  urbarium_curation_remove_within (self->curation, loop, 4);
  settle (self);
  urbarium_curation_toggle_at (self->curation, square.x, square.y);
  settle (self);
  g_assert_cmpuint (urbarium_curation_get_decisions (self->curation)->added->len, ==, 1);
  options.stride_m = 90;
  urbarium_curation_set_options (self->curation, &options, "Stride");
  settle (self);
  g_assert_cmpuint (self->n_moved + self->n_lost, ==, 1);
  g_assert_true (urbarium_curation_get_area (self->curation, 0)->forced);
  self->n_moved = self->n_lost = 0;
  urbarium_undo_undo (self->undo);
  settle (self);
  g_assert_cmpuint (self->n_moved + self->n_lost, ==, 0);
  g_assert_cmpfloat (urbarium_curation_get_area (self->curation, 0)->square.x, ==, square.x);
  g_assert_cmpfloat (urbarium_curation_get_area (self->curation, 0)->square.y, ==, square.y);
}

typedef struct
{
  gboolean done;
  char    *path;
  GError  *error;
} Saving;

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Saving *saving = data;
  saving->path = urbarium_job_finish (URBARIUM_JOB (source), result, &saving->error);
  saving->done = TRUE;
}

static gboolean
is_saved (gpointer data)
{
  return ((Saving *) data)->done;
}

static void
test_save (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "test-curation.urbarium.gpkg", NULL);
  UrbCurateOptions options = options_of (self);
  Saving saving = { 0 };
  UrbariumJob *job;
  UrbChoice choice;
  g_autoptr(UrbDataset) dataset = NULL;
  const UrbDatasetInfo *info;
  options.resolution_px = 64;
  options.soft = TRUE;
  urbarium_curation_set_options (self->curation, &options, "Resolution");
  settle (self);
  urbarium_curation_toggle_at (self->curation,
                               urbarium_curation_get_area (self->curation, 0)->square.x,
                               urbarium_curation_get_area (self->curation, 0)->square.y);
  settle (self);
  choice = urbarium_curation_get_choice (self->curation);
  job = urbarium_dataset_save (self->curation, urbarium_map_document_get_paths (self->document),
                               path, saved_cb, &saving);
  test_until (is_saved, &saving);
  g_assert_no_error (saving.error);
  g_assert_cmpstr (saving.path, ==, path);
  dataset = urb_dataset_open (path, &saving.error);
  g_assert_no_error (saving.error);
  info = urb_dataset_get_info (dataset);
  g_assert_cmpint (info->n_areas, ==, choice.n);
  g_assert_cmpint (info->n_split[URB_SPLIT_TRAIN], ==, choice.n_split[URB_SPLIT_TRAIN]);
  g_assert_cmpint (info->n_split[URB_SPLIT_TEST], ==, choice.n_split[URB_SPLIT_TEST]);
  g_assert_cmpint (info->resolution_px, ==, 64);
  g_assert_true (info->soft);
  g_free (saving.path);
  g_object_unref (job);
  g_unlink (path);
}

static void
test_save_fails (Fixture *self, gconstpointer data)
{
  Saving saving = { 0 };
  g_autoptr(UrbariumJob) job
    = urbarium_dataset_save (self->curation, urbarium_map_document_get_paths (self->document),
                             "/nowhere/at/all.gpkg", saved_cb, &saving);
  test_until (is_saved, &saving);
  g_assert_nonnull (saving.error);
  g_clear_error (&saving.error);
}

/* The next session has the same areas. */
static void
test_session (Fixture *self, gconstpointer data)
{
  UrbSquare square;
  g_autoptr(GVariant) state = NULL;
  g_autoptr(GVariant) wrong = g_variant_ref_sink (g_variant_new_string ("wrong"));
  g_autoptr(GArray) before = NULL;
  g_autoptr(GArray) after = NULL;
  set_apart (self);
  square = urbarium_curation_get_area (self->curation, 1)->square;
  urbarium_curation_toggle_at (self->curation, square.x, square.y);
  settle (self);
  g_object_set (self->curation, "threshold", 0.4, NULL);
  urbarium_curation_settle_threshold (self->curation);
  settle (self);
  urbarium_curation_toggle_at (self->curation, square.x, square.y);
  settle (self);
  before = ids_of_choice (self);
  state = urbarium_curation_dup_state (self->curation);
  urbarium_map_document_close (self->document);
  g_assert_null (urbarium_curation_get_ranked (self->curation));
  urbarium_curation_restore (self->curation, wrong);
  urbarium_curation_restore (self->curation, state);
  urbarium_map_document_open_sample (self->document);
  test_until (has_map, self->document);
  settle (self);
  after = ids_of_choice (self);
  assert_same_choice (before, after);
}

static void
open_map (Fixture *self, const char *path)
{
  urbarium_map_document_close (self->document);
  urbarium_map_document_open (self->document, (const char *const[]) { path, NULL });
  test_until (has_map, self->document);
  settle (self);
}

/* Decisions on a map are restored whenever it is opened, also in a later session, and for no other
 * map. */
static void
test_other_map (Fixture *self, gconstpointer data)
{
  g_autofree char *first = g_strdup (urbarium_map_document_get_paths (self->document)[0]);
  g_autofree char *second = g_strconcat (first, ".second.gpkg", NULL);
  g_autoptr(GFile) from = g_file_new_for_path (first);
  g_autoptr(GFile) to = g_file_new_for_path (second);
  g_autoptr(UrbariumDecisions) decided = NULL;
  g_autoptr(GVariant) state = NULL;
  UrbSquare square = urbarium_curation_get_area (self->curation, 1)->square;
  g_assert_true (g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
  urbarium_curation_toggle_at (self->curation, square.x, square.y);
  g_object_set (self->curation, "threshold", 0.35, NULL);
  urbarium_curation_settle_threshold (self->curation);
  settle (self);
  decided = urbarium_decisions_ref (urbarium_curation_get_decisions (self->curation));
  open_map (self, second);
  g_assert_true (urbarium_curation_is_automatic (self->curation));
  open_map (self, first);
  g_assert_true (
    urbarium_decisions_equal (decided, urbarium_curation_get_decisions (self->curation)));
  open_map (self, second);
  g_assert_true (urbarium_curation_is_automatic (self->curation));
  state = urbarium_curation_dup_state (self->curation);
  tear_down (self, NULL);
  set_up (self, NULL);
  g_assert_true (urbarium_curation_is_automatic (self->curation));
  urbarium_curation_restore (self->curation, state);
  open_map (self, second);
  g_assert_true (urbarium_curation_is_automatic (self->curation));
  urbarium_curation_restore (self->curation, state);
  open_map (self, first);
  g_assert_true (
    urbarium_decisions_equal (decided, urbarium_curation_get_decisions (self->curation)));
  g_unlink (second);
}

/* Of many maps, the oldest are dropped. */
static void
test_memory (void)
{
  UrbariumRecent *memory = urbarium_decisions_memory_new ();
  UrbariumRecent *other = urbarium_decisions_memory_new ();
  g_autoptr(UrbariumDecisions) blank = urbarium_decisions_new ();
  g_autoptr(GVariant) state = NULL;
  for (int i = 0; i < 50; i++)
    {
      g_autofree char *path = g_strdup_printf ("/maps/\xe9%d", i % 30); /* Latin-1 */
      UrbCurateOptions options = blank->options;
      g_autoptr(UrbariumDecisions) decisions = NULL;
      options.top = i;
      decisions = urbarium_decisions_with_options (blank, &options);
      urbarium_decisions_memory_keep (memory, (const char *[]) { path, "/b", NULL }, decisions);
    }
  state = urbarium_recent_to_variant (memory);
  urbarium_recent_read (other, state);
  for (int i = 0; i < 30; i++)
    {
      g_autofree char *path = g_strdup_printf ("/maps/\xe9%d", i);
      g_autoptr(UrbariumDecisions) found
        = urbarium_decisions_memory_find (other, (const char *[]) { path, "/b", NULL });
      g_assert_cmpint (found == NULL ? 0 : found->options.top, ==, i < 20 ? i + 30 : 0);
      g_assert_null (urbarium_decisions_memory_find (other, (const char *[]) { path, NULL }));
    }
  urbarium_recent_free (memory);
  urbarium_recent_free (other);
}

/* What is impossible is an error with a clear message, and can be undone. */
static void
test_too_large (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options = options_of (self);
  options.area_size_m = options.stride_m = 9000;
  urbarium_curation_set_options (self->curation, &options, "Size");
  test_until (is_settled, self->curation);
  g_assert_error (urbarium_curation_get_error (self->curation), URB_DATASET_ERROR,
                  URB_DATASET_ERROR_EMPTY);
  g_assert_null (urbarium_curation_get_ranked (self->curation));
  g_assert_cmpuint (urbarium_curation_get_choice (self->curation).n, ==, 0);
  urbarium_undo_undo (self->undo);
  settle (self);
}

static void
test_encoding (Fixture *self, gconstpointer data)
{
  UrbCurateOptions options = options_of (self);
  options.encoding = URB_ENCODING_GREY;
  urbarium_curation_set_options (self->curation, &options, "Encoding");
  g_assert_cmpfloat (options_of (self).min_variance, ==,
                     urb_curate_get_default_variance (URB_ENCODING_GREY));
  settle (self);
  assert_as_engine (self, options_of (self).min_variance);
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
#define ADD(name, func) g_test_add ("/app/curation/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("drag", test_drag);
  ADD ("undo", test_undo);
  ADD ("click", test_click);
  ADD ("click-again", test_click_again);
  ADD ("loop", test_loop);
  ADD ("late-answers", test_late);
  ADD ("another-search", test_another_search);
  ADD ("save", test_save);
  ADD ("save-fails", test_save_fails);
  ADD ("session", test_session);
  ADD ("other-map", test_other_map);
  ADD ("too-large", test_too_large);
  ADD ("encoding", test_encoding);
#undef ADD
  g_test_add_func ("/app/curation/memory", test_memory);
  return g_test_run ();
}
