/* SPDX-License-Identifier: Apache-2.0 */
/*
 * realism-words.h - describes the results of an evaluation in sentences.
 */
#pragma once

#include "app/cities/realism-result.h"

G_BEGIN_DECLS

/* Distance from real areas, in the levels of docs/evaluation.md. */
typedef enum
{
  URBARIUM_REALISM_ALIKE, /* up to 1: within chance */
  URBARIUM_REALISM_CLOSE, /* up to 2 */
  URBARIUM_REALISM_APART, /* up to 5 */
  URBARIUM_REALISM_FAR,
  URBARIUM_REALISM_UNKNOWN
} UrbariumRealismLevel;

UrbariumRealismLevel urbarium_realism_get_level (const UrbariumRealismMeasure *measure);
UrbariumRealismLevel urbarium_realism_get_overall_level (const UrbariumRealismResult *result);

/* All translated, (transfer none). */
const char *urbarium_realism_get_icon       (UrbariumRealismLevel level);
const char *urbarium_realism_get_style      (UrbariumRealismLevel level); /* a style class */
const char *urbarium_realism_get_verdict    (UrbariumRealismLevel level); /* on one measure */
const char *urbarium_realism_get_conclusion (UrbariumRealismLevel level); /* on all of them */
const char *urbarium_realism_get_title      (const UrbariumRealismMeasure *measure);

/* Replaces messages of the engine that name options of its command line.
 * Returns: (transfer none) (nullable): translated; NULL for other messages */
const char *urbarium_realism_get_window_text (const char *message);

/* All (transfer full): sentences. */
char *urbarium_realism_dup_score  (const UrbariumRealismResult *result);
char *urbarium_realism_dup_basis  (const UrbariumRealismResult *result); /* what was compared */
char *urbarium_realism_dup_copies (const UrbariumRealismResult *result);
/* (nullable): on precision and recall */
char *urbarium_realism_dup_sets   (const UrbariumRealismResult *result);
/* "1.80 times" */
char *urbarium_realism_dup_times  (double rho);

G_END_DECLS
