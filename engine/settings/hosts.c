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
  g_free (self->before);
  g_free (self->behind);
  g_free (self->after);
  g_free (self->damage);
  g_free (self);
}

void
urb_host_copy_rest (UrbHost *self, const UrbHost *from)
{
  self->before = g_strdup (from->before);
  self->behind = g_strdup (from->behind);
  self->after = g_strdup (from->after);
}

void
urb_host_keep_lines (UrbHost *self, const UrbHost *left_out)
{
  const char *const parts[] = { self->after, left_out->before, left_out->after };
  g_autoptr(GString) lines = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_string_append (lines, parts[i] != NULL ? parts[i] : "");
  g_free (self->after);
  self->after = lines->len > 0 ? g_string_free (g_steal_pointer (&lines), FALSE) : NULL;
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

/* Returns: FALSE with an error */
static gboolean
parse_slots (const char *word, int *n_slots, GError **error)
{
  char *end;
  gint64 n = g_ascii_strtoll (word + strlen ("slots="), &end, 10);

  if (*end != '\0' || n < 1 || n > URB_MAX_RANKS)
    return urb_options_fail (error, "“%s” needs a number from 1 to %d.", word, URB_MAX_RANKS);
  *n_slots = (int) n;
  return TRUE;
}

/* @comment: from "#" on, or empty
 * Returns: (nullable) (transfer full): NULL with an error */
static UrbHost *
parse_line (const char *line, const char *comment, GError **error)
{
  g_auto(GStrv) words = split_words (line);
  g_autoptr(GString) behind = g_string_new (NULL);
  const char *name = NULL;
  UrbHost *self;
  int n_slots = 0;

  for (char **word = words; *word != NULL; word++)
    if (**word != '\0' && name == NULL)
      name = *word;
    else if (g_str_has_prefix (*word, "slots="))
      {
        if (!parse_slots (*word, &n_slots, error))
          return NULL;
      }
    else if (**word != '\0')
      g_string_append_printf (behind, " %s", *word);
  if (!urb_host_check_name (name, error))
    return NULL;
  if (*comment != '\0')
    g_string_append_printf (behind, " %s", comment);
  self = urb_host_new (name, n_slots);
  self->behind = behind->len > 0 ? g_string_free (g_steal_pointer (&behind), FALSE) : NULL;
  return self;
}

/* The whole line, to be shown and mended. */
static UrbHost *
new_damaged (const char *line, const GError *error)
{
  g_autofree char *text = g_utf8_make_valid (line, -1);
  UrbHost *self = urb_host_new (text, 0);

  self->damage = g_strdup (error->message);
  return self;
}

/* Returns: (nullable) (transfer full): NULL without an error if the line is a comment, or empty */
static UrbHost *
parse_any_line (const char *line, GError **error)
{
  gsize n = strcspn (line, "#");
  g_autofree char *left = g_strstrip (g_strndup (line, n)), *comment = g_strchomp (g_strdup (line + n));

  return *left != '\0' ? parse_line (left, comment, error) : NULL;
}

/* Appends a line to those that stand before the next host. */
static void
keep_line (GString *lines, const char *line)
{
  g_autofree char *text = g_strchomp (g_strdup (line));

  g_string_append_printf (lines, "%s\n", text);
}

static void
add_host (GPtrArray *hosts, UrbHost *host, GString *before)
{
  if (before->len > 0)
    host->before = g_strdup (before->str);
  g_string_truncate (before, 0);
  g_ptr_array_add (hosts, host);
}

/* @keep_damaged: adds what cannot be parsed, instead of failing */
static GPtrArray *
parse (const char *text, gboolean keep_damaged, GError **error)
{
  g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func ((GDestroyNotify) urb_host_free);
  g_autoptr(GString) before = g_string_new (NULL);
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autoptr(GError) damage = NULL;
      UrbHost *host = parse_any_line (lines[i], &damage);

      if (damage != NULL && !keep_damaged)
        {
          g_propagate_prefixed_error (error, g_steal_pointer (&damage), "Line %u: ", i + 1);
          return NULL;
        }
      if (damage != NULL)
        host = new_damaged (g_strstrip (lines[i]), damage);
      if (host != NULL)
        add_host (hosts, host, before);
      else if (*lines[i] != '\0' || lines[i + 1] != NULL)
        keep_line (before, lines[i]);
    }
  if (hosts->len == 0)
    {
      urb_options_fail (error, "It names no host; write one a line, as “name slots=2”, this machine first.");
      return NULL;
    }
  if (before->len > 0)
    ((UrbHost *) hosts->pdata[hosts->len - 1])->after = g_strdup (before->str);
  return g_steal_pointer (&hosts);
}

GPtrArray *
urb_hosts_parse (const char *text, GError **error)
{
  return parse (text, FALSE, error);
}

GPtrArray *
urb_hosts_parse_any (const char *text, GError **error)
{
  return parse (text, TRUE, error);
}

static void
append (GString *text, const char *part)
{
  g_string_append (text, part != NULL ? part : "");
}

char *
urb_hosts_to_text (const GPtrArray *hosts)
{
  g_autoptr(GString) text = g_string_new (NULL);

  for (guint i = 0; i < hosts->len; i++)
    {
      const UrbHost *host = hosts->pdata[i];
      append (text, host->before);
      append (text, host->name);
      if (host->n_slots > 0)
        g_string_append_printf (text, " slots=%d", host->n_slots);
      append (text, host->behind);
      g_string_append_c (text, '\n');
      append (text, host->after);
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
