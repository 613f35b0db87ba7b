/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comm-nccl.c - ranks with a GPU each, connected by NCCL (kernels/uk-ranks.h).
 *
 * NCCL hangs when ranks disagree or one of them is gone, and cannot inform the others.  So there is
 * also a communicator on the host: over it the ranks agree on where to meet, announce their
 * operations while the GPUs already work, and learn when one gives up.  Every wait polls both; a
 * failure aborts the GPU's work.  Sends and receives concern two ranks only, and are not announced:
 * one that never matches waits until a rank gives up.
 */
#include "parallel/comm-private.h"

#include <string.h>

#include "kernels/uk-ranks.h"

enum
{
  N_SPINS = 1000, /* polls before a rest */
  REST_US = 50,
  NEWS_MS = 200
};

typedef struct
{
  UrbRequest     base;
  UrbRequest    *agreed; /* the exchange of `whats` on the host; NULL: two ranks only */
  gboolean       begun;  /* on the GPU */
  int            ticket;
  UrbCollective *whats;  /* owned by the communicator; (n_ranks): what each rank has started */
} NcclRequest;

typedef struct
{
  UrbComm             base;
  UrbComm            *meet;    /* owned; of the host */
  UkBackend          *backend; /* borrowed */
  const UkRanksTable *table;
  UkRanks            *ranks;   /* owned; NULL after a failure */
  GError             *failure; /* owned */
  UrbCollective      *whats;   /* owned; (URB_COMM_MAX_UNDER_WAY, n_ranks) */
} NcclComm;

static const UrbCommOps nccl_ops;

static UrbComm *new_from (UrbComm *meet, UkBackend *backend, GError **error);

G_STATIC_ASSERT ((int) UK_MAX_EXCHANGES >= (int) URB_COMM_MAX_UNDER_WAY);

static const UkExchangeKind kinds[URB_N_COLLECTIVES] = {
  [URB_COLLECTIVE_BROADCAST] = UK_BROADCAST,
  [URB_COLLECTIVE_SCATTER] = UK_SCATTER,
  [URB_COLLECTIVE_GATHER] = UK_GATHER,
  [URB_COLLECTIVE_ALL_GATHER] = UK_ALL_GATHER,
  [URB_COLLECTIVE_REDUCE] = UK_REDUCE,
  [URB_COLLECTIVE_ALL_REDUCE] = UK_ALL_REDUCE,
  [URB_COLLECTIVE_REDUCE_SCATTER] = UK_REDUCE_SCATTER,
  [URB_COLLECTIVE_SEND] = UK_SEND,
  [URB_COLLECTIVE_RECV] = UK_RECV,
};

static const UkDataType data_types[URB_N_ELEMENTS] = {
  [URB_ELEMENT_F32] = UK_DATA_F32,
  [URB_ELEMENT_F64] = UK_DATA_F64,
  [URB_ELEMENT_BF16] = UK_DATA_BF16,
  [URB_ELEMENT_F16] = UK_DATA_F16,
  [URB_ELEMENT_U8] = UK_DATA_U8,
};

/* ------------------------------------------------------------------------ */
/* Errors                                                                    */

static void
leave (NcclComm *self)
{
  if (self->ranks != NULL)
    self->table->leave (self->ranks);
  self->ranks = NULL;
}

/* Aborts the GPU's part, informs the other ranks, and keeps the reason for later calls. */
static void
give_up (NcclComm *self, const GError *failure)
{
  if (self->failure != NULL)
    return;
  self->failure = g_error_copy (failure);
  urb_comm_abort (self->meet, failure->message);
  leave (self);
}

static gboolean
check_alive (NcclComm *self, GError **error)
{
  if (self->failure == NULL)
    return urb_comm_check (self->meet, error);
  if (error != NULL)
    *error = g_error_copy (self->failure);
  return FALSE;
}

/* If another rank aborted, its reason arrives over the host, a moment later between processes. */
static gboolean
fail (NcclComm *self, const char *why, GError **error)
{
  for (int i = 0; i < NEWS_MS; i++)
    {
      if (!urb_comm_check (self->meet, error))
        return FALSE;
      g_usleep (1000);
    }
  g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_TRANSPORT, "%s failed on rank %d: %s",
               self->table->name, self->base.rank, why);
  return FALSE;
}

/* ------------------------------------------------------------------------ */
/* Operations                                                                */

/* A barrier is done on the host. */
static gboolean
begin (NcclComm *self, NcclRequest *request, GError **error)
{
  const UrbCollective *what = &request->base.what;
  UrbCollective announce = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof *what, 0 };
  UkExchange exchange = { kinds[what->kind], data_types[what->element], what->count, what->peer,
                          request->base.in, request->base.out };

  if (!urb_collective_is_message (what->kind))
    {
      request->agreed = urb_comm_start (self->meet, &announce, what, request->whats, error);
      if (request->agreed == NULL)
        return FALSE;
    }
  if (what->kind == URB_COLLECTIVE_BARRIER || what->count == 0)
    return TRUE;
  request->begun = self->table->begin (self->ranks, &exchange, &request->ticket) == UK_OK;
  return request->begun || fail (self, self->table->explain (self->ranks), error);
}

static gboolean
agree (NcclComm *self, NcclRequest *request, GError **error)
{
  if (request->agreed == NULL)
    return TRUE;
  if (!urb_comm_wait (self->meet, g_steal_pointer (&request->agreed), error))
    return FALSE;
  for (int r = 0; r < self->base.n_ranks; r++)
    if (!urb_collective_equal (&request->base.what, &request->whats[r]))
      {
        urb_roster_set_mismatch (&self->base.roster, error, self->base.rank, &request->base.what, r,
                                 &request->whats[r]);
        return FALSE;
      }
  return TRUE;
}

/* Blocks until the GPU is done, NCCL or CUDA failed, or a rank gave up. */
static gboolean
await (NcclComm *self, int ticket, GError **error)
{
  for (guint i = 0;; i++)
    {
      UkStatus status = self->table->poll (self->ranks, ticket);

      if (status != UK_BUSY)
        return status == UK_OK || fail (self, self->table->explain (self->ranks), error);
      if (!urb_comm_check (self->meet, error))
        return FALSE;
      if (i > N_SPINS)
        g_usleep (REST_US);
    }
}

static gboolean
nccl_start (UrbComm *comm, UrbRequest *base, GError **error)
{
  NcclComm *self = (NcclComm *) comm;
  NcclRequest *request = (NcclRequest *) base;
  g_autoptr(GError) failure = NULL;

  if (!check_alive (self, error))
    return FALSE;
  request->whats = self->whats + (gsize) urb_comm_get_slot (comm, base) * (gsize) comm->n_ranks;
  if (begin (self, request, &failure))
    return TRUE;
  give_up (self, failure);
  if (request->agreed != NULL)
    urb_comm_wait (self->meet, request->agreed, NULL);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

static gboolean
nccl_wait (UrbComm *comm, UrbRequest *base, GError **error)
{
  NcclComm *self = (NcclComm *) comm;
  NcclRequest *request = (NcclRequest *) base;
  g_autoptr(GError) failure = NULL;
  gboolean ok = self->failure == NULL && agree (self, request, &failure)
                && (!request->begun || await (self, request->ticket, &failure));

  if (!ok && self->failure == NULL)
    give_up (self, failure);
  if (!ok && request->agreed != NULL)
    urb_comm_wait (self->meet, request->agreed, NULL);
  return ok || check_alive (self, error);
}

/* Over the host the ranks find their groups. */
static UrbComm *
nccl_split (UrbComm *comm, const UrbSplit *how, GError **error)
{
  NcclComm *self = (NcclComm *) comm;
  UrbComm *meet = check_alive (self, error) ? self->meet->ops->split (self->meet, how, error) : NULL;

  return meet != NULL ? new_from (meet, self->backend, error) : NULL;
}

/* The waiting thread learns of it over the host. */
static void
nccl_abort (UrbComm *comm, const char *why)
{
  urb_comm_abort (((NcclComm *) comm)->meet, why);
}

static gboolean
nccl_check (UrbComm *comm, GError **error)
{
  return check_alive ((NcclComm *) comm, error);
}

static void
nccl_free (UrbComm *comm)
{
  NcclComm *self = (NcclComm *) comm;

  leave (self);
  g_free (self->whats);
  urb_comm_free (self->meet);
  g_clear_error (&self->failure);
}

static const UrbCommOps nccl_ops = {
  .name = "nccl",
  .request_size = sizeof (NcclRequest),
  .start = nccl_start,
  .wait = nccl_wait,
  .split = nccl_split,
  .abort = nccl_abort,
  .check = nccl_check,
  .free = nccl_free,
};

/* ------------------------------------------------------------------------ */
/* The beginning                                                             */

/* What the ranks exchange on the host to meet. */
typedef struct
{
  char host[96];
  char device[UK_EXPORT_TEXT];
  char why_not[256]; /* "": it can be a rank */
} GpuInfo;

static void
describe_gpu (NcclComm *self, GpuInfo *info)
{
  const UkBackendTable *table = self->backend->table;

  g_strlcpy (info->host, g_get_host_name (), sizeof info->host);
  if (self->table == NULL)
    g_strlcpy (info->why_not, "it computes on the CPU", sizeof info->why_not);
  else if (self->table->check (self->backend, info->device) != UK_OK)
    g_strlcpy (info->why_not, table->explain (self->backend), sizeof info->why_not);
}

/* Either all ranks have a GPU of their own or none continues: NCCL would wait for the missing one,
 * and rejects two ranks on one.  All ranks get the same result. */
static gboolean
check_gpus (NcclComm *self, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_ALL_GATHER, URB_ELEMENT_U8, sizeof (GpuInfo), 0 };
  g_autofree GpuInfo *infos = g_new0 (GpuInfo, (gsize) self->base.n_ranks);
  GpuInfo mine = { .host = "" };

  describe_gpu (self, &mine);
  if (!urb_comm_run (self->meet, &what, &mine, infos, error))
    return FALSE;
  for (int r = 0; r < self->base.n_ranks; r++)
    if (infos[r].why_not[0] != '\0')
      {
        g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                     "Rank %d cannot use NCCL: %.*s", r, (int) sizeof infos[r].why_not,
                     infos[r].why_not);
        return FALSE;
      }
  for (int r = 1; r < self->base.n_ranks; r++)
    for (int q = 0; q < r; q++)
      if (strncmp (infos[q].host, infos[r].host, sizeof infos[q].host) == 0
          && strncmp (infos[q].device, infos[r].device, sizeof infos[q].device) == 0)
        {
          g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_UNAVAILABLE,
                       "Ranks %d and %d have the same GPU, which NCCL does not allow", q, r);
          return FALSE;
        }
  return TRUE;
}

static gboolean
join (NcclComm *self, GError **error)
{
  UrbCollective what = { URB_COLLECTIVE_BROADCAST, URB_ELEMENT_U8, sizeof (UkGroupId), 0 };
  UkGroupId group = { { 0 } };

  if (self->base.rank == 0 && self->table->create_id (self->backend, &group) != UK_OK)
    return fail (self, self->backend->table->explain (self->backend), error);
  if (!urb_comm_run (self->meet, &what, &group, &group, error))
    return FALSE;
  if (self->table->join (self->backend, &group, self->base.rank, self->base.n_ranks, &self->ranks)
        != UK_OK)
    return fail (self, self->backend->table->explain (self->backend), error);
  return await (self, UK_TICKET_JOIN, error);
}

/* Takes @meet. */
static UrbComm *
new_from (UrbComm *meet, UkBackend *backend, GError **error)
{
  NcclComm *self = g_new0 (NcclComm, 1);
  UrbRoster roster;

  urb_roster_copy (&roster, &meet->roster);
  urb_comm_init (&self->base, &nccl_ops, meet->rank, &roster);
  self->meet = meet;
  self->backend = backend;
  self->table = backend->table->ranks;
  self->whats = g_new0 (UrbCollective, URB_COMM_MAX_UNDER_WAY * (gsize) meet->n_ranks);
  if (check_gpus (self, error))
    {
      g_autoptr(GError) failure = NULL;
      if (join (self, &failure))
        return &self->base;
      /* The others may be inside the call. */
      urb_comm_abort (self->meet, failure->message);
      g_propagate_error (error, g_steal_pointer (&failure));
    }
  urb_comm_free (&self->base);
  return NULL;
}

UrbComm *
urb_comm_new_nccl (UrbComm *meet, UkBackend *backend, GError **error)
{
  UrbComm *mine;

  g_return_val_if_fail (meet != NULL, NULL);
  mine = urb_comm_dup (meet, error);
  return mine != NULL ? new_from (mine, backend, error) : NULL;
}
