/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw-propose.c - proposals for a site, on request.
 */
#include <math.h>

#include "cli/draw-session-private.h"

#include "city/proposals.h"
#include "run/store/json-line.h"
#include "run/store/run.h"

enum { PROGRESS_US = 100 * 1000 };

typedef struct
{
  UrbDrawRequest *request;     /* borrowed */
  GCancellable   *cancellable; /* owned */
  gint64          told_us;
  gboolean        closed;      /* stdout is */
} Watch;

static void
progress_cb (double fraction, const char *what, gpointer user_data)
{
  Watch *self = user_data;
  gint64 now_us = g_get_monotonic_time ();
  JsonBuilder *json;

  if (g_atomic_int_get (&self->request->cancelled))
    g_cancellable_cancel (self->cancellable);
  if (self->closed || now_us - self->told_us < PROGRESS_US || !(fraction >= 0))
    return;
  self->told_us = now_us;
  json = urb_draw_begin_line ("progress", self->request);
  urb_json_add_double (json, "fraction", MIN (fraction, 1));
  self->closed = !urb_draw_send_line (json);
  if (self->closed)
    g_cancellable_cancel (self->cancellable);
}

static UrbSite *
load_site (UrbDrawSession *self, JsonObject *object, GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  JsonArray *polygons = urb_json_get_array (object, "given");
  const char *keep = urb_json_get_string (object, "keep", NULL);
  const UrbPlace place = {
    .x = urb_json_get_double (object, "x", 0),
    .y = urb_json_get_double (object, "y", 0),
    .epsg = (int) CLAMP (urb_json_get_int (object, "epsg", 0), 0, G_MAXINT),
  };

  if (polygons != NULL)
    {
      g_autoptr(UrbGiven) given = urb_given_new_from_json (polygons, info->area_size_m, error);

      return given != NULL ? urb_site_new_from_given (given, info->size_px) : NULL;
    }
  if (keep == NULL || !isfinite (place.x) || !isfinite (place.y))
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL,
                   "'propose' needs polygons 'given', or a file 'keep' and, for vectors, numbers 'x' and 'y'");
      return NULL;
    }
  return urb_site_load (keep, &place, info->size_px, info->area_size_m, error);
}

/* What stays, for the receiver's plans.  Returns: FALSE if stdout was closed */
static gboolean
send_given (const UrbDrawRequest *request, const UrbSite *site)
{
  JsonBuilder *json;

  if (site->given == NULL)
    return TRUE;
  json = urb_draw_begin_line ("given", request);
  urb_given_add_to_json (site->given, json, "polygons");
  return urb_draw_send_line (json);
}

/* Returns: FALSE if stdout was closed */
static gboolean
send_all (const UrbDrawRequest *request, gint64 count, const UrbProposal *proposals,
          const guint8 *levels, gsize tile_bytes, double given)
{
  JsonBuilder *json;

  for (gint64 i = 0; i < count; i++)
    if (!urb_draw_send_cities (request, i, 1, levels + (gsize) i * tile_bytes, tile_bytes))
      return FALSE;
  json = urb_draw_begin_line ("reply", request);
  urb_json_add_bool (json, "ok", TRUE);
  urb_json_add_int (json, "count", count);
  urb_json_add_double (json, "given", given);
  urb_json_begin_array (json, "met");
  for (gint64 i = 0; i < count; i++)
    urb_json_add_double (json, NULL, proposals[i].met);
  urb_json_end_array (json);
  return urb_draw_send_line (json);
}

gboolean
urb_draw_answer_propose (UrbDrawSession *self, UrbDrawRequest *request, GError **error)
{
  JsonObject *object = request->object;
  gint64 count = urb_json_get_int (object, "count", 6);
  Watch watch = { .request = request };
  UrbProposal proposals[URB_PROPOSALS_MAX];
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(UrbSite) site = NULL;
  g_autofree guint8 *levels = NULL;
  const UrbSamplerInfo *info;
  gsize tile_bytes;

  if (self->sampler == NULL || count < 1 || count > URB_PROPOSALS_MAX)
    {
      g_set_error (error, URB_RUN_ERROR,
                   self->sampler == NULL ? URB_RUN_ERROR_STATE : URB_RUN_ERROR_PROTOCOL,
                   self->sampler == NULL ? "No checkpoint is open yet"
                                         : "'count' of proposals must be 1 to %d", URB_PROPOSALS_MAX);
      return TRUE;
    }
  info = urb_sampler_get_info (self->sampler);
  tile_bytes = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  watch.cancellable = cancellable;
  if (!urb_draw_read_shares (self, object, error) || (site = load_site (self, object, error)) == NULL)
    return TRUE;
  if (!send_given (request, site))
    return FALSE;
  levels = g_malloc (tile_bytes * (gsize) count);
  if (!urb_propose (self->sampler, site, (guint64) urb_json_get_int (object, "seed", 1), (int) count,
                    levels, proposals, progress_cb, &watch, cancellable, error))
    {
      if (watch.closed)
        g_clear_error (error);
      return !watch.closed;
    }
  return send_all (request, count, proposals, levels, tile_bytes, urb_site_get_given_share (site));
}
