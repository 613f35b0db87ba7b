/* SPDX-License-Identifier: Apache-2.0 */
/* uk-backend.c - the backends by name: the one list of them. */
#include "kernels/uk.h"

#include <string.h>

/* Names first: to ask for `cuda` loads its libraries, which nobody else should wait for. */
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
