/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - opens a map, which another process reads.
 *
 * GDAL and its hundred libraries parse what anybody may have written.  They do so in a process that can
 * do little else (serve.c); what it sends is checked here and becomes the map.
 */
#include "base/permission.h"
#include "map/map-private.h"
#include "map/reader-process.h"

typedef struct
{
  UrbReaderProcess *process; /* owned */
  UrbStreamIn      *in;      /* borrowed */
  UrbProgressFunc   progress; /* (nullable) */
  gpointer          progress_data;
} Opening;

static gboolean
receive_progress (Opening *self, guint64 n_bytes, GError **error)
{
  g_autofree char *what = NULL;
  double fraction;

  if (!urb_stream_receive_fields (self->in, n_bytes, error))
    return FALSE;
  fraction = urb_stream_get_double (self->in);
  what = urb_stream_get_some_text (self->in);
  if (!urb_stream_end_fields (self->in, error))
    return FALSE;
  if (self->progress != NULL)
    self->progress (CLAMP (fraction, -1, 1), what, self->progress_data);
  return TRUE;
}

static UrbMap *
receive (Opening *self, GError **error)
{
  while (TRUE)
    {
      UrbMessageKind kind;
      guint64 n_bytes;

      if (!urb_stream_receive_head (self->in, &kind, &n_bytes, error))
        return NULL;
      if (kind == URB_MESSAGE_MAP)
        return urb_map_receive (self->in, n_bytes,
                                (guint64) urb_reader_process_get_limits (self->process)->memory_bytes,
                                urb_reader_process_get_block (self->process), error);
      if (kind == URB_MESSAGE_ERROR)
        {
          urb_reader_process_receive_error (self->in, n_bytes, error);
          return NULL;
        }
      if (kind != URB_MESSAGE_PROGRESS)
        {
          urb_stream_fail (error);
          return NULL;
        }
      if (!receive_progress (self, n_bytes, error))
        return NULL;
    }
}

UrbMap *
urb_map_open (const char *const *paths, const UrbMapOptions *options, UrbProgressFunc progress,
              gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbReaderProcess) process = NULL;
  g_autoptr(GError) failure = NULL;
  UrbMap *map;

  g_return_val_if_fail (paths != NULL && paths[0] != NULL, NULL);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  /* Whom to ask for the right to read is not visible to the reader. */
  for (const char *const *path = paths; (options == NULL || options->address == NULL) && *path != NULL; path++)
    {
      g_autofree char *problem = urb_permission_dup_read_problem (*path);
      if (problem != NULL)
        {
          g_set_error_literal (error, URB_MAP_ERROR, URB_MAP_ERROR_OPEN, problem);
          return NULL;
        }
    }
  process = urb_reader_process_new (paths, options, cancellable, error);
  if (process == NULL)
    return NULL;
  urb_stream_send (urb_reader_process_get_out (process), URB_MESSAGE_READ);
  map = receive (&(Opening){ process, urb_reader_process_get_in (process), progress, user_data },
                 &failure);
  if (map != NULL)
    {
      urb_map_report_areas (map);
      if (options != NULL)
        urb_map_options_copy_choices (&map->choices, options);
      return map;
    }
  urb_reader_process_explain (process, paths[0], &failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}
