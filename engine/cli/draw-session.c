/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draw-session.c - see draw-session.h.
 *
 * Cities are drawn in small batches, so that the first appears soon and a cancelled
 * request ends soon.
 */
#include "cli/draw-session-private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "city/tile-vectors.h"
#include "city/turn.h"
#include "run/store/json-line.h"
#include "train/checkpoint.h"
#include "train/latent.h"
#include "train/wide-sampler.h"

enum { BATCH = 4, MAX_COUNT = 4096 };

#define MAX_TRUNCATION 2.0

/* ------------------------------------------------------------------------ */
/* Requests                                                                  */

static gboolean
refuse (GError **error, UrbRunError code, const char *what)
{
  g_set_error_literal (error, URB_RUN_ERROR, code, what);
  return FALSE;
}

UrbDrawRequest *
urb_draw_request_new (const char *line, gsize length)
{
  UrbDrawRequest *self = g_new0 (UrbDrawRequest, 1);
  JsonNode *id;

  if (line == NULL)
    g_set_error (&self->error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL,
                 "The line is longer than %d bytes", URB_DRAW_LINE_MAX_BYTES);
  else
    self->object = urb_json_parse_line (line, length, &self->error);
  if (self->object == NULL)
    return self;
  id = json_object_get_member (self->object, "id");
  self->has_id = id != NULL && JSON_NODE_HOLDS_VALUE (id)
                 && json_node_get_value_type (id) == G_TYPE_INT64;
  if (self->has_id)
    self->id = json_node_get_int (id);
  if (!(self->has_id ? urb_draw_check_members (self->object, &self->error)
                     : refuse (&self->error, URB_RUN_ERROR_PROTOCOL, "A request needs an integer 'id'")))
    g_clear_pointer (&self->object, json_object_unref);
  return self;
}

void
urb_draw_request_free (UrbDrawRequest *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->object, json_object_unref);
  g_clear_error (&self->error);
  g_free (self);
}

const char *
urb_draw_request_get_cmd (const UrbDrawRequest *self)
{
  return self->object != NULL ? urb_json_get_string (self->object, "cmd", "") : "";
}

/* ------------------------------------------------------------------------ */
/* The generator                                                             */

void
urb_draw_session_clear (UrbDrawSession *self)
{
  g_clear_pointer (&self->sampler, urb_sampler_free);
  g_clear_pointer (&self->checkpoint, g_free);
}

gboolean
urb_draw_session_open (UrbDrawSession *self, const char *checkpoint, const UrbSamplerPlace *place,
                       GError **error)
{
  /* Resolved once, since a run's newest checkpoint may change at any moment. */
  g_autofree char *path = urb_checkpoint_find (checkpoint, error);
  UrbSampler *sampler = path != NULL ? urb_sampler_open (path, place, error) : NULL;

  if (sampler == NULL)
    return FALSE;
  urb_draw_session_clear (self);
  self->sampler = sampler;
  self->checkpoint = g_steal_pointer (&path);
  return TRUE;
}

/* ------------------------------------------------------------------------ */
/* Answers                                                                   */

JsonBuilder *
urb_draw_begin_line (const char *type, const UrbDrawRequest *request)
{
  JsonBuilder *json = urb_json_new ();

  urb_json_add_string (json, "type", type);
  if (request->has_id)
    urb_json_add_int (json, "id", request->id);
  else
    urb_json_add_string (json, "id", NULL);
  return json;
}

gboolean
urb_draw_send_line (JsonBuilder *json)
{
  g_autofree char *line = urb_json_end (json);

  return fputs (line, stdout) >= 0 && fputc ('\n', stdout) != EOF && fflush (stdout) == 0;
}

static gboolean
send_error (const UrbDrawRequest *request, const GError *error)
{
  JsonBuilder *json = urb_draw_begin_line ("reply", request);

  urb_json_add_bool (json, "ok", FALSE);
  urb_json_add_error (json, "error", error);
  return urb_draw_send_line (json);
}

/* The shares that can be asked for, with their range in the data. */
static void
add_shares (JsonBuilder *json, const UrbConditions *conditions)
{
  urb_json_begin_object (json, "shares");
  for (int i = 0; i < UK_N_SHARES && conditions != NULL; i++)
    {
      urb_json_begin_object (json, urb_share_names[i]);
      urb_json_add_double (json, "low", conditions->low[i]);
      urb_json_add_double (json, "high", conditions->high[i]);
      urb_json_add_double (json, "mean", conditions->mean[i]);
      urb_json_end_object (json);
    }
  urb_json_end_object (json);
}

static gboolean
send_info (UrbDrawSession *self, const UrbDrawRequest *request)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  JsonBuilder *json = urb_draw_begin_line ("reply", request);

  urb_json_add_bool (json, "ok", TRUE);
  urb_json_add_string (json, "checkpoint", self->checkpoint);
  urb_json_add_string (json, "preset", info->preset);
  urb_json_add_int (json, "step", info->step);
  urb_json_add_int (json, "images", info->images);
  urb_json_add_int (json, "size_px", info->size_px);
  urb_json_add_int (json, "base_px", info->base_px);
  urb_json_add_int (json, "channels", info->n_channels);
  urb_json_add_int (json, "latent", info->n_latent);
  urb_json_add_double (json, "area_size_m", info->area_size_m);
  add_shares (json, info->conditions);
  urb_json_add_string (json, "dataset", info->dataset);
  urb_json_add_string (json, "dataset_id", info->dataset_id);
  return urb_draw_send_line (json);
}

/* ------------------------------------------------------------------------ */
/* Variations                                                                */

/* @turn: (out): none if there is none */
static gboolean
read_turn (JsonObject *object, UrbTurn *turn, GError **error)
{
  JsonObject *member = urb_json_get_object (object, "turn");

  *turn = (UrbTurn) { urb_json_get_double (member, "x", 0), urb_json_get_double (member, "y", 0),
                      urb_json_get_int (member, "directions", 1) };
  return urb_turn_is_valid (turn)
         || refuse (error, URB_RUN_ERROR_PROTOCOL,
                    "'turn' must have 'x' and 'y' from -2 to 2, and 'directions' from 1 to "
                    G_STRINGIFY (URB_TURN_MAX_DIRECTIONS));
}

/* The directions of all turns.  No city has this seed. */
#define DIRECTIONS_SEED G_MAXUINT64

static void
turn_input (UrbDrawSession *self, const UrbTurn *turn, float *z)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  g_autofree float *across = g_new (float, info->n_inputs), *up = g_new (float, info->n_inputs);

  if (!urb_turn_is_some (turn))
    return;
  urb_sampler_get_input (self->sampler, DIRECTIONS_SEED, 2 * (turn->directions - 1), across);
  urb_sampler_get_input (self->sampler, DIRECTIONS_SEED, 2 * turn->directions - 1, up);
  urb_latent_turn (z, info->n_latent, across, up, turn->x, turn->y);
}

/* ------------------------------------------------------------------------ */
/* draw, walk                                                                */

/* The generator's inputs for a request. */
typedef struct
{
  gboolean walk;
  gint64   seed, first;       /* draw: counted from 0 */
  gint64   count;
  gint64   n_cols, n_rows;    /* areas of a city */
  float   *from, *to;         /* walk: (n_inputs), owned */
  double   truncation;
  UrbTurn  turn;              /* of one area */
} Task;

static gboolean
is_wide (const Task *self)
{
  return self->n_cols * self->n_rows > 1;
}

static void
task_clear (Task *self)
{
  g_free (self->from);
  g_free (self->to);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Task, task_clear)

static gboolean
check_index (gint64 index, GError **error)
{
  return (index >= 1 && index <= G_MAXINT32)
         || refuse (error, URB_RUN_ERROR_PROTOCOL, "Cities are numbered from 1 to 2147483647");
}

static gboolean
read_end (UrbDrawSession *self, JsonObject *object, const char *name, float **z, GError **error)
{
  JsonObject *end = urb_json_get_object (object, name);
  UrbTurn turn;
  gint64 index;

  if (end == NULL)
    return refuse (error, URB_RUN_ERROR_PROTOCOL,
                   "A walk needs the objects 'from' and 'to' with 'seed' and 'index'");
  index = urb_json_get_int (end, "index", 0);
  if (!check_index (index, error) || !read_turn (end, &turn, error))
    return FALSE;
  *z = g_new (float, urb_sampler_get_info (self->sampler)->n_inputs);
  urb_sampler_get_input (self->sampler, (guint64) urb_json_get_int (end, "seed", 1), index - 1,
                         *z);
  turn_input (self, &turn, *z);
  return TRUE;
}

gboolean
urb_draw_read_shares (UrbDrawSession *self, JsonObject *object, GError **error)
{
  UrbShareWish wish = URB_SHARES_AS_IN_DATA;
  JsonObject *shares = urb_json_get_object (object, "shares");

  for (int i = 0; i < UK_N_SHARES && shares != NULL; i++)
    if (json_object_has_member (shares, urb_share_names[i]))
      {
        wish.share[i] = urb_json_get_double (shares, urb_share_names[i], -1);
        if (!(wish.share[i] >= 0 && wish.share[i] <= 1))
          return refuse (error, URB_RUN_ERROR_PROTOCOL, "Each of 'shares' must be a number from 0 to 1");
      }
  return urb_sampler_ask (self->sampler, &wish, NULL, error);
}

static gboolean
read_task (UrbDrawSession *self, JsonObject *object, gboolean walk, Task *task, GError **error)
{
  gint64 first;

  if (self->sampler == NULL)
    return refuse (error, URB_RUN_ERROR_STATE, "No checkpoint is open yet");
  if (!urb_draw_read_shares (self, object, error))
    return FALSE;
  task->truncation = urb_json_get_double (object, "truncation", 1);
  if (!(task->truncation > 0 && task->truncation <= MAX_TRUNCATION))
    return refuse (error, URB_RUN_ERROR_PROTOCOL, "'truncation' must be above 0 and at most 2");
  task->walk = walk;
  if (walk)
    {
      task->count = urb_json_get_int (object, "n", 0);
      if (strcmp (urb_json_get_string (object, "kind", "spherical"), "spherical") != 0)
        return refuse (error, URB_RUN_ERROR_PROTOCOL, "The only kind of walk is 'spherical'");
      if (task->count < 2 || task->count > MAX_COUNT)
        return refuse (error, URB_RUN_ERROR_PROTOCOL, "A walk has 2 to 4096 cities");
      return read_end (self, object, "from", &task->from, error)
             && read_end (self, object, "to", &task->to, error);
    }
  task->seed = urb_json_get_int (object, "seed", 1);
  first = urb_json_get_int (object, "first", 1);
  if (!check_index (first, error))
    return FALSE;
  task->first = first - 1;
  task->count = urb_json_get_int (object, "count", 1);
  if (task->count < 1 || task->count > MAX_COUNT)
    return refuse (error, URB_RUN_ERROR_PROTOCOL, "'count' must be 1 to 4096");
  task->n_cols = urb_json_get_int (object, "columns", 1);
  task->n_rows = urb_json_get_int (object, "rows", 1);
  if (!urb_city_check_areas (task->n_cols, task->n_rows, error))
    return FALSE;
  if (is_wide (task) && task->truncation != 1)
    return refuse (error, URB_RUN_ERROR_PROTOCOL, "Cities of several areas have a 'truncation' of 1");
  if (is_wide (task) && json_object_has_member (object, "turn"))
    return refuse (error, URB_RUN_ERROR_PROTOCOL, "Only cities of one area can have a 'turn'");
  return read_turn (object, &task->turn, error);
}

static void
make_input (UrbDrawSession *self, const Task *task, gint64 i, float *z)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);

  if (task->walk)
    urb_latent_between (task->from, task->to, info->n_latent, info->n_inputs, (double) i / (double) (task->count - 1), z);
  else
    urb_sampler_get_input (self->sampler, (guint64) task->seed, task->first + i, z);
  turn_input (self, &task->turn, z);
  for (int k = 0; k < info->n_latent; k++)
    z[k] = (float) (z[k] * task->truncation);
}

gboolean
urb_draw_send_cities (const UrbDrawRequest *request, gint64 first, gint64 count, const guint8 *levels,
                      gsize n_bytes)
{
  JsonBuilder *json = urb_draw_begin_line ("cities", request);

  urb_json_add_int (json, "first", first + 1);
  urb_json_add_int (json, "count", count);
  urb_json_add_int (json, "bytes", (gint64) n_bytes);
  return urb_draw_send_line (json) && fwrite (levels, 1, n_bytes, stdout) == n_bytes && fflush (stdout) == 0;
}

static gboolean
check_cancelled (UrbDrawRequest *request, GError **error)
{
  if (g_atomic_int_get (&request->cancelled))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The request was cancelled");
  return !g_atomic_int_get (&request->cancelled);
}

/* Cities of several areas, one at a time.  Returns as draw_all () does. */
static gboolean
draw_wide (UrbDrawSession *self, UrbDrawRequest *request, const Task *task, GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  gsize n_bytes = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels
                  * (gsize) (task->n_cols * task->n_rows);
  g_autoptr(UrbWideSampler) wide
    = urb_wide_sampler_new (self->sampler, (int) task->n_cols, (int) task->n_rows, error);
  g_autofree guint8 *levels = g_malloc (n_bytes);

  for (gint64 i = 0; i < task->count && wide != NULL; i++)
    {
      if (!check_cancelled (request, error)
          || !urb_wide_sampler_generate (wide, (guint64) task->seed, task->first + i, levels, NULL, error))
        return TRUE;
      if (!urb_draw_send_cities (request, task->first + i, 1, levels, n_bytes))
        return FALSE;
    }
  return TRUE;
}

/* Returns: FALSE if stdout was closed; errors of the generator are in @error */
static gboolean
draw_all (UrbDrawSession *self, UrbDrawRequest *request, const Task *task, GError **error)
{
  const UrbSamplerInfo *info = urb_sampler_get_info (self->sampler);
  gsize tile = (gsize) info->size_px * (gsize) info->size_px * (gsize) info->n_channels;
  g_autofree float *z = g_new (float, BATCH * (gsize) info->n_inputs);
  g_autofree guint8 *levels = g_malloc (tile * BATCH);

  for (gint64 done = 0; done < task->count; done += BATCH)
    {
      gint64 n = MIN (BATCH, task->count - done);

      if (!check_cancelled (request, error))
        return TRUE;
      for (gint64 i = 0; i < n; i++)
        make_input (self, task, done + i, z + i * info->n_inputs);
      if (!urb_sampler_generate_from (self->sampler, z, n, levels, error))
        return TRUE;
      if (!urb_draw_send_cities (request, task->first + done, n, levels, tile * (gsize) n))
        return FALSE;
    }
  return TRUE;
}

static gboolean
answer_task (UrbDrawSession *self, UrbDrawRequest *request, gboolean walk)
{
  g_auto(Task) task = { 0 };
  g_autoptr(GError) error = NULL;
  JsonBuilder *json;

  if (read_task (self, request->object, walk, &task, &error)
      && !(is_wide (&task) ? draw_wide : draw_all) (self, request, &task, &error))
    return FALSE;
  if (error != NULL)
    return send_error (request, error);
  json = urb_draw_begin_line ("reply", request);
  urb_json_add_bool (json, "ok", TRUE);
  urb_json_add_int (json, "count", task.count);
  return urb_draw_send_line (json);
}

/* ------------------------------------------------------------------------ */

/* Members of @object override the command-line options of the same name.
 * @place: (out): borrows from @object and @self */
static gboolean
read_place (const UrbDrawSession *self, JsonObject *object, UrbSamplerPlace *place, GError **error)
{
  const char *precision = urb_json_get_string (object, "precision", NULL);
  gint64 n_threads = urb_json_get_int (object, "threads", self->place.n_threads);

  if (n_threads < 0 || n_threads > 4096)
    return refuse (error, URB_RUN_ERROR_PROTOCOL, "'threads' must be 1 to 4096, or 0 for all");
  *place = self->place;
  place->n_threads = (int) n_threads;
  place->device = urb_json_get_string (object, "device", self->place.device);
  return precision == NULL || urb_precision_parse (precision, &place->precision, error);
}

static gboolean
answer_open (UrbDrawSession *self, UrbDrawRequest *request)
{
  const char *checkpoint = urb_json_get_string (request->object, "checkpoint", NULL);
  UrbSamplerPlace place;
  g_autoptr(GError) error = NULL;

  if (checkpoint == NULL)
    refuse (&error, URB_RUN_ERROR_PROTOCOL, "'open' needs a 'checkpoint'");
  else if (read_place (self, request->object, &place, &error)
           && urb_draw_session_open (self, checkpoint, &place, &error))
    return send_info (self, request);
  return send_error (request, error);
}

gboolean
urb_draw_session_answer (UrbDrawSession *self, UrbDrawRequest *request)
{
  const char *cmd = urb_draw_request_get_cmd (request);
  g_autoptr(GError) error = g_steal_pointer (&request->error);

  if (error != NULL)
    return send_error (request, error);
  if (g_atomic_int_get (&request->cancelled))
    g_set_error (&error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The request was cancelled");
  else if (strcmp (cmd, "open") == 0)
    return answer_open (self, request);
  else if (strcmp (cmd, "draw") == 0 || strcmp (cmd, "walk") == 0)
    return answer_task (self, request, strcmp (cmd, "walk") == 0);
  else if (strcmp (cmd, "propose") == 0)
    {
      if (!urb_draw_answer_propose (self, request, &error))
        return FALSE;
      if (error == NULL)
        return TRUE;
    }
  else if (strcmp (cmd, "info") == 0 && self->sampler != NULL)
    return send_info (self, request);
  else if (strcmp (cmd, "info") == 0)
    refuse (&error, URB_RUN_ERROR_STATE, "No checkpoint is open yet");
  else
    g_set_error (&error, URB_RUN_ERROR, URB_RUN_ERROR_PROTOCOL, "Unknown command '%s'", cmd);
  return send_error (request, error);
}
