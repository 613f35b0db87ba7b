/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan-book.h - what was found to be fastest, remembered: lines of text by problem.
 *
 * A process has one book for each device and folder, however many backends are open: a GPU can
 * time one thing at once, and all should come to the same choice, which gives the same bits.
 */
#pragma once

#include "kernels/uk.h"

enum { UK_PLAN_BOOK_MAX_TEXT = 1024 }; /* bytes of a key, and of a value, with the final 0 */

typedef struct _UkPlanBook UkPlanBook;

/* @folder: (nullable) an existing folder, in which the book is kept for the next time; NULL: it
 * lasts as long as it is open.  @device: everything that a choice depends on beside the problem;
 * printable.  What cannot be read or written is left out silently: a book only saves time. */
UkStatus uk_plan_book_open  (const char *folder, const char *device, UkPlanBook **out);
void     uk_plan_book_close (UkPlanBook *self);

/* Around find(), the timing of what was not found, and keep().  Other processes that use the file
 * wait meanwhile, as far as the folder's file system knows locks. */
void uk_plan_book_lock   (UkPlanBook *self);
void uk_plan_book_unlock (UkPlanBook *self);

/* @value: (UK_PLAN_BOOK_MAX_TEXT).  It may come from a file, and be anything printable. */
bool uk_plan_book_find (UkPlanBook *self, const char *key, char *value);
/* Replaces what there is.  Keys and values are printable and contain no tab. */
void uk_plan_book_keep (UkPlanBook *self, const char *key, const char *value);
