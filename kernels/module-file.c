/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module-file.c - see module-file.h.
 *
 * An ELF file's section headers are at its end, so they alone reveal most truncations; the mapped segments
 * are checked too, since a stripped file may have no sections.
 */
#include "kernels/module-file.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OWN_CLASS = sizeof (void *) == 8 ? ELFCLASS64 : ELFCLASS32 };

static bool
read_at (int fd, uint64_t offset, void *out, size_t n_bytes)
{
  return offset <= INT64_MAX && pread (fd, out, n_bytes, (off_t) offset) == (ssize_t) n_bytes;
}

static bool
is_inside (uint64_t offset, uint64_t n_bytes, uint64_t size)
{
  return offset <= size && n_bytes <= size - offset;
}

static UkModuleFile
check (int fd, uint64_t size)
{
  ElfW(Ehdr) header;
  ElfW(Phdr) segment;

  if (!read_at (fd, 0, &header, sizeof header)
      || memcmp (header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != OWN_CLASS
      || header.e_type != ET_DYN || header.e_phentsize != sizeof segment)
    return UK_MODULE_FILE_FOREIGN;
  if (!is_inside (header.e_shoff, (uint64_t) header.e_shnum * header.e_shentsize, size))
    return UK_MODULE_FILE_CUT;
  for (unsigned i = 0; i < header.e_phnum; i++)
    if (!read_at (fd, header.e_phoff + (uint64_t) i * sizeof segment, &segment, sizeof segment)
        || (segment.p_type == PT_LOAD && !is_inside (segment.p_offset, segment.p_filesz, size)))
      return UK_MODULE_FILE_CUT;
  return UK_MODULE_FILE_OK;
}

UkModuleFile
uk_module_file_check (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a pipe */
  UkModuleFile result = UK_MODULE_FILE_FOREIGN;
  struct stat info;

  if (fd < 0)
    return result;
  if (fstat (fd, &info) == 0 && S_ISREG (info.st_mode))
    result = check (fd, (uint64_t) info.st_size);
  close (fd);
  return result;
}
