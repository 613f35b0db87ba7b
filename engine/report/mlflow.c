/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlflow.c - see mlflow.h.
 *
 * Records are read from run.db by their number, in pages, and sent in batches as large as MLflow takes.  What was
 * sent is written down after each batch.  Values that are not finite are left out.
 *
 * Source: https://mlflow.org/docs/latest/api_reference/rest-api.html
 */
#include "report/mlflow.h"

#include <math.h>
#include <string.h>

#include "base/atomic-file.h"
#include "base/json-build.h"
#include "base/json-read.h"
#include "run/store/folder.h"
#include "run/store/run-db.h"
#include "run/store/tracker-pace.h"

/* MLflow takes so many metrics and parameters at a time; a page of records is one batch of metrics. */
enum { PAGE = 60, MAX_METRICS = 1000, MAX_PARAMS = 100 };
/* A step has its duration and its images, too. */
G_STATIC_ASSERT (PAGE * MAX ((int) URB_N_METRICS + 2, (int) URB_N_SCORES) <= MAX_METRICS);

static const char group[] = "mlflow";
static const char api[] = "api/2.0/mlflow/";

typedef struct
{
  const UrbMlflowOptions *options;
  UrbMlflowCall call;
  gpointer      user_data;
  UrbRunDb     *db;         /* owned */
  char         *server;     /* owned: its address without rights */
  char         *run_id, *artifacts; /* owned, nullable; where its artifacts are */
  gint64        seq;        /* of the last record that was sent */
  gint64        image_step; /* of the last sample grid; -1: none */
  JsonBuilder  *metrics;    /* (nullable) owned: the batch that is being built */
  gint64        n_metrics;  /* in it */
  GPtrArray    *images;     /* (element-type utf8) owned: files to be sent after it */
  UrbRunState   state;      /* the newest */
  double        state_time; /* 0: there is none */
  UrbMlflowSummary *out;    /* borrowed */
} Sender;

void
urb_mlflow_summary_clear (UrbMlflowSummary *self)
{
  g_clear_pointer (&self->run_id, g_free);
}

/* ------------------------------------------------------------------------ */
/* What was sent                                                             */

static char *
dup_state_path (const Sender *self)
{
  return g_build_filename (self->options->run, URB_RUN_MLFLOW_NAME, NULL);
}

/* Which server it is: its address without rights, as "https://host:port/path". */
static char *
dup_server (const char *address, GError **error)
{
  const GUriFlags flags = G_URI_FLAGS_PARSE_RELAXED | G_URI_FLAGS_ENCODED | G_URI_FLAGS_SCHEME_NORMALIZE;
  g_autoptr(GUri) uri = g_uri_parse (address, flags, NULL); /* its error may quote a password */
  char *server;

  if (uri == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "The address of the MLflow server cannot be taken "
                           "apart. In a user's name or password, write / ? # as %2F %3F %23.");
      return NULL;
    }
  if (g_uri_get_query (uri) != NULL || g_uri_get_fragment (uri) != NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "The address of an MLflow server has no ? and no #; "
                           "the variables MLFLOW_TRACKING_TOKEN, or _USERNAME and _PASSWORD, give what the server asks for.");
      return NULL;
    }
  server = g_uri_to_string_partial (uri, G_URI_HIDE_USERINFO);
  for (gsize n = strlen (server); n > 0 && server[n - 1] == '/'; n--)
    server[n - 1] = '\0';
  return server;
}

/* Another server does not know the run. */
static void
load_state (Sender *self)
{
  g_autofree char *path = dup_state_path (self), *server = NULL;
  g_autoptr(GKeyFile) file = g_key_file_new ();

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  server = g_key_file_get_string (file, group, "server", NULL);
  if (g_strcmp0 (server, self->server) != 0)
    return;
  self->run_id = g_key_file_get_string (file, group, "run_id", NULL);
  self->artifacts = g_key_file_get_string (file, group, "artifacts", NULL);
  self->seq = g_key_file_get_int64 (file, group, "record", NULL);
  self->image_step = g_key_file_get_int64 (file, group, "image_step", NULL);
}

static gboolean
save_state (Sender *self, GError **error)
{
  g_autofree char *path = dup_state_path (self), *text = NULL;
  g_autoptr(GKeyFile) keys = g_key_file_new ();
  g_autoptr(UrbAtomicFile) file = NULL;

  g_key_file_set_string (keys, group, "server", self->server);
  g_key_file_set_string (keys, group, "run_id", self->run_id);
  g_key_file_set_string (keys, group, "artifacts", self->artifacts);
  g_key_file_set_int64 (keys, group, "record", self->seq);
  g_key_file_set_int64 (keys, group, "image_step", self->image_step);
  text = g_key_file_to_data (keys, NULL, NULL);
  file = urb_atomic_file_open (path, error);
  return file != NULL && urb_atomic_file_set_mode (file, 0600, error) && urb_atomic_file_write (file, text, strlen (text), error)
         && urb_atomic_file_commit (file, error);
}

/* ------------------------------------------------------------------------ */
/* Calls                                                                     */

/* @json: (transfer full) */
static JsonObject *
post (Sender *self, const char *name, JsonBuilder *json, GError **error)
{
  g_autofree char *path = g_strconcat (api, name, NULL), *body = urb_json_end (json);
  const UrbMlflowRequest request = { "POST", path, body, strlen (body), "application/json" };

  return self->call (&request, self->user_data, error);
}

/* (transfer full) */
static char *
find_experiment (Sender *self, GError **error)
{
  g_autofree char *escaped = g_uri_escape_string (self->options->experiment, NULL, FALSE);
  g_autofree char *path = g_strdup_printf ("%sexperiments/get-by-name?experiment_name=%s", api, escaped);
  const UrbMlflowRequest request = { .method = "GET", .path = path };
  g_autoptr(GError) cause = NULL;
  g_autoptr(JsonObject) answer = self->call (&request, self->user_data, &cause);
  JsonObject *experiment = urb_json_get_object (answer, "experiment");
  JsonBuilder *json;

  if (answer == NULL && g_error_matches (cause, G_IO_ERROR, URB_MLFLOW_MISSING))
    {
      json = urb_json_new ();
      urb_json_add_string (json, "name", self->options->experiment);
      answer = post (self, "experiments/create", json, error);
      experiment = answer;
    }
  else if (answer == NULL)
    g_propagate_error (error, g_steal_pointer (&cause));
  return answer != NULL ? g_strdup (urb_json_get_string (experiment, "experiment_id", "")) : NULL;
}

/* An element of a list of names and values. */
static void
add_pair (JsonBuilder *json, const char *key, const char *value)
{
  urb_json_begin_object (json, NULL);
  urb_json_add_string (json, "key", key);
  urb_json_add_string (json, "value", value);
  urb_json_end_object (json);
}

static gint64
to_ms (double seconds)
{
  return (gint64) (seconds * 1000);
}

static gboolean
create_run (Sender *self, const UrbRunConfig *config, double begun, GError **error)
{
  g_autofree char *experiment = find_experiment (self, error), *base = g_path_get_basename (self->options->run);
  g_autoptr(JsonObject) answer = NULL;
  JsonBuilder *json;
  JsonObject *info;

  if (experiment == NULL)
    return FALSE;
  json = urb_json_new ();
  urb_json_add_string (json, "experiment_id", experiment);
  urb_json_add_int (json, "start_time", to_ms (begun));
  urb_json_add_string (json, "run_name", config->name != NULL ? config->name : base);
  urb_json_begin_array (json, "tags");
  add_pair (json, "urbarium.engine", URBARIUM_VERSION);
  if (config->note != NULL)
    add_pair (json, "mlflow.note.content", config->note);
  urb_json_end_array (json);
  answer = post (self, "runs/create", json, error);
  if (answer == NULL)
    return FALSE;
  info = urb_json_get_object (urb_json_get_object (answer, "run"), "info");
  self->run_id = g_strdup (urb_json_get_string (info, "run_id", ""));
  self->artifacts = g_strdup (urb_json_get_string (info, "artifact_uri", ""));
  if (*self->run_id != '\0')
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "The server did not give the run an id; is it an MLflow server?");
  return FALSE;
}

/* They cannot be changed later. */
static gboolean
send_settings (Sender *self, const UrbRunConfig *config, GError **error)
{
  for (guint first = 0; first < urb_run_settings.n_rows; first += MAX_PARAMS)
    {
      JsonBuilder *json = urb_json_new ();
      g_autoptr(JsonObject) answer = NULL;

      urb_json_add_string (json, "run_id", self->run_id);
      urb_json_begin_array (json, "params");
      for (guint i = first; i < MIN (first + MAX_PARAMS, urb_run_settings.n_rows); i++)
        {
          const UrbSetting *row = &urb_run_settings.rows[i];
          g_autofree char *text = (row->flags & URB_SETTING_SECRET) == 0 ? urb_setting_dup_text (row, config) : NULL;

          if (text != NULL)
            add_pair (json, row->key, text);
        }
      urb_json_end_array (json);
      answer = post (self, "runs/log-batch", json, error);
      if (answer == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
send_image (Sender *self, const char *file, GError **error)
{
  static const char proxied[] = "mlflow-artifacts:/";
  const char *place = self->artifacts;
  g_autofree char *source = g_build_filename (self->options->run, file, NULL), *path = NULL, *bytes = NULL;
  g_autoptr(JsonObject) answer = NULL;
  UrbMlflowRequest request = { .method = "PUT", .type = "image/png" };

  /* Another store has to be reached by itself; and a sample grid may have been thinned since. */
  if (!g_str_has_prefix (place, proxied) || !g_file_get_contents (source, &bytes, &request.n_bytes, NULL))
    return TRUE;
  for (place += strlen (proxied); *place == '/'; place++)
    ;
  request.path = path = g_strdup_printf ("api/2.0/mlflow-artifacts/artifacts/%s/%s", place, file);
  request.bytes = bytes;
  answer = self->call (&request, self->user_data, error);
  self->out->n_images += answer != NULL;
  return answer != NULL;
}

static gboolean
send_state (Sender *self, GError **error)
{
  static const char *const words[] = { [URB_RUN_FINISHED] = "FINISHED", [URB_RUN_FAILED] = "FAILED", [URB_RUN_STOPPED] = "KILLED" };
  const char *word = self->state < G_N_ELEMENTS (words) && words[self->state] != NULL ? words[self->state] : "RUNNING";
  JsonBuilder *json;
  g_autoptr(JsonObject) answer = NULL;

  if (self->state_time <= 0)
    return TRUE;
  json = urb_json_new ();
  urb_json_add_string (json, "run_id", self->run_id);
  urb_json_add_string (json, "status", word);
  if (strcmp (word, "RUNNING") != 0)
    urb_json_add_int (json, "end_time", to_ms (self->state_time));
  answer = post (self, "runs/update", json, error);
  return answer != NULL;
}

/* ------------------------------------------------------------------------ */
/* Records                                                                   */

static void
add_metric (Sender *self, const UrbRunRecord *record, const char *kind, const char *name, double value)
{
  g_autofree char *key = g_strdup_printf ("%s/%s", kind, name);

  if (!isfinite (value))
    return;
  urb_json_begin_object (self->metrics, NULL);
  urb_json_add_string (self->metrics, "key", key);
  urb_json_add_double (self->metrics, "value", value);
  urb_json_add_int (self->metrics, "timestamp", to_ms (record->time));
  urb_json_add_int (self->metrics, "step", record->step);
  urb_json_end_object (self->metrics);
  self->n_metrics++;
}

static void
add_step (Sender *self, const UrbRunRecord *record)
{
  if (record->step % self->options->every != 0)
    return;
  for (int i = 0; i < URB_N_METRICS; i++)
    add_metric (self, record, "train", urb_step_metric_names[i], record->metrics.values[i]);
  add_metric (self, record, "train", "seconds", record->metrics.seconds);
  add_metric (self, record, "train", "images", (double) record->metrics.images);
}

static void
add_sample (Sender *self, const UrbRunRecord *record)
{
  if (urb_tracker_is_soon_after (record->step, self->image_step))
    return;
  self->image_step = record->step;
  g_ptr_array_add (self->images, g_strdup (record->texts[0]));
}

static void
record_cb (const UrbRunRecord *record, gpointer user_data)
{
  Sender *self = user_data;
  UrbRunState state;

  self->seq = record->seq;
  if (record->type == URB_RUN_RECORD_STEP)
    add_step (self, record);
  else if (record->type == URB_RUN_RECORD_SAMPLE)
    add_sample (self, record);
  else if (record->type == URB_RUN_RECORD_SCORE)
    for (int i = 0; i < URB_N_SCORES; i++)
      add_metric (self, record, "score", urb_score_names[i], record->scores.values[i]);
  else if (record->type == URB_RUN_RECORD_EVENT && strcmp (record->texts[1], "state") == 0
           && urb_run_state_from_name (record->texts[2], &state))
    {
      self->state = state;
      self->state_time = record->time;
    }
  else if (record->type == URB_RUN_RECORD_EVENT && strcmp (record->texts[1], "rewound") == 0)
    self->image_step = MIN (self->image_step, record->step);
}

/* Returns: how many records were sent; -1 with an error */
static int
send_page (Sender *self, GError **error)
{
  g_autoptr(JsonObject) answer = NULL;
  int n;

  self->metrics = urb_json_new ();
  self->n_metrics = 0;
  g_ptr_array_set_size (self->images, 0);
  urb_json_add_string (self->metrics, "run_id", self->run_id);
  urb_json_begin_array (self->metrics, "metrics");
  n = urb_run_db_read (self->db, self->seq, PAGE, record_cb, self, error);
  urb_json_end_array (self->metrics);
  if (self->n_metrics > 0 && n > 0)
    answer = post (self, "runs/log-batch", g_steal_pointer (&self->metrics), error);
  g_clear_object (&self->metrics);
  if (n < 0 || (self->n_metrics > 0 && answer == NULL))
    return -1;
  for (guint i = 0; i < self->images->len; i++)
    if (!send_image (self, self->images->pdata[i], error))
      return -1;
  self->out->n_metrics += self->n_metrics;
  return n == 0 || save_state (self, error) ? n : -1;
}

/* ------------------------------------------------------------------------ */

static void
begun_cb (const UrbRunRecord *record, gpointer user_data)
{
  *(double *) user_data = record->time;
}

static gboolean
begin (Sender *self, GError **error)
{
  g_auto(UrbRunConfig) config = { 0 };
  double begun = 0;

  load_state (self);
  if (self->run_id != NULL)
    return TRUE;
  urb_run_config_init (&config);
  self->seq = 0;
  self->image_step = -1;
  return urb_run_folder_load_config (self->options->run, &config, error)
         && urb_run_db_read (self->db, 0, 1, begun_cb, &begun, error) >= 0
         && create_run (self, &config, begun, error) && send_settings (self, &config, error) && save_state (self, error);
}

static void
sender_clear (Sender *self)
{
  urb_run_db_free (self->db);
  g_free (self->server);
  g_free (self->run_id);
  g_free (self->artifacts);
  g_ptr_array_unref (self->images);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sender, sender_clear)

gboolean
urb_mlflow_send (const UrbMlflowOptions *options, UrbMlflowCall call, gpointer user_data, UrbMlflowSummary *out,
                 GError **error)
{
  g_autofree char *path = g_build_filename (options->run, "run.db", NULL);
  g_auto(Sender) self = { .options = options, .call = call, .user_data = user_data, .out = out,
                          .images = g_ptr_array_new_with_free_func (g_free) };
  int n = PAGE;

  *out = (UrbMlflowSummary) { 0 };
  self.server = dup_server (options->server, error);
  self.db = self.server != NULL ? urb_run_db_open_reader (path, error) : NULL;
  if (self.db == NULL || !begin (&self, error))
    return FALSE;
  while (n == PAGE)
    n = send_page (&self, error);
  if (n < 0 || !send_state (&self, error))
    return FALSE;
  out->run_id = g_strdup (self.run_id);
  return TRUE;
}
