// SPDX-License-Identifier: Apache-2.0
//
// A child's footprint must lie inside its parent's; so must what a task waits for.
#include <cstddef>
#include <functional>
#include <myr/myr.hpp>

#include "cases.hpp"

namespace myr::misuse_test {

namespace {

void use(const int*) {}
void use_region(Region) {}

void footprint_object() {
  int* const mine = Region::root().make<int>(1);
  int* const other = Region::root().make<int>(2);
  const auto task = [](int*, int* stranger) {
    spawn(use, inout(stranger));  // misuse: footprint_object: outside the footprint
  };
  spawn(task, inout(mine), other);
  wait_all();
}

// A null pointer declares nothing.
void footprint_null() {
  int* const other = Region::root().make<int>(2);
  int* const nothing = nullptr;
  const auto task = [](int*, int* stranger) {
    spawn(use, inout(stranger));  // misuse: footprint_null: outside the footprint
  };
  spawn(task, inout(maybe(nothing)), other);
  wait_all();
}

void footprint_mode() {
  int* const object = Region::root().make<int>(1);
  const auto task = [](const int* held) {
    spawn(use, inout(held));  // misuse: footprint_mode: outside the footprint.*mode
  };
  spawn(task, in(object));
  wait_all();
}

void footprint_enclosing_region() {
  const Region outer = Region::create();
  const Region inner = Region::create(outer);
  const auto task = [](Region above) {
    spawn(use_region, in(above));  // misuse: footprint_enclosing_region: outside the footprint
  };
  spawn(uses(inout(inner)), task, outer);
  wait_all();
}

void footprint_sibling_region() {
  const Region mine = Region::create();
  const Region other = Region::create();
  int* const object = other.make<int>(1);
  const auto task = [](int* stranger) {
    spawn(use, in(stranger));  // misuse: footprint_sibling_region: outside the footprint
  };
  spawn(uses(inout(mine)), task, object);
  wait_all();
}

void concurrent_region() {
  const Region region = Region::create();
  const myr_access both = myr_region_access(region.id(), MYR_INOUT | MYR_CONCURRENT);
  myr_wait(both);  // misuse: concurrent_region: region cannot be concurrent
}

void commutative_reader() {
  int* const object = Region::root().make<int>(1);
  const myr_access access = myr_make_access(object, 0, MYR_IN | MYR_COMMUTATIVE);
  myr_wait(access);  // misuse: commutative_reader: memory that the tasks read and write
}

void footprint_root_region() {
  const Region region = Region::create();
  const auto task = [] {
    spawn(use_region, in(Region::root()));  // misuse: footprint_root_region: outside the footprint
  };
  spawn(uses(inout(region)), task);
  wait_all();
}

void footprint_nothing_declared() {
  int* const object = Region::root().make<int>(1);
  const auto task = [](int* stranger) {
    spawn(use, in(stranger));  // misuse: footprint_nothing_declared: outside the footprint
  };
  spawn(task, object);
  wait_all();
}

void footprint_part_of_object() {
  int* const object = Region::root().make_array<int>(100);
  const auto task = [](int* half) {
    spawn(use, in(half, 100));  // misuse: footprint_part_of_object: outside the footprint
  };
  spawn(task, inout(object, 50));
  wait_all();
}

void footprint_other_memory() {
  static int numbers[100];
  const auto task = [](int* half) {
    spawn(use, in(half + 25, 50));  // misuse: footprint_other_memory: outside the footprint
  };
  spawn(task, inout(numbers, 50));
  wait_all();
}

void footprint_other_memory_mode() {
  static int numbers[100];
  const auto task = [](const int* all) {
    spawn(use, out(all, 10));  // misuse: footprint_other_memory_mode: outside the footprint
  };
  spawn(task, in(numbers, 100));
  wait_all();
}

void footprint_reduced() {
  static int sum = 0;
  const auto task = [](int&) {
    spawn([](int& x) { x += 1; }, inout(sum));  // misuse: footprint_reduced: smp: .*reduces into it
  };
  spawn(task, reduce(sum, std::plus<>()));
  wait_all();
}

void wait_not_held() {
  int* const mine = Region::root().make<int>(1);
  int* const other = Region::root().make<int>(2);
  const auto task = [](int*, int* stranger) {
    wait(in(stranger));  // misuse: wait_not_held: wait.*outside the footprint
  };
  spawn(task, inout(mine), other);
  wait_all();
}

void wait_not_held_region() {
  const Region mine = Region::create();
  const Region other = Region::create();
  const auto task = [](Region stranger) {
    wait(in(stranger));  // misuse: wait_not_held_region: wait.*outside the footprint
  };
  spawn(uses(inout(mine)), task, other);
  wait_all();
}

void wait_mode() {
  int* const object = Region::root().make<int>(1);
  const auto task = [](const int* held) {
    wait(inout(held));  // misuse: wait_mode: wait.*outside the footprint
  };
  spawn(task, in(object));
  wait_all();
}

constexpr Case kCases[] = {
    {"footprint_object", footprint_object},
    {"footprint_null", footprint_null},
    {"footprint_mode", footprint_mode},
    {"footprint_enclosing_region", footprint_enclosing_region},
    {"footprint_sibling_region", footprint_sibling_region},
    {"concurrent_region", concurrent_region},
    {"commutative_reader", commutative_reader},
    {"footprint_root_region", footprint_root_region},
    {"footprint_nothing_declared", footprint_nothing_declared},
    {"footprint_part_of_object", footprint_part_of_object},
    {"footprint_other_memory", footprint_other_memory},
    {"footprint_other_memory_mode", footprint_other_memory_mode},
    {"footprint_reduced", footprint_reduced},
    {"wait_not_held", wait_not_held},
    {"wait_not_held_region", wait_not_held_region},
    {"wait_mode", wait_mode},
};

}  // namespace

const std::span<const Case> kFootprintCases = kCases;

}  // namespace myr::misuse_test
