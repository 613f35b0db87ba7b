/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/trial.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "app/base/engine-program.h"
#include "app/base/message.h"
#include "app/train/batch-search.h"
#include "app/train/dry-run.h"
#include "app/train/rate-search.h"

struct _UrbariumTrial
{
  GObject            parent_instance;

  GtkWidget         *where;       /* borrowed */
  GCancellable      *cancellable; /* (nullable) owned: it is active */
  UrbariumTrialKind  kind;
  UrbRunConfig       config;      /* owned: what is tried, and what was found */
  UrbariumBatches    batches;     /* found */
};

G_DEFINE_FINAL_TYPE (UrbariumTrial, urbarium_trial, G_TYPE_OBJECT)

enum { CHANGED, MEASURED, USE, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
emit_changed (UrbariumTrial *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ------------------------------------------------------------------------ */
/* Kinds                                                                     */

/* Each returns what was found, in words: (transfer full) (nullable): NULL with an error. */

static char *
finish_run (UrbariumTrial *self, GAsyncResult *result, GError **error)
{
  double images_per_s;
  char *text = urbarium_dry_run_finish (result, self->config.train.n_steps, &images_per_s, error);
  if (text != NULL && images_per_s > 0)
    g_signal_emit (self, signals[MEASURED], 0, &self->config, images_per_s);
  return text;
}

static char *
finish_rates (UrbariumTrial *self, GAsyncResult *result, GError **error)
{
  self->config.train.lr_g = self->config.train.lr_d = 0;
  return urbarium_rate_search_finish (result, &self->config.train.lr_g, &self->config.train.lr_d, error);
}

static char *
finish_batch (UrbariumTrial *self, GAsyncResult *result, GError **error)
{
  return urbarium_batch_search_finish (result, &self->batches, error);
}

static const struct
{
  const char *option, *title, *failed;
  char *(*finish) (UrbariumTrial *self, GAsyncResult *result, GError **error);
} kinds[] = {
  [URBARIUM_TRIAL_RUN] = { "--dry-run", N_ ("Tried out"), N_ ("These settings do not work here"), finish_run },
  [URBARIUM_TRIAL_RATES] = { "--find-rates", N_ ("Learning rates"), N_ ("No learning rates were found"), finish_rates },
  [URBARIUM_TRIAL_BATCH] = { "--find-batch", N_ ("Batch size"), N_ ("No batch size was found"), finish_batch },
};

/* ------------------------------------------------------------------------ */
/* The result                                                                */

static void
use_cb (UrbariumTrial *self, const char *response)
{
  static const char *const rates[] = { "lr-g", "lr-d", NULL }, *const batch[] = { "batch", NULL };
  if (g_str_equal (response, "fastest") || g_str_equal (response, "largest"))
    {
      self->config.train.batch = g_str_equal (response, "fastest") ? self->batches.fastest : self->batches.largest;
      g_signal_emit (self, signals[USE], 0, &self->config, batch);
    }
  else if (g_str_equal (response, "rates"))
    g_signal_emit (self, signals[USE], 0, &self->config, rates);
}

static void
add_batches (UrbariumTrial *self, AdwMessageDialog *dialog)
{
  g_autofree char *fastest = g_strdup_printf (_ ("Use %d, the _fastest"), self->batches.fastest);
  g_autofree char *largest = g_strdup_printf (_ ("Use %d, the _largest"), self->batches.largest);
  if (self->batches.largest != self->batches.fastest)
    adw_message_dialog_add_response (dialog, "largest", largest);
  adw_message_dialog_add_response (dialog, "fastest", fastest);
}

static void
show (UrbariumTrial *self, const char *text)
{
  GtkWidget *dialog = urbarium_message_dialog_new (self->where, _ (kinds[self->kind].title), text);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", _ ("_Close"));
  if (self->kind == URBARIUM_TRIAL_BATCH)
    add_batches (self, ADW_MESSAGE_DIALOG (dialog));
  else if (self->kind == URBARIUM_TRIAL_RATES && self->config.train.lr_g > 0 && self->config.train.lr_d > 0)
    adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "rates", _ ("_Use the proposed rates"));
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "close");
  g_signal_connect_object (dialog, "response", G_CALLBACK (use_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
ended_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumTrial) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  if (self->cancellable == NULL || g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return; /* stopped, or the window was closed */
  text = kinds[self->kind].finish (self, result, &error);
  g_clear_object (&self->cancellable);
  emit_changed (self);
  if (text != NULL)
    show (self, text);
  else
    urbarium_message_error (self->where, _ (kinds[self->kind].failed), error);
}

/* ------------------------------------------------------------------------ */

void
urbarium_trial_start (UrbariumTrial *self, UrbariumTrialKind kind, const UrbRunConfig *config)
{
  const char *const args[] = { "train", "--config", "-", kinds[kind].option, "--json", NULL };
  g_autofree char *text = NULL;
  g_return_if_fail (self->cancellable == NULL);
  self->kind = kind;
  urb_run_config_copy (&self->config, config);
  self->cancellable = g_cancellable_new ();
  text = urb_run_config_to_text (config);
  urbarium_engine_program_run_async (args, text, self->cancellable, ended_cb, g_object_ref (self));
  emit_changed (self);
}

void
urbarium_trial_stop (UrbariumTrial *self)
{
  if (self->cancellable == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  emit_changed (self);
}

gboolean
urbarium_trial_is_active (UrbariumTrial *self)
{
  return self->cancellable != NULL;
}

static void
finalize (GObject *object)
{
  urb_run_config_clear (&URBARIUM_TRIAL (object)->config);
  G_OBJECT_CLASS (urbarium_trial_parent_class)->finalize (object);
}

static void
urbarium_trial_class_init (UrbariumTrialClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 0);
  signals[MEASURED] = g_signal_new ("measured", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_DOUBLE);
  signals[USE] = g_signal_new ("use", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 2, G_TYPE_POINTER, G_TYPE_POINTER);
}

static void
urbarium_trial_init (UrbariumTrial *self)
{
}

UrbariumTrial *
urbarium_trial_new (GtkWidget *where)
{
  UrbariumTrial *self = g_object_new (URBARIUM_TYPE_TRIAL, NULL);
  self->where = where;
  return self;
}
