/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - entry point of the window program, `urbarium`. */
#include "app/shell/application.h"

int
main (int argc, char **argv)
{
  g_autoptr(UrbariumApplication) application = NULL;
  urbarium_application_prepare (argv[0]);
  application = urbarium_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
