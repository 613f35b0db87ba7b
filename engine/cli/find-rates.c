/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find-rates.c - see find-rates.h.
 */
#include "cli/find-rates.h"

#include <math.h>
#include <stdio.h>

#include "base/json-build.h"
#include "cli/cli.h"
#include "train/rate-finder.h"
#include "train/trainer.h"

enum { N_USUAL = 50, N_STEPS = 100 };

static const struct { const char *key, *name; } nets[URB_RATES_N_NETS] = {
  [URB_RATES_G] = { "g", "generator" },
  [URB_RATES_D] = { "d", "discriminator" },
};

/* Synchronous ranks follow one process with the same batch; asynchronous ones do not. */
static gboolean
make_single (const UrbRunConfig *config, UrbRunConfig *single, GError **error)
{
  UrbStrategy strategy = config->train.strategy;

  urb_run_config_copy (single, config);
  urb_run_config_set_strategy (single, URB_STRATEGY_SINGLE, 1);
  return !urb_strategy_is_asynchronous (strategy)
         || urb_options_fail (error, "Rates are tested in one process, and those of %s differ from its: leave out the "
                                     "strategy, or compare rates of whole runs, as in --several lr-g=0.001,0.0005.",
                              urb_strategy_names[strategy]);
}

static void
print_text (const UrbRateCurve *curves, const UrbTrainOptions *options)
{
  for (int net = 0; net < URB_RATES_N_NETS; net++)
    {
      const UrbRateCurve *curve = &curves[net];

      g_print ("%-13s  loss falls fastest at %.2g, is lowest at %.2g", nets[net].name, curve->steepest,
               curve->lowest);
      if (curve->is_open)
        g_print (", the end of the range");
      if (!isnan (curve->explodes))
        g_print (", explodes at %.2g", curve->explodes);
      g_print ("; --lr-%s is %g\n", nets[net].key, net == URB_RATES_G ? options->lr_g : options->lr_d);
    }
  g_print ("To try: --lr-g %g --lr-d %g, a tenth of the rates of the lowest losses, or where they fall fastest.\n",
           curves[URB_RATES_G].proposed, curves[URB_RATES_D].proposed);
  g_print ("That is each network against the other one as it is, on one batch. "
           "When both train together, use lower rates.\n");
}

static void
add_curve (JsonBuilder *json, const char *name, const UrbRateCurve *curve)
{
  urb_json_begin_object (json, name);
  urb_json_add_double (json, "steepest", curve->steepest);
  urb_json_add_double (json, "lowest", curve->is_open ? NAN : curve->lowest);
  urb_json_add_double (json, "explodes", curve->explodes);
  urb_json_add_double (json, "proposed", curve->proposed);
  urb_json_begin_array (json, "curve");
  for (guint i = 0; i < curve->points->len; i++)
    {
      const UrbRatePoint *point = &g_array_index (curve->points, UrbRatePoint, i);

      urb_json_begin_object (json, NULL);
      urb_json_add_double (json, "rate", point->rate);
      urb_json_add_double (json, "loss", point->loss);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_json_end_object (json);
}

static void
print_json (const UrbRateCurve *curves)
{
  JsonBuilder *json = urb_json_new ();

  for (int net = 0; net < URB_RATES_N_NETS; net++)
    add_curve (json, nets[net].name, &curves[net]);
  urb_cli_print_json (json);
}

static gboolean
check_found (const UrbRateCurve *curves, GError **error)
{
  for (int net = 0; net < URB_RATES_N_NETS; net++)
    if (isnan (curves[net].steepest))
      {
        g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED,
                     "The loss of the %s falls at no rate: look at its networks and settings, as with --overfit.",
                     nets[net].name);
        return FALSE;
      }
  return TRUE;
}

int
urb_cli_find_rates (const UrbRunConfig *config, const UrbCliSession *session)
{
  g_auto(UrbRunConfig) single = { 0 };
  g_auto(UrbRateCurve) g = { 0 }, d = { 0 };
  UrbRateCurve curves[URB_RATES_N_NETS];
  g_autoptr(GError) error = NULL;
  gboolean found;

  if (!make_single (config, &single, &error))
    return urb_cli_fail (error);
  urb_rate_curve_init (&g);
  urb_rate_curve_init (&d);
  curves[URB_RATES_G] = g;
  curves[URB_RATES_D] = d;
  if (!session->quiet && !session->json)
    fprintf (stderr, "For each network, %d steps as usual and up to %d with a rising rate …\n", N_USUAL, N_STEPS);
  found = urb_rates_find (&single.train, N_USUAL, N_STEPS, urb_cli_get_cancellable (), curves, &error)
          && check_found (curves, &error);
  if (found && session->json)
    print_json (curves);
  else if (found)
    print_text (curves, &single.train);
  return found ? URB_EXIT_OK : urb_cli_fail (error);
}
