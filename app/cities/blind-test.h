/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blind-test.h - a window that shows pairs of a real and a generated plan, asks which one is real, and
 * tells whether the answers are more than guesses.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define URBARIUM_TYPE_BLIND_TEST (urbarium_blind_test_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumBlindTest, urbarium_blind_test, URBARIUM, BLIND_TEST, AdwWindow)

/* Opens a modal window over that of @where, which then destroys itself.
 * @checkpoint: a .safetensors file; @dataset: (nullable): NULL: the checkpoint's own
 * Returns: (transfer none) */
UrbariumBlindTest *urbarium_blind_test_open (GtkWidget *where, const char *checkpoint,
                                             const char *dataset);

G_END_DECLS
