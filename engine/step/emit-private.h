/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit-private.h - shared by the emit files.
 */
#pragma once

#include "step/emit.h"

G_BEGIN_DECLS

/* A parameter in @block, which is @slot's params or grads; no view for @param < 0. */
UrbView        urb_emit_param       (const UrbProgramNet *slot, int block, int param);
UrbView        urb_emit_temp        (UrbEmitter *self, const UrbProgramNet *slot, const char *what,
                                     int layer, UkArgType type, gint64 count);
/* An operation of @layer without arguments, not yet appended. */
UrbInstruction urb_emit_instruction (const UrbEmitter *self, const UrbProgramNet *slot, int layer,
                                     UrbPass pass, UkOpDesc desc);
void           urb_emit_with        (UrbEmitter *self, UrbInstruction instruction,
                                     const UrbView *args, gsize n_args);

/* Sets the arguments in order and appends the instruction. */
#define EMIT(self, instruction, ...)                                                      \
  urb_emit_with ((self), (instruction), (const UrbView[]) { __VA_ARGS__ },                \
                 sizeof ((const UrbView[]) { __VA_ARGS__ }) / sizeof (UrbView))

/* Batch norm: layer @index from its input to @y; fills acts->means and inv_stds. */
void           urb_emit_norm_forward (UrbEmitter *self, UrbActivations *acts, int index, UrbView y,
                                      UrbBatchNormMode mode);

/* Of the samples in the options' range. */
void           urb_emit_norm_backward (UrbEmitter *self, const UrbActivations *acts, int index,
                                       const UrbBackwardOptions *options, UrbView dy, UrbView dx);

G_END_DECLS
