/* SPDX-License-Identifier: Apache-2.0
 *
 * What a task does.
 */
#include "picos/tasks/words.h"

void advance(struct word* word, size_t rounds) {
  uint64_t value = word->value;
  for (size_t i = 0; i < rounds; ++i) value = value * kWordFactor + kWordStep;
  word->value = value;
}
