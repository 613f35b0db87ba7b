/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-card.h - one measure of an evaluation: its distribution, verdict and reference values.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/realism-result.h"

G_BEGIN_DECLS

/* Returns: (transfer full): an AdwBin with static content */
GtkWidget *urbarium_realism_card_new (const UrbariumRealismMeasure *measure);

G_END_DECLS
