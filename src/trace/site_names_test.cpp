// SPDX-License-Identifier: Apache-2.0
#include "trace/site_names.hpp"

#include <doctest/doctest.h>

#include "trace/task_id.hpp"

using namespace myr::trace;

TEST_CASE("a function's bare name is found in what compilers say of it") {
  CHECK(bare_function("int main(int, char**)") == "main");
  CHECK(bare_function("main") == "main");
  CHECK(bare_function("") == "");
  CHECK(bare_function("void {anonymous}::grow(myr::Region, int)") == "grow");
  CHECK(bare_function("void (anonymous namespace)::grow(myr::Region, int)") == "grow");
  CHECK(bare_function("std::map<int, void (*)(int)> a::B<int>::make() [with T = int]") == "make");
  CHECK(bare_function("Node* build(int)") == "build");
  CHECK(bare_function("const char *build(int)") == "build");
  CHECK(bare_function("run(int)::<lambda(int)>") == "run");
}

TEST_CASE("a site is named by function, file and line, as far as they are known") {
  const myr_site full{"src/tree/tasks.cpp", "void grow(int)", 31, 3};
  const myr_site no_function{"tasks.c", "", 7, 0};
  CHECK(describe(&full).text() == "grow (tasks.cpp:31)");
  CHECK(describe(&no_function).text() == "tasks.c:7");
  const myr_site no_line{"program 0x1234", "region", 0, 0};
  CHECK(describe(&no_line).text() == "region (program 0x1234)");
  CHECK(describe(nullptr).text() == "unknown place");
}

TEST_CASE("sites of one name, as each translation unit has its own, get one number") {
  const myr_site here{"a.cpp", "f", 1, 0};
  const myr_site same{"a.cpp", "f", 1, 0};
  const myr_site other{"a.cpp", "f", 2, 0};
  SiteNames names;
  CHECK(names.index_of(&here) == 0);
  CHECK(names.index_of(&other) == 1);
  CHECK(names.index_of(&same) == 0);
  CHECK(names.index_of(nullptr) == 2);
  CHECK(names.names() == std::vector<std::string>{"f (a.cpp:1)", "f (a.cpp:2)", "unknown place"});
}

TEST_CASE("a task is named by who spawned it, and how many before it") {
  CHECK(TaskId(3, 17).text() == "3.17");
  CHECK(TaskId(0, 0).text() == "0.0");
  CHECK(TaskId::main().text() == "main");
  CHECK(TaskId(1, 2) == TaskId(1, 2));
}
