/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forecast.c - see forecast.h.
 */
#include "train/forecast.h"

#include <math.h>
#include <string.h>

#include "parallel/layout.h"
#include "parallel/mesh-comm.h"
#include "settings/strategy.h"
#include "train/device.h"
#include "train/simulate.h"

/* Of smaller shares nothing is said; a measurement of so much of the time is one of all. */
#define SMALL_SHARE 0.02

/* ------------------------------------------------------------------------ */
/* Machines                                                                  */

void
urb_machine_init (UrbMachine *self)
{
  *self = (UrbMachine) { .n_hosts = 1, .n_per_host = 1, .has_gpus = TRUE, .link = 100e9 / 8, .link_latency = 10e-6,
                         .inner = 100e9, .inner_latency = 5e-6 };
}

/* @at: where a value that is a count goes, or a real times @scale */
typedef struct
{
  const char *name;
  int        *count;
  double     *value;
  double      scale;
} Field;

static gboolean
read_field (const Field *field, const char *text)
{
  double value;
  char *end;

  value = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(value > 0) || !(value < 1e9))
    return FALSE;
  if (field->count != NULL)
    {
      *field->count = (int) value;
      return *field->count == value && value <= URB_MAX_RANKS;
    }
  *field->value = value * field->scale;
  return TRUE;
}

gboolean
urb_machine_parse (const char *text, UrbMachine *out, GError **error)
{
  int n_processes = 0;
  const Field fields[] = {
    { "hosts", &out->n_hosts, NULL, 1 },           { "gpus", &out->n_per_host, NULL, 1 },
    { "processes", &n_processes, NULL, 1 },
    { "tflops", NULL, &out->flops, 1e12 },        { "link", NULL, &out->link, 1e9 / 8 },
    { "latency", NULL, &out->link_latency, 1e-6 }, { "inner", NULL, &out->inner, 1e9 },
  };
  g_auto(GStrv) parts = g_strsplit (*text != '\0' ? text : "?", ",", -1);

  urb_machine_init (out);
  for (int i = 0; parts[i] != NULL; i++)
    {
      char *value = strchr (parts[i], '=');
      gboolean ok = FALSE;

      if (value != NULL)
        *value++ = '\0';
      for (gsize f = 0; value != NULL && f < G_N_ELEMENTS (fields); f++)
        if (strcmp (fields[f].name, g_strstrip (parts[i])) == 0)
          ok = read_field (&fields[f], value);
      if (!ok)
        return urb_options_fail (error, "“%s” does not describe a machine; write for example "
                                        "hosts=64,gpus=8,tflops=200,link=400,latency=5,inner=300.", text);
    }
  if (n_processes > 0)
    {
      out->n_per_host = n_processes;
      out->has_gpus = FALSE;
    }
  if ((gint64) out->n_hosts * out->n_per_host > URB_MAX_RANKS)
    return urb_options_fail (error, "%d hosts of %d are more than %d ranks.", out->n_hosts,
                             out->n_per_host, URB_MAX_RANKS);
  return TRUE;
}

char *
urb_machine_dup_text (const UrbMachine *self)
{
  g_autofree char *speed = self->flops > 0 ? g_strdup_printf ("%g TFLOP/s reached", self->flops * 1e-12)
                                           : g_strdup ("as fast as a rank of this machine");

  const char *device = self->has_gpus ? "device" : "process", *plural = self->has_gpus ? "s" : "es";

  return g_strdup_printf ("%d host%s with %d %s%s each; a %s %s; %g Gbit/s and %g µs between hosts, "
                          "%g GB/s and %g µs within one", self->n_hosts, self->n_hosts == 1 ? "" : "s",
                          self->n_per_host, device, self->n_per_host == 1 ? "" : plural, device, speed,
                          self->link * 8e-9, self->link_latency * 1e6, self->inner * 1e-9,
                          self->inner_latency * 1e6);
}

/* ------------------------------------------------------------------------ */
/* Exchanges                                                                 */

typedef struct
{
  UrbCosts         *costs;   /* borrowed */
  const UrbMachine *machine; /* (nullable) borrowed */
  UrbForecast      *out;     /* borrowed */
} Maker;

/* Rings within and between hosts, one after the other, as NCCL's; the hosts are reached in a tree. */
static UrbExchangeCost
get_assumed (const UrbMachine *self, const UrbCollective *what, int n_members, int n_hosts)
{
  int n_inner = n_hosts > 1 ? (n_members + n_hosts - 1) / n_hosts : n_members;
  double size = (double) urb_element_get_size (what->element), inner = 0, outer = 0, steps = 1;

  if (urb_collective_is_message (what->kind))
    inner = outer = (double) what->count;
  else
    for (int rank = 0; rank < 2; rank++)
      {
        inner = MAX (inner, urb_collective_count_sent (what, rank, n_inner));
        outer = MAX (outer, urb_collective_count_sent (what, rank, n_hosts));
      }
  if (!urb_collective_is_message (what->kind))
    steps = what->kind == URB_COLLECTIVE_ALL_REDUCE ? 2 * ceil (log2 (n_members)) : ceil (log2 (n_members));
  if (n_hosts > 1 && urb_collective_is_message (what->kind))
    inner = 0;
  /* What is gathered comes from all ranks of the other hosts. */
  if (what->kind == URB_COLLECTIVE_ALL_GATHER || what->kind == URB_COLLECTIVE_REDUCE_SCATTER)
    outer *= n_inner;
  return (UrbExchangeCost) {
    steps * (n_hosts > 1 ? self->link_latency : self->inner_latency),
    size * (inner / self->inner + (n_hosts > 1 ? outer / self->link : 0)),
  };
}

static UrbExchangeCost
get_exchange (gpointer data, const UrbCollective *what, int n_members, int n_hosts)
{
  Maker *self = data;
  UrbExchangeCost cost;
  gboolean measured;

  if (self->machine != NULL)
    return get_assumed (self->machine, what, n_members, n_hosts);
  cost = urb_costs_get_exchange (self->costs, what, n_members, &measured);
  self->out->guesses_exchanges = self->out->guesses_exchanges || !measured;
  return cost;
}

/* ------------------------------------------------------------------------ */

/* Seconds of the instructions of each distinct program.  If the ranks wait for each other, the slowest of
 * them counts. (element-type double*) */
static GPtrArray *
list_seconds (Maker *self, const UrbPreflight *preflight)
{
  GPtrArray *result = g_ptr_array_new_with_free_func (g_free);
  double estimated = 0;
  double factor = self->machine != NULL || urb_strategy_is_asynchronous (preflight->strategy)
                    ? 1 : urb_costs_get_imbalance (self->costs);

  for (guint p = 0; p < preflight->plans->len; p++)
    {
      const UrbPlan *plan = preflight->plans->pdata[p];
      const UrbProgram *program = plan->compiled->program;
      double *seconds = urb_costs_list (self->costs, program, &estimated);

      for (guint i = 0; i < program->instructions->len; i++)
        if (self->machine == NULL || self->machine->flops <= 0)
          seconds[i] *= factor;
        else if (seconds[i] > 0)
          seconds[i] = urb_instruction_estimate (urb_program_get_instruction (program, i)) / self->machine->flops;
      self->out->estimated = MAX (self->out->estimated, estimated);
      g_ptr_array_add (result, seconds);
    }
  return result;
}

gboolean
urb_forecast_make (const UrbPreflight *preflight, const UrbTrainOptions *options, UrbCosts *costs,
                   const UrbMachine *machine, UrbForecast *out, GError **error)
{
  Maker maker = { costs, machine, out };
  g_autoptr(GPtrArray) seconds = NULL;
  g_autofree UrbSimulationRank *ranks = g_new0 (UrbSimulationRank, preflight->n_ranks);
  gboolean on_host = urb_device_is_host (options->backend) && machine == NULL;
  gboolean on_processors = on_host || (machine != NULL && !machine->has_gpus);
  const UrbPlan *first = preflight->plans->pdata[0];
  UrbSimulation simulation = {
    .ranks = ranks,
    .n_ranks = preflight->n_ranks,
    .mesh = preflight->mesh,
    .n_lanes = on_processors ? URB_MESH_COMM_N_LANES : 1,
    .n_cores = on_host ? g_get_num_processors () : 0,
    .n_threads = urb_costs_get_n_threads (costs),
    .exchange_threads = on_host ? 1 : 0,
    .exchange = get_exchange,
    .data = &maker,
  };
  double n_images = (double) urb_train_options_count_images (&first->compiled->options);

  *out = (UrbForecast) { 0 };
  seconds = list_seconds (&maker, preflight);
  for (int r = 0; r < preflight->n_ranks; r++)
    {
      ranks[r].program = urb_preflight_get_plan (preflight, r)->compiled->program;
      ranks[r].seconds = seconds->pdata[g_array_index (preflight->plan_of, guint, r)];
      ranks[r].host = machine != NULL ? r / machine->n_per_host : 0;
    }
  if (!urb_simulate (&simulation, &out->simulated, error))
    return FALSE;
  if (urb_strategy_is_asynchronous (preflight->strategy))
    n_images *= preflight->n_ranks;
  out->step_s = out->simulated.step_s;
  out->images_per_second = out->step_s > 0 ? n_images / out->step_s : 0;
  out->bubble = urb_simulated_get_bubble (&out->simulated);
  out->exchange = urb_simulated_get_exchange (&out->simulated);
  out->overlap = urb_simulated_get_overlap (&out->simulated);
  return TRUE;
}

void
urb_forecast_clear (UrbForecast *self)
{
  urb_simulated_clear (&self->simulated);
}

gboolean
urb_forecast_is_measured (const UrbForecast *self)
{
  return self->estimated < SMALL_SHARE && !self->guesses_exchanges;
}

const char *
urb_forecast_get_bottleneck (const UrbForecast *self)
{
  double exposed = self->exchange * (1 - self->overlap);

  if (exposed > SMALL_SHARE && exposed >= self->bubble)
    return "the exchanges between the ranks, which computation does not hide";
  if (self->bubble > SMALL_SHARE)
    return "the time in which ranks wait for each other";
  return "computation: more or faster cores or devices would make it faster";
}
