// SPDX-License-Identifier: Apache-2.0
#pragma once
static inline void append_two_digits(int* x, int first, int second) {
  append_digit(x, first);
  append_digit(x, second);
}
