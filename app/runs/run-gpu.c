/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-gpu.c - the load of a GPU at one moment; immutable.
 */
#include "app/runs/run-items.h"

struct _UrbariumRunGpu
{
  GObject parent_instance;

  int index;
  char *name, *pci; /* owned */
  UrbGpuLoad load;
};

G_DEFINE_FINAL_TYPE (UrbariumRunGpu, urbarium_run_gpu, G_TYPE_OBJECT)

static void
urbarium_run_gpu_finalize (GObject *object)
{
  g_free (URBARIUM_RUN_GPU (object)->name);
  g_free (URBARIUM_RUN_GPU (object)->pci);
  G_OBJECT_CLASS (urbarium_run_gpu_parent_class)->finalize (object);
}

static void
urbarium_run_gpu_class_init (UrbariumRunGpuClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = urbarium_run_gpu_finalize;
}

static void
urbarium_run_gpu_init (UrbariumRunGpu *self)
{
}

UrbariumRunGpu *
urbarium_run_gpu_new (int index, const char *name, const char *pci, const UrbGpuLoad *load)
{
  UrbariumRunGpu *self = g_object_new (URBARIUM_TYPE_RUN_GPU, NULL);
  self->index = index;
  self->name = g_strdup (name);
  self->pci = g_strdup (pci);
  self->load = *load;
  return self;
}

int
urbarium_run_gpu_get_index (UrbariumRunGpu *self)
{
  return self->index;
}

const char *
urbarium_run_gpu_get_name (UrbariumRunGpu *self)
{
  return self->name;
}

const char *
urbarium_run_gpu_get_pci (UrbariumRunGpu *self)
{
  return self->pci;
}

const UrbGpuLoad *
urbarium_run_gpu_get_load (UrbariumRunGpu *self)
{
  return &self->load;
}
