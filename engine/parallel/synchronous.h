/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synchronous.h - the synchronous strategies as rewrites of a GAN's program (step/build.h), built
 * for this rank and not planned yet.
 *
 * Afterwards the program's metrics are sums over all ranks: slots that are shares of the whole
 * batch's mean have their value; R1 and R2 are means of each rank's part and must be divided by the
 * number of ranks.
 */
#pragma once

#include "settings/mesh.h"
#include "step/program.h"

G_BEGIN_DECLS

/**
 * urb_program_make_ddp:
 * @mesh: with ranks along data; ranks along pipe have their layers already (urb_program_lower())
 * @bucket_mib: gradients that are exchanged together, MiB of fp32; at least one tensor
 *
 * DistributedDataParallel (Li et al. 2020, 2006.15704): every rank has the parameters and updates
 * them.  A bucket of gradients is summed over these ranks as soon as its last gradient of the last
 * microbatch exists, while backward continues.  The slots of the gradients' norms are n_ranks times
 * the norm.
 */
void urb_program_make_ddp (UrbProgram *program, const UrbMesh *mesh, double bucket_mib);

/**
 * urb_program_make_dp:
 * @rank: this one's
 *
 * DataParallel: rank 0 alone has moments and average, and updates.  In each step it scatters the
 * batch, broadcasts the parameters (D's again after D's update), and gets the sum of all gradients.
 *
 * On rank 0 the program's tiles are then those of all ranks, rank by rank; on the others they are
 * -1, and there are no moments and no average.
 */
void urb_program_make_dp  (UrbProgram *program, int rank, int n_ranks, double bucket_mib);

G_END_DECLS
