/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place-options.h - where plans lie: the options shared by `generate` and `vectorize`.
 */
#pragma once

#include "city/place.h"

G_BEGIN_DECLS

typedef struct
{
  char  *place; /* (nullable) owned */
  double angle_deg;
} UrbCliPlaceOptions;

void     urb_cli_place_options_clear (UrbCliPlaceOptions *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbCliPlaceOptions, urb_cli_place_options_clear)

/* Adds the options that set @self. */
void     urb_cli_place_options_add (UrbCliPlaceOptions *self, GOptionContext *options);

/* @place: (out).  Returns: FALSE after printing why; return URB_EXIT_USAGE then */
gboolean urb_cli_place_options_apply (const UrbCliPlaceOptions *self, UrbPlace *place);

G_END_DECLS
