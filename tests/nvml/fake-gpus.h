/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake-gpus.h - writes the file that fake-nvml.c reads.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FAKE_GPU_PCI "0000:17:00.0"
#define FAKE_GPU                                                                                   \
  "driver 580.95.05\n"                                                                             \
  "gpu " FAKE_GPU_PCI " NVIDIA Fake 9\n"                                                           \
  "memory 5000000000 80000000000\n"                                                                \
  "utilization 97\n"                                                                               \
  "power 412345\n"                                                                                 \
  "temperature 61\n"

/* Replaces the machine's GPUs, atomically. */
static inline void
fake_gpus_set (const char *text)
{
  g_assert_true (g_file_set_contents (g_getenv ("FAKE_NVML"), text, -1, NULL));
}

/* Call before the first query.  @folder: the test's temporary folder, for the file. */
static inline void
fake_gpus_init (const char *folder, const char *text)
{
  g_autofree char *path = g_build_filename (folder, "gpus", NULL);
  g_setenv ("FAKE_NVML", path, TRUE);
  fake_gpus_set (text);
}

G_END_DECLS
