/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks on parts of one array that overlap. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a task reads and what it changes; they may overlap what others have in any way. */
struct window {
  uint64_t* in;
  size_t in_count;
  uint64_t* out;
  size_t out_count;
};

void windows_run(const struct window* all, size_t count);

#ifdef __cplusplus
}
#endif
#endif
