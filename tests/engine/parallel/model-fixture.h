/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model-fixture.h - the networks of a preset and their program, before and after it is divided.
 */
#pragma once

#include "model/networks.h"
#include "step/build.h"

G_BEGIN_DECLS

typedef struct
{
  UrbNet     *g, *d;
  UrbProgram *program;
} Model;

/* @preset: the name of one that is built in; @options: all but networks and tiles */
void model_set_up (Model *self, const char *preset, UrbGanOptions options);
void model_clear  (Model *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Model, model_clear)

/* Elements of a rank's part in all collectives of a kind that have more than @above, of a network. */
gint64 model_sum_parts (const UrbProgram *program, UrbCollectiveKind kind, const char *net, gint64 above);

G_END_DECLS
