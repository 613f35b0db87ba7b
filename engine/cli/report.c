/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - urbarium-engine report: a run as one HTML page.
 */
#include <locale.h>
#include <string.h>

#include "base/program-data.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "report/report.h"
#include "run/store/folder.h"

static const double NO_PRICE = -G_MAXDOUBLE; /* --price-kwh was not given */

static gboolean
check_price (const UrbEnergyPrice *price, GError **error)
{
  if (price->per_kwh != NO_PRICE)
    return urb_energy_price_check (price, error);
  if (price->currency == NULL)
    return TRUE;
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "--currency needs --price-kwh");
  return FALSE;
}

/* What is printed is English all the same: only the page is written by translated functions. */
static void
translate (void)
{
  if (setlocale (LC_MESSAGES, "") == NULL)
    g_printerr ("%s: The locale that LANG or LC_ALL names is not installed, so the page is in English.\n", g_get_prgname ());
  urb_program_data_bind_translations ();
}

int
urb_cli_report (int argc, char **argv)
{
  g_auto(UrbCliOutput) output = { 0 };
  UrbEnergyPrice price = { .per_kwh = NO_PRICE };
  gboolean has_energy, translated = FALSE;
  g_autofree char *currency = NULL;
  const GOptionEntry entries[] = {
    { "price-kwh", 0, 0, G_OPTION_ARG_DOUBLE, &price.per_kwh, "What a kilowatt-hour costs: tells the cost of the run", "PRICE" },
    { "currency", 0, 0, G_OPTION_ARG_STRING, &currency, "Of that price, as CHF", "NAME" },
    { "translated", 0, 0, G_OPTION_ARG_NONE, &translated, "Write it in the language of your session, as the window does", NULL },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "RUN", "Writes a run as one HTML page with its cities, curves, settings and map.  It needs no other file and no\n"
           "network, and can be printed.", entries);
  g_autofree char *html = NULL, *folder = NULL, *name = NULL;
  g_autoptr(GError) error = NULL;

  urb_cli_output_add_options (&output, context, "The page (RUN-report.html in this folder)", "FILE.html");
  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc != 2)
    return urb_cli_fail_usage ("specify the folder of a run");
  price.currency = currency;
  if (!check_price (&price, &error))
    return urb_cli_fail_usage ("%s", error->message);
  folder = g_canonicalize_filename (argv[1], NULL);
  name = g_path_get_basename (folder);
  if (output.path == NULL)
    output.path = g_strconcat (name, "-report.html", NULL);
  if (!urb_run_folder_check_is_run (folder, &error) || !urb_cli_output_check (&output, &error))
    return urb_cli_fail (error);
  if (translated)
    translate ();
  html = urb_report_new (folder, price.per_kwh != NO_PRICE ? &price : NULL, &has_energy, &error);
  if (html == NULL || !urb_cli_output_write (&output, html, strlen (html), &error))
    return urb_cli_fail (error);
  if (price.per_kwh != NO_PRICE && !has_energy)
    g_printerr ("%s: The energy of this run was not recorded, so its cost is not known.\n", g_get_prgname ());
  return URB_EXIT_OK;
}
