/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices.c - urbarium-engine devices: what this machine can compute with.
 */
#include <stdio.h>
#include <sys/sysinfo.h>

#include "base/json-build.h"
#include "base/sandbox.h"
#include "cli/cli.h"
#include "cli/devices-hosts.h"
#include "cli/gpus.h"
#include "dataset/dataset.h"
#include "kernels/uk.h"
#include "settings/strategy.h"
#include "train/memory.h"

enum
{
  USUAL_PATIENCE_S = 20, /* a first login, and loading CUDA */
  MOST_PATIENCE_S = 600
};

typedef struct
{
  UkCpuInfo cpu;
  gint64    memory_bytes, free_bytes;
  gboolean  measured;
  double    flops_one, flops_all, copy_one, copy_all; /* per second */
} Machine;

static Machine
look_at_machine (gboolean measure)
{
  Machine machine = { .measured = measure };
  struct sysinfo info;

  uk_cpu_info (&machine.cpu);
  if (sysinfo (&info) == 0)
    {
      machine.memory_bytes = (gint64) info.totalram * info.mem_unit;
      machine.free_bytes = MIN (urb_memory_get_available (), machine.memory_bytes);
    }
  if (measure)
    {
      machine.flops_one = uk_cpu_peak_flops (1);
      machine.flops_all = uk_cpu_peak_flops (machine.cpu.n_cores);
      machine.copy_one = uk_cpu_peak_copy (1);
      machine.copy_all = uk_cpu_peak_copy (machine.cpu.n_cores);
    }
  return machine;
}

static void
add_cpu (JsonBuilder *json, const Machine *machine)
{
  urb_json_begin_object (json, "cpu");
  urb_json_add_string (json, "model", machine->cpu.model);
  urb_json_add_string (json, "isa", machine->cpu.isa);
  urb_json_add_int (json, "cores", machine->cpu.n_cores);
  urb_json_add_bool (json, "bf16", machine->cpu.has_bf16);
  urb_json_add_string (json, "library", machine->cpu.library);
  if (machine->measured)
    {
      urb_json_add_double (json, "flops_one_thread", machine->flops_one);
      urb_json_add_double (json, "flops_all_threads", machine->flops_all);
      urb_json_add_double (json, "copy_bytes_per_s_one_thread", machine->copy_one);
      urb_json_add_double (json, "copy_bytes_per_s_all_threads", machine->copy_all);
    }
  urb_json_end_object (json);
}

/* What a process that reads a map is kept from. */
static void
add_sandbox (JsonBuilder *json)
{
  UrbSandboxLayers layers = urb_sandbox_probe ();

  urb_json_begin_object (json, "sandbox");
  urb_json_add_bool (json, "files", (layers & URB_SANDBOX_FILES) != 0);
  urb_json_add_bool (json, "calls", (layers & URB_SANDBOX_CALLS) != 0);
  urb_json_add_bool (json, "network", (layers & URB_SANDBOX_NETWORK) != 0);
  urb_json_end_object (json);
}

static void
print_sandbox (void)
{
  UrbSandboxLayers layers = urb_sandbox_probe ();
  g_autofree char *held = urb_sandbox_describe (layers);
  g_autofree char *missing = urb_sandbox_describe (URB_SANDBOX_ALL & ~layers);

  printf ("Sandbox     maps are read behind: %s%s%s\n", held,
          layers != URB_SANDBOX_ALL ? "; missing here: " : "",
          layers != URB_SANDBOX_ALL ? missing : "");
}

/* Whether this machine has the dataset, and which it is. */
static void
add_dataset (JsonBuilder *json, const char *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = NULL;

  if (file == NULL)
    return;
  dataset = urb_dataset_open_unverified (file, &error);
  urb_json_begin_object (json, "dataset");
  urb_json_add_string (json, "file", file);
  urb_json_add_bool (json, "exists", g_file_test (file, G_FILE_TEST_EXISTS));
  if (dataset != NULL)
    {
      urb_json_add_string (json, "id", urb_dataset_get_info (dataset)->id);
      urb_json_add_int (json, "areas", urb_dataset_get_info (dataset)->n_areas);
    }
  else
    urb_json_add_string (json, "reason", error->message);
  urb_json_end_object (json);
}

static JsonBuilder *
build_json (const Machine *machine, UrbCliGpus *gpus, const char *dataset)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_add_string (json, "version", URBARIUM_VERSION);
  urb_json_add_string (json, "host", g_get_host_name ());
  add_cpu (json, machine);
  urb_json_add_int (json, "memory_bytes", machine->memory_bytes);
  urb_json_add_int (json, "memory_available_bytes", machine->free_bytes);
  urb_json_add_bool (json, "geo", URBARIUM_HAVE_GEO);
  add_sandbox (json);
  urb_cli_gpus_add_json (gpus, json);
  urb_json_begin_array (json, "strategies");
  for (int i = 0; i < URB_N_STRATEGIES; i++)
    urb_json_add_string (json, NULL, urb_strategy_names[i]);
  urb_json_end_array (json);
  urb_json_begin_object (json, "strategies_why"); /* this version has them all */
  urb_json_end_object (json);
  add_dataset (json, dataset);
  return json;
}

static void
print_dataset (const char *file)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbDataset) dataset = file != NULL ? urb_dataset_open_unverified (file, &error) : NULL;

  if (dataset != NULL)
    printf ("Dataset     %" G_GINT64_FORMAT " areas in %s\n", urb_dataset_get_info (dataset)->n_areas, file);
  else if (file != NULL)
    printf ("Dataset     cannot be used: %s\n", error->message);
}

static void
print_text (const Machine *machine, UrbCliGpus *gpus, const char *dataset)
{
  const UkCpuInfo *cpu = &machine->cpu;

  printf ("Processor   %s\n", cpu->model);
  printf ("            %d %s for this process, kernels use %s, bf16 %s\n", cpu->n_cores,
          cpu->n_cores == 1 ? "core" : "cores", cpu->isa,
          cpu->has_bf16 ? "in hardware" : "not in hardware");
  printf ("            %s\n", cpu->library);
  if (machine->measured)
    {
      printf ("  measured  %.1f GFLOP/s on one thread, %.1f on all\n", machine->flops_one / 1e9,
              machine->flops_all / 1e9);
      printf ("            %.1f GB/s copied on one thread, %.1f on all\n", machine->copy_one / 1e9,
              machine->copy_all / 1e9);
    }
  printf ("Memory      %.1f GiB, %.1f GiB of it available\n", machine->memory_bytes / 1073741824.0,
          machine->free_bytes / 1073741824.0);
  urb_cli_gpus_print (gpus);
  printf ("Others      not supported: TPUs, and GPUs of other makers than NVIDIA\n");
  printf ("Maps        %s\n",
          URBARIUM_HAVE_GEO ? "built in (GDAL)" : "not built in (-Dgeo=disabled)");
  if (URBARIUM_HAVE_GEO)
    print_sandbox ();
  printf ("Strategies ");
  for (int i = 0; i < URB_N_STRATEGIES; i++)
    printf (" %s", urb_strategy_names[i]);
  printf ("\n");
  print_dataset (dataset);
}

int
urb_cli_devices (int argc, char **argv)
{
  gboolean measure = FALSE;
  g_autofree char *hosts_file = NULL, *dataset_file = NULL, *dataset = NULL;
  UrbDevicesHosts hosts = { .patience_s = USUAL_PATIENCE_S };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &hosts.json, "Print JSON", NULL },
    { "measure", 0, 0, G_OPTION_ARG_NONE, &measure,
      "Measure the peaks of computing and copying too (about a second)", NULL },
    { "dataset", 0, 0, G_OPTION_ARG_FILENAME, &dataset_file, "Say whether this dataset is there, too", "FILE" },
    { "hosts", 0, 0, G_OPTION_ARG_FILENAME, &hosts_file,
      "Ask the hosts of a hosts file instead; -: standard input", "FILE" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &hosts.patience_s, "Seconds that a host has to answer (default 20)", "S" },
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context
    = urb_cli_options_new (NULL, "Shows what this machine can compute with, or the hosts of a run.", entries);
  g_autoptr(UrbCliGpus) gpus = NULL;
  Machine machine;

  if (!urb_cli_parse (context, &argc, &argv))
    return URB_EXIT_USAGE;
  if (argc > 1)
    return urb_cli_fail_usage ("unexpected argument “%s”", argv[1]);
  if (hosts.patience_s < 1 || hosts.patience_s > MOST_PATIENCE_S)
    return urb_cli_fail_usage ("--timeout needs a number from 1 to %d", MOST_PATIENCE_S);
  if (measure && hosts_file != NULL)
    return urb_cli_fail_usage ("--measure is for this machine alone; leave out --hosts");

  dataset = dataset_file != NULL ? g_canonicalize_filename (dataset_file, NULL) : NULL;
  machine = look_at_machine (measure);
  gpus = urb_cli_gpus_new ();
  hosts.file = hosts_file;
  hosts.dataset = dataset;
  if (hosts_file != NULL)
    return urb_cli_devices_hosts (&hosts, build_json (&machine, gpus, dataset));
  if (hosts.json)
    urb_cli_print_json (build_json (&machine, gpus, dataset));
  else
    print_text (&machine, gpus, dataset);
  return URB_EXIT_OK;
}
