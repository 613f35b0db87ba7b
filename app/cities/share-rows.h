/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share-rows.h - a slider for each share that a generator can be asked for.
 */
#pragma once

#include <adwaita.h>

#include "app/cities/shares.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_SHARE_ROWS (urbarium_share_rows_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumShareRows, urbarium_share_rows, URBARIUM, SHARE_ROWS, AdwBin)

/* Property: shares (UrbariumShares).  Of a generator without shares they say how to get them. */

G_END_DECLS
