/* SPDX-License-Identifier: Apache-2.0 */
/* job-bar.h - a job's progress, remaining time and cancel button; hidden while no job runs. */
#pragma once

#include <adwaita.h>

#include "app/base/job.h"

G_BEGIN_DECLS

#define URBARIUM_TYPE_JOB_BAR (urbarium_job_bar_get_type ())
G_DECLARE_FINAL_TYPE (UrbariumJobBar, urbarium_job_bar, URBARIUM, JOB_BAR, AdwBin)

/* @job: (nullable); also the property "job" */
void urbarium_job_bar_set_job (UrbariumJobBar *self, UrbariumJob *job);

G_END_DECLS
