/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preset.h - a preset: two networks, and the defaults that suit them.
 *
 * A preset is a key file (data/presets/NAME.preset, compiled in, or the user's
 * own).  Its head is read here, its networks by model/networks.h; docs/presets.md
 * documents its grammar.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define URB_MODEL_ERROR (urb_model_error_quark ())
GQuark urb_model_error_quark (void);

typedef enum { URB_MODEL_ERROR_PRESET } UrbModelError;

typedef struct
{
  char   *name;  /* owned; "tiny", or the file name without .preset */
  char   *title; /* owned; for people */
  char   *text;  /* owned; the whole key file, with the lines of its base; kept in checkpoints */
  int     size_px;    /* of the images that the discriminator judges */
  int     refined_px; /* of the refiner's images; 0: the preset has no refiner */
  int     n_latent;
  gboolean has_shares; /* the generator is also given the built, road and large-building shares */
  int     batch;    /* default images per step */
  int     n_steps;  /* default length of a run */
  double  lr;       /* of recipe r3 */
  double  gamma;    /* of recipe r3, at the start */
  double  ema_kimg; /* half-life of the EMA, thousands of images */
} UrbPreset;

/* Names of the built-in presets, sorted; g_strfreev(). */
char **urb_preset_list (void);

/* @name_or_file: a name of urb_preset_list(), or a path. */
UrbPreset *urb_preset_load      (const char *name_or_file, GError **error);
/* From the text of a key file, with the lines of its base; @name is for messages. */
UrbPreset *urb_preset_load_text (const char *name, const char *text, GError **error);
void       urb_preset_free      (UrbPreset *self);
/* Whether @name is one that comes with the program. */
gboolean   urb_preset_is_built_in (const char *name);

/* What of @self and @other trains another network, as “[generator] 2 is “tconv 16”, and was “tconv 32””;
 * NULL if nothing does.  Comments, spaces, the title, and defaults of settings do not matter: a run has
 * its own settings. (transfer full) (nullable) */
char      *urb_preset_dup_difference (const UrbPreset *self, const UrbPreset *other);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbPreset, urb_preset_free)

G_END_DECLS
