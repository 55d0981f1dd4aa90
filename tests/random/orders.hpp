// SPDX-License-Identifier: Apache-2.0
//
// Orders: which tasks of a random program use the same memory, and which of these its declarations
// keep in order, by docs/semantics.md alone, of which it takes the machine that orders least. The
// program is walked once, in serial order; neither the runtime nor `myr check` is asked.
//
// What a task does between calls that spawn or wait is a stretch. Each stretch knows all those that
// are over when it begins, in every schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "world.hpp"

namespace myr::random_test {

// Two tasks, in serial order, that use the same memory, which at least one of them writes.
struct Pair {
  unsigned first;
  unsigned second;
  std::string memory;  // as dump() names it; in brackets: where the harness keeps its address
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

class Orders {
 public:
  explicit Orders(const Program& program);

  // The pairs that nothing keeps in order. Apart: both use it by atomic operations, or one comes
  // behind the other because of something that both have declared as commutative; marked, if either
  // has not declared it, also where the other one only declares it. Declared: of memory in no
  // region that both have declared, whatever they do with it. AtAnyTime: all others.
  enum class Which : std::uint8_t { AtAnyTime, Apart, Declared };
  [[nodiscard]] std::vector<Pair> unordered(Which which) const;
  // What tasks themselves use that is a mistake in any order: they have not declared it and it is
  // an object of a region, or they write what is `in`, or have declared it to hand it on only.
  [[nodiscard]] const std::vector<std::string>& undeclared() const { return undeclared_; }

 private:
  enum class Kind : std::uint8_t { Words, ObjectAddress, RegionId, Declared };
  using Memory = std::pair<Kind, unsigned>;
  using Stretches = std::vector<std::uint64_t>;  // a bit for each
  using Test = std::function<bool(const Access&)>;
  struct Use {
    unsigned task;
    unsigned begin;  // stretches
    unsigned end;
    unsigned first;
    unsigned count;
    bool writes;
    bool is_atomic;
    bool is_declared = true;
    bool is_weak = false;
  };
  struct Task {
    unsigned parent = kMainTask;
    unsigned depth = 0;
    unsigned stretch = 0;                 // the latest one
    std::vector<unsigned> children = {};  // those that have returned
    std::vector<Access> held = {};        // what it declares, as far as it has it itself by now
  };

  void run_task(unsigned task);
  void run_step(unsigned task, const Step& step);
  void run_memory_step(unsigned task, const Step& step);
  void spawn(unsigned task, unsigned child);
  void wait(unsigned task, Access access);
  void wait_all(unsigned task);

  void touch(unsigned task, const Access& access);
  void use(unsigned task, Memory memory, bool writes);
  void use_addresses(unsigned task, const std::vector<Access>& accesses);
  void use_region(unsigned task, unsigned region);
  void use_declared(unsigned task, unsigned begin);
  void note_undeclared(unsigned task, const Access& access);

  void begin_stretch(unsigned task);
  void come_after(unsigned stretch);
  void come_after_task(unsigned task, const Test& needs);
  void come_after_all(unsigned task);
  void come_after_children(unsigned task, const Access& access);
  void come_after_earlier(unsigned task, const Access& access);

  [[nodiscard]] const std::vector<Access>& accesses(unsigned task) const {
    return program_.tasks[task].accesses;
  }
  [[nodiscard]] bool has(unsigned task, const Test& test) const;
  [[nodiscard]] bool is_weak(unsigned task, const Access& access) const;
  [[nodiscard]] bool declares(unsigned task, const Target& target) const;
  [[nodiscard]] bool is_shared(unsigned task, const Access& access) const;
  [[nodiscard]] bool clash(const Access& one, const Access& other) const;
  [[nodiscard]] bool is_foreign(unsigned task, const Access& of_child) const;
  [[nodiscard]] bool is_mistake(unsigned task, const Access& touch, unsigned word) const;
  [[nodiscard]] bool is_below(unsigned task, unsigned other) const;
  [[nodiscard]] bool is_before(unsigned earlier, unsigned later) const {
    return earlier == later || (before_[later][earlier / 64] >> (earlier % 64) & 1) != 0;
  }
  [[nodiscard]] std::string name(const Memory& memory) const;
  [[nodiscard]] bool race(const Use& one, const Use& other) const;
  [[nodiscard]] std::vector<Access> commutative_below(unsigned above, unsigned task) const;
  [[nodiscard]] unsigned common_above(unsigned one, unsigned other) const;
  [[nodiscard]] bool take_turns(unsigned one, unsigned other) const;

  const Program& program_;
  World world_;
  std::vector<Task> tasks_;
  std::vector<Stretches> before_;  // by stretch
  std::vector<unsigned> makers_;   // tasks, by object
  std::map<Memory, std::vector<Use>> uses_;
  std::vector<std::string> undeclared_;
};

}  // namespace myr::random_test
