/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sandbox.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/network.h"
#include "base/sandbox-private.h"

UrbSandboxLayers
urb_sandbox_probe (void)
{
  return (urb_landlock_get_version () > 0 ? URB_SANDBOX_FILES : 0)
         | (urb_seccomp_is_available () ? URB_SANDBOX_CALLS : 0)
         | (urb_network_can_leave () ? URB_SANDBOX_NETWORK : 0);
}

char *
urb_sandbox_describe (UrbSandboxLayers layers)
{
  const char *names[4] = { NULL };
  guint n = 0;

  if (layers & URB_SANDBOX_FILES)
    names[n++] = "Landlock";
  if (layers & URB_SANDBOX_CALLS)
    names[n++] = "seccomp";
  if (layers & URB_SANDBOX_NETWORK)
    names[n++] = "network namespace";
  return n > 0 ? g_strjoinv (", ", (char **) names) : g_strdup ("none");
}

UrbSandboxLayers
urb_sandbox_enter (const char *const *readable, const char *writable, const guint16 *ports)
{
  UrbSandboxLayers layers = 0;

  if (ports == NULL && urb_network_leave ())
    layers |= URB_SANDBOX_NETWORK;
  /* Without it, the kernel refuses the other two; with it, no program can regain privileges. */
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return layers;
  if (urb_landlock_enter (readable, writable, ports))
    layers |= URB_SANDBOX_FILES;
  if (urb_seccomp_enter ((layers & URB_SANDBOX_FILES) != 0, ports != NULL))
    layers |= URB_SANDBOX_CALLS;
  return layers;
}
