// SPDX-License-Identifier: Apache-2.0
//
// The frame must not report a wrong result as right. It only needs worker_count() of the runtime.
#include "common/program.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "chip/virtual_time.hpp"
#include "chip/work.h"

namespace {

struct Answers {
  bool same = true;
  std::string fault = {};
};

int status_of(const Answers& answers, std::vector<const char*> options) {
  kernels::Program program("sample", "a kernel for this test");
  std::int64_t size = 3;
  program.option("size", size, {1, 9}, "a number");
  options.insert(options.begin(), "sample");
  program.parse(static_cast<int>(options.size()), const_cast<char**>(options.data()));
  return program.run({.serial = [] {},
                      .parallel = [] {},
                      .same = [&] { return answers.same; },
                      .verify = [&] { return answers.fault; }});
}

}  // namespace

TEST_CASE("a right result gives status 0, as a table and as JSON") {
  CHECK(status_of({}, {}) == 0);
  CHECK(status_of({}, {"--check", "--json", "--size", "4"}) == 0);
}

TEST_CASE("a result that differs from the serial one gives status 1") {
  CHECK(status_of({.same = false}, {}) == 1);
  CHECK(status_of({.same = false}, {"--json"}) == 1);
}

TEST_CASE("a fault that only the second check finds gives status 1 with --check") {
  CHECK(status_of({.fault = "too large"}, {"--check"}) == 1);
  CHECK(status_of({.fault = "too large"}, {}) == 0);
}

TEST_CASE("the first number in a grid that is not right is named") {
  const auto is_right = [](std::size_t row, std::size_t column) { return row != 1 || column < 2; };
  CHECK(kernels::find_wrong(3, 3, is_right) == "row 1, column 2");
  CHECK(kernels::find_wrong(3, 2, is_right).empty());
}

TEST_CASE("one wrong repetition among right ones is enough") {
  kernels::Program program("sample", "a kernel for this test");
  std::array<const char*, 3> arguments{"sample", "--repeat", "5"};
  program.parse(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
  int run_index = 0;
  int prepared = 0;
  CHECK(program.run({.prepare = [&] { ++prepared; },
                     .serial = [] {},
                     .parallel = [] {},
                     .same = [&] { return run_index++ != 2; }}) == 1);
  CHECK(prepared == 5);
}

TEST_CASE("one version alone is run once more than is counted, the other only to compare") {
  for (const std::string measure : {"serial", "tasks"}) {
    CAPTURE(measure);
    kernels::Program program("sample", "a kernel for this test");
    std::array<const char*, 5> arguments{"sample", "--repeat", "3", "--measure", measure.c_str()};
    program.parse(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
    int serial = 0, tasks = 0, compared = 0;
    CHECK(program.run({.serial = [&] { ++serial; },
                       .parallel = [&] { ++tasks; },
                       .same = [&] { return ++compared == 1; }}) == 0);
    CHECK(serial == (measure == "serial" ? 4 : 1));
    CHECK(tasks == (measure == "serial" ? 0 : 4));
    CHECK(compared == (measure == "serial" ? 0 : 1));
  }
}

TEST_CASE("a wrong result of the tasks alone gives status 1") {
  CHECK(status_of({.same = false}, {"--measure", "tasks"}) == 1);
  CHECK(status_of({.fault = "too large"}, {"--measure", "tasks", "--check"}) == 1);
}

TEST_CASE("a named input stands for its options, which those behind it change") {
  for (const bool changed : {false, true}) {
    kernels::Program program("sample", "a kernel for this test");
    std::int64_t size = 1, task = 1;
    program.option("size", size, {1, 99}, "a number");
    program.option("task", task, {1, 99}, "a number");
    program.named("N8 M4", "--size 8 --task 4");
    std::vector<const char*> arguments{"sample", "--named", "N8 M4"};
    if (changed) arguments.insert(arguments.end(), {"--task", "5"});
    program.parse(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
    CHECK(size == 8);
    CHECK(task == (changed ? 5 : 4));
  }
}

TEST_CASE("a choice takes one of its words") {
  kernels::Program program("sample", "a kernel for this test");
  std::string style = "tasks";
  program.choice("style", style, {"loops", "tasks"}, "which way");
  std::array<const char*, 3> arguments{"sample", "--style", "loops"};
  program.parse(static_cast<int>(arguments.size()), const_cast<char**>(arguments.data()));
  CHECK(style == "loops");
}

TEST_CASE("a serial program takes on a simulated machine what it declares") {
  const auto program = [] { kernel_work(5), kernel_work(7); };
  CHECK(kernels::declared_cycles(program, 1) == 12);
  CHECK(kernels::declared_cycles(program, 3) == 36);
  program();  // nobody wants to know
  CHECK(kernels::declared_cycles([] {}, 1) == 0);
}
