// SPDX-License-Identifier: Apache-2.0
#include "plat/fiber.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

namespace {

using myr::plat::Fiber;

constexpr std::size_t kStackBytes = 256 * 1024;

// Two fibers that take turns with the test.
struct Turns {
  std::unique_ptr<Fiber> home = Fiber::of_this_thread();
  std::unique_ptr<Fiber> fiber;
  std::vector<int> seen;
};

void count(void* argument) {
  auto& turns = *static_cast<Turns*>(argument);
  for (int i = 0;; ++i) {
    turns.seen.push_back(i);
    Fiber::switch_to(*turns.fiber, *turns.home);
  }
}

void throw_and_catch(void* argument) {
  auto& turns = *static_cast<Turns*>(argument);
  for (;;) {
    try {
      throw std::runtime_error("inside");
    } catch (const std::runtime_error&) {
      turns.seen.push_back(1);
    }
    Fiber::switch_to(*turns.fiber, *turns.home);
  }
}

void use_much_stack(void* argument) {
  auto& turns = *static_cast<Turns*>(argument);
  volatile char bytes[kStackBytes / 2];
  bytes[0] = 7;
  bytes[sizeof bytes - 1] = 8;
  for (;;) {
    turns.seen.push_back(bytes[0] + bytes[sizeof bytes - 1]);
    Fiber::switch_to(*turns.fiber, *turns.home);
  }
}

std::vector<int> take_turns(Fiber::Body body, int times) {
  Turns turns;
  auto fiber = Fiber::create(kStackBytes, body, &turns);
  REQUIRE(fiber);
  turns.fiber = std::move(*fiber);
  for (int i = 0; i < times; ++i) Fiber::switch_to(*turns.home, *turns.fiber);
  return turns.seen;
}

}  // namespace

TEST_CASE("a fiber goes on where it was left") {
  CHECK(take_turns(count, 4) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("exceptions work inside a fiber") {
  CHECK(take_turns(throw_and_catch, 2) == std::vector<int>{1, 1});
}

TEST_CASE("a fiber has all the stack that was asked for") {
  CHECK(take_turns(use_much_stack, 2) == std::vector<int>{15, 15});
}

TEST_CASE("the system's refusal is an error") {
  CHECK_FALSE(Fiber::create(std::size_t{1} << 60, count, nullptr));
}
