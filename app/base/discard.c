/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/discard.h"

/* Does not follow symbolic links. */
static gboolean
delete_all (GFile *file, GCancellable *cancellable, GError **error)
{
  GFileType type
    = g_file_query_file_type (file, G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, cancellable);
  g_autoptr(GFileEnumerator) inside
    = type != G_FILE_TYPE_DIRECTORY
        ? NULL
        : g_file_enumerate_children (file, G_FILE_ATTRIBUTE_STANDARD_NAME,
                                     G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, cancellable, NULL);
  GFile *child;
  while (inside != NULL && g_file_enumerator_iterate (inside, NULL, &child, cancellable, NULL)
         && child != NULL)
    if (!delete_all (child, cancellable, error))
      return FALSE;
  return g_file_delete (file, cancellable, error);
}

gboolean
urbarium_discard (GFile *file, GCancellable *cancellable, GError **error)
{
  return g_file_trash (file, cancellable, NULL) || delete_all (file, cancellable, error);
}
