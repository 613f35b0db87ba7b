/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-record.c - measures asynchrony: how stale updates are, and how much of them others
 * overwrite.
 *
 * An element of an update is lost when another worker reads it, this one writes it, and the other
 * writes its result from the old value.  The values do not show that.  So canaries sit between the
 * slices of an update: counters that are incremented without protection, too.  The share of
 * increments that is missing at the end is the share that was lost.
 *
 * It is an estimate, for three reasons.  A canary is vulnerable for the time of reading and writing
 * one word, an element for a vector's worth of arithmetic: some ten against some hundred cycles,
 * but both are short compared with the transfer of a cache line between cores, which dominates.  A
 * canary is incremented by one thread, a slice updated by all threads of a worker.  And some
 * thousand canaries represent millions of elements: shares below one in a hundred are only known to
 * be small.  The share of overlapping updates is an upper bound, since updates that do not overlap
 * lose nothing.
 */
#include "parallel/shared-params-private.h"

#include <string.h>

#include "base/json-build.h"

static gboolean
is_another_publishing (UrbSharedParams *self, int rank, UrbSharedNet net)
{
  for (int i = 0; i < self->n_workers; i++)
    if (i != rank && self->entries[i].publishing[net] != 0)
      return TRUE;
  return FALSE;
}

void
urb_shared_params_begin_read (UrbSharedParams *self, int rank, UrbSharedNet net)
{
  self->entries[rank].seen[net] = self->head->versions[net];
}

void
urb_shared_params_begin_publish (UrbSharedParams *self, int rank, UrbSharedNet net)
{
  UrbSharedEntry *entry = &self->entries[rank];

  entry->publishing[net] = 1;
  entry->begun[net] = self->head->versions[net];
  if (is_another_publishing (self, rank, net))
    entry->publishing[net] = 2;
}

/* Deliberately no atomic addition, see above. */
void
urb_shared_params_feed_canary (UrbSharedParams *self, int rank, UrbSharedNet net, int slice)
{
  UrbSharedWord *canary = &self->head->canaries[net][slice].fed;
  guint64 fed = atomic_load_explicit (canary, memory_order_relaxed);

  atomic_store_explicit (canary, fed + 1, memory_order_relaxed);
  self->entries[rank].n_fed[net] += 1;
}

void
urb_shared_params_end_publish (UrbSharedParams *self, int rank, UrbSharedNet net)
{
  UrbSharedEntry *entry = &self->entries[rank];
  guint64 begun = entry->begun[net], lag = begun - entry->seen[net];
  guint64 ended = atomic_fetch_add (&self->head->versions[net], 1);

  /* An update that began and ended meanwhile changed the version. */
  if (entry->publishing[net] == 2 || ended != begun || is_another_publishing (self, rank, net))
    entry->n_overlapped[net] += 1;
  entry->lags[net][MIN (lag, URB_SHARED_MAX_LAG)] += 1;
  entry->n_publishes[net] += 1;
  entry->publishing[net] = 0;
}

/* ------------------------------------------------------------------------ */

void
urb_shared_params_get_record (UrbSharedParams *self, int rank, UrbSharedNet net,
                              UrbSharedRecord *out)
{
  UrbSharedEntry *entry;

  memset (out, 0, sizeof *out);
  g_return_if_fail (rank >= 0 && rank < self->n_workers);
  entry = &self->entries[rank];
  out->n_publishes = (gint64) entry->n_publishes[net];
  out->n_overlapped = (gint64) entry->n_overlapped[net];
  for (int i = 0; i <= URB_SHARED_MAX_LAG; i++)
    out->lags[i] = (gint64) entry->lags[net][i];
}

double
urb_shared_params_get_lost_share (UrbSharedParams *self, UrbSharedNet net)
{
  guint64 found = 0, fed = 0;

  for (int slice = 0; slice < URB_SHARED_MAX_SLICES; slice++)
    found += self->head->canaries[net][slice].fed;
  for (int rank = 0; rank < self->n_workers; rank++)
    fed += self->entries[rank].n_fed[net];
  return fed > found ? (double) (fed - found) / (double) fed : 0;
}

gint64
urb_shared_params_get_max_lead (UrbSharedParams *self)
{
  guint64 most = 0;

  for (int rank = 0; rank < self->n_workers; rank++)
    most = MAX (most, self->entries[rank].max_lead);
  return (gint64) most;
}

/* ------------------------------------------------------------------------ */

static const char *const net_names[URB_SHARED_N_NETS] = { [URB_SHARED_G] = "g",
                                                          [URB_SHARED_D] = "d" };

static void
add_record (JsonBuilder *json, UrbSharedParams *self, int rank, UrbSharedNet net)
{
  UrbSharedRecord record;

  urb_shared_params_get_record (self, rank, net, &record);
  urb_json_begin_object (json, net_names[net]);
  urb_json_add_int (json, "publishes", record.n_publishes);
  urb_json_add_int (json, "overlapped", record.n_overlapped);
  urb_json_begin_array (json, "staleness");
  for (int i = 0; i <= URB_SHARED_MAX_LAG; i++)
    urb_json_add_int (json, NULL, record.lags[i]);
  urb_json_end_array (json);
  urb_json_end_object (json);
}

char *
urb_shared_params_dup_json (UrbSharedParams *self)
{
  g_autoptr(JsonBuilder) json = json_builder_new ();

  urb_json_begin_object (json, NULL);
  urb_json_begin_array (json, "workers");
  for (int rank = 0; rank < self->n_workers; rank++)
    {
      urb_json_begin_object (json, NULL);
      urb_json_add_int (json, "rank", rank);
      urb_json_add_int (json, "clock", (gint64) self->entries[rank].clock);
      for (int net = 0; net < URB_SHARED_N_NETS; net++)
        add_record (json, self, rank, (UrbSharedNet) net);
      urb_json_end_object (json);
    }
  urb_json_end_array (json);
  urb_json_begin_object (json, "lost_share");
  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    urb_json_add_double (json, net_names[net],
                         urb_shared_params_get_lost_share (self, (UrbSharedNet) net));
  urb_json_end_object (json);
  urb_json_add_int (json, "max_lead", urb_shared_params_get_max_lead (self));
  urb_json_add_int (json, "lost_steps", urb_shared_params_get_n_lost (self));
  urb_json_end_object (json);
  return urb_json_dup_line (json);
}

/* ------------------------------------------------------------------------ */

static void
add_up (UrbSharedParams *self, UrbSharedNet net, UrbSharedRecord *sum)
{
  for (int rank = 0; rank < self->n_workers; rank++)
    {
      UrbSharedRecord record;

      urb_shared_params_get_record (self, rank, net, &record);
      sum->n_publishes += record.n_publishes;
      sum->n_overlapped += record.n_overlapped;
      for (int i = 0; i <= URB_SHARED_MAX_LAG; i++)
        sum->lags[i] += record.lags[i];
    }
}

/* "0: 12 %, 1: 80 %, 2: 8 %" */
static void
append_lags (GString *text, const UrbSharedRecord *sum)
{
  const char *separator = "";

  for (int i = 0; i <= URB_SHARED_MAX_LAG; i++)
    if (sum->lags[i] > 0)
      {
        g_string_append_printf (text, "%s%d%s: %.3g %%", separator, i,
                                i == URB_SHARED_MAX_LAG ? " or more" : "",
                                100.0 * (double) sum->lags[i] / (double) sum->n_publishes);
        separator = ", ";
      }
}

char *
urb_shared_params_dup_text (UrbSharedParams *self)
{
  GString *text = g_string_new ("Staleness, in updates by others between reading and writing: ");
  UrbSharedRecord sum = { 0 };
  double lost = MAX (urb_shared_params_get_lost_share (self, URB_SHARED_G),
                     urb_shared_params_get_lost_share (self, URB_SHARED_D));

  for (int net = 0; net < URB_SHARED_N_NETS; net++)
    add_up (self, (UrbSharedNet) net, &sum);
  if (sum.n_publishes == 0)
    g_string_append (text, "none was made");
  else
    {
      append_lags (text, &sum);
      g_string_append_printf (text, "; %.3g %% of the updates overlapped another one, and about "
                                    "%.2g %% of the values written were lost",
                              100.0 * (double) sum.n_overlapped / (double) sum.n_publishes,
                              100 * lost);
    }
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}
