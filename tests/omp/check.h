/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of a program of OpenMP, by any of its threads: those that fail are printed and counted. */
#pragma once

#include <stdio.h>

static int failures;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      _Pragma("omp atomic") failures += 1;                            \
    }                                                                 \
  } while (0)
