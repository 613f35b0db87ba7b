/* SPDX-License-Identifier: Apache-2.0 */
/* uk-backend.c - finds a backend by name. */
#include "kernels/uk.h"

#include <string.h>

/* Compares names before calling get(), since `cuda` loads its libraries. */
const UkBackendTable *
uk_backend_find (const char *name)
{
  static const struct
  {
    const char *name;
    const UkBackendTable *(*get) (void);
  } all[] = {
    { "reference", uk_backend_reference },
    { "cpu", uk_backend_cpu },
    { "cuda", uk_backend_cuda },
  };

  for (size_t i = 0; name != NULL && i < sizeof all / sizeof all[0]; i++)
    if (strcmp (all[i].name, name) == 0)
      return all[i].get ();
  return NULL;
}
