/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mesh.c - see mesh.h.
 */
#include "settings/mesh.h"

#include <string.h>

#include "settings/strategy.h"

enum { N_AXES = 3 };

static const char *const names[N_AXES] = { "tensor", "data", "pipe" };

static int
get_size (const UrbMesh *self, int axis)
{
  const int sizes[N_AXES] = { self->tensor, self->data, self->pipe };

  return sizes[axis];
}

static int *
find_size (UrbMesh *self, const char *name)
{
  int *const sizes[N_AXES] = { &self->tensor, &self->data, &self->pipe };

  for (int axis = 0; axis < N_AXES; axis++)
    if (strcmp (name, names[axis]) == 0)
      return sizes[axis];
  return NULL;
}

gboolean
urb_mesh_parse (const char *text, UrbMesh *out, GError **error)
{
  g_auto(GStrv) parts = g_strsplit (text != NULL && *text != '\0' ? text : " ", ",", -1);
  UrbMesh mesh = { 0, 0, 0 };

  for (int i = 0; parts[i] != NULL; i++)
    {
      g_auto(GStrv) pair = g_strsplit (g_strstrip (parts[i]), "=", 2);
      int *size = pair[0] != NULL && pair[1] != NULL ? find_size (&mesh, pair[0]) : NULL;
      guint64 number;

      if (size == NULL || *size != 0
          || !g_ascii_string_to_unsigned (pair[1], 10, 1, URB_MAX_RANKS, &number, NULL))
        return urb_options_fail (error, "“%s” is no axis of a mesh; write each of data, tensor and pipe at most "
                                        "once, with its ranks, as in data=2,pipe=2.", parts[i]);
      *size = (int) number;
    }
  mesh = (UrbMesh) { MAX (mesh.tensor, 1), MAX (mesh.data, 1), MAX (mesh.pipe, 1) };
  if ((gint64) mesh.tensor * mesh.data * mesh.pipe > URB_MAX_RANKS)
    return urb_options_fail (error, "A mesh has at most %d ranks.", URB_MAX_RANKS);
  *out = mesh;
  return TRUE;
}

char *
urb_mesh_dup_text (const UrbMesh *self)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (int axis = 0; axis < N_AXES; axis++)
    if (get_size (self, axis) > 1)
      g_string_append_printf (text, "%s%s=%d", text->len > 0 ? "," : "", names[axis], get_size (self, axis));
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : g_strdup ("data=1");
}

int
urb_mesh_count (const UrbMesh *self, guint axes)
{
  gint64 count = 1; /* of sizes that were not checked yet, it may exceed an int */

  for (int axis = 0; axis < N_AXES; axis++)
    count = MIN (count * (axes & 1u << axis ? get_size (self, axis) : 1), G_MAXINT);
  return (int) count;
}

int
urb_mesh_get_index (const UrbMesh *self, int rank, guint axes)
{
  int index = 0, step = 1;

  for (int axis = 0; axis < N_AXES; rank /= get_size (self, axis++))
    if (axes & 1u << axis)
      {
        index += rank % get_size (self, axis) * step;
        step *= get_size (self, axis);
      }
  return index;
}

int
urb_mesh_get_rank (const UrbMesh *self, int rank, guint axes, int index)
{
  int result = 0, step = 1;

  for (int axis = 0; axis < N_AXES; rank /= get_size (self, axis++))
    {
      int size = get_size (self, axis);

      result += (axes & 1u << axis ? index % size : rank % size) * step;
      index /= axes & 1u << axis ? size : 1;
      step *= size;
    }
  return result;
}

guint
urb_mesh_simplify (const UrbMesh *self, guint axes)
{
  int n = urb_mesh_count (self, axes), n_all = urb_mesh_count (self, URB_ALL_AXES);

  g_assert (n > 1 || n_all == 1);
  for (int axis = 0; axis < N_AXES; axis++)
    if (get_size (self, axis) == 1)
      axes &= ~(1u << axis);
  return n == n_all ? 0 : axes;
}

char *
urb_mesh_name_axes (guint axes)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (int axis = 0; axis < N_AXES; axis++)
    if (axes & 1u << axis)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "," : "", names[axis]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
