/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-hosts.c - hosts files: what is read, what is refused, and what is written.
 */
#include <string.h>

#include "settings/hosts.h"
#include "settings/strategy.h"

static void
assert_host (const GPtrArray *hosts, guint i, const char *name, int n_slots)
{
  const UrbHost *host = hosts->pdata[i];

  g_assert_cmpstr (host->name, ==, name);
  g_assert_cmpint (host->n_slots, ==, n_slots);
}

/* As mpirun reads it: comments, blank lines, words that we do not know. */
static void
test_parse (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) hosts = urb_hosts_parse ("# ours\n\n  here.example\tslots=1 # this one\r\n"
                                                "ada@10.0.0.7 max_slots=9 slots=4\n\t# last\nthere\nfar slots = 2\t\n\n# end", &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (hosts->len, ==, 4);
  assert_host (hosts, 0, "here.example", 1);
  assert_host (hosts, 1, "ada@10.0.0.7", 4);
  assert_host (hosts, 2, "there", 0);
  assert_host (hosts, 3, "far", 2);
  text = urb_hosts_to_text (hosts);
  g_assert_cmpstr (text, ==, "# ours\n\nhere.example slots=1 # this one\n"
                   "ada@10.0.0.7 slots=4 max_slots=9\n\t# last\nthere\nfar slots=2\n\n# end\n");
}

/* To be mended by a person: nothing is lost. */
static void
test_damaged (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) hosts = urb_hosts_parse_any ("here slots=1\n # a\n there slots=O # b\nfar\n-x\xff\n", &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (hosts->len, ==, 4);
  assert_host (hosts, 0, "here", 1);
  assert_host (hosts, 1, "there slots=O # b", 0);
  assert_host (hosts, 2, "far", 0);
  assert_host (hosts, 3, "-x\uFFFD", 0);
  g_assert_null (((UrbHost *) hosts->pdata[0])->damage);
  g_assert_cmpstr (((UrbHost *) hosts->pdata[1])->damage, ==, "“slots=O” needs a number from 1 to 4096.");
  g_assert_nonnull (((UrbHost *) hosts->pdata[3])->damage);
  text = urb_hosts_to_text (hosts);
  g_assert_cmpstr (text, ==, "here slots=1\n # a\nthere slots=O # b\nfar\n-x\uFFFD\n");
  g_assert_null (urb_hosts_parse_any ("# a\n", &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
}

/* What would be an option of ssh, or cannot be a host. */
static void
test_refused (void)
{
  static const struct { const char *text, *says; } cases[] = {
    { "", "names no host" },
    { " \n# a\n", "names no host" },
    { "a\n-oProxyCommand=x slots=1\n", "Line 2: “-oProxyCommand=x” cannot be" },
    { "a;b\n", "Line 1: “a;b” cannot be" },
    { "$(a)\n", "Line 1: “$(a)” cannot be" },
    { "a slots=0\n", "Line 1: “slots=0” needs a number" },
    { "a slots=two\n", "Line 1: “slots=two” needs a number" },
    { "a slots=5000\n", "from 1 to 4096" },
    { "a slots =\n", "Line 1: “slots=” needs a number" },
    { "slots=2\n", "Line 1: “slots=2” cannot be" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;
      g_assert_null (urb_hosts_parse (cases[i].text, &error));
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].says));
    }
}

static void
test_problems (void)
{
  for (int i = 0; i < URB_N_HOST_PROBLEMS; i++)
    g_assert_cmpint (urb_host_problem_find (urb_host_problems[i].name), ==, i);
  g_assert_cmpint (urb_host_problem_find (NULL), ==, URB_HOST_READY);
  g_assert_cmpint (urb_host_problem_find ("of a later version"), ==, URB_HOST_FAILED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hosts/parse", test_parse);
  g_test_add_func ("/hosts/damaged", test_damaged);
  g_test_add_func ("/hosts/refused", test_refused);
  g_test_add_func ("/hosts/problems", test_problems);
  return g_test_run ();
}
