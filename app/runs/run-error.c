/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-error.h"

#include <glib/gi18n.h>

#include "train/trainer.h"

typedef struct
{
  GQuark (*domain) (void);
  int         code;
  const char *texts[2]; /* by UrbariumRunErrorPlace; untranslated */
} Message;

static const Message messages[] = {
  { urb_train_error_quark, URB_TRAIN_ERROR_NO_DEVICE,
    { N_ ("The chosen GPU is missing or cannot be used. Choose the processor under Hardware."),
      N_ ("The GPU of this run is missing or cannot be used.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_DEVICE,
    { N_ ("The chosen hardware failed, or does not support these settings. Choose 32 bit under "
          "Precision, or other hardware."),
      N_ ("The hardware of this run failed, or cannot be used.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_MEMORY,
    { N_ ("The run needs more memory than is free. Choose a smaller batch, more microbatches or "
          "smaller networks."),
      N_ ("The run needs more memory than is free. Close other programs or stop other runs, then "
          "try again.") } },
  { g_file_error_quark, G_FILE_ERROR_NOSPC,
    { N_ ("The disk has no room for the run’s checkpoints. Keep fewer of them, or delete files."),
      N_ ("The disk has no room for the run’s checkpoints. Delete files, then try again.") } },
};

GError *
urbarium_run_error_translate (const GError *error, UrbariumRunErrorPlace place)
{
  for (guint i = 0; i < G_N_ELEMENTS (messages); i++)
    if (g_error_matches (error, messages[i].domain (), messages[i].code))
      return g_error_new_literal (error->domain, error->code, _ (messages[i].texts[place]));
  return g_error_copy (error);
}
