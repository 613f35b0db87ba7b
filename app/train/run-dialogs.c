/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/run-dialogs.h"

#include <glib/gi18n.h>

#include "app/base/format.h"
#include "app/base/message.h"

typedef struct
{
  GtkWidget          *where;   /* owned */
  UrbariumRunLibrary *library; /* (nullable) owned */
  UrbariumRun        *run;     /* owned */
  GtkSpinButton      *spin;    /* (nullable) borrowed from the dialog, its extra child */
  gint64              step;
} Question;

static void
question_free (gpointer data, GClosure *closure)
{
  Question *self = data;
  g_object_unref (self->where);
  g_clear_object (&self->library);
  g_object_unref (self->run);
  g_free (self);
}

static Question *
question_new (GtkWidget *where, UrbariumRunLibrary *library, UrbariumRun *run)
{
  Question *self = g_new0 (Question, 1);
  self->where = g_object_ref (where);
  self->library = library == NULL ? NULL : g_object_ref (library);
  self->run = g_object_ref (run);
  return self;
}

/* @question: (transfer full); its spin button is shown, if it has one */
static void
ask (Question *question, const char *title, const char *body, const char *verb,
     AdwResponseAppearance appearance, GCallback response_cb)
{
  AdwMessageDialog *dialog
    = ADW_MESSAGE_DIALOG (urbarium_message_dialog_new (question->where, title, body));
  adw_message_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "yes", verb, NULL);
  adw_message_dialog_set_response_appearance (dialog, "yes", appearance);
  adw_message_dialog_set_default_response (
    dialog, appearance == ADW_RESPONSE_DESTRUCTIVE ? "cancel" : "yes");
  adw_message_dialog_set_close_response (dialog, "cancel");
  adw_message_dialog_set_extra_child (dialog, GTK_WIDGET (question->spin));
  g_signal_connect_data (dialog, "response::yes", response_cb, question, question_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
extend_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  gtk_spin_button_update (question->spin);
  urbarium_run_extend (question->run, (gint64) gtk_spin_button_get_value (question->spin));
}

/* For the number of steps in total.  @done: fewer are not possible */
static void
add_spin (Question *self, gint64 done, gint64 n_steps)
{
  GtkWidget *spin = gtk_spin_button_new_with_range (
    (double) MAX (done, 0) + 1, urb_settings_find (&urb_run_settings, "steps")->max, 100);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), (double) n_steps);
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), 10);
  gtk_text_set_activates_default (GTK_TEXT (gtk_editable_get_delegate (GTK_EDITABLE (spin))), TRUE);
  gtk_widget_set_halign (spin, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Total steps"), -1);
  self->spin = GTK_SPIN_BUTTON (spin);
}

void
urbarium_run_dialogs_extend (GtkWidget *where, UrbariumRun *run)
{
  Question *question = question_new (where, NULL, run);
  gint64 step, n_steps;
  g_autofree char *all = NULL, *body = NULL;
  g_object_get (run, "step", &step, "n-steps", &n_steps, NULL);
  all = urbarium_format_count (n_steps);
  /* translators: a count of training steps */
  body = g_strdup_printf (_ ("The run has %s steps. How many should it have in total?"), all);
  add_spin (question, step, n_steps + n_steps / 2);
  ask (question, _ ("Extend the run"), body, _ ("_Extend"), ADW_RESPONSE_SUGGESTED,
       G_CALLBACK (extend_cb));
}

static void
restart_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  urbarium_run_resume (question->run);
}

void
urbarium_run_dialogs_restart (GtkWidget *where, UrbariumRun *run)
{
  ask (question_new (where, NULL, run), _ ("Restart the run?"),
       _ ("No checkpoint was saved. The run’s curves and cities are deleted, and it starts again "
          "at step 0."),
       _ ("_Restart"), ADW_RESPONSE_DESTRUCTIVE, G_CALLBACK (restart_cb));
}

static void
resume_on_processor_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  urbarium_run_resume_on_processor (question->run);
}

void
urbarium_run_dialogs_resume_on_processor (GtkWidget *where, UrbariumRun *run, const char *what,
                                          const GError *error)
{
  g_autofree char *body = g_strconcat (
    error->message, "\n\n",
    _ ("The run can continue on this machine’s processor in 32 bit. It keeps its progress but "
       "takes longer."), NULL);
  ask (question_new (where, NULL, run), what, body, _ ("_Resume on the processor"),
       ADW_RESPONSE_SUGGESTED, G_CALLBACK (resume_on_processor_cb));
}

static void
roll_back_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  urbarium_run_roll_back (question->run, question->step);
}

void
urbarium_run_dialogs_roll_back (GtkWidget *where, UrbariumRun *run, gint64 step)
{
  Question *question = question_new (where, NULL, run);
  g_autofree char *count = urbarium_format_count (step);
  g_autofree char *title = NULL;
  question->step = step;
  /* translators: %s: a training step */
  title = g_strdup_printf (_ ("Roll back to step %s?"), count);
  ask (question, title,
       _ ("All curves, cities and checkpoints after this checkpoint are deleted. The run continues "
          "from there."),
       _ ("_Roll back"), ADW_RESPONSE_DESTRUCTIVE, G_CALLBACK (roll_back_cb));
}

static void
branched_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GtkWidget) where = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(UrbariumRun) run = urbarium_run_library_start_finish (URBARIUM_RUN_LIBRARY (source), result, &error);
  g_autofree char *text = NULL;
  if (run == NULL)
    {
      urbarium_message_error (where, _ ("The run was not branched"), error);
      return;
    }
  /* translators: %s: the name of a run */
  text = g_strdup_printf (_ ("New run: “%s”"), urbarium_run_get_name (run));
  urbarium_message_toast (where, text);
}

static void
branch_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  gtk_spin_button_update (question->spin);
  urbarium_run_library_branch_async (question->library, question->run, question->step,
                                     (gint64) gtk_spin_button_get_value (question->spin), NULL, branched_cb,
                                     g_object_ref (question->where));
}

void
urbarium_run_dialogs_branch (GtkWidget *where, UrbariumRunLibrary *library, UrbariumRun *run, gint64 step)
{
  Question *question = question_new (where, library, run);
  g_autofree char *count = urbarium_format_count (step), *title = NULL;
  gint64 n_steps;
  g_object_get (run, "n-steps", &n_steps, NULL);
  question->step = step;
  /* translators: %s: a training step */
  title = g_strdup_printf (_ ("Branch from step %s"), count);
  add_spin (question, step, n_steps > step ? n_steps : step + MAX (step / 2, 1));
  ask (question, title,
       _ ("A new run goes on from this checkpoint with the same settings, and this run stays as it is. How many "
          "steps should the new run have in total?"),
       _ ("_Branch"), ADW_RESPONSE_SUGGESTED, G_CALLBACK (branch_cb));
}

static void
deleted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GtkWidget) where = data;
  g_autoptr(GError) error = NULL;
  if (!urbarium_run_library_delete_finish (URBARIUM_RUN_LIBRARY (source), result, &error))
    urbarium_message_error (where, _ ("The run was not deleted"), error);
}

static void
delete_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  urbarium_run_library_delete_async (question->library, question->run, NULL, deleted_cb,
                                     g_object_ref (question->where));
}

void
urbarium_run_dialogs_delete (GtkWidget *where, UrbariumRunLibrary *library, UrbariumRun *run)
{
  g_autofree char *title = NULL, *body = NULL;
  g_autofree char *folder = g_filename_display_name (urbarium_run_get_folder (run));
  if (urbarium_run_is_gone (run))
    {
      /* translators: %s: the name of a run */
      title = g_strdup_printf (_ ("Remove “%s” from the list?"), urbarium_run_get_name (run));
      /* translators: %s: a folder */
      body = g_strdup_printf (_ ("Its folder “%s” does not exist any more."), folder);
      ask (question_new (where, library, run), title, body, _ ("_Remove"), ADW_RESPONSE_DESTRUCTIVE,
           G_CALLBACK (delete_cb));
      return;
    }
  /* translators: %s: the name of a run */
  title = g_strdup_printf (_ ("Delete “%s”?"), urbarium_run_get_name (run));
  /* translators: %s: a folder */
  body = g_strdup_printf (_ ("Its curves, cities and checkpoints in “%s” are moved to the trash, or "
                             "deleted permanently if there is none. Other files there stay."),
                          folder);
  ask (question_new (where, library, run), title, body, _ ("_Delete"), ADW_RESPONSE_DESTRUCTIVE,
       G_CALLBACK (delete_cb));
}
