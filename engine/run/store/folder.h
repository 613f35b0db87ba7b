/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h - the run folder: its files, and who may write them.
 *
 *   run.ini  run.db  control.sock  lock  log  (NAME.preset)
 *   checkpoints/step-000000123.safetensors
 *   samples/step-000000123.png
 *
 * The folder is made private to its owner (0700), and so are configuration, database, log and lock
 * (0600); changes by chmod are kept.  Only the holder of the lock writes; the lock is released when
 * its process ends, however that ends.
 */
#pragma once

#include "run/store/run.h"

G_BEGIN_DECLS

/* The timeline's file name. */
#define URB_RUN_TRACE_NAME "trace.json"
/* What the calls of the run's hook print. */
#define URB_RUN_HOOK_LOG_NAME "hooks.log"
/* The id that an MLflow server gave to the run, and what it has of it. */
#define URB_RUN_MLFLOW_NAME "mlflow.ini"
/* What TensorBoard reads, and how its files are named. */
#define URB_RUN_TENSORBOARD_FOLDER "tensorboard"
#define URB_RUN_EVENTS_PREFIX "events.out.tfevents."
#define URB_RUN_EVENTS_SUFFIX ".urbarium"

typedef struct _UrbRunFolder UrbRunFolder;

typedef enum
{
  URB_RUN_FOLDER_NEW,    /* must be absent, empty, or hold a run without any progress */
  URB_RUN_FOLDER_REPLACE /* a run there is deleted; other files stay */
} UrbRunFolderCreate;

/**
 * urb_run_folder_create:
 * @path: made absolute; its parents must exist
 *
 * Makes the folder and locks it.
 *
 * Returns: %NULL with a %URB_RUN_ERROR
 */
UrbRunFolder *urb_run_folder_create (const char *path, UrbRunFolderCreate how, GError **error);

/* Locks an existing run and removes the temporary files of a killed run. */
UrbRunFolder *urb_run_folder_open   (const char *path, GError **error);

void          urb_run_folder_free   (UrbRunFolder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (UrbRunFolder, urb_run_folder_free)

/* Absolute. (transfer none) */
const char   *urb_run_folder_get_path (UrbRunFolder *self);
int           urb_run_folder_get_fd   (UrbRunFolder *self); /* of the folder itself */
/* Path of something inside. (transfer full) */
char         *urb_run_folder_dup_file (UrbRunFolder *self, const char *name);

/* Writes the caller's process id into the lock, for messages; after a fork. */
void          urb_run_folder_claim  (UrbRunFolder *self);
/* Removes temporary files of killed writers; only while no worker runs. */
void          urb_run_folder_sweep  (UrbRunFolder *self);

/**
 * urb_run_folder_check_place:
 * @moved: (out) (optional): whether the folder is whole, but elsewhere
 *
 * Whether the folder is where it was opened, and has the lock and the database that this run began with.
 *
 * Returns: %FALSE with a sentence if somebody moved, deleted or replaced it
 */
gboolean      urb_run_folder_check_place (UrbRunFolder *self, gboolean *moved, GError **error);

/* Where the window has its runs. (transfer full) */
char         *urb_run_dup_usual_place (void);

/* Whether @path is the folder of a run, which has its configuration; %URB_RUN_ERROR_FOLDER otherwise. */
gboolean      urb_run_folder_check_is_run (const char *path, GError **error);
/* Whether @path, which may be absent, is free for a new run; %URB_RUN_ERROR_EXISTS otherwise. */
gboolean      urb_run_folder_check_unused (const char *path, GError **error);
/* The names of a run's files, its configuration first. */
const char *const *urb_run_folder_get_own_names (void);
/* Whether it has files that do not belong to a run. */
gboolean      urb_run_folder_has_others (const char *path);

/* The lock of any run, to see when its supervisor ends; stays valid when the folder is moved.
 * Returns: a descriptor, close-on-exec; -1 with an error if @path is no run */
int           urb_run_folder_open_lock (const char *path, GError **error);
/* Whether a supervisor holds the lock. */
gboolean      urb_run_folder_is_held   (int lock_fd);
/* Whether the run in @folder has a supervisor; one that is no run has none. */
gboolean      urb_run_is_held          (const char *folder);

/* Writes run.ini, atomically. */
gboolean
urb_run_folder_save_config (UrbRunFolder *self, const UrbRunConfig *config, GError **error);
/**
 * urb_run_folder_begin:
 * @config: (inout): resolved; gets a date, the folder's name if it has none, and the name of the
 *   copy if its preset is a file, which the worker finds wherever the folder is moved
 *
 * Makes the folder of a new run, with its configuration and a copy of its preset file.
 *
 * Returns: locked; %NULL with the error of urb_run_folder_create(), or of a file
 */
UrbRunFolder *urb_run_folder_begin (const char *path, UrbRunFolderCreate how, UrbRunConfig *config,
                                    GError **error);
/**
 * urb_run_folder_branch:
 * @from: a run, which stays as it is; it may be training
 * @step: of one of its checkpoints
 * @to: as @path of urb_run_folder_create()
 * @config: (inout): gets the name and the date of the new run
 *
 * Makes a run in a new folder that goes on from there, with the settings, the history, the checkpoints and the
 * sample grids up to @step.  Files are hard links where the file system allows.
 *
 * Returns: locked; %NULL with a %URB_RUN_ERROR; what was made of it is then gone
 */
UrbRunFolder *urb_run_folder_branch (const char *from, gint64 step, const char *to, UrbRunConfig *config,
                                     GError **error);
/**
 * urb_run_folder_restore_preset:
 * @path: of any run
 * @preset: as its run.ini names it
 *
 * Makes the run's copy of its preset again if it is missing: the newest checkpoint has its text.  Does
 * nothing if the preset is there, is a built-in one, or if there is no checkpoint.
 *
 * Returns: %FALSE if the file cannot be written
 */
gboolean      urb_run_folder_restore_preset (const char *path, const char *preset, GError **error);
/* Renames a run without a supervisor; %URB_RUN_ERROR_BUSY otherwise. */
gboolean      urb_run_folder_rename (const char *path, const char *name, GError **error);
/* Changes the note of a run without a supervisor; likewise. @note: "": none */
gboolean      urb_run_folder_note (const char *path, const char *note, GError **error);
/* Reads run.ini of any run, locked or not. */
gboolean      urb_run_folder_load_config (const char *path, UrbRunConfig *config, GError **error);

/* "checkpoints/step-000000123.safetensors", "samples/step-000000123.png" (transfer full) */
char         *urb_run_checkpoint_name (gint64 step);
char         *urb_run_sample_name     (gint64 step);
/* The timeline of one asynchronous worker; urb_run_folder_sweep() deletes it. (transfer full) */
char         *urb_run_trace_part_name (int rank);

/* The steps of all checkpoints, ascending. (element-type gint64) (transfer full) */
GArray       *urb_run_folder_list_checkpoints (const char *path);
/* The step of the newest; -1: none. */
gint64        urb_run_folder_get_newest_checkpoint (const char *path);

/**
 * urb_run_folder_find_checkpoint:
 *
 * Finds the newest whole checkpoint; damaged ones are renamed to "….damaged" and reported through
 * @damaged.
 *
 * @step: (out): its step; -1 if there is none
 * @damaged: (out) (transfer full) (nullable): a sentence about them
 *
 * Returns: FALSE, with an error, if a checkpoint may exist and cannot be read now: nothing was
 *   renamed, and the caller must not act as if there were none
 */
gboolean
urb_run_folder_find_checkpoint (UrbRunFolder *self, gint64 *step, char **damaged, GError **error);

/* Deletes all but the newest @keep checkpoints, and those of the steps @needed; the newest always stays.
 * @needed: (element-type gint64)
 * Returns: (element-type gint64) (transfer full): the steps of those deleted */
GArray       *urb_run_folder_prune_checkpoints (UrbRunFolder *self, int keep, GArray *needed);

/* Links @mark (URB_RUN_BEST, URB_RUN_GOOD) to the checkpoint of @step, atomically; -1 removes it.
 * Failures are ignored: the link can be made again. */
void          urb_run_folder_mark (UrbRunFolder *self, const char *mark, gint64 step);
/* The step of a mark of any run; -1 if there is none, or its checkpoint is gone. */
gint64        urb_run_folder_get_mark (const char *path, const char *mark);

/**
 * urb_run_folder_roll_back:
 *
 * Makes the checkpoint of @step the newest: later ones are deleted, from the newest on, so that
 * after an interruption the run can still be resumed.
 *
 * Returns: %FALSE with a sentence that lists the existing steps if @step has no whole checkpoint;
 *   nothing is deleted then
 */
gboolean      urb_run_folder_roll_back (UrbRunFolder *self, gint64 step, GError **error);

/**
 * urb_run_folder_thin_samples:
 *
 * Deletes old sample grids as they age: the newest 60 and the first stay; any other is deleted once those
 * beside it are at most a 16th of its age, in steps, apart.
 *
 * Returns: (element-type gint64) (transfer full): the steps of those deleted
 */
GArray       *urb_run_folder_thin_samples (UrbRunFolder *self);
/* How many stay at most of @n that are drawn at even intervals. */
gint64        urb_run_count_kept_samples (gint64 n);

/* Deletes the samples of steps after @step. */
void          urb_run_folder_rewind_samples (UrbRunFolder *self, gint64 step);

G_END_DECLS
