/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-shared-device.c - shared blocks in a GPU's memory: processes join, leave and are killed.
 *
 * The GPU is the emulated one, or whichever the cuda backend finds.  Each process opens it for
 * itself, after it was forked.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parallel/shared-params-private.h"

enum { N_WORKERS = 3, N_VALUES = 1000, N_SHORT = 16, TIMEOUT_S = 20 };

/* A worker's exit code. */
enum { NO_SUCH_DEVICE = 77 };

static UrbSharedLayout
small_layout (void)
{
  UrbSharedLayout layout = { 0 };

  layout.n_bytes[URB_SHARED_G][URB_SHARED_PARAMS] = N_VALUES * sizeof (float);
  layout.n_bytes[URB_SHARED_D][URB_SHARED_PARAMS] = 100;
  layout.n_bytes[URB_SHARED_D][URB_SHARED_MOMENT2] = N_SHORT * sizeof (float);
  memset (layout.hash, 7, sizeof layout.hash);
  return layout;
}

/* ------------------------------------------------------------------------ */
/* A worker                                                                  */

typedef struct
{
  UrbSharedParams *shared; /* owned */
  UkBackend       *backend;
  int              rank;
} Worker;

static void
open_worker (Worker *self, UrbSharedParams *maker, int rank, int device)
{
  UkBackendConfig config = { .device = device };
  UkStatus status = uk_backend_cuda ()->open (&config, &self->backend);

  if (status == UK_UNSUPPORTED && device > 0)
    _exit (NO_SUCH_DEVICE);
  g_assert_cmpint (status, ==, UK_OK);
  self->rank = rank;
  self->shared = urb_shared_params_open_fd (urb_shared_params_get_fd (maker), NULL);
  g_assert_nonnull (self->shared);
}

static gboolean
map (Worker *self, GError **error)
{
  UrbSharedLayout layout = small_layout ();

  return urb_shared_params_map_device (self->shared, self->rank, &layout, self->backend, error);
}

static void
close_worker (Worker *self)
{
  urb_shared_params_unmap_device (self->shared, self->rank, TIMEOUT_S);
  self->backend->table->close (self->backend);
  urb_shared_params_free (self->shared);
}

static void
write_value (Worker *self, UrbSharedNet net, UrbSharedBlock block, int index, float value)
{
  float *memory = urb_shared_params_get_block (self->shared, net, block);

  g_assert_cmpint (self->backend->table->upload (self->backend, UK_REAL, memory + index, &value, 1),
                   ==, UK_OK);
  g_assert_cmpint (self->backend->table->sync (self->backend), ==, UK_OK);
}

static float
read_value (Worker *self, UrbSharedNet net, UrbSharedBlock block, int index)
{
  const float *memory = urb_shared_params_get_block (self->shared, net, block);
  float value = 0;

  g_assert_cmpint (self->backend->table->download (self->backend, UK_REAL, &value, memory + index,
                                                   1), ==, UK_OK);
  return value;
}

/* Shared by the processes of a test: how many have reached each point. */
static void
wait_for_value (Worker *self, int index, float value)
{
  while (read_value (self, URB_SHARED_D, URB_SHARED_MOMENT2, index) != value)
    g_usleep (1000);
}

static void
tell_value (Worker *self, int index, float value)
{
  write_value (self, URB_SHARED_D, URB_SHARED_MOMENT2, index, value);
}

static pid_t
start (void (*run) (Worker *self), UrbSharedParams *maker, int rank, int device)
{
  pid_t pid = fork ();

  if (pid == 0)
    {
      Worker self;

      alarm (2 * TIMEOUT_S);
      open_worker (&self, maker, rank, device);
      run (&self);
      close_worker (&self);
      _exit (0);
    }
  g_assert_cmpint (pid, >, 0);
  return pid;
}

static void
end (pid_t pid)
{
  int status;

  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  if (WIFEXITED (status) && WEXITSTATUS (status) == NO_SUCH_DEVICE)
    g_test_skip ("there is only one GPU");
  else
    g_assert_cmpint (status, ==, 0);
}

static void
kill_it (pid_t pid)
{
  int status;

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status));
}

static void
wait_until_ready (UrbSharedParams *maker)
{
  g_assert_true (urb_shared_params_wait_until_ready (maker, TIMEOUT_S, NULL));
}

/* ------------------------------------------------------------------------ */
/* Together                                                                  */

static void
own (Worker *self)
{
  g_assert_true (map (self, NULL));
  g_assert_cmpint (self->shared->n_block_bytes % UK_EXPORT_ALIGN, ==, 0);
  write_value (self, URB_SHARED_G, URB_SHARED_PARAMS, N_VALUES - 1, 41);
  urb_shared_params_set_ready (self->shared, 0, 10);
}

static void
own_and_wait (Worker *self)
{
  own (self);
  g_assert_true (urb_shared_params_check_owner (self->shared, NULL));
  for (int rank = 1; rank < N_WORKERS; rank++)
    wait_for_value (self, rank, (float) rank);
  g_assert_cmpfloat (read_value (self, URB_SHARED_G, URB_SHARED_PARAMS, 0), ==, 42);
  tell_value (self, 0, 1);
}

static void
use (Worker *self)
{
  wait_until_ready (self->shared);
  g_assert_true (map (self, NULL));
  g_assert_true (urb_shared_params_check_owner (self->shared, NULL));
  g_assert_cmpfloat (read_value (self, URB_SHARED_G, URB_SHARED_PARAMS, N_VALUES - 1), ==, 41);
  g_assert_cmpfloat (read_value (self, URB_SHARED_D, URB_SHARED_PARAMS, 7), ==, 0);
  write_value (self, URB_SHARED_G, URB_SHARED_PARAMS, 0, 42);
  tell_value (self, self->rank, (float) self->rank);
  wait_for_value (self, 0, 1);
  /* The owner is ending, and waits. */
  while (urb_shared_params_take (self->shared, self->rank, 0) >= 0)
    urb_shared_params_finish (self->shared, self->rank);
  g_usleep (200000);
  g_assert_true (urb_shared_params_check_owner (self->shared, NULL));
  g_assert_cmpfloat (read_value (self, URB_SHARED_G, URB_SHARED_PARAMS, 0), ==, 42);
}

static void
test_together (void)
{
  g_autoptr(UrbSharedParams) maker = urb_shared_params_new_memfd (N_WORKERS, NULL);
  pid_t pids[N_WORKERS];

  for (int rank = 0; rank < N_WORKERS; rank++)
    pids[rank] = start (rank == 0 ? own_and_wait : use, maker, rank, 0);
  for (int rank = N_WORKERS - 1; rank >= 0; rank--)
    end (pids[rank]);
  g_assert_true (urb_shared_params_has_owner (maker));
}

/* ------------------------------------------------------------------------ */
/* Deaths                                                                    */

static void
sleep_for_ever (Worker *self)
{
  for (;;)
    g_usleep (G_USEC_PER_SEC);
}

static void
own_for_ever (Worker *self)
{
  own (self);
  sleep_for_ever (self);
}

static void
use_for_ever (Worker *self)
{
  g_assert_true (map (self, NULL));
  tell_value (self, self->rank, 1);
  sleep_for_ever (self);
}

static void
assert_closed (Worker *self, gboolean (*call) (Worker *self, GError **error))
{
  g_autoptr(GError) error = NULL;

  g_assert_false (call (self, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED);
  g_assert_nonnull (strstr (error->message, "rank 0 has ended"));
}

static gboolean
check (Worker *self, GError **error)
{
  return urb_shared_params_check_owner (self->shared, error);
}

static gboolean
wait_ready (Worker *self, GError **error)
{
  return urb_shared_params_wait_until_ready (self->shared, TIMEOUT_S, error);
}

/* Waits for a step that never comes. */
static void
survive (Worker *self)
{
  wait_until_ready (self->shared);
  g_assert_true (map (self, NULL));
  g_assert_true (urb_shared_params_join (self->shared, self->rank, NULL));
  self->shared->head->hold = 1;
  tell_value (self, self->rank, 1);
  g_assert_cmpint (urb_shared_params_take (self->shared, self->rank, 0), ==, -1);
  assert_closed (self, check);
}

static void
come_too_late (Worker *self)
{
  assert_closed (self, map);
}

static void
test_owner_dies (void)
{
  g_autoptr(UrbSharedParams) maker = urb_shared_params_new_memfd (2, NULL);
  pid_t owner = start (own_for_ever, maker, 0, 0), other = start (survive, maker, 1, 0);

  while (maker->head->hold == 0)
    g_usleep (1000);
  g_usleep (50000);
  kill (owner, SIGKILL); /* not reaped: a zombie counts as dead */
  end (other);
  g_assert_cmpint (waitpid (owner, NULL, 0), ==, owner);
  urb_shared_params_reap (maker, owner);
  g_assert_true (urb_shared_params_has_owner (maker));
  end (start (come_too_late, maker, 1, 0));
  end (start (come_too_late, maker, 0, 0)); /* the trained parameters are lost */
}

/* The owner need not wait, and the others are not affected. */
static void
test_importer_dies (void)
{
  g_autoptr(UrbSharedParams) maker = urb_shared_params_new_memfd (N_WORKERS, NULL);
  pid_t owner = start (own_and_wait, maker, 0, 0), other = start (use, maker, 1, 0);
  pid_t third = start (use_for_ever, maker, 2, 0);
  gint64 begin_us;

  while (maker->entries[2].importer != (guint64) third)
    g_usleep (1000);
  g_usleep (50000);
  kill_it (third);
  urb_shared_params_reap (maker, third);
  g_assert_cmpuint (maker->entries[2].importer, ==, 0);
  third = start (use, maker, 2, 0);
  begin_us = g_get_monotonic_time ();
  end (other);
  end (third);
  end (owner);
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, TIMEOUT_S * (gint64) G_USEC_PER_SEC);
}

static void
own_not_ready (Worker *self)
{
  g_assert_true (map (self, NULL));
  sleep_for_ever (self);
}

static void
wait_in_vain (Worker *self)
{
  g_assert_true (map (self, NULL));
  assert_closed (self, wait_ready);
}

static void
find_replaced (Worker *self)
{
  g_assert_true (map (self, NULL));
  while (self->shared->head->generation == 1)
    g_usleep (1000);
  close (self->shared->owner_fd); /* as on systems without such descriptors */
  self->shared->owner_fd = -1;
  assert_closed (self, check);
}

/* Only an owner that died before the parameters were ready is replaced. */
static void
test_owner_replaced (void)
{
  g_autoptr(UrbSharedParams) maker = urb_shared_params_new_memfd (N_WORKERS, NULL);
  pid_t owner = start (own_not_ready, maker, 0, 0), other = start (wait_in_vain, maker, 1, 0);
  pid_t third = start (find_replaced, maker, 2, 0);

  while (maker->entries[1].importer == 0 || maker->entries[2].importer == 0)
    g_usleep (1000);
  g_usleep (100000);
  kill_it (owner);
  end (other);
  owner = start (own_and_wait, maker, 0, 0);
  end (third);
  g_assert_cmpuint (maker->head->generation, ==, 2);
  other = start (use, maker, 1, 0);
  third = start (use, maker, 2, 0);
  end (other);
  end (third);
  end (owner);
}

/* ------------------------------------------------------------------------ */

static void
be_elsewhere (Worker *self)
{
  g_autoptr(GError) error = NULL;

  g_assert_false (map (self, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
  for (int device = 0; device < 2; device++)
    {
      UkCudaInfo info;

      g_assert_cmpint (uk_cuda_info (device, &info), ==, UK_OK);
      g_assert_nonnull (strstr (error->message, info.pci));
    }
  g_assert_cmpuint (self->shared->entries[self->rank].importer, ==, 0);
}

static void
test_other_device (void)
{
  g_autoptr(UrbSharedParams) maker = urb_shared_params_new_memfd (2, NULL);
  pid_t owner = start (own_for_ever, maker, 0, 0);

  end (start (be_elsewhere, maker, 1, 1));
  kill_it (owner);
}

static void
be_of_another_network (Worker *self)
{
  UrbSharedLayout layout = small_layout ();
  g_autoptr(GError) error = NULL;

  layout.hash[3]++;
  g_assert_false (urb_shared_params_map_device (self->shared, self->rank, &layout, self->backend,
                                                &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

/* Bytes that another process overwrote by mistake must not cause a crash. */
static void
find_garbage (Worker *self)
{
  UrbSharedHead *head = self->shared->head;

  for (int i = 1; i < 8; i++) /* the handle, not the device */
    head->exported[i] = G_MAXUINT64 / 3;
  head->exported[0] = 1;
  g_assert_false (map (self, NULL));
  g_assert_null (urb_shared_params_get_block (self->shared, URB_SHARED_G, URB_SHARED_PARAMS));
}

static void
test_refused (void)
{
  g_autoptr(UrbSharedParams) maker = urb_shared_params_new_memfd (2, NULL);
  pid_t owner = start (own_for_ever, maker, 0, 0);

  end (start (be_of_another_network, maker, 1, 0));
  end (start (find_garbage, maker, 1, 0));
  kill_it (owner);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("UK_EMULATED_DEVICES", "2", TRUE);
  if (uk_backend_cuda () == NULL)
    {
      g_print ("1..0 # SKIP there is no cuda backend\n");
      return 0;
    }
  g_test_add_func ("/shared-device/together", test_together);
  g_test_add_func ("/shared-device/owner-dies", test_owner_dies);
  g_test_add_func ("/shared-device/importer-dies", test_importer_dies);
  g_test_add_func ("/shared-device/owner-replaced", test_owner_replaced);
  g_test_add_func ("/shared-device/other-device", test_other_device);
  g_test_add_func ("/shared-device/refused", test_refused);
  return g_test_run ();
}
