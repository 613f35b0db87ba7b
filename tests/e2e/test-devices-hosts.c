/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-devices-hosts.c - `devices --hosts` with a stand-in for ssh: what hosts have, and what is said of
 * those that cannot take part.  Nothing is sent over a network.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "engine-run.h"
#include "small-dataset.h"

/* What ssh prints and returns, and hosts with programs of their own.  It notes how it was called. */
static const char agent[] =
  "#!/bin/sh\n"
  "folder=${0%/*}; echo \"$*\" >> $folder/log; host=$1; shift\n"
  "say () { echo \"$2\" >&2; exit $1; }\n"
  "case $host in\n"
  "  *there) exec sh -c \"$*\";;\n"
  "  greeting) echo 'Welcome {'; sh -c \"$*\"; echo bye;;\n"
  "  nobody) say 255 'ssh: Could not resolve hostname nobody: Name or service not known';;\n"
  "  far) say 255 'ssh: connect to host far port 22: Connection timed out';;\n"
  "  shut) say 255 'ssh: connect to host shut port 22: Connection refused';;\n"
  "  stranger) say 255 'Host key verification failed.';;\n"
  "  locked) say 255 \"$(printf 'Banner\\n\\033[31mada@locked: Permission denied (publickey).\\n')\";;\n"
  "  slow) exec sleep 25;;\n"
  "  bare) say 127 'sh: 1: urbarium-engine: not found';;\n"
  "  broken) say 3 'no such library';;\n"
  "  odd) echo '[1, 2]';;\n"
  "  endless) exec yes '{';;\n"
  "  old) echo '{\"version\": \"0.0.1\", \"host\": \"old\", \"cpu\": {\"cores\": 2}}';;\n"
  "  rude) echo \"{\\\"version\\\": \\\"$URBARIUM_TEST_VERSION\\\", \\\"cpu\\\": 7, \\\"gpus\\\": [1, {}], \\\"dataset\\\": []}\";;\n"
  "  empty) echo \"{\\\"version\\\": \\\"$URBARIUM_TEST_VERSION\\\", \\\"dataset\\\": {\\\"exists\\\": false}}\";;\n"
  "  swapped) echo \"{\\\"version\\\": \\\"$URBARIUM_TEST_VERSION\\\", \\\"dataset\\\": {\\\"id\\\": \\\"x\\\"}}\";;\n"
  "esac\n";

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *path = NULL;

  self->folder = g_dir_make_tmp ("urbarium-hosts-XXXXXX", NULL);
  path = g_build_filename (self->folder, "agent", NULL);
  g_assert_true (g_file_set_contents (path, agent, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  g_setenv ("OMPI_MCA_plm_rsh_agent", path, TRUE);
  small_dataset_write (self->folder);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_spawn_sync (NULL, (char *[]){ "rm", "-rf", self->folder, NULL }, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                NULL, NULL, NULL);
  g_free (self->folder);
}

static EngineResult
ask (const Fixture *self, const char *hosts, const char *options)
{
  g_autofree char *path = g_build_filename (self->folder, "hosts", NULL);
  g_autofree char *arguments = g_strconcat ("devices --hosts @/hosts", options, NULL);

  g_assert_true (g_file_set_contents (path, hosts, -1, NULL));
  return engine_run_in (self->folder, arguments);
}

/* Returns: (transfer full): the "hosts" of the answer */
static JsonArray *
ask_json (const Fixture *self, const char *hosts, const char *options)
{
  g_autofree char *more = g_strconcat (" --json", options, NULL);
  g_auto(EngineResult) result = ask (self, hosts, more);
  g_autoptr(JsonParser) parser = json_parser_new ();
  g_autoptr(GError) error = NULL;

  g_assert_cmpint (result.code, ==, 0);
  g_assert_cmpstr (result.err, ==, "");
  json_parser_load_from_data (parser, result.out, -1, &error);
  g_assert_no_error (error);
  return json_array_ref (json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "hosts"));
}

static JsonObject *
get_host (JsonArray *hosts, guint i, const char *name)
{
  JsonObject *host = json_array_get_object_element (hosts, i);

  g_assert_cmpstr (json_object_get_string_member (host, "host"), ==, name);
  return host;
}

static void
assert_problem (JsonArray *hosts, guint i, const char *name, const char *problem, const char *details)
{
  JsonObject *host = get_host (hosts, i, name);

  g_assert_false (json_object_get_boolean_member (host, "ready"));
  g_assert_cmpstr (json_object_get_string_member (host, "problem"), ==, problem);
  if (details != NULL)
    g_assert_nonnull (strstr (json_object_get_string_member (host, "details"), details));
}

static void
assert_ready (JsonArray *hosts, guint i, const char *name, const char *dataset)
{
  JsonObject *host = get_host (hosts, i, name);

  g_assert_true (json_object_get_boolean_member (host, "ready"));
  g_assert_false (json_object_has_member (host, "problem"));
  g_assert_cmpstr (json_object_get_string_member_with_default (host, "dataset", NULL), ==, dataset);
}

/* What `devices --json` says there.  Nobody logs in to this machine. */
static void
test_ready (Fixture *self, gconstpointer data)
{
  g_autoptr(JsonArray) hosts = ask_json (self, "localhost slots=2 # here\nada@there\ngreeting slots=9\n",
                                         " --dataset @/areas.gpkg");
  g_autofree char *path = g_build_filename (self->folder, "log", NULL), *log = NULL;
  JsonObject *there = get_host (hosts, 1, "ada@there"), *devices, *cpu;

  assert_ready (hosts, 0, "localhost", "same");
  assert_ready (hosts, 1, "ada@there", "same");
  assert_ready (hosts, 2, "greeting", "same");
  g_assert_cmpint (json_object_get_int_member (get_host (hosts, 0, "localhost"), "slots"), ==, 2);
  g_assert_false (json_object_has_member (there, "slots"));
  devices = json_object_get_object_member (there, "devices");
  cpu = json_object_get_object_member (devices, "cpu");
  g_assert_cmpint (json_object_get_int_member (cpu, "cores"), ==, g_get_num_processors ());
  g_assert_cmpint (json_object_get_int_member (devices, "memory_bytes"), >, 0);
  g_assert_true (g_file_get_contents (path, &log, NULL, NULL));
  g_assert_null (strstr (log, "localhost"));
  g_assert_nonnull (strstr (log, "ada@there "));
  g_assert_nonnull (strstr (log, "urbarium-engine' devices --json --dataset '"));
}

/* Each with its reason.  All are asked at once: the slow one does not keep the others waiting. */
static void
test_problems (Fixture *self, gconstpointer data)
{
  static const struct { const char *host, *problem, *details; } cases[] = {
    { "nobody", "unknown", "Name or service not known" },
    { "far", "unreachable", "timed out" },
    { "shut", "no-server", "Connection refused" },
    { "stranger", "key", "verification failed" },
    { "locked", "login", "[31mada@locked: Permission denied" },
    { "slow", "silent", NULL },
    { "bare", "no-program", "not found" },
    { "broken", "failed", "no such library" },
    { "odd", "failed", NULL },
    { "endless", "failed", NULL },
    { "old", "other-version", "0.0.1 instead of " },
  };
  g_autoptr(GString) text = g_string_new ("localhost\n");
  g_autoptr(JsonArray) hosts = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_string_append_printf (text, "%s slots=1\n", cases[i].host);
  hosts = ask_json (self, text->str, " --timeout 2");
  g_assert_cmpuint (json_array_get_length (hosts), ==, 1 + G_N_ELEMENTS (cases));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_problem (hosts, 1 + i, cases[i].host, cases[i].problem, cases[i].details);
}

static void
set_version (void)
{
  g_auto(EngineResult) result = engine_run ("--version");

  g_setenv ("URBARIUM_TEST_VERSION", g_strstrip (strchr (result.out, ' ') + 1), TRUE);
}

static void
test_dataset (Fixture *self, gconstpointer data)
{
  g_autoptr(JsonArray) hosts = NULL;

  set_version ();
  hosts = ask_json (self, "localhost\nempty\nswapped\nrude\n", " --dataset @/areas.gpkg");
  assert_ready (hosts, 1, "empty", "missing");
  assert_problem (hosts, 2, "swapped", "other-dataset", NULL);
  assert_ready (hosts, 3, "rude", NULL);
}

/* Of this machine alone. */
static void
test_own_dataset (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) good = engine_run_in (self->folder, "devices --dataset @/areas.gpkg");
  g_auto(EngineResult) bad = engine_run_in (self->folder, "devices --dataset @/mini.preset");

  g_assert_cmpint (good.code, ==, 0);
  g_assert_nonnull (strstr (good.out, " areas in "));
  g_assert_cmpint (bad.code, ==, 0);
  g_assert_nonnull (strstr (bad.out, "Dataset     cannot be used: "));
}

/* mpirun would start rank 0 there. */
static void
test_not_here (Fixture *self, gconstpointer data)
{
  g_autoptr(JsonArray) hosts = NULL, itself = ask_json (self, "there\nlocalhost\n", "");

  assert_ready (itself, 0, "there", NULL); /* this machine by a name that it does not know */
  set_version ();
  hosts = ask_json (self, "rude\nlocalhost\n", "");
  assert_problem (hosts, 0, "rude", "not-here", NULL);
}

static void
test_text (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) good = ask (self, "localhost slots=1\nthere slots=3\n", " --dataset @/areas.gpkg");
  g_auto(EngineResult) bad = ask (self, "localhost\nlocked slots=2\n", "");

  g_assert_cmpint (good.code, ==, 0);
  g_assert_nonnull (strstr (good.out, "localhost   1 slot, this machine\n"));
  g_assert_nonnull (strstr (good.out, "there       3 slots, ready\n"));
  g_assert_nonnull (strstr (good.out, "the same dataset\n"));
  g_assert_cmpint (bad.code, ==, 1);
  g_assert_nonnull (strstr (bad.out, "locked      2 slots, cannot take part\n"
                                     "            It would ask for a password. Give it your key with ssh-copy-id.\n"));
  g_assert_null (strchr (bad.out, '\033'));
  g_assert_nonnull (strstr (bad.err, "1 of 2 hosts cannot take part"));
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  g_auto(EngineResult) option = ask (self, "-oProxyCommand=reboot\n", "");
  g_auto(EngineResult) none = ask (self, "# nobody\n", "");
  g_auto(EngineResult) time = ask (self, "localhost\n", " --timeout 0");
  g_auto(EngineResult) file = engine_run_in (self->folder, "devices --hosts @/nowhere");
  g_auto(EngineResult) no_dataset = ask (self, "localhost\nthere\n", " --dataset @/nowhere.gpkg");
  g_auto(EngineResult) bad_dataset = ask (self, "localhost\nthere\n", " --dataset @/mini.preset --json");

  g_assert_cmpint (option.code, ==, 2);
  g_assert_nonnull (strstr (option.err, "Line 1: "));
  g_assert_cmpint (none.code, ==, 2);
  g_assert_cmpint (time.code, ==, 2);
  g_assert_cmpint (file.code, ==, 3);
  g_assert_cmpint (no_dataset.code, ==, 3); /* of this machine; no host is asked */
  g_assert_nonnull (strstr (no_dataset.err, "nowhere.gpkg"));
  g_assert_cmpstr (no_dataset.out, ==, "");
  g_assert_cmpint (bad_dataset.code, ==, 3);
  g_assert_cmpstr (bad_dataset.out, ==, "");
  g_setenv ("OMPI_MCA_plm_rsh_agent", "/nowhere/ssh", TRUE);
  g_clear_pointer (&time.out, g_free);
  g_clear_pointer (&time.err, g_free);
  time = ask (self, "localhost\nthere\n", "");
  g_assert_cmpint (time.code, ==, 1);
  g_assert_nonnull (strstr (time.out, "This machine has no ssh to log in with."));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, func) g_test_add ("/devices-hosts/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("ready", test_ready);
  ADD ("problems", test_problems);
  ADD ("dataset", test_dataset);
  ADD ("own-dataset", test_own_dataset);
  ADD ("not-here", test_not_here);
  ADD ("text", test_text);
  ADD ("refused", test_refused);
  return g_test_run ();
}
