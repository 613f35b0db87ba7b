/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scale-bar.h - how long scale bars are.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The longest of …, 0.5, 1, 2, 5, 10, 20, … meters up to @longest_m, which is above 0. */
double urb_scale_bar_choose_m (double longest_m);

G_END_DECLS
