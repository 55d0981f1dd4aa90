/* SPDX-License-Identifier: Apache-2.0
 *
 * Where declared computing time goes; see work.h.
 */
#include "chip/work.h"

kernel_work_sink kernel_work_sink_now = NULL;
kernel_touch_sink kernel_touch_sink_now = NULL;

void kernel_touch_to(kernel_touch_sink sink) { kernel_touch_sink_now = sink; }

kernel_work_sink kernel_work_to(kernel_work_sink sink) {
  const kernel_work_sink before = kernel_work_sink_now;
  kernel_work_sink_now = sink;
  return before;
}
