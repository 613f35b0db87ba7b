/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blind.h - scores a blind test: which plan of each pair is real?  See docs/evaluation.md.
 *
 * The answers and their key are text files of the same form: a line "7 A" for each pair, numbered from
 * 1, where A is the plan on the left; # begins a comment.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

enum
{
  URB_BLIND_MIN_PAIRS = 6, /* with fewer, all answers right happen by chance in more than 5 % */
  URB_BLIND_MAX_PAIRS = 1000,
  URB_BLIND_PAIRS = 24     /* by default */
};

#define URB_BLIND_KEY "key.txt"
#define URB_BLIND_ANSWERS "answers.txt"
#define URB_BLIND_SHEET "sheet.png"

/* The image of plan @plan (0: A, 1: B) of pair @pair, from 0; (transfer full). */
char   *urb_blind_dup_picture_name (guint pair, guint plan);

/* Returns: (transfer full) (element-type guint8): for each pair 0 for A, 1 for B; NULL with a
 * URB_CITY_ERROR_OPTIONS that names the line if an answer is missing or not one */
GArray *urb_blind_read_answers (const char *path, GError **error);

typedef enum
{
  URB_BLIND_UNDECIDED, /* guessing explains the answers */
  URB_BLIND_TOLD,      /* more are right than guessing explains */
  URB_BLIND_MISTAKEN   /* fewer: generated plans are taken for the real ones */
} UrbBlindVerdict;

extern const char *const urb_blind_verdict_names[]; /* "undecided", … */

typedef struct
{
  guint           n, n_right;
  double          p;         /* of an exact two-sided binomial test against 1/2 */
  double          low, high; /* 95 % Clopper-Pearson interval of the share that is right */
  UrbBlindVerdict verdict;   /* by p < 0.05 */
} UrbBlindScore;

UrbBlindScore urb_blind_score (guint n_right, guint n);
/* Compares @answers with @key; both (element-type guint8), of the same length. */
UrbBlindScore urb_blind_score_answers (const GArray *answers, const GArray *key);

G_END_DECLS
