/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offload.h - moments and average outside of the device's memory (ZeRO-Offload: Ren et al., 2101.06840;
 * in a file: ZeRO-Infinity, Rajbhandari et al., 2104.07857).
 */
#pragma once

#include "step/program.h"

G_BEGIN_DECLS

/* Elements of each of moments and average that are updated together: enough to keep a disk busy, and two
 * times three of them are little memory. */
#define URB_OFFLOAD_ELEMENTS ((gint64) 1 << 20)

/**
 * urb_program_offload:
 * @program: of one rank, under any synchronous strategy, and not planned yet
 * @most: elements that are updated together: %URB_OFFLOAD_ELEMENTS, or fewer in tests
 *
 * Moves moments and averages to %URB_STORE_OUTSIDE.  Each update is done in parts, with moments and average of
 * one part in one of two buffers, while the next part is fetched into the other and the last part is
 * stored.  The result is the same to the bit.
 */
void urb_program_offload (UrbProgram *program, gint64 most);

/* Moves the parameters of a generator's program (step/build.h) to %URB_STORE_OUTSIDE.  They are fetched for
 * each use, while the layer before computes. */
void urb_program_fetch_params (UrbProgram *program);

G_END_DECLS
