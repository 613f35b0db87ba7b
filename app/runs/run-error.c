/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-error.h"

#include <glib/gi18n.h>

#include "app/base/engine-texts.h"
#include "run/store/run.h"
#include "train/trainer.h"

typedef struct
{
  GQuark (*domain) (void);
  int         code;
  const char *in_short; /* nullable; untranslated */
  const char *texts[3]; /* by UrbariumRunErrorPlace; untranslated; NULL: the engine's text */
} Message;

static const Message messages[] = {
  { urb_train_error_quark, URB_TRAIN_ERROR_NO_DEVICE, N_ ("GPU missing"),
    { N_ ("The chosen GPU is missing or cannot be used. Choose the processor under Hardware."),
      N_ ("The GPU of this run is missing or cannot be used."),
      N_ ("The GPU of this run is missing or cannot be used. Resume tries again, or offers the processor.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_DEVICE, N_ ("Hardware failed"),
    { N_ ("The chosen hardware failed, or does not support these settings. Choose 32 bit under "
          "Precision, or other hardware."),
      N_ ("The hardware of this run failed, or cannot be used."),
      N_ ("The hardware of this run failed, or cannot be used.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_MEMORY, N_ ("Out of memory"),
    { N_ ("The run needs more memory than is free. Choose a smaller batch, more microbatches or "
          "smaller networks."),
      N_ ("The run needs more memory than is free. Close other programs or stop other runs, then "
          "try again."),
      N_ ("The run needed more memory than was free. Close other programs or stop other runs, then "
          "resume.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_DATASET, N_ ("Dataset unusable"),
    { NULL, NULL,
      N_ ("The dataset of this run is missing, damaged or changed. Put the file back, then resume.") } },
  { g_file_error_quark, G_FILE_ERROR_NOSPC, N_ ("Disk full"),
    { N_ ("The disk has no room for the run’s checkpoints. Keep fewer of them, or delete files."),
      N_ ("The disk has no room for the run’s checkpoints. Delete files, then try again."),
      N_ ("The disk is full. Free some space, then resume; only the steps since the last checkpoint are "
          "trained again.") } },
  { g_file_error_quark, G_FILE_ERROR_NOENT, N_ ("File missing"),
    { NULL, NULL,
      N_ ("A file that this run needs is missing; the events name it. Put it back, then resume.") } },
  { g_io_error_quark, G_IO_ERROR_NOT_FOUND, N_ ("Folder missing"),
    { NULL, NULL,
      N_ ("The folder of this run is missing: it was deleted or moved, or its disk is not connected. If it "
          "was moved, open it at its new place; otherwise remove the run from the list.") } },
  { urb_run_error_quark, URB_RUN_ERROR_WORKER, NULL,
    { NULL, NULL,
      N_ ("The training process ended unexpectedly; the events tell how. Resume tries again from the last "
          "checkpoint.") } },
  { urb_run_error_quark, URB_RUN_ERROR_DATABASE, NULL,
    { NULL, NULL,
      N_ ("The history of this run could not be written: its disk may be damaged, full or disconnected. "
          "Check the disk, then resume.") } },
};

static const Message *
find_message (const GError *error)
{
  for (guint i = 0; i < G_N_ELEMENTS (messages); i++)
    if (g_error_matches (error, messages[i].domain (), messages[i].code))
      return &messages[i];
  return NULL;
}

GError *
urbarium_run_error_translate (const GError *error, UrbariumRunErrorPlace place)
{
  const Message *message = find_message (error);
  GError *copy;
  if (message == NULL || message->texts[place] == NULL)
    {
      copy = g_error_copy (error);
      urbarium_engine_texts_translate_error (copy);
      return copy;
    }
  return g_error_new_literal (error->domain, error->code, _ (message->texts[place]));
}

const char *
urbarium_run_error_get_short (const GError *error)
{
  const Message *message = find_message (error);
  return message == NULL || message->in_short == NULL ? NULL : _ (message->in_short);
}
