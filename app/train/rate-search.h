/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate-search.h - lets the engine test learning rates: one network at a time, with a rising rate.
 */
#pragma once

#include <gio/gio.h>

#include "settings/run-config.h"

G_BEGIN_DECLS

/* @result: of an engine's `train --find-rates --json`
 * @lr_g, @lr_d: (out): proposed; 0: none
 * Returns: (transfer full): translated: at which rates the loss of each network falls, is lowest and explodes */
char *urbarium_rate_search_finish (GAsyncResult *result, double *lr_g, double *lr_d, GError **error);

G_END_DECLS
