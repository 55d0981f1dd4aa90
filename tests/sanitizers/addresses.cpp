// SPDX-License-Identifier: Apache-2.0
// Programs with a mistake each that AddressSanitizer finds. The argument says which.
#include <cstring>
#include <myr/myr.hpp>

using namespace myr;

namespace {

int read(const volatile int* p) { return *p; }

int freed_object() {
  int* const object = Region::root().make<int>(1);
  destroy(object);
  return read(object);
}

int object_of_a_freed_region() {
  const Region outer = Region::create();
  int* const object = Region::create(outer).make<int>(1);
  outer.free();
  return read(object);
}

int behind_an_object() {
  int* const numbers = Region::root().make_array<int>(10);
  return read(numbers + 10);
}

int behind_one_that_shrank() {
  auto* const large = static_cast<int*>(myr_alloc(100 * sizeof(int), MYR_ROOT));
  auto* const small = static_cast<int*>(myr_realloc(large, 50 * sizeof(int), MYR_ROOT));
  return read(small + 50);
}

int freed_by_a_task() {
  const Region region = Region::create();
  int* const object = region.make<int>(1);
  spawn([object](Region) { destroy(object); }, inout(region));
  spawn([object](Region) { read(object); }, inout(region));
  wait_all();
  return 0;
}

int stack_of_a_task() {
  int result = 0;
  spawn(
      [](int& r) {
        int inner = 0;
        spawn([](int& i) { i = 1; }, out(inner));
        wait_all();  // other tasks run on other stacks meanwhile
        int local[4] = {};
        r = read(&local[r + inner + 3]);
      },
      inout(result));
  wait_all();
  return result;
}

struct Case {
  const char* name;
  int (*run)();
};
constexpr Case kCases[] = {
    {"freed_object", freed_object},         {"object_of_a_freed_region", object_of_a_freed_region},
    {"behind_an_object", behind_an_object}, {"behind_one_that_shrank", behind_one_that_shrank},
    {"freed_by_a_task", freed_by_a_task},   {"stack_of_a_task", stack_of_a_task},
};

}  // namespace

int main(int, char** arguments) {
  for (const Case& one : kCases) {
    if (std::strcmp(one.name, arguments[1]) == 0) return one.run();
  }
}
