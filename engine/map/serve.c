/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.c - see serve.h.
 *
 * The order matters: what needs rights (libraries, drivers, the database of coordinate systems) is
 * loaded first, then the rights go, and only then is the first byte of a map read.
 */
#include "map/serve.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/out-of-memory.h"
#include "base/sandbox.h"
#include "base/show-text.h"
#include "map/identify-private.h"
#include "map/ogr-private.h"
#include "map/server.h"

/* A process that ignores SIGXCPU is killed this much later. */
#define GRACE_S 2

static gssize
read_request (gpointer fd, gpointer buffer, gsize n_bytes, GError **error)
{
  gssize n;

  do
    n = read (GPOINTER_TO_INT (fd), buffer, n_bytes);
  while (n < 0 && errno == EINTR);
  return MAX (n, 0);
}

/* -------- Rights and bounds -------- */

/* Never raises a limit. */
static void
limit (int resource, rlim_t soft, rlim_t hard)
{
  struct rlimit now;

  if (getrlimit (resource, &now) != 0)
    return;
  now.rlim_cur = MIN (now.rlim_cur, soft);
  now.rlim_max = MIN (now.rlim_max, hard);
  setrlimit (resource, &now);
}

/* The data of a sanitizer counts too, and is terabytes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_MEMORY FALSE
#else
#define LIMITS_MEMORY TRUE
#endif

static void
set_limits (const UrbMapLimits *limits)
{
  rlim_t memory = (rlim_t) limits->memory_bytes, cpu = (rlim_t) limits->cpu_s;

  limit (RLIMIT_CORE, 0, 0);
  limit (RLIMIT_CPU, cpu, cpu + GRACE_S);
  if (!LIMITS_MEMORY)
    return;
  limit (RLIMIT_DATA, memory, memory);
  limit (RLIMIT_FSIZE, memory, memory);
}

/* @address: (nullable): of the server that it may ask */
static void
give_up_rights (const UrbMapRequest *request, const UrbMapAddress *address)
{
  g_auto(GStrv) files = urb_map_request_list_files (request);
  g_autoptr(GStrvBuilder) readable = g_strv_builder_new ();
  g_auto(GStrv) all = NULL;
  g_autofree guint16 *ports = address != NULL ? urb_server_dup_ports (address) : NULL;
  /* Where the user has PROJ or GDAL elsewhere. */
  const char *const folders[] = { g_getenv ("PROJ_DATA"), g_getenv ("PROJ_LIB"),
                                  g_getenv ("GDAL_DATA") };

  g_strv_builder_addv (readable, (const char **) files);
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    if (folders[i] != NULL && *folders[i] != '\0')
      g_strv_builder_add (readable, folders[i]);
  all = g_strv_builder_end (readable);
  urb_sandbox_enter ((const char *const *) all, request->scratch, ports);
}

/* FALSE: nobody waits for an answer. */
static gboolean
die_with_parent (gint64 parent)
{
  return prctl (PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid () == (pid_t) parent;
}

/* -------- Answers -------- */

static void
progress_cb (double fraction, const char *what, gpointer out)
{
  urb_stream_put_double (out, fraction);
  urb_stream_put_text (out, what);
  urb_stream_send (out, URB_MESSAGE_PROGRESS);
}

/* What servers and libraries say may repeat a password. */
static void
hide (char **text, const UrbMapAddress *address)
{
  char *hidden = urb_map_address_hide (address, *text);

  g_free (*text);
  *text = hidden;
}

static void
hide_in_warnings (UrbMap *map, const UrbMapAddress *address)
{
  for (guint i = 0; i < map->warnings->len; i++)
    hide ((char **) &map->warnings->pdata[i], address);
}

static void
send_error (const GError *error, UrbStreamOut *out)
{
  gboolean is_ours = error->domain == URB_MAP_ERROR;

  urb_stream_put_int (out, is_ours ? error->code : URB_MAP_ERROR_READ);
  urb_stream_put_text (out, error->message);
  urb_stream_send (out, URB_MESSAGE_ERROR);
}

/* @question: of a point; its server is that of the request */
static void
serve_identify (UrbMapQuestion *question, const UrbMapRequest *request, const UrbMapAddress *address, UrbStreamOut *out)
{
  g_autoptr(GError) error = NULL;

  question->paths = request->paths;
  question->address = address;
  question->patience_s = urb_map_options_get_patience_s (&request->options);
  if (urb_map_answer_identify (question, out, &error))
    return;
  hide (&error->message, address);
  send_error (error, out);
}

const UrbMapAddress *
urb_map_serve_enter (const UrbMapRequest *request)
{
  UrbMapAddress *address
    = request->options.address != NULL ? urb_map_address_parse (request->options.address, NULL) : NULL;

  if (address != NULL)
    urb_server_register (address, urb_map_options_get_patience_s (&request->options));
  else
    urb_register_drivers ();
  urb_crs_load ();
  set_limits (&request->limits);
  give_up_rights (request, address);
  return address;
}

void
urb_map_serve_read (const UrbMapRequest *request, const UrbMapAddress *address, UrbStreamOut *out, int block)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urb_map_read ((const char *const *) request->paths, &request->options,
                                        URB_MAP_TO_SEND, block, progress_cb, out, NULL, &error);

  if (map != NULL && address != NULL)
    hide_in_warnings (map, address);
  if (map == NULL && address != NULL)
    hide (&error->message, address);
  if (map != NULL)
    urb_map_send (map, out);
  else
    send_error (error, out);
}

int
urb_map_serve (int in, int out, int block)
{
  g_auto(UrbStreamIn) input = { 0 };
  g_auto(UrbStreamOut) output = { 0 };
  g_auto(UrbMapRequest) request = { 0 };
  g_autoptr(UrbMap) around = NULL; /* of the point to identify */
  const UrbMapAddress *address;
  UrbMessageKind kind;
  guint64 n_bytes;
  UrbMapQuestion question = { 0 };

  urb_out_of_memory_prepare ("urbarium-engine-maps", NULL);
  urb_stream_in_init (&input, read_request, GINT_TO_POINTER (in));
  urb_stream_out_init (&output, out);
  if (!urb_stream_receive_head (&input, &kind, &n_bytes, NULL)
      || !urb_stream_receive_fields (&input, n_bytes, NULL))
    return 1;
  urb_map_request_get (&request, &input);
  if (kind == URB_MESSAGE_IDENTIFY)
    {
      question.x = urb_stream_get_double (&input);
      question.y = urb_stream_get_double (&input);
    }
  if (!urb_stream_end_fields (&input, NULL) || request.paths[0] == NULL
      || !die_with_parent (request.parent))
    return 1;
  if (kind == URB_MESSAGE_IDENTIFY
      && (!urb_stream_receive_head (&input, &kind, &n_bytes, NULL) || kind != URB_MESSAGE_MAP
          || (around = urb_map_receive (&input, n_bytes, G_MAXUINT64, -1, NULL)) == NULL))
    return 1;
  question.map = around;
  address = urb_map_serve_enter (&request);
  if (around != NULL)
    serve_identify (&question, &request, address, &output);
  else
    urb_map_serve_read (&request, address, &output, block);
  urb_stream_send (&output, URB_MESSAGE_END);
  return 0;
}
