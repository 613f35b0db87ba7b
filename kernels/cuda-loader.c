/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-loader.c - the `cuda` backend in the program: loads urbarium-cuda.so on first use, and never
 * unloads it.
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
static const UkCudaModule *module; /* NULL: not loaded */
static char why_not[2 * PATH_MAX + 512]; /* a sentence fragment for users */

/* dlerror() reports "FILE: MESSAGE", and for a missing dependency of the module "NAME: cannot open shared
 * object file: …". */
static void
set_load_error (const char *path, const char *message)
{
  const char *end = strstr (message, ": cannot open shared object file");
  size_t n = strlen (path);
  bool is_own = strncmp (message, path, n) == 0 && message[n] == ':';

  if (is_own)
    message += n + strspn (message + n, ": ");
  if (end != NULL && !is_own)
    snprintf (why_not, sizeof why_not,
              "%s needs %.*s, which is not found; install it, or name its folder in LD_LIBRARY_PATH",
              path, (int) (end - message), message);
  else
    snprintf (why_not, sizeof why_not, "%s cannot be loaded (%s)", path, message);
}

/* False if there is no file.  A file that cannot be used ends the search and sets why_not. */
static bool
load (const char *path)
{
  UkModuleFile file = uk_module_file_check (path);
  UkCudaModuleFunc get;
  void *handle;

  if (access (path, R_OK) != 0)
    return false;
  if (file == UK_MODULE_FILE_CUT)
    {
      snprintf (why_not, sizeof why_not, "%s is truncated; build or install it again",
                path);
      return true;
    }
  handle = file == UK_MODULE_FILE_OK ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (handle == NULL && file == UK_MODULE_FILE_OK)
    {
      set_load_error (path, dlerror ());
      return true;
    }
  get = handle != NULL ? (UkCudaModuleFunc) dlsym (handle, UK_CUDA_MODULE_SYMBOL) : NULL;
  module = get != NULL ? get () : NULL;
  if (module == NULL)
    snprintf (why_not, sizeof why_not, "%s is not an Urbarium module", path);
  else if (module->version != UK_CUDA_MODULE_VERSION)
    {
      snprintf (why_not, sizeof why_not,
                "%s was built for another version of Urbarium; build or install both again",
                path);
      module = NULL;
    }
  return true;
}

/* Searches next to the program and in the installation only, where nobody else can plant a file. */
static void
find (void)
{
  const char *chosen = getenv ("URBARIUM_CUDA_MODULE");
  char self[PATH_MAX], path[PATH_MAX + sizeof "/" NAME];
  ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);

  if (chosen != NULL && *chosen != '\0')
    {
      if (!load (chosen))
        snprintf (why_not, sizeof why_not, "%s, named by URBARIUM_CUDA_MODULE, cannot be read",
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
            "this build has no CUDA support; build Urbarium on a machine with nvcc (see docs/gpu.md)");
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
