/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor-ranks.c - ranks without a worker process of their own: threads of a worker, and
 * processes that mpirun started.
 *
 * They send no messages; their state is read from the status board.  A rank that waits for rank 0
 * writes nothing either, so that only a rank in a step counts as silent.
 */
#include "run/supervisor/supervisor-private.h"

/* The members of a worker's heartbeat. */
static void
add_rank (JsonBuilder *line, int rank, const UrbBoardRank *at)
{
  static const char *const doings[URB_N_RANK_STATES] = {
    [URB_RANK_ABSENT] = "nothing", [URB_RANK_STARTING] = "start",    [URB_RANK_IDLE] = "idle",
    [URB_RANK_STEPPING] = "step",  [URB_RANK_SAVING] = "checkpoint", [URB_RANK_SAMPLING] = "sample",
  };
  double seconds = (double) (g_get_monotonic_time () - at->changed_us) / G_USEC_PER_SEC;
  urb_json_add_int (line, "rank", rank);
  urb_json_add_int (line, "pid", at->pid);
  urb_json_add_int (line, "step", at->step);
  urb_json_add_string (line, "doing", doings[at->state]);
  urb_json_add_double (line, "seconds", MAX (seconds, 0));
  urb_json_add_double (line, "silence_s",
                       at->state == URB_RANK_STEPPING ? MAX (seconds, 0) : 0);
  if (at->memory_bytes > 0) /* threads are included in their worker's */
    urb_json_add_int (line, "memory_bytes", at->memory_bytes);
}

void
urb_supervisor_add_ranks (UrbSupervisor *self, GString *out, const char *type, char separator)
{
  UrbBoardRank at;
  for (int i = self->n_slots; i < urb_board_get_n_ranks (self->board); i++)
    {
      JsonBuilder *rank;
      g_autofree char *text = NULL;
      urb_board_read (self->board, i, &at);
      if (at.pid <= 0 || at.state == URB_RANK_ABSENT)
        continue;
      rank = urb_json_new ();
      if (type != NULL)
        urb_json_add_string (rank, "type", type);
      add_rank (rank, i, &at);
      text = urb_json_end (rank);
      if (out->len > 1) /* more than the bracket of an empty array */
        g_string_append_c (out, separator);
      g_string_append (out, text);
    }
}
