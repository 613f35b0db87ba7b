/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-settings-private.h - shared by the files of UrbariumRunSettings.  Each uses only those below it:
 *
 *   run-settings.c          what is shown, and the start of runs and trials
 *   run-settings-windows.c  the windows for more settings, hosts, and several runs
 *   run-settings-check.c    whether and why not a run with these settings can start
 *
 * (Only what a window has changed is told upwards.)
 */
#pragma once

#include "app/train/dataset-group.h"
#include "app/train/devices-group.h"
#include "app/train/forecast.h"
#include "app/train/model-group.h"
#include "app/train/run-settings.h"
#include "app/train/strategy-comparison.h"
#include "app/train/strategy-group.h"
#include "app/train/training-group.h"
#include "app/train/trial.h"

G_BEGIN_DECLS

struct _UrbariumRunSettings
{
  AdwBin                 parent_instance;

  UrbRunConfig           base;     /* the settings that have no row on this page */
  UrbariumRunLibrary    *library;  /* (nullable) owned */
  UrbariumForecast      *forecast; /* owned */
  UrbariumStrategyComparison *comparison; /* owned */
  GCancellable          *starting; /* (nullable) owned: a run is being started */
  UrbariumTrial         *trial;    /* owned */
  GStrv                  found_keys; /* (nullable) owned: settings that were set to what a trial found … */
  UrbRunConfig           before_found; /* owned: … and all before that */
  char                  *device;   /* owned: the device, or GPUs, for which the precision was chosen */
  char                  *hosts_file; /* owned: where the user's hosts are, unless the settings name another file */
  char                  *used_file;  /* (nullable) owned: the hosts file of @hosts */
  GPtrArray             *hosts;      /* (nullable) (element-type UrbHost) owned: NULL: only this machine */
  GError                *hosts_error; /* (nullable) owned: why @used_file cannot be read */

  UrbariumDatasetGroup  *dataset_group;
  UrbariumModelGroup    *model_group;
  UrbariumTrainingGroup *training_group;
  UrbariumDevicesGroup  *devices_group;
  UrbariumStrategyGroup *strategy_group;
  GtkLabel              *message_label;
  GtkImage              *message_icon;
  GtkButton             *train_button, *try_button;
  GtkSpinner            *train_spinner;
};

/* run-settings.c */
/* The runs that the next one waits for; its predecessor is last. (transfer full) */
GPtrArray *urbarium_run_settings_dup_queue   (UrbariumRunSettings *self);
/* Shows all of @config, unless there are no such networks. */
void       urbarium_run_settings_show_config (UrbariumRunSettings *self, const UrbRunConfig *config);
/* Reads the hosts again when they are needed. */
void       urbarium_run_settings_forget_hosts (UrbariumRunSettings *self);

/* run-settings-windows.c */
/* Adds the actions that open them. */
void       urbarium_run_settings_install_windows (GtkWidgetClass *widget_class);

/* run-settings-check.c */
/* Whether these settings are good, whatever the batch is: it is sought. */
gboolean   urbarium_run_settings_can_find_batch (UrbariumRunSettings *self);

G_END_DECLS
