/* SPDX-License-Identifier: Apache-2.0 */
#include "app/train/memory-spin.h"

#include <glib/gi18n.h>
#include <math.h>

/* All digits, without groups: read back, they are the same number. (transfer full) */
static char *
dup_digits (double value)
{
  g_autofree char *text = g_strdup_printf ("%.15g", value);
  return g_strtod (text, NULL) == value ? g_steal_pointer (&text) : g_strdup_printf ("%.17g", value);
}

/* (transfer full) */
static char *
dup_memory (const char *number)
{
  /* translators: an amount of memory */
  return g_strdup_printf (_ ("%s GB"), number);
}

/* Shows 0 as words. */
static gboolean
output_cb (GtkSpinButton *spin, gpointer data)
{
  double value = gtk_spin_button_get_value (spin);
  g_autofree char *number = dup_digits (value);
  g_autofree char *text = value > 0 ? dup_memory (number) : g_strdup (_ ("No limit"));
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (spin)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (spin), text);
  return TRUE;
}

/* A number, with its unit or without; nothing, or the words for 0. */
static int
input_cb (GtkSpinButton *spin, double *value, gpointer data)
{
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (spin))));
  char *end;
  double number = g_strtod (text, &end);
  g_autofree char *digits = g_strndup (text, (gsize) (end - text)), *with_unit = dup_memory (digits);
  gboolean is_number = end > text && (*end == '\0' || g_str_equal (text, with_unit));
  gboolean is_none = *text == '\0' || g_str_equal (text, _ ("No limit"));
  if (!is_none && (!is_number || !isfinite (number) || number < 0))
    return GTK_INPUT_ERROR; /* the old value is shown again */
  *value = is_none ? 0 : number;
  return TRUE;
}

void
urbarium_memory_spin_set_up (GtkSpinButton *spin)
{
  g_signal_connect (spin, "output", G_CALLBACK (output_cb), NULL);
  g_signal_connect (spin, "input", G_CALLBACK (input_cb), NULL);
}
