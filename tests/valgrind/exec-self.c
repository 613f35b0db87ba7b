/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec-self.c - lets a program under valgrind execute itself.
 *
 * Under valgrind, executing /proc/self/exe starts valgrind, but reading the link gives the program.
 * Preloaded by main-job.
 */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static const char *
resolve (const char *path, char *room, size_t size)
{
  ssize_t n;
  if (strcmp (path, "/proc/self/exe") != 0 || (n = readlink (path, room, size - 1)) < 0)
    return path;
  room[n] = '\0';
  return room;
}

int
execve (const char *path, char *const argv[], char *const envp[])
{
  char room[4096];
  int (*real) (const char *, char *const *, char *const *)
    = (int (*) (const char *, char *const *, char *const *)) dlsym (RTLD_NEXT, "execve");
  return real (resolve (path, room, sizeof room), argv, envp);
}

int
execv (const char *path, char *const argv[])
{
  return execve (path, argv, environ);
}
