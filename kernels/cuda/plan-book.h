/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-book.h - a cache of the fastest plans: lines of text by problem.
 *
 * A process has one cache per device and folder, however many backends are open: a GPU can time only one
 * thing at a time, and all backends should make the same choices, for bit-identical results.
 */
#pragma once

#include "kernels/uk.h"

enum { UK_PLAN_BOOK_MAX_TEXT = 1024 }; /* bytes of a key, and of a value, with the final 0 */

typedef struct _UkPlanBook UkPlanBook;

/* @folder: (nullable) an existing folder, for the cache file; NULL: in memory only.  @device: everything
 * that a choice depends on apart from the problem; printable.  File errors are ignored, since the cache
 * only saves time. */
UkStatus uk_plan_book_open  (const char *folder, const char *device, UkPlanBook **out);
void     uk_plan_book_close (UkPlanBook *self);

/* Held around find(), timing and keep().  Other processes that use the file wait, if the file system
 * supports locks. */
void uk_plan_book_lock   (UkPlanBook *self);
void uk_plan_book_unlock (UkPlanBook *self);

/* @value: (UK_PLAN_BOOK_MAX_TEXT).  It may come from a file and be any printable text. */
bool uk_plan_book_find (UkPlanBook *self, const char *key, char *value);
/* Replaces an existing value.  Keys and values are printable and contain no tab. */
void uk_plan_book_keep (UkPlanBook *self, const char *key, const char *value);
