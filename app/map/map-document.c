/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map-document.c - the user's choices, and the map that was read with them.
 *
 * Choices change at once; the map follows when a job has read it again (map, read_choices).  There is at most one job; results of superseded jobs
 * are dropped.  If a job fails or is cancelled, the choices revert to those of the current map.
 */
#include "app/map/map-document.h"

#include <glib/gi18n.h>

#include "app/map/map-load.h"
#include "app/map/map-memory.h"
#include "map/address.h"

/* Changes within this time lead to one reading. */
enum { REREAD_DELAY_MS = 300 };

struct _UrbariumMapDocument
{
  GObject             parent_instance;
  UrbariumUndo       *undo;  /* owned */
  UrbMap             *map;   /* owned; nullable */
  char              **paths; /* owned; nullable: of map */
  char               *address; /* owned; nullable: of map, if it is on a server, with its password */
  char               *typed;   /* owned; nullable: the last address, opened or failed, with its password */
  char               *title; /* owned; nullable */
  UrbariumMapLoad    *refused; /* owned; nullable: the last that was opened, if a part of it may open */
  UrbariumRecent     *memory;   /* owned; updated when the map is closed or saved */
  GVariant           *restored; /* owned; nullable: state of the last session, not read yet */

  UrbariumMapChoices *choices, *read_choices; /* owned */
  gboolean            is_width_new; /* changed, and not on the undo stack yet */
  double              road_width_before_m;

  UrbariumJob        *job; /* owned; nullable */
  gboolean            is_opening; /* job reads other files than paths */
  guint               reread; /* source */
};

G_DEFINE_FINAL_TYPE (UrbariumMapDocument, urbarium_map_document, G_TYPE_OBJECT)

enum
{
  PROP_TITLE = 1,
  PROP_JOB,
  N_PROPS
};

enum
{
  CHANGED,
  CLASSES_CHANGED,
  FAILED,
  N_SIGNALS
};

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

/* Data of a job's callback. */
typedef struct
{
  GWeakRef         document;
  UrbariumMapLoad *load; /* owned */
} Request;

/* An undoable change: the choices before and after. */
typedef struct
{
  GWeakRef            document;
  UrbariumMapChoices *before, *after; /* owned */
} Change;

static void schedule_reread (UrbariumMapDocument *self);

static char *
make_title (const char *const *paths)
{
  g_autofree char *sample = urbarium_map_load_get_sample_path ();
  g_autofree char *name = g_filename_display_basename (paths[0]);
  guint n = g_strv_length ((char **) paths);
  g_autoptr(UrbMapAddress) address = urb_map_address_is (paths[0]) ? urb_map_address_parse (paths[0], NULL) : NULL;
  if (g_str_equal (paths[0], sample))
    return g_strdup (_ ("Sample town"));
  if (address != NULL)
    return g_strdup (address->host);
  if (n == 1)
    return g_steal_pointer (&name);
  /* translators: %s is a file; the map was read from several */
  return g_strdup_printf (ngettext ("%s and %u more file", "%s and %u more files", n - 1), name,
                          n - 1);
}

static void
set_job (UrbariumMapDocument *self, UrbariumJob *job, gboolean is_opening)
{
  if (self->job != NULL)
    urbarium_job_cancel (self->job);
  g_set_object (&self->job, job);
  self->is_opening = is_opening;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_JOB]);
}

static gboolean
is_up_to_date (UrbariumMapDocument *self)
{
  return urbarium_map_choices_equal (self->choices, self->read_choices);
}

/* Gets the profile's class; returns FALSE if there is no such value. */
static gboolean
get_proposed (UrbariumMapDocument *self, const char *layer_name, const char *value_name,
              UrbClass *class_)
{
  GPtrArray *layers = urb_map_get_layers (self->map);
  for (guint i = 0; i < layers->len; i++)
    {
      const UrbMapLayer *layer = layers->pdata[i];
      for (guint j = 0; g_str_equal (layer->name, layer_name) && j < layer->values->len; j++)
        {
          const UrbMapValue *value = layer->values->pdata[j];
          *class_ = value->profile_class;
          if (g_str_equal (value->value, value_name))
            return TRUE;
        }
    }
  return FALSE;
}

static void
remember_choices (UrbariumMapDocument *self)
{
  g_autoptr(GVariant) state = urbarium_map_document_dup_state (self);
  urbarium_map_memory_keep (self->memory, state);
}

static void
set_files (UrbariumMapDocument *self, const UrbariumMapLoad *load)
{
  g_clear_pointer (&self->restored, g_variant_unref);
  g_strfreev (self->paths);
  self->paths = g_strdupv (load->paths);
  g_free (self->address);
  self->address = g_strdup (load->address);
  g_free (self->title);
  self->title = make_title ((const char *const *) self->paths);
  urbarium_map_choices_set (self->choices, load->choices);
  self->is_width_new = FALSE;
  g_clear_handle_id (&self->reread, g_source_remove);
  urbarium_undo_clear (self->undo);
}

static void
free_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  urb_map_unref (data);
}

/* @map: (transfer full) (nullable): freeing a large one takes longer than a frame */
static void
drop_in_thread (UrbMap *map)
{
  g_autoptr(GTask) task = g_task_new (NULL, NULL, NULL, NULL);
  if (map == NULL)
    return;
  g_task_set_task_data (task, map, NULL);
  g_task_run_in_thread (task, free_func);
}

static void
set_map (UrbariumMapDocument *self, UrbMap *map, const UrbariumMapLoad *load,
         gboolean is_other_map)
{
  UrbMap *old = self->map; /* dropped after the signal handlers have released it */
  if (is_other_map)
    remember_choices (self);
  self->map = map;
  if (is_other_map)
    set_files (self, load);
  urbarium_map_choices_set (self->read_choices, load->choices);
  if (is_other_map)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
  g_signal_emit (self, signals[CHANGED], 0);
  drop_in_thread (old);
}

/* Lets files open again that no longer have anything in the part that was read once. */
static void
forget_part (UrbariumMapDocument *self, const UrbariumMapLoad *load)
{
  g_autoptr(UrbariumMapChoices) choices = urbarium_map_choices_copy (load->choices);
  g_autoptr(GVariant) state = NULL;
  g_free (choices->part);
  choices->part = g_strdup ("");
  state = urbarium_map_state_new ((const char *const *) load->paths, choices);
  urbarium_map_memory_keep (self->memory, state);
}

/* Reverts the choices after a failed reading. */
static void
revert (UrbariumMapDocument *self)
{
  if (self->reread != 0 || is_up_to_date (self))
    return;
  urbarium_map_choices_set (self->choices, self->read_choices);
  self->is_width_new = FALSE;
  g_signal_emit (self, signals[CLASSES_CHANGED], 0);
}

/* @load: failed to open */
static void
keep_refused (UrbariumMapDocument *self, const UrbariumMapLoad *load, const GError *error)
{
  gboolean is_empty = *load->choices->part != '\0' && g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_EMPTY);
  if (is_empty)
    forget_part (self, load);
  if (is_empty || g_error_matches (error, URB_MAP_ERROR, URB_MAP_ERROR_LARGE))
    self->refused = urbarium_map_load_new ((const char *const *) load->paths, load->address, load->choices,
                                           g_strdupv (load->path_crs));
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  UrbariumJob *job = URBARIUM_JOB (source);
  Request *request = data;
  g_autoptr(UrbariumMapDocument) self = g_weak_ref_get (&request->document);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbMap) map = urbarium_job_finish (job, result, &error);
  if (self != NULL && self->job == job)
    {
      gboolean was_opening = self->is_opening;
      set_job (self, NULL, FALSE);
      if (was_opening)
        keep_refused (self, request->load, error);
      if (map != NULL)
        set_map (self, g_steal_pointer (&map), request->load, was_opening);
      else if (!was_opening)
        revert (self);
      else if (self->map != NULL && !is_up_to_date (self))
        schedule_reread (self); /* it was postponed for the other map */
      if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_signal_emit (self, signals[FAILED], 0, error);
    }
  g_weak_ref_clear (&request->document);
  urbarium_map_load_free (request->load);
  g_free (request);
}

/* @address: (nullable): of a server, whole */
static void
start (UrbariumMapDocument *self, const char *const *paths, const char *address, const UrbariumMapChoices *choices,
       gboolean is_opening)
{
  char **path_crs = urbarium_map_memory_dup_path_crs (self->memory, paths);
  UrbariumMapLoad *load = urbarium_map_load_new (paths, address, choices, path_crs);
  g_autofree char *name = make_title (paths);
  /* translators: %s is a file */
  g_autofree char *title
    = g_strdup_printf (is_opening ? _ ("Opening %s") : _ ("Rereading %s"), name);
  g_autoptr(UrbariumJob) job = urbarium_job_new (title);
  Request *request = g_new0 (Request, 1);
  if (is_opening)
    g_clear_pointer (&self->refused, urbarium_map_load_free);
  g_weak_ref_init (&request->document, self);
  request->load = load;
  urbarium_job_run (job, urbarium_map_load_func, load, NULL, (GDestroyNotify) urb_map_unref,
                    loaded_cb, request);
  set_job (self, job, is_opening);
}

static void push_width (UrbariumMapDocument *self);

static gboolean
reread_cb (gpointer data)
{
  UrbariumMapDocument *self = data;
  self->reread = 0;
  push_width (self);
  if (self->is_opening || self->paths == NULL)
    return G_SOURCE_REMOVE;
  if (is_up_to_date (self))
    set_job (self, NULL, FALSE);
  else
    start (self, (const char *const *) self->paths, self->address, self->choices, FALSE);
  return G_SOURCE_REMOVE;
}

static void
schedule_reread (UrbariumMapDocument *self)
{
  g_clear_handle_id (&self->reread, g_source_remove);
  self->reread = g_timeout_add (REREAD_DELAY_MS, reread_cb, self);
}

static void
choices_changed (UrbariumMapDocument *self)
{
  schedule_reread (self);
  g_signal_emit (self, signals[CLASSES_CHANGED], 0);
}

static void
change_free (gpointer data)
{
  Change *self = data;
  g_weak_ref_clear (&self->document);
  urbarium_map_choices_free (self->before);
  urbarium_map_choices_free (self->after);
  g_free (self);
}

static void
apply (Change *change, gboolean forward)
{
  g_autoptr(UrbariumMapDocument) self = g_weak_ref_get (&change->document);
  if (self == NULL)
    return;
  urbarium_map_choices_set (self->choices, forward ? change->after : change->before);
  self->is_width_new = FALSE;
  choices_changed (self);
}

static void
redo_cb (gpointer change)
{
  apply (change, TRUE);
}

static void
undo_cb (gpointer change)
{
  apply (change, FALSE);
}

/* @before: (transfer full); the choices are those after */
static void
push (UrbariumMapDocument *self, UrbariumMapChoices *before, const char *label)
{
  Change *change = g_new0 (Change, 1);
  g_weak_ref_init (&change->document, self);
  change->before = before;
  change->after = urbarium_map_choices_copy (self->choices);
  urbarium_undo_push (self->undo, label, undo_cb, redo_cb, change, change_free);
}

/* Combines the many small steps of typing or spinning a width into one undoable change. */
static void
push_width (UrbariumMapDocument *self)
{
  UrbariumMapChoices *before;
  if (!self->is_width_new)
    return;
  self->is_width_new = FALSE;
  before = urbarium_map_choices_copy (self->choices);
  before->road_width_m = self->road_width_before_m;
  push (self, before, _ ("Change the width of roads"));
}

static void
change_class (UrbariumMapDocument *self, const char *layer, const char *value,
              gboolean is_by_hand, UrbClass class_)
{
  g_autoptr(UrbariumMapChoices) before = NULL;
  g_autofree char *label = NULL;
  push_width (self);
  before = urbarium_map_choices_copy (self->choices);
  if (is_by_hand)
    urbarium_map_classes_set (self->choices->classes, layer, value, class_);
  else
    urbarium_map_classes_reset (self->choices->classes, layer, value);
  if (urbarium_map_choices_equal (before, self->choices))
    return;
  /* translators: an undoable action; %s is an attribute value or a layer of the map */
  label = g_strdup_printf (_ ("Change the class of “%s”"), *value != '\0' ? value : layer);
  push (self, g_steal_pointer (&before), label);
  choices_changed (self);
}

void
urbarium_map_document_set_class (UrbariumMapDocument *self, const char *layer, const char *value,
                                 UrbClass class_)
{
  UrbClass proposed;
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && layer != NULL && value != NULL);
  g_return_if_fail (class_ <= URB_CLASS_IGNORE);
  if (self->map == NULL)
    return;
  if (get_proposed (self, layer, value, &proposed) && proposed == class_)
    change_class (self, layer, value, FALSE, class_);
  else
    change_class (self, layer, value, TRUE, class_);
}

void
urbarium_map_document_reset_class (UrbariumMapDocument *self, const char *layer,
                                   const char *value)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && layer != NULL && value != NULL);
  change_class (self, layer, value, FALSE, URB_CLASS_IGNORE);
}

gboolean
urbarium_map_document_get_class (UrbariumMapDocument *self, const char *layer, const char *value,
                                 UrbClass *class_)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), FALSE);
  return urbarium_map_classes_get (self->choices->classes, layer, value, class_);
}

void
urbarium_map_document_set_road_width (UrbariumMapDocument *self, double width_m)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && width_m >= 0);
  if (self->map == NULL || width_m == self->choices->road_width_m)
    return;
  if (!self->is_width_new)
    self->road_width_before_m = self->choices->road_width_m;
  self->is_width_new = TRUE;
  self->choices->road_width_m = width_m;
  choices_changed (self);
}

double
urbarium_map_document_get_road_width (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), 0);
  return self->choices->road_width_m;
}

/* @choice: (inout): one of the texts of the choices */
static void
change_text (UrbariumMapDocument *self, char **choice, const char *text, const char *label)
{
  UrbariumMapChoices *before;
  if (self->map == NULL || g_str_equal (*choice, text))
    return;
  push_width (self);
  before = urbarium_map_choices_copy (self->choices);
  g_free (*choice);
  *choice = g_strdup (text);
  push (self, before, label);
  choices_changed (self);
}

void
urbarium_map_document_set_profile (UrbariumMapDocument *self, const char *profile)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && profile != NULL);
  change_text (self, &self->choices->profile, profile, _ ("Change the kind of the map"));
}

const char *
urbarium_map_document_get_profile (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return self->choices->profile;
}

void
urbarium_map_document_set_crs (UrbariumMapDocument *self, const char *crs)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && crs != NULL);
  change_text (self, &self->choices->crs, crs, _ ("Change the coordinate system"));
}

const char *
urbarium_map_document_get_crs (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return self->choices->crs;
}

void
urbarium_map_document_set_part (UrbariumMapDocument *self, const char *part)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && part != NULL);
  change_text (self, &self->choices->part, part, _ ("Change the part of the map"));
}

const char *
urbarium_map_document_get_part (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return self->choices->part;
}

static void
change_layer (UrbariumMapDocument *self, const char *layer, const char *profile, const char *crs)
{
  g_autoptr(UrbariumMapChoices) before = NULL;
  g_autofree char *label = NULL;
  if (self->map == NULL)
    return;
  push_width (self);
  before = urbarium_map_choices_copy (self->choices);
  urbarium_map_layers_set (self->choices->layers, layer, profile, crs);
  if (urbarium_map_choices_equal (before, self->choices))
    return;
  /* translators: an undoable action; %s is a layer of the map */
  label = g_strdup_printf (_ ("Change how “%s” is read"), layer);
  push (self, g_steal_pointer (&before), label);
  choices_changed (self);
}

void
urbarium_map_document_set_layer_profile (UrbariumMapDocument *self, const char *layer, const char *profile)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && layer != NULL && profile != NULL);
  change_layer (self, layer, profile, urbarium_map_document_get_layer (self, layer).crs);
}

void
urbarium_map_document_set_layer_crs (UrbariumMapDocument *self, const char *layer, const char *crs)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && layer != NULL && crs != NULL);
  change_layer (self, layer, urbarium_map_document_get_layer (self, layer).profile, crs);
}

UrbMapLayerOptions
urbarium_map_document_get_layer (UrbariumMapDocument *self, const char *layer)
{
  return urbarium_map_layers_get (self->choices->layers, layer);
}

void
urbarium_map_document_open (UrbariumMapDocument *self, const char *const *paths)
{
  g_autoptr(UrbariumMapChoices) choices = urbarium_map_choices_new ();
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && paths != NULL && paths[0] != NULL);
  remember_choices (self); /* the same map may be opened again */
  urbarium_map_memory_recall (self->memory, paths, choices);
  start (self, paths, NULL, choices, TRUE);
}

gboolean
urbarium_map_document_can_open_part (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), FALSE);
  return self->refused != NULL;
}

void
urbarium_map_document_open_part (UrbariumMapDocument *self, const char *part)
{
  g_autoptr(UrbariumMapLoad) load = g_steal_pointer (&self->refused);
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self) && part != NULL);
  if (load == NULL)
    return;
  g_free (load->choices->part);
  load->choices->part = g_strdup (part);
  start (self, (const char *const *) load->paths, load->address, load->choices, TRUE);
}

gboolean
urbarium_map_document_open_address (UrbariumMapDocument *self, const char *address, GError **error)
{
  g_autoptr(UrbariumMapChoices) choices = urbarium_map_choices_new ();
  g_autoptr(UrbMapAddress) parsed = urb_map_address_parse (address, error);
  if (parsed == NULL)
    return FALSE;
  remember_choices (self);
  start (self, (const char *const[]) { parsed->shown, NULL }, address, choices, TRUE);
  g_free (self->typed);
  self->typed = g_strdup (address);
  return TRUE;
}

const char *
urbarium_map_document_get_typed_address (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return self->typed;
}

void
urbarium_map_document_open_sample (UrbariumMapDocument *self)
{
  g_autofree char *path = urbarium_map_load_get_sample_path ();
  const char *paths[] = { path, NULL };
  urbarium_map_document_open (self, paths);
}

void
urbarium_map_document_close (UrbariumMapDocument *self)
{
  g_autoptr(UrbariumMapChoices) none = urbarium_map_choices_new ();
  UrbMap *old;
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self));
  g_clear_handle_id (&self->reread, g_source_remove);
  set_job (self, NULL, FALSE);
  remember_choices (self);
  g_clear_pointer (&self->restored, g_variant_unref);
  if (self->map == NULL)
    return;
  old = g_steal_pointer (&self->map);
  g_clear_pointer (&self->paths, g_strfreev);
  g_clear_pointer (&self->address, g_free);
  g_clear_pointer (&self->title, g_free);
  urbarium_map_choices_set (self->choices, none);
  urbarium_map_choices_set (self->read_choices, none);
  self->is_width_new = FALSE;
  urbarium_undo_clear (self->undo);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_TITLE]);
  g_signal_emit (self, signals[CHANGED], 0);
  drop_in_thread (old);
}

UrbMap *
urbarium_map_document_get_map (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return self->map;
}

const char *const *
urbarium_map_document_get_paths (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return (const char *const *) self->paths;
}

const char *
urbarium_map_document_get_address (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  return self->address;
}

GVariant *
urbarium_map_document_dup_state (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  if (self->map == NULL && self->restored != NULL)
    return g_variant_ref (self->restored);
  return urbarium_map_state_new ((const char *const *) self->paths, self->choices);
}

void
urbarium_map_document_restore (UrbariumMapDocument *self, GVariant *state)
{
  g_autoptr(UrbariumMapChoices) choices = urbarium_map_choices_new ();
  g_auto(GStrv) paths = NULL;
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self));
  if (state == NULL || !urbarium_map_state_read (state, &paths, choices))
    return;
  g_clear_pointer (&self->restored, g_variant_unref);
  self->restored = g_variant_ref_sink (state);
  start (self, (const char *const *) paths, NULL, choices, TRUE);
}

GVariant *
urbarium_map_document_dup_memory (UrbariumMapDocument *self)
{
  g_return_val_if_fail (URBARIUM_IS_MAP_DOCUMENT (self), NULL);
  remember_choices (self);
  return urbarium_recent_to_variant (self->memory);
}

void
urbarium_map_document_restore_memory (UrbariumMapDocument *self, GVariant *memory)
{
  g_return_if_fail (URBARIUM_IS_MAP_DOCUMENT (self));
  urbarium_recent_read (self->memory, memory);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumMapDocument *self = URBARIUM_MAP_DOCUMENT (object);
  switch (id)
    {
    case PROP_TITLE: g_value_set_string (value, self->title); break;
    case PROP_JOB: g_value_set_object (value, self->job); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
dispose (GObject *object)
{
  UrbariumMapDocument *self = URBARIUM_MAP_DOCUMENT (object);
  g_clear_handle_id (&self->reread, g_source_remove);
  if (self->job != NULL)
    urbarium_job_cancel (self->job);
  g_clear_object (&self->job);
  g_clear_object (&self->undo);
  G_OBJECT_CLASS (urbarium_map_document_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumMapDocument *self = URBARIUM_MAP_DOCUMENT (object);
  g_clear_pointer (&self->map, urb_map_unref);
  g_clear_pointer (&self->refused, urbarium_map_load_free);
  g_strfreev (self->paths);
  g_free (self->typed);
  g_free (self->address);
  g_free (self->title);
  g_clear_pointer (&self->restored, g_variant_unref);
  urbarium_recent_free (self->memory);
  urbarium_map_choices_free (self->choices);
  urbarium_map_choices_free (self->read_choices);
  G_OBJECT_CLASS (urbarium_map_document_parent_class)->finalize (object);
}

static void
urbarium_map_document_class_init (UrbariumMapDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = get_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  props[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  props[PROP_JOB] = g_param_spec_object ("job", NULL, NULL, URBARIUM_TYPE_JOB, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[CHANGED] = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
  signals[CLASSES_CHANGED] = g_signal_new ("classes-changed", type, G_SIGNAL_RUN_LAST, 0, NULL,
                                           NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
urbarium_map_document_init (UrbariumMapDocument *self)
{
  self->memory = urbarium_map_memory_new ();
  self->choices = urbarium_map_choices_new ();
  self->read_choices = urbarium_map_choices_new ();
}

UrbariumMapDocument *
urbarium_map_document_new (UrbariumUndo *undo)
{
  UrbariumMapDocument *self = g_object_new (URBARIUM_TYPE_MAP_DOCUMENT, NULL);
  self->undo = g_object_ref (undo);
  return self;
}
