/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distribution.h - generated against real, for one measure: two outlines, and
 * behind them the band in which real areas differ among themselves.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_DISTRIBUTION (urbarium_distribution_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumDistribution, urbarium_distribution, URBARIUM, DISTRIBUTION, GtkWidget)

/* Properties: title, unit (string, translated), log-x (boolean). */
GtkWidget *urbarium_distribution_new (void);

/* All copied; sorted or not.  @band_low, @band_high: (nullable) (@n_band): bounds of the real
 * areas' own histogram at n_band equal bins over the common range, as shares. */
void urbarium_distribution_set_values (UrbariumDistribution *self, const double *real, gsize n_real,
                                       const double *generated, gsize n_generated);
void urbarium_distribution_set_verdict (UrbariumDistribution *self, double rho, const char *text);

G_END_DECLS
