// SPDX-License-Identifier: Apache-2.0
//
// One mistake per function: `myr_misuse NAME` makes it. The line of the mistake ends in a comment
//   misuse: NAME: WORDS
// from which run_case.py knows where the message must point and which words it must have, and CMake
// which tests there are. Reaching the end of main() means that the mistake went unnoticed.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <myr/myr.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using myr::in;
using myr::inout;
using myr::out;
using myr::Region;

void nothing(const myr_access*) {}
void nothing_with(int*) {}
void nothing_in(Region) {}

// ---- A child's footprint must lie inside its parent's.

void footprint_object() {
  int* const mine = Region().make<int>(1);
  int* const other = Region().make<int>(2);
  const auto task = [](int*, int* stranger) {
    myr::spawn(nothing_with, inout(stranger));  // misuse: footprint_object: footprint
  };
  myr::spawn(task, inout(mine), other);
  myr::wait_all();
}

void footprint_mode() {
  int* const object = Region().make<int>(1);
  const auto task = [](int* held) {
    myr::spawn(nothing_with, inout(held));  // misuse: footprint_mode: footprint
  };
  myr::spawn(task, in(object));
  myr::wait_all();
}

void footprint_region() {
  const Region outer = Region::create();
  const Region inner = Region::create(outer);
  const auto task = [](Region, Region above) {
    myr::spawn(nothing_in, in(above));  // misuse: footprint_region: footprint
  };
  myr::spawn(task, inout(inner), Region(outer).id() == 0 ? Region() : myr::Region(outer.id()));
  myr::wait_all();
}
