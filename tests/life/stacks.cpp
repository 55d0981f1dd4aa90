// SPDX-License-Identifier: Apache-2.0
//
// Tasks that need much of their stack, such as need more than there is, and other faults in tasks.
#include <alloca.h>

#include <cstddef>
#include <cstdlib>

#include "life.hpp"

namespace {

using life::expect;
using myr::inout;
using myr::spawn;

constexpr std::size_t kMib = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;

// Touches an array on the stack, from its low end: the end that is farthest from what is in use.
std::size_t fill(std::size_t bytes) {
  auto* const array = static_cast<volatile char*>(alloca(bytes));
  std::size_t touched = 0;
  for (std::size_t at = 0; at < bytes; at += kPage) {
    array[at] = 1;
    touched += array[at] * kPage;
  }
  return touched;
}

// Touches a page a call.
std::size_t descend(std::size_t calls) {
  volatile char page[kPage];
  page[0] = 1;
  return calls == 0 ? 0 : descend(calls - 1) + page[0];
}

// Tasks that wait for each other, so that each machine runs some in main's thread.
template <class Use>
int spawn_users(Use use) {
  std::size_t sum = 0;
  for (int i = 0; i < 8; ++i) spawn([use](std::size_t& total) { total += use(); }, inout(sum));
  myr::wait_all();
  return sum == 0 ? life::kWrong : 0;
}

int stack_of_12_mib() {
  return spawn_users([] { return fill(12 * kMib); });
}
int stack_of_40_mib() {
  return spawn_users([] { return fill(40 * kMib); });
}
int full_stack_from_its_low_end() { return stack_of_40_mib(); }
int full_stack_from_its_high_end() {
  return spawn_users([] { return descend(40 * kMib / kPage); });
}
int full_stack_of_main() {
  expect(life::count_with_tasks(100) == 100, "the machine is wrong");
  return descend(40 * kMib / kPage) == 0 ? life::kWrong : 0;
}

// Faults that are not of a full stack.
std::size_t read_nothing() {
  int* volatile nowhere = nullptr;
  return static_cast<std::size_t>(*nowhere);
}
std::size_t divide_by_zero() {
  volatile int seven = 7;
  volatile int zero = 0;
  return static_cast<std::size_t>(seven / zero);
}
int fault_in_task() { return spawn_users(read_nothing); }
int division_in_task() { return spawn_users(divide_by_zero); }
int abort_in_task() {
  return spawn_users([]() -> std::size_t { std::abort(); });
}
int fault_of_main() {
  expect(life::count_with_tasks(100) == 100, "the machine is wrong");
  return static_cast<int>(read_nothing());
}

constexpr life::Case kCases[] = {
    {"stack_of_12_mib", stack_of_12_mib},
    {"stack_of_40_mib", stack_of_40_mib},
    {"full_stack_from_its_low_end", full_stack_from_its_low_end},
    {"full_stack_from_its_high_end", full_stack_from_its_high_end},
    {"full_stack_of_main", full_stack_of_main},
    {"fault_in_task", fault_in_task},
    {"division_in_task", division_in_task},
    {"abort_in_task", abort_in_task},
    {"fault_of_main", fault_of_main},
};

}  // namespace

std::span<const life::Case> life::stacks() { return kCases; }
