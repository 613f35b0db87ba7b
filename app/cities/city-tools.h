/* SPDX-License-Identifier: Apache-2.0 */
/*
 * city-tools.h - the tools below a large city: which classes it shows, and what a drag measures.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_CITY_TOOLS (urbarium_city_tools_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumCityTools, urbarium_city_tools, URBARIUM, CITY_TOOLS, AdwBin)

/* Activates the tool that outlines an area. */
void urbarium_city_tools_outline (UrbariumCityTools *self);

/* Property: view (UrbariumCityView, construct-only: what they apply to). */

G_END_DECLS
