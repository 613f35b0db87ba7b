/* SPDX-License-Identifier: Apache-2.0 */
#include "app/areas/tested-ask.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"
#include "run/store/used-datasets.h"

typedef struct
{
  UrbariumRanked *ranked; /* owned */
  double          threshold;
  GStrv           places; /* owned */
} Input;

static void
input_free (gpointer data)
{
  Input *self = data;
  urbarium_ranked_unref (self->ranked);
  g_strfreev (self->places);
  g_free (self);
}

/* A dataset without areas overlaps none; saving it reports the error. */
static void
find_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Input *input = data;
  g_autoptr(UrbCuration) curation
    = urb_ranking_to_curation (input->ranked->ranking, input->threshold, NULL);
  GPtrArray *found = curation == NULL ? g_ptr_array_new ()
                                      : urb_run_find_tested ((const char *const *) input->places, curation,
                                                             input->ranked->search->map);
  g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
}

/* One line for each earlier dataset. */
static char *
describe (GPtrArray *found)
{
  g_autoptr(GString) text = g_string_new (NULL);
  for (guint i = 0; i < found->len; i++)
    {
      const UrbUsedDataset *used = found->pdata[i];
      g_autofree char *count = urbarium_format_count (used->n_areas);
      g_autofree char *dataset = g_filename_display_basename (used->dataset);
      g_autofree char *run = g_filename_display_name (used->run);
      g_string_append_printf (
        text,
        /* translators: %1$s is a number, %2$s a file, %3$s a run */
        ngettext ("%1$s area for training overlaps test areas of “%2$s”, which the run “%3$s” used.",
                  "%1$s areas for training overlap test areas of “%2$s”, which the run “%3$s” used.",
                  (gulong) used->n_areas),
        count, dataset, run);
      g_string_append_c (text, '\n');
    }
  g_string_append_c (text, '\n');
  g_string_append (text, _ ("Models of the two datasets cannot be compared by these test areas. With the same "
                            "number of “Shuffle” on the same map, none overlap."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) question = data;
  g_autoptr(GPtrArray) found = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autofree char *text = NULL;
  /* Without a window there is no one to ask. */
  if (found->len == 0 || gtk_widget_get_root (GTK_WIDGET (source)) == NULL)
    {
      g_task_return_boolean (question, found->len == 0);
      return;
    }
  text = describe (found);
  urbarium_message_ask (GTK_WIDGET (source), _ ("Train on earlier test areas?"), text, _ ("_Save anyway"),
                        g_steal_pointer (&question));
}

void
urbarium_tested_ask (GtkWidget *where, UrbariumCuration *curation, const char *const *places,
                     GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *question = g_task_new (where, NULL, callback, user_data);
  g_autoptr(GTask) find = g_task_new (where, NULL, found_cb, question);
  Input *input = g_new0 (Input, 1);
  input->ranked = urbarium_ranked_ref (urbarium_curation_get_ranked (curation));
  input->threshold = urbarium_curation_get_threshold (curation);
  input->places = g_strdupv ((GStrv) places);
  g_task_set_source_tag (question, urbarium_tested_ask);
  g_task_set_task_data (find, input, input_free);
  g_task_run_in_thread (find, find_thread);
}

gboolean
urbarium_tested_ask_finish (GtkWidget *where, GAsyncResult *result)
{
  g_return_val_if_fail (g_task_is_valid (result, where), FALSE);
  return g_task_propagate_boolean (G_TASK (result), NULL);
}
