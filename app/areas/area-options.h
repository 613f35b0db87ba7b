/* SPDX-License-Identifier: Apache-2.0 */
/* area-options.h - rows for the options of the search, the choice and the images. */
#pragma once

#include <adwaita.h>

#include "app/areas/curation.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_AREA_OPTIONS (urbarium_area_options_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumAreaOptions, urbarium_area_options, URBARIUM, AREA_OPTIONS, AdwBin)

/* Call it once. */
void urbarium_area_options_set_curation (UrbariumAreaOptions *self, UrbariumCuration *curation);

G_END_DECLS
