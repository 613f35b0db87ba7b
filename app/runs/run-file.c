/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-file.c - a file that a run wrote at a step: a sample grid, or a checkpoint to resume from.
 */
#include "app/runs/run-items.h"

struct _UrbariumRunFile
{
  GObject parent_instance;

  gint64 step;
  char *path; /* owned */
  gint64 n_bytes;
  double time;
};

G_DEFINE_FINAL_TYPE (UrbariumRunFile, urbarium_run_file, G_TYPE_OBJECT)

static const UrbariumField fields[] = {
  { "step", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunFile, step) },
  { "path", G_TYPE_STRING, G_STRUCT_OFFSET (UrbariumRunFile, path) },
  { "n-bytes", G_TYPE_INT64, G_STRUCT_OFFSET (UrbariumRunFile, n_bytes) },
  { "time", G_TYPE_DOUBLE, G_STRUCT_OFFSET (UrbariumRunFile, time) },
};

static void
finalize (GObject *object)
{
  g_free (URBARIUM_RUN_FILE (object)->path);
  G_OBJECT_CLASS (urbarium_run_file_parent_class)->finalize (object);
}

static void
urbarium_run_file_class_init (UrbariumRunFileClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  urbarium_run_items_install_fields (G_OBJECT_CLASS (klass), fields, G_N_ELEMENTS (fields));
}

static void
urbarium_run_file_init (UrbariumRunFile *self)
{
}

UrbariumRunFile *
urbarium_run_file_new (const char *folder, const UrbRunRecord *record)
{
  UrbariumRunFile *self = g_object_new (URBARIUM_TYPE_RUN_FILE, NULL);
  self->step = record->step;
  self->path = g_build_filename (folder, record->texts[0], NULL);
  self->n_bytes = record->n_bytes;
  self->time = record->time;
  return self;
}

gint64
urbarium_run_file_get_step (UrbariumRunFile *self)
{
  return self->step;
}
