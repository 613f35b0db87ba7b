/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/browser.h"

#include "app/base/message.h"

typedef struct
{
  GtkWidget  *where; /* owned */
  const char *failed;
} Opening;

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Opening *opening = data;
  g_autoptr(GtkWidget) where = opening->where;
  g_autoptr(GError) error = NULL;
  if (!g_app_info_launch_default_for_uri_finish (result, &error))
    urbarium_message_toast (where, opening->failed);
}

void
urbarium_browser_open (GtkWidget *where, const char *uri, const char *failed)
{
  g_autoptr(GdkAppLaunchContext) context = gdk_display_get_app_launch_context (gtk_widget_get_display (where));
  Opening *opening = g_new (Opening, 1);
  *opening = (Opening){ g_object_ref (where), failed };
  g_app_info_launch_default_for_uri_async (uri, G_APP_LAUNCH_CONTEXT (context), NULL, opened_cb, opening);
}
