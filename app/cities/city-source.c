/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue lives here, not in the child.  Two requests in flight keep the child busy, and cities
 * that scroll out of sight leave the queue at once.
 */
#include "app/cities/city-source.h"

#include <glib/gi18n.h>
#include <string.h>

#include "app/base/engine-texts.h"
#include "app/cities/city-process.h"
#include "run/store/json-line.h"

enum
{
  BATCH = 4,          /* cities per request: drawing one takes as long as drawing four */
  MAX_IN_FLIGHT = 2,
  MAX_IDLE = 96,      /* drawn cities kept without being wanted */
  MAX_DEATHS = 2      /* in a row */
};

typedef enum { REQUEST_OPEN, REQUEST_DRAW, REQUEST_WALK, REQUEST_PROPOSE } RequestKind;

typedef struct
{
  RequestKind kind;
  gint64      id;
  char       *line;   /* owned */
  int         n_cols, n_rows; /* areas of each city */
  GPtrArray  *cities; /* of UrbariumCity; NULL where no longer wanted; none to open a checkpoint */
  guint       n_done;
  gboolean    cancelled;
  UrbGiven   *given;  /* (nullable) owned; what stays, as the child tells */
} Request;

struct _UrbariumCitySource
{
  GObject              parent_instance;
  UrbariumCityProcess *process;    /* (nullable) owned */
  char                *checkpoint; /* (nullable) owned; the requested one */
  UrbariumCityModel    model;
  gboolean             ready, opening;
  gint64               last_id;
  GQueue               wanted;     /* UrbariumCity, owned */
  GQueue               idle;       /* UrbariumCity, owned; oldest first */
  GPtrArray           *in_flight;  /* Request, owned */
  Request             *walk;       /* (nullable) owned; or proposals; not sent yet */
  guint                n_deaths;
  char                *failure;    /* (nullable) owned; why nothing is drawn, until the next open */
};

G_DEFINE_FINAL_TYPE (UrbariumCitySource, urbarium_city_source, G_TYPE_OBJECT)

enum
{
  PROP_READY = 1,
  PROP_OPENING,
  N_PROPS
};

enum { OPENED, FAILED, PROGRESS, RESTARTED, N_SIGNALS };

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

static void send_next (UrbariumCitySource *self);
static void start (UrbariumCitySource *self);

static void
request_free (gpointer data)
{
  Request *request = data;
  g_ptr_array_unref (request->cities);
  g_clear_pointer (&request->given, urb_given_unref);
  g_free (request->line);
  g_free (request);
}

static void
clear_city (gpointer city)
{
  if (city != NULL)
    g_object_unref (city);
}

static Request *
request_new (UrbariumCitySource *self, RequestKind kind)
{
  Request *request = g_new0 (Request, 1);
  request->kind = kind;
  request->n_cols = request->n_rows = 1;
  request->id = ++self->last_id;
  request->cities = g_ptr_array_new_with_free_func (clear_city);
  return request;
}

static JsonBuilder *
begin_line (const Request *request, const char *cmd)
{
  JsonBuilder *json = urb_json_new ();
  urb_json_add_int (json, "id", request->id);
  urb_json_add_string (json, "cmd", cmd);
  return json;
}

static char *
end_line (JsonBuilder *json)
{
  g_autofree char *line = urb_json_end (json);
  return g_strconcat (line, "\n", NULL);
}

/* Takes @request. */
static void
send (UrbariumCitySource *self, Request *request)
{
  g_ptr_array_add (self->in_flight, request);
  urbarium_city_process_send (self->process, request->line);
}

static Request *
find_request (UrbariumCitySource *self, gint64 id)
{
  for (guint i = 0; i < self->in_flight->len; i++)
    {
      Request *request = self->in_flight->pdata[i];
      if (request->id == id)
        return request;
    }
  return NULL;
}

static void
cancel (UrbariumCitySource *self, Request *request)
{
  g_autofree char *line = NULL;
  Request cancelling = { .id = ++self->last_id };
  JsonBuilder *json = begin_line (&cancelling, "cancel");
  urb_json_add_int (json, "of", request->id);
  line = end_line (json);
  request->cancelled = TRUE;
  urbarium_city_process_send (self->process, line);
}

static void
set_state (UrbariumCitySource *self, gboolean opening, gboolean ready)
{
  gboolean was_ready = self->ready, was_opening = self->opening;
  self->opening = opening;
  self->ready = ready;
  if (was_opening != opening)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_OPENING]);
  if (was_ready != ready)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_READY]);
}

/* ------------------------------------------------------------------------ */
/* Replies of the child                                                      */

static void
model_clear (UrbariumCityModel *model)
{
  g_clear_pointer (&model->checkpoint, g_free);
  g_clear_pointer (&model->preset, g_free);
  g_clear_pointer (&model->dataset, g_free);
  g_clear_pointer (&model->dataset_id, g_free);
  *model = (UrbariumCityModel) { 0 };
}

static void
read_shares (UrbariumCityModel *model, JsonObject *reply)
{
  JsonObject *shares = urb_json_get_object (reply, "shares");
  model->has_shares = shares != NULL;
  for (int i = 0; i < URBARIUM_N_SHARES && model->has_shares; i++)
    {
      JsonObject *share = urb_json_get_object (shares, urbarium_share_keys[i]);
      model->has_shares = share != NULL;
      if (share != NULL)
        model->shares[i] = (UrbariumShareRange) {
          .low = CLAMP (urb_json_get_double (share, "low", 0), 0, 1),
          .high = CLAMP (urb_json_get_double (share, "high", 1), 0, 1),
          .mean = CLAMP (urb_json_get_double (share, "mean", 0), 0, 1),
        };
    }
}

static void
read_model (UrbariumCitySource *self, JsonObject *reply)
{
  gboolean same = g_strcmp0 (self->model.checkpoint,
                             urb_json_get_string (reply, "checkpoint", "")) == 0;
  model_clear (&self->model);
  self->model = (UrbariumCityModel) {
    .checkpoint = g_strdup (urb_json_get_string (reply, "checkpoint", "")),
    .preset = g_strdup (urb_json_get_string (reply, "preset", "")),
    .dataset = g_strdup (urb_json_get_string (reply, "dataset", NULL)),
    .dataset_id = g_strdup (urb_json_get_string (reply, "dataset_id", NULL)),
    .step = urb_json_get_int (reply, "step", 0),
    .images = urb_json_get_int (reply, "images", G_MAXINT64),
    .size_px = (int) CLAMP (urb_json_get_int (reply, "size_px", 0), 1, 8192),
    .base_px = (int) CLAMP (urb_json_get_int (reply, "base_px", 8192), 1, 8192),
    .n_channels = urb_json_get_int (reply, "channels", 3) == 1 ? 1 : 3,
    .area_size_m = urb_json_get_double (reply, "area_size_m", 250),
  };
  self->model.base_px = MIN (self->model.base_px, self->model.size_px);
  read_shares (&self->model, reply);
  g_clear_pointer (&self->failure, g_free);
  set_state (self, FALSE, TRUE);
  /* A restarted child continues with the same cities. */
  if (!same || self->n_deaths == 0)
    g_signal_emit (self, signals[OPENED], 0);
}

/* The cities not drawn yet. */
static void
fail_cities (Request *request, const char *text)
{
  for (guint i = request->n_done; i < request->cities->len; i++)
    if (request->cities->pdata[i] != NULL)
      urbarium_city_set_failure (request->cities->pdata[i], text);
}

static void
fail_all (UrbariumCitySource *self, const GError *error)
{
  UrbariumCity *city;
  g_free (self->failure);
  self->failure = g_strdup (error->message);
  while ((city = g_queue_pop_head (&self->wanted)) != NULL)
    {
      urbarium_city_set_failure (city, error->message);
      g_object_unref (city);
    }
  if (self->walk != NULL)
    fail_cities (self->walk, error->message);
  g_clear_pointer (&self->walk, request_free);
  set_state (self, FALSE, FALSE);
  g_signal_emit (self, signals[FAILED], 0, error);
}

static void
handle_error (UrbariumCitySource *self, Request *request, JsonObject *reply)
{
  g_autoptr(GError) error = urb_json_get_error (reply, "error");
  if (error == NULL)
    error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "");
  urbarium_engine_texts_translate_error (error);
  if (request->cancelled)
    return;
  if (request->kind == REQUEST_OPEN) /* after a restart, cities may already be waiting */
    fail_all (self, error);
  else
    fail_cities (request, error->message);
}

static void
replied_cb (gpointer owner, gint64 id, JsonObject *reply)
{
  g_autoptr(UrbariumCitySource) self = g_object_ref (owner);
  Request *request = find_request (self, id);
  guint position;
  if (request == NULL || !g_ptr_array_find (self->in_flight, request, &position))
    return;
  g_ptr_array_steal_index (self->in_flight, position);
  if (!urb_json_get_bool (reply, "ok", FALSE))
    handle_error (self, request, reply);
  else if (request->kind == REQUEST_OPEN && !request->cancelled)
    read_model (self, reply);
  else
    {
      self->n_deaths = 0;
      if (!request->cancelled) /* any city not sent by now will not come */
        fail_cities (request, _ ("urbarium-engine sent an unexpected reply. Its version may differ "
                                 "from this window’s; reinstall both."));
    }
  request_free (request);
  send_next (self);
}

static void
cities_cb (gpointer owner, gint64 id, gint64 count, GBytes *levels)
{
  g_autoptr(UrbariumCitySource) self = g_object_ref (owner);
  Request *request = find_request (self, id);
  const UrbariumCityModel *model = &self->model;
  gsize n_tile = (gsize) model->size_px * (gsize) model->size_px * (gsize) model->n_channels;
  if (request == NULL || request->cancelled)
    return;
  n_tile *= (gsize) (request->n_cols * request->n_rows);
  if (g_bytes_get_size (levels) != n_tile * (gsize) count)
    return;
  for (gint64 i = 0; i < count && request->n_done < request->cities->len; i++, request->n_done++)
    {
      UrbariumCity *city = request->cities->pdata[request->n_done];
      g_autoptr(GBytes) part = NULL;
      g_autoptr(UrbariumTile) tile = NULL;
      if (city == NULL)
        continue;
      /* Copied: a slice would keep the other three cities in memory. */
      part = g_bytes_new ((const guint8 *) g_bytes_get_data (levels, NULL) + (gsize) i * n_tile,
                          n_tile);
      if (request->kind == REQUEST_PROPOSE)
        tile = urbarium_tile_new_proposal (part, model->size_px, model->base_px, model->n_channels,
                                           model->area_size_m, request->given);
      else
        tile = urbarium_tile_new_wide (part, request->n_cols, request->n_rows, model->size_px,
                                       model->base_px, model->n_channels, model->area_size_m);
      urbarium_city_set_checkpoint (city, model->checkpoint);
      urbarium_city_set_tile (city, tile);
    }
}

static void
progress_cb (gpointer owner, gint64 id, double fraction)
{
  UrbariumCitySource *self = owner;
  Request *request = find_request (self, id);
  if (request != NULL && !request->cancelled)
    g_signal_emit (self, signals[PROGRESS], 0, CLAMP (fraction, 0, 1));
}

static void
given_cb (gpointer owner, gint64 id, JsonArray *polygons)
{
  UrbariumCitySource *self = owner;
  Request *request = find_request (self, id);
  if (request == NULL)
    return;
  g_clear_pointer (&request->given, urb_given_unref);
  request->given = urb_given_new_from_json (polygons, self->model.area_size_m, NULL);
}

static gboolean
is_walk (const Request *request)
{
  return request->kind == REQUEST_WALK || request->kind == REQUEST_PROPOSE;
}

/* Puts unfinished requests at the head of the queue, for the restarted child. */
static void
requeue_requests (UrbariumCitySource *self)
{
  while (self->in_flight->len > 0)
    {
      Request *request = g_ptr_array_steal_index (self->in_flight, self->in_flight->len - 1);
      for (guint i = request->kind == REQUEST_DRAW && !request->cancelled ? request->cities->len : 0;
           i-- > request->n_done;)
        if (request->cities->pdata[i] != NULL)
          g_queue_push_head (&self->wanted, g_object_ref (request->cities->pdata[i]));
      request->n_done = 0;
      if (is_walk (request) && self->walk == NULL && !request->cancelled)
        self->walk = request;
      else
        request_free (request);
    }
}

static void
died_cb (gpointer owner, const GError *error)
{
  g_autoptr(UrbariumCitySource) self = g_object_ref (owner);
  requeue_requests (self);
  urbarium_city_process_end (self->process);
  g_clear_object (&self->process);
  self->n_deaths++;
  if (self->n_deaths > MAX_DEATHS)
    {
      self->n_deaths = 0;
      fail_all (self, error);
      return;
    }
  start (self);
  if (self->process != NULL)
    g_signal_emit (self, signals[RESTARTED], 0, error);
}

/* ------------------------------------------------------------------------ */
/* Requests                                                                  */

/* Starts the child if needed, and opens the checkpoint. */
static void
start (UrbariumCitySource *self)
{
  static const UrbariumCityProcessFuncs funcs = { replied_cb, cities_cb, progress_cb, given_cb, died_cb };
  g_autoptr(GError) error = NULL;
  Request *request;
  JsonBuilder *json;
  if (self->process == NULL)
    self->process = urbarium_city_process_new (&funcs, self, &error);
  if (self->process == NULL)
    {
      fail_all (self, error);
      return;
    }
  request = request_new (self, REQUEST_OPEN);
  json = begin_line (request, "open");
  urb_json_add_string (json, "checkpoint", self->checkpoint);
  request->line = end_line (json);
  set_state (self, TRUE, FALSE);
  send (self, request);
}

static gboolean
follows (UrbariumCity *city, UrbariumCity *next)
{
  return next != NULL && !urbarium_city_is_turned (city) && !urbarium_city_is_turned (next)
         && urbarium_city_get_seed (city) == urbarium_city_get_seed (next)
         && urbarium_city_get_truncation (city) == urbarium_city_get_truncation (next)
         && urbarium_city_get_n_cols (city) == urbarium_city_get_n_cols (next)
         && urbarium_city_get_n_rows (city) == urbarium_city_get_n_rows (next)
         && urbarium_share_wish_equal (urbarium_city_get_shares (city), urbarium_city_get_shares (next))
         && urbarium_city_get_index (city) + 1 == urbarium_city_get_index (next);
}

static void
add_shares (JsonBuilder *json, UrbariumCity *city)
{
  const UrbariumShareWish *wish = urbarium_city_get_shares (city);
  if (!urbarium_share_wish_is_given (wish))
    return;
  urb_json_begin_object (json, "shares");
  for (int i = 0; i < URBARIUM_N_SHARES; i++)
    if (wish->share[i] >= 0)
      urb_json_add_double (json, urbarium_share_keys[i], wish->share[i]);
  urb_json_end_object (json);
}

static void
add_turn (JsonBuilder *json, UrbariumCity *city)
{
  const UrbTurn *turn = urbarium_city_get_turn (city);
  if (!urbarium_city_is_turned (city))
    return;
  urb_json_begin_object (json, "turn");
  urb_json_add_double (json, "x", turn->x);
  urb_json_add_double (json, "y", turn->y);
  urb_json_add_int (json, "directions", turn->directions);
  urb_json_end_object (json);
}

static void
send_draw (UrbariumCitySource *self)
{
  Request *request = request_new (self, REQUEST_DRAW);
  UrbariumCity *city = g_queue_pop_head (&self->wanted), *first = city;
  JsonBuilder *json = begin_line (request, "draw");
  g_ptr_array_add (request->cities, city);
  request->n_cols = urbarium_city_get_n_cols (city);
  request->n_rows = urbarium_city_get_n_rows (city);
  while (request->cities->len < BATCH && follows (city, g_queue_peek_head (&self->wanted)))
    {
      city = g_queue_pop_head (&self->wanted);
      g_ptr_array_add (request->cities, city);
    }
  urb_json_add_int (json, "seed", urbarium_city_get_seed (first));
  urb_json_add_int (json, "first", urbarium_city_get_index (first));
  urb_json_add_int (json, "count", request->cities->len);
  urb_json_add_double (json, "truncation", urbarium_city_get_truncation (first));
  if (request->n_cols * request->n_rows > 1)
    {
      urb_json_add_int (json, "columns", request->n_cols);
      urb_json_add_int (json, "rows", request->n_rows);
    }
  add_shares (json, first);
  add_turn (json, first);
  request->line = end_line (json);
  send (self, request);
}

static void
send_next (UrbariumCitySource *self)
{
  while (self->ready && self->process != NULL && self->in_flight->len < MAX_IN_FLIGHT)
    if (self->walk != NULL)
      send (self, g_steal_pointer (&self->walk));
    else if (self->wanted.length > 0)
      send_draw (self);
    else
      break;
}

void
urbarium_city_source_want (UrbariumCitySource *self, UrbariumCity *city)
{
  g_return_if_fail (URBARIUM_IS_CITY_SOURCE (self));
  if (urbarium_city_add_want (city, 1) > 1 || urbarium_city_is_between (city))
    return;
  if (g_queue_remove (&self->idle, city))
    g_object_unref (city);
  if (urbarium_city_get_tile (city) != NULL)
    return;
  urbarium_city_set_failure (city, self->failure);
  if (self->failure != NULL)
    return;
  g_queue_push_tail (&self->wanted, g_object_ref (city));
  send_next (self);
}

/* Removes the city from its request, and cancels a request without cities. */
static void
drop_from_requests (UrbariumCitySource *self, UrbariumCity *city)
{
  for (guint i = 0; i < self->in_flight->len; i++)
    {
      Request *request = self->in_flight->pdata[i];
      gboolean wanted = FALSE, found = FALSE;
      for (guint k = request->n_done; request->kind == REQUEST_DRAW && k < request->cities->len; k++)
        {
          if (request->cities->pdata[k] == city)
            {
              g_clear_object (&request->cities->pdata[k]);
              found = TRUE;
            }
          wanted = wanted || request->cities->pdata[k] != NULL;
        }
      if (found && !wanted && !request->cancelled)
        cancel (self, request);
    }
}

void
urbarium_city_source_unwant (UrbariumCitySource *self, UrbariumCity *city)
{
  g_return_if_fail (URBARIUM_IS_CITY_SOURCE (self));
  if (urbarium_city_add_want (city, -1) > 0 || urbarium_city_is_between (city))
    return;
  if (urbarium_city_get_tile (city) == NULL)
    {
      if (g_queue_remove (&self->wanted, city))
        g_object_unref (city);
      else
        drop_from_requests (self, city);
      return;
    }
  g_queue_push_tail (&self->idle, g_object_ref (city));
  while (self->idle.length > MAX_IDLE)
    {
      g_autoptr(UrbariumCity) oldest = g_queue_pop_head (&self->idle);
      urbarium_city_set_tile (oldest, NULL);
    }
}

static void
drop_request (Request *request, GPtrArray *dropped)
{
  for (guint i = request->n_done; i < request->cities->len; i++)
    if (request->cities->pdata[i] != NULL)
      g_ptr_array_add (dropped, g_steal_pointer (&request->cities->pdata[i]));
}

/* Called last: the handlers may release their references to this source. */
static void
fail_dropped (GPtrArray *dropped, const char *text)
{
  for (guint i = 0; i < dropped->len; i++)
    urbarium_city_set_failure (dropped->pdata[i], text);
}

static void
add_end (JsonBuilder *json, const char *key, UrbariumCity *city)
{
  urb_json_begin_object (json, key);
  urb_json_add_int (json, "seed", urbarium_city_get_seed (city));
  urb_json_add_int (json, "index", urbarium_city_get_index (city));
  add_turn (json, city);
  urb_json_end_object (json);
}

/* Returns: (transfer full): the cities of an unfinished walk or proposals */
static GPtrArray *
drop_walk (UrbariumCitySource *self)
{
  GPtrArray *dropped = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->in_flight->len; i++)
    {
      Request *old = self->in_flight->pdata[i];
      if (!is_walk (old) || old->cancelled)
        continue;
      drop_request (old, dropped);
      cancel (self, old);
    }
  if (self->walk != NULL)
    drop_request (self->walk, dropped);
  g_clear_pointer (&self->walk, request_free);
  return dropped;
}

static JsonBuilder *
begin_walk (UrbariumCitySource *self, RequestKind kind, GPtrArray *cities)
{
  self->walk = request_new (self, kind);
  for (guint i = 0; i < cities->len; i++)
    g_ptr_array_add (self->walk->cities, g_object_ref (cities->pdata[i]));
  return begin_line (self->walk, kind == REQUEST_WALK ? "walk" : "propose");
}

void
urbarium_city_source_walk (UrbariumCitySource *self, UrbariumCity *from, UrbariumCity *to,
                           GPtrArray *cities)
{
  g_autoptr(GPtrArray) dropped = NULL;
  JsonBuilder *json;
  g_return_if_fail (URBARIUM_IS_CITY_SOURCE (self) && cities->len >= 2);
  dropped = drop_walk (self);
  json = begin_walk (self, REQUEST_WALK, cities);
  add_end (json, "from", from);
  add_end (json, "to", to);
  urb_json_add_int (json, "n", cities->len);
  urb_json_add_string (json, "kind", "spherical");
  urb_json_add_double (json, "truncation", urbarium_city_get_truncation (from));
  add_shares (json, from);
  self->walk->line = end_line (json);
  send_next (self);
  fail_dropped (dropped, _ ("Another walk was started."));
}

void
urbarium_city_source_propose (UrbariumCitySource *self, const UrbariumSiteTask *task,
                              GPtrArray *cities)
{
  g_autoptr(GPtrArray) dropped = NULL;
  JsonBuilder *json;
  g_return_if_fail (URBARIUM_IS_CITY_SOURCE (self) && cities->len >= 1);
  dropped = drop_walk (self);
  json = begin_walk (self, REQUEST_PROPOSE, cities);
  if (task->given != NULL)
    urb_given_add_to_json (task->given, json, "given");
  else
    {
      urb_json_add_string (json, "keep", task->keep);
      urb_json_add_double (json, "x", task->place.x);
      urb_json_add_double (json, "y", task->place.y);
      urb_json_add_int (json, "epsg", task->place.epsg);
    }
  urb_json_add_int (json, "seed", task->seed);
  urb_json_add_int (json, "count", cities->len);
  add_shares (json, cities->pdata[0]);
  self->walk->line = end_line (json);
  send_next (self);
}

void
urbarium_city_source_stop (UrbariumCitySource *self)
{
  g_return_if_fail (URBARIUM_IS_CITY_SOURCE (self));
  g_ptr_array_unref (drop_walk (self));
}

/* Returns: (transfer full): the cities that were waiting to be drawn */
static GPtrArray *
drop_all (UrbariumCitySource *self)
{
  GPtrArray *dropped = g_ptr_array_new_with_free_func (g_object_unref);
  UrbariumCity *city;
  while ((city = g_queue_pop_head (&self->wanted)) != NULL)
    g_ptr_array_add (dropped, city);
  if (self->walk != NULL)
    drop_request (self->walk, dropped);
  g_clear_pointer (&self->walk, request_free);
  for (guint i = 0; i < self->in_flight->len; i++)
    {
      Request *request = self->in_flight->pdata[i];
      drop_request (request, dropped);
      if (!request->cancelled)
        cancel (self, request);
    }
  return dropped;
}

void
urbarium_city_source_open (UrbariumCitySource *self, const char *checkpoint)
{
  g_autoptr(UrbariumCitySource) alive = NULL;
  g_autoptr(GPtrArray) dropped = NULL;
  g_return_if_fail (URBARIUM_IS_CITY_SOURCE (self));
  alive = g_object_ref (self);
  g_free (self->checkpoint);
  self->checkpoint = g_strdup (checkpoint);
  g_clear_pointer (&self->failure, g_free);
  self->n_deaths = 0;
  g_queue_clear_full (&self->idle, g_object_unref);
  /* Most owners drop their cities at "opened", but an owner waiting for a city must be notified. */
  dropped = drop_all (self);
  if (checkpoint != NULL)
    start (self);
  else
    set_state (self, FALSE, FALSE);
  fail_dropped (dropped, _ ("Another checkpoint was opened."));
}

const UrbariumCityModel *
urbarium_city_source_get_model (UrbariumCitySource *self)
{
  return self->ready ? &self->model : NULL;
}

const UrbariumCityModel *
urbarium_city_source_get_last_model (UrbariumCitySource *self)
{
  return self->model.checkpoint != NULL ? &self->model : NULL;
}

const char *
urbarium_city_source_get_pid (UrbariumCitySource *self)
{
  return self->process != NULL ? urbarium_city_process_get_pid (self->process) : NULL;
}

UrbariumCitySource *
urbarium_city_source_new (void)
{
  return g_object_new (URBARIUM_TYPE_CITY_SOURCE, NULL);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumCitySource *self = URBARIUM_CITY_SOURCE (object);
  switch (id)
    {
    case PROP_READY: g_value_set_boolean (value, self->ready); break;
    case PROP_OPENING: g_value_set_boolean (value, self->opening); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
dispose (GObject *object)
{
  UrbariumCitySource *self = URBARIUM_CITY_SOURCE (object);
  if (self->process != NULL)
    urbarium_city_process_end (self->process);
  g_clear_object (&self->process);
  g_queue_clear_full (&self->wanted, g_object_unref);
  g_queue_clear_full (&self->idle, g_object_unref);
  g_clear_pointer (&self->walk, request_free);
  g_ptr_array_set_size (self->in_flight, 0);
  G_OBJECT_CLASS (urbarium_city_source_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumCitySource *self = URBARIUM_CITY_SOURCE (object);
  g_ptr_array_unref (self->in_flight);
  g_free (self->checkpoint);
  g_free (self->failure);
  model_clear (&self->model);
  G_OBJECT_CLASS (urbarium_city_source_parent_class)->finalize (object);
}

static void
urbarium_city_source_class_init (UrbariumCitySourceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  object_class->get_property = get_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  props[PROP_READY] = g_param_spec_boolean ("ready", NULL, NULL, FALSE, read);
  props[PROP_OPENING] = g_param_spec_boolean ("opening", NULL, NULL, FALSE, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[OPENED] = g_signal_new ("opened", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
  signals[PROGRESS] = g_signal_new ("progress", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  signals[RESTARTED] = g_signal_new ("restarted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
urbarium_city_source_init (UrbariumCitySource *self)
{
  self->in_flight = g_ptr_array_new_with_free_func (request_free);
  g_queue_init (&self->wanted);
  g_queue_init (&self->idle);
}
