/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errors.c - collects GDAL's errors instead of printing them to stderr.
 */
#include <cpl_error.h>

#include "base/show-text.h"
#include "map/ogr-private.h"

static void CPL_STDCALL
handler (CPLErr kind, CPLErrorNum number, const char *message)
{
  UrbGdalErrors *self = CPLGetErrorHandlerUserData ();

  if (kind < CE_Failure)
    return;
  self->n_failures++;
  if (self->first == NULL)
    self->first = urb_show_text (message);
}

void
urb_gdal_errors_push (UrbGdalErrors *self)
{
  *self = (UrbGdalErrors){ 0 };
  CPLErrorReset ();
  CPLPushErrorHandlerEx (handler, self);
}

void
urb_gdal_errors_reset (UrbGdalErrors *self)
{
  g_clear_pointer (&self->first, g_free);
  self->n_failures = 0;
  CPLErrorReset ();
}

void
urb_gdal_errors_pop (UrbGdalErrors *self)
{
  CPLPopErrorHandler ();
  g_clear_pointer (&self->first, g_free);
}
