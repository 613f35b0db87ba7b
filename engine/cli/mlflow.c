/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow.c - `urbarium-engine mlflow`: sends a run to an MLflow server.
 */
#include "cli/cli.h"
#include "report/mlflow.h"
#include "run/store/folder.h"

int
urb_cli_mlflow (int argc, char **argv)
{
  g_autofree char *server = NULL, *experiment = NULL;
  gint64 every = 1;
  const GOptionEntry entries[] = {
    { "server", 0, 0, G_OPTION_ARG_STRING, &server, "The server ($MLFLOW_TRACKING_URI)", "ADDRESS" },
    { "experiment", 0, 0, G_OPTION_ARG_STRING, &experiment,
      "The experiment of the run ($MLFLOW_EXPERIMENT_NAME, or urbarium)", "NAME" },
    { "every", 0, 0, G_OPTION_ARG_INT64, &every, "Send the metrics of every N-th step (1)", "N" },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = urb_cli_options_new (
    "RUN", "Sends settings, metrics, scores and sample grids of a run to an MLflow server, and what is new of them each "
           "time it is called again.", entries);
  g_auto(UrbMlflowSummary) summary = { 0 };
  g_autoptr(GError) error = NULL;
  UrbMlflowOptions options;

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  options = (UrbMlflowOptions) {
    .run = argv[1], .every = every,
    .server = server != NULL ? server : g_getenv ("MLFLOW_TRACKING_URI"),
    .experiment = experiment != NULL ? experiment : g_getenv ("MLFLOW_EXPERIMENT_NAME"),
  };
  if (argc != 2)
    return urb_cli_fail_usage ("specify the folder of a run");
  if (options.server == NULL || (!g_str_has_prefix (options.server, "http://") && !g_str_has_prefix (options.server, "https://")))
    return urb_cli_fail_usage ("specify the MLflow server by its address, as in --server http://localhost:5000");
  if (every < 1)
    return urb_cli_fail_usage ("--every must be at least 1");
  if (options.experiment == NULL)
    options.experiment = "urbarium";
  if (!urb_run_folder_check_is_run (options.run, &error)
      || !urb_mlflow_send (&options, urb_mlflow_http_call, (gpointer) options.server, &summary, &error))
    return urb_cli_fail (error);
  g_print ("Run %s: %" G_GINT64_FORMAT " metrics and %" G_GINT64_FORMAT " sample grids were sent.\n", summary.run_id,
           summary.n_metrics, summary.n_images);
  return URB_EXIT_OK;
}
