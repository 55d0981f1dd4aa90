// SPDX-License-Identifier: Apache-2.0
#include "trace/dot.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "trace/test_text.hpp"

using namespace myr::trace;

namespace {

const myr_site kSite{"src/a.cpp", "int main()", 10, 0};

std::string dot_of(const std::vector<GraphRecord>& records, std::size_t nodes_max = 100) {
  TestFile out;
  write_dot(out.file(), records, nodes_max);
  return out.text();
}

GraphNode task(std::uint64_t ticks, TaskId id, TaskId parent = TaskId::main()) {
  return {.spawn_ticks = ticks, .key = 100 + ticks, .task = id, .parent = parent, .site = &kSite};
}

}  // namespace

TEST_CASE("the picture of a small graph") {
  std::vector<GraphRecord> records(2);
  records[0].add_node(task(1, TaskId(0, 0)));
  records[0].add_node(task(2, TaskId(0, 1)));
  records[0].add_edge({.from = 101, .to = 102});
  records[0].add_edge({.from = 101, .to = 102});  // by a second access
  records[0].add_edge({.from = 7, .to = 102});    // of something that was not recorded
  GraphNode wait = task(4, TaskId::main());
  wait.is_wait = true;
  records[0].add_node(wait);
  records[0].add_edge({.from = 102, .to = 104});
  records[1].add_node(task(3, TaskId(1, 0), TaskId(0, 1)));
  CHECK(dot_of(records) == R"(// tasks and waits: 4 of 4; dependences: 2
digraph tasks {
  node [shape=box, fontname="sans-serif"];
  graph [fontname="sans-serif", style=rounded, color=gray];
  subgraph "cluster 0.1" {
    label="spawned by 0.1";
    "1.0" [label="1.0\nmain\na.cpp:10"];
  }
  "0.1" -> "1.0" [style=dotted, arrowhead=none];
  subgraph "cluster main" {
    label="spawned by main";
    "0.0" [label="0.0\nmain\na.cpp:10"];
    "0.1" [label="0.1\nmain\na.cpp:10"];
    "wait 1" [label="wait\nmain\na.cpp:10", shape=diamond];
  }
  "0.0" -> "0.1";
  "0.1" -> "wait 1";
}
)");
}

TEST_CASE("of a large graph the tasks spawned first are drawn, and a remark says so") {
  std::vector<GraphRecord> records(1);
  for (unsigned i = 0; i < 4; ++i) records[0].add_node(task(9 - i, TaskId(0, i)));
  records[0].add_edge({.from = 106, .to = 107});
  records[0].add_edge({.from = 107, .to = 108});
  const std::string text = dot_of(records, 2);
  CHECK(text.find("// tasks and waits: 2 of 4; dependences: 1\n") == 0);
  CHECK(text.find(R"(label="the first 2 of 4 tasks and waits";)") != std::string::npos);
  CHECK(text.find(R"("0.3" -> "0.2";)") != std::string::npos);
  CHECK(text.find(R"("0.1")") == std::string::npos);
}

TEST_CASE("a record keeps what came first and counts the rest") {
  std::vector<GraphRecord> records(1);
  for (unsigned i = 0; i < GraphRecord::kNodesMax; ++i) {
    REQUIRE(records[0].add_node(task(i, TaskId(0, i))));
  }
  CHECK(!records[0].add_node(task(0, TaskId(0, 0))));
  for (unsigned i = 0; i <= GraphRecord::kEdgesMax; ++i) records[0].add_edge({.from = 1, .to = 2});
  CHECK(records[0].nodes().size() == GraphRecord::kNodesMax);
  CHECK(records[0].edges().size() == GraphRecord::kEdgesMax);
  const std::string text = dot_of(records, GraphRecord::kNodesMax);
  CHECK(text.find("the first 5000 of 5001 tasks and waits, without 1 of their dependences") !=
        std::string::npos);
}
