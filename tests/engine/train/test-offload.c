/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test-offload.c - moments and average outside of the device's memory: the order of transfers, and the same
 * bits.  All strategies are in test-strategies.c.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include <glib/gstdio.h>

#include "../parallel/model-fixture.h"
#include "parallel/check.h"
#include "parallel/offload.h"
#include "step/interpreter.h"
#include "train/device.h"
#include "train/storage.h"

enum { MOST = 10000, N_STEPS = 3 };

static void
set_up (Model *self, gboolean penalty)
{
  model_set_up (self, "tiny", (UrbGanOptions) {
    .batch = 2, .n_microbatches = 1, .n_ranks = 1, .sync_ranks = 1, .relativistic = penalty,
    .penalty = penalty, .first_moment = !penalty });
}

/* ------------------------------------------------------------------------ */
/* The order of transfers                                                    */

/* Each element of each block is fetched before its update and stored after it, the next part is fetched while
 * one is updated, and two buffers of each block do. */
static void
check_parts (const UrbProgram *program, const UrbProgramNet *slot)
{
  const int blocks[] = { slot->moment1, slot->moment2, slot->ema };
  int stages[G_N_ELEMENTS (blocks)][2];

  for (gsize b = 0; b < G_N_ELEMENTS (blocks); b++)
    {
      gint64 fetched = 0, updated = 0, stored = 0, largest = 0;
      int n = 0;

      if (blocks[b] < 0)
        continue;
      g_assert_cmpint (urb_program_get_buffer (program, blocks[b])->store, ==, URB_STORE_OUTSIDE);
      for (guint i = 0; i < program->instructions->len; i++)
        {
          const UrbInstruction *instruction = urb_program_get_instruction (program, i);
          gboolean is_own = strcmp (instruction->net, slot->net->name) == 0;

          for (int a = 0; instruction->kind == URB_DO_OP && a < UK_MAX_ARGS; a++)
            g_assert_cmpint (instruction->args[a].buffer, !=, blocks[b]);
          if (is_own && instruction->kind == URB_DO_OP && instruction->desc.kind == UK_OP_ADAM)
            {
              updated += instruction->desc.x.n;
              largest = MAX (largest, instruction->desc.x.n);
              g_assert_cmpint (fetched, >=, MIN (updated + 1, slot->net->n_params));
            }
          if (instruction->kind != URB_DO_TRANSFER)
            continue;
          if (instruction->args[0].buffer == blocks[b])
            {
              g_assert_cmpint (instruction->args[0].offset, ==, fetched);
              fetched += instruction->collective.count;
              if (n < 2)
                stages[b][n] = instruction->args[1].buffer;
              g_assert_cmpint (instruction->args[1].buffer, ==, stages[b][n++ % 2]);
            }
          if (instruction->args[1].buffer == blocks[b])
            {
              g_assert_cmpint (instruction->args[1].offset, ==, stored);
              stored += instruction->collective.count;
              g_assert_cmpint (stored, ==, updated);
            }
        }
      g_assert_cmpint (fetched, ==, slot->net->n_params);
      g_assert_cmpint (stored, ==, slot->net->n_params);
      g_assert_cmpint (largest, ==, MOST);
      g_assert_cmpint (n, ==, (slot->net->n_params + MOST - 1) / MOST);
    }
}

static void
test_parts (gconstpointer data)
{
  g_auto(Model) model = { 0 };
  g_autoptr(GError) error = NULL;

  set_up (&model, GPOINTER_TO_INT (data));
  urb_program_offload (model.program, MOST);
  check_parts (model.program, &model.program->g);
  check_parts (model.program, &model.program->d);
  g_assert_true (urb_programs_check (&model.program, 1, &(UrbMesh) { 1, 1, 1 }, &error));
  g_assert_no_error (error);
}

/* ------------------------------------------------------------------------ */
/* The same bits                                                             */

typedef struct
{
  Model           model;
  UkBackend      *backend;
  UrbStorage     *storage; /* (nullable) */
  UrbInterpreter *interpreter;
} Machine;

static void
machine_clear (Machine *self)
{
  urb_interpreter_free (self->interpreter);
  urb_storage_free (self->storage);
  model_clear (&self->model);
  urb_device_close (self->backend);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Machine, machine_clear)

static void
upload (Machine *self, int buffer, const float *values, gint64 count)
{
  g_assert_cmpint (self->backend->table->upload (self->backend, UK_REAL,
                                                 urb_interpreter_get_memory (self->interpreter, buffer),
                                                 values, count), ==, UK_OK);
}

static void
write_inputs (Machine *self)
{
  const float hyper[UK_N_HYPER] = { [UK_HYPER_LR] = 1e-3f, [UK_HYPER_BETA2] = 0.9f, [UK_HYPER_LOSS_SCALE] = 1,
                                    [UK_HYPER_EPS] = 1e-8f, [UK_HYPER_CORRECTION1] = 0.5f,
                                    [UK_HYPER_CORRECTION2] = 0.1f, [UK_HYPER_EMA_BETA] = 0.7f };
  const float ones[2] = { 1, 1 };
  const guint64 rng[2] = { 7, 1 };
  const UrbProgramNet *nets[] = { &self->model.program->g, &self->model.program->d };
  gint64 n_tiles = urb_program_get_buffer (self->model.program, self->model.program->tiles)->count;
  guint8 *tiles = urb_interpreter_get_memory (self->interpreter, self->model.program->tiles);

  for (gint64 i = 0; i < n_tiles; i++)
    tiles[i] = (guint8) (i * i / 7);
  memcpy (urb_interpreter_get_memory (self->interpreter, self->model.program->rng), rng, sizeof rng);
  upload (self, self->model.program->penalty, ones, 2);
  if (self->model.program->augment >= 0)
    upload (self, self->model.program->augment, ones, 1);
  for (int n = 0; n < 2; n++)
    {
      g_autofree float *params = g_new (float, nets[n]->net->n_params);

      urb_net_init_values (nets[n]->net, 3, (guint32) n, params, NULL);
      upload (self, nets[n]->params, params, nets[n]->net->n_params);
      upload (self, nets[n]->hyper, hyper, UK_N_HYPER);
    }
}

static void
open_machine (Machine *self, const char *folder)
{
  g_autoptr(GError) error = NULL;

  set_up (&self->model, TRUE);
  self->backend = urb_device_open ("cpu", UK_FP32, 2, &error);
  g_assert_no_error (error);
  if (folder != NULL)
    urb_program_offload (self->model.program, MOST);
  g_assert_true (urb_program_plan (self->model.program, self->backend, &error));
  self->interpreter = urb_interpreter_new (self->model.program, self->backend, NULL, NULL, &error);
  g_assert_no_error (error);
  if (folder != NULL)
    {
      UrbTransport transport;

      self->storage = urb_storage_new (folder, self->model.program->store_bytes[URB_STORE_OUTSIDE],
                                       self->backend, &error);
      g_assert_no_error (error);
      transport = urb_storage_get_transport (self->storage);
      urb_interpreter_set_storage (self->interpreter, &transport);
    }
  write_inputs (self);
  g_assert_true (urb_interpreter_run_prologue (self->interpreter, &error));
}

static void
read_block (Machine *self, int buffer, float *values, gint64 count)
{
  const UrbBuffer *block = urb_program_get_buffer (self->model.program, buffer);
  g_autoptr(GError) error = NULL;

  if (block->store == URB_STORE_OUTSIDE)
    g_assert_true (urb_storage_read (self->storage, block->offset, values, (gsize) count * sizeof (float), &error));
  else
    memcpy (values, urb_interpreter_get_memory (self->interpreter, buffer), (gsize) count * sizeof (float));
}

static void
test_same_bits (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_auto(Machine) inside = { 0 }, outside = { 0 };
  const UrbProgramNet *nets[2];
  g_autoptr(GError) error = NULL;

  open_machine (&inside, NULL);
  open_machine (&outside, folder);
  for (int i = 0; i < N_STEPS; i++)
    {
      urb_interpreter_run (inside.interpreter, &error);
      g_assert_no_error (error);
      urb_interpreter_run (outside.interpreter, &error);
      g_assert_no_error (error);
    }
  nets[0] = &inside.model.program->g;
  nets[1] = &inside.model.program->d;
  for (int n = 0; n < 2; n++)
    {
      /* Buffers of the network have the same numbers in both. */
      const int blocks[] = { nets[n]->params, nets[n]->moment2, nets[n]->ema };
      gint64 count = nets[n]->net->n_params;
      g_autofree float *x = g_new (float, count), *y = g_new (float, count);

      for (gsize b = 0; b < G_N_ELEMENTS (blocks); b++)
        if (blocks[b] >= 0)
          {
            read_block (&inside, blocks[b], x, count);
            read_block (&outside, blocks[b], y, count);
            g_assert_cmpfloat (x[count / 2], !=, 0);
            g_assert_cmpmem (x, (gsize) count * sizeof (float), y, (gsize) count * sizeof (float));
          }
    }
  /* Without name, so that nothing has to be removed. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* ------------------------------------------------------------------------ */
/* The storage                                                               */

static void
test_storage (void)
{
  g_autofree char *folder = g_dir_make_tmp ("urbarium-XXXXXX", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing", NULL);
  g_autoptr(UrbStorage) storage = NULL;
  g_autoptr(UkBackend) backend = NULL;
  g_autoptr(GError) error = NULL;
  struct rlimit before, little = { 1 << 20, 1 << 20 };
  char read[8], written[8] = "numbers";

  backend = urb_device_open ("cpu", UK_FP32, 1, &error);
  storage = urb_storage_new (folder, 100000, backend, &error);
  g_assert_no_error (error);
  g_assert_true (urb_storage_read (storage, 100000 - sizeof read, read, sizeof read, &error));
  g_assert_cmpmem (read, sizeof read, "\0\0\0\0\0\0\0", 8);
  g_assert_true (urb_storage_write (storage, 99000, written, sizeof written, &error));
  g_assert_true (urb_storage_read (storage, 99000, read, sizeof read, &error));
  g_assert_cmpstr (read, ==, written);
  g_assert_false (urb_storage_read (storage, 100000, read, sizeof read, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, folder));
  g_clear_error (&error);

  g_assert_null (urb_storage_new (missing, 1000, backend, &error));
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, missing));
  g_assert_nonnull (strstr (error->message, "--offload"));
  g_clear_error (&error);

  /* No room: before anything is trained. */
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  little.rlim_max = before.rlim_max;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &little), ==, 0);
  g_assert_null (urb_storage_new (folder, 2 << 20, backend, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_error (error, URB_TRAIN_ERROR, URB_TRAIN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "MiB"));
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/offload/parts/r3", GINT_TO_POINTER (TRUE), test_parts);
  g_test_add_data_func ("/offload/parts/dcgan", GINT_TO_POINTER (FALSE), test_parts);
  g_test_add_func ("/offload/same-bits", test_same_bits);
  g_test_add_func ("/offload/storage", test_storage);
  return g_test_run ();
}
