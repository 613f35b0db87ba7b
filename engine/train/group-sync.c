/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group-sync.c - synchronous ranks, as threads or processes: rank 0 commands, the others follow.
 *
 * Commands travel through the communicator that the steps use, between the steps, when no other
 * exchange is under way.
 */
#include <string.h>

#include <glib/gstdio.h>

#include "base/key-file.h"
#include "settings/preset.h"
#include "train/agreement.h"
#include "train/device.h"
#include "train/group-private.h"
#include "train/send-dataset.h"

enum { MAX_TEXT = 1 << 20, NAME_LENGTH = 64 };

typedef struct
{
  gint64 kind; /* UrbCommand */
  gint64 step; /* done before it */
} Command;

static gboolean
broadcast_bytes (UrbComm *comm, gpointer bytes, gsize n_bytes, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, (gint64) n_bytes, 0 };

  return urb_comm_run (comm, &what, bytes, bytes, error);
}

gboolean
urb_local_rank_meet (UrbLocalRank *self, GError **error)
{
  return urb_comm_run (self->context.comm, &(UrbCollective) { .kind = URB_COLLECTIVE_BARRIER }, NULL,
                       NULL, error);
}

/* ------------------------------------------------------------------------ */
/* Neighbors                                                                 */

/* Texts of all ranks, NAME_LENGTH bytes each. (transfer full) (nullable) */
static char *
gather_names (UrbComm *comm, const char *own, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, NAME_LENGTH, 0 };
  g_autofree char *names = g_malloc0 ((gsize) urb_comm_get_n_ranks (comm) * NAME_LENGTH);
  char name[NAME_LENGTH] = "";

  g_strlcpy (name, own, sizeof name);
  return urb_comm_run (comm, &what, name, names, error) ? g_steal_pointer (&names) : NULL;
}

static gboolean
is_same (const char *names, int rank, int other)
{
  return memcmp (names + rank * NAME_LENGTH, names + other * NAME_LENGTH, NAME_LENGTH) == 0;
}

/* The ranks with this machine's name, and those of them with this rank's device. */
static gboolean
find_neighbors (UrbRank *self, const UrbTrainOptions *options, GError **error)
{
  g_autofree char *hosts = gather_names (self->comm, g_get_host_name (), error);
  g_autofree char *device = NULL, *address = NULL, *devices = NULL;

  if (hosts == NULL)
    return FALSE;
  self->n_local = self->local_rank = self->n_on_device = 0;
  for (int r = 0; r < self->n_ranks; r++)
    if (is_same (hosts, r, self->rank))
      {
        self->local_rank += r < self->rank;
        self->n_local++;
      }
  device = urb_device_dup_of_rank (options->backend, self->local_rank);
  address = urb_device_dup_address (device);
  devices = gather_names (self->comm, address, error);
  for (int r = 0; r < self->n_ranks && devices != NULL; r++)
    self->n_on_device += is_same (hosts, r, self->rank) && is_same (devices, r, self->rank);
  return devices != NULL;
}

/* ------------------------------------------------------------------------ */
/* Options                                                                   */

/* Rank 0's @text, which the others get. */
static gboolean
broadcast_text (UrbComm *comm, char **text, GError **error)
{
  gint64 length = *text != NULL ? (gint64) strlen (*text) : 0;

  if (!broadcast_bytes (comm, &length, sizeof length, error))
    return FALSE;
  if (length < 0 || length > MAX_TEXT)
    {
      g_set_error_literal (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                           "The first rank sent options that are too long: are all ranks of the same "
                           "version?");
      return FALSE;
    }
  if (*text == NULL)
    *text = g_malloc0 ((gsize) length + 1);
  return broadcast_bytes (comm, *text, (gsize) length, error);
}

/* The folder comes first, since the options name files relative to it.  The preset travels as text:
 * the run's own one is in its folder, which other machines may lack. */
static gboolean
send_options (UrbComm *comm, const UrbTrainOptions *options, UrbPreset *preset, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL, *folder = g_get_current_dir ();

  urb_train_options_to_key_file (options, file);
  text = g_key_file_to_data (file, NULL, NULL);
  return broadcast_text (comm, &folder, error) && broadcast_text (comm, &text, error)
         && broadcast_text (comm, &preset->text, error);
}

/* @preset: (out) (transfer full): its text
 * @problem: (out): that this rank does not understand the options, which it tells the others later */
static gboolean
receive_options (UrbComm *comm, UrbTrainOptions *options, char **preset, GError **problem, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL, *folder = NULL, *own = g_get_current_dir ();

  if (!broadcast_text (comm, &folder, error) || !broadcast_text (comm, &text, error)
      || !broadcast_text (comm, preset, error))
    return FALSE;
  /* Another machine may lack the folder: then only absolute paths are found. */
  if (strcmp (folder, own) != 0 && g_chdir (folder) != 0)
    g_debug ("There is no folder %s here", folder);
  if (urb_key_file_read (file, text, problem))
    urb_train_options_from_key_file (options, file, problem);
  return TRUE;
}

/* Its own, or a copy of what rank 0 sent; or else that of the run. */
static const char *
get_dataset (const UrbLocalRank *self, const UrbTrainOptions *options)
{
  return self->context.dataset != NULL ? self->context.dataset : options->dataset;
}

/* Before any rank allocates.  Threads share one process, and what it has opened. */
static gboolean
agree (const UrbLocalRank *self, const UrbTrainOptions *options, const char *preset_text,
       const GError *problem, GError **error)
{
  const char *dataset = get_dataset (self, options);
  UrbRankCard card;

  if (self->group != NULL && self->group->n_local > 1)
    return TRUE;
  urb_rank_card_fill (&card, options, dataset, preset_text, problem);
  return urb_agreement_reach (self->context.comm, &card, error);
}

/* Threads share rank 0's file.  @copy, @problem: see urb_send_dataset() */
static gboolean
share_dataset (const UrbLocalRank *self, const UrbTrainOptions *options, char **copy, GError **problem,
               GError **error)
{
  const char *path = get_dataset (self, options);
  gboolean sends = self->context.rank > 0 || options->send_dataset;

  *copy = NULL;
  return (self->group != NULL && self->group->n_local > 1)
         || urb_send_dataset (self->context.comm, sends ? path : NULL, copy, problem, error);
}

/* ------------------------------------------------------------------------ */
/* Rank 0                                                                    */

gboolean
urb_group_lead (UrbGroup *self, const UrbTrainOptions *options, GError **error)
{
  UrbLocalRank *first = &self->ranks[0];
  UrbRank *context = &first->context;
  g_autoptr(UrbPreset) preset = NULL;
  g_autofree char *copy = NULL; /* rank 0 needs none */

  if (context->n_ranks != options->n_ranks)
    {
      g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                   "%d ranks were started, but --strategy asks for %d: start as many.",
                   context->n_ranks, options->n_ranks);
      return FALSE;
    }
  preset = urb_preset_load (options->preset, error);
  if (preset == NULL || !send_options (context->comm, options, preset, error)
      || !share_dataset (first, options, &copy, NULL, error)
      || !agree (first, options, preset->text, NULL, error)
      || !find_neighbors (context, options, error))
    return FALSE;
  first->trainer = urb_trainer_new (options, context, error);
  /* Its memory check was for all ranks of this machine: now the others may open theirs. */
  return first->trainer != NULL && urb_local_rank_meet (first, error)
         && urb_local_rank_meet (first, error) && urb_trainer_connect (first->trainer, error);
}

gboolean
urb_group_command (UrbGroup *self, UrbCommand command, GError **error)
{
  UrbLocalRank *first = &self->ranks[0];
  Command message = { command, first->trainer != NULL ? urb_trainer_get_step (first->trainer) : 0 };

  return first->context.comm == NULL
         || broadcast_bytes (first->context.comm, &message, sizeof message, error);
}

/* ------------------------------------------------------------------------ */
/* The other ranks                                                           */

static gboolean
open_trainer (UrbLocalRank *self, GError **error)
{
  g_auto(UrbTrainOptions) options = { 0 };
  g_autofree char *preset = NULL, *copy = NULL;
  g_autoptr(GError) problem = NULL;

  urb_train_options_init (&options);
  if (!receive_options (self->context.comm, &options, &preset, &problem, error)
      || !share_dataset (self, &options, &copy, &problem, error))
    return FALSE;
  if (copy != NULL)
    self->context.dataset = copy;
  if (!agree (self, &options, preset, problem, error)
      || !find_neighbors (&self->context, &options, error) || !urb_local_rank_meet (self, error))
    return FALSE;
  if (self->context.dataset != NULL)
    {
      g_free (options.dataset);
      options.dataset = g_strdup (self->context.dataset);
    }
  self->context.preset_text = preset;
  self->trainer = urb_trainer_new (&options, &self->context, error);
  self->context.preset_text = self->context.dataset = NULL;
  return self->trainer != NULL && urb_local_rank_meet (self, error)
         && urb_trainer_connect (self->trainer, error);
}

static gboolean
obey (UrbLocalRank *self, const Command *command, GError **error)
{
  g_autoptr(GError) cause = NULL;
  UrbStepMetrics metrics;

  if (command->kind == URB_COMMAND_SERVE)
    return urb_trainer_serve (self->trainer, error);
  if (command->kind == URB_COMMAND_START_TRACE)
    return urb_local_rank_start_trace (self, error);
  if (command->kind == URB_COMMAND_END_TRACE)
    return urb_local_rank_end_trace (self, NULL, error);
  g_assert (command->step == urb_trainer_get_step (self->trainer));
  /* All ranks see the same metrics, so that all find that training diverged; rank 0 decides how to
   * go on. */
  if (urb_trainer_step (self->trainer, &metrics, &cause)
      || g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

gboolean
urb_local_rank_follow (UrbLocalRank *self, GError **error)
{
  const UrbRank *context = &self->context;
  Command command = { 0 };

  urb_rank_show (context, URB_RANK_STARTING, 0);
  if (!open_trainer (self, error))
    return FALSE;
  urb_rank_show (context, URB_RANK_IDLE, 0);
  while (broadcast_bytes (context->comm, &command, sizeof command, error))
    {
      gboolean is_step = command.kind == URB_COMMAND_STEP;

      if (command.kind == URB_COMMAND_END)
        {
          urb_rank_show (context, URB_RANK_ABSENT, command.step);
          return urb_local_rank_meet (self, error);
        }
      urb_rank_show (context, is_step ? URB_RANK_STEPPING : URB_RANK_SAVING, command.step + is_step);
      if (!obey (self, &command, error))
        return FALSE;
      urb_rank_show (context, URB_RANK_IDLE, urb_trainer_get_step (self->trainer));
    }
  return FALSE;
}
