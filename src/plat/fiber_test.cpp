// SPDX-License-Identifier: Apache-2.0
#include "plat/fiber.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <exception>
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

[[noreturn]] void rest(Turns& turns) {
  for (;;) Fiber::switch_to(*turns.fiber, *turns.home);
}

// Each time inside the handler of an exception of its own.
void leave_inside_catch(void* argument) {
  auto& turns = *static_cast<Turns*>(argument);
  for (int i = 10; i < 12; ++i) {
    try {
      throw i;
    } catch (int) {
      Fiber::switch_to(*turns.fiber, *turns.home);
      try {
        throw;
      } catch (int caught) {
        turns.seen.push_back(caught);
      }
    }
  }
  rest(turns);
}

// While an exception is on its way.
void leave_while_unwinding(void* argument) {
  auto& turns = *static_cast<Turns*>(argument);
  struct Leave {
    Turns& turns;
    ~Leave() {
      turns.seen.push_back(std::uncaught_exceptions());
      Fiber::switch_to(*turns.fiber, *turns.home);
      turns.seen.push_back(std::uncaught_exceptions());
    }
  };
  for (int i = 0; i < 2; ++i) {
    try {
      const Leave leave{turns};
      throw 1;
    } catch (int) {
    }
  }
  rest(turns);
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

TEST_CASE("what a fiber has caught is not mixed with what others have caught") {
  Turns turns;
  auto fiber = Fiber::create(kStackBytes, leave_inside_catch, &turns);
  REQUIRE(fiber);
  turns.fiber = std::move(*fiber);
  for (int i = 0; i < 3; ++i) {
    try {
      throw 100 + i;
    } catch (int) {
      Fiber::switch_to(*turns.home, *turns.fiber);
      try {
        throw;
      } catch (int caught) {
        CHECK(caught == 100 + i);
      }
    }
  }
  CHECK(turns.seen == std::vector<int>{10, 11});
}

TEST_CASE("exceptions on their way are counted for each fiber") {
  CHECK(take_turns(leave_while_unwinding, 3) == std::vector<int>{1, 1, 1, 1});
  CHECK(std::uncaught_exceptions() == 0);
}

TEST_CASE("each fiber rounds as it has been told") {
  Turns turns;
  auto fiber = Fiber::create(
      kStackBytes,
      [](void* argument) {
        auto& own = *static_cast<Turns*>(argument);
        std::fesetround(FE_UPWARD);
        for (;;) {
          own.seen.push_back(std::fegetround() == FE_UPWARD ? 1 : 0);
          Fiber::switch_to(*own.fiber, *own.home);
        }
      },
      &turns);
  REQUIRE(fiber);
  turns.fiber = std::move(*fiber);
  for (int i = 0; i < 2; ++i) {
    Fiber::switch_to(*turns.home, *turns.fiber);
    CHECK(std::fegetround() == FE_TONEAREST);
  }
  CHECK(turns.seen == std::vector<int>{1, 1});
}

TEST_CASE("a fiber has all the stack that was asked for") {
  CHECK(take_turns(use_much_stack, 2) == std::vector<int>{15, 15});
}

TEST_CASE("the system's refusal is an error") {
  CHECK_FALSE(Fiber::create(std::size_t{1} << 60, count, nullptr));
}
