/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain-new.c - C++ operators new and delete that bypass the address sanitizer.
 *
 * Only uninstrumented libraries use them here, so the sanitizer cannot check what they do with the
 * memory anyway, yet its allocator takes most of the time of a geometry that GEOS repairs.  The
 * mangled names follow the Itanium C++ ABI, 5.1.5; the functions behind them are those of glibc.
 */
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc (size_t n);
void *__libc_memalign (size_t alignment, size_t n);
void  __libc_free (void *memory);

void *_Znwm (size_t n);
void *_Znam (size_t n);
void *_ZnwmRKSt9nothrow_t (size_t n, const void *nothrow);
void *_ZnamRKSt9nothrow_t (size_t n, const void *nothrow);
void *_ZnwmSt11align_val_t (size_t n, size_t alignment);
void *_ZnamSt11align_val_t (size_t n, size_t alignment);
void *_ZnwmSt11align_val_tRKSt9nothrow_t (size_t n, size_t alignment, const void *nothrow);
void *_ZnamSt11align_val_tRKSt9nothrow_t (size_t n, size_t alignment, const void *nothrow);
void  _ZdlPv (void *memory);
void  _ZdaPv (void *memory);
void  _ZdlPvm (void *memory, size_t n);
void  _ZdaPvm (void *memory, size_t n);
void  _ZdlPvRKSt9nothrow_t (void *memory, const void *nothrow);
void  _ZdaPvRKSt9nothrow_t (void *memory, const void *nothrow);
void  _ZdlPvSt11align_val_t (void *memory, size_t alignment);
void  _ZdaPvSt11align_val_t (void *memory, size_t alignment);
void  _ZdlPvSt11align_val_tRKSt9nothrow_t (void *memory, size_t alignment, const void *nothrow);
void  _ZdaPvSt11align_val_tRKSt9nothrow_t (void *memory, size_t alignment, const void *nothrow);
void  _ZdlPvmSt11align_val_t (void *memory, size_t n, size_t alignment);
void  _ZdaPvmSt11align_val_t (void *memory, size_t n, size_t alignment);

/* C code cannot throw std::bad_alloc. */
static void *
or_abort (void *memory)
{
  if (memory == NULL)
    abort ();
  return memory;
}

/* Allocations of size 0 must be distinct. */
static size_t
at_least_one (size_t n)
{
  return n > 0 ? n : 1;
}

void *
_Znwm (size_t n)
{
  return or_abort (__libc_malloc (at_least_one (n)));
}

void *
_Znam (size_t n)
{
  return _Znwm (n);
}

void *
_ZnwmRKSt9nothrow_t (size_t n, const void *nothrow)
{
  return __libc_malloc (at_least_one (n));
}

void *
_ZnamRKSt9nothrow_t (size_t n, const void *nothrow)
{
  return __libc_malloc (at_least_one (n));
}

void *
_ZnwmSt11align_val_t (size_t n, size_t alignment)
{
  return or_abort (__libc_memalign (alignment, at_least_one (n)));
}

void *
_ZnamSt11align_val_t (size_t n, size_t alignment)
{
  return _ZnwmSt11align_val_t (n, alignment);
}

void *
_ZnwmSt11align_val_tRKSt9nothrow_t (size_t n, size_t alignment, const void *nothrow)
{
  return __libc_memalign (alignment, at_least_one (n));
}

void *
_ZnamSt11align_val_tRKSt9nothrow_t (size_t n, size_t alignment, const void *nothrow)
{
  return __libc_memalign (alignment, at_least_one (n));
}

#define DELETE(name, arguments)                                                                    \
  void name arguments                                                                              \
  {                                                                                                \
    __libc_free (memory);                                                                          \
  }

DELETE (_ZdlPv, (void *memory))
DELETE (_ZdaPv, (void *memory))
DELETE (_ZdlPvm, (void *memory, size_t n))
DELETE (_ZdaPvm, (void *memory, size_t n))
DELETE (_ZdlPvRKSt9nothrow_t, (void *memory, const void *nothrow))
DELETE (_ZdaPvRKSt9nothrow_t, (void *memory, const void *nothrow))
DELETE (_ZdlPvSt11align_val_t, (void *memory, size_t alignment))
DELETE (_ZdaPvSt11align_val_t, (void *memory, size_t alignment))
DELETE (_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *memory, size_t alignment, const void *nothrow))
DELETE (_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *memory, size_t alignment, const void *nothrow))
DELETE (_ZdlPvmSt11align_val_t, (void *memory, size_t n, size_t alignment))
DELETE (_ZdaPvmSt11align_val_t, (void *memory, size_t n, size_t alignment))
