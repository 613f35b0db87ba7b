/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host-test.h - asks the hosts of a hosts file what they have, logging in as mpirun would.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "settings/hosts.h"

G_BEGIN_DECLS

typedef struct
{
  const UrbHost *host;    /* borrowed */
  gboolean       is_here; /* this machine, by its name or address: nobody logs in */
  UrbHostProblem problem;
  char          *details; /* (nullable) owned: what ssh or the program said, in one line that can be shown */
  JsonObject    *devices; /* (nullable) owned: as `devices --json` prints there; untrusted */
} UrbHostAnswer;

/**
 * urb_host_test:
 * @hosts: (element-type UrbHost): borrowed by the answers
 * @own: what `devices --json` prints on this machine
 * @dataset: (nullable): absolute path of the dataset that every host is asked for
 * @patience_s: seconds that each host has to answer
 *
 * Asks many of them at a time.  Blocks, and iterates the default main context.
 *
 * Returns: (transfer full) (element-type UrbHostAnswer): in the order of @hosts
 */
GPtrArray *urb_host_test (const GPtrArray *hosts, JsonObject *own, const char *dataset, int patience_s);

/* What became of the dataset there: "same", "other", "missing"; NULL: not asked, or not known. */
const char *urb_host_answer_get_dataset (const UrbHostAnswer *self, JsonObject *own);

G_END_DECLS
