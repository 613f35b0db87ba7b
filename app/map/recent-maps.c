/* SPDX-License-Identifier: Apache-2.0 */
#include "app/map/recent-maps.h"

#include "app/map/map-load.h"
#include "map/address.h"

/* Marks our maps among the desktop's recent files. */
#define GROUP "urbarium-map"

/* GTK tests the first byte of the first name's address instead of the name itself, and drops all
 * groups if it is 0.  An odd address on a little-endian machine avoids that. */
static const char group_after_one[] __attribute__ ((aligned (2))) = "+" GROUP;

enum { MAX_SHOWN = 6, MAX_ADDED = 6 };

void
urbarium_recent_maps_add (const char *const *paths)
{
  static const char *groups[] = { group_after_one + 1, NULL };
  g_autofree char *sample = urbarium_map_load_get_sample_path ();
  /* An address is no file, and a server is asked only when somebody types it. */
  for (int i = 0; paths[i] != NULL && i < MAX_ADDED && !urb_map_address_is (paths[i]); i++)
    {
      g_autofree char *absolute = g_canonicalize_filename (paths[i], NULL);
      g_autofree char *uri = g_filename_to_uri (absolute, NULL, NULL);
      g_autofree char *type = g_content_type_guess (absolute, NULL, 0, NULL);
      g_autofree char *mime_type = g_content_type_get_mime_type (type);
      GtkRecentData data = { .mime_type = mime_type != NULL ? mime_type
                                                            : (char *) "application/octet-stream",
                             .app_name = (char *) "Urbarium",
                             .app_exec = (char *) "urbarium %u",
                             .groups = (char **) groups };
      if (uri != NULL && !g_str_equal (absolute, sample))
        gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
    }
}

static int
compare_visits (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *) b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *) a));
}

static void
find_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *files = data;
  GPtrArray *found = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < files->len && found->len < MAX_SHOWN; i++)
    if (g_file_query_exists (files->pdata[i], cancellable))
      g_ptr_array_add (found, g_object_ref (files->pdata[i]));
  g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
}

void
urbarium_recent_maps_list_async (GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_object_unref);
  GList *items = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  items = g_list_sort (items, compare_visits);
  for (GList *item = items; item != NULL; item = item->next)
    if (gtk_recent_info_has_group (item->data, GROUP))
      g_ptr_array_add (files, g_file_new_for_uri (gtk_recent_info_get_uri (item->data)));
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  g_task_set_source_tag (task, urbarium_recent_maps_list_async);
  g_task_set_task_data (task, files, (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, find_func);
}

GPtrArray *
urbarium_recent_maps_list_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
