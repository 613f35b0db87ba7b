/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-hosts.c - see devices-hosts.h.  What a host says is untrusted: it is shown as text.
 */
#include "cli/devices-hosts.h"

#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/json-build.h"
#include "base/show-text.h"
#include "base/small-file.h"
#include "cli/host-test.h"
#include "dataset/dataset.h"
#include "run/store/json-line.h"

static GPtrArray *
read_hosts (const char *file, GError **error)
{
  gboolean is_input = strcmp (file, "-") == 0;
  g_autofree char *text = is_input ? urb_small_file_read_input (error) : urb_small_file_read (file, NULL, error);
  GPtrArray *hosts = text != NULL ? urb_hosts_parse (text, error) : NULL;

  if (hosts == NULL)
    g_prefix_error (error, "--hosts %s: ", file);
  return hosts;
}

/* ------------------------------------------------------------------------ */
/* For programs                                                              */

static void
add_answer (JsonBuilder *json, const UrbHostAnswer *answer, JsonObject *own)
{
  const UrbHostProblemInfo *problem = &urb_host_problems[answer->problem];
  const char *dataset = urb_host_answer_get_dataset (answer, own);

  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "host", answer->host->name);
  if (answer->host->n_slots > 0)
    urb_json_add_int (json, "slots", answer->host->n_slots);
  urb_json_add_bool (json, "ready", answer->problem == URB_HOST_READY);
  if (answer->problem != URB_HOST_READY)
    {
      urb_json_add_string (json, "problem", problem->name);
      urb_json_add_string (json, "text", problem->text);
    }
  if (answer->details != NULL)
    urb_json_add_string (json, "details", answer->details);
  if (dataset != NULL)
    urb_json_add_string (json, "dataset", dataset);
  if (answer->devices != NULL)
    {
      g_autoptr(JsonNode) node = json_node_init_object (json_node_alloc (), answer->devices);
      g_autofree char *text = json_to_string (node, FALSE);
      urb_json_add_raw (json, "devices", text);
    }
  urb_json_end_object (json);
}

static void
print_json (const GPtrArray *answers, JsonObject *own)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_begin_array (json, "hosts");
  for (guint i = 0; i < answers->len; i++)
    add_answer (json, answers->pdata[i], own);
  urb_json_end_array (json);
  urb_cli_print_json (json);
}

/* ------------------------------------------------------------------------ */
/* For people                                                                */

static void
print_line (const char *format, ...) G_GNUC_PRINTF (1, 2);

static void
print_line (const char *format, ...)
{
  va_list args;
  g_autofree char *text = NULL, *shown = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  shown = urb_show_text (text);
  printf ("            %s\n", shown);
}

static void
print_gpu (JsonArray *gpus, guint i, JsonNode *node, gpointer user_data)
{
  JsonObject *gpu = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *reason = urb_json_get_string (gpu, "reason", NULL);

  print_line ("%s, %.1f GiB%s%s", urb_json_get_string (gpu, "name", "GPU"),
              (double) urb_json_get_int (gpu, "memory_bytes", 0) / 1073741824.0,
              reason != NULL ? ": cannot be used: " : "", reason != NULL ? reason : "");
}

static void
print_devices (JsonObject *devices)
{
  JsonObject *cpu = urb_json_get_object (devices, "cpu");
  JsonArray *gpus = urb_json_get_array (devices, "gpus");
  gint64 n_cores = urb_json_get_int (cpu, "cores", 0);

  print_line ("%" G_GINT64_FORMAT " %s, %s", n_cores, n_cores == 1 ? "core" : "cores",
              urb_json_get_string (cpu, "model", "unknown processor"));
  print_line ("%.1f GiB, %.1f GiB of it available",
              (double) urb_json_get_int (devices, "memory_bytes", 0) / 1073741824.0,
              (double) urb_json_get_int (devices, "memory_available_bytes", 0) / 1073741824.0);
  if (gpus != NULL && json_array_get_length (gpus) > 0)
    json_array_foreach_element (gpus, print_gpu, NULL);
  else
    print_line ("no GPU");
}

static void
print_answer (const UrbHostAnswer *answer, JsonObject *own)
{
  const char *dataset = urb_host_answer_get_dataset (answer, own);

  printf ("%-11s ", answer->host->name);
  if (answer->host->n_slots > 0)
    printf ("%d %s, ", answer->host->n_slots, answer->host->n_slots == 1 ? "slot" : "slots");
  printf ("%s\n", answer->is_here ? "this machine" : answer->problem == URB_HOST_READY ? "ready" : "cannot take part");
  if (answer->problem != URB_HOST_READY)
    print_line ("%s", urb_host_problems[answer->problem].text);
  if (answer->details != NULL)
    print_line ("(%s)", answer->details);
  if (answer->devices != NULL)
    print_devices (answer->devices);
  if (g_strcmp0 (dataset, "same") == 0)
    print_line ("the same dataset");
  else if (g_strcmp0 (dataset, "missing") == 0)
    print_line ("no dataset of that path: copy it there, or train with --send-dataset");
}

/* ------------------------------------------------------------------------ */

static guint
count_problems (const GPtrArray *answers)
{
  guint n = 0;

  for (guint i = 0; i < answers->len; i++)
    n += ((const UrbHostAnswer *) answers->pdata[i])->problem != URB_HOST_READY;
  return n;
}

static int
report (const GPtrArray *answers, JsonObject *own)
{
  guint n_problems = count_problems (answers);
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < answers->len; i++)
    print_answer (answers->pdata[i], own);
  if (n_problems == 0)
    return URB_EXIT_OK;
  fflush (stdout);
  g_set_error (&error, G_IO_ERROR, G_IO_ERROR_FAILED, "%u of %u hosts cannot take part", n_problems, answers->len);
  return urb_cli_fail (error);
}

/* Without a dataset here, every dataset there would be another one.
 * @file: (nullable) */
static gboolean
check_dataset (const char *file, GError **error)
{
  g_autoptr(UrbDataset) dataset = file != NULL ? urb_dataset_open_unverified (file, error) : NULL;

  return file == NULL || dataset != NULL;
}

int
urb_cli_devices_hosts (const UrbDevicesHosts *self, JsonBuilder *own)
{
  g_autofree char *text = urb_json_end (own);
  g_autoptr(JsonObject) here = urb_json_parse_line (text, strlen (text), NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) hosts = read_hosts (self->file, &error), answers = NULL;

  if (hosts == NULL || !check_dataset (self->dataset, &error))
    return urb_cli_fail (error);
  answers = urb_host_test (hosts, here, self->dataset, self->patience_s);
  if (!self->json)
    return report (answers, here);
  print_json (answers, here);
  return URB_EXIT_OK;
}
