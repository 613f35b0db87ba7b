/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fiber.h - stacks that take turns on one thread of the host.
 *
 * A switch saves what a function must keep for its caller, and no more: 2 ns, where swapcontext()
 * would ask the kernel for the signal mask each time.  Sanitizers are told of each switch.
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
  UkFiber    *next;   /* for whoever keeps a list of them */
};

/* Never freed; it starts in @main, which never returns, at the first switch to it. */
UkFiber *uk_fiber_new (void (*main) (void));

/* Leaves @from, which runs now, for @to; returns when something switches to @from.  A stack that
 * is no fiber's becomes one by a zeroed @from. */
void uk_fiber_switch (UkFiber *from, UkFiber *to);
