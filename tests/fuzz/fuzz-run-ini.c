/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-run-ini.c - a run configuration edited by hand.
 */
#include <string.h>

#include "fuzz.h"
#include "run/store/run.h"

void
fuzz_add_seeds (GPtrArray *inputs)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autofree char *text = NULL;
  urb_run_config_init (&config);
  config.name = g_strdup ("a run");
  config.train.dataset = g_strdup ("/there/areas.gpkg");
  text = urb_run_config_to_text (&config);
  fuzz_add_input (inputs, text, strlen (text));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto(UrbRunConfig) config = { 0 };
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autofree char *again = NULL;
  urb_run_config_init (&config);
  if (urb_run_config_from_text (&config, text, &error))
    again = urb_run_config_to_text (&config);
  else
    g_assert_nonnull (error);
  return 0;
}
