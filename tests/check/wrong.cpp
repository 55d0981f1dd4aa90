// SPDX-License-Identifier: Apache-2.0
// A mistake in each function, and behind it what `myr check` says: test_check.py reads both.
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <myr/loop.hpp>
#include <myr/myr.hpp>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <vector>

using namespace myr;

namespace {

int total = 0;
double table[100];

void writes_a_global() {
  for (int i = 0; i < 2; ++i) {
    spawn([] { total += 1; });  // writes 4 bytes of the variable total, .*declare inout\(total\)
  }
  wait_all();
  std::printf("%d\n", total);
}

void writes_a_captured_local() {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    spawn([&sum](int k) { sum += k; }, i);  // writes 4 bytes of the variable sum
  }
  wait_all();
}

void writes_what_it_reads() {
  std::vector<double> v(100);
  spawn([](const double* p) { const_cast<double*>(p)[3] = 1; },  // declared as in; declare inout
        in(v.data(), 50));
  wait_all();
}

void writes_behind_its_part() {
  auto v = std::make_unique<double[]>(100);
  spawn([](double* p) { p[50] = 1; },  // at byte 400 of the 800 bytes allocated at .*wrong.cpp
        out(v.get(), 50));
  spawn([](double* p) { p[0] = 1; }, out(v.get() + 50, 50));
  wait_all();
}

void writes_by_memset() {
  std::vector<char> v(4096);
  spawn([](char* p, std::size_t n) { std::memset(p, 1, n); },  // writes 4000 bytes
        out(v.data(), 2000), v.size() - 96);
  spawn([](const char& last) { std::printf("%d\n", last); }, in(v[3999]));
  wait_all();
}

void reads_what_another_writes() {
  spawn([](double& x) { x = 1; }, out(table[5]));
  spawn([] { std::printf("%g\n", table[5]); });  // of the variable table, .* at the same time
}

void another_writes_what_it_reads() {
  spawn([] { std::printf("%g\n", table[7]); });  // of the variable table, .* at the same time
  spawn([](double& x) { x = 1; }, out(table[7]));
}

void main_reads_before_it_waits() {
  int x = 0;
  spawn([](int& value) { value = 1; }, out(x));
  std::printf("%d\n", x);  // main reads 4 bytes .* may still write it; wait
  wait_all();
}

void main_writes_before_it_waits() {
  int x = 0;
  spawn([](const int& value) { std::printf("%d\n", value); }, in(x));
  x = 1;  // main writes 4 bytes .* may still read it; wait
  wait_all();
}

void parent_reads_before_it_waits() {
  int x = 0;
  spawn(
      [](int& value) {
        spawn([](int& inner) { inner = 1; }, out(value));
        value += 1;  // the task spawned at .* may still write it
      },
      inout(x));
  wait_all();
}

void waits_for_another() {
  int x = 0;
  int y = 0;
  spawn([](int& value) { value = 1; }, out(x));
  spawn([](int& value) { value = 1; }, out(y));
  wait(in(y));
  std::printf("%d\n", x);  // main reads 4 bytes .* may still write it
  wait_all();
}

void reads_an_undeclared_object() {
  OwnedRegion region;
  int* const object = region.make<int>(1);
  spawn([object] { std::printf("%d\n", *object); });  // of the 4 bytes allocated at .*wrong.cpp
  wait_all();
}

void writes_beside_its_iteration() {
  std::vector<int> v(1000);
  for_each(inout(v), [&v](int& x) {
    if (&x != &v.back()) (&x)[1] = 1;  // at byte 4 of the 4000 bytes allocated at
  });
  wait_all();
}

void names_what_its_parent_does_not() {
  int x = 0;
  spawn([](int& y) { y = 1; }, out(x));  // though both declare it
  spawn([&x] {
    spawn([](int& y) { y = 2; }, out(x));
    wait_all();
  });
  wait_all();
}

void uses_a_variable_that_ends_before() {
  spawn([] {
    int x = 0;
    spawn([&x] { x = 1; });  // uses a local variable of the task spawned at
  });
  wait_all();
}

void reads_a_freed_object() {
  const Region region = Region::create();
  int* const object = region.make<int>(1);
  spawn([](int* x) { *x = 2; }, inout(object));
  region.free();
  std::printf("%d\n", *object);  // which was freed with its region
}

void writes_behind_an_object() {
  OwnedRegion region;
  int* const object = region.make<int>(1);
  spawn(uses(inout(region.region())), [object] { object[1] = 2; });  // where no object is
  wait_all();
}

void writes_under_another_lock() {
  static std::mutex one;
  static std::mutex other;
  static int x = 0;
  spawn([] {
    const std::scoped_lock lock(one);
    x = 1;
  });
  spawn([] {
    const std::scoped_lock lock(other);
    x = 2;  // of the variable x, which it has not declared
  });
  wait_all();
  std::printf("%d\n", x);
}

void writes_by_shared_locks() {
  static std::shared_mutex mutex;
  static int x = 0;
  for (int i = 0; i < 2; ++i) {
    spawn([] {
      const std::shared_lock lock(mutex);
      x += 1;  // of the variable x, which it has not declared
    });
  }
  wait_all();
}

void reads_what_others_change_atomically() {
  static int x = 0;
  spawn([] { std::atomic_ref(x) += 1; });
  spawn([] {
    if (x == 1) std::puts("1");  // of the variable x, which it has not declared
  });
  wait_all();
}

void adds_to_what_is_concurrent() {
  int x = 0;
  for (int i = 0; i < 2; ++i) {
    spawn([](int& own) { own += 1; }, concurrent(x));  // which it has declared as concurrent
  }
  wait_all();
}

void uses_what_it_reduces_into() {
  int x = 0;
  spawn([&x](int& own) { own += x; }, reduce(x, std::plus<>()));  // into which it reduces
  wait_all();
}

void uses_what_many_reduce_into() {
  int x = 0;
  for (int i = 0; i < 2; ++i) {
    spawn([&x](int&) { x += 1; }, reduce(x, std::plus<>()));  // into which it reduces
  }
  wait_all();
}

void uses_what_is_weak() {
  int x = 0;
  spawn([](int& value) { value = 1; }, out(x));
  spawn(uses(weak(inout(x))), [&x] {
    x += 1;  // which it has declared as weak, for what it spawns alone; declare inout\(x\)
  });
  wait_all();
}

void uses_what_is_not_transferred() {
  int x = 0;
  spawn([](int& value) { value += 1; }, notransfer(inout(x)));  // it has declared as notransfer
  wait_all();
}

void frees_what_a_task_reads() {
  int* const x = new int(1);
  spawn([](const int& value) { std::printf("%d\n", value); }, in(x[0]));
  delete x;  // main frees memory .* may still read it
  wait_all();
}

__attribute__((noinline)) void leaves_too_early(int& x) {
  int local = 0;
  int* volatile where = &local;
  const auto add = [](int& own, int& all) { all += own; };
  spawn(add, inout(*where), inout(x));  // uses a local variable .* that it has called
}

void function_leaves_too_early() {
  int x = 0;
  spawn([](int& own) { leaves_too_early(own); }, inout(x));
  wait_all();
}

void sorts_what_another_reads() {
  static int numbers[3] = {3, 1, 2};
  const auto compare = [](const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  };
  spawn([](const int* first) { std::printf("%d\n", *first); }, in(numbers, 3));
  std::qsort(numbers, 3, sizeof(int), compare);  // main writes 12 bytes
  wait_all();
}

void writes_a_text_of_another() {
  static char text[20];
  for (int i = 0; i < 2; ++i) {
    spawn([i] { std::snprintf(text, sizeof text, "%d", i); });  // writes 2 bytes .* text
  }
  wait_all();
}

// How it has found the memory is not seen.
void finds_what_another_has_made() {
  static std::map<int, int> numbers;
  for (int i = 0; i < 2; ++i) {
    spawn([i] {
      if (i == 0) numbers[5] = 1;
      const auto found = numbers.find(5);  // allocated at .*, which it has not declared
      if (found != numbers.end()) std::printf("%d\n", found->second);
    });
  }
  wait_all();
}

void writes_a_map() {
  std::map<int, int> m;
  for (int i = 0; i < 2; ++i) {
    spawn([&] { m[1] += 1; });  // declare inout\(object\(m\)\)
  }
  wait_all();
}

void writes_a_pointer() {
  int* p = total == 0 ? nullptr : &total;
  for (int i = 0; i < 2; ++i) {
    spawn([&] { p = &total; });  // declare inout\(object\(p\)\)
  }
  wait_all();
}

void writes_what_a_pointer_points_to() {
  int* const p = new int[10]();
  for (int i = 0; i < 2; ++i) {
    spawn([&] { p[3] += 1; });  // declare inout\(p, 10\)
  }
  wait_all();
}

void writes_what_an_owner_points_to() {
  const auto p = std::make_unique<double>(1);
  for (int i = 0; i < 2; ++i) {
    spawn([&] { *p += 1; });  // declare inout\(\*p\)
  }
  wait_all();
}

void writes_an_element_of_elements() {
  std::vector<std::vector<int>> v(3, std::vector<int>(9));
  for (int i = 0; i < 2; ++i) {
    spawn([&] { v[2][1] += 1; });  // declare inout\(v\[2\]\)
  }
  wait_all();
}

void writes_a_vector_of_a_structure() {
  std::pair<int, std::vector<int>> s(1, 9);
  for (int i = 0; i < 2; ++i) {
    spawn([&] { s.second[1] += 1; });  // declare inout\(s.second\)
  }
  wait_all();
}

void writes_an_object() {
  OwnedRegion region;
  auto* const p = region.make<std::pair<int, int>>(1, 2);
  for (int i = 0; i < 2; ++i) {
    spawn([&] { p->second += 1; });  // declare inout\(p\)
  }
  wait_all();
}

// No mistake: what --wasted is to find.
void declares_too_much() {
  static int token = 0;
  static int number = 1;
  static int own[4];
  static std::vector<double> numbers(400);
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<std::size_t>(i);
    spawn([k](std::vector<double>& v) { v[k * 100] = 1; }, inout(numbers));
    spawn([](int&, int& o) { o = 1; }, inout(token), out(own[i]));
    spawn([i](double* all) { all[i * 20] = 1; }, inout(table, 100));
    spawn([](int& n, int& o) { o += n; }, inout(number), inout(own[i]));
  }
  wait_all();
}

// The last task of a program that has made a mistake ends it.
template <void (*kEnd)(int)>
void ends_by() {
  writes_a_global();
  spawn([] { kEnd(9); });
  wait_all();
}
void abort_with(int) { std::abort(); }

struct Cell {
  double value;
  int count;
};

void reads_what_it_declares_as_out() {
  int sum = 5;
  const auto add = [](int& s) {
    s += 3;  // sum, which it has declared as out, before anybody .*; declare inout\(sum\)
  };
  spawn(add, out(sum));
  wait_all();
  std::printf("%d\n", sum);  // as it would be without a check
}

void reads_a_part_of_what_it_declares_as_out() {
  Cell cells[8] = {};
  cells[2].count = 7;
  spawn(
      [](Cell* all) {
        std::memset(all, 0, 2 * sizeof *all);
        all[2].value = 1;
        all[1].count += all[2].count;  // reads 4 bytes at byte 40 of the variable cells, .* as out
      },
      out(cells, 8));
  wait_all();
  std::printf("%d\n", cells[1].count);
}

void lets_a_child_read_what_it_declares_as_out() {
  double all[100] = {};
  all[1] = 7;
  spawn(
      [](double* some) {
        some[0] = 1;
        const auto add = [](double& one) {
          one += 1;  // which the task spawned at \S+wrong.cpp:\d+ has declared as out
        };
        spawn(add, inout(some[1]));
        wait_all();
      },
      out(all, 100));
  wait_all();
  std::printf("%g\n", all[1]);
}

void swaps_what_it_has_not_declared() {
  std::vector<int> one(10, 1);
  std::vector<int> other(10, 2);
  const auto swap = [&other](std::vector<int>& all) { all.swap(other); };
  spawn(swap, inout(one));
  spawn([](const std::vector<int>& all) { std::printf("%d\n", all[0]); },
        in(other));  // a container of the variable other while .* declare inout\(other\) there
  wait_all();
}

void writes_to_one_stream() {
  std::ostringstream log;
  for (int i = 0; i < 2; ++i) {
    spawn([&log, i] { log << i; });  // writes 8 bytes of .*may write it at the same time
  }
  wait_all();
}

void inserts_what_a_task_may_meet() {
  std::map<int, int> numbers{{1, 1}, {2, 2}};
  spawn([&] { std::printf("%d\n", numbers.rbegin()->first); });
  numbers[9] = 1;  // main writes .* while the task .* may still read it
  wait_all();
}

void formats_what_a_task_reads() {
  char text[20] = "before";
  volatile double number = 2.5;
  spawn([&text] { std::printf("%c\n", text[1]); });
  std::to_chars(text, text + sizeof text, static_cast<double>(number));  // main writes 3 bytes at
  wait_all();
}

void reads_beside_its_part() {
  std::vector<int> from(1000);
  std::vector<int> to(1000);
  const int* const all = from.data();
  for_each(grain(50), range(1000), out(from, part), [](auto i, auto f) { f[i] = i + 1; });
  for_each(grain(50), range(1, 1000), in(from, part), out(to, part), [all](auto i, auto, auto t) {
    t[i] = all[i - 1];  // reads 4 bytes at byte \d+ of the 4000 bytes allocated
  });
  wait_all();
}

struct Case {
  const char* name;
  void (*run)();
};
const Case kCases[] = {
    {"writes_a_global", writes_a_global},
    {"writes_a_captured_local", writes_a_captured_local},
    {"writes_what_it_reads", writes_what_it_reads},
    {"writes_behind_its_part", writes_behind_its_part},
    {"writes_by_memset", writes_by_memset},
    {"reads_what_another_writes", reads_what_another_writes},
    {"another_writes_what_it_reads", another_writes_what_it_reads},
    {"main_reads_before_it_waits", main_reads_before_it_waits},
    {"main_writes_before_it_waits", main_writes_before_it_waits},
    {"parent_reads_before_it_waits", parent_reads_before_it_waits},
    {"waits_for_another", waits_for_another},
    {"reads_an_undeclared_object", reads_an_undeclared_object},
    {"writes_beside_its_iteration", writes_beside_its_iteration},
    {"names_what_its_parent_does_not", names_what_its_parent_does_not},
    {"uses_a_variable_that_ends_before", uses_a_variable_that_ends_before},
    {"reads_a_freed_object", reads_a_freed_object},
    {"writes_behind_an_object", writes_behind_an_object},
    {"writes_under_another_lock", writes_under_another_lock},
    {"writes_by_shared_locks", writes_by_shared_locks},
    {"reads_what_others_change_atomically", reads_what_others_change_atomically},
    {"adds_to_what_is_concurrent", adds_to_what_is_concurrent},
    {"uses_what_it_reduces_into", uses_what_it_reduces_into},
    {"uses_what_many_reduce_into", uses_what_many_reduce_into},
    {"uses_what_is_weak", uses_what_is_weak},
    {"uses_what_is_not_transferred", uses_what_is_not_transferred},
    {"frees_what_a_task_reads", frees_what_a_task_reads},
    {"leaves_too_early", function_leaves_too_early},
    {"sorts_what_another_reads", sorts_what_another_reads},
    {"writes_a_text_of_another", writes_a_text_of_another},
    {"finds_what_another_has_made", finds_what_another_has_made},
    {"writes_a_map", writes_a_map},
    {"writes_a_pointer", writes_a_pointer},
    {"writes_what_a_pointer_points_to", writes_what_a_pointer_points_to},
    {"writes_what_an_owner_points_to", writes_what_an_owner_points_to},
    {"writes_an_element_of_elements", writes_an_element_of_elements},
    {"writes_a_vector_of_a_structure", writes_a_vector_of_a_structure},
    {"writes_an_object", writes_an_object},
    {"declares_too_much", declares_too_much},
    {"reads_what_it_declares_as_out", reads_what_it_declares_as_out},
    {"reads_a_part_of_what_it_declares_as_out", reads_a_part_of_what_it_declares_as_out},
    {"lets_a_child_read_what_it_declares_as_out", lets_a_child_read_what_it_declares_as_out},
    {"swaps_what_it_has_not_declared", swaps_what_it_has_not_declared},
    {"writes_to_one_stream", writes_to_one_stream},
    {"inserts_what_a_task_may_meet", inserts_what_a_task_may_meet},
    {"formats_what_a_task_reads", formats_what_a_task_reads},
    {"reads_beside_its_part", reads_beside_its_part},
    {"exit", ends_by<std::exit>},
    {"_exit", ends_by<_exit>},
    {"_Exit", ends_by<std::_Exit>},
    {"quick_exit", ends_by<std::quick_exit>},
    {"abort", ends_by<abort_with>},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& one : kCases) {
    if (argc < 2 || std::strcmp(argv[1], one.name) != 0) continue;
    one.run();
    return 0;
  }
  return 1;
}
