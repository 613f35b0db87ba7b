/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-gpu-monitor.c - monitored GPUs: known and unknown values, and a lost GPU. The library is
 * fake-nvml.c.
 */
#include "fake-gpus.h"
#include "run-test.h"
#include "run/supervisor/gpu-monitor.h"
#include "run/supervisor/nvml.h"

#define SECOND "gpu 0000:65:00.0 NVIDIA Fake 8\nmemory! 4\nutilization 0\n"

enum { INTERVAL_MS = 20 };

/* ------------------------------------------------------------------------ */
/* The library                                                               */

static void
test_read (RunTest *t, gconstpointer data)
{
  g_autoptr(UrbNvml) nvml = NULL;
  g_autofree char *why = NULL;
  UrbGpu gpu = { .index = -1 };
  fake_gpus_init (t->base, FAKE_GPU SECOND);
  nvml = urb_nvml_open ();
  g_assert_nonnull (nvml);
  g_assert_cmpstr (urb_nvml_get_driver (nvml), ==, "580.95.05");
  g_assert_cmpint (urb_nvml_get_n_gpus (nvml), ==, 2);

  g_assert_cmpint (urb_nvml_read (nvml, FAKE_GPU_PCI, &gpu, &why), ==, URB_NVML_READ);
  g_assert_cmpint (gpu.index, ==, 0);
  g_assert_cmpstr (gpu.pci, ==, FAKE_GPU_PCI);
  g_assert_cmpstr (gpu.name, ==, "NVIDIA Fake 9");
  g_assert_cmpint (gpu.load.memory_used_bytes, ==, 5000000000);
  g_assert_cmpint (gpu.load.memory_bytes, ==, 80000000000);
  g_assert_cmpfloat (gpu.load.utilization_percent, ==, 97);
  g_assert_cmpfloat_with_epsilon (gpu.load.power_w, 412.345, 1e-9);
  g_assert_cmpfloat (gpu.load.temperature_c, ==, 61);

  /* Values that it does not support are unknown; 0 is a value. */
  g_assert_cmpint (urb_nvml_read_nth (nvml, 1, &gpu, &why), ==, URB_NVML_READ);
  g_assert_cmpint (gpu.index, ==, 1);
  g_assert_cmpstr (gpu.pci, ==, "0000:65:00.0");
  g_assert_cmpint (gpu.load.memory_used_bytes, ==, -1);
  g_assert_cmpint (gpu.load.memory_bytes, ==, -1);
  g_assert_cmpfloat (gpu.load.utilization_percent, ==, 0);
  g_assert_true (isnan (gpu.load.power_w));
  g_assert_true (isnan (gpu.load.temperature_c));

  /* Other GPUs are not reported. */
  g_assert_cmpint (urb_nvml_read (nvml, "0000:99:00.0", &gpu, &why), ==, URB_NVML_ABSENT);
  g_assert_cmpint (urb_nvml_read_nth (nvml, 2, &gpu, &why), ==, URB_NVML_ABSENT);
  g_assert_null (why);
  g_assert_cmpstr (gpu.pci, ==, "0000:65:00.0");
}

static void
test_lost (RunTest *t, gconstpointer data)
{
  g_autoptr(UrbNvml) nvml = NULL;
  UrbGpu gpu = { .index = -1 };
  fake_gpus_init (t->base, FAKE_GPU "gpu! 15\n");
  nvml = urb_nvml_open ();
  for (int i = 0; i < 2; i++)
    {
      g_autofree char *why = NULL;
      g_assert_cmpint (urb_nvml_read (nvml, FAKE_GPU_PCI, &gpu, &why), ==, URB_NVML_LOST);
      g_assert_cmpstr (why, ==, "GPU is lost");
      g_assert_cmpint (gpu.index, ==, -1);
      fake_gpus_set (FAKE_GPU "power! 15\n"); /* while it is asked */
    }
}

/* A malformed name, from a faulty driver. */
static void
test_name (RunTest *t, gconstpointer data)
{
  g_autoptr(UrbNvml) nvml = NULL;
  g_autofree char *why = NULL;
  UrbGpu gpu;
  fake_gpus_init (t->base, "gpu 0000:17:00.0 a\033[31m\xff\n");
  nvml = urb_nvml_open ();
  g_assert_cmpint (urb_nvml_read_nth (nvml, 0, &gpu, &why), ==, URB_NVML_READ);
  g_assert_cmpstr (gpu.name, ==, "a?[31m?");
}

static void
test_none (RunTest *t, gconstpointer data)
{
  fake_gpus_init (t->base, "init! 9\n");
  g_assert_null (urb_nvml_open ());
  urb_nvml_close (NULL);
}

/* ------------------------------------------------------------------------ */
/* The monitor                                                               */

typedef struct
{
  UrbGpu   gpu;        /* the values read last */
  int      n_read[2];  /* by index */
  int      n_lost;
  GString *lost;       /* owned; the messages about it */
} Seen;

static void
read_cb (const UrbGpu *gpu, gpointer user_data)
{
  Seen *seen = user_data;
  g_assert_cmpint (gpu->index, <, 2);
  seen->gpu = *gpu;
  seen->n_read[gpu->index]++;
}

static void
lost_cb (const UrbGpu *gpu, const char *why, gpointer user_data)
{
  Seen *seen = user_data;
  seen->n_lost++;
  g_string_append_printf (seen->lost, "%d %s %s: %s\n", gpu->index, gpu->pci, gpu->name, why);
}

static const UrbGpuMonitorOps ops = { .read = read_cb, .lost = lost_cb };

#define iterate_until(condition)                                                                   \
  G_STMT_START                                                                                     \
  {                                                                                                \
    gint64 until_us = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;                               \
    while (!(condition))                                                                           \
      {                                                                                            \
        g_assert_cmpint (g_get_monotonic_time (), <, until_us);                                    \
        g_main_context_iteration (NULL, FALSE);                                                    \
        g_usleep (1000);                                                                           \
      }                                                                                            \
  }                                                                                                \
  G_STMT_END

/* Longer than one interval. */
static void
iterate_for_some_time (void)
{
  gint64 end_us = g_get_monotonic_time () + 10 * INTERVAL_MS * 1000;
  iterate_until (g_get_monotonic_time () > end_us);
}

static void
test_monitor (RunTest *t, gconstpointer data)
{
  Seen seen = { .gpu.index = -1 };
  g_autoptr(UrbGpuMonitor) monitor = urb_gpu_monitor_new (INTERVAL_MS, &ops, &seen);
  int n;
  fake_gpus_init (t->base, FAKE_GPU SECOND);
  urb_gpu_monitor_add (monitor, FAKE_GPU_PCI);
  iterate_until (seen.n_read[0] > 2);
  g_assert_cmpstr (seen.gpu.name, ==, "NVIDIA Fake 9");
  g_assert_cmpfloat (seen.gpu.load.temperature_c, ==, 61);

  fake_gpus_set (FAKE_GPU "temperature 70\n" SECOND);
  iterate_until (seen.gpu.load.temperature_c > 61);
  g_assert_cmpint (seen.n_read[1], ==, 0);

  /* A second GPU; none is reported twice. */
  urb_gpu_monitor_add (monitor, "0000:65:00.0");
  urb_gpu_monitor_add (monitor, FAKE_GPU_PCI);
  iterate_until (seen.n_read[1] > 1);
  n = seen.n_read[0];
  iterate_until (seen.n_read[0] > n);

  /* No messages after its end. */
  g_clear_pointer (&monitor, urb_gpu_monitor_free);
  n = seen.n_read[0];
  iterate_for_some_time ();
  g_assert_cmpint (seen.n_read[0], ==, n);
}

/* Reported once; the other GPU is still monitored. */
static void
test_monitor_lost (RunTest *t, gconstpointer data)
{
  Seen seen = { .lost = g_string_new (NULL) };
  g_autoptr(UrbGpuMonitor) monitor = urb_gpu_monitor_new (INTERVAL_MS, &ops, &seen);
  int n;
  fake_gpus_init (t->base, FAKE_GPU SECOND);
  urb_gpu_monitor_add (monitor, FAKE_GPU_PCI);
  urb_gpu_monitor_add (monitor, "0000:65:00.0");
  iterate_until (seen.n_read[0] > 0 && seen.n_read[1] > 0);
  fake_gpus_set (FAKE_GPU "gpu! 15\n" SECOND);
  iterate_until (seen.n_lost > 0);
  n = seen.n_read[1];
  iterate_until (seen.n_read[1] > n + 2);
  g_assert_cmpstr (seen.lost->str, ==, "0 0000:17:00.0 NVIDIA Fake 9: GPU is lost\n");
  g_string_free (seen.lost, TRUE);
}

/* Without driver, GPU or listener, nothing is reported. */
static void
test_monitor_silent (RunTest *t, gconstpointer data)
{
  static const char *const machines[] = { "init! 9\n", "driver 580\n", SECOND "gpu! 4\n" };
  Seen seen = { .lost = NULL };
  fake_gpus_init (t->base, "");
  for (gsize i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autoptr(UrbGpuMonitor) idle = urb_gpu_monitor_new (INTERVAL_MS, &ops, &seen);
      g_autoptr(UrbGpuMonitor) monitor = urb_gpu_monitor_new (INTERVAL_MS, &ops, &seen);
      fake_gpus_set (machines[i]);
      urb_gpu_monitor_add (monitor, "0000:65:00.0");
      iterate_for_some_time ();
      urb_gpu_monitor_add (monitor, FAKE_GPU_PCI);
      iterate_for_some_time ();
    }
  g_assert_cmpint (seen.n_read[0] + seen.n_read[1] + seen.n_lost, ==, 0);
}

/* A driver that never answers blocks no one, except for a moment at the end. */
static void
test_monitor_hangs (RunTest *t, gconstpointer data)
{
  Seen seen = { .lost = NULL };
  UrbGpuMonitor *monitor = urb_gpu_monitor_new (INTERVAL_MS, &ops, &seen);
  gint64 begin_us;
  fake_gpus_init (t->base, FAKE_GPU);
  urb_gpu_monitor_add (monitor, FAKE_GPU_PCI);
  iterate_until (seen.n_read[0] > 0);
  fake_gpus_set ("hang\n");
  iterate_for_some_time ();
  begin_us = g_get_monotonic_time ();
  urb_gpu_monitor_add (monitor, "0000:65:00.0");
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, G_USEC_PER_SEC);
  urb_gpu_monitor_free (monitor);
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, 10 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  run_test_add ("/gpu/read", test_read);
  run_test_add ("/gpu/lost", test_lost);
  run_test_add ("/gpu/name", test_name);
  run_test_add ("/gpu/none", test_none);
  run_test_add ("/gpu/monitor", test_monitor);
  run_test_add ("/gpu/monitor/lost", test_monitor_lost);
  run_test_add ("/gpu/monitor/silent", test_monitor_silent);
  run_test_add ("/gpu/monitor/hangs", test_monitor_hangs); /* last, because it leaves a thread
                                                            * behind */
  return g_test_run ();
}
