/* SPDX-License-Identifier: Apache-2.0 */
/* test-help-overlay.c - the shortcuts window fits a small screen in each language, without warnings
 * of GTK, which are fatal here. */
#include "app-test.h"
#include "app/shell/application.h"
#include "app/shell/window.h"

enum { MAX_WIDTH_PX = 1280, MAX_HEIGHT_PX = 800 };

static UrbariumApplication *application; /* owned */

static gboolean
has_no_window (gpointer data)
{
  return gtk_application_get_windows (GTK_APPLICATION (application)) == NULL;
}

static void
test_fits (gconstpointer language)
{
  GtkWindow *window;
  GtkWidget *overlay;
  if (!test_speak (language))
    return;
  window = GTK_WINDOW (urbarium_window_new (ADW_APPLICATION (application)));
  gtk_window_present (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-help-overlay", NULL);
  overlay
    = GTK_WIDGET (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window)));
  test_frames (GTK_WINDOW (overlay), 3);
  g_test_message ("%d x %d px", gtk_widget_get_width (overlay), gtk_widget_get_height (overlay));
  g_assert_cmpint (gtk_widget_get_width (overlay), <=, MAX_WIDTH_PX);
  g_assert_cmpint (gtk_widget_get_height (overlay), <=, MAX_HEIGHT_PX);
  test_screenshot (GTK_WINDOW (overlay), language);
  gtk_window_close (GTK_WINDOW (overlay));
  gtk_window_close (window);
  test_until (has_no_window, NULL);
}

int
main (int argc, char **argv)
{
  static const char *const languages[] = { "C", "de", "fr", "it" };
  g_autoptr(GError) error = NULL;
  int result;
  test_app_init (&argc, &argv);
  application = urbarium_application_new ();
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (languages); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/help-overlay/%s", languages[i]);
      g_test_add_data_func (path, languages[i], test_fits);
    }
  result = g_test_run ();
  g_object_unref (application);
  return result;
}
