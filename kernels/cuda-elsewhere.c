/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-elsewhere.c - the `cuda` backend, as far as this program has it: it loads urbarium-cuda.so
 * when it is first asked for, and never lets go of it.
 */
#include "kernels/cuda/cuda-module.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "urbarium-cuda.so"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const UkCudaModule *module; /* NULL: not here */
static char why_not[512];

/* false: there is none.  What is there and of no use ends the search, with the reason kept. */
static bool
load (const char *path)
{
  void *handle;
  UkCudaModuleFunc get;

  if (access (path, R_OK) != 0)
    return false;
  handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    {
      snprintf (why_not, sizeof why_not, "%s", dlerror ());
      return true;
    }
  get = (UkCudaModuleFunc) dlsym (handle, UK_CUDA_MODULE_SYMBOL);
  module = get != NULL ? get () : NULL;
  if (module == NULL || module->version != UK_CUDA_MODULE_VERSION)
    {
      snprintf (why_not, sizeof why_not, "%s is of another version", path);
      module = NULL;
    }
  return true;
}

/* Beside the program, or installed: nowhere that somebody else could put something. */
static void
find (void)
{
  const char *chosen = getenv ("URBARIUM_CUDA_MODULE");
  char self[PATH_MAX], path[PATH_MAX + sizeof "/" NAME];
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);

  snprintf (why_not, sizeof why_not, "this build is without CUDA");
  if (chosen != NULL && *chosen != '\0')
    {
      if (!load (chosen))
        snprintf (why_not, sizeof why_not, "%s, which URBARIUM_CUDA_MODULE names, cannot be read",
                  chosen);
      return;
    }
  self[n > 0 ? n : 0] = '\0';
  dirname (self); /* in place, as POSIX allows */
  snprintf (path, sizeof path, "%s/" NAME, self);
  if (n > 0 && load (path))
    return;
  load (URBARIUM_MODULEDIR "/" NAME);
}

const UkBackendTable *
uk_backend_cuda (void)
{
  pthread_once (&once, find);
  return module != NULL ? module->backend : NULL;
}

int
uk_cuda_count (const char **why)
{
  pthread_once (&once, find);
  if (module != NULL)
    return module->count (why);
  if (why != NULL)
    *why = why_not;
  return 0;
}

UkStatus
uk_cuda_info (int device, UkCudaInfo *info)
{
  pthread_once (&once, find);
  return module != NULL ? module->info (device, info) : UK_UNSUPPORTED;
}
