/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - see verify.h.
 *
 * Nothing in the file is used but what is checked here: names have no folders, numbers are in their ranges, and the
 * checkpoint is the one with the checksum that the file names.
 */
#include "city/verify.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/temporary.h"
#include "city/file-difference.h"
#include "city/tile-vectors.h"
#include "settings/run-config.h"
#include "train/safetensors.h"

void
urb_verification_clear (UrbVerification *self)
{
  g_clear_pointer (&self->first, g_free);
  g_clear_pointer (&self->made, g_free);
  g_clear_pointer (&self->program, g_free);
}

static gboolean
fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error != NULL)
    *error = g_error_new_valist (URB_CITY_ERROR, URB_CITY_ERROR_OPTIONS, format, args);
  va_end (args);
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* The checkpoint                                                            */

/* Whether the file at @path has the checksum. */
static gboolean
is_checkpoint (const char *path, const char *checksum)
{
  g_autoptr(UrbSafetensors) file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? urb_safetensors_open (path, NULL) : NULL;

  return file != NULL && g_strcmp0 (urb_safetensors_get_metadata (file, "checksum"), checksum) == 0;
}

/* A name without any folder. (nullable) */
static const char *
get_name (const UrbProvenance *facts, const char *fact)
{
  const char *text = urb_provenance_get (facts, fact);
  g_autofree char *base = text != NULL ? g_path_get_basename (text) : NULL;

  return base != NULL && strcmp (base, text) == 0 && strcmp (base, "..") != 0 && strcmp (base, ".") != 0 ? text : NULL;
}

/* Returns: (transfer full) (nullable): %NULL with an error */
static char *
find_checkpoint (const UrbProvenance *facts, const char *given, const char *const *places, GError **error)
{
  const char *checksum = urb_provenance_get (facts, "checkpoint_checksum"), *run = get_name (facts, "run");
  const char *name = get_name (facts, "checkpoint");
  g_autofree char *path = NULL;

  if (checksum == NULL || name == NULL)
    {
      fail (error, "the file does not say which checkpoint drew it");
      return NULL;
    }
  if (given != NULL)
    {
      path = g_file_test (given, G_FILE_TEST_IS_DIR) ? g_build_filename (given, "checkpoints", name, NULL) : g_strdup (given);
      if (is_checkpoint (path, checksum))
        return g_steal_pointer (&path);
      fail (error, "'%s' is not the checkpoint that drew the file, %s with the checksum %s", path, name, checksum);
      return NULL;
    }
  for (; run != NULL && *places != NULL; places++)
    {
      g_autofree char *candidate = g_build_filename (*places, run, "checkpoints", name, NULL);

      if (is_checkpoint (candidate, checksum))
        return g_steal_pointer (&candidate);
    }
  fail (error, "the checkpoint that drew the file, %s of the run %s, is not found; name it with --checkpoint", name,
        run != NULL ? run : "(unknown)");
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* The options                                                               */

/* "1-16" */
static gboolean
read_cities (const UrbProvenance *facts, UrbGenerateOptions *options, GError **error)
{
  const char *text = urb_provenance_get (facts, "cities"), *seeds = urb_provenance_get (facts, "seeds");
  gint64 last;
  int end = 0;

  if (text == NULL)
    return fail (error, "the file does not say which cities it has: only files with cities of one seed, one after the other, do");
  if (sscanf (text, "%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "%n", &options->first, &last, &end) != 2 || text[end] != '\0'
      || options->first < 1 || last < options->first || last - options->first >= 1000000 || options->first > G_MAXINT32)
    return fail (error, "the cities of the file, “%s”, are not “first-last”", text);
  options->count = last - options->first + 1;
  options->first--;
  if (seeds == NULL || !g_ascii_string_to_unsigned (seeds, 10, 0, G_MAXINT64, &options->seed, NULL))
    return fail (error, "the file does not name one seed");
  return TRUE;
}

/* A damaged file must not order cities without end. */
static gboolean
check_count (const char *path, gint64 count, GError **error)
{
  enum { MIN_CITY_BYTES = 100 };
  GStatBuf about;

  if (g_stat (path, &about) != 0 || count <= about.st_size / MIN_CITY_BYTES)
    return TRUE;
  return fail (error, "the file is too small for the %" G_GINT64_FORMAT " cities that it says it has", count);
}

/* "611000,224000/21781" */
static gboolean
read_place (const UrbProvenance *facts, UrbPlace *place, GError **error)
{
  const char *text = urb_provenance_get (facts, "place"), *angle = urb_provenance_get (facts, "rotation");
  char *rest = (char *) "";
  int end = 0;

  if (angle != NULL)
    place->angle_deg = g_ascii_strtod (angle, &rest);
  if (*rest != '\0' || !(fabs (place->angle_deg) <= 360))
    return fail (error, "the rotation of the file, “%s”, is no angle", angle);
  if (text != NULL
      && (sscanf (text, "%lf,%lf/%d%n", &place->x, &place->y, &place->epsg, &end) != 3 || text[end] != '\0' || place->epsg <= 0
          || !(fabs (place->x) <= 1e8 && fabs (place->y) <= 1e8)))
    return fail (error, "the place of the file, “%s”, is not X,Y/EPSG", text);
  return TRUE;
}

static gboolean
read_shares (const UrbProvenance *facts, UrbShareWish *wish, GError **error)
{
  static const char *const names[] = { "share_built", "share_roads", "share_halls" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *text = urb_provenance_get (facts, names[i]);
      char *end;

      if (text == NULL)
        continue;
      wish->share[i] = g_ascii_strtod (text, &end);
      if (*end != '\0' || !(wish->share[i] >= 0 && wish->share[i] <= 1))
        return fail (error, "the share “%s” of the file is not from 0 to 1", text);
    }
  return TRUE;
}

static gboolean
read_options (const UrbProvenance *facts, UrbGenerateOptions *options, UrbShareWish *wish, GError **error)
{
  const char *areas = urb_provenance_get (facts, "areas"), *columns = urb_provenance_get (facts, "columns");
  const char *precision = urb_provenance_get (facts, "precision");
  guint64 n_columns = 0;
  int end = 0;

  if (urb_provenance_get (facts, "site") != NULL)
    return fail (error, "the file has proposals for a site, which it does not name");
  if (urb_provenance_get (facts, "truncation") != NULL)
    return fail (error, "the cities of the file are more typical than those of generate");
  if (urb_provenance_get (facts, "turns") != NULL)
    return fail (error, "the file has variations of cities, which generate cannot draw");
  if (areas != NULL
      && (sscanf (areas, "%dx%d%n", &options->n_cols, &options->n_rows, &end) != 2 || areas[end] != '\0'
          || !urb_city_check_areas (options->n_cols, options->n_rows, NULL)))
    return fail (error, "the areas of the file, “%s”, are not WIDTHxHEIGHT", areas);
  if (columns != NULL && !g_ascii_string_to_unsigned (columns, 10, 1, G_MAXINT32, &n_columns, NULL))
    return fail (error, "the columns of the file, “%s”, are no number", columns);
  options->n_columns = (int) n_columns;
  options->keep_specks = urb_provenance_get (facts, "specks") != NULL;
  options->on.no_refiner = urb_provenance_get (facts, "refined") != NULL;
  if (options->on.device == NULL)
    options->on.device = urb_provenance_get (facts, "device");
  if (precision != NULL && !urb_precision_parse (precision, &options->on.precision, error))
    return FALSE;
  return read_cities (facts, options, error) && read_place (facts, &options->place, error) && read_shares (facts, wish, error);
}

/* ------------------------------------------------------------------------ */

/* The endings of urb_city_writer_new(), of which .city.json has two dots. */
static const char *
get_ending (const char *path)
{
  const char *dot = strrchr (path, '.');

  return g_str_has_suffix (path, ".city.json") ? ".city.json" : dot != NULL ? dot : "";
}

static gboolean
make_again (const char *path, const UrbGenerateOptions *options, UrbVerification *result, UrbProgressFunc progress,
            gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-verify-XXXXXX", error);
  g_autofree char *again = folder != NULL ? g_strconcat (folder, "/again", get_ending (path), NULL) : NULL;
  UrbGenerateOptions own = *options;
  UrbGenerateSummary summary = { 0 };
  gboolean good;

  if (folder == NULL)
    return FALSE;
  own.out = again;
  good = urb_generate (&own, &summary, progress, user_data, cancellable, error)
         && urb_find_difference (path, again, &result->n_parts, &result->n_different, &result->first, error);
  g_free (summary.warning);
  urb_temporary_remove_folder (folder);
  return good;
}

gboolean
urb_verify (const char *path, const char *checkpoint, const char *const *places, const char *device,
            UrbVerification *result, UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr(UrbProvenance) facts = urb_provenance_read (path, error);
  UrbShareWish wish = URB_SHARES_AS_IN_DATA;
  UrbGenerateOptions options = { .on.device = device, .shares = &wish, .provenance = facts };
  g_autofree char *found = NULL;
  const char *program;

  *result = (UrbVerification){ 0 };
  if (facts == NULL)
    return FALSE;
  if (facts->facts->len == 0)
    return fail (error, "'%s' was not exported by Urbarium, or has lost what tells where it comes from", path);
  if (!read_options (facts, &options, &wish, error) || !check_count (path, options.count, error)
      || (found = find_checkpoint (facts, checkpoint, places, error)) == NULL)
    {
      g_prefix_error (error, "'%s': ", path);
      return FALSE;
    }
  options.checkpoint = found;
  program = urb_provenance_get (facts, "program");
  result->program = g_strdup (program != NULL ? program : "an unknown program");
  result->made = g_strdup_printf ("cities %s of seed %" G_GUINT64_FORMAT " from %s", urb_provenance_get (facts, "cities"),
                                  options.seed, get_name (facts, "checkpoint"));
  return make_again (path, &options, result, progress, user_data, cancellable, error);
}
