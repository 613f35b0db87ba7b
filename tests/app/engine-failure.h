/* SPDX-License-Identifier: Apache-2.0 */
/* engine-failure.h - an engine call that must fail. */
#pragma once

#include "app-test.h"
#include "app/base/engine-program.h"

G_BEGIN_DECLS

static inline void
test_finished_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static inline gboolean
test_has_result (gpointer data)
{
  return *(GAsyncResult **) data != NULL;
}

/* (transfer full): the error as reported to the window */
static inline GError *
test_engine_fail (const char *const *args)
{
  GError *error = NULL;
  g_autoptr(GAsyncResult) result = NULL;
  g_autofree char *text = NULL;
  urbarium_engine_program_run_async (args, NULL, NULL, test_finished_cb, &result);
  test_until (test_has_result, &result);
  text = urbarium_engine_program_run_finish (result, &error);
  g_assert_null (text);
  return error;
}

G_END_DECLS
