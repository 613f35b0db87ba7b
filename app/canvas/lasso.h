/* SPDX-License-Identifier: Apache-2.0 */
/* lasso.h - the loop being drawn with the lasso tool, in meters. */
#pragma once

#include "app/canvas/canvas.h"

G_BEGIN_DECLS

typedef struct _UrbariumLasso UrbariumLasso;

UrbariumLasso *urbarium_lasso_new  (void);
void           urbarium_lasso_free (UrbariumLasso *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumLasso, urbarium_lasso_free)

/* Adds no vertex within @min_distance_m of the last one. */
void  urbarium_lasso_add_vertex  (UrbariumLasso *self, double x, double y, double min_distance_m);
void  urbarium_lasso_drop_vertex (UrbariumLasso *self); /* the last one, if any */
void  urbarium_lasso_clear       (UrbariumLasso *self);
guint urbarium_lasso_get_n_vertices (UrbariumLasso *self);
/* Clears the lasso.
 * Returns: (transfer full) (element-type double) (nullable): x, y pairs; %NULL for fewer than 3 */
GArray *urbarium_lasso_steal     (UrbariumLasso *self);

void urbarium_lasso_snapshot (UrbariumLasso *self, GtkSnapshot *snapshot, const UrbariumView *view,
                              const GdkRGBA *accent);

G_END_DECLS
