/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-differences.h - the settings in which runs differ.
 */
#pragma once

#include "app/runs/run.h"
#include "settings/run-config.h"

G_BEGIN_DECLS

/* @runs: (element-type UrbariumRun)
 * Returns: (transfer full) (element-type UrbSetting): settings of training that hold no secret, in the order
 *   of their table; none of fewer than two runs */
GPtrArray *urbarium_run_find_differences (GPtrArray *runs);

/* Returns: (transfer full) (nullable): the value, of a file its name; NULL: not set, or not read yet */
char *urbarium_run_dup_setting (UrbariumRun *run, const UrbSetting *setting);

G_END_DECLS
