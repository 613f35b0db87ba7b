/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rapl.c - see rapl.h.
 *
 * A processor is a zone "intel-rapl:0" of the name "package-0", on AMD, too.  Its parts ("intel-rapl:0:1") are within it, and
 * the zone "psys" counts the whole machine.
 */
#include "run/supervisor/rapl.h"

#include <string.h>

typedef struct
{
  char   *path;     /* owned: of its counter */
  gint64  last_uj, range_uj;
} Zone;

struct _UrbRapl
{
  GArray *zones; /* (element-type Zone) owned */
};

static void
clear_zone (gpointer zone)
{
  g_free (((Zone *) zone)->path);
}

/* Returns: -1: it cannot be read */
static gint64
read_number (const char *path)
{
  g_autofree char *text = NULL;
  char *end;
  gint64 number;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return -1;
  number = g_ascii_strtoll (text, &end, 10);
  return end > text && number >= 0 ? number : -1;
}

static gboolean
is_package (const char *zone)
{
  g_autofree char *path = g_build_filename (zone, "name", NULL), *name = NULL;

  return g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "package");
}

static void
add_zone (UrbRapl *self, const char *folder, const char *name)
{
  g_autofree char *zone = g_build_filename (folder, name, NULL), *range = g_build_filename (zone, "max_energy_range_uj", NULL);
  Zone new = { .path = g_build_filename (zone, "energy_uj", NULL) };

  new.last_uj = read_number (new.path);
  new.range_uj = read_number (range);
  if (is_package (zone) && new.last_uj >= 0 && new.range_uj > 0)
    g_array_append_val (self->zones, new);
  else
    clear_zone (&new);
}

UrbRapl *
urb_rapl_open (const char *folder)
{
  g_autoptr(UrbRapl) self = g_new0 (UrbRapl, 1);
  g_autoptr(GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  self->zones = g_array_new (FALSE, FALSE, sizeof (Zone));
  g_array_set_clear_func (self->zones, clear_zone);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, "intel-rapl:") && strchr (name, ':') == strrchr (name, ':'))
      add_zone (self, folder, name);
  return self->zones->len > 0 ? g_steal_pointer (&self) : NULL;
}

void
urb_rapl_close (UrbRapl *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->zones);
  g_free (self);
}

double
urb_rapl_read (UrbRapl *self)
{
  double joules = 0;

  for (guint i = 0; i < self->zones->len; i++)
    {
      Zone *zone = &g_array_index (self->zones, Zone, i);
      gint64 now_uj = read_number (zone->path), used_uj = now_uj - zone->last_uj;

      if (now_uj < 0)
        continue;
      joules += 1e-6 * (double) (used_uj >= 0 ? used_uj : used_uj + zone->range_uj); /* it began anew */
      zone->last_uj = now_uj;
    }
  return joules;
}
