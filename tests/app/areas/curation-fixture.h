/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curation-fixture.h - the areas of the sample town, for widgets that show them.
 */
#pragma once

#include "app-test.h"
#include "app/areas/curation.h"

G_BEGIN_DECLS

typedef struct
{
  UrbariumUndo        *undo;
  UrbariumMapDocument *document;
  UrbariumCuration    *curation;
} CurationFixture;

/* Without a map. */
static inline void
curation_fixture_init (CurationFixture *self)
{
  self->undo = urbarium_undo_new ();
  self->document = urbarium_map_document_new (self->undo);
  self->curation = urbarium_curation_new (self->document, self->undo);
}

static inline void
curation_fixture_clear (CurationFixture *self)
{
  test_assert_last_unref (self->curation);
  test_assert_last_unref (self->document);
  test_assert_last_unref (self->undo);
}

static inline gboolean
curation_fixture_is_settled (gpointer data)
{
  gboolean busy;
  g_object_get (((CurationFixture *) data)->curation, "busy", &busy, NULL);
  return !busy;
}

static inline gboolean
curation_fixture_has_map (gpointer data)
{
  return urbarium_map_document_get_map (((CurationFixture *) data)->document) != NULL;
}

/* What was decided is shown. */
static inline void
curation_fixture_settle (CurationFixture *self)
{
  test_until (curation_fixture_is_settled, self);
}

static inline void
curation_fixture_open (CurationFixture *self)
{
  urbarium_map_document_open_sample (self->document);
  test_until (curation_fixture_has_map, self);
  g_object_set (self->curation, "active", TRUE, NULL);
  curation_fixture_settle (self);
  g_assert_no_error (urbarium_curation_get_error (self->curation));
}

static inline UrbCurateOptions
curation_fixture_options (CurationFixture *self)
{
  return urbarium_curation_get_decisions (self->curation)->options;
}

static inline gsize
curation_fixture_n_chosen (CurationFixture *self)
{
  return urbarium_curation_get_choice (self->curation).n;
}

/* What would be undone; NULL: nothing. (transfer full) */
static inline char *
curation_fixture_dup_undo_label (CurationFixture *self)
{
  char *label;
  g_object_get (self->undo, "undo-label", &label, NULL);
  return label;
}

#define curation_fixture_assert_undo(self, expected)                                               \
  do                                                                                               \
    {                                                                                              \
      g_autofree char *label_ = curation_fixture_dup_undo_label (self);                            \
      g_assert_cmpstr (label_, ==, expected);                                                      \
    }                                                                                              \
  while (0)

G_END_DECLS
