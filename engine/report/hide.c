/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hide.c - see hide.h.
 *
 * What is known is replaced first, since it may contain spaces and quotes, at which patterns end.  The patterns come
 * then, and rather hide too much.
 */
#include "report/hide.h"

#include <stdlib.h>
#include <string.h>

#include "base/small-file.h"

#define HIDDEN "(hidden)"

/* Shorter secrets would hide parts of words; the patterns still find them. */
enum { MIN_SECRET = 6 };

typedef struct
{
  const char *pattern, *by;
} Pattern;

#define VALUE "(?:\"[^\"\\n]*\"|'[^'\\n]*'|[^\\s&;,]+)"

static const Pattern patterns[] = {
  { "\\b([a-z][a-z0-9+.-]*)://[^\\s'\"“”<>]*", "\\1://" HIDDEN },
  { "\\b(PG|postgresql|postgres|WFS):(?!//)[^\\n]*", "\\1:" HIDDEN },
  { "\\b(hook\\s*=)[^\\n”]*", "\\1" HIDDEN },
  { "\\b(bearer|basic)\\s+[^\\s'\"]+", "\\1 " HIDDEN },
  { "(pass|passwd|password|passphrase|pwd|secret|token|key|signature|authorization)(['\"]?\\s*[=:]\\s*)" VALUE, "\\1\\2" HIDDEN },
  { "(['\"“‘])/[^'\"“”‘’\\n]*/([^/'\"“”‘’\\n]*)", "\\1…/\\2" }, /* with spaces, in quotes */
  { "(?<![\\w.~…/:)])/(?:[^\\s/'\"“”‘’,;:()<>]+/)+", "…/" },
};

typedef struct
{
  char       *text; /* owned */
  const char *by;
  gboolean    is_name; /* not as a part of a longer word */
} Known;

struct _UrbHider
{
  GArray    *known;    /* (element-type Known) owned; longer ones first */
  GPtrArray *patterns; /* (element-type GRegex) owned */
};

static void
known_clear (gpointer data)
{
  g_free (((Known *) data)->text);
}

static int
compare_length (gconstpointer a, gconstpointer b)
{
  gsize n_a = strlen (((const Known *) a)->text), n_b = strlen (((const Known *) b)->text);

  return n_a < n_b ? 1 : n_a > n_b ? -1 : 0;
}

static void
add (UrbHider *self, const char *text, const char *by, gboolean is_name)
{
  Known known = { g_strdup (text), by, is_name };

  g_array_append_val (self->known, known);
}

/* Parts of a command or an address are secret too: it may be quoted or encoded elsewhere. */
static void
add_secret (UrbHider *self, const char *text)
{
  g_auto(GStrv) words = g_strsplit_set (text, " \t\n'\"=&?@", -1);

  for (char **word = words; *word != NULL; word++)
    if (strlen (*word) >= MIN_SECRET)
      add (self, *word, HIDDEN, TRUE);
  add (self, text, HIDDEN, FALSE);
}

/* The folder of @path, not the file's name. */
static void
add_folder (UrbHider *self, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *all = NULL;

  if (!g_path_is_absolute (path) || strcmp (folder, "/") == 0)
    return;
  all = g_strconcat (folder, "/", NULL);
  add (self, all, "…/", FALSE);
}

/* The home folder and what is in it keep their places, which do not tell who it is. */
static gboolean
is_in_home (const char *path)
{
  g_autofree char *home = g_strconcat (g_get_home_dir (), "/", NULL);

  return g_str_has_prefix (path, home);
}

static void
add_config (UrbHider *self, const UrbRunConfig *config)
{
  for (guint i = 0; i < urb_run_settings.n_rows; i++)
    {
      const UrbSetting *setting = &urb_run_settings.rows[i];
      g_autofree char *text = urb_setting_is_text (setting) ? urb_setting_dup_text (setting, config) : NULL;

      if (text == NULL || *text == '\0')
        continue;
      if ((setting->flags & URB_SETTING_SECRET) != 0)
        add_secret (self, text);
      else if (!is_in_home (text))
        add_folder (self, text);
    }
}

/* What looks like a secret of a run.ini that is damaged elsewhere: other texts may quote it. */
static void
add_secrets_of_text (UrbHider *self, const char *run)
{
  g_autofree char *path = g_build_filename (run, "run.ini", NULL), *text = NULL;
  g_auto(GStrv) lines = NULL;

  text = urb_small_file_read (path, NULL, NULL);
  if (text == NULL)
    return;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      char *value = strchr (*line, '=');
      const UrbSetting *setting;

      if (value == NULL)
        continue;
      *value++ = '\0';
      setting = urb_settings_find (&urb_run_settings, g_strstrip (*line));
      if (setting != NULL && (setting->flags & URB_SETTING_SECRET) != 0 && *g_strstrip (value) != '\0')
        add_secret (self, value);
    }
}

UrbHider *
urb_hider_new (const UrbRunConfig *config, const char *run)
{
  UrbHider *self = g_new0 (UrbHider, 1);
  const char *home = g_get_home_dir (), *const users[] = { g_get_user_name (), g_getenv ("USER") };
  g_autofree char *real = realpath (home, NULL);

  self->known = g_array_new (FALSE, FALSE, sizeof (Known));
  g_array_set_clear_func (self->known, known_clear);
  self->patterns = g_ptr_array_new_with_free_func ((GDestroyNotify) g_regex_unref);
  if (config != NULL)
    add_config (self, config);
  else if (run != NULL)
    add_secrets_of_text (self, run);
  if (run != NULL && !is_in_home (run))
    add_folder (self, run);
  if (strcmp (home, "/") != 0)
    add (self, home, "~", TRUE);
  if (real != NULL && strcmp (real, "/") != 0)
    add (self, real, "~", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (users); i++)
    if (users[i] != NULL && *users[i] != '\0' && strcmp (users[i], "root") != 0) /* which tells nothing */
      add (self, users[i], "USER", TRUE);
  g_array_sort (self->known, compare_length);
  for (gsize i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      GRegex *regex = g_regex_new (patterns[i].pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);

      g_assert (regex != NULL);
      g_ptr_array_add (self->patterns, regex);
    }
  return self;
}

void
urb_hider_free (UrbHider *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->known);
  g_ptr_array_unref (self->patterns);
  g_free (self);
}

/* ------------------------------------------------------------------------ */

/* Of a word, beside letters of other alphabets. */
static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (c & 0x80) != 0;
}

static char *
replace_known (const char *text, const Known *known)
{
  GString *hidden = g_string_new (NULL);
  gsize n = strlen (known->text);
  const char *from = text, *at;

  while ((at = strstr (from, known->text)) != NULL)
    {
      gboolean inside = (at > text && is_word (at[-1]) && is_word (at[0])) || (is_word (at[n - 1]) && is_word (at[n]));

      g_string_append_len (hidden, from, at - from);
      g_string_append (hidden, known->is_name && inside ? known->text : known->by);
      from = at + n;
    }
  g_string_append (hidden, from);
  return g_string_free (hidden, FALSE);
}

char *
urb_hider_hide (UrbHider *self, const char *text)
{
  char *hidden = g_utf8_make_valid (text, -1);

  for (guint i = 0; i < self->known->len; i++)
    {
      char *more = replace_known (hidden, &g_array_index (self->known, Known, i));

      g_free (hidden);
      hidden = more;
    }
  for (guint i = 0; i < self->patterns->len; i++)
    {
      char *more = g_regex_replace (self->patterns->pdata[i], hidden, -1, 0, patterns[i].by, 0, NULL);

      g_free (hidden);
      hidden = more != NULL ? more : g_strdup (HIDDEN); /* too much work for the pattern: nothing is safer */
    }
  return hidden;
}
