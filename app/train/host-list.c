/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/host-list.h"

#include <string.h>

#include "base/atomic-file.h"
#include "base/durable.h"
#include "base/small-file.h"

char *
urbarium_host_list_dup_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "urbarium", "hosts", NULL);
}

GPtrArray *
urbarium_host_list_load (const char *file, GError **error)
{
  g_autofree char *text = urb_small_file_read (file, NULL, error);
  return text != NULL ? urb_hosts_parse (text, error) : NULL;
}

GPtrArray *
urbarium_host_list_load_any (const char *file, GError **error)
{
  g_autofree char *text = urb_small_file_read (file, NULL, error);
  return text != NULL ? urb_hosts_parse_any (text, error) : NULL;
}

gboolean
urbarium_host_list_save (const char *file, const GPtrArray *hosts, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (file), *text = urb_hosts_to_text (hosts);
  return urb_durable_make_folders (folder, 0700, error)
         && urb_atomic_file_set_contents (file, text, strlen (text), error);
}

int
urbarium_host_list_count_slots (const GPtrArray *hosts)
{
  int n = 0;
  for (guint i = 0; i < hosts->len; i++)
    n += MAX (((const UrbHost *) hosts->pdata[i])->n_slots, 1);
  return n;
}
