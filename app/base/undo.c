/* SPDX-License-Identifier: Apache-2.0 */
#include "app/base/undo.h"

typedef struct
{
  char            *label; /* owned */
  UrbariumUndoFunc undo, redo;
  gpointer         data; /* owned */
  GDestroyNotify   free_data;
} Change;

struct _UrbariumUndo
{
  GObject    parent_instance;
  GPtrArray *done, *undone; /* of Change; owned; newest last */
  gboolean   busy;
};

G_DEFINE_FINAL_TYPE (UrbariumUndo, urbarium_undo, G_TYPE_OBJECT)

enum
{
  PROP_CAN_UNDO = 1,
  PROP_CAN_REDO,
  PROP_UNDO_LABEL,
  PROP_REDO_LABEL,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

static void
change_free (gpointer data)
{
  Change *self = data;
  if (self->free_data != NULL)
    self->free_data (self->data);
  g_free (self->label);
  g_free (self);
}

static const char *
last_label (GPtrArray *changes)
{
  return changes->len == 0 ? NULL : ((Change *) changes->pdata[changes->len - 1])->label;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumUndo *self = URBARIUM_UNDO (object);
  switch (id)
    {
    case PROP_CAN_UNDO: g_value_set_boolean (value, self->done->len > 0); break;
    case PROP_CAN_REDO: g_value_set_boolean (value, self->undone->len > 0); break;
    case PROP_UNDO_LABEL: g_value_set_string (value, last_label (self->done)); break;
    case PROP_REDO_LABEL: g_value_set_string (value, last_label (self->undone)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
finalize (GObject *object)
{
  UrbariumUndo *self = URBARIUM_UNDO (object);
  g_ptr_array_unref (self->done);
  g_ptr_array_unref (self->undone);
  G_OBJECT_CLASS (urbarium_undo_parent_class)->finalize (object);
}

static void
urbarium_undo_class_init (UrbariumUndoClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  props[PROP_CAN_UNDO] = g_param_spec_boolean ("can-undo", NULL, NULL, FALSE, flags);
  props[PROP_CAN_REDO] = g_param_spec_boolean ("can-redo", NULL, NULL, FALSE, flags);
  props[PROP_UNDO_LABEL] = g_param_spec_string ("undo-label", NULL, NULL, NULL, flags);
  props[PROP_REDO_LABEL] = g_param_spec_string ("redo-label", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
urbarium_undo_init (UrbariumUndo *self)
{
  self->done = g_ptr_array_new_with_free_func (change_free);
  self->undone = g_ptr_array_new_with_free_func (change_free);
}

UrbariumUndo *
urbarium_undo_new (void)
{
  return g_object_new (URBARIUM_TYPE_UNDO, NULL);
}

static void
notify_all (UrbariumUndo *self)
{
  g_object_freeze_notify (G_OBJECT (self));
  for (int i = 1; i < N_PROPS; i++)
    g_object_notify_by_pspec (G_OBJECT (self), props[i]);
  g_object_thaw_notify (G_OBJECT (self));
}

void
urbarium_undo_push (UrbariumUndo *self, const char *label, UrbariumUndoFunc undo,
                    UrbariumUndoFunc redo, gpointer data, GDestroyNotify free_data)
{
  Change *change = g_new (Change, 1);
  g_return_if_fail (URBARIUM_IS_UNDO (self) && undo != NULL && redo != NULL);
  *change = (Change) { g_strdup (label), undo, redo, data, free_data };
  if (self->busy)
    {
      change_free (change);
      return;
    }
  g_ptr_array_add (self->done, change);
  g_ptr_array_set_size (self->undone, 0);
  notify_all (self);
}

static void
move_last (UrbariumUndo *self, GPtrArray *from, GPtrArray *to, gboolean forward)
{
  Change *change;
  if (from->len == 0 || self->busy)
    return;
  change = g_ptr_array_steal_index (from, from->len - 1);
  self->busy = TRUE;
  (forward ? change->redo : change->undo) (change->data);
  self->busy = FALSE;
  g_ptr_array_add (to, change);
  notify_all (self);
}

void
urbarium_undo_undo (UrbariumUndo *self)
{
  g_return_if_fail (URBARIUM_IS_UNDO (self));
  move_last (self, self->done, self->undone, FALSE);
}

void
urbarium_undo_redo (UrbariumUndo *self)
{
  g_return_if_fail (URBARIUM_IS_UNDO (self));
  move_last (self, self->undone, self->done, TRUE);
}

void
urbarium_undo_clear (UrbariumUndo *self)
{
  g_return_if_fail (URBARIUM_IS_UNDO (self));
  g_ptr_array_set_size (self->done, 0);
  g_ptr_array_set_size (self->undone, 0);
  notify_all (self);
}
