// SPDX-License-Identifier: Apache-2.0
//
// The frame of task_free and, compiled with TASK_CHAIN, of task_chain: runs the tasks, and
// compares the words with the numbers that they must have reached.
#include <algorithm>
#include <cstdint>
#include <string>

#include "common/blocks.hpp"
#include "common/program.hpp"
#include "picos/tasks/words.h"

namespace {

#ifdef TASK_CHAIN
constexpr bool kChain = true;
constexpr const char* kName = "task_chain";
constexpr const char* kText = "Small tasks that wait for each other: what a task costs";
#else
constexpr bool kChain = false;
constexpr const char* kName = "task_free";
constexpr const char* kText = "Small independent tasks: what a task costs";
#endif

// x becomes factor * x + step.
struct Advance {
  std::uint64_t factor;
  std::uint64_t step;
  [[nodiscard]] Advance then(Advance next) const {
    return {factor * next.factor, step * next.factor + next.step};
  }
};

// `count` steps of advance() at once, by squaring.
Advance advance_by(std::uint64_t count) {
  Advance power{kWordFactor, kWordStep};
  Advance result{1, 0};
  for (; count != 0; count >>= 1, power = power.then(power)) {
    if (count % 2 == 1) result = result.then(power);
  }
  return result;
}

class Run {
 public:
  Run(std::size_t tasks, std::size_t deps, std::size_t rounds)
      : words_(deps == 0 ? tasks
               : kChain  ? deps
                         : tasks * deps,
               1),
        program{tasks, deps, kChain ? 0 : std::max<std::size_t>(deps, 1), rounds, words_.data()} {}
  void prepare() const {
    for (std::size_t i = 0; i < words_.count(); ++i) *words_[i] = {i, {}};
  }
  [[nodiscard]] bool same_bits(const Run& other) const { return words_.same_bits(other.words_); }
  // The first word of a task has made all its steps, the others none.
  [[nodiscard]] std::string verify() const {
    const std::size_t step = program.deps == 0 ? 1 : program.deps;
    const Advance all = advance_by(program.rounds * (kChain ? program.tasks : 1));
    for (std::size_t i = 0; i < words_.count(); ++i) {
      const std::uint64_t wanted = i % step == 0 ? i * all.factor + all.step : i;
      if (words_[i]->value != wanted) return "word " + std::to_string(i);
    }
    return "";
  }

 private:
  kernels::Blocks<word> words_;

 public:
  words program;
};

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program(kName, kText);
  std::size_t size = 50000;
  std::size_t task = 1;
  std::size_t deps = 1;
  program.option("size", size, {1, 10000000}, "tasks");
  program.option("task", task, {0, 1000000000}, "rounds of work in a task, about 4 cycles each");
  program.option("deps", deps, {kChain ? 1 : 0, 15}, "dependences of a task: 0, 1, 3 or 15");
  program.parse(argc, argv);
  program.require(deps == 0 || deps == 1 || deps == 3 || deps == 15,
                  "--deps must be 0, 1, 3 or 15");

  Run expected(size, deps, task);
  Run result(size, deps, task);
  return program.run({
      .prepare = [&] { expected.prepare(), result.prepare(); },
      .serial = [&] { words_serial(&expected.program); },
      .parallel = [&] { words_tasks(&result.program); },
      .same = [&] { return result.same_bits(expected); },
      .verify = [&] { return result.verify(); },
  });
}
