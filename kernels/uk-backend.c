/* SPDX-License-Identifier: Apache-2.0 */
/* uk-backend.c - the backends by name: the one list of them. */
#include "kernels/uk.h"

#include <string.h>

const UkBackendTable *
uk_backend_find (const char *name)
{
  const UkBackendTable *const all[] = { uk_backend_reference (), uk_backend_cpu () };

  if (name == NULL)
    return NULL;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (all[i] != NULL && strcmp (all[i]->name, name) == 0)
      return all[i];
  return NULL;
}
