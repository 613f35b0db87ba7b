/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-memory.c - what control groups leave available, from files as the kernel writes them.
 */
#include <glib/gstdio.h>

#include "flat-folder.h"
#include "train/memory.h"

enum { MIB = 1 << 20 };

static void
write_number (const char *folder, const char *name, gint64 number)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT "\n", number);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* The limit of the group above is the smaller one. */
static void
test_version_2 (void)
{
  g_autofree char *root = g_dir_make_tmp ("urbarium-groups-XXXXXX", NULL);
  g_autofree char *job = g_build_filename (root, "job", NULL), *step = g_build_filename (job, "step", NULL);

  g_assert_cmpint (g_mkdir_with_parents (step, 0700), ==, 0);
  g_assert_cmpint (urb_memory_get_of_groups ("0::/job/step\n", root), ==, G_MAXINT64);
  write_text (step, "memory.max", "max\n");
  write_number (step, "memory.current", 10 * MIB);
  g_assert_cmpint (urb_memory_get_of_groups ("0::/job/step\n", root), ==, G_MAXINT64);
  write_number (job, "memory.max", 100 * MIB);
  write_number (job, "memory.current", 60 * MIB);
  write_text (job, "memory.stat", "file 31457280\nactive_file 10485760\ninactive_file 20971520\n");
  g_assert_cmpint (urb_memory_get_of_groups ("0::/job/step\n", root), ==, 60 * MIB);
  write_number (step, "memory.max", 15 * MIB);
  g_assert_cmpint (urb_memory_get_of_groups ("0::/job/step\n", root), ==, 5 * MIB);
  g_assert_cmpint (urb_memory_get_of_groups ("0::/other\n", root), ==, G_MAXINT64);
  flat_folder_remove (g_steal_pointer (&step));
  flat_folder_remove (g_steal_pointer (&job));
  flat_folder_remove (g_steal_pointer (&root));
}

/* As in a container, whose own group is the root, though its path is that of the host. */
static void
test_version_1 (void)
{
  static const char groups[] = "9:name=systemd:/\n4:memory:/docker/0f3a\n1:cpu:/docker/0f3a\n0::/\n";
  g_autofree char *root = g_dir_make_tmp ("urbarium-groups-XXXXXX", NULL);
  g_autofree char *memory = g_build_filename (root, "memory", NULL);

  g_assert_cmpint (g_mkdir_with_parents (memory, 0700), ==, 0);
  write_text (memory, "memory.limit_in_bytes", "9223372036854771712\n");
  write_number (memory, "memory.usage_in_bytes", 60 * MIB);
  write_text (memory, "memory.stat", "inactive_file 1048576\ntotal_inactive_file 20971520\n");
  g_assert_cmpint (urb_memory_get_of_groups (groups, root), ==, G_MAXINT64);
  write_number (memory, "memory.limit_in_bytes", 50 * MIB);
  g_assert_cmpint (urb_memory_get_of_groups (groups, root), ==, 10 * MIB);
  write_number (memory, "memory.usage_in_bytes", 80 * MIB); /* beyond a limit that was lowered */
  g_assert_cmpint (urb_memory_get_of_groups (groups, root), ==, 0);
  flat_folder_remove (g_steal_pointer (&memory));
  flat_folder_remove (g_steal_pointer (&root));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/version-1", test_version_1);
  g_test_add_func ("/memory/version-2", test_version_2);
  return g_test_run ();
}
