/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module-file.h - checks whether a file is a loadable module.
 */
#pragma once

typedef enum
{
  UK_MODULE_FILE_OK,
  UK_MODULE_FILE_FOREIGN, /* not a shared object for this machine, or unreadable */
  UK_MODULE_FILE_CUT      /* truncated: shorter than its headers say */
} UkModuleFile;

/* dlopen() trusts the headers and maps what they describe: in a truncated file (an interrupted copy, a full
 * disk) the first access beyond the end would kill the process with SIGBUS. */
UkModuleFile uk_module_file_check (const char *path);
