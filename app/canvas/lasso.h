/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lasso.h - a loop that is being drawn around places, in metres.
 */
#pragma once

#include "app/canvas/canvas.h"

G_BEGIN_DECLS

typedef struct _UrbariumLasso UrbariumLasso;

UrbariumLasso *urbarium_lasso_new  (void);
void           urbarium_lasso_free (UrbariumLasso *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbariumLasso, urbarium_lasso_free)

/* @min_distance_m: what is nearer to the last vertex is not added; 0: always add */
void  urbarium_lasso_add_vertex  (UrbariumLasso *self, double x, double y, double min_distance_m);
void  urbarium_lasso_drop_vertex (UrbariumLasso *self); /* the last one, if any */
void  urbarium_lasso_clear       (UrbariumLasso *self);
guint urbarium_lasso_get_n_vertices (UrbariumLasso *self);
/* Returns: (transfer full) (element-type double) (nullable): x, y pairs; %NULL if it is no loop.
 * It is empty then. */
GArray *urbarium_lasso_steal     (UrbariumLasso *self);

void urbarium_lasso_snapshot (UrbariumLasso *self, GtkSnapshot *snapshot, const UrbariumView *view,
                              const GdkRGBA *accent);

G_END_DECLS
