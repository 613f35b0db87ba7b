/* SPDX-License-Identifier: Apache-2.0 */
/* nccl-calls.c - see nccl-calls.h. */
#include "kernels/cuda/nccl-calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define NAME "libnccl.so.2"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static UkNccl nccl;
static char why_not[256]; /* "": loaded */

static void
find (void *library, const char *name, void *function)
{
  void *symbol = dlsym (library, name);

  if (symbol == NULL)
    snprintf (why_not, sizeof why_not, NAME " is too old: it has no %s; install NCCL 2.14 or later",
              name);
  memcpy (function, &symbol, sizeof symbol);
}

/* Never unloaded: communicators run threads of their own. */
static void
load (void)
{
  void *library = dlopen (NAME, RTLD_NOW | RTLD_LOCAL);

  if (library == NULL)
    {
      snprintf (why_not, sizeof why_not, "NCCL cannot be loaded (%s)", dlerror ());
      return;
    }
#define UK_NCCL_CALL(call) find (library, "nccl" #call, &nccl.call);
  UK_NCCL_CALLS (UK_NCCL_CALL)
#undef UK_NCCL_CALL
}

const UkNccl *
uk_nccl_load (const char **why)
{
  pthread_once (&once, load);
  *why = why_not;
  return *why_not == '\0' ? &nccl : NULL;
}
