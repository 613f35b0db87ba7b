/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.h - whether an exported file holds the cities that it says it does.
 */
#pragma once

#include "base/progress.h"
#include "city/generate.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n_parts;     /* lines of a text, or rows of a GeoPackage */
  gint64 n_different; /* 0: the file is the same */
  char  *first;       /* (nullable) owned: the first part that differs, in both files, for display */
  char  *made;        /* owned: what was made again: "cities 1-16 of seed 7 from step-….safetensors" */
  char  *program;     /* owned: which version made the file */
} UrbVerification;

void urb_verification_clear (UrbVerification *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbVerification, urb_verification_clear)

/**
 * urb_verify:
 * @path: a file of urb_generate(), of any format but PNG; untrusted
 * @checkpoint: (nullable): a file or the folder of its run; %NULL: that which @path names, if its run is in one of
 *   @places
 * @places: (array zero-terminated=1): folders of runs
 * @device: (nullable): where to draw; %NULL: where @path says
 * @result: (out)
 *
 * Makes the file again, with the provenance that it has, in a temporary folder, and compares all of both.
 *
 * Returns: %FALSE with an error if that cannot be told: @path does not say enough, or its checkpoint is gone
 */
gboolean urb_verify (const char *path, const char *checkpoint, const char *const *places, const char *device,
                     UrbVerification *result, UrbProgressFunc progress, gpointer user_data, GCancellable *cancellable,
                     GError **error);

G_END_DECLS
