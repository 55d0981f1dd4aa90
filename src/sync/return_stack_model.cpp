// SPDX-License-Identifier: Apache-2.0
//
// The return stack under the explorer: each block comes back once, with its contents.
#include <doctest/doctest.h>

#include <array>

#include "explore/explore.hpp"
#include "sync/return_stack.hpp"

using namespace myr;

namespace {

struct Block {
  sync::Plain<Block*> next{nullptr};
  sync::Plain<int> content{0};
};

}  // namespace

TEST_CASE("two threads return blocks while the owner takes and reuses them") {
  const explore::Options options{.preemptions_max = 3};
  const explore::Report report = explore::search(options, [](explore::Threads& threads) {
    sync::ReturnStack<Block> stack;
    std::array<Block, 3> blocks;
    int taken = 0;
    const auto take_all = [&] {
      for (Block* block = stack.owner_take_all(); block != nullptr; block = block->next) {
        explore::check(block->content == 1, "the content is that of the push");
        block->content = 0;
        taken += 1;
      }
    };
    threads.start([&] {
      blocks[0].content = 1;
      blocks[1].content = 1;
      blocks[0].next = &blocks[1];
      stack.any_push_chain(&blocks[0], &blocks[1]);
    });
    threads.start([&] {
      blocks[2].content = 1;
      stack.any_push_chain(&blocks[2], &blocks[2]);
    });
    threads.start([&] {
      take_all();
      take_all();
    });
    threads.join();
    take_all();
    explore::check(taken == 3, "each block comes back once");
  });
  CHECK_MESSAGE(!report.failed, report.text);
  CHECK_MESSAGE(report.exhausted, report.text);
  MESSAGE(report.text);
}
