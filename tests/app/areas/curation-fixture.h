/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curation-fixture.h - a small made-up town and its areas, for widgets that show them.
 */
#pragma once

#include "app-test.h"
#include "app/areas/curation.h"

G_BEGIN_DECLS

typedef struct
{
  UrbariumUndo        *undo;     /* owned */
  UrbariumMapDocument *document; /* owned */
  UrbariumCuration    *curation; /* owned */
} CurationFixture;

/* Without a map, and all options as they are by default. */
void curation_fixture_init  (CurationFixture *self);
void curation_fixture_clear (CurationFixture *self);

/* Opens the town: less than 1 km wide, with hundreds of candidates of 100 m, some tens of them
 * chosen, for training and for testing, with pictures of 32 px.  Nothing can be undone then. */
void curation_fixture_open   (CurationFixture *self);
/* Until what was decided is shown, or why it cannot be. */
void curation_fixture_settle (CurationFixture *self);

UrbCurateOptions curation_fixture_options  (CurationFixture *self);
gsize            curation_fixture_n_chosen (CurationFixture *self);
/* Takes all out that is chosen, and adds what there is room for: all by hand. */
void             curation_fixture_choose_by_hand (CurationFixture *self);
/* @label: (nullable): what would be undone */
void             curation_fixture_assert_undo    (CurationFixture *self, const char *label);

G_END_DECLS
