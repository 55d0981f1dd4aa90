// SPDX-License-Identifier: Apache-2.0
//
// The list exchange kernel: options, both versions and the check. See README.md.
#include <cstdint>
#include <string>
#include <vector>

#include "allocator/linked_lists/linked_lists.h"
#include "common/program.hpp"

namespace {

// The digest that a list must have, found node by node without a list: each node is visited by all
// other lists' owners, in the order of the stages.
std::uint64_t expected_digest(std::size_t list, std::size_t list_count, std::size_t node_count) {
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < node_count; ++i) {
    node single{};
    node_begin(&single, list, i);
    for (std::size_t stage = 1; stage < list_count; ++stage) node_visit(&single, list ^ stage);
    digest = node_digest(&single, digest);
  }
  return digest;
}

std::string verify(const linked_lists& lists) {
  for (std::size_t i = 0; i < lists.list_count; ++i) {
    if (lists.digests[i] != expected_digest(i, lists.list_count, lists.node_count)) {
      return "list " + std::to_string(i) + " has other nodes than it should";
    }
  }
  return "";
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("linked_lists", "Exchange of linked lists, all to all");
  std::size_t lists = 16;
  std::size_t nodes = 3000;
  std::string exchange = "regions";
  program.option("size", lists, {2, 4096}, "lists, a power of two");
  program.option("task", nodes, {1, 10'000'000}, "nodes of 256 bytes in a list");
  program.choice("exchange", exchange, {"regions", "nodes"}, "what a task has: a list or a node");
  program.named("16x30000", "--size 16 --task 30000");
  program.parse(argc, argv);
  program.require(kernels::is_power_of_two(lists), "--size must be a power of two");

  std::vector<std::uint64_t> expected(lists);
  std::vector<std::uint64_t> digests(lists);
  const auto with = [&](std::vector<std::uint64_t>& result) {
    return linked_lists{.list_count = lists,
                        .node_count = nodes,
                        .by_nodes = exchange == "nodes",
                        .digests = result.data()};
  };
  linked_lists plain = with(expected);
  linked_lists result = with(digests);
  return program.run({
      .prepare =
          [&] {
            expected.assign(lists, 0);
            digests.assign(lists, 0);
          },
      .serial = [&] { linked_lists_serial(&plain); },
      .parallel = [&] { linked_lists_tasks(&result); },
      .same = [&] { return digests == expected; },
      .verify = [&] { return verify(result); },
  });
}
