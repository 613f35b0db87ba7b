/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-control.c - a client that sends invalid lines through control.sock.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "run/store/control-socket.h"
#include "run/store/control.h"
#include "run/store/run-db.h"

static const char *const good[] = {
  "{\"id\":1,\"cmd\":\"status\"}\n{\"id\":2,\"cmd\":\"subscribe\",\"since\":0}\n",
  "{\"cmd\":\"resume\",\"steps\":100,\"more\":[1,2.5,true,null,{\"a\":\"\\u00e4\\n\"}]}\n",
  "{\"id\":3,\"cmd\":\"pause\"}\n{\"id\":4,\"cmd\":\"unsubscribe\"}\n{\"id\":5,\"cmd\":\"stop\"}\n",
};

/* Reused for all inputs. */
static UrbRunFolder *folder;
static UrbControl *control;
static char *path;

static gboolean
command_cb (const char *cmd, JsonObject *request, JsonBuilder *reply, gpointer user_data,
            GError **error)
{
  if (strlen (cmd) % 2 == 0)
    {
      g_set_error (error, URB_RUN_ERROR, URB_RUN_ERROR_STATE, "No '%s' now", cmd);
      return FALSE;
    }
  urb_json_add_int (reply, "steps", urb_json_get_int (request, "steps", -1));
  return TRUE;
}

static void
status_cb (JsonBuilder *json, gpointer user_data)
{
  urb_json_add_string (json, "state", "running");
}

static const UrbControlOps ops = { .command = command_cb, .status = status_cb };

static void
close_control (void)
{
  g_autofree char *command = g_strdup_printf ("rm -r '%s'", path);
  urb_control_free (control);
  urb_run_folder_free (folder);
  g_assert_cmpint (system (command), ==, 0);
  g_free (path);
}

static void
open_control (void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *db_path = NULL;
  UrbRunDb *db;
  path = g_dir_make_tmp ("urbarium-fuzz-XXXXXX", NULL);
  folder = urb_run_folder_create (path, URB_RUN_FOLDER_NEW, &error);
  g_assert_no_error (error);
  db_path = urb_run_folder_dup_file (folder, "run.db");
  db = urb_run_db_open (db_path, &error);
  g_assert_no_error (error);
  urb_run_db_add_event (db, "info", "state", 0, "running", NULL);
  urb_run_db_free (db);
  control = urb_control_new (folder, &ops, NULL, &error);
  g_assert_no_error (error);
  atexit (close_control);
}

void
fuzz_add_seeds (GPtrArray *inputs)
{
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    fuzz_add_input (inputs, good[i], strlen (good[i]));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  char bytes[4096];
  gssize n;
  int fd;
  if (control == NULL)
    open_control ();
  fd = urb_control_socket_connect (path, URB_CONTROL_SOCKET_NAME, NULL);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (send (fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL), >=, 0);
  shutdown (fd, SHUT_WR);
  /* Until the server has read everything and closed the connection. */
  do
    {
      g_main_context_iteration (NULL, FALSE);
      n = recv (fd, bytes, sizeof bytes, MSG_DONTWAIT);
    }
  while (n > 0 || (n < 0 && errno == EAGAIN));
  close (fd);
  return 0;
}
