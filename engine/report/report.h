/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - a run as one HTML page, for people who were not there.
 */
#pragma once

#include "settings/energy-price.h"

G_BEGIN_DECLS

/**
 * urb_report_new:
 * @run: the folder of a run, which may be training
 * @price: (nullable): of energy, to tell what that of the run cost
 * @has_energy: (out) (optional): whether the energy of the run was recorded; otherwise its cost is not known
 *
 * The page is in the language of gettext().  It has its images and curves within, and fetches nothing.  What is
 * not known is left out: the areas of a dataset that is gone, the energy of a processor.  It has no secrets, and no path beyond the names of files.
 * Blocks: reads the whole history, and compares cities with real areas for some seconds.
 *
 * Returns: (transfer full): HTML; %NULL with an error of the run
 */
char *urb_report_new (const char *run, const UrbEnergyPrice *price, gboolean *has_energy, GError **error);

G_END_DECLS
