/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - explains why a run with several ranks makes no progress: where each rank is, and which
 * one the others wait for.
 *
 * It reads the status board (parallel/board.h) and the process states of this machine.  Ranks may
 * have died at any point.
 */
#pragma once

#include "parallel/board.h"

G_BEGIN_DECLS

typedef struct
{
  UrbBoardRank board;
  char        *label;   /* owned, nullable; its instruction's name */
  char         process; /* state in /proc/PID/stat: 'R', 'T', 'Z', …; 'X': no such process; '?': on
                         * another machine */
} UrbDoctorRank;

/* All ranks at one moment. */
typedef struct
{
  UrbDoctorRank *ranks; /* owned */
  int            n_ranks;
  gint64         now_us;
} UrbDoctorView;

UrbDoctorView *urb_doctor_read      (UrbBoard *board);
void           urb_doctor_view_free (UrbDoctorView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbDoctorView, urb_doctor_view_free)

/* Its state letter, as above. */
char           urb_doctor_read_process (gint64 pid);

/**
 * urb_doctor_diagnose:
 * @guilty: (out): the rank that the others wait for, or that is in another collective; -1 if
 *   unknown
 *
 * For a run without progress for too long.
 *
 * Returns: (transfer full): one sentence without a full stop: "rank 1 (process 4711) is stopped
 *   (state T)"
 */
char          *urb_doctor_diagnose (const UrbDoctorView *view, int *guilty);

/* Only whether ranks met in different collectives, wait for each other, or one does something else than in
 * the steps before; also of ranks that have ended.
 * @from: (out): from what @guilty differs: "the others"
 * Returns: (transfer full) (nullable): as above; NULL if they did not */
char          *urb_doctor_compare  (const UrbDoctorView *view, int *guilty, const char **from);

/**
 * urb_doctor_is_certain:
 * @still_s: (out): for how long nothing has moved that could end it
 *
 * Whether waiting longer cannot help: a rank is stopped or gone, ranks have met in different collectives, or
 * all wait for each other.  A rank that is only behind may still come.
 */
gboolean       urb_doctor_is_certain (const UrbDoctorView *view, double *still_s);

/* Where one rank is: "rank 1 (process 4711) waits in all-reduce no. 812 (65,536 floats)".
 * (transfer full) */
char          *urb_doctor_describe (const UrbDoctorView *view, int rank);

G_END_DECLS
