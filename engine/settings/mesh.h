/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mesh.h - ranks as points of a grid with up to three axes: along `data` they divide the samples of a batch,
 * along `tensor` the channels of wide layers, along `pipe` the layers.
 *
 * Every synchronous strategy is a mesh: most have one axis.  Ranks are numbered along tensor first, then data,
 * then pipe, so that ranks that exchange most are neighbors.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sets of axes.  The ranks that differ from one in the coordinates of a set only are its group along these axes. */
enum
{
  URB_AXIS_TENSOR = 1 << 0,
  URB_AXIS_DATA = 1 << 1,
  URB_AXIS_PIPE = 1 << 2,
  URB_AXES_SAMPLES = URB_AXIS_TENSOR | URB_AXIS_DATA, /* those with samples of their own */
  URB_ALL_AXES = URB_AXIS_TENSOR | URB_AXIS_DATA | URB_AXIS_PIPE
};

typedef struct
{
  int tensor, data, pipe; /* ranks along each axis, at least 1 */
} UrbMesh;

/* "data=2,pipe=2": every axis at most once, none less than 1.  @text: (nullable).  Fails with
 * %URB_TRAIN_ERROR_OPTIONS. */
gboolean    urb_mesh_parse     (const char *text, UrbMesh *out, GError **error);
/* What urb_mesh_parse() reads, without axes of one rank: "tensor=2,data=2". (transfer full) */
char       *urb_mesh_dup_text  (const UrbMesh *self);
/* Ranks of a group along @axes; of all ranks along all. */
int         urb_mesh_count     (const UrbMesh *self, guint axes);
/* The place of @rank in its group along @axes, from 0. */
int         urb_mesh_get_index (const UrbMesh *self, int rank, guint axes);
/* The rank at place @index of that group. */
int         urb_mesh_get_rank  (const UrbMesh *self, int rank, guint axes, int index);
/* @axes, or 0 if their groups have all ranks.  A group of one rank is an error, unless there is only one. */
guint       urb_mesh_simplify  (const UrbMesh *self, guint axes);
/* The reverse: the axes of a group, of which 0 stands for all ranks. */
static inline guint
urb_axes_of_group (guint axes)
{
  return axes == 0 ? URB_ALL_AXES : axes;
}

/* "data", "tensor,data"; "" for no axes. (transfer full) */
char       *urb_mesh_name_axes (guint axes);

G_END_DECLS
