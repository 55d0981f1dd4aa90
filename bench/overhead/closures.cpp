// SPDX-License-Identifier: Apache-2.0
//
// Overhead of Myrmidon tasks spawned by the C++ interface: a lambda and typed arguments.
#include <myr/myr.hpp>
#include <utility>

#include "myrmidon.hpp"
#include "with_dependences.hpp"

namespace {

using myr::bench::Object;
using myr::bench::Pattern;

template <std::size_t... I>
void spawn_with(Object* const* objects, std::index_sequence<I...>) {
  myr::spawn([](Object* own, auto*...) { ++own->value; }, myr::inout(objects[I])...);
}

template <unsigned Deps>
void spawn_tasks(const Pattern& pattern, std::size_t first, std::size_t last) {
  for (std::size_t task = first; task < last; ++task) {
    if constexpr (Deps == 0) {
      myr::spawn([](Object* own) { ++own->value; }, pattern.of(task)[0]);
    } else {
      spawn_with(pattern.of(task), std::make_index_sequence<Deps>{});
    }
  }
}

std::uint64_t fib_of(unsigned n) {
  if (n < 2) return n;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  myr::spawn([&left, n] { left = fib_of(n - 1); });
  myr::spawn([&right, n] { right = fib_of(n - 2); });
  myr::wait_all();
  return left + right;
}

class Closures final : public myr::bench::Myrmidon {
 public:
  using Myrmidon::Myrmidon;

  void spawn(const Pattern& pattern, std::size_t first, std::size_t last) override {
    myr::bench::with_dependences(pattern.deps,
                                 [&]<unsigned Deps> { spawn_tasks<Deps>(pattern, first, last); });
  }

  std::uint64_t fib(unsigned n) override { return fib_of(n); }
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  Closures runtime(options.threads);
  return myr::bench::run_program(options, {.name = "myrmidon-c++"}, runtime);
}
