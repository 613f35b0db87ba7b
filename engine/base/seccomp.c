/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.c - refuses system calls that a reader of files does not need.
 *
 * A list of what is refused, not of what is allowed: GDAL loads a hundred libraries, and a new version
 * of one of them must not end the reader.  A refused call fails with EACCES, as if the user lacked the
 * right to it, and GDAL reports that as usual.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox-private.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#else
#define ARCHITECTURE 0 /* this layer is missing */
#endif

#ifndef __NR_openat2
#define __NR_openat2 437
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif

/* Numbers from 424 on are the same everywhere, and may be missing from headers. */
static const int refused[] = {
  /* servers of any kind, also for other processes */
  __NR_bind, __NR_listen, __NR_accept, __NR_accept4,
  425, 426, 427, /* io_uring, which can open sockets */
  /* programs and processes */
  __NR_execve, __NR_execveat,
#ifdef __NR_fork
  __NR_fork, __NR_vfork,
#endif
  __NR_ptrace, __NR_process_vm_readv, __NR_process_vm_writev, __NR_kcmp, __NR_kill, __NR_tkill,
  __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo, 424 /* pidfd_send_signal */, 434 /* pidfd_open */,
  438 /* pidfd_getfd */, __NR_setpriority,
  /* the system */
  __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_unshare, __NR_setns, 428, 429, 430, 431,
  432, 433, 442 /* new calls for mounts */, __NR_bpf, __NR_perf_event_open, __NR_keyctl, __NR_add_key,
  __NR_request_key, __NR_userfaultfd, __NR_open_by_handle_at, __NR_name_to_handle_at, __NR_init_module,
  __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_reboot, __NR_swapon, __NR_swapoff,
  __NR_acct, __NR_quotactl, __NR_personality, __NR_syslog, __NR_settimeofday, __NR_clock_settime,
  __NR_adjtimex, __NR_shmget, __NR_semget, __NR_msgget, __NR_mq_open, __NR_fanotify_init,
  /* what Landlock does not cover */
  __NR_fchmod, __NR_fchmodat, 452 /* fchmodat2 */, __NR_fchown, __NR_fchownat, __NR_utimensat,
  __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr, __NR_removexattr, __NR_lremovexattr,
  __NR_fremovexattr,
#ifdef __NR_chmod
  __NR_chmod, __NR_chown, __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
};

/* Refused as well to whom needs no network. */
static const int connecting[] = {
  __NR_socket, __NR_socketpair, __NR_connect, __NR_sendto, __NR_sendmsg, __NR_sendmmsg, __NR_recvfrom, __NR_recvmsg,
  __NR_recvmmsg,
};

/* Refused as well where Landlock does not restrict writing. */
static const int writing[] = {
  __NR_unlinkat, __NR_mkdirat, __NR_linkat, __NR_symlinkat, __NR_mknodat, __NR_truncate,
#ifdef __NR_renameat
  __NR_renameat,
#endif
  __NR_renameat2,
#ifdef __NR_unlink
  __NR_unlink, __NR_rename, __NR_mkdir, __NR_rmdir, __NR_link, __NR_symlink, __NR_mknod, __NR_creat,
#endif
};

/* -------- The filter, a program for the kernel's packet filter -------- */

enum { MAX_STEPS = 2 * (G_N_ELEMENTS (refused) + G_N_ELEMENTS (connecting) + G_N_ELEMENTS (writing)) + 64 };

typedef struct
{
  struct sock_filter steps[MAX_STEPS];
  unsigned short n;
} Filter;

#define NUMBER offsetof (struct seccomp_data, nr)
#define ARGUMENT(i) (offsetof (struct seccomp_data, args) + 8 * (i)) /* its lower half */

#define REFUSE SECCOMP_RET_ERRNO | EACCES
#define UNKNOWN SECCOMP_RET_ERRNO | ENOSYS

static void
step (Filter *self, unsigned short code, unsigned int k, unsigned char if_true, unsigned char if_false)
{
  g_assert (self->n < MAX_STEPS);
  self->steps[self->n++] = (struct sock_filter) BPF_JUMP (code, k, if_true, if_false);
}

static void
load (Filter *self, gsize offset)
{
  step (self, BPF_LD | BPF_W | BPF_ABS, (unsigned int) offset, 0, 0);
}

static void
end (Filter *self, unsigned int action)
{
  step (self, BPF_RET | BPF_K, action, 0, 0);
}

/* Ends with @action if the call has this number. */
static void
if_call (Filter *self, int number, unsigned int action)
{
  step (self, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int) number, 0, 1);
  end (self, action);
}

/* Refuses the call unless its argument equals @value. */
static void
if_call_needs (Filter *self, int number, int argument, unsigned int value)
{
  step (self, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int) number, 0, 4);
  load (self, ARGUMENT (argument));
  step (self, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  end (self, SECCOMP_RET_ALLOW);
  end (self, REFUSE);
}

/* Refuses the call if its argument has one of the bits; or, with @needed, if it has none. */
static void
if_call_bits (Filter *self, int number, int argument, unsigned int bits, gboolean needed)
{
  step (self, BPF_JMP | BPF_JEQ | BPF_K, (unsigned int) number, 0, 4);
  load (self, ARGUMENT (argument));
  step (self, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  end (self, needed ? SECCOMP_RET_ALLOW : REFUSE);
  end (self, needed ? REFUSE : SECCOMP_RET_ALLOW);
}

/* Sockets to servers elsewhere, not to the programs of this user: the desktop's obey who connects to their files.
 * Pairs are for threads, and only streams, since a datagram socket of a pair can send to such a file, too. */
static void
allow_servers (Filter *self)
{
  step (self, BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 5);
  load (self, ARGUMENT (0));
  step (self, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 1, 0);
  step (self, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1);
  end (self, SECCOMP_RET_ALLOW);
  end (self, REFUSE);
  step (self, BPF_JMP | BPF_JEQ | BPF_K, __NR_socketpair, 0, 5);
  load (self, ARGUMENT (1));
  step (self, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0); /* without SOCK_CLOEXEC and SOCK_NONBLOCK */
  step (self, BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 0, 1);
  end (self, SECCOMP_RET_ALLOW);
  end (self, REFUSE);
}

gboolean
urb_seccomp_is_available (void)
{
  /* Asked for a filter at address 0, a kernel with filters reports a bad address. */
  return ARCHITECTURE != 0 && prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0
         && errno == EFAULT;
}

gboolean
urb_seccomp_enter (gboolean may_write, gboolean may_connect)
{
  const unsigned int write_bits = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  g_autofree Filter *self = g_new0 (Filter, 1);
  struct sock_fprog program = { .filter = self->steps };

  if (ARCHITECTURE == 0)
    return FALSE;
  load (self, offsetof (struct seccomp_data, arch));
  step (self, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  end (self, SECCOMP_RET_KILL_PROCESS);
  load (self, NUMBER);
#ifdef __x86_64__
  /* The same calls by other numbers (x32). */
  step (self, BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
  end (self, UNKNOWN);
#endif
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    if_call (self, refused[i], REFUSE);
  for (gsize i = 0; !may_connect && i < G_N_ELEMENTS (connecting); i++)
    if_call (self, connecting[i], REFUSE);
  if (may_connect)
    allow_servers (self);
  if_call (self, __NR_clone3, UNKNOWN); /* the C library then calls clone, whose flags can be seen */
  if (!may_write)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (writing); i++)
        if_call (self, writing[i], REFUSE);
      if_call (self, __NR_openat2, UNKNOWN);
      if_call_bits (self, __NR_openat, 2, write_bits, FALSE);
#ifdef __NR_open
      if_call_bits (self, __NR_open, 1, write_bits, FALSE);
#endif
    }
  if_call_bits (self, __NR_clone, 0, CLONE_THREAD, TRUE);
  if_call_needs (self, __NR_tgkill, 0, (unsigned int) getpid ());
  if_call_needs (self, __NR_prlimit64, 0, 0);
  end (self, SECCOMP_RET_ALLOW);
  program.len = self->n;
  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
