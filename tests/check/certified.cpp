// SPDX-License-Identifier: Apache-2.0
//
// Programs without a mistake: `myr check` says of each that every schedule gives its result, or
// what withholds that, as its first line has it.
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <myr/loop.hpp>
#include <myr/myr.hpp>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace myr;

namespace {

constexpr int kTasks = 4;
int results[kTasks];

// Each task writes one.
template <class Function>
void spawn_each(Function function) {
  for (int i = 0; i < kTasks; ++i) {
    spawn([function, i](int& result) { result = function(i); }, out(results[i]));
  }
  std::printf("spawned\n");  // main prints in its own order
  wait_all();
}

void adds() {  // every schedule on every machine gives this result
  spawn_each([](int i) { return i + 1; });
}
void uses_own_containers() {  // every schedule on every machine gives this result
  spawn_each([](int i) {
    std::map<int, std::string> texts;
    texts[i] = std::string(40, 'x') + std::to_string(i);
    char text[20];
    std::snprintf(text, sizeof text, "%d %s", i, "end");
    return static_cast<int>(texts[i].find('x') + std::strlen(text));
  });
}
void reads_what_main_has_written() {  // every schedule on every machine that shares memory gives
  static int factor;
  factor = 3;
  spawn_each([](int i) { return i * factor; });
}
void uses_statics_of_before() {  // every schedule on every machine that shares memory gives
  static const auto first = [] {
    return []() -> const int& {
      static const int value = results[0] + kTasks;
      return value;
    };
  }();
  first();
  spawn_each([](int i) { return i + first(); });
}
void loops() {  // every schedule on every machine gives this result
  std::vector<int> numbers(1000);
  int sum = 0;
  for_each(range(numbers.size()), out(numbers, part), [](auto i, auto all) { all[i] = 2; });
  reduce_each(range(numbers.size()), reduce(sum, std::plus<>()), in(numbers, part),
              [](auto i, auto all) { return all[i]; });
  wait_all();
  std::printf("%d\n", sum);
}
void catches() {  // every schedule on every machine gives this result
  spawn_each([](int i) {
    try {
      if (i % 2 == 1) throw std::runtime_error("odd");
    } catch (const std::exception&) {
      return -1;
    }
    return i;
  });
}

void remembers() {  // calls of strtok \(
  spawn_each([](int i) {
    char text[] = "a b";
    return static_cast<int>(std::strlen(std::strtok(text, i % 2 == 0 ? " " : "b")));
  });
}
void asks_who_runs_it() {  // calls of myr_worker_index \(
  spawn_each([](int) { return static_cast<int>(myr_worker_index()); });
}
void looks_at_its_environment() {  // calls of getenv \(
  spawn_each([](int i) { return std::getenv("HOME") == nullptr ? 0 : i; });
}
void prints() {  // calls of printf \(
  spawn_each([](int i) { return std::printf("%d\n", i); });
}
void prints_by_streams() {  // calls of std::ostream::operator<<\(int\) \(
  spawn_each([](int i) {
    std::cout << i;
    return i;
  });
}
void writes_to_a_shared_stream() {  // calls of std::ostream::operator<<\(int\) \(
  static std::ostringstream stream;
  Region turn = Region::create();
  for (int i = 0; i < kTasks; ++i) spawn(uses(inout(turn)), [i] { stream << i; });
  wait_all();
}
void asks_whether_it_is_ready() {  // questions whether memory is ready \(
  int x = 0;
  spawn(later, [](int& v) { v = 1; }, out(x));
  const bool was_ready = is_ready(in(x));
  wait(in(x));
  std::printf("%d\n", was_ready ? x : 0);
}
void looks_at_the_clock() {  // clocks or random numbers \(
  spawn_each([](int) { return static_cast<int>(std::time(nullptr) % 2); });
}
void locks() {  // locks \(
  static std::mutex mutex;
  static int next;
  spawn_each([](int) {
    const std::scoped_lock lock(mutex);
    return next++;
  });
}
void counts_by_an_atomic() {  // atomic operations \(
  static std::atomic<int> next;
  spawn_each([](int) { return next++; });
}
void counts_users() {  // atomic operations \(
  const auto shared = std::make_shared<int>(1);
  spawn_each([shared](int) { return static_cast<int>(shared.use_count()); });
}
void has_a_counter_of_each_thread() {  // thread-local variables \(
  static thread_local int count = 0;
  spawn_each([](int) { return count++; });
}
void is_the_first() {  // the first use of static variables \(
  spawn_each([](int i) {
    static const int first = i;
    return first;
  });
}
void sees_the_parts() {  // how a loop is cut \(
  std::vector<int> numbers(1000);
  int* const all = numbers.data();
  for_each(range(numbers.size()), out(numbers, part), [all](Range some) {
    for (const std::size_t i : some) all[i] = static_cast<int>(some.size());
  });
  wait_all();
}
void ends_a_part() {  // how a loop is cut \(
  std::vector<int> numbers(1000);
  for_each(range(numbers.size()), out(numbers, part), [](auto i, auto all) {
    if (i == 500) throw std::runtime_error("enough");
    all[i] = 1;
  });
  try {
    wait_all();
  } catch (const std::exception&) {
    return;
  }
}

void rounds_upwards() {  // calls of .*fesetround
  spawn_each([](int i) { return i; });
  std::fesetround(FE_UPWARD);
  volatile double one = 1;
  spawn([&one](int& result) { result = one / 3 > 1.0 / 3; }, out(results[0]));
  wait_all();
}
void main_stores_what_a_task_loads() {  // atomic operations \(
  static std::atomic<int> flag;
  spawn([](int& result) { result = flag.load(); }, out(results[0]));
  flag.store(1);
  wait_all();
}
void asks_a_random_device() {  // calls of .*random_device
  spawn_each([](int) {
    std::random_device device;
    return static_cast<int>(device() % 2);
  });
}
void leaves_some_unwritten() {  // every schedule on every .* shares memory .*; tasks leave
  spawn([](int* all) { all[0] = 1; }, out(results));
  wait_all();
}

const std::pair<const char*, void (*)()> kCases[] = {
#define CASE(name) {#name, name}
    CASE(adds),
    CASE(uses_own_containers),
    CASE(reads_what_main_has_written),
    CASE(loops),
    CASE(catches),
    CASE(uses_statics_of_before),
    CASE(remembers),
    CASE(asks_who_runs_it),
    CASE(looks_at_its_environment),
    CASE(prints),
    CASE(prints_by_streams),
    CASE(writes_to_a_shared_stream),
    CASE(locks),
    CASE(counts_by_an_atomic),
    CASE(asks_whether_it_is_ready),
    CASE(looks_at_the_clock),
    CASE(counts_users),
    CASE(is_the_first),
    CASE(has_a_counter_of_each_thread),
    CASE(sees_the_parts),
    CASE(ends_a_part),
    CASE(rounds_upwards),
    CASE(main_stores_what_a_task_loads),
    CASE(asks_a_random_device),
    CASE(leaves_some_unwritten),
};

}  // namespace

int main(int, char** argv) {
  for (const auto& [name, function] : kCases) {
    if (std::strcmp(argv[1], name) == 0) return function(), 0;
  }
  return 1;
}
