/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glib-locks.c - announces the synchronization of GLib's locks, conditions, reference counts, queues
 * and thread pools to ThreadSanitizer.
 *
 * Distributions build GLib without instrumentation, and its mutexes are its own futexes, so every
 * access that they guard would be reported as a race.  This library is preloaded by with-tsan: each
 * function calls the original between an acquire and a release on the object's address.  Calls from
 * within GLib are bound to the originals and do not pass through here.
 */
#include <dlfcn.h>

#include <glib.h>

/* Absent in uninstrumented processes, such as a shell between two instrumented ones. */
void __tsan_acquire (void *object) __attribute__ ((weak));
void __tsan_release (void *object) __attribute__ ((weak));

static void
acquire (void *object)
{
  if (__tsan_acquire != NULL)
    __tsan_acquire (object);
}

static void
release (void *object)
{
  if (__tsan_release != NULL)
    __tsan_release (object);
}

/* GLib's original function @name. */
#define REAL(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

void
g_mutex_lock (GMutex *mutex)
{
  REAL (g_mutex_lock) (mutex);
  acquire (mutex);
}

gboolean
g_mutex_trylock (GMutex *mutex)
{
  gboolean locked = REAL (g_mutex_trylock) (mutex);
  if (locked)
    acquire (mutex);
  return locked;
}

void
g_mutex_unlock (GMutex *mutex)
{
  release (mutex);
  REAL (g_mutex_unlock) (mutex);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  release (mutex);
  REAL (g_cond_wait) (cond, mutex);
  acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean signalled;
  release (mutex);
  signalled = REAL (g_cond_wait_until) (cond, mutex, end_time);
  acquire (mutex);
  return signalled;
}

/* Orders all uses of an object before its last reference is dropped. */
gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  gboolean last;
  release (count);
  last = REAL (g_atomic_ref_count_dec) (count);
  if (last)
    acquire (count);
  return last;
}

void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  release (queue);
  REAL (g_async_queue_push) (queue, data);
}

gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  gpointer data = REAL (g_async_queue_pop) (queue);
  acquire (queue);
  return data;
}

gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  gpointer data = REAL (g_async_queue_try_pop) (queue);
  acquire (queue);
  return data;
}

/* A pool's thread does not know its pool, so one address orders the submission of all pools' jobs,
 * and another their completion. */
static char pushed, done;

typedef struct
{
  GFunc    run;
  gpointer user_data;
} Job;

static void
run_cb (gpointer data, gpointer user_data)
{
  const Job *job = user_data;
  acquire (&pushed);
  job->run (data, job->user_data);
  release (&done);
}

GThreadPool *
g_thread_pool_new (GFunc func, gpointer user_data, gint max_threads, gboolean exclusive,
                   GError **error)
{
  Job *job = g_new (Job, 1); /* never freed: the end of the pool is not observed */
  *job = (Job) { func, user_data };
  return REAL (g_thread_pool_new) (run_cb, job, max_threads, exclusive, error);
}

gboolean
g_thread_pool_push (GThreadPool *pool, gpointer data, GError **error)
{
  release (&pushed);
  return REAL (g_thread_pool_push) (pool, data, error);
}

void
g_thread_pool_free (GThreadPool *pool, gboolean immediate, gboolean wait)
{
  REAL (g_thread_pool_free) (pool, immediate, wait);
  acquire (&done);
}
