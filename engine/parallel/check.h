/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - walks the programs of all ranks before they run.
 *
 * A mistake in a strategy shows here with its reason, rather than as ranks that wait for each other or as
 * numbers that are a little off.
 */
#pragma once

#include "settings/mesh.h"
#include "step/program.h"

G_BEGIN_DECLS

/**
 * urb_programs_check:
 * @programs: (array length=n_ranks): of every rank; ranks that are alike may share one
 * @mesh: whose axes their collectives name; with n_ranks
 *
 * Fails with %URB_STEP_ERROR_LAYOUT if ranks start different collectives, if a message has no partner or
 * another size there, if ranks would wait for each other in a circle, or if an instruction reads a value that
 * nothing has made, or touches one that a collective still uses.  Collectives of a rank run one after the
 * other, in the order of their start.  Takes time in proportion to the instructions.
 */
gboolean urb_programs_check (UrbProgram *const *programs, int n_ranks, const UrbMesh *mesh, GError **error);

G_END_DECLS
