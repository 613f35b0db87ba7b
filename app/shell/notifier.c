/* SPDX-License-Identifier: Apache-2.0 */
/* notifier.c - only runs seen active can end; runs that the library found ended are ignored. */
#include "app/shell/notifier.h"

#include <glib/gi18n.h>

struct _UrbariumNotifier
{
  GObject             parent_instance;
  GApplication       *application; /* borrowed */
  UrbariumRunLibrary *library;     /* owned */
  GHashTable         *active;      /* of UrbariumRun, owned: seen active */
  gboolean            quiet;
};

G_DEFINE_FINAL_TYPE (UrbariumNotifier, urbarium_notifier, G_TYPE_OBJECT)

enum { PROP_QUIET = 1 };

enum { ENDED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gboolean
is_active (UrbRunState state)
{
  return state == URB_RUN_STARTING || state == URB_RUN_RUNNING || state == URB_RUN_PAUSING
         || state == URB_RUN_STOPPING;
}

static void
notify_ended (UrbariumNotifier *self, UrbariumRun *run)
{
  UrbRunState state = urbarium_run_get_state (run);
  /* A stop or pause needs no notification: the user asked for it. */
  const char *title = state == URB_RUN_FINISHED                  ? _ ("Training has finished")
                      : state == URB_RUN_FAILED                  ? _ ("Training has failed")
                      : urbarium_run_is_interrupted (run) ? _ ("The run was interrupted")
                                                          : NULL;
  const char *folder = urbarium_run_get_folder (run);
  g_autoptr(GNotification) notification = NULL;
  if (title == NULL || self->quiet)
    return;
  notification = g_notification_new (title);
  g_notification_set_body (notification, urbarium_run_get_name (run));
  g_notification_set_default_action_and_target (notification, "app.show-run", "s", folder);
  g_application_send_notification (self->application, folder, notification);
}

static gboolean
is_gone (gpointer run, gpointer value, gpointer data)
{
  UrbariumRunLibrary *library = URBARIUM_NOTIFIER (data)->library;
  return urbarium_run_library_find (library, urbarium_run_get_folder (run)) != run;
}

static void
state_cb (UrbariumNotifier *self, GParamSpec *pspec, UrbariumRun *run)
{
  if (is_gone (run, NULL, self))
    return;
  if (is_active (urbarium_run_get_state (run)))
    g_hash_table_add (self->active, g_object_ref (run));
  else if (g_hash_table_remove (self->active, run))
    {
      notify_ended (self, run);
      if (urb_run_state_has_ended (urbarium_run_get_state (run)))
        g_signal_emit (self, signals[ENDED], 0, run);
    }
}

static void
items_cb (UrbariumNotifier *self, guint position, guint removed, guint added, GListModel *model)
{
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr(UrbariumRun) run = g_list_model_get_item (model, i);
      g_signal_handlers_disconnect_by_data (run, self); /* it may have been moved only */
      g_signal_connect_object (run, "notify::state", G_CALLBACK (state_cb), self,
                               G_CONNECT_SWAPPED);
      if (is_active (urbarium_run_get_state (run)))
        g_hash_table_add (self->active, g_object_ref (run));
    }
  if (removed > 0)
    g_hash_table_foreach_remove (self->active, is_gone, self);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_QUIET)
    URBARIUM_NOTIFIER (object)->quiet = g_value_get_boolean (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
dispose (GObject *object)
{
  UrbariumNotifier *self = URBARIUM_NOTIFIER (object);
  g_hash_table_remove_all (self->active);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (urbarium_notifier_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  g_hash_table_unref (URBARIUM_NOTIFIER (object)->active);
  G_OBJECT_CLASS (urbarium_notifier_parent_class)->finalize (object);
}

static void
urbarium_notifier_class_init (UrbariumNotifierClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  g_object_class_install_property (
    object_class, PROP_QUIET,
    g_param_spec_boolean ("quiet", NULL, NULL, FALSE, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  signals[ENDED] = g_signal_new ("ended", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                 URBARIUM_TYPE_RUN);
}

static void
urbarium_notifier_init (UrbariumNotifier *self)
{
  self->active = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
}

UrbariumNotifier *
urbarium_notifier_new (GApplication *application, UrbariumRunLibrary *library)
{
  UrbariumNotifier *self = g_object_new (URBARIUM_TYPE_NOTIFIER, NULL);
  self->application = application;
  self->library = g_object_ref (library);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (items_cb), self,
                           G_CONNECT_SWAPPED);
  items_cb (self, 0, 0, g_list_model_get_n_items (G_LIST_MODEL (library)), G_LIST_MODEL (library));
  return self;
}
