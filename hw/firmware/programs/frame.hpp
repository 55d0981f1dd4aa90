// SPDX-License-Identifier: Apache-2.0
//
// The frame of the kernels on the simulated system, and on the host, which says what must come out:
// fills the input, runs the program, and prints what it took and a digest of the result. The
// input's numbers are macros, so that each input is a program of its own.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __riscv
#include "firmware.h"
#include "platform.h"
#else
#include "host.hpp"
#endif

namespace frame {

// Equal blocks of numbers, each in cache lines of its own.
template <class T>
struct Blocks {
  T** first;
  size_t count;
  size_t elements;

  Blocks(size_t count_, size_t elements_) : count(count_), elements(elements_) {
    while (elements * sizeof(T) % 64 != 0) elements += 1;
    first = static_cast<T**>(allocate(count * sizeof(T*)));
    for (size_t i = 0; i < count; ++i) {
      first[i] = static_cast<T*>(allocate(elements * sizeof(T)));
    }
  }
  void fill(T value) const {
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < elements; ++k) first[i][k] = value;
    }
  }
};

// FNV-1a over words, and the sum of what they are as numbers.
class Digest {
 public:
  void add(double number) {
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    add_bits(bits);
    sum_ += number;
  }
  void add_bits(uint64_t bits) { hash_ = (hash_ ^ bits) * 0x100000001b3; }
  template <class T>
  void add(const Blocks<T>& blocks) {
    for (size_t i = 0; i < blocks.count; ++i) {
      for (size_t k = 0; k < blocks.elements; ++k) add(blocks.first[i][k]);
    }
  }
  void print() const {
    uint64_t sum_bits;
    __builtin_memcpy(&sum_bits, &sum_, sizeof sum_bits);
    print_text("digest ");
    print_hex(hash_);
    print_text("\nsum ");
    print_hex(sum_bits);
    print_text("\n");
  }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
  double sum_ = 0;
};

// Runs `program` and prints its cycles and the number of tasks.
template <class Program>
void measure(const Program& program) {
  const uint64_t start = cycle_count();
  program();
  const uint64_t cycles = cycle_count() - start;
  print_text("cycles ");
  print_number(cycles);
  print_text("\n");
}

}  // namespace frame
