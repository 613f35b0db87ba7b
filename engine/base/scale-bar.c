/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scale-bar.h"

#include <math.h>

double
urb_scale_bar_choose_m (double longest_m)
{
  double power = pow (10, floor (log10 (longest_m))), first = longest_m / power; /* from 1 to 10 */

  return power * (first >= 5 ? 5 : first >= 2 ? 2 : 1);
}
