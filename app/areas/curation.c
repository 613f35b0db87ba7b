/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curation.c - searches and rankings run in threads and may finish after they were superseded.
 * The current ones are identified by job and cancellable; other results are dropped.
 */
#include "app/areas/curation-private.h"

#include <glib/gi18n.h>

/* Changes within this time, such as steps of a spin button, lead to one search. */
enum { DEBOUNCE_MS = 200 };

struct _UrbariumCuration
{
  GObject              parent_instance;
  UrbariumMapDocument *document; /* owned */
  UrbariumUndo        *undo;     /* owned */
  UrbMap              *map;      /* owned; nullable */
  GStrv                paths;    /* owned; nullable; of the map */
  UrbariumDecisions   *decisions; /* owned */
  UrbariumRemoval      removal;
  UrbariumRecent      *memory;    /* owned; updated when the map is closed or saved */
  double               threshold; /* as shown */
  gboolean             active;

  UrbariumJob         *job;     /* owned; nullable; the current search */
  UrbMap              *job_map; /* owned; nullable; of the job or the error */
  UrbCurateOptions     job_options;
  guint                debounce; /* source */
  UrbariumSearch      *search;   /* owned; nullable; the latest */
  GCancellable        *ranking;  /* owned; nullable; the current ranking */

  UrbariumRanked      *ranked; /* owned; nullable; the result that is shown */
  UrbChoice            choice;
  GError              *error;  /* owned; nullable */
};

G_DEFINE_FINAL_TYPE (UrbariumCuration, urbarium_curation, G_TYPE_OBJECT)

enum
{
  PROP_ACTIVE = 1,
  PROP_THRESHOLD,
  PROP_BUSY,
  PROP_JOB,
  N_PROPS
};

enum
{
  RESULT_CHANGED,
  CHOICE_CHANGED,
  DECISIONS_CHANGED,
  EDITS_MOVED,
  LEFT_OUT,
  N_SIGNALS
};

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

static void update (UrbariumCuration *self);

static void
notify_work (UrbariumCuration *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_BUSY]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_JOB]);
}

static void
update_choice (UrbariumCuration *self)
{
  self->choice = (UrbChoice) { 0 };
  if (self->ranked != NULL)
    self->choice = urb_ranking_choose (self->ranked->ranking, self->threshold);
  g_signal_emit (self, signals[CHOICE_CHANGED], 0);
}

static void
set_threshold (UrbariumCuration *self, double threshold)
{
  threshold = CLAMP (threshold, 0, 1);
  if (threshold == self->threshold)
    return;
  self->threshold = threshold;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_THRESHOLD]);
  update_choice (self);
}

/* @ranked, @error: (transfer full) (nullable) */
static void
show (UrbariumCuration *self, UrbariumRanked *ranked, GError *error)
{
  g_clear_pointer (&self->ranked, urbarium_ranked_unref);
  g_clear_error (&self->error);
  self->ranked = ranked;
  self->error = error;
  g_signal_emit (self, signals[RESULT_CHANGED], 0);
  update_choice (self);
}

static void
cancel_search (UrbariumCuration *self)
{
  g_clear_handle_id (&self->debounce, g_source_remove);
  if (self->job != NULL)
    urbarium_job_cancel (self->job);
  g_clear_object (&self->job);
}

static void
cancel_ranking (UrbariumCuration *self)
{
  g_cancellable_cancel (self->ranking);
  g_clear_object (&self->ranking);
}

/* Data of the callback of a search or ranking. */
typedef struct
{
  GWeakRef      curation;
  GCancellable *ranking; /* owned; nullable: of a search */
} Request;

static Request *
request_new (UrbariumCuration *self, GCancellable *ranking)
{
  Request *request = g_new0 (Request, 1);
  g_weak_ref_init (&request->curation, self);
  g_set_object (&request->ranking, ranking);
  return request;
}

static void
request_free (Request *self)
{
  g_weak_ref_clear (&self->curation);
  g_clear_object (&self->ranking);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Request, request_free)

static void
report_edits (UrbariumCuration *self, const UrbariumRanked *old)
{
  const UrbariumRanked *new = self->ranked;
  guint n_straddling = old == NULL ? 0 : old->n_straddling;
  guint n_overlapping = old == NULL ? 0 : old->n_overlapping;
  if ((old == NULL || old->search != new->search) && new->edits->n_moved + new->edits->n_lost > 0)
    g_signal_emit (self, signals[EDITS_MOVED], 0, new->edits->n_moved, new->edits->n_lost);
  if (new->n_straddling > n_straddling || new->n_overlapping > n_overlapping)
    g_signal_emit (self, signals[LEFT_OUT], 0, new->n_straddling, new->n_overlapping);
}

static void
ranked_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Request) request = data;
  g_autoptr(UrbariumCuration) self = g_weak_ref_get (&request->curation);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRanked) ranked = urbarium_ranked_new_finish (result, &error);
  g_autoptr(UrbariumRanked) old = NULL;
  if (self == NULL || self->ranking != request->ranking)
    return;
  g_clear_object (&self->ranking);
  old = self->ranked == NULL ? NULL : urbarium_ranked_ref (self->ranked);
  show (self, g_steal_pointer (&ranked), g_steal_pointer (&error));
  notify_work (self);
  if (self->ranked != NULL)
    report_edits (self, old);
}

static void
start_ranking (UrbariumCuration *self)
{
  cancel_ranking (self);
  self->ranking = g_cancellable_new ();
  urbarium_ranked_new_async (self->search, self->decisions, self->ranking, ranked_cb,
                             request_new (self, self->ranking));
  notify_work (self);
}

static void
searched_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Request) request = data;
  g_autoptr(UrbariumCuration) self = g_weak_ref_get (&request->curation);
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumSearch) search = urbarium_job_finish (URBARIUM_JOB (source), result, &error);
  if (self == NULL || (gpointer) self->job != source)
    return;
  g_clear_object (&self->job);
  if (search != NULL)
    {
      g_clear_pointer (&self->search, urbarium_search_unref);
      self->search = g_steal_pointer (&search);
      start_ranking (self);
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) && self->ranked != NULL
           && self->ranked->search->map == self->map) /* return to the decisions that are shown */
    urbarium_curation_decide (self, self->ranked->decisions, _ ("Cancel the search"));
  else
    show (self, NULL, g_steal_pointer (&error));
  notify_work (self);
}

static void
start_search (UrbariumCuration *self)
{
  g_clear_pointer (&self->job_map, urb_map_unref);
  self->job_map = urb_map_ref (self->map);
  self->job_options = self->decisions->options;
  self->job = urbarium_search_start (self->map, &self->job_options, searched_cb,
                                     request_new (self, NULL));
  notify_work (self);
}

static void
debounced_cb (gpointer data)
{
  UrbariumCuration *self = data;
  self->debounce = 0;
  start_search (self);
}

static gboolean
is_found (UrbariumCuration *self)
{
  return self->search != NULL && self->search->map == self->map
         && urbarium_options_same_search (&self->search->options, &self->decisions->options);
}

/* Whether the search is running or has failed. */
static gboolean
is_requested (UrbariumCuration *self)
{
  return (self->job != NULL || (self->error != NULL && self->debounce == 0))
         && self->job_map == self->map
         && urbarium_options_same_search (&self->job_options, &self->decisions->options);
}

/* Starts a search or ranking if the decisions need one. */
static void
update (UrbariumCuration *self)
{
  if (!self->active || self->map == NULL)
    return;
  if (is_found (self))
    {
      cancel_search (self);
      start_ranking (self);
      return;
    }
  cancel_ranking (self);
  if (is_requested (self))
    return;
  cancel_search (self);
  if (self->ranked == NULL && self->error == NULL)
    start_search (self);
  else
    self->debounce = g_timeout_add_once (DEBOUNCE_MS, debounced_cb, self);
  notify_work (self);
}

static void
apply (UrbariumCuration *self, UrbariumDecisions *decisions)
{
  urbarium_decisions_ref (decisions);
  urbarium_decisions_unref (self->decisions);
  self->decisions = decisions;
  g_signal_emit (self, signals[DECISIONS_CHANGED], 0);
  set_threshold (self, decisions->options.min_variance);
  update (self);
}

/* An undoable step.  The undo stack may outlive the curation. */
typedef struct
{
  GWeakRef           curation;
  UrbariumDecisions *before, *after; /* owned */
} Step;

static void
step_to (Step *step, UrbariumDecisions *decisions)
{
  g_autoptr(UrbariumCuration) self = g_weak_ref_get (&step->curation);
  if (self != NULL)
    apply (self, decisions);
}

static void
step_undo (gpointer data)
{
  step_to (data, ((Step *) data)->before);
}

static void
step_redo (gpointer data)
{
  step_to (data, ((Step *) data)->after);
}

static void
step_free (gpointer data)
{
  Step *self = data;
  g_weak_ref_clear (&self->curation);
  urbarium_decisions_unref (self->before);
  urbarium_decisions_unref (self->after);
  g_free (self);
}

void
urbarium_curation_decide (UrbariumCuration *self, UrbariumDecisions *decisions, const char *label)
{
  Step *step;
  if (urbarium_decisions_equal (self->decisions, decisions))
    {
      set_threshold (self, decisions->options.min_variance);
      return;
    }
  step = g_new0 (Step, 1);
  g_weak_ref_init (&step->curation, self);
  step->before = urbarium_decisions_ref (self->decisions);
  step->after = urbarium_decisions_ref (decisions);
  apply (self, decisions);
  urbarium_undo_push (self->undo, label, step_undo, step_redo, step, step_free);
}

static void
remember_decisions (UrbariumCuration *self)
{
  if (self->map != NULL && self->paths != NULL)
    urbarium_decisions_memory_keep (self->memory, (const char *const *) self->paths,
                                    self->decisions);
}

/* Another map: restores the decisions of its last use, else keeps the options only.  The document
 * clears the undo stack. */
static void
reset_decisions (UrbariumCuration *self)
{
  g_autoptr(UrbariumDecisions) blank = urbarium_decisions_new ();
  g_autoptr(UrbariumDecisions) old = self->decisions;
  UrbCurateOptions options = old->options;
  options.min_variance = -1;
  cancel_search (self);
  cancel_ranking (self);
  g_clear_pointer (&self->search, urbarium_search_unref);
  self->decisions = NULL;
  if (self->paths != NULL)
    self->decisions
      = urbarium_decisions_memory_find (self->memory, (const char *const *) self->paths);
  if (self->decisions == NULL)
    self->decisions = urbarium_decisions_with_options (blank, &options);
  g_signal_emit (self, signals[DECISIONS_CHANGED], 0);
  show (self, NULL, NULL);
  set_threshold (self, self->decisions->options.min_variance);
}

static void
map_changed_cb (UrbariumCuration *self)
{
  UrbMap *map = urbarium_map_document_get_map (self->document);
  const char *const *paths = urbarium_map_document_get_paths (self->document);
  gboolean same = map != NULL && paths != NULL && self->paths != NULL
                  && g_strv_equal (paths, (const char *const *) self->paths);
  if (map == self->map)
    return;
  if (!same)
    remember_decisions (self);
  g_clear_pointer (&self->map, urb_map_unref);
  self->map = map == NULL ? NULL : urb_map_ref (map);
  g_strfreev (self->paths);
  self->paths = g_strdupv ((GStrv) paths);
  if (!same)
    reset_decisions (self);
  update (self);
  notify_work (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  UrbariumCuration *self = URBARIUM_CURATION (object);
  switch (id)
    {
    case PROP_ACTIVE: g_value_set_boolean (value, self->active); break;
    case PROP_THRESHOLD: g_value_set_double (value, self->threshold); break;
    case PROP_BUSY:
      g_value_set_boolean (value,
                           self->job != NULL || self->debounce != 0 || self->ranking != NULL);
      break;
    case PROP_JOB: g_value_set_object (value, self->job); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  UrbariumCuration *self = URBARIUM_CURATION (object);
  switch (id)
    {
    case PROP_ACTIVE:
      if (g_value_get_boolean (value) == self->active)
        return;
      self->active = !self->active;
      g_object_notify_by_pspec (object, pspec);
      if (!is_found (self) || self->ranked == NULL)
        update (self);
      break;
    case PROP_THRESHOLD: set_threshold (self, g_value_get_double (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
dispose (GObject *object)
{
  UrbariumCuration *self = URBARIUM_CURATION (object);
  cancel_search (self);
  cancel_ranking (self);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_object (&self->undo);
  G_OBJECT_CLASS (urbarium_curation_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumCuration *self = URBARIUM_CURATION (object);
  g_clear_pointer (&self->map, urb_map_unref);
  g_clear_pointer (&self->job_map, urb_map_unref);
  g_strfreev (self->paths);
  urbarium_decisions_unref (self->decisions);
  g_clear_pointer (&self->removal.before, urbarium_decisions_unref);
  g_clear_pointer (&self->removal.after, urbarium_decisions_unref);
  urbarium_recent_free (self->memory);
  g_clear_pointer (&self->search, urbarium_search_unref);
  g_clear_pointer (&self->ranked, urbarium_ranked_unref);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (urbarium_curation_parent_class)->finalize (object);
}

static guint
add_signal (const char *name, guint n_counts)
{
  return g_signal_new (name, URBARIUM_TYPE_CURATION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                       G_TYPE_NONE, n_counts, G_TYPE_UINT, G_TYPE_UINT);
}

static void
urbarium_curation_class_init (UrbariumCurationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags both = read | G_PARAM_WRITABLE;
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  props[PROP_ACTIVE] = g_param_spec_boolean ("active", NULL, NULL, FALSE, both);
  props[PROP_THRESHOLD] = g_param_spec_double ("threshold", NULL, NULL, 0, 1, 0, both);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  props[PROP_JOB] = g_param_spec_object ("job", NULL, NULL, URBARIUM_TYPE_JOB, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[RESULT_CHANGED] = add_signal ("result-changed", 0);
  signals[CHOICE_CHANGED] = add_signal ("choice-changed", 0);
  signals[DECISIONS_CHANGED] = add_signal ("decisions-changed", 0);
  signals[EDITS_MOVED] = add_signal ("edits-moved", 2);
  signals[LEFT_OUT] = add_signal ("left-out", 2);
}

static void
urbarium_curation_init (UrbariumCuration *self)
{
  self->decisions = urbarium_decisions_new ();
  self->memory = urbarium_decisions_memory_new ();
  self->threshold = self->decisions->options.min_variance;
}

UrbariumCuration *
urbarium_curation_new (UrbariumMapDocument *document, UrbariumUndo *undo)
{
  UrbariumCuration *self = g_object_new (URBARIUM_TYPE_CURATION, NULL);
  self->document = g_object_ref (document);
  self->undo = g_object_ref (undo);
  g_signal_connect_swapped (document, "changed", G_CALLBACK (map_changed_cb), self);
  map_changed_cb (self);
  return self;
}

UrbMap *
urbarium_curation_get_map (UrbariumCuration *self)
{
  return self->map;
}

UrbariumRanked *
urbarium_curation_get_ranked (UrbariumCuration *self)
{
  return self->ranked;
}

const GError *
urbarium_curation_get_error (UrbariumCuration *self)
{
  return self->error;
}

void
urbarium_curation_retry (UrbariumCuration *self)
{
  if (self->error == NULL)
    return;
  show (self, NULL, NULL);
  update (self);
}

double
urbarium_curation_get_threshold (UrbariumCuration *self)
{
  return self->threshold;
}

UrbChoice
urbarium_curation_get_choice (UrbariumCuration *self)
{
  return self->choice;
}

UrbariumDecisions *
urbarium_curation_get_decisions (UrbariumCuration *self)
{
  return self->decisions;
}

UrbariumRemoval *
urbarium_curation_get_removal (UrbariumCuration *self)
{
  return &self->removal;
}

GVariant *
urbarium_curation_dup_state (UrbariumCuration *self)
{
  remember_decisions (self);
  return urbarium_recent_to_variant (self->memory);
}

void
urbarium_curation_restore (UrbariumCuration *self, GVariant *state)
{
  urbarium_recent_read (self->memory, state);
}
