/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/device-name.h"

gboolean
urbarium_device_name_is_gpu (const char *name)
{
  return g_str_equal (name, "cuda") || g_str_has_prefix (name, "cuda:");
}

const char *
urbarium_device_name_complete (const char *name)
{
  return g_strcmp0 (name, "cuda") == 0 ? "cuda:0" : name;
}
