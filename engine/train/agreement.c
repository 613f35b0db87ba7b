/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agreement.c - see agreement.h.
 */
#include "train/agreement.h"

#include <string.h>

#include "dataset/dataset.h"

enum { MOST_NAMED = 4 };

/* ------------------------------------------------------------------------ */
/* A rank's card                                                             */

static void
put_checksum (char *out, gsize n_bytes, const char *text)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  g_strlcpy (out, sum, n_bytes);
}

static void
put_options (UrbRankCard *self, const UrbTrainOptions *options)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL;

  urb_train_options_to_key_file (options, file);
  text = g_key_file_to_data (file, NULL, NULL);
  put_checksum (self->options, sizeof self->options, text);
}

static gboolean
put_dataset (UrbRankCard *self, const char *path, GError **error)
{
  g_autoptr(UrbDataset) dataset = urb_dataset_open (path, error);
  const UrbDatasetInfo *info;

  if (dataset == NULL)
    return FALSE;
  info = urb_dataset_get_info (dataset);
  g_strlcpy (self->dataset, info->id, sizeof self->dataset);
  g_snprintf (self->tiles, sizeof self->tiles, "%" G_GINT64_FORMAT " areas of %g m, %d px, %s%s",
              info->n_areas, info->area_size_m, info->resolution_px, info->soft ? "soft " : "",
              info->encoding == URB_ENCODING_GREY ? "grey" : "rgb");
  return TRUE;
}

void
urb_rank_card_fill (UrbRankCard *self, const UrbTrainOptions *options, const char *dataset,
                    const char *preset_text, const GError *problem)
{
  g_autoptr(GError) cause = problem != NULL ? g_error_copy (problem) : NULL;

  memset (self, 0, sizeof *self); /* all of it is sent */
  g_strlcpy (self->host, g_get_host_name (), sizeof self->host);
  g_strlcpy (self->program, "Urbarium " URBARIUM_VERSION, sizeof self->program);
  put_options (self, options);
  put_checksum (self->preset, sizeof self->preset, preset_text != NULL ? preset_text : "");
  if (cause == NULL && dataset != NULL)
    put_dataset (self, dataset, &cause);
  if (cause != NULL)
    g_strlcpy (self->problem, cause->message, sizeof self->problem);
}

/* ------------------------------------------------------------------------ */
/* Comparison                                                                */

static gboolean
has_problem (const UrbRankCard *card, const UrbRankCard *first)
{
  return card->problem[0] != '\0';
}

#define DEFINE_DIFFERENCE(field)                                            \
  static gboolean has_other_##field (const UrbRankCard *card,               \
                                     const UrbRankCard *first)              \
  {                                                                         \
    return strcmp (card->field, first->field) != 0;                         \
  }

DEFINE_DIFFERENCE (program)
DEFINE_DIFFERENCE (options)
DEFINE_DIFFERENCE (preset)
DEFINE_DIFFERENCE (dataset)

typedef struct
{
  gboolean (*is_found) (const UrbRankCard *card, const UrbRankCard *first);
  UrbTrainError code;
} Question;

/* In this order: with another program, nothing else needs to be the same. */
static const Question questions[] = {
  { has_other_program, URB_TRAIN_ERROR_OPTIONS },
  { has_problem, URB_TRAIN_ERROR_DATASET },
  { has_other_options, URB_TRAIN_ERROR_OPTIONS },
  { has_other_preset, URB_TRAIN_ERROR_OPTIONS },
  { has_other_dataset, URB_TRAIN_ERROR_DATASET },
};

/* A sentence about @card, the first that was found by @question. */
static char *
describe (const Question *question, const UrbRankCard *card, const UrbRankCard *first, const char *who)
{
  if (question->is_found == has_problem)
    return g_strdup_printf ("%s cannot take part: %s", who, card->problem);
  if (question->is_found == has_other_program)
    return g_strdup_printf ("%s: %s instead of %s. Install the same version on every host", who,
                            card->program, first->program);
  if (question->is_found == has_other_options)
    return g_strdup_printf ("%s: other options than rank 0 on %s. Install the same program on every host", who,
                            first->host);
  if (question->is_found == has_other_preset)
    return g_strdup_printf ("%s: another preset than rank 0 on %s. Install the same program on every host", who,
                            first->host);
  if (strcmp (card->tiles, first->tiles) != 0)
    return g_strdup_printf ("%s: another dataset, of %s, than rank 0 on %s, of %s. Copy the same file to every "
                            "host", who, card->tiles, first->host, first->tiles);
  return g_strdup_printf ("%s: another dataset than rank 0 on %s, although both have %s: the id is %.12s "
                          "instead of %.12s. Copy the same file to every host", who, first->host, card->tiles,
                          card->dataset, first->dataset);
}

/* "Rank 1 on b, rank 3 on d and 4 more". */
static char *
list_ranks (const UrbRankCard *cards, const gboolean *found, int n_ranks)
{
  GString *text = g_string_new (NULL);
  int n = 0;

  for (int r = 0; r < n_ranks; r++)
    if (found[r] && n++ < MOST_NAMED)
      g_string_append_printf (text, "%s %d on %s", n == 1 ? "Rank" : ", rank", r, cards[r].host);
  if (n > MOST_NAMED)
    g_string_append_printf (text, " and %d more", n - MOST_NAMED);
  return g_string_free (text, FALSE);
}

/* Everything that a rank sent is a text, whatever it sent. */
static void
end_texts (UrbRankCard *card)
{
  card->host[sizeof card->host - 1] = card->program[sizeof card->program - 1] = '\0';
  card->options[sizeof card->options - 1] = card->preset[sizeof card->preset - 1] = '\0';
  card->dataset[sizeof card->dataset - 1] = card->tiles[sizeof card->tiles - 1] = '\0';
  card->problem[sizeof card->problem - 1] = '\0';
}

static gboolean
compare (UrbRankCard *cards, int n_ranks, GError **error)
{
  g_autofree gboolean *found = g_new0 (gboolean, n_ranks);

  for (int r = 0; r < n_ranks; r++)
    end_texts (&cards[r]);
  for (gsize q = 0; q < G_N_ELEMENTS (questions); q++)
    {
      g_autofree char *who = NULL, *text = NULL, *valid = NULL;
      int worst = -1;

      for (int r = n_ranks - 1; r >= 0; r--)
        if ((found[r] = questions[q].is_found (&cards[r], &cards[0])))
          worst = r;
      if (worst < 0)
        continue;
      who = list_ranks (cards, found, n_ranks);
      text = describe (&questions[q], &cards[worst], &cards[0], who);
      valid = g_utf8_make_valid (text, -1);
      g_set_error (error, URB_TRAIN_ERROR, questions[q].code, "The ranks do not agree. %s.", valid);
      return FALSE;
    }
  return TRUE;
}

gboolean
urb_agreement_reach (UrbComm *comm, const UrbRankCard *own, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof *own, 0 };
  int n_ranks = urb_comm_get_n_ranks (comm);
  g_autofree UrbRankCard *cards = g_new0 (UrbRankCard, n_ranks);

  return urb_comm_run (comm, &what, own, cards, error) && compare (cards, n_ranks, error);
}
