/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zero.h - data parallel ranks that divide what training holds of a model: its optimizer's state, its
 * gradients, its parameters (ZeRO: Rajbhandari et al., 1910.02054; level 3 is also known as FSDP:
 * Zhao et al., 2304.11277).
 */
#pragma once

#include "settings/mesh.h"
#include "step/program.h"

G_BEGIN_DECLS

typedef struct
{
  int      level;      /* 1: moments and average are divided.  2: gradients are, too, after each
                        * microbatch.  3: parameters are, too */
  double   unit_mib;   /* layers that are exchanged together, at least MiB of fp32; 0: each layer */
  int      prefetch;   /* level 3: units that are gathered before they are needed */
  gboolean reshard;    /* level 3: gathered parameters are dropped after each sweep, not only after the
                        * network's update */
  const UrbMesh *mesh; /* borrowed; ranks along data divide what ranks along pipe have left them */
  int      rank;
} UrbZeroOptions;

/**
 * urb_program_make_zero:
 * @program: a GAN's (step/build.h), built for this rank and not planned yet
 *
 * Gradients of a unit are reduced to the ranks as soon as the unit is complete, and need memory only
 * until then.  Every rank updates its part of each unit.  At levels 1 and 2 the ranks then gather the new
 * parameters; at level 3 they gather those of a unit before each sweep that reads it.
 *
 * The update is that of urb_program_make_ddp(), in the same order of sums, except that at levels 2 and 3
 * each microbatch is summed over the ranks by itself.  Afterwards the program's metrics are sums over
 * all ranks.
 */
void urb_program_make_zero (UrbProgram *program, const UrbZeroOptions *options);

G_END_DECLS
