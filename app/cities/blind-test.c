/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine draws the pairs into a temporary folder, which lasts as long as the window.  Its key is read
 * only when all answers are given.
 */
#include "app/cities/blind-test.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "app/base/engine-program.h"
#include "app/base/format.h"
#include "app/base/ui-path.h"
#include "app/cities/realism-words.h"
#include "city/blind.h"

struct _UrbariumBlindTest
{
  AdwWindow       parent_instance;
  char           *checkpoint, *dataset; /* owned; dataset: (nullable) */
  char           *folder;      /* (nullable) owned */
  GCancellable   *cancellable; /* (nullable) owned: of the engine */
  guint           n_pairs;
  GArray         *answers;     /* guint8, owned: 0 for A, 1 for B */

  GtkStack       *content;
  GtkLabel       *number;
  GtkProgressBar *progress;
  GtkWidget      *plans[2];    /* buttons */
  GtkPicture     *pictures[2];
  AdwStatusPage  *result_page, *error_page;
  GtkLabel       *statistics;
};

G_DEFINE_FINAL_TYPE (UrbariumBlindTest, urbarium_blind_test, ADW_TYPE_WINDOW)

static void
delete_folder (UrbariumBlindTest *self)
{
  g_autoptr(GDir) dir = self->folder != NULL ? g_dir_open (self->folder, 0, NULL) : NULL;
  const char *name;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);
      g_unlink (path);
    }
  if (self->folder != NULL)
    g_rmdir (self->folder);
  g_clear_pointer (&self->folder, g_free);
}

static void
show_error (UrbariumBlindTest *self, const GError *error)
{
  const char *text = urbarium_realism_get_window_text (error->message);
  g_autofree char *escaped = g_markup_escape_text (text != NULL ? text : error->message, -1);
  adw_status_page_set_description (self->error_page, escaped);
  gtk_stack_set_visible_child_name (self->content, "error");
}

/* ------------------------------------------------------------------------ */
/* The result                                                                */

static const struct
{
  const char *title, *meaning;
} verdicts[] = {
  [URB_BLIND_UNDECIDED] = { N_ ("No difference shown"),
    N_ ("You may have guessed. This does not prove that there is no difference: more pairs would show a "
        "smaller one.") },
  [URB_BLIND_TOLD] = { N_ ("You can tell them apart"),
    N_ ("Guessing does not explain this: something gives the generated plans away.") },
  [URB_BLIND_MISTAKEN] = { N_ ("Generated plans pass for real ones"),
    N_ ("Guessing does not explain this either: there is a difference, but you took the generated plans for "
        "the real ones.") },
};

static void
show_result (UrbariumBlindTest *self, const UrbBlindScore *score)
{
  g_autofree char *n_right = urbarium_format_count (score->n_right);
  g_autofree char *n = urbarium_format_count (score->n);
  g_autofree char *low = urbarium_format_percent (score->low);
  g_autofree char *high = urbarium_format_percent (score->high);
  g_autofree char *percent = urbarium_format_percent (MAX (score->p, 0.001));
  /* translators: a share in percent: less than 0.1 % */
  g_autofree char *p = score->p < 0.001 ? g_strdup_printf (_ ("less than %s"), percent)
                                        : g_steal_pointer (&percent);
  /* translators: two numbers of pairs; then a sentence */
  g_autofree char *text = g_strdup_printf (_ ("You found the real plan in %s of %s pairs. %s"), n_right,
                                           n, _ (verdicts[score->verdict].meaning));
  /* translators: three shares in percent */
  g_autofree char *statistics = g_strdup_printf (
    _ ("Somebody who guesses is as far from one half, or farther, in %s of all tests (exact binomial "
       "test). With 95 %% confidence, you find the real plan in %s to %s of all pairs."),
    p, low, high);
  adw_status_page_set_title (self->result_page, _ (verdicts[score->verdict].title));
  adw_status_page_set_description (self->result_page, text);
  gtk_label_set_label (self->statistics, statistics);
  gtk_stack_set_visible_child_name (self->content, "result");
}

static void
score (UrbariumBlindTest *self)
{
  g_autofree char *path = g_build_filename (self->folder, URB_BLIND_KEY, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) key = urb_blind_read_answers (path, &error);
  UrbBlindScore result;
  if (key == NULL)
    {
      show_error (self, error);
      return;
    }
  result = urb_blind_score_answers (self->answers, key);
  show_result (self, &result);
}

/* ------------------------------------------------------------------------ */
/* Pairs                                                                     */

static void
show_pair (UrbariumBlindTest *self)
{
  guint pair = self->answers->len;
  g_autofree char *number = urbarium_format_count (pair + 1);
  g_autofree char *n = urbarium_format_count (self->n_pairs);
  /* translators: a number, and how many there are */
  g_autofree char *text = g_strdup_printf (_ ("Pair %s of %s"), number, n);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "blind.back", pair > 0 && pair < self->n_pairs);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "blind.answer", pair < self->n_pairs);
  if (pair == self->n_pairs)
    {
      score (self);
      return;
    }
  gtk_label_set_label (self->number, text);
  gtk_progress_bar_set_fraction (self->progress, (double) pair / self->n_pairs);
  for (guint plan = 0; plan < 2; plan++)
    {
      g_autofree char *name = urb_blind_dup_picture_name (pair, plan);
      g_autofree char *path = g_build_filename (self->folder, name, NULL);
      g_autoptr(GError) error = NULL;
      g_autoptr(GdkTexture) texture = gdk_texture_new_from_filename (path, &error);
      if (texture == NULL)
        {
          show_error (self, error);
          return;
        }
      gtk_picture_set_paintable (self->pictures[plan], GDK_PAINTABLE (texture));
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->plans[plan]),
                                      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
    }
  gtk_stack_set_visible_child_name (self->content, "pair");
}

static void
answer_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  UrbariumBlindTest *self = URBARIUM_BLIND_TEST (widget);
  guint8 plan = g_variant_get_int32 (parameter) != 0;
  g_array_append_val (self->answers, plan);
  show_pair (self);
}

static void
back_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  UrbariumBlindTest *self = URBARIUM_BLIND_TEST (widget);
  g_array_set_size (self->answers, self->answers->len - 1);
  show_pair (self);
}

/* ------------------------------------------------------------------------ */
/* Drawing                                                                   */

static void
drawn_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(UrbariumBlindTest) self = data;
  g_autoptr(GError) error = NULL;
  g_autofree char *output = urbarium_engine_program_run_finish (result, &error);
  g_autofree char *path = NULL;
  g_autoptr(GArray) form = NULL;
  if (self->cancellable == NULL || g_cancellable_is_cancelled (self->cancellable))
    {
      delete_folder (self);
      return;
    }
  g_clear_object (&self->cancellable);
  if (output != NULL)
    {
      path = g_build_filename (self->folder, URB_BLIND_KEY, NULL);
      form = urb_blind_read_answers (path, &error);
    }
  if (form == NULL)
    {
      show_error (self, error);
      return;
    }
  self->n_pairs = form->len;
  show_pair (self);
}

static void
start (UrbariumBlindTest *self)
{
  g_autofree char *seed = g_strdup_printf ("%u", g_random_int ());
  g_autoptr(GStrvBuilder) args = g_strv_builder_new ();
  g_auto(GStrv) argv = NULL;
  g_autoptr(GError) error = NULL;
  g_array_set_size (self->answers, 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "blind.back", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "blind.answer", FALSE);
  delete_folder (self);
  self->folder = g_dir_make_tmp ("urbarium-blind-XXXXXX", &error);
  if (self->folder == NULL)
    {
      show_error (self, error);
      return;
    }
  gtk_stack_set_visible_child_name (self->content, "wait");
  g_strv_builder_add_many (args, "evaluate", "--blind", self->folder, "--seed", seed, NULL);
  if (self->dataset != NULL)
    g_strv_builder_add_many (args, "--dataset", self->dataset, NULL);
  g_strv_builder_add_many (args, "--", self->checkpoint, NULL);
  argv = g_strv_builder_end (args);
  self->cancellable = g_cancellable_new ();
  urbarium_engine_program_run_async ((const char *const *) argv, NULL, self->cancellable, drawn_cb,
                                     g_object_ref (self));
}

static void
again_action (GtkWidget *widget, const char *action_name, GVariant *parameter)
{
  start (URBARIUM_BLIND_TEST (widget));
}

UrbariumBlindTest *
urbarium_blind_test_open (GtkWidget *where, const char *checkpoint, const char *dataset)
{
  UrbariumBlindTest *self = g_object_new (URBARIUM_TYPE_BLIND_TEST, "transient-for",
                                          gtk_widget_get_root (where), NULL);
  self->checkpoint = g_strdup (checkpoint);
  self->dataset = g_strdup (dataset);
  start (self);
  gtk_window_present (GTK_WINDOW (self));
  return self;
}

static void
dispose (GObject *object)
{
  UrbariumBlindTest *self = URBARIUM_BLIND_TEST (object);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable); /* drawn_cb() deletes the folder */
  else
    delete_folder (self);
  G_OBJECT_CLASS (urbarium_blind_test_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  UrbariumBlindTest *self = URBARIUM_BLIND_TEST (object);
  g_clear_object (&self->cancellable);
  g_free (self->checkpoint);
  g_free (self->dataset);
  g_array_unref (self->answers);
  G_OBJECT_CLASS (urbarium_blind_test_parent_class)->finalize (object);
}

static void
urbarium_blind_test_class_init (UrbariumBlindTestClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  gtk_widget_class_set_template_from_resource (widget_class, URBARIUM_UI_PATH "blind-test.ui");
  gtk_widget_class_bind_template_child (widget_class, UrbariumBlindTest, content);
  gtk_widget_class_bind_template_child (widget_class, UrbariumBlindTest, number);
  gtk_widget_class_bind_template_child (widget_class, UrbariumBlindTest, progress);
  gtk_widget_class_bind_template_child (widget_class, UrbariumBlindTest, result_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumBlindTest, error_page);
  gtk_widget_class_bind_template_child (widget_class, UrbariumBlindTest, statistics);
  gtk_widget_class_bind_template_child_full (widget_class, "plan_a", FALSE,
                                             G_STRUCT_OFFSET (UrbariumBlindTest, plans[0]));
  gtk_widget_class_bind_template_child_full (widget_class, "plan_b", FALSE,
                                             G_STRUCT_OFFSET (UrbariumBlindTest, plans[1]));
  gtk_widget_class_bind_template_child_full (widget_class, "picture_a", FALSE,
                                             G_STRUCT_OFFSET (UrbariumBlindTest, pictures[0]));
  gtk_widget_class_bind_template_child_full (widget_class, "picture_b", FALSE,
                                             G_STRUCT_OFFSET (UrbariumBlindTest, pictures[1]));
  gtk_widget_class_install_action (widget_class, "blind.answer", "i", answer_action);
  gtk_widget_class_install_action (widget_class, "blind.back", NULL, back_action);
  gtk_widget_class_install_action (widget_class, "blind.again", NULL, again_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_a, 0, "blind.answer", "i", 0);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_b, 0, "blind.answer", "i", 1);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_BackSpace, 0, "blind.back", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
urbarium_blind_test_init (UrbariumBlindTest *self)
{
  self->answers = g_array_new (FALSE, FALSE, 1);
  gtk_widget_init_template (GTK_WIDGET (self));
}
