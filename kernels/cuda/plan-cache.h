/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-cache.h - a cache of the fastest plans: lines of text by problem, and for plans that take long to
 * compile a longer text each.
 *
 * A process has one cache per device and folder, however many backends are open: a GPU can time only one
 * thing at a time, and all backends should make the same choices, for bit-identical results.
 */
#pragma once

#include "kernels/uk.h"

enum { UK_PLAN_CACHE_MAX_TEXT = 1024 }; /* bytes of a key, and of a value, with the final 0 */

typedef struct _UkPlanCache UkPlanCache;

/* @folder: (nullable) an existing folder, for the cache file; NULL: in memory only.  @device: everything
 * that a choice depends on apart from the problem; printable.  File errors are ignored, since the cache
 * only saves time. */
UkStatus uk_plan_cache_open  (const char *folder, const char *device, UkPlanCache **out);
void     uk_plan_cache_close (UkPlanCache *self);

/* Held around find(), timing and keep().  Other processes that use the file wait, if the file system
 * supports locks. */
void uk_plan_cache_lock   (UkPlanCache *self);
void uk_plan_cache_unlock (UkPlanCache *self);

/* @value: (UK_PLAN_CACHE_MAX_TEXT).  It may come from a file and be any printable text. */
bool uk_plan_cache_find (UkPlanCache *self, const char *key, char *value);
/* Replaces an existing value.  Keys and values are printable and contain no tab. */
void uk_plan_cache_store (UkPlanCache *self, const char *key, const char *value);

/* A long text of @key, in a file of its own.  find: malloc()ed; NULL if there is none, or without a folder. */
char *uk_plan_cache_find_long  (UkPlanCache *self, const char *key);
void  uk_plan_cache_store_long (UkPlanCache *self, const char *key, const char *text);
