/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/energy-price.h"

#include <math.h>
#include <string.h>

enum { MOST_CURRENCY_CHARS = 8 };

/* One word, as it stands before a number. */
gboolean
urb_energy_price_check (const UrbEnergyPrice *self, GError **error)
{
  if (!isfinite (self->per_kwh) || self->per_kwh <= 0)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "The price of a kilowatt-hour has to be above 0.");
  else if (self->currency != NULL && (*self->currency == '\0' || g_utf8_strlen (self->currency, -1) > MOST_CURRENCY_CHARS
                                      || strpbrk (self->currency, " \t\n\r") != NULL))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "“%s” is no currency; write it as CHF or €.", self->currency);
  else
    return TRUE;
  return FALSE;
}
