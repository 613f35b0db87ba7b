/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-error.h"

#include <glib/gi18n.h>

#include "train/trainer.h"

typedef struct
{
  GQuark (*domain) (void);
  int         code;
  const char *texts[2]; /* by place; translated when told */
} Words;

static const Words words[] = {
  { urb_train_error_quark, URB_TRAIN_ERROR_NO_DEVICE,
    { N_ ("The chosen GPU is not in this machine, or cannot be used. Choose the processor under "
          "Hardware."),
      N_ ("The GPU that this run trains on is not in this machine, or cannot be used.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_DEVICE,
    { N_ ("The chosen hardware failed, or cannot be used with these settings. Choose 32 bit under "
          "Precision, or other hardware."),
      N_ ("The hardware that this run trains on failed, or cannot be used.") } },
  { urb_train_error_quark, URB_TRAIN_ERROR_MEMORY,
    { N_ ("The run needs more memory than is free. Choose a smaller batch, more microbatches or "
          "smaller networks."),
      N_ ("The run needs more memory than is free. End other programs or runs, and try again.") } },
  { g_file_error_quark, G_FILE_ERROR_NOSPC,
    { N_ ("The disk has no room for the run’s checkpoints. Keep fewer of them, or delete files."),
      N_ ("The disk has no room for the run’s checkpoints. Delete files, and try again.") } },
};

GError *
urbarium_run_error_translate (const GError *error, UrbariumRunErrorPlace place)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_error_matches (error, words[i].domain (), words[i].code))
      return g_error_new_literal (error->domain, error->code, _ (words[i].texts[place]));
  return g_error_copy (error);
}
