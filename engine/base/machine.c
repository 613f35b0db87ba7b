/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - see machine.h.
 *
 * Nodes of a cluster may have been copied with their id, and containers have none: so the name counts too.
 */
#include "base/machine.h"

#include <string.h>

char *
urb_machine_dup_id (void)
{
  g_autofree char *id = NULL, *text = NULL;
  if (!g_file_get_contents ("/etc/machine-id", &id, NULL, NULL))
    id = g_strdup ("");
  text = g_strdup_printf ("urbarium\n%s\n%s", g_strstrip (id), g_get_host_name ());
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

double
urb_machine_get_boot_time (void)
{
  static const char key[] = "\nbtime ";
  g_autofree char *text = NULL;
  const char *line;
  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL))
    return 0;
  line = strstr (text, key);
  return line != NULL ? g_ascii_strtod (line + strlen (key), NULL) : 0;
}
