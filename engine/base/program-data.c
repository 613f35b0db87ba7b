/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program-data.c - see program-data.h.
 */
#include "base/program-data.h"

#include <gio/gio.h>
#include <libintl.h>

char *
urb_program_data_find (const char *installed, const char *built)
{
  const char *candidates[] = { built, installed };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self == NULL ? NULL : g_path_get_dirname (self);

  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (candidates); i++)
    {
      g_autofree char *joined = g_build_filename (folder, candidates[i], NULL);

      if (g_file_test (joined, G_FILE_TEST_EXISTS))
        return g_canonicalize_filename (joined, NULL);
    }
  return NULL;
}

void
urb_program_data_bind_translations (void)
{
  g_autofree char *translations = urb_program_data_find ("../share/locale", "../../po");

  bindtextdomain (GETTEXT_PACKAGE, translations == NULL ? URBARIUM_LOCALE_DIR : translations);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}
