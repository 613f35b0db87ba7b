/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backend.c - a GPU on paper: a program is planned for it as for the cuda backend, without a GPU.
 *
 * It has memory for nothing and runs nothing.  Sizes of values and of packed weights are those of
 * kernels/cuda, scratch is not: it depends on cuDNN's plans.
 */
#include "kernels/uk.h"

#include <stdlib.h>

static UkStatus
paper_open (const UkBackendConfig *config, UkBackend **out)
{
  UkBackend *self = malloc (sizeof *self);

  *out = self;
  if (self == NULL)
    return UK_NO_MEMORY;
  self->table = uk_backend_paper ();
  self->value_type = uk_data_type_of (config->precision);
  return UK_OK;
}

static void
paper_close (UkBackend *self)
{
  free (self);
}

/* As kernels/cuda/conv.c. */
static size_t
count_packed_bytes (const UkBackend *self, const UkOpDesc *desc)
{
  if (desc->kind != UK_OP_CONV && desc->kind != UK_OP_CONV_DGRAD)
    return 0;
  return (size_t) uk_op_arg_count (desc, 1) * uk_data_size (self->value_type);
}

static UkStatus
paper_prepare (UkBackend *self, const UkOpDesc *desc, UkOp **out)
{
  UkStatus status = uk_op_check (desc);
  UkOp *op;

  *out = NULL;
  if (status != UK_OK)
    return status;
  op = calloc (1, sizeof *op);
  if (op == NULL)
    return UK_NO_MEMORY;
  op->backend = self;
  op->desc = *desc;
  op->packed_bytes = count_packed_bytes (self, desc);
  op->pack_key = 1;
  op->packs_type_only = true;
  *out = op;
  return UK_OK;
}

static void
paper_release (UkOp *op)
{
  free (op);
}

static void *
paper_alloc (UkBackend *self, size_t n_bytes)
{
  return NULL;
}

static void
paper_free (UkBackend *self, void *memory, size_t n_bytes)
{
}

static UkStatus
paper_run (UkOp *op, void *const *args, void *scratch)
{
  return UK_UNSUPPORTED;
}

/* An H100's: with less, a program may be planned to save memory. */
static UkStatus
paper_memory (UkBackend *self, int64_t *n_free, int64_t *n_total)
{
  *n_free = *n_total = (int64_t) 80 << 30;
  return UK_OK;
}

static const UkBackendTable table = {
  .name = "paper",
  .element_size = sizeof (float),
  .open = paper_open,
  .close = paper_close,
  .alloc = paper_alloc,
  .free = paper_free,
  .prepare = paper_prepare,
  .release = paper_release,
  .run = paper_run,
  .memory = paper_memory,
};

const UkBackendTable *
uk_backend_paper (void)
{
  return &table;
}
