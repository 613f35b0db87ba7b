/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.c - see fault.h.
 */
#include "parallel/fault.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "parallel/comm.h"

UrbFault
urb_fault_parse (const char *text, int *rank, gint64 *step)
{
  static const char *const kinds[] = { "none", "kill", "stop", "error", "count", "skip",
                                       "nan" };
  g_auto(GStrv) parts = g_strsplit (text, ":", 4);
  guint64 read_rank, read_step;

  if (g_strv_length (parts) != 3
      || !g_ascii_string_to_unsigned (parts[0], 10, 0, URB_BOARD_MAX_RANKS, &read_rank, NULL)
      || !g_ascii_string_to_unsigned (parts[1], 10, 0, G_MAXINT64, &read_step, NULL))
    return URB_FAULT_NONE;
  *rank = (int) read_rank;
  *step = (gint64) read_step;
  for (gsize i = 1; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (parts[2], kinds[i]) == 0)
      return (UrbFault) i;
  return URB_FAULT_NONE;
}

gboolean
urb_fault_is_of_value (void)
{
  const char *text = g_getenv ("URBARIUM_FAULT");
  int rank;
  gint64 step;

  return text != NULL && (URB_FAULTS_OF_VALUE >> urb_fault_parse (text, &rank, &step) & 1) != 0;
}

gboolean
urb_fault_strike (UrbBoard *board, int rank, gint64 step, guint kinds, UrbFault *fault,
                  GError **error)
{
  const char *text = board != NULL ? g_getenv ("URBARIUM_FAULT") : NULL;
  int wanted_rank = -1;
  gint64 wanted_step = 0;
  UrbFault wanted = text != NULL ? urb_fault_parse (text, &wanted_rank, &wanted_step)
                                 : URB_FAULT_NONE;

  if (fault != NULL)
    *fault = URB_FAULT_NONE;
  if (wanted == URB_FAULT_NONE || rank != wanted_rank || step < wanted_step
      || (kinds >> wanted & 1) == 0 || !urb_board_claim_fault (board))
    return TRUE;
  switch (wanted)
    {
    case URB_FAULT_KILL:
      kill (getpid (), SIGKILL);
      break;
    case URB_FAULT_STOP:
      kill (getpid (), SIGSTOP);
      break;
    case URB_FAULT_ERROR:
      g_set_error (error, URB_COMM_ERROR, URB_COMM_ERROR_ABORTED,
                   "Rank %d failed on purpose in step %" G_GINT64_FORMAT, rank, step);
      return FALSE;
    default:
      g_assert (fault != NULL);
      *fault = wanted;
      break;
    }
  return TRUE;
}
