/* SPDX-License-Identifier: Apache-2.0 */
#include "run/store/predecessors.h"

#include <glib/gi18n.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "run/store/folder.h"

struct _UrbPredecessors
{
  char **folders; /* owned */
  int   *locks;   /* owned; file descriptors */
  guint  n;
};

static gboolean
is_same_folder (const char *a, const char *b)
{
  GStatBuf first, second;
  return g_stat (a, &first) == 0 && g_stat (b, &second) == 0 && first.st_dev == second.st_dev
         && first.st_ino == second.st_ino;
}

UrbPredecessors *
urb_predecessors_new (const char *const *folders, const char *run, GError **error)
{
  g_autoptr(UrbPredecessors) self = g_new0 (UrbPredecessors, 1);
  guint n = folders != NULL ? g_strv_length ((char **) folders) : 0;
  self->folders = g_strdupv ((char **) folders);
  self->locks = g_new (int, n);
  for (; self->n < n; self->n++)
    {
      if (is_same_folder (folders[self->n], run))
        {
          g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_FOLDER, N_ ("The run '%s' cannot wait for itself"), run);
          return NULL;
        }
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

GStrv
urb_predecessors_dup_held (UrbPredecessors *self)
{
  g_autoptr(GStrvBuilder) held = g_strv_builder_new ();
  for (guint i = 0; self != NULL && i < self->n; i++)
    if (urb_run_folder_is_held (self->locks[i]))
      g_strv_builder_add (held, self->folders[i]);
  return g_strv_builder_end (held);
}

const char *
urb_predecessors_get_last (UrbPredecessors *self)
{
  for (guint i = self != NULL ? self->n : 0; i-- > 0;)
    if (urb_run_folder_is_held (self->locks[i]))
      return self->folders[i];
  return NULL;
}
