/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance.h - what a plan comes from, as facts that each file format writes as they are.
 *
 * Nothing is guessed: what the checkpoint or its dataset do not tell is left out.
 */
#pragma once

#include <gio/gio.h>

#include "city/place.h"
#include "city/turn.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name; /* static: lower case, with underscores */
  char       *text; /* owned; one line of UTF-8 */
} UrbFact;

typedef struct
{
  GArray *facts; /* UrbFact, owned */
} UrbProvenance;

/**
 * urb_provenance_new:
 * @checkpoint: (nullable): the file that drew the plan; %NULL: none did
 *
 * Program and version; of a checkpoint its name, checksum, step, run, preset and recipe, and its dataset; of the
 * dataset, if it is still there and the same, the files of the map and their licence.  Blocks: reads the checkpoint.
 *
 * Returns: (transfer full)
 */
UrbProvenance *urb_provenance_new      (const char *checkpoint);
/* Without any facts.  (transfer full) */
UrbProvenance *urb_provenance_new_empty (void);

/**
 * urb_provenance_read:
 * @path: of a file that may have been exported, by its ending; untrusted
 *
 * Returns: (transfer full): its facts, or none if it has none; %NULL with a %URB_CITY_ERROR if it cannot be read, or
 *   if its format has no place for facts
 */
UrbProvenance *urb_provenance_read     (const char *path, GError **error);

/* The text of a fact. (transfer none) (nullable) */
const char    *urb_provenance_get      (const UrbProvenance *self, const char *name);
/* @name: static
 * @text: (nullable): %NULL or empty: not known */
void           urb_provenance_add      (UrbProvenance *self, const char *name, const char *text);
/* The numbers of the cities within their seed, from 1; areas of each; and their place: what urb_verify() needs to make
 * the file again. */
void           urb_provenance_add_cities (UrbProvenance *self, gint64 first, gint64 last, int n_cols, int n_rows);
void           urb_provenance_add_place  (UrbProvenance *self, const UrbPlace *place);
/* Of a city in the file: the fact "seeds", each once. */
void           urb_provenance_add_seed (UrbProvenance *self, guint64 seed);
/* How typical the cities are; 1, which changes nothing, is not told. */
void           urb_provenance_add_truncation (UrbProvenance *self, double truncation);
/* Of a variation: the fact "turns", each once: "0.25/-0.1/1". */
void           urb_provenance_add_turn  (UrbProvenance *self, const UrbTurn *turn);
/* @shares: (3): built, roads and halls that were asked for; negative: as in the data, which is not told */
void           urb_provenance_add_shares (UrbProvenance *self, const double *shares);
/* "program: Urbarium 0.1.0; run: Town; …".  (transfer full) */
char          *urb_provenance_dup_line (const UrbProvenance *self);
void           urb_provenance_free     (UrbProvenance *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbProvenance, urb_provenance_free)

/* The run's name of RUN/checkpoints/step-….safetensors.
 * Returns: (transfer full) (nullable): %NULL if the file is in no run */
char          *urb_provenance_dup_run  (const char *checkpoint);

G_END_DECLS
