/* SPDX-License-Identifier: Apache-2.0 */
/* test-notifier.c - a fake notification service receives notifications of runs that end, but not of
 * runs that had ended before or were stopped, nor while the window is active. */
#include <signal.h>

#include "app-test.h"
#include "app/shell/notifier.h"
#include "../runs/run-fixture.h"

static const char service_xml[]
  = "<node><interface name='org.freedesktop.Notifications'>"
    "<method name='Notify'><arg direction='in' type='s'/><arg direction='in' type='u'/>"
    "<arg direction='in' type='s'/><arg direction='in' type='s'/><arg direction='in' type='s'/>"
    "<arg direction='in' type='as'/><arg direction='in' type='a{sv}'/>"
    "<arg direction='in' type='i'/><arg direction='out' type='u'/></method>"
    "</interface></node>";

/* For the whole program: GIO's client does not survive the service. */
static GApplication    *application;
static GDBusConnection *connection; /* the service's own */
static GPtrArray       *heard;      /* "title|body" */

typedef struct
{
  UrbariumRunLibrary *library;  /* owned */
  UrbariumNotifier   *notifier; /* owned */
} Fixture;

static void
notify_cb (GDBusConnection *from, const char *sender, const char *path,
           const char *interface, const char *method, GVariant *arguments,
           GDBusMethodInvocation *invocation, gpointer user_data)
{
  const char *title, *body;
  g_variant_get_child (arguments, 3, "&s", &title);
  g_variant_get_child (arguments, 4, "&s", &body);
  g_ptr_array_add (heard, g_strconcat (title, "|", body, NULL));
  g_dbus_method_invocation_return_value (invocation, g_variant_new ("(u)", heard->len));
}

static void
named_cb (GDBusConnection *on, const char *name, gpointer named)
{
  *(gboolean *) named = TRUE;
}

static gboolean
is_true (gpointer value)
{
  return *(gboolean *) value;
}

static gboolean
is_scanned (gpointer library)
{
  gboolean loading;
  g_object_get (library, "loading", &loading, NULL);
  return !loading;
}

static void
start_service (void)
{
  static const GDBusInterfaceVTable vtable = { .method_call = notify_cb };
  g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (service_xml, NULL);
  g_autofree char *address = NULL;
  GError *error = NULL;
  gboolean named = FALSE;

  heard = g_ptr_array_new_with_free_func (g_free);
  address = g_dbus_address_get_for_bus_sync (G_BUS_TYPE_SESSION, NULL, &error);
  g_assert_no_error (error);
  connection = g_dbus_connection_new_for_address_sync (
    address,
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
    NULL, NULL, &error);
  g_assert_no_error (error);
  g_dbus_connection_register_object (connection, "/org/freedesktop/Notifications",
                                     node->interfaces[0], &vtable, NULL, NULL, &error);
  g_assert_no_error (error);
  g_bus_own_name_on_connection (connection, "org.freedesktop.Notifications",
                                G_BUS_NAME_OWNER_FLAGS_NONE, named_cb, NULL, &named, NULL);
  test_until (is_true, &named);

  application = g_application_new ("org.urbarium.Urbarium.Test", G_APPLICATION_NON_UNIQUE);
  g_application_register (application, NULL, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = run_fixture_path (data);
  fixture->library = urbarium_run_library_new (folder);
  test_until (is_scanned, fixture->library);
  fixture->notifier = urbarium_notifier_new (application, fixture->library);
  g_ptr_array_set_size (heard, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_assert_last_unref (fixture->notifier);
  run_until_gone (fixture->library);
}

static gboolean
has_heard (gpointer unused)
{
  return heard->len > 0;
}

/* Returns: (transfer full) */
static UrbariumRun *
add_run (Fixture *fixture, const char *name, int n_steps)
{
  g_autofree char *folder = run_fixture_start (name, n_steps, "");
  GError *error = NULL;
  UrbariumRun *run = urbarium_run_library_add (fixture->library, folder, &error);
  g_assert_no_error (error);
  return g_object_ref (run);
}

static void
test_finished (Fixture *fixture, gconstpointer data)
{
  UrbariumRun *run = add_run (fixture, "Heard", 40);
  test_until (has_heard, NULL);
  g_assert_cmpstr (heard->pdata[0], ==, "Training has finished|Heard");
  g_assert_cmpuint (heard->len, ==, 1);
  g_object_unref (run);
}

/* As after a power cut: nothing was stopped properly. */
static void
test_interrupted (Fixture *fixture, gconstpointer data)
{
  UrbariumRun *run = add_run (fixture, "Lost", 100000);
  g_autofree char *lock = g_build_filename (urbarium_run_get_folder (run), "lock", NULL);
  g_autofree char *pid = NULL;
  run_until_step (run, 1);
  g_assert_true (g_file_get_contents (lock, &pid, NULL, NULL));
  g_assert_cmpint (kill ((pid_t) g_ascii_strtoll (pid, NULL, 10), SIGKILL), ==, 0);
  test_until (has_heard, NULL);
  g_assert_cmpstr (heard->pdata[0], ==, "The run was interrupted|Lost");
  run_until_live (run, FALSE);
  g_object_unref (run);
}

static void
ended_cb (UrbariumNotifier *notifier, UrbariumRun *run, UrbariumRun **ended)
{
  *ended = run;
}

/* No notification of a stop by the user, nor while the window is active. */
static void
test_quiet (Fixture *fixture, gconstpointer data)
{
  UrbariumRun *run = add_run (fixture, "Stopped", 100000), *ended = NULL;
  gulong handler = g_signal_connect (fixture->notifier, "ended", G_CALLBACK (ended_cb), &ended);
  run_until_step (run, 1);
  g_assert_null (ended);
  urbarium_run_stop (run);
  run_until_state (run, URB_RUN_STOPPED);
  g_assert_true (ended == run); /* other parts of the program hear of it */
  g_signal_handler_disconnect (fixture->notifier, handler);
  g_object_unref (run);

  g_object_set (fixture->notifier, "quiet", TRUE, NULL);
  run = add_run (fixture, "Watched", 40);
  run_until_state (run, URB_RUN_FINISHED);
  g_object_unref (run);

  /* The first notification comes last: none was sent before it. */
  g_object_set (fixture->notifier, "quiet", FALSE, NULL);
  run = add_run (fixture, "Told", 40);
  test_until (has_heard, NULL);
  g_assert_cmpstr (heard->pdata[0], ==, "Training has finished|Told");
  g_object_unref (run);
}

int
main (int argc, char **argv)
{
  int status;
  test_app_init (&argc, &argv);
  run_fixture_init ();
  start_service ();
  g_test_add ("/finished", Fixture, "finished", set_up, test_finished, tear_down);
  g_test_add ("/interrupted", Fixture, "interrupted", set_up, test_interrupted, tear_down);
  g_test_add ("/quiet", Fixture, "quiet", set_up, test_quiet, tear_down);
  status = g_test_run ();
  run_fixture_clear ();
  return status;
}
