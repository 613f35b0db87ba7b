/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-card.h - one measure of an evaluation: its distribution, the verdict, and
 * what to compare it with.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/realism-result.h"

G_BEGIN_DECLS

/* An AdwBin, for good: what it shows does not change. */
GtkWidget *urbarium_realism_card_new (const UrbariumRealismMeasure *measure);

G_END_DECLS
