/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device-name.c - see device-name.h.
 */
#include "settings/device-name.h"

#include <string.h>

#include "settings/strategy.h"

#define ANY_GPU "cuda"
#define GPUS    ANY_GPU ":"

gboolean
urb_device_is_host (const char *name)
{
  return strcmp (name, "cpu") == 0 || strcmp (name, "reference") == 0;
}

gboolean
urb_device_is_gpu (const char *name)
{
  return strcmp (name, ANY_GPU) == 0 || g_str_has_prefix (name, GPUS);
}

const char *
urb_device_get_full (const char *name)
{
  return g_strcmp0 (name, ANY_GPU) == 0 ? GPUS "0" : name;
}

char *
urb_device_dup_gpu (int number)
{
  return g_strdup_printf (GPUS "%d", number);
}

static gboolean
contains (const GArray *numbers, int number)
{
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index (numbers, int, i) == number)
      return TRUE;
  return FALSE;
}

GArray *
urb_device_parse_gpus (const char *name, GError **error)
{
  g_autoptr(GArray) numbers = g_array_new (FALSE, FALSE, sizeof (int));
  g_auto(GStrv) parts = NULL;

  if (!g_str_has_prefix (name, GPUS))
    return g_steal_pointer (&numbers);
  parts = g_strsplit (name + strlen (GPUS), ",", -1);
  for (guint i = 0; i == 0 || parts[i] != NULL; i++)
    {
      guint64 value;
      int number;

      if (parts[i] == NULL || !g_ascii_string_to_unsigned (parts[i], 10, 0, G_MAXINT32, &value, NULL))
        {
          urb_options_fail (error, "There is no device “%s”: GPUs are numbered, as in cuda:0 or cuda:0,1.", name);
          return NULL;
        }
      number = (int) value;
      if (contains (numbers, number))
        {
          urb_options_fail (error, "The device “%s” has GPU %d twice.", name, number);
          return NULL;
        }
      g_array_append_val (numbers, number);
    }
  return g_steal_pointer (&numbers);
}

gboolean
urb_device_has_gpu (const char *name, const char *gpu)
{
  g_autoptr(GArray) all = urb_device_parse_gpus (name, NULL), one = urb_device_parse_gpus (gpu, NULL);

  if (one == NULL || one->len != 1)
    return FALSE;
  return strcmp (name, ANY_GPU) == 0 || (all != NULL && contains (all, g_array_index (one, int, 0)));
}

char *
urb_device_dup_first (const char *name, guint n)
{
  g_autoptr(GArray) numbers = urb_device_parse_gpus (name, NULL);
  g_autoptr(GString) text = g_string_new (GPUS);

  if (numbers == NULL || numbers->len <= n)
    return g_strdup (name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "", g_array_index (numbers, int, i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
