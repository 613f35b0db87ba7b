/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-mesh.c - meshes are read from text, and ranks find each other in them.
 */
#include "settings/mesh.h"

#include "settings/strategy.h"

static void
test_parse (void)
{
  static const struct
  {
    const char *text;
    UrbMesh     mesh;
  } good[] = {
    { "data=2", { 1, 2, 1 } }, { "pipe=3,data=2", { 1, 2, 3 } }, { "tensor=4, data=1", { 4, 1, 1 } },
    { "data=2,tensor=3,pipe=4", { 3, 2, 4 } },
  };
  static const char *const bad[] = { "", "data", "data=", "data=0", "data=-1", "data=2x", "data=2,,pipe=2",
                                     "data=2,data=2", "depth=2", "data=4096,pipe=2", "=2", "data=99999999999" };
  UrbMesh mesh = { 5, 6, 7 };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_true (urb_mesh_parse (good[i].text, &mesh, &error));
      g_assert_no_error (error);
      g_assert_cmpmem (&mesh, sizeof mesh, &good[i].mesh, sizeof mesh);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(GError) error = NULL;

      if (urb_mesh_parse (bad[i], &mesh, &error))
        g_error ("“%s” was taken for a mesh", bad[i]);
      g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_OPTIONS);
    }
}

/* Every rank has one place in its group along each set of axes; ranks of a group name each other. */
static void
test_groups (void)
{
  static const UrbMesh mesh = { 2, 3, 4 };
  int n_all = urb_mesh_count (&mesh, URB_ALL_AXES);

  g_assert_cmpint (n_all, ==, 24);
  g_assert_cmpint (urb_mesh_count (&mesh, 0), ==, 1);
  g_assert_cmpint (urb_mesh_count (&mesh, URB_AXES_SAMPLES), ==, 6);
  /* Neighbors along tensor are neighbors by number; ranks of a stage follow each other. */
  g_assert_cmpint (urb_mesh_get_rank (&mesh, 0, URB_AXIS_TENSOR, 1), ==, 1);
  g_assert_cmpint (urb_mesh_get_rank (&mesh, 1, URB_AXIS_DATA, 2), ==, 5);
  g_assert_cmpint (urb_mesh_get_rank (&mesh, 5, URB_AXIS_PIPE, 3), ==, 23);
  for (guint axes = 0; axes <= URB_ALL_AXES; axes++)
    for (int rank = 0; rank < n_all; rank++)
      {
        int n = urb_mesh_count (&mesh, axes), index = urb_mesh_get_index (&mesh, rank, axes);

        g_assert_cmpint (index, >=, 0);
        g_assert_cmpint (index, <, n);
        g_assert_cmpint (urb_mesh_get_rank (&mesh, rank, axes, index), ==, rank);
        for (int i = 0, last = -1; i < n; i++)
          {
            int other = urb_mesh_get_rank (&mesh, rank, axes, i);

            g_assert_cmpint (other, >, last);
            g_assert_cmpint (urb_mesh_get_index (&mesh, other, axes), ==, i);
            g_assert_cmpint (urb_mesh_get_rank (&mesh, other, axes, 0), ==,
                             urb_mesh_get_rank (&mesh, rank, axes, 0));
            last = other;
          }
      }
}

static void
test_axes (void)
{
  static const UrbMesh mesh = { 1, 2, 3 }, line = { 1, 4, 1 };
  g_autofree char *both = urb_mesh_name_axes (URB_AXES_SAMPLES), *none = urb_mesh_name_axes (0);

  g_assert_cmpuint (urb_mesh_simplify (&mesh, URB_AXES_SAMPLES), ==, URB_AXIS_DATA);
  g_assert_cmpuint (urb_mesh_simplify (&mesh, URB_AXIS_PIPE), ==, URB_AXIS_PIPE);
  g_assert_cmpuint (urb_mesh_simplify (&mesh, URB_AXIS_DATA | URB_AXIS_PIPE), ==, 0);
  g_assert_cmpuint (urb_mesh_simplify (&line, URB_AXIS_DATA), ==, 0);
  g_assert_cmpstr (both, ==, "tensor,data");
  g_assert_cmpstr (none, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mesh/parse", test_parse);
  g_test_add_func ("/mesh/groups", test_groups);
  g_test_add_func ("/mesh/axes", test_axes);
  return g_test_run ();
}
