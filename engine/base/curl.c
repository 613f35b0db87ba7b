/* SPDX-License-Identifier: Apache-2.0 */
#include "base/curl.h"

#include <string.h>

const char *const urb_curl_argv[] = { "curl", "--disable", "--config", "-", NULL };

/* As a quoted value, of which curl knows these escapes alone and takes other bytes as they are. */
void
urb_curl_add_option (GString *options, const char *name, const char *value)
{
  g_autoptr(GString) plain = g_string_new (NULL);
  g_autofree char *quoted = NULL;

  for (int byte = 1; byte < 256; byte++)
    if (strchr ("\"\\\n\r\t\v", byte) == NULL)
      g_string_append_c (plain, (char) byte);
  quoted = g_strescape (value, plain->str);
  g_string_append_printf (options, "%s = \"%s\"\n", name, quoted);
}

GString *
urb_curl_options_new (const char *url)
{
  GString *options = g_string_new ("silent\nshow-error\ngloboff\n");

  urb_curl_add_option (options, "url", url);
  urb_curl_add_option (options, "proto", "=http,https");
  return options;
}
