/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group.c - see group.h.
 *
 * Commands travel through the communicator that the steps use, between the
 * steps, when nothing else is under way.
 */
#include "train/group.h"

#include <string.h>

#include <glib/gstdio.h>

#include "base/key-file.h"
#include "settings/preset.h"
#include "parallel/comm-watched.h"
#include "train/device.h"
#include "train/trace-ranks.h"

enum { MAX_TEXT = 1 << 20, HOST_LENGTH = 64 };

typedef enum
{
  COMMAND_STEP,
  COMMAND_SHARE,
  COMMAND_START_TRACE,
  COMMAND_END_TRACE,
  COMMAND_END
} CommandKind;

typedef struct
{
  gint64 kind; /* CommandKind */
  gint64 step; /* done before it */
} Command;

struct _UrbGroup
{
  UrbComm    *comm;    /* (nullable) owned */
  UrbTrainer *trainer; /* owned */
  UrbBoard   *board;   /* (nullable) borrowed */
  UrbTrace   *trace;   /* (nullable) owned; rank 0's */
  GPtrArray  *threads; /* of GThread: the other ranks, where they are threads */
};

/* What a thread is started with. */
typedef struct
{
  UrbComm  *comm;  /* owned */
  UrbBoard *board; /* (nullable) borrowed */
} Replica;

/* ------------------------------------------------------------------------ */
/* What ranks tell each other                                                */

static gboolean
broadcast_bytes (UrbComm *comm, gpointer bytes, gsize n_bytes, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, (gint64) n_bytes, 0 };

  return urb_comm_run (comm, &what, bytes, bytes, error);
}

static gboolean
meet (UrbComm *comm, GError **error)
{
  return urb_comm_run (comm, &(UrbCollective) { .kind = URB_COLLECTIVE_BARRIER }, NULL, NULL, error);
}

/* Texts of all ranks, HOST_LENGTH bytes each. (transfer full) (nullable) */
static char *
gather_names (UrbComm *comm, const char *own, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, HOST_LENGTH, 0 };
  g_autofree char *names = g_malloc0 ((gsize) urb_comm_get_n_ranks (comm) * HOST_LENGTH);
  char name[HOST_LENGTH] = "";

  g_strlcpy (name, own, sizeof name);
  return urb_comm_run (comm, &what, name, names, error) ? g_steal_pointer (&names) : NULL;
}

/* The ranks that have this machine's name, and those of them that have this rank's device. */
static gboolean
find_neighbours (UrbComm *comm, const UrbTrainOptions *options, UrbPlace *place, GError **error)
{
  int rank = urb_comm_get_rank (comm), n_ranks = urb_comm_get_n_ranks (comm);
  g_autofree char *hosts = gather_names (comm, g_get_host_name (), error);
  g_autofree char *device = NULL, *address = NULL, *devices = NULL;

  if (hosts == NULL)
    return FALSE;
  place->n_local = place->local_rank = place->n_on_device = 0;
  for (int r = 0; r < n_ranks; r++)
    if (memcmp (hosts + r * HOST_LENGTH, hosts + rank * HOST_LENGTH, HOST_LENGTH) == 0)
      {
        place->local_rank += r < rank;
        place->n_local++;
      }
  device = urb_device_dup_of_rank (options->backend, place->local_rank);
  address = urb_device_dup_address (device);
  devices = gather_names (comm, address, error);
  for (int r = 0; r < n_ranks && devices != NULL; r++)
    place->n_on_device
      += memcmp (hosts + r * HOST_LENGTH, hosts + rank * HOST_LENGTH, HOST_LENGTH) == 0
         && memcmp (devices + r * HOST_LENGTH, devices + rank * HOST_LENGTH, HOST_LENGTH) == 0;
  return devices != NULL;
}

/* Rank 0's @text, and the folder it works in, to which relative paths refer. */
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

/* The preset goes as a text: one of the run's own is in its folder, which another machine need not
 * have. */
static gboolean
send_options (UrbComm *comm, const UrbTrainOptions *options, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autoptr(UrbPreset) preset = urb_preset_load (options->preset, error);
  g_autofree char *text = NULL, *folder = g_get_current_dir ();

  if (preset == NULL)
    return FALSE;
  urb_train_options_to_key_file (options, file);
  text = g_key_file_to_data (file, NULL, NULL);
  return broadcast_text (comm, &folder, error) && broadcast_text (comm, &text, error)
         && broadcast_text (comm, &preset->text, error);
}

/* @preset: (out) (transfer full): its text */
static gboolean
receive_options (UrbComm *comm, UrbTrainOptions *options, char **preset, GError **error)
{
  g_autoptr(GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL, *folder = NULL, *own = g_get_current_dir ();

  if (!broadcast_text (comm, &folder, error) || !broadcast_text (comm, &text, error)
      || !broadcast_text (comm, preset, error))
    return FALSE;
  /* Another machine may not have it: then only what is named by a whole path is found. */
  if (strcmp (folder, own) != 0 && g_chdir (folder) != 0)
    g_debug ("There is no folder %s here", folder);
  return urb_key_file_read (file, text, error)
         && urb_train_options_from_key_file (options, file, error);
}

/* ------------------------------------------------------------------------ */
/* The others                                                                */

static void
show (const UrbPlace *place, UrbRankState state, gint64 step)
{
  if (place->board != NULL)
    urb_board_set_state (place->board, place->rank, state, step);
}

static gboolean
obey (UrbComm *comm, UrbTrainer *trainer, UrbTrace **trace, const Command *command, GError **error)
{
  g_autoptr(GError) cause = NULL;
  UrbStepMetrics metrics;

  if (command->kind == COMMAND_SHARE)
    return urb_trainer_share (trainer, command->step, error);
  if (command->kind == COMMAND_START_TRACE)
    return urb_trace_start_rank (comm, trainer, trace, error);
  if (command->kind == COMMAND_END_TRACE)
    return urb_trace_end_rank (comm, trainer, trace, NULL, NULL, error);
  g_assert (command->step == urb_trainer_get_step (trainer));
  /* Every rank sees the same metrics, so all find that training diverged, and rank 0
   * says how it goes on. */
  if (urb_trainer_step (trainer, &metrics, &cause)
      || g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

/* @trainer: (out) (transfer full): also when it fails, since other ranks may be in the middle of what
 * they do with this one. */
static gboolean
follow (UrbComm *comm, UrbBoard *board, UrbTrainer **trainer, GError **error)
{
  UrbPlace place = { .rank = urb_comm_get_rank (comm), .n_ranks = urb_comm_get_n_ranks (comm),
                     .n_local = 1, .comm = comm, .board = board };
  g_auto(UrbTrainOptions) options = { 0 };
  g_autoptr(UrbTrace) trace = NULL;
  g_autofree char *preset = NULL;
  Command command = { 0 };

  if (board != NULL)
    urb_board_enter (board, place.rank);
  show (&place, URB_RANK_STARTING, 0);
  urb_train_options_init (&options);
  if (!receive_options (comm, &options, &preset, error) || !find_neighbours (comm, &options, &place, error)
      || !meet (comm, error))
    return FALSE;
  place.preset_text = preset;
  *trainer = urb_trainer_new (&options, &place, error);
  if (*trainer == NULL || !meet (comm, error) || !urb_trainer_connect (*trainer, error))
    return FALSE;
  show (&place, URB_RANK_IDLE, 0);
  while (broadcast_bytes (comm, &command, sizeof command, error))
    {
      if (command.kind == COMMAND_END)
        {
          show (&place, URB_RANK_ABSENT, command.step);
          return meet (comm, error);
        }
      show (&place, command.kind == COMMAND_STEP ? URB_RANK_STEPPING : URB_RANK_SAVING,
            command.step + (command.kind == COMMAND_STEP));
      if (!obey (comm, *trainer, &trace, &command, error))
        return FALSE;
      show (&place, URB_RANK_IDLE, urb_trainer_get_step (*trainer));
    }
  return FALSE;
}

gboolean
urb_group_follow (UrbComm *comm, UrbBoard *board, GError **error)
{
  g_autoptr(UrbTrainer) trainer = NULL;
  g_autoptr(GError) cause = NULL;

  if (follow (comm, board, &trainer, &cause))
    return TRUE;
  urb_comm_abort (comm, cause->message); /* first: freeing the trainer is a kind of leaving, too */
  g_propagate_error (error, g_steal_pointer (&cause));
  return FALSE;
}

static gpointer
replica_thread (gpointer data)
{
  Replica *self = data;

  /* What went wrong was told to the others. */
  urb_group_follow (self->comm, self->board, NULL);
  urb_comm_free (self->comm);
  g_free (self);
  return NULL;
}

/* ------------------------------------------------------------------------ */
/* Rank 0                                                                    */

static void
start_replicas (UrbGroup *self, int n_ranks)
{
  g_autofree UrbComm **comms = g_new0 (UrbComm *, n_ranks);

  urb_comm_new_threads (n_ranks, comms);
  for (int r = 0; r < n_ranks && self->board != NULL; r++)
    comms[r] = urb_comm_new_watched (comms[r], self->board, 0);
  self->comm = comms[0];
  for (int r = 1; r < n_ranks; r++)
    {
      g_autofree char *name = g_strdup_printf ("rank-%d", r);
      Replica *replica = g_new (Replica, 1);

      *replica = (Replica) { comms[r], self->board };
      g_ptr_array_add (self->threads, g_thread_new (name, replica_thread, replica));
    }
}

static gboolean
open_all (UrbGroup *self, const UrbTrainOptions *options, GError **error)
{
  UrbPlace place = { .n_ranks = 1, .n_local = 1, .comm = self->comm, .board = self->board };

  if (self->comm != NULL)
    {
      place.n_ranks = urb_comm_get_n_ranks (self->comm);
      if (place.n_ranks != options->n_ranks)
        {
          g_set_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS,
                       "%d ranks were started, but %d are wanted: start as many as --strategy says.",
                       place.n_ranks, options->n_ranks);
          return FALSE;
        }
      if (!send_options (self->comm, options, error)
          || !find_neighbours (self->comm, options, &place, error))
        return FALSE;
    }
  self->trainer = urb_trainer_new (options, &place, error);
  if (self->trainer == NULL || self->comm == NULL)
    return self->trainer != NULL;
  /* It fitted into memory, for all: they may begin. */
  return meet (self->comm, error) && meet (self->comm, error)
         && urb_trainer_connect (self->trainer, error);
}

static gboolean
give_up (UrbGroup *self, GError *cause, GError **error)
{
  if (self->comm != NULL)
    urb_comm_abort (self->comm, cause->message);
  g_propagate_error (error, cause);
  return FALSE;
}

UrbGroup *
urb_group_new (const UrbTrainOptions *options, UrbComm *comm, UrbBoard *board, GError **error)
{
  g_autoptr(UrbGroup) self = g_new0 (UrbGroup, 1);
  gboolean shared = urb_strategy_is_synchronous (options->strategy);
  GError *cause = NULL;

  self->threads = g_ptr_array_new ();
  self->comm = comm;
  self->board = board;
  if (comm == NULL && shared && options->n_ranks > 0)
    start_replicas (self, options->n_ranks);
  if (open_all (self, options, &cause))
    return g_steal_pointer (&self);
  give_up (self, cause, error);
  return NULL;
}

UrbGroup *
urb_group_new_worker (const UrbTrainOptions *options, int rank, UrbSharedParams *shared,
                      UrbBoard *board, GError **error)
{
  g_autoptr(UrbGroup) self = g_new0 (UrbGroup, 1);
  /* Not among others here: it was told how many threads are its own. */
  const UrbPlace place = { .rank = rank, .n_ranks = options->n_ranks, .n_local = 1, .board = board,
                           .shared = shared };

  self->threads = g_ptr_array_new ();
  self->trainer = urb_trainer_new (options, &place, error);
  return self->trainer != NULL ? g_steal_pointer (&self) : NULL;
}

static gboolean
command_all (UrbGroup *self, CommandKind kind, GError **error)
{
  Command command = { kind, self->trainer != NULL ? urb_trainer_get_step (self->trainer) : 0 };

  return self->comm == NULL || broadcast_bytes (self->comm, &command, sizeof command, error);
}

void
urb_group_free (UrbGroup *self)
{
  if (self == NULL)
    return;
  /* After a failure nobody listens any more, and this fails at once.  Nobody leaves while another is
   * still in an exchange. */
  if (command_all (self, COMMAND_END, NULL) && self->comm != NULL)
    meet (self->comm, NULL);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (g_ptr_array_index (self->threads, i));
  g_ptr_array_unref (self->threads);
  urb_trainer_free (self->trainer);
  urb_trace_free (self->trace);
  urb_comm_free (self->comm);
  g_free (self);
}

UrbTrainer *
urb_group_get_trainer (UrbGroup *self)
{
  return self->trainer;
}

gboolean
urb_group_step (UrbGroup *self, UrbStepMetrics *metrics, GError **error)
{
  GError *cause = NULL;

  if (command_all (self, COMMAND_STEP, &cause) && urb_trainer_step (self->trainer, metrics, &cause))
    return TRUE;
  if (!g_error_matches (cause, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DIVERGED))
    return give_up (self, cause, error);
  g_propagate_error (error, cause);
  return FALSE;
}

gboolean
urb_group_restore (UrbGroup *self, const char *path, GError **error)
{
  GError *cause = NULL;

  if (!urb_trainer_restore (self->trainer, path, error))
    return FALSE;
  if (self->comm == NULL)
    return TRUE;
  return (command_all (self, COMMAND_SHARE, &cause)
          && urb_trainer_share (self->trainer, urb_trainer_get_step (self->trainer), &cause))
         || give_up (self, cause, error);
}

/* ------------------------------------------------------------------------ */

gboolean
urb_group_start_trace (UrbGroup *self, GError **error)
{
  GError *cause = NULL;

  return (command_all (self, COMMAND_START_TRACE, &cause)
          && urb_trace_start_rank (self->comm, self->trainer, &self->trace, &cause))
         || give_up (self, cause, error);
}

gboolean
urb_group_end_trace (UrbGroup *self, const char *path, UrbTraceSummary *summary, GError **error)
{
  g_autoptr(GString) events = g_string_new (NULL);
  GError *cause = NULL;

  g_return_val_if_fail (self->trace != NULL, FALSE);
  if (!command_all (self, COMMAND_END_TRACE, &cause)
      || !urb_trace_end_rank (self->comm, self->trainer, &self->trace, events, summary, &cause))
    return give_up (self, cause, error);
  return urb_trace_write (path, events->str, summary, error);
}
