/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-run-error.c - the engine's messages for a terminal are replaced by messages for the window.
 */
#include "app-test.h"

#include <string.h>

#include "app/runs/run-error.h"
#include "engine-failure.h"
#include "train/trainer.h"

#define OF_A_TERMINAL "It is so. Choose --device cpu."

/* No command-line option and nothing of the engine's text is left; the code stays. */
static void
test_words (void)
{
  static const int codes[] = { URB_TRAIN_ERROR_NO_DEVICE, URB_TRAIN_ERROR_DEVICE,
                                         URB_TRAIN_ERROR_MEMORY };
  for (guint i = 0; i < 3 * G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(GError) error = g_error_new_literal (URB_TRAIN_ERROR, codes[i / 3], OF_A_TERMINAL);
      g_autoptr(GError) told = urbarium_run_error_translate (error, i % 3);
      g_assert_error (told, URB_TRAIN_ERROR, codes[i / 3]);
      g_assert_nonnull (urbarium_run_error_get_short (error));
      g_assert_null (strstr (told->message, "--"));
      g_assert_null (strstr (told->message, "It is so"));
    }
}

/* The hardware of an existing run cannot be chosen. */
static void
test_places (void)
{
  g_autoptr(GError) error = g_error_new_literal (URB_TRAIN_ERROR, URB_TRAIN_ERROR_NO_DEVICE, "");
  g_autoptr(GError) new = urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_SETTINGS);
  g_autoptr(GError) old = urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_RUN);
  g_assert_nonnull (strstr (new->message, "Choose the processor under Hardware"));
  g_assert_null (strstr (old->message, "Choose"));
}

/* A missing file is not the folder of the run. */
static void
test_missing (void)
{
  g_autoptr(GError) file = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_NOENT, "No such file");
  g_autoptr(GError) folder = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "");
  g_autoptr(GError) told = urbarium_run_error_translate (file, URBARIUM_RUN_ERROR_ENDED);
  g_autoptr(GError) told_folder = urbarium_run_error_translate (folder, URBARIUM_RUN_ERROR_ENDED);
  g_assert_cmpstr (urbarium_run_error_get_short (file), ==, "File missing");
  g_assert_null (strstr (told->message, "folder"));
  g_assert_cmpstr (urbarium_run_error_get_short (folder), ==, "Folder missing");
  g_assert_nonnull (strstr (told_folder->message, "The folder of this run is missing"));
}

static void
test_others (void)
{
  g_autoptr(GError) error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, "It is <so>.");
  g_autoptr(GError) told = urbarium_run_error_translate (error, URBARIUM_RUN_ERROR_RUN);
  g_assert_error (told, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_assert_cmpstr (told->message, ==, "It is <so>.");
}

/* The error codes are the engine's own. */
static void
test_engine (void)
{
  static const struct
  {
    const char *const args[8];
    int               code;
  } cases[] = {
    { { "plan", "--preset", "tiny", "--device", "cuda:7" }, URB_TRAIN_ERROR_NO_DEVICE },
    { { "bench", "--preset", "tiny", "--device", "cuda" }, URB_TRAIN_ERROR_NO_DEVICE },
    { { "plan", "--preset", "tiny", "--device", "tpu" }, URB_TRAIN_ERROR_OPTIONS },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = test_engine_fail (cases[i].args);
      g_assert_error (error, URB_TRAIN_ERROR, cases[i].code);
    }
}

int
main (int argc, char **argv)
{
  test_app_init (&argc, &argv);
  g_setenv ("URBARIUM_CUDA_MODULE", "/nowhere", TRUE); /* a machine without a GPU */
  g_test_add_func ("/run-error/words", test_words);
  g_test_add_func ("/run-error/places", test_places);
  g_test_add_func ("/run-error/missing", test_missing);
  g_test_add_func ("/run-error/others", test_others);
  g_test_add_func ("/run-error/engine", test_engine);
  return g_test_run ();
}
