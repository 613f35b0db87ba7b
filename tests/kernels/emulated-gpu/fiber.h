/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber.h - cooperative stacks on one host thread.
 *
 * A switch saves only the callee-saved registers: 2 ns, where swapcontext() would query the kernel for the
 * signal mask each time.  Sanitizers are notified of each switch.
 */
#pragma once

#include <stddef.h>

typedef struct _UkFiber UkFiber;

struct _UkFiber
{
  void      (*main) (void);
  void       *sp;     /* while it does not run */
  const void *bottom; /* of its stack */
  size_t      size;
  void       *sanitizer;
  UkFiber    *next;   /* for the owner's lists */
};

/* Never freed.  The first switch to it starts @main, which never returns. */
UkFiber *uk_fiber_new (void (*main) (void));

/* Switches from @from, the running fiber, to @to; returns when something switches back to @from.  A zeroed
 * @from turns the current stack into a fiber. */
void uk_fiber_switch (UkFiber *from, UkFiber *to);
