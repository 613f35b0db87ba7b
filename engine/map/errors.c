/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors.c - collects GDAL's errors instead of printing them to stderr.
 */
#include <cpl_error.h>
#include <string.h>

#include "base/show-text.h"
#include "map/ogr-private.h"

#define MAX_CHARS 160

/* The first sentence, without advice on GDAL's own options and without pages of coordinates. */
static char *
shorten (const char *message)
{
  static const char *const ends[] = { "\n", ". You ", ". Set ", ". Try ", ". Skipping " };
  g_autofree char *text = urb_show_text (message);

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      char *end = strstr (text, ends[i]);
      if (end != NULL)
        *end = '\0';
    }
  if (g_utf8_strlen (text, -1) > MAX_CHARS)
    {
      g_autofree char *start = g_utf8_substring (text, 0, MAX_CHARS);
      return g_strconcat (start, "…", NULL);
    }
  return g_steal_pointer (&text);
}

/* "Geometry of feature 3 p.3 cannot be parsed: …. Skipping to next feature.": "p.3" or else "3" */
static void
note_skipped (UrbGdalErrors *self, const char *message)
{
  static const char before[] = "Geometry of feature ", after[] = " cannot be parsed";
  const char *start = strstr (message, before), *end;
  g_autofree char *name = NULL;
  char *space;

  if (start == NULL || !g_str_has_suffix (message, "Skipping to next feature."))
    return;
  start += strlen (before);
  end = strstr (start, after);
  if (end == NULL)
    return;
  name = g_strndup (start, (gsize) (end - start));
  space = strchr (g_strstrip (name), ' ');
  g_ptr_array_add (self->skipped, g_strdup (space != NULL ? space + 1 : name));
  if (self->first == NULL)
    self->first = shorten (message);
}

static void CPL_STDCALL
handler (CPLErr kind, CPLErrorNum number, const char *message)
{
  UrbGdalErrors *self = CPLGetErrorHandlerUserData ();

  if (kind < CE_Failure)
    {
      note_skipped (self, message);
      return;
    }
  self->n_failures++;
  if (self->first == NULL)
    self->first = shorten (message);
}

void
urb_gdal_errors_push (UrbGdalErrors *self)
{
  *self = (UrbGdalErrors){ .skipped = g_ptr_array_new_with_free_func (g_free) };
  CPLErrorReset ();
  CPLPushErrorHandlerEx (handler, self);
}

void
urb_gdal_errors_reset (UrbGdalErrors *self)
{
  g_clear_pointer (&self->first, g_free);
  self->n_failures = 0;
  g_ptr_array_set_size (self->skipped, 0);
  CPLErrorReset ();
}

void
urb_gdal_errors_pop (UrbGdalErrors *self)
{
  CPLPopErrorHandler ();
  g_clear_pointer (&self->first, g_free);
  g_clear_pointer (&self->skipped, g_ptr_array_unref);
}
