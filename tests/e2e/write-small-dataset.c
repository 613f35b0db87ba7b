/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write-small-dataset.c - small-dataset.h for test scripts:
 * write-small-dataset FOLDER.
 */
#include <stdio.h>

#include "small-dataset.h"

int
main (int argc, char **argv)
{
  if (argc != 2)
    {
      fprintf (stderr, "Usage: write-small-dataset FOLDER\n");
      return 2;
    }
  small_dataset_write (argv[1]);
  return 0;
}
