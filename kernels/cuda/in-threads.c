/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in-threads.c - the same work on many items, by several threads.
 */
#include "kernels/cuda/libraries-private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 16 };

typedef struct
{
  UkCudaBackend *backend; /* borrowed */
  int            n;
  atomic_int     next;
  void         (*run) (int i, void *data);
  void          *data;
} Work;

static void *
take_items (void *data)
{
  Work *self = data;
  int i;

  cudaSetDevice (self->backend->device); /* a thread's own state; cuDNN compiles for the current one */
  while ((i = atomic_fetch_add (&self->next, 1)) < self->n)
    self->run (i, self->data);
  return NULL;
}

void
uk_in_threads (UkCudaBackend *backend, int n, void (*run) (int i, void *data), void *data)
{
  Work work = { .backend = backend, .n = n, .run = run, .data = data };
  pthread_t threads[MAX_THREADS];
  long n_processors = sysconf (_SC_NPROCESSORS_ONLN);
  int n_threads = 0, max = n < MAX_THREADS ? n : MAX_THREADS;

  while (n_threads + 1 < max && n_threads + 1 < n_processors
         && pthread_create (&threads[n_threads], NULL, take_items, &work) == 0)
    n_threads++;
  take_items (&work); /* this thread helps */
  for (int i = 0; i < n_threads; i++)
    pthread_join (threads[i], NULL);
}
