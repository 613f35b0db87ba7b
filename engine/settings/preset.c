/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preset.c - see preset.h.
 */
#include "settings/preset.h"

#include <math.h>
#include <string.h>

#include "base/data.h"
#include "base/key-file.h"
#include "base/small-file.h"

#define SUFFIX ".preset"

G_DEFINE_QUARK (urb-model-error-quark, urb_model_error)

char **
urb_preset_list (void)
{
  return urb_data_list ("presets", SUFFIX);
}

/* ------------------------------------------------------------------------ */
/* Reading                                                                   */

static gboolean
get_int (GKeyFile *file, const char *key, int min, int max, int *out, GError **error)
{
  g_autoptr(GError) local = NULL;

  *out = g_key_file_get_integer (file, "preset", key, &local);
  if (local == NULL && *out >= min && *out <= max)
    return TRUE;
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
               "its key “%s” must be a whole number from %d to %d", key, min, max);
  return FALSE;
}

static gboolean
get_number (GKeyFile *file, const char *key, double fallback, double *out, GError **error)
{
  g_autoptr(GError) local = NULL;

  *out = fallback;
  if (!g_key_file_has_key (file, "preset", key, NULL))
    return TRUE;
  *out = g_key_file_get_double (file, "preset", key, &local);
  if (local == NULL && isfinite (*out) && *out >= 0)
    return TRUE;
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
               "its key “%s” must be a number of at least 0", key);
  return FALSE;
}

static gboolean
get_boolean (GKeyFile *file, const char *key, gboolean *out, GError **error)
{
  g_autoptr(GError) local = NULL;

  if (!g_key_file_has_key (file, "preset", key, NULL))
    return TRUE;
  *out = g_key_file_get_boolean (file, "preset", key, &local);
  if (local == NULL)
    return TRUE;
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET, "its key “%s” must be true or false", key);
  return FALSE;
}

/* The refiner doubles the size of images any number of times. */
static gboolean
get_refined_size (UrbPreset *self, GKeyFile *file, GError **error)
{
  g_autofree char *text = g_key_file_get_value (file, "preset", "refined-size", NULL);
  int factor;

  if (text == NULL || strcmp (text, "0") == 0)
    return TRUE;
  if (!get_int (file, "refined-size", 2 * self->size_px, 2048, &self->refined_px, error))
    return FALSE;
  factor = self->refined_px / self->size_px;
  if (self->refined_px % self->size_px == 0 && (factor & (factor - 1)) == 0 && self->size_px % 8 == 0)
    return TRUE;
  g_set_error_literal (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
                       "its key “refined-size” must be the image size, a multiple of 8, times a "
                       "power of two");
  return FALSE;
}

/* Whether it changes no network, but what a run has unless it is told otherwise. */
static gboolean
is_default (const char *group, const char *key)
{
  static const char *const keys[] = { "title", "batch", "steps", "lr", "gamma", "ema-kimg", NULL };

  return strcmp (group, "preset") == 0 && g_strv_contains (keys, key);
}

/* A name that is misspelled would otherwise give the base itself. */
static gboolean
check_names (GKeyFile *file, GError **error)
{
  static const char *const groups[] = { "preset", "generator", "discriminator", "refiner", NULL };
  static const char *const of_networks[] = { "base", "image-size", "refined-size", "latent", "shares", NULL };
  g_auto(GStrv) own_groups = g_key_file_get_groups (file, NULL);
  g_auto(GStrv) own_keys = g_key_file_get_keys (file, "preset", NULL, NULL);

  for (int i = 0; own_groups[i] != NULL; i++)
    if (!g_strv_contains (groups, own_groups[i]))
      {
        g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET, "there is no group “[%s]”", own_groups[i]);
        return FALSE;
      }
  for (int i = 0; own_keys[i] != NULL; i++)
    if (!is_default ("preset", own_keys[i]) && !g_strv_contains (of_networks, own_keys[i]))
      {
        g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET, "there is no key “%s”", own_keys[i]);
        return FALSE;
      }
  return TRUE;
}

static void
copy_keys (GKeyFile *from, GKeyFile *to)
{
  g_auto(GStrv) groups = g_key_file_get_groups (from, NULL);

  for (int g = 0; groups[g] != NULL; g++)
    {
      g_auto(GStrv) keys = g_key_file_get_keys (from, groups[g], NULL, NULL);

      for (int k = 0; keys != NULL && keys[k] != NULL; k++)
        {
          g_autofree char *value = g_key_file_get_value (from, groups[g], keys[k], NULL);

          g_key_file_set_value (to, groups[g], keys[k], value);
        }
    }
}

/* A preset with a base consists of the lines of that, but for its own.  Its text becomes all of them, since
 * checkpoints keep it, and a later version may have another base.
 * @file: (inout) */
static gboolean
add_base (UrbPreset *self, GKeyFile **file, GError **error)
{
  g_autoptr(UrbPreset) base = NULL;
  g_autoptr(GKeyFile) whole = g_key_file_new ();
  g_autofree char *name = NULL;

  if (!g_key_file_has_key (*file, "preset", "base", NULL))
    return TRUE;
  name = g_key_file_get_string (*file, "preset", "base", error);
  if (name == NULL || !check_names (*file, error))
    return FALSE;
  if (!urb_preset_is_built_in (name))
    {
      g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
                   "its key “base” must be a preset that comes with the program, not “%s”", name);
      return FALSE;
    }
  base = urb_preset_load (name, error);
  if (base == NULL || !urb_key_file_read (whole, base->text, error))
    return FALSE;
  g_key_file_remove_key (whole, "preset", "title", NULL);
  copy_keys (*file, whole);
  g_key_file_remove_key (whole, "preset", "base", NULL);
  g_free (self->text);
  self->text = g_key_file_to_data (whole, NULL, NULL);
  g_key_file_unref (*file);
  *file = g_steal_pointer (&whole);
  return TRUE;
}

static gboolean
parse (UrbPreset *self, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();

  if (!urb_key_file_read (file, self->text, error) || !add_base (self, &file, error))
    return FALSE;
  self->title = g_key_file_get_string (file, "preset", "title", NULL);
  if (self->title == NULL)
    self->title = g_strdup (self->name);
  return get_int (file, "image-size", 8, 2048, &self->size_px, error)
         && get_refined_size (self, file, error)
         && get_int (file, "latent", 1, 65536, &self->n_latent, error)
         && get_boolean (file, "shares", &self->has_shares, error)
         && get_int (file, "batch", 1, 65536, &self->batch, error)
         && get_int (file, "steps", 1, G_MAXINT, &self->n_steps, error)
         && get_number (file, "lr", 0.0005, &self->lr, error)
         && get_number (file, "gamma", 10, &self->gamma, error)
         && get_number (file, "ema-kimg", 10, &self->ema_kimg, error);
}

UrbPreset *
urb_preset_load_text (const char *name, const char *text, GError **error)
{
  g_autoptr(UrbPreset) self = g_new0 (UrbPreset, 1);
  g_autoptr(GError) local = NULL;

  self->name = g_strdup (name);
  self->text = g_strdup (text);
  if (parse (self, &local))
    return g_steal_pointer (&self);
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
               "The preset “%s” cannot be used: %s.", name, local->message);
  return NULL;
}

UrbPreset *
urb_preset_load (const char *name_or_file, GError **error)
{
  g_autofree char *path = g_strconcat ("presets/", name_or_file, SUFFIX, NULL);
  g_autofree char *text = urb_data_dup_text (path), *base = NULL, *names = NULL;
  g_autoptr(GError) why = NULL;
  g_auto(GStrv) list = NULL;

  if (text != NULL)
    return urb_preset_load_text (name_or_file, text, error);
  text = urb_small_file_read (name_or_file, NULL, &why);
  if (text != NULL)
    {
      base = g_path_get_basename (name_or_file);
      if (g_str_has_suffix (base, SUFFIX))
        base[strlen (base) - strlen (SUFFIX)] = '\0';
      return urb_preset_load_text (base, text, error);
    }
  if (!g_error_matches (why, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET, "The preset cannot be used: %s.", why->message);
      return NULL;
    }
  list = urb_preset_list ();
  names = g_strjoinv (", ", list);
  g_set_error (error, URB_MODEL_ERROR, URB_MODEL_ERROR_PRESET,
               "There is no preset “%s”, neither of that name nor as a file. Those that come "
               "with the program are: %s.", name_or_file, names);
  return NULL;
}

gboolean
urb_preset_is_built_in (const char *name)
{
  g_auto(GStrv) names = urb_preset_list ();

  return g_strv_contains ((const char *const *) names, name);
}

/* ------------------------------------------------------------------------ */
/* Comparing                                                                 */

/* With single spaces. (transfer full) (nullable): NULL: there is no such key */
static char *
dup_value (GKeyFile *file, const char *group, const char *key)
{
  g_autofree char *text = g_key_file_get_value (file, group, key, NULL);
  g_auto(GStrv) words = text != NULL ? g_strsplit_set (text, " \t", -1) : NULL;
  GString *value = g_string_new (NULL);

  for (int i = 0; words != NULL && words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_string_append_printf (value, "%s%s", value->len > 0 ? " " : "", words[i]);
  return g_string_free (value, text == NULL);
}

/* The first key of @file with another value in @other. */
static char *
find_difference (GKeyFile *file, GKeyFile *other, gboolean is_swapped)
{
  g_auto(GStrv) groups = g_key_file_get_groups (file, NULL);

  for (int g = 0; groups[g] != NULL; g++)
    {
      g_auto(GStrv) keys = g_key_file_get_keys (file, groups[g], NULL, NULL);

      for (int k = 0; keys != NULL && keys[k] != NULL; k++)
        {
          g_autofree char *here = dup_value (file, groups[g], keys[k]);
          g_autofree char *there = dup_value (other, groups[g], keys[k]);
          const char *now = is_swapped ? there : here, *before = is_swapped ? here : there;

          if (g_strcmp0 (here, there) != 0 && !is_default (groups[g], keys[k]))
            return g_strdup_printf ("[%s] %s is “%s”, and was “%s”", groups[g], keys[k],
                                    now != NULL ? now : "", before != NULL ? before : "");
        }
    }
  return NULL;
}

char *
urb_preset_dup_difference (const UrbPreset *self, const UrbPreset *other)
{
  g_autoptr(GKeyFile) mine = g_key_file_new (), theirs = g_key_file_new ();
  char *difference;

  if (!urb_key_file_read (mine, self->text, NULL) || !urb_key_file_read (theirs, other->text, NULL))
    return g_strdup ("it cannot be read any more");
  difference = find_difference (mine, theirs, FALSE);
  return difference != NULL ? difference : find_difference (theirs, mine, TRUE);
}

void
urb_preset_free (UrbPreset *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->title);
  g_free (self->text);
  g_free (self);
}
