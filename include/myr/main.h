/* SPDX-License-Identifier: Apache-2.0
 *
 * Helpers for the main() that `myrcc --main` writes for Myrmics programs, whose main function takes
 * integers: main() reads them from the command line. For translated programs only.
 */
#ifndef MYR_MAIN_H
#define MYR_MAIN_H

#include <stdio.h>

static inline int myr_main_usage(char** argv, const char* const* names) {
  fprintf(stderr, "usage: %s", argv[0]);
  for (; *names != NULL; ++names) fprintf(stderr, " %s", *names);
  fprintf(stderr, "    (all of them integers)\n");
  __builtin_exit(2);
  return 0;
}

/* Ends the program unless it was given `count` arguments. */
static inline void myr_main_check(int argc, char** argv, int count, const char* const* names) {
  if (argc != count + 1) myr_main_usage(argv, names);
}

/* Argument `index` as a number; ends the program if it is not one. */
static inline long long myr_main_argument(int argc, char** argv, int index,
                                          const char* const* names) {
  long long value = 0;
  char rest = 0;
  if (index >= argc || sscanf(argv[index], "%lld%c", &value, &rest) != 1) {
    return myr_main_usage(argv, names);
  }
  return value;
}

#endif
