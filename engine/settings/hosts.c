/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - see hosts.h.
 */
#include "settings/hosts.h"

#include <string.h>

#include <glib/gi18n.h>

#include "settings/strategy.h"

UrbHost *
urb_host_new (const char *name, int n_slots)
{
  UrbHost *self = g_new0 (UrbHost, 1);

  self->name = g_strdup (name);
  self->n_slots = n_slots;
  return self;
}

void
urb_host_free (UrbHost *self)
{
  g_free (self->name);
  g_free (self);
}

/* The name becomes an argument of ssh and a word of the file: it must not look like an option, nor end
 * early. */
gboolean
urb_host_check_name (const char *name, GError **error)
{
  static const char good[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-._:@%[]";

  if (*name == '\0')
    return urb_options_fail (error, "A host needs a name or an address.");
  if (*name == '-' || strspn (name, good) != strlen (name))
    return urb_options_fail (error, "“%s” cannot be the name of a host. A name consists of letters, digits, "
                             "points and hyphens.", name);
  return TRUE;
}

/* mpirun allows spaces around "=". */
static GStrv
split_words (const char *line)
{
  g_auto(GStrv) sides = g_strsplit (line, "=", -1);
  g_autofree char *narrow = NULL;

  for (guint i = 0; sides[i] != NULL; i++)
    g_strstrip (sides[i]);
  narrow = g_strjoinv ("=", sides);
  return g_strsplit_set (narrow, " \t\r", -1);
}

/* Returns: (nullable) (transfer full): NULL with an error */
static UrbHost *
parse_line (const char *line, GError **error)
{
  g_auto(GStrv) words = split_words (line);
  const char *name = NULL;
  gint64 n_slots = 0;

  for (char **word = words; *word != NULL; word++)
    if (**word != '\0' && name == NULL)
      name = *word;
    else if (g_str_has_prefix (*word, "slots="))
      {
        char *end;
        n_slots = g_ascii_strtoll (*word + strlen ("slots="), &end, 10);
        if (*end != '\0' || n_slots < 1 || n_slots > URB_MAX_RANKS)
          {
            urb_options_fail (error, "“%s” needs a number from 1 to %d.", *word, URB_MAX_RANKS);
            return NULL;
          }
      }
  return urb_host_check_name (name, error) ? urb_host_new (name, (int) n_slots) : NULL;
}

GPtrArray *
urb_hosts_parse (const char *text, GError **error)
{
  g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_host_free);
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      UrbHost *host;
      lines[i][strcspn (lines[i], "#")] = '\0';
      if (*g_strstrip (lines[i]) == '\0')
        continue;
      host = parse_line (lines[i], error);
      if (host == NULL)
        {
          g_prefix_error (error, "Line %u: ", i + 1);
          return NULL;
        }
      g_ptr_array_add (hosts, host);
    }
  if (hosts->len > 0)
    return g_steal_pointer (&hosts);
  urb_options_fail (error, "It names no host; write one a line, as “name slots=2”, this machine first.");
  return NULL;
}

char *
urb_hosts_to_text (const GPtrArray *hosts)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (guint i = 0; i < hosts->len; i++)
    {
      const UrbHost *host = hosts->pdata[i];
      g_string_append (text, host->name);
      if (host->n_slots > 0)
        g_string_append_printf (text, " slots=%d", host->n_slots);
      g_string_append_c (text, '\n');
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ------------------------------------------------------------------------ */

const UrbHostProblemInfo urb_host_problems[URB_N_HOST_PROBLEMS] = {
  [URB_HOST_READY] = { "ready", N_ ("Ready") },
  [URB_HOST_NO_SSH] = { "no-ssh", N_ ("This machine has no ssh to log in with. Install openssh-client here.") },
  [URB_HOST_UNKNOWN] = { "unknown", N_ ("No host has this name. Check it, or enter the address.") },
  [URB_HOST_UNREACHABLE] = { "unreachable", N_ ("It cannot be reached. Check that it is switched on, and that no "
                                                "firewall is in between.") },
  [URB_HOST_NO_SERVER] = { "no-server", N_ ("No ssh server answers. Install and start one there.") },
  [URB_HOST_KEY] = { "key", N_ ("Its key is not known here, or has changed. Log in once with ssh and accept it.") },
  [URB_HOST_LOGIN] = { "login", N_ ("It would ask for a password. Give it your key with ssh-copy-id.") },
  [URB_HOST_SILENT] = { "silent", N_ ("It did not answer in time. Try ssh by hand to see what it waits for.") },
  [URB_HOST_NO_PROGRAM] = { "no-program", N_ ("Urbarium is not there. Install it under the same path as here.") },
  [URB_HOST_FAILED] = { "failed", N_ ("Urbarium does not work there. Install the same version as here.") },
  [URB_HOST_OTHER_VERSION] = { "other-version", N_ ("It has another version of Urbarium. Install the same version "
                                                    "as here.") },
  [URB_HOST_OTHER_DATASET] = { "other-dataset", N_ ("Another dataset has the same path there. Copy the dataset "
                                                    "there again.") },
  [URB_HOST_NOT_HERE] = { "not-here", N_ ("The first host has to be this machine. Enter a name of this machine there.") },
};

UrbHostProblem
urb_host_problem_find (const char *name)
{
  for (int i = 0; name != NULL && i < URB_N_HOST_PROBLEMS; i++)
    if (strcmp (urb_host_problems[i].name, name) == 0)
      return i;
  return name == NULL ? URB_HOST_READY : URB_HOST_FAILED;
}
