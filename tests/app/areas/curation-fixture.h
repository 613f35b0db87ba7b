/* SPDX-License-Identifier: Apache-2.0 */
/* curation-fixture.h - a small artificial town and its areas, for widgets that show them. */
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

/* No map, and default options. */
void curation_fixture_init  (CurationFixture *self);
void curation_fixture_clear (CurationFixture *self);

/* Opens the town: less than 1 km wide, with hundreds of candidates of 100 m, some tens of them
 * chosen, for training and for testing, with images of 32 px.  Nothing can be undone then. */
void curation_fixture_open   (CurationFixture *self);
/* Waits until the result of the decisions, or an error, is shown. */
void curation_fixture_settle (CurationFixture *self);

UrbCurateOptions curation_fixture_options  (CurationFixture *self);
gsize            curation_fixture_n_chosen (CurationFixture *self);
/* Removes all chosen areas by hand, and adds as many as fit. */
void             curation_fixture_choose_by_hand (CurationFixture *self);
/* @label: (nullable): expected undo label */
void             curation_fixture_assert_undo    (CurationFixture *self, const char *label);

G_END_DECLS
