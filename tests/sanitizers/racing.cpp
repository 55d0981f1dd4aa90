// SPDX-License-Identifier: Apache-2.0
// Programs with a race each, which ThreadSanitizer finds although tasks before and behind it are
// ordered. The argument says which.
#include <atomic>
#include <chrono>
#include <cstring>
#include <myr/myr.hpp>
#include <thread>
#include <vector>

using namespace myr;

namespace {

int shared = 0;
std::atomic<int> arrived{0};

// Two of them run at the same time; this orders nothing. ThreadSanitizer may miss what two threads
// do in the same instant.
void meet() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  if (arrived.fetch_add(1, std::memory_order_relaxed) % 2 != 0) {
    return std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  while (arrived.load(std::memory_order_relaxed) % 2 != 0) {
    if (std::chrono::steady_clock::now() > end) return;
  }
}

void undeclared() {
  int a = 0;
  int b = 0;
  const auto body = [](int& own) {
    meet();
    own = ++shared;
  };
  spawn(body, out(a));
  spawn(body, out(b));
  wait_all();
}

void outside_of_its_part() {
  std::vector<int> all(8);
  const auto body = [](int* part, int offset) {
    meet();
    part[offset] = 1;
  };
  spawn(body, inout(&all[1], 1), 4);
  spawn(body, inout(&all[2], 1), 3);
  wait_all();
}

void reading_beside_writing() {
  int* const object = Region::root().make<int>(0);
  spawn([](int* o) { *o = 1; }, inout(object));
  spawn([object](int&) { meet(), ++*object; }, inout(shared));
  spawn([](const int* o) { meet(), void(*static_cast<const volatile int*>(o)); }, in(object));
  wait_all();
}

void main_does_not_wait() {
  int x = 0;
  spawn([](int& own) { meet(), own = 1; }, out(x));
  meet();
  x += 1;
  wait_all();
}

void concurrent_without_atomics() {
  const auto body = [](int& x) { meet(), x += 1; };
  spawn(body, concurrent(shared));
  spawn(body, concurrent(shared));
  wait_all();
}

void parent_beside_child() {
  spawn(
      [](int& x) {
        spawn([](int& same) { meet(), same += 1; }, inout(x));
        meet();
        x += 1;
      },
      inout(shared));
  wait_all();
}

void regions_beside_each_other() {
  OwnedRegion first;
  OwnedRegion second;
  int* const object = first.make<int>(0);
  spawn([object](Region) { meet(), ++*object; }, inout(first));
  spawn([object](Region) { meet(), ++*object; }, inout(second));
  wait_all();
}

struct Case {
  const char* name;
  void (*run)();
};
constexpr Case kCases[] = {
    {"undeclared", undeclared},
    {"outside_of_its_part", outside_of_its_part},
    {"reading_beside_writing", reading_beside_writing},
    {"main_does_not_wait", main_does_not_wait},
    {"concurrent_without_atomics", concurrent_without_atomics},
    {"parent_beside_child", parent_beside_child},
    {"regions_beside_each_other", regions_beside_each_other},
};

// A pool of tasks that have run before, on all workers.
void run_others() {
  std::vector<int> cells(32);
  for (int round = 0; round < 20; ++round) {
    for (int& cell : cells) spawn([](int& c) { c += 1; }, inout(cell));
  }
  wait_all();
}

}  // namespace

int main(int, char** arguments) {
  for (const Case& one : kCases) {
    if (std::strcmp(one.name, arguments[1]) != 0) continue;
    run_others();
    one.run();
  }
}
