/* SPDX-License-Identifier: Apache-2.0 */
#include "app/runs/run-items.h"

void
urbarium_run_items_get_field (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const UrbariumField *field
    = g_param_spec_get_qdata (pspec, g_quark_from_static_string ("urbarium-field"));
  gconstpointer member = (const char *) object + field->offset;
  if (field->type == G_TYPE_INT)
    g_value_set_int (value, *(const int *) member);
  else if (field->type == G_TYPE_INT64)
    g_value_set_int64 (value, *(const gint64 *) member);
  else if (field->type == G_TYPE_DOUBLE)
    g_value_set_double (value, *(const double *) member);
  else if (field->type == G_TYPE_BOOLEAN)
    g_value_set_boolean (value, *(const gboolean *) member);
  else
    g_value_set_string (value, *(char *const *) member);
}

void
urbarium_run_items_install_fields (GObjectClass *klass, const UrbariumField *fields, guint n)
{
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  klass->get_property = urbarium_run_items_get_field;
  for (guint i = 0; i < n; i++)
    {
      const char *name = fields[i].name;
      GType type = fields[i].type;
      GParamSpec *pspec
        = type == G_TYPE_INT    ? g_param_spec_int (name, NULL, NULL, G_MININT, G_MAXINT, 0, flags)
          : type == G_TYPE_INT64
            ? g_param_spec_int64 (name, NULL, NULL, G_MININT64, G_MAXINT64, 0, flags)
          : type == G_TYPE_DOUBLE
            ? g_param_spec_double (name, NULL, NULL, -G_MAXDOUBLE, G_MAXDOUBLE, 0, flags)
          : type == G_TYPE_BOOLEAN ? g_param_spec_boolean (name, NULL, NULL, FALSE, flags)
                                   : g_param_spec_string (name, NULL, NULL, NULL, flags);
      g_param_spec_set_qdata (pspec, g_quark_from_static_string ("urbarium-field"),
                              (gpointer) &fields[i]);
      g_object_class_install_property (klass, i + 1, pspec);
    }
}
