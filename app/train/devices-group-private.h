/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices-group-private.h - shared by the files of UrbariumDevicesGroup.  Each uses only those below it:
 *
 *   devices-group.c         the rows, and what the user ticks in them
 *   devices-group-limits.c  what each rank gets of the devices
 *   devices-group-choice.c  which devices are ticked and wanted
 */
#pragma once

#include "app/train/devices-group.h"

G_BEGIN_DECLS

struct _UrbariumDevicesGroup
{
  AdwPreferencesGroup parent_instance;

  UrbariumDevices *devices;     /* (nullable) owned */
  GCancellable    *cancellable; /* (nullable) owned: a query is pending */
  GPtrArray       *gpu_checks;  /* (element-type GtkCheckButton) owned: parallel to devices->gpus */
  GPtrArray       *rank_labels; /* (element-type GtkLabel) owned: likewise */
  UrbariumRunLibrary *library;  /* (nullable) owned: of the runs that use devices */
  GPtrArray       *loads;       /* (element-type UrbariumDeviceLoad) owned: of the processor, and of GPUs */
  char            *wanted;      /* (nullable) owned: the device's name; NULL: not chosen */
  int              n_threads;   /* wanted, of all ranks; 0: all */
  double           rank_memory; /* GB; 0: any */
  int              n_ranks;     /* on this machine; 0: not known */
  gboolean         is_spread;   /* ranks take the GPUs in turn, rather than share the first */
  guint            n_ticked;    /* GPUs */
  gboolean         showing;     /* by this group, not the user */

  AdwActionRow    *cpu_row, *no_gpu_row, *gone_row, *threads_row, *memory_row, *hosts_row;
  GtkCheckButton  *cpu_check;
  GtkSpinButton   *threads_spin, *memory_spin;
  GtkAdjustment   *threads;
};

/* devices-group-limits.c: shows, and takes from its rows, … */
void      urbarium_devices_group_show_ranks   (UrbariumDevicesGroup *self);
/* … everything that depends on the selection and on the ranks. */
void      urbarium_devices_group_show_all     (UrbariumDevicesGroup *self);
/* Returns: whether the user has changed them */
gboolean  urbarium_devices_group_take_threads (UrbariumDevicesGroup *self);
gboolean  urbarium_devices_group_take_memory  (UrbariumDevicesGroup *self);

/* devices-group-choice.c. @i: of the GPUs */
gboolean  urbarium_devices_group_is_ticked    (UrbariumDevicesGroup *self, guint i);
guint     urbarium_devices_group_count_ticked (UrbariumDevicesGroup *self);
/* "cpu", "cuda:1", or "cuda:0,1": by rising number. (transfer full) */
char     *urbarium_devices_group_dup_ticked   (UrbariumDevicesGroup *self);
/* What is ticked; until the user ticks, in the order of the settings. (transfer full) */
char     *urbarium_devices_group_dup_device   (UrbariumDevicesGroup *self);
guint     urbarium_devices_group_count_usable (const UrbariumDevices *devices);
/* Returns: (transfer container) (element-type UrbariumGpu): what is wanted; empty: the CPU
 * @gone: (out): whether some of it is missing */
GPtrArray *urbarium_devices_group_find_wanted (UrbariumDevicesGroup *self, gboolean *gone);

G_END_DECLS
