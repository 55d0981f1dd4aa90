// SPDX-License-Identifier: Apache-2.0
//
// Programs whose tasks spawn tasks and wait for them, on the cores of cores.hpp.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "deps/address_table.hpp"

namespace myr::hw {

using deps::AddressTable;
using deps::AddressUse;
using deps::Mode;

inline constexpr unsigned kNestedPatienceCycles =
    30000;  // without a task that ends: it stands still

// A task that has begun, or will. Children have no dependences.
struct Nested {
  unsigned children_left;      // to spawn
  unsigned levels_below;       // of them
  Nested* parent = nullptr;    // none: of the program itself
  unsigned children_live = 0;  // spawned and not ended
  std::uint64_t picos_id = 0;
  bool is_inline = false;  // runs inside of its parent, unknown to the scheduler
};

template <typename AnyCores>
class NestedProgram {
 public:
  NestedProgram(unsigned seed, unsigned count, unsigned packets_of_child)
      : cores_(seed),
        count_(count),
        packets_of_child_(packets_of_child),
        stacks_(AnyCores::kCount) {}

  // Whether all tasks ended.
  bool run() {
    for (unsigned core = 0; core < AnyCores::kCount; ++core) cores_.start(core, run_core(core));
    for (unsigned idle = 0; !cores_.all_done(); ++idle) {
      if (std::exchange(progress_, false)) idle = 0;
      if (idle > kNestedPatienceCycles) return false;
      cores_.step();
      REQUIRE(cores_.dut->error_o == PICOS_ERR_NONE);
    }
    CHECK(table_.size() == 0);
    return true;
  }
  [[nodiscard]] unsigned spawned_children() const { return spawned_children_; }
  [[nodiscard]] unsigned inline_children() const { return inline_children_; }

 private:
  using Stack = std::vector<Nested*>;

  Nested* add(unsigned children, unsigned levels, Nested* parent) {
    tasks_.push_back({.children_left = children, .levels_below = levels, .parent = parent});
    return &tasks_.back();
  }

  CoreProgram run_core(unsigned core) {
    Stack& stack = stacks_[core];
    while (ended_ < count_) {
      Nested* const top = stack.empty() ? nullptr : stack.back();
      if (top != nullptr && top->children_left != 0) {
        top->children_left -= 1;
        const bool granted = co_await cores_.issue(core, {PICOS_SUBMISSION_REQUEST,
                                                          packets_of_child_}) == PICOS_FLAG_DONE;
        const unsigned below = top->levels_below - 1;
        Nested* const child = add(below == 0 ? 0 : 2, below, top);
        child->is_inline = !granted;
        (granted ? spawned_children_ : inline_children_) += 1;
        if (granted) {
          top->children_live += 1;
          co_await cores_.issue(core, {PICOS_SUBMIT_THREE_PACKETS, name_of(child), 0, false});
        } else {
          stack.push_back(child);
        }
      } else if (top != nullptr && top->children_live == 0) {
        if (!top->is_inline)
          co_await cores_.issue(core, {PICOS_RETIRE_TASK, top->picos_id, 0, false});
        end(top);
        stack.pop_back();
      } else if (top == nullptr && core == 0 && next_ < count_ && cores_.chance(80)) {
        const unsigned deps = 1 + cores_.number() % 3;
        if (co_await cores_.issue(core, {PICOS_SUBMISSION_REQUEST, 3 + 3 * deps}) !=
            PICOS_FLAG_DONE) {
          continue;
        }
        next_ += 1;
        Nested* const task = add(2, 3, nullptr);
        std::vector<AddressUse> uses(deps);
        for (AddressUse& use : uses)
          use = {8 + 8 * std::uint64_t{cores_.number() % 24}, Mode::Write};
        table_.add(name_of(task), uses);
        co_await cores_.issue(core, {PICOS_SUBMIT_THREE_PACKETS, name_of(task), deps, false});
        for (const AddressUse& use : uses) {
          co_await cores_.issue(core, {PICOS_SUBMIT_THREE_PACKETS, use.address,
                                       PICOS_DIRECTION_READS | PICOS_DIRECTION_WRITES, false});
        }
      } else {
        co_await cores_.issue(core, {PICOS_READY_TASK_REQUEST});
        const std::uint64_t name = co_await cores_.issue(core, {PICOS_FETCH_SW_ID});
        if (name == PICOS_NOTHING_TO_FETCH) continue;
        Nested* const task = &tasks_[name];
        task->picos_id = co_await cores_.issue(core, {PICOS_FETCH_PICOS_ID});
        if (task->parent == nullptr) REQUIRE(table_.ready(name));
        stack.push_back(task);
        progress_ = true;
      }
    }
  }

  void end(Nested* task) {
    progress_ = true;
    if (task->parent == nullptr) {
      table_.retire(name_of(task));
      ended_ += 1;
    } else if (!task->is_inline) {
      task->parent->children_live -= 1;
    }
  }

  // Its place among all tasks. A deque: places stay.
  std::uint64_t name_of(const Nested* task) {
    std::uint64_t name = tasks_.size() - 1;
    while (&tasks_[name] != task) name -= 1;
    return name;
  }

  AnyCores cores_;
  unsigned count_;  // tasks of the program itself
  std::uint64_t packets_of_child_;
  std::deque<Nested> tasks_;
  std::vector<Stack> stacks_;
  AddressTable table_;
  unsigned next_ = 0;
  unsigned ended_ = 0;
  unsigned spawned_children_ = 0;
  unsigned inline_children_ = 0;
  bool progress_ = false;
};

}  // namespace myr::hw
