/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.cc - see fiber.h.  Each stack has an inaccessible page below it. */
#include "fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#elif defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

enum
{
  PAGE = 4096,
  STACK_SIZE = 256 * 1024, /* committed only where touched */
  N_COLORS = 16
};

extern "C" __attribute__ ((visibility ("hidden"))) void
uk_fiber_jump (void **old_sp, void *new_sp);

/* A new stack holds what uk_fiber_jump() pops. */
#if defined __x86_64__
enum { RETURN_SLOT = 6, FRAME_WORDS = 8 };
__asm__ (".text\n"
         ".p2align 4\n"
         ".hidden uk_fiber_jump\n"
         ".globl uk_fiber_jump\n"
         ".type uk_fiber_jump, @function\n"
         "uk_fiber_jump:\n"
         "  pushq %rbp\n"
         "  pushq %rbx\n"
         "  pushq %r12\n"
         "  pushq %r13\n"
         "  pushq %r14\n"
         "  pushq %r15\n"
         "  movq %rsp, (%rdi)\n"
         "  movq %rsi, %rsp\n"
         "  popq %r15\n"
         "  popq %r14\n"
         "  popq %r13\n"
         "  popq %r12\n"
         "  popq %rbx\n"
         "  popq %rbp\n"
         "  ret\n"
         ".size uk_fiber_jump, . - uk_fiber_jump\n");
#elif defined __aarch64__
enum { RETURN_SLOT = 11, FRAME_WORDS = 20 };
__asm__ (".text\n"
         ".p2align 4\n"
         ".hidden uk_fiber_jump\n"
         ".globl uk_fiber_jump\n"
         ".type uk_fiber_jump, %function\n"
         "uk_fiber_jump:\n"
         "  sub sp, sp, #160\n"
         "  stp x19, x20, [sp, #0]\n"
         "  stp x21, x22, [sp, #16]\n"
         "  stp x23, x24, [sp, #32]\n"
         "  stp x25, x26, [sp, #48]\n"
         "  stp x27, x28, [sp, #64]\n"
         "  stp x29, x30, [sp, #80]\n"
         "  stp d8, d9, [sp, #96]\n"
         "  stp d10, d11, [sp, #112]\n"
         "  stp d12, d13, [sp, #128]\n"
         "  stp d14, d15, [sp, #144]\n"
         "  mov x9, sp\n"
         "  str x9, [x0]\n"
         "  mov sp, x1\n"
         "  ldp x19, x20, [sp, #0]\n"
         "  ldp x21, x22, [sp, #16]\n"
         "  ldp x23, x24, [sp, #32]\n"
         "  ldp x25, x26, [sp, #48]\n"
         "  ldp x27, x28, [sp, #64]\n"
         "  ldp x29, x30, [sp, #80]\n"
         "  ldp d8, d9, [sp, #96]\n"
         "  ldp d10, d11, [sp, #112]\n"
         "  ldp d12, d13, [sp, #128]\n"
         "  ldp d14, d15, [sp, #144]\n"
         "  add sp, sp, #160\n"
         "  ret\n"
         ".size uk_fiber_jump, . - uk_fiber_jump\n");
#else
#error "The emulated GPU switches stacks on x86-64 and aarch64 only"
#endif

/* The current switch; used by one host thread at a time. */
static UkFiber *left, *entered;

static void
arrive ([[maybe_unused]] void *sanitizer)
{
#if defined __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber (sanitizer, &left->bottom, &left->size);
#endif
}

static void
begin (void)
{
  arrive (NULL);
  entered->main ();
  abort (); /* there is nowhere to return to */
}

void
uk_fiber_switch (UkFiber *from, UkFiber *to)
{
  left = from;
  entered = to;
#if defined __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber (&from->sanitizer, to->bottom, to->size);
#elif defined __SANITIZE_THREAD__
  from->sanitizer = __tsan_get_current_fiber ();
  __tsan_switch_to_fiber (to->sanitizer, 0);
#endif
  uk_fiber_jump (&from->sp, to->sp);
  arrive (from->sanitizer);
}

UkFiber *
uk_fiber_new (void (*main) (void))
{
  static unsigned n_fibers;
  UkFiber *self = (UkFiber *) calloc (1, sizeof *self);
  char *low = (char *) mmap (NULL, PAGE + STACK_SIZE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  uintptr_t *top;

  if (self == NULL || low == MAP_FAILED || mprotect (low, PAGE, PROT_NONE) != 0)
    {
      perror ("emulated GPU: no stack for a thread");
      abort ();
    }
  self->main = main;
  self->bottom = low + PAGE;
  self->size = STACK_SIZE;
  /* Equally aligned stacks would compete for the same cache lines. */
  top = (uintptr_t *) (low + PAGE + STACK_SIZE - 256 * (n_fibers++ % N_COLORS));
  top -= FRAME_WORDS; /* all zero: so that a debugger finds the end of the stack */
  top[RETURN_SLOT] = (uintptr_t) begin;
  self->sp = top;
#if defined __SANITIZE_THREAD__
  self->sanitizer = __tsan_create_fiber (0);
#endif
  return self;
}
