/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook.c - see hook.h.
 */
#include "settings/hook.h"

#include <string.h>

#include "settings/strategy.h"

const char *const urb_hook_event_names[] = { "start", "sample", "checkpoint", "best", "end", "failure", NULL };
G_STATIC_ASSERT (G_N_ELEMENTS (urb_hook_event_names) == URB_N_HOOK_EVENTS + 1);

gboolean
urb_hook_is_given (const char *hook)
{
  return hook != NULL && *hook != '\0' && strcmp (hook, "none") != 0;
}

gboolean
urb_hook_is_url (const char *hook)
{
  return g_str_has_prefix (hook, "http://") || g_str_has_prefix (hook, "https://");
}

gboolean
urb_hook_parse_events (const char *text, guint *events, GError **error)
{
  g_auto(GStrv) names = g_strsplit (text != NULL ? text : "all", ",", -1);

  *events = 0;
  for (guint i = 0; names[i] != NULL; i++)
    {
      int event = 0;

      g_strstrip (names[i]);
      while (event < URB_N_HOOK_EVENTS && strcmp (names[i], urb_hook_event_names[event]) != 0)
        event++;
      if (event < URB_N_HOOK_EVENTS)
        *events |= 1u << event;
      else if (strcmp (names[i], "all") == 0)
        *events |= (1u << URB_N_HOOK_EVENTS) - 1;
      else
        {
          g_autofree char *known = g_strjoinv (", ", (char **) urb_hook_event_names);

          return urb_options_fail (error, "[run] hook-on has the event “%s”; the events are %s.", names[i], known);
        }
    }
  return TRUE;
}
