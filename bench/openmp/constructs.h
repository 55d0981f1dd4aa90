// SPDX-License-Identifier: Apache-2.0
//
// The cases that constructs.c measures.
#pragma once

struct Case {
  const char* name;
  void (*run)(long count);  // so many repetitions
  double delays;            // of one repetition, in each thread
  double units;             // of what one repetition has
  int all_together;         // the delays are those of all threads, one after the other
};
extern const struct Case cases[];  // the last has no name

extern int threads;  // of a region
void delay(void);
double now_ns(void);
void sleep_ms(int ms);
void fail(const char* what);
