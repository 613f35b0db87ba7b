/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-zero.c - how ranks divide parameters, gradients and moments, and what they exchange.  That they train
 * the same bits as ddp is in test-strategies.c.
 */
#include <string.h>

#include "model-fixture.h"
#include "parallel/units.h"
#include "parallel/zero.h"

enum { N_RANKS = 3, BATCH = 12 };

static void
set_up (Model *self, int rank, int n_microbatches)
{
  model_set_up (self, "tiny", (UrbGanOptions) {
    .batch = BATCH, .n_microbatches = n_microbatches, .rank = rank, .n_ranks = N_RANKS,
    .relativistic = TRUE, .penalty = TRUE });
}

/* Units follow each other, hold all parameters, are at least as large as wanted, and none cuts a tensor; each
 * element is on one rank. */
static void
test_units (void)
{
  static const gint64 sizes[] = { 0, 5000, 100000, G_MAXINT32 };
  g_auto(Model) model = { 0 };

  set_up (&model, 0, 1);
  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autoptr(GArray) units = urb_units_find (&model.program->d, sizes[s], N_RANKS);
      gint64 end = 0, padded = 0, local = 0;

      for (guint u = 0; u < units->len; u++)
        {
          const UrbUnit *unit = &g_array_index (units, UrbUnit, u);
          gint64 n = 0, first;

          g_assert_cmpint (unit->first, ==, end);
          g_assert_cmpint (unit->padded, ==, padded);
          g_assert_cmpint (unit->local, ==, local);
          for (int rank = 0; rank < N_RANKS; rank++)
            {
              gint64 count = urb_unit_count_of (unit, rank, &first);

              g_assert_cmpint (count, >=, 0);
              g_assert_true (count == 0 || first == n);
              n += count;
            }
          g_assert_cmpint (n, ==, unit->count);
          g_assert_true (unit->count >= sizes[s] || u + 1 == units->len);
          g_assert_cmpuint (urb_units_get_index (units, end), ==, u);
          end += unit->count;
          g_assert_cmpuint (urb_units_get_index (units, end - 1), ==, u);
          padded += N_RANKS * unit->part;
          local += unit->part;
        }
      g_assert_cmpint (end, ==, model.d->n_params);
      g_assert_cmpint (urb_units_count_padded (units, N_RANKS), ==, padded);
      g_assert_cmpint (urb_units_count_local (units), ==, local);
      g_assert_true (sizes[s] < G_MAXINT32 || units->len == 1);
      for (guint p = 0; p < model.d->params->len; p++)
        {
          const UrbParam *param = urb_net_get_param (model.d, (int) p);

          g_assert_cmpuint (urb_units_get_index (units, param->offset), ==,
                            urb_units_get_index (units, param->offset + param->count - 1));
        }
    }
}

/* Without squares, of which there are as many as units. */
static gint64
sum_parts (const UrbProgram *program, UrbCollectiveKind kind, const char *net)
{
  return model_sum_parts (program, kind, net, 64);
}

static char *
list_collectives (const UrbProgram *program)
{
  g_autoptr(GString) list = g_string_new (NULL);

  for (guint i = 0; i < program->instructions->len; i++)
    {
      const UrbInstruction *instruction = urb_program_get_instruction (program, i);

      if (instruction->kind == URB_DO_COLLECTIVE)
        g_string_append_printf (list, "%s %" G_GINT64_FORMAT "\n",
                                urb_collective_get_name (instruction->collective.kind),
                                instruction->collective.count);
      else if (instruction->kind == URB_DO_WAIT)
        g_string_append (list, "wait\n");
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

#define ABOUT(n, p) g_assert_cmpfloat_with_epsilon ((double) (n) * N_RANKS / (double) (p), 1, 0.01)

/* All ranks exchange the same in the same order, and as much as docs/strategies.md says. */
static void
test_volume (void)
{
  static const struct
  {
    int      level, n_microbatches;
    gboolean reshard;
    double   reduced, gathered_g, gathered_d_least, gathered_d_most; /* times the parameters */
  } rows[] = {
    { 1, 1, TRUE, 1, 1, 1, 1 }, { 1, 4, TRUE, 1, 1, 1, 1 }, { 2, 4, TRUE, 4, 1, 1, 1 },
    /* The generator forward and backward; the discriminator forward, backward and tangent, then again forward
     * and backward: but the layer at a turn stays. */
    { 3, 1, TRUE, 1, 2, 4, 5 }, { 3, 1, FALSE, 1, 1, 2, 2 }, { 3, 4, FALSE, 4, 1, 2, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *expected = NULL;
      gint64 n_held = 0;

      for (int rank = 0; rank < N_RANKS; rank++)
        {
          g_auto(Model) model = { 0 };
          g_autofree char *list = NULL;
          double d;

          set_up (&model, rank, rows[i].n_microbatches);
          urb_program_make_zero (model.program, &(UrbZeroOptions) {
            .level = rows[i].level, .prefetch = 1, .reshard = rows[i].reshard, .rank = rank,
            .mesh = &(UrbMesh) { 1, N_RANKS, 1 } });
          list = list_collectives (model.program);
          if (expected == NULL)
            expected = g_strdup (list);
          g_assert_cmpstr (list, ==, expected);
          ABOUT (sum_parts (model.program, URB_COLLECTIVE_REDUCE_SCATTER, "d"),
                 rows[i].reduced * (double) model.d->n_params);
          ABOUT (sum_parts (model.program, URB_COLLECTIVE_REDUCE_SCATTER, "g"),
                 rows[i].reduced * (double) model.g->n_params);
          g_assert_cmpfloat_with_epsilon ((double) sum_parts (model.program, URB_COLLECTIVE_ALL_GATHER, "g")
                                            * N_RANKS / (double) model.g->n_params,
                                          rows[i].gathered_g, rows[i].reshard ? 0.5 : 0.01);
          d = (double) sum_parts (model.program, URB_COLLECTIVE_ALL_GATHER, "d") * N_RANKS
              / (double) model.d->n_params;
          g_assert_cmpfloat (d, >=, rows[i].gathered_d_least - 0.01);
          g_assert_cmpfloat (d, <=, rows[i].gathered_d_most + 0.01);
          for (guint r = 0; r < model.program->d.moment_runs->len; r++)
            n_held += g_array_index (model.program->d.moment_runs, UrbRun, r).count;
          if (rank == N_RANKS - 1)
            g_assert_cmpint (n_held, ==, model.d->n_params);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/zero/units", test_units);
  g_test_add_func ("/zero/volume", test_volume);
  return g_test_run ();
}
