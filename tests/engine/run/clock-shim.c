/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock-shim.c - LD_PRELOAD: a wall clock that jumps by years, forward and back,
 * every 50 milliseconds.
 *
 * CLOCK_MONOTONIC is unchanged.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long
get_jump_s (void)
{
  static const long jumps_s[] = { 0, 631152000, -946684800, 3600, -1262304000, -5, 4102444800 };
  struct timespec now;

  syscall (SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return jumps_s[(now.tv_sec * 20 + now.tv_nsec / 50000000) % 7];
}

int
clock_gettime (clockid_t clock, struct timespec *time)
{
  int result = (int) syscall (SYS_clock_gettime, clock, time);

  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += get_jump_s ();
  return result;
}

int
gettimeofday (struct timeval *restrict time, void *restrict zone)
{
  struct timespec now;
  int result = clock_gettime (CLOCK_REALTIME, &now);

  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}

time_t
time (time_t *out)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  if (out != NULL)
    *out = now.tv_sec;
  return now.tv_sec;
}
