/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs say about their results, on the cluster and on the host in the same words. */
#ifndef REPORT_H
#define REPORT_H

#ifdef __riscv
#include "../runtime/platform.h"

static inline void report(const char* what, unsigned number) {
  print_text(what);
  print_text(" ");
  print_number(number);
  print_text("\n");
}
#else
#include <stdio.h>

static inline void report(const char* what, unsigned number) { printf("%s %u\n", what, number); }
#endif

#endif
