/* SPDX-License-Identifier: Apache-2.0 */
#include "run/store/predecessors.h"

#include <unistd.h>

#include "run/store/folder.h"

struct _UrbPredecessors
{
  char **folders; /* owned */
  int   *locks;   /* owned; file descriptors */
  guint  n;
};

UrbPredecessors *
urb_predecessors_new (const char *const *folders, GError **error)
{
  g_autoptr(UrbPredecessors) self = g_new0 (UrbPredecessors, 1);
  guint n = folders != NULL ? g_strv_length ((char **) folders) : 0;
  self->folders = g_strdupv ((char **) folders);
  self->locks = g_new (int, n);
  for (; self->n < n; self->n++)
    {
      self->locks[self->n] = urb_run_folder_open_lock (folders[self->n], error);
      if (self->locks[self->n] < 0)
        return NULL;
    }
  return g_steal_pointer (&self);
}

void
urb_predecessors_free (UrbPredecessors *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++)
    close (self->locks[i]);
  g_strfreev (self->folders);
  g_free (self->locks);
  g_free (self);
}

const char *
urb_predecessors_get_last (UrbPredecessors *self)
{
  for (guint i = self != NULL ? self->n : 0; i-- > 0;)
    if (urb_run_folder_is_held (self->locks[i]))
      return self->folders[i];
  return NULL;
}
