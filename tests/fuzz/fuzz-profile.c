/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz-profile.c - a handwritten class profile; the initial inputs are the
 * built-in ones.
 */
#include <string.h>

#include "base/data.h"
#include "fuzz.h"
#include "map/profile.h"

void
fuzz_add_seeds (GPtrArray *inputs)
{
  g_auto(GStrv) names = urb_profile_list ();
  for (int i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path = g_strdup_printf ("profiles/%s.profile", names[i]);
      g_autofree char *text = urb_data_dup_text (path);
      g_assert_nonnull (text);
      fuzz_add_input (inputs, text, strlen (text));
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbProfile) profile = urb_profile_parse ((const char *) data, size, "a file", &error);
  if (profile == NULL)
    g_assert_nonnull (error);
  else
    g_assert_true (g_utf8_validate (urb_profile_get_title (profile), -1, NULL));
  return 0;
}
