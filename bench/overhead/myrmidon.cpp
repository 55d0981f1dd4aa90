// SPDX-License-Identifier: Apache-2.0
//
// Overhead of Myrmidon tasks spawned by the C interface: a function and an array of accesses.
#include "myrmidon.hpp"

#include <algorithm>
#include <array>

namespace {

using myr::bench::Object;
using myr::bench::Pattern;

constexpr unsigned kDepsMax = 15;

void increment(const myr_access* arguments) { ++static_cast<Object*>(arguments[0].address)->value; }

void fib_task(const myr_access* arguments);

std::uint64_t fib_of(unsigned n) {
  if (n < 2) return n;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  const myr_access left_call[] = {myr_value(n - 1), myr_pointer(&left)};
  const myr_access right_call[] = {myr_value(n - 2), myr_pointer(&right)};
  myr_spawn_array(fib_task, left_call, 2);
  myr_spawn_array(fib_task, right_call, 2);
  myr_wait_all();
  return left + right;
}

void fib_task(const myr_access* arguments) {
  *static_cast<std::uint64_t*>(arguments[1].address) =
      fib_of(static_cast<unsigned>(arguments[0].integer));
}

class C final : public myr::bench::Myrmidon {
 public:
  using Myrmidon::Myrmidon;

  void spawn(const Pattern& pattern, std::size_t first, std::size_t last) override {
    std::array<myr_access, kDepsMax> accesses;
    for (std::size_t task = first; task < last; ++task) {
      Object* const* objects = pattern.of(task);
      accesses[0] = myr_pointer(objects[0]);
      std::transform(objects, objects + pattern.deps, accesses.begin(),
                     [](Object* object) { return myr_inout(object); });
      myr_spawn_array(increment, accesses.data(), pattern.objects_per_task());
    }
  }

  std::uint64_t fib(unsigned n) override { return fib_of(n); }
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  C runtime(options.threads);
  return myr::bench::run_program(options, {.name = "myrmidon"}, runtime);
}
