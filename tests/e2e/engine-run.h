/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine-run.h - runs urbarium-engine as a subprocess.
 */
#pragma once

#include <gio/gio.h>

typedef struct
{
  int   code;      /* exit code, or -1 if a signal ended it */
  char *out, *err; /* owned */
} EngineResult;

/* @arguments are separated by single spaces.  URBARIUM_ENGINE names the program. */
EngineResult engine_run          (const char *arguments);
/* The same with each "@" replaced by @folder.  The command and its messages go to the test's log. */
EngineResult engine_run_in       (const char *folder, const char *arguments);
/* The command must succeed. */
void         engine_run_well_in  (const char *folder, const char *arguments);
void         engine_result_clear (EngineResult *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (EngineResult, engine_result_clear)

/* A setting in run.ini of the run @run, a path from @folder. (transfer full) (nullable) */
char *engine_read_setting (const char *folder, const char *run, const char *group, const char *key);
