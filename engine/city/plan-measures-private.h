/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-measures-private.h - urban form measures that need the geometry of a plan.
 */
#pragma once

#include "city/measures.h"
#include "city/vectorize.h"

G_BEGIN_DECLS

/* Appends the values of one plan.  @values: (URB_N_MEASURES) (element-type double) */
void urb_plan_measure (const UrbCityVectors *plan, GArray *const *values);

G_END_DECLS
