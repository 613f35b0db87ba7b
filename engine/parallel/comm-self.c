/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-self.c - the communicator of a single rank: every collective is a copy, done when it is
 * started.
 */
#include "parallel/comm-private.h"

typedef struct
{
  UrbComm  base;
  gpointer why; /* (atomic) owned string; NULL: not aborted */
} Self;

static gboolean
self_check (UrbComm *comm, GError **error)
{
  Self *self = (Self *) comm;
  const char *why = g_atomic_pointer_get (&self->why);

  if (why == NULL)
    return TRUE;
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED, "Rank 0 gave up: %s", why);
  return FALSE;
}

static gboolean
self_start (UrbComm *comm, UrbRequest *request, GError **error)
{
  UrbEnds ends = { request->in, request->out };

  if (!self_check (comm, error))
    return FALSE;
  urb_collective_move (&request->what, 1, &ends, 0, request->what.count);
  return TRUE;
}

static gboolean
self_wait (UrbComm *comm, UrbRequest *request, GError **error)
{
  return TRUE;
}

static UrbComm *
self_dup (UrbComm *comm, GError **error)
{
  return self_check (comm, error) ? urb_comm_new_self () : NULL;
}

static void
self_abort (UrbComm *comm, const char *why)
{
  Self *self = (Self *) comm;
  char *mine = g_strdup (why);

  if (!g_atomic_pointer_compare_and_exchange (&self->why, NULL, mine))
    g_free (mine);
}

static void
self_free (UrbComm *comm)
{
  g_free (((Self *) comm)->why);
}

static const UrbCommOps self_ops = {
  .name = "self",
  .request_size = sizeof (UrbRequest),
  .start = self_start,
  .wait = self_wait,
  .dup = self_dup,
  .abort = self_abort,
  .check = self_check,
  .free = self_free,
};

UrbComm *
urb_comm_new_self (void)
{
  Self *self = g_new0 (Self, 1);

  urb_comm_init (&self->base, &self_ops, 0, 1);
  return &self->base;
}
