/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue-order.c - see queue-order.h.
 *
 * A turn is the length of the longest chain of runs before.  Runs that wait for each other in a circle, as after a
 * change that was killed, and those behind them get a turn of at least the length of the queue.
 */
#include "run/store/queue-order.h"

#include <stdlib.h>
#include <string.h>

void
urb_queue_make_real (char **path)
{
  char *real = urb_queue_dup_real_path (*path);
  g_free (*path);
  *path = real;
}

char *
urb_queue_dup_real_path (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real != NULL ? real : path);
  free (real);
  return copy;
}

/* @places: (element-type utf8 UrbQueuePlace): by folder
 * Returns: whether its turn is later than it was */
static gboolean
update_turn (UrbQueuePlace *place, GHashTable *places)
{
  guint turn = 0;
  for (guint i = 0; place->after != NULL && place->after[i] != NULL; i++)
    {
      const UrbQueuePlace *other = g_hash_table_lookup (places, place->after[i]);
      if (other != NULL)
        turn = MAX (turn, other->turn + 1);
    }
  if (turn <= place->turn)
    return FALSE;
  place->turn = turn;
  return TRUE;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const UrbQueuePlace *first = a, *second = b;
  if (first->turn != second->turn)
    return first->turn < second->turn ? -1 : 1;
  if (first->since < second->since || first->since > second->since)
    return first->since < second->since ? -1 : 1;
  return strcmp (first->folder, second->folder);
}

void
urb_queue_sort (UrbQueuePlace *places, guint n)
{
  g_autoptr(GHashTable) by_folder = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean changed = TRUE;
  for (guint i = 0; i < n; i++)
    {
      places[i].turn = 0;
      g_hash_table_insert (by_folder, (gpointer) places[i].folder, &places[i]);
    }
  for (guint pass = 0; changed && pass < n; pass++)
    {
      changed = FALSE;
      for (guint i = 0; i < n; i++)
        changed |= update_turn (&places[i], by_folder);
    }
  if (n > 1)
    qsort (places, n, sizeof *places, compare);
}
