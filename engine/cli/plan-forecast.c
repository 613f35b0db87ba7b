/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-forecast.c - see plan-forecast.h.
 */
#include "cli/plan-forecast.h"

#include "base/json-build.h"
#include "cli/cli.h"

enum { MOST_ROWS = 16, MANY_CORES = 1 << 20 };

static double
to_mib (gint64 n_bytes)
{
  return (double) n_bytes / (1 << 20);
}

static gint64
get_rank_bytes (const UrbPreflight *preflight, guint rank)
{
  return g_array_index (preflight->rank_bytes, gint64, rank);
}

/* ------------------------------------------------------------------------ */
/* One configuration                                                         */

static void
print_ranks (const UrbForecast *self, const UrbPreflight *preflight)
{
  guint n = MIN (preflight->plans->len, MOST_ROWS), n_shown = 0;

  g_print ("  %-6s %12s %10s %10s %8s%s\n", "rank", "memory", "computes", "exchanges", "waits",
           preflight->mesh.pipe > 1 ? "   layers" : "");
  for (guint r = 0; n_shown < n; r++)
    {
      const UrbSimulatedRank *rank = &self->simulated.ranks[r];
      g_autofree char *layers = NULL;

      if (g_array_index (preflight->plan_of, guint, r) < n_shown)
        continue;
      n_shown++;
      if (preflight->mesh.pipe > 1)
        layers = urb_plan_dup_layers (urb_preflight_get_plan (preflight, (int) r));
      g_print ("  %-6u %8.1f MiB %8.1f %% %8.1f %% %6.1f %%%s%s\n", r, to_mib (get_rank_bytes (preflight, r)),
               100 * rank->compute_s / self->step_s, 100 * rank->exchange_s / self->step_s,
               100 * rank->idle_s / self->step_s, layers != NULL ? "   " : "", layers != NULL ? layers : "");
    }
  if ((guint) preflight->n_ranks > n)
    g_print ("  %s\n", n == preflight->plans->len ? "the other ranks are as the one before them" : "…");
}

void
urb_cli_forecast_print (const UrbForecast *self, const UrbPreflight *preflight)
{
  g_print ("Forecast, %s\n", urb_forecast_is_measured (self)
                               ? "from operations measured on this machine"
                               : "estimated; --calibrate measures the operations on this machine");
  g_print ("  %-38s %10.1f images/s\n", "speed", self->images_per_second);
  g_print ("  %-38s %10.1f ms\n", "a step", self->step_s * 1e3);
  if (preflight->n_ranks > 1)
    {
      g_print ("  %-38s %10.1f %%\n", "ranks wait for each other (bubble)", 100 * self->bubble);
      g_print ("  %-38s %10.1f %%\n", "exchanges between ranks run", 100 * self->exchange);
      g_print ("  %-38s %10.1f %%\n", "  of which computation hides", 100 * self->overlap);
      print_ranks (self, preflight);
    }
  g_print ("  limited by %s\n\n", urb_forecast_get_bottleneck (self));
}

static void
build_speed (JsonBuilder *json, const UrbForecast *self)
{
  urb_json_add_double (json, "images_per_second", self->images_per_second);
  urb_json_add_double (json, "seconds", self->step_s);
  urb_json_add_double (json, "bubble", self->bubble);
  urb_json_add_double (json, "exchange", self->exchange);
  urb_json_add_double (json, "overlap", self->overlap);
}

void
urb_cli_forecast_build_json (JsonBuilder *json, const UrbForecast *self, const UrbPreflight *preflight)
{
  urb_json_begin_object (json, "forecast");
  build_speed (json, self);
  urb_json_add_double (json, "estimated", self->estimated);
  urb_json_add_bool (json, "measured", urb_forecast_is_measured (self));
  urb_json_add_string (json, "bottleneck", urb_forecast_get_bottleneck (self));
  urb_json_begin_array (json, "ranks");
  for (guint r = 0, n = 0; r < (guint) preflight->n_ranks; r++)
    {
      const UrbSimulatedRank *rank = &self->simulated.ranks[r];

      if (g_array_index (preflight->plan_of, guint, r) < n)
        continue;
      n++;
      urb_json_begin_object (json, NULL);
      urb_json_add_int (json, "bytes", get_rank_bytes (preflight, r));
      urb_json_add_double (json, "compute", rank->compute_s / self->step_s);
      urb_json_add_double (json, "exchange", rank->exchange_s / self->step_s);
      urb_json_add_double (json, "idle", rank->idle_s / self->step_s);
      urb_json_add_double (json, "sent_bytes", rank->sent_bytes);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_json_end_object (json);
}

/* ------------------------------------------------------------------------ */
/* The strategy to use                                                       */

static gint64
find_most (const UrbPreflight *preflight)
{
  gint64 most = 0;

  for (guint r = 0; r < preflight->rank_bytes->len; r++)
    most = MAX (most, get_rank_bytes (preflight, r));
  return most;
}

static void
print_candidate (const UrbCandidate *self, gboolean is_best)
{
  double memory = to_mib (find_most (&self->preflight));

  if (!self->has_forecast)
    g_print ("%c %-40s %12s %9.1f MiB  does not fit\n", ' ', self->text, "", memory);
  else
    g_print ("%c %-40s %12.1f %9.1f MiB %8.1f %% %8.1f %% %8.1f %%%s%s\n", is_best ? '*' : ' ', self->text,
             self->forecast.images_per_second, memory, 100 * self->forecast.bubble,
             100 * self->forecast.exchange, 100 * self->forecast.overlap,
             urb_strategy_is_asynchronous (self->options.strategy) ? "  other result" : "",
             urb_forecast_is_measured (&self->forecast) ? "" : "  estimated");
}

static void
print_recommendation (const UrbRecommendation *self)
{
  g_print ("  %-40s %12s %13s %10s %10s %10s\n", "strategy", "images/s", "most per rank", "waits",
           "exchanges", "hidden");
  for (guint i = 0; i < self->candidates->len; i++)
    print_candidate (self->candidates->pdata[i], (int) i == self->best);
  g_print ("\n%s\n", self->sentence);
}

static void
print_recommendation_json (const UrbRecommendation *self)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_add_string (json, "sentence", self->sentence);
  if (self->best >= 0)
    urb_json_add_string (json, "best", ((UrbCandidate *) self->candidates->pdata[self->best])->text);
  urb_json_begin_array (json, "candidates");
  for (guint i = 0; i < self->candidates->len; i++)
    {
      const UrbCandidate *candidate = self->candidates->pdata[i];

      urb_json_begin_object (json, NULL);
      urb_json_add_string (json, "text", candidate->text);
      urb_json_add_string (json, "strategy", urb_strategy_names[candidate->options.strategy]);
      if (candidate->options.strategy == URB_STRATEGY_MESH)
        urb_json_add_string (json, "mesh", candidate->options.mesh);
      urb_json_add_int (json, "ranks", candidate->options.n_ranks);
      urb_json_add_int (json, "accumulate", candidate->options.accumulate);
      urb_json_add_bool (json, "fits", candidate->preflight.fit != URB_FIT_NO);
      urb_json_add_bool (json, "recommended", (int) i == self->best);
      urb_json_add_int (json, "bytes_most", find_most (&candidate->preflight));
      if (candidate->has_forecast)
        urb_cli_forecast_build_json (json, &candidate->forecast, &candidate->preflight);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

static void
report_progress (gpointer data, const char *what)
{
  g_printerr ("%s: forecasting %s\n", g_get_prgname (), what);
}

int
urb_cli_plan_recommend (const UrbTrainOptions *options, const UrbKeeping *keeping,
                        const UrbLimits *limits, UrbCalibrate calibrate, gboolean json)
{
  g_auto(UrbRecommendation) recommendation = { 0 };
  g_autoptr(GError) error = NULL;

  if (!urb_recommend (options, keeping, limits, calibrate, json ? NULL : report_progress, NULL,
                      urb_cli_get_cancellable (), &recommendation, &error))
    return urb_cli_fail (error);
  if (json)
    print_recommendation_json (&recommendation);
  else
    print_recommendation (&recommendation);
  return recommendation.best < 0 && !json ? URB_EXIT_DOES_NOT_FIT : URB_EXIT_OK;
}

/* ------------------------------------------------------------------------ */
/* Other machines                                                            */

typedef struct
{
  int          n_ranks;
  gint64       batch, bytes;
  UrbForecast  forecast; /* owned */
} Scaled;

static void
clear_scaled (gpointer data)
{
  urb_forecast_clear (&((Scaled *) data)->forecast);
}

/* @factor times the ranks of @options; of a mesh, along data. */
static void
multiply_ranks (UrbTrainOptions *options, int factor)
{
  UrbMesh mesh = urb_train_options_get_mesh (options);

  options->n_ranks *= factor;
  if (urb_strategy_shares_batch (options->strategy))
    options->batch *= factor;
  if (options->strategy == URB_STRATEGY_MESH)
    {
      mesh.data *= factor;
      g_free (options->mesh);
      options->mesh = urb_mesh_dup_text (&mesh);
    }
  else if (options->n_ranks == 1)
    options->strategy = URB_STRATEGY_SINGLE;
}

/* FALSE: these ranks cannot share the model or the batch. */
static gboolean
scale (const UrbTrainOptions *options, UrbCosts *costs, const UrbMachine *machine, int factor,
       Scaled *out, GError **error)
{
  g_auto(UrbTrainOptions) scaled = { 0 };
  g_auto(UrbPreflight) preflight = { 0 };
  UrbKeeping keeping = { .several_hosts = TRUE };
  UrbLimits limits;

  for (int i = 0; i < URB_N_RESOURCES; i++)
    limits.available[i] = i == URB_RESOURCE_CORES ? MANY_CORES : G_MAXINT64;
  urb_train_options_copy (&scaled, options);
  multiply_ranks (&scaled, factor);
  *out = (Scaled) { .n_ranks = scaled.n_ranks, .batch = scaled.batch };
  if (!urb_preflight_make (&scaled, &keeping, &limits, &preflight, error)
      || !urb_forecast_make (&preflight, &scaled, costs, machine, &out->forecast, error))
    return FALSE;
  out->bytes = find_most (&preflight);
  return TRUE;
}

static void
print_curve (const GArray *curve, const UrbTrainOptions *options, const UrbMachine *machine)
{
  g_autofree char *assumed = urb_machine_dup_text (machine);
  const Scaled *one = &g_array_index (curve, Scaled, 0);
  double speed = one->forecast.images_per_second / one->n_ranks;

  g_print ("Simulated, not verified.  Assumed: %s; transfers that reach these rates; no stragglers.\n"
           "%s.  %s.\n\n", assumed,
           options->strategy == URB_STRATEGY_MESH ? "The mesh and the batch grow along data"
           : urb_strategy_shares_batch (options->strategy) ? "The batch grows with the ranks"
                                                           : "The batch stays the same",
           machine->flops > 0 ? "Each operation takes its number of floating-point operations"
           : one->forecast.estimated < 0.02
             ? "The times of operations were measured here"
             : "The times of operations are estimated: run plan --calibrate first");
  g_print ("%8s %8s %12s %12s %12s %10s %10s %10s\n", "ranks", "batch", "images/s", "efficiency",
           "memory", "waits", "exchanges", "hidden");
  for (guint i = 0; i < curve->len; i++)
    {
      const Scaled *row = &g_array_index (curve, Scaled, i);

      g_print ("%8d %8" G_GINT64_FORMAT " %12.1f %10.1f %% %8.1f MiB %8.1f %% %8.1f %% %8.1f %%\n",
               row->n_ranks, row->batch, row->forecast.images_per_second,
               100 * row->forecast.images_per_second / (speed * row->n_ranks), to_mib (row->bytes),
               100 * row->forecast.bubble, 100 * row->forecast.exchange, 100 * row->forecast.overlap);
    }
}

static void
print_curve_json (const GArray *curve, const UrbTrainOptions *options, const UrbMachine *machine)
{
  g_autofree char *assumed = urb_machine_dup_text (machine);
  JsonBuilder *json = urb_json_new ();

  urb_json_add_string (json, "verified", "not verified");
  urb_json_add_string (json, "assumed", assumed);
  urb_json_add_string (json, "strategy", urb_strategy_names[options->strategy]);
  if (options->strategy == URB_STRATEGY_MESH)
    urb_json_add_string (json, "mesh", options->mesh);
  urb_json_begin_array (json, "curve");
  for (guint i = 0; i < curve->len; i++)
    {
      const Scaled *row = &g_array_index (curve, Scaled, i);

      urb_json_begin_object (json, NULL);
      urb_json_add_int (json, "ranks", row->n_ranks);
      urb_json_add_int (json, "batch", row->batch);
      urb_json_add_int (json, "bytes_most", row->bytes);
      build_speed (json, &row->forecast);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

int
urb_cli_plan_simulate (const UrbTrainOptions *options, const char *text, gboolean json)
{
  g_auto(UrbTrainOptions) used = { 0 };
  g_autoptr(GArray) curve = g_array_new (FALSE, FALSE, sizeof (Scaled));
  g_autoptr(UrbCosts) costs = NULL;
  g_autoptr(GError) error = NULL;
  UrbMachine machine;
  int most;

  g_array_set_clear_func (curve, clear_scaled);
  if (!urb_machine_parse (text, &machine, &error) || !urb_plan_resolve (options, &used, &error))
    return urb_cli_fail (error);
  if (urb_strategy_is_asynchronous (used.strategy))
    return urb_cli_fail_usage ("--simulate is for synchronous strategies");
  if (used.strategy == URB_STRATEGY_SINGLE)
    used.strategy = URB_STRATEGY_DDP;
  if (used.strategy != URB_STRATEGY_MESH)
    used.n_ranks = 1;
  most = machine.n_hosts * machine.n_per_host / used.n_ranks;
  if (most == 0)
    return urb_cli_fail_usage ("the mesh %s has %d ranks, and these machines have %d", used.mesh, used.n_ranks,
                               machine.n_hosts * machine.n_per_host);
  costs = urb_costs_new (&used, 1);
  for (int factor = 1;; factor = MIN (2 * factor, most))
    {
      Scaled row;

      if (!scale (&used, costs, &machine, factor, &row, &error))
        break;
      g_array_append_val (curve, row);
      if (factor == most)
        break;
    }
  if (curve->len == 0)
    return urb_cli_fail (error);
  if (json)
    print_curve_json (curve, &used, &machine);
  else
    print_curve (curve, &used, &machine);
  if (error != NULL && !json)
    g_print ("More ranks are not possible: %s\n", error->message);
  return URB_EXIT_OK;
}
