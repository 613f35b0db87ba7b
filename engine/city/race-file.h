/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race-file.h - ab.ini: how far a comparison of two ways to train has come, and its curves so far.
 *
 * `bench --ab` replaces it every few seconds in its folder, which it locks; the window reads it.
 */
#pragma once

#include <sys/types.h>

#include "city/quality-race.h"

G_BEGIN_DECLS

typedef enum
{
  URB_RACE_RUNNING, /* or killed: then nobody holds the lock */
  URB_RACE_FINISHED,
  URB_RACE_STOPPED, /* by a signal */
  URB_RACE_FAILED,
  URB_RACE_N_STATES
} UrbRaceState;

typedef enum
{
  URB_RACE_SPEED,   /* counts the steps that an arm makes */
  URB_RACE_TUNE,    /* tries learning rates */
  URB_RACE_TRAIN,
  URB_RACE_SCORE,   /* scores the checkpoints of that training */
  URB_RACE_N_STAGES
} UrbRaceStage;

/* What was tried of an arm, before the trainings that count. */
typedef struct
{
  double steps_per_s; /* 0: not known yet */
  int    n_tuned;     /* learning rates that have a score */
  double best_score;  /* of these; that rate is the race's lr_factor */
} UrbRaceTrial;

typedef struct
{
  UrbRaceState state;
  UrbRaceStage stage;
  int          arm;          /* that has its turn */
  guint64      seed;         /* of the training; 0: a trial */
  double       trained_s, planned_s; /* seconds of training; scoring comes on top */
  gint64       started;      /* seconds since 1970 */
  int          n_seeds;
  int          n_evaluations; /* of each training; 0: not known, of an older version */
  gint64       count;         /* cities of an evaluation */
  UrbRaceTrial trials[URB_RACE_N_ARMS];
  char        *dataset;      /* owned */
  char        *problem;      /* (nullable) owned: why it failed */
} UrbRaceProgress;

void urb_race_progress_clear (UrbRaceProgress *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (UrbRaceProgress, urb_race_progress_clear)

gboolean urb_race_file_save (const char *folder, const UrbRaceProgress *progress, const UrbQualityRace *race,
                             GError **error);

/**
 * urb_race_file_load:
 * @out: (out caller-allocates)
 *
 * Returns: (transfer full): the race; %NULL with a %G_FILE_ERROR if there is no file, and a %G_KEY_FILE_ERROR
 *   that names it if it is damaged
 */
UrbQualityRace *urb_race_file_load (const char *folder, UrbRaceProgress *out, GError **error);

/* Whether `bench --continue` can go on with it, unless it is running. */
gboolean urb_race_progress_can_continue (const UrbRaceProgress *self);

/* Locks @folder until this process ends.  Fails with %G_IO_ERROR_BUSY while another process has the lock. */
gboolean urb_race_file_lock        (const char *folder, GError **error);
/* The process that has the lock; 0: none */
pid_t    urb_race_file_find_holder (const char *folder);

G_END_DECLS
