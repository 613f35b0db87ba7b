/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock.c - restricts a process to some files, by Linux's Landlock.
 *
 * Called directly, since the C library has no functions for it, and with definitions of our own, since
 * headers may be older than the kernel.  https://docs.kernel.org/userspace-api/landlock.html
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox-private.h"

/* The same numbers on every architecture. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };

#define VERSION_FLAG 1u
#define PATH_BENEATH 1
#define NET_PORT     2

#define WRITE_FILE  (1ull << 1)
#define READ_FILE   (1ull << 2)
#define READ_DIR    (1ull << 3)
#define REMOVE_FILE (1ull << 5)
#define MAKE_REG    (1ull << 8)
#define TRUNCATE    (1ull << 14)

/* All rights over files that a version knows; the first 13, then REFER, TRUNCATE, IOCTL_DEV. */
#define ALL_FILES(version)                                                                         \
  (((1ull << 13) - 1) | ((version) >= 2 ? 1ull << 13 : 0) | ((version) >= 3 ? TRUNCATE : 0)        \
   | ((version) >= 5 ? 1ull << 15 : 0))
#define CONNECT_TCP (1ull << 1)
#define ALL_TCP    3ull /* bind and connect, since version 4 */
#define ALL_SCOPES 3ull /* abstract sockets and signals, since version 6 */

typedef struct
{
  uint64_t files, network, scoped;
} Ruleset;

typedef struct
{
  uint64_t allowed;
  int32_t  parent;
} __attribute__ ((packed)) Rule;

typedef struct
{
  uint64_t allowed, port;
} PortRule;

int
urb_landlock_get_version (void)
{
  long version = syscall (CREATE_RULESET, NULL, 0, VERSION_FLAG);

  return version > 0 ? (int) version : 0;
}

/* Rights to list and create do not apply to a file. */
static void
allow (int ruleset, const char *path, uint64_t rights)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  struct stat info;
  Rule rule = { rights, fd };

  if (fd < 0)
    return;
  if (fstat (fd, &info) == 0 && !S_ISDIR (info.st_mode))
    rule.allowed &= READ_FILE | WRITE_FILE | TRUNCATE;
  syscall (ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
  close (fd);
}

/* How to find servers, and which ones to trust. */
static const char *const names_and_certificates[] = {
  "/etc/resolv.conf", "/etc/hosts",         "/etc/host.conf",       "/etc/gai.conf",          "/etc/nsswitch.conf",
  "/etc/services",    "/etc/ssl/certs",     "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs",     "/etc/pki/ca-trust",
  "/run/resolvconf",  "/run/systemd/resolve", NULL
};

static void
allow_servers (int ruleset, int version, const guint16 *ports)
{
  for (const char *const *path = names_and_certificates; *path != NULL; path++)
    allow (ruleset, *path, READ_FILE | READ_DIR);
  for (; version >= 4 && *ports != 0; ports++)
    syscall (ADD_RULE, ruleset, NET_PORT, &(PortRule){ CONNECT_TCP, *ports }, 0);
}

gboolean
urb_landlock_enter (const char *const *readable, const char *writable, const guint16 *ports)
{
  /* Libraries and their data, which anybody may read. */
  static const char *const system[] = {
    "/lib",       "/lib64",           "/usr/lib",           "/usr/lib64",   "/usr/local/lib",
    "/usr/share", "/usr/local/share", "/etc/ld.so.cache",   "/dev/null",    "/dev/urandom",
    "/dev/zero",  "/etc/localtime",   "/sys/devices/system/cpu", NULL
  };
  int version = urb_landlock_get_version (), ruleset;
  Ruleset handled = { ALL_FILES (version), version >= 4 ? ALL_TCP : 0, version >= 6 ? ALL_SCOPES : 0 };
  gsize n_bytes = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  gboolean holds;

  if (version == 0)
    return FALSE;
  ruleset = (int) syscall (CREATE_RULESET, &handled, n_bytes, 0);
  if (ruleset < 0)
    return FALSE;
  for (const char *const *path = system; *path != NULL; path++)
    allow (ruleset, *path, READ_FILE | READ_DIR);
  for (; *readable != NULL; readable++)
    allow (ruleset, *readable, READ_FILE | READ_DIR);
  if (writable != NULL)
    allow (ruleset, writable,
           READ_FILE | READ_DIR | WRITE_FILE | MAKE_REG | REMOVE_FILE | (version >= 3 ? TRUNCATE : 0));
  if (ports != NULL)
    allow_servers (ruleset, version, ports);
  holds = syscall (RESTRICT_SELF, ruleset, 0) == 0;
  close (ruleset);
  return holds;
}
