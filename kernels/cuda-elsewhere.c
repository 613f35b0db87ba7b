/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-elsewhere.c - the `cuda` backend, as far as this program has it: it loads urbarium-cuda.so
 * when it is first asked for, and never lets go of it.
 */
#include "kernels/cuda/cuda-module.h"
#include "kernels/module-file.h"

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
static char why_not[2 * PATH_MAX + 512]; /* part of a sentence for people */

/* The loader says "FILE: what is wrong with it", and of a library that the module needs and that is
 * not there "NAME: cannot open shared object file: …". */
static void
explain_loader (const char *path, const char *said)
{
  const char *end = strstr (said, ": cannot open shared object file");
  size_t n = strlen (path);
  bool is_own = strncmp (said, path, n) == 0 && said[n] == ':';

  if (is_own)
    said += n + strspn (said + n, ": ");
  if (end != NULL && !is_own)
    snprintf (why_not, sizeof why_not,
              "%s needs %.*s, which is not found; install it, or name its folder in LD_LIBRARY_PATH",
              path, (int) (end - said), said);
  else
    snprintf (why_not, sizeof why_not, "%s cannot be loaded (%s)", path, said);
}

static void *
open_module (const char *path)
{
  UkModuleFile file = uk_module_file_check (path);
  void *handle;

  if (file != UK_MODULE_FILE_OK)
    {
      snprintf (why_not, sizeof why_not, "%s is %s", path,
                file == UK_MODULE_FILE_CUT ? "damaged: it ends too early; build or install it again"
                                           : "no module of Urbarium");
      return NULL;
    }
  handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    explain_loader (path, dlerror ());
  return handle;
}

/* false: there is none.  What is there and of no use ends the search, with the reason kept. */
static bool
load (const char *path)
{
  UkCudaModuleFunc get;
  void *handle;

  if (access (path, R_OK) != 0)
    return false;
  handle = open_module (path);
  if (handle == NULL)
    return true;
  get = (UkCudaModuleFunc) dlsym (handle, UK_CUDA_MODULE_SYMBOL);
  module = get != NULL ? get () : NULL;
  if (module == NULL)
    snprintf (why_not, sizeof why_not, "%s is no module of Urbarium", path);
  else if (module->version != UK_CUDA_MODULE_VERSION)
    {
      snprintf (why_not, sizeof why_not,
                "%s is of another version of Urbarium than this program; build or install both again",
                path);
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
  if ((n > 0 && load (path)) || load (URBARIUM_MODULEDIR "/" NAME))
    return;
#if URBARIUM_HAVE_CUDA
  snprintf (why_not, sizeof why_not,
            "there is no " NAME " in %s or " URBARIUM_MODULEDIR "; build or install it again",
            n > 0 ? self : "the program's folder");
#else
  snprintf (why_not, sizeof why_not,
            "this build is without CUDA; build Urbarium where CUDA's nvcc is (see docs/gpu.md)");
#endif
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
