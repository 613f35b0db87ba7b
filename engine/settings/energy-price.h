/* SPDX-License-Identifier: Apache-2.0 */
/* energy-price.h - what a kilowatt-hour costs, as a person enters it for a report. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  double      per_kwh;  /* above 0 */
  const char *currency; /* (nullable) borrowed: a word: "CHF" */
} UrbEnergyPrice;

/* Whether it is a price; otherwise an error for the person who entered it. */
gboolean urb_energy_price_check (const UrbEnergyPrice *self, GError **error);

G_END_DECLS
