/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module-file.h - is a file a module that can be loaded?
 */
#pragma once

typedef enum
{
  UK_MODULE_FILE_OK,
  UK_MODULE_FILE_FOREIGN, /* no shared object of this machine, or not to be read */
  UK_MODULE_FILE_CUT      /* it ends before what its headers name */
} UkModuleFile;

/* dlopen() believes the headers, and maps what they name: of a file that was cut off (a copy that
 * was interrupted, a full disk) the first touch of what is not there ends the process by SIGBUS. */
UkModuleFile uk_module_file_check (const char *path);
