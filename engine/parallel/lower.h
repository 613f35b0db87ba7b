/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h - makes of the program of a whole model the program of one rank of a pipeline.
 *
 * Afterwards the program's metrics are sums over all ranks: every slot is written by one of them.
 */
#pragma once

#include "parallel/layout.h"
#include "settings/mesh.h"

G_BEGIN_DECLS

/**
 * urb_program_lower:
 * @program: with whole networks, in its final order; changed in place
 * @parts: (n_instructions), from urb_layout_find_parts()
 * @mesh: with the layout's stages along pipe
 * @leaves_updates: they are for the next rewrite, which divides what the rank has further
 *
 * Keeps the instructions of the rank's parts.  What they read from other ranks is received, what other
 * ranks read from them is sent, each where the value is made in the order of the whole program.  The
 * rank's blocks hold the tensors of its own layers (UrbProgramNet.runs); gradients are clipped by the
 * norm of all ranks.  A rank that reads no tiles has none: program->tiles is -1.
 */
void urb_program_lower (UrbProgram *program, const UrbLayout *layout, const int *parts, const UrbMesh *mesh,
                        int rank, gboolean leaves_updates);

G_END_DECLS
