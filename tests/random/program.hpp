// SPDX-License-Identifier: Apache-2.0
//
// A random task program as plain data: what generate() makes, run_with_myrmidon() and
// run_serially() run, and dump() prints. Everything is fixed in it, delays too, so that a seed is a
// program.
//
// Memory is objects of 64-bit words. An object is allocated in a region by a step of some task, or
// it is unmanaged: plain memory of the harness (`global`) or of one task's stack frame (`local`).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

namespace myr::random_test {

inline constexpr unsigned kRootRegion = 0;
inline constexpr unsigned kNoRegion = ~0u;
inline constexpr unsigned kLocalWords = 24;  // words of the one local array that a task may declare
inline constexpr unsigned kMainTask = 0;

// A region with everything in it, a whole object, or words [first, first + count) of an object.
struct Target {
  bool is_region;
  bool is_whole;
  unsigned index;
  unsigned first;
  unsigned count;
};

enum class Mode : std::uint8_t { In = 1, Out = 2, InOut = 3 };

// Does a task that writes wait for others that use the memory in the same way? Whatever lies
// in memory of a group, its tasks and all below them only add to it, so any order has one result.
enum class Way : std::uint8_t { Usual, Commutative, Concurrent };

struct Access {
  Target target;
  Mode mode;
  bool no_transfer;
  Way way = Way::Usual;  // of a touch: not Usual: it adds; Concurrent: by atomic instructions
  bool is_weak = false;  // with no_transfer: only children wait
};

struct Step {
  enum class Kind : std::uint8_t {
    Touch,         // read, write or both the words of `access`, or add to them
    Spawn,         // start task `index`
    Wait,          // wait for `accesses`
    WaitAll,       //
    NewRegion,     // create region `index`
    FreeRegion,    // free it
    Allocate,      // allocate objects [index, index + count), write them
    Reallocate,    // turn object `old_index` into object `index`, write it
    Free,          // free object `index`
    DeclareLocal,  // object `index` is the task's local array
    Spin,          // compute for `count` rounds
  };
  Kind kind;
  unsigned index = 0;
  unsigned old_index = 0;
  unsigned count = 0;
  Access access{};
  std::vector<Access> accesses{};
};

struct TaskPlan {
  std::vector<Access> accesses;
  std::vector<Step> steps;
};
struct ObjectPlan {
  unsigned region;  // kNoRegion: unmanaged
  unsigned words;
};

struct Program {
  std::uint64_t seed;
  std::vector<TaskPlan> tasks;      // task 0 is main; a task's number is its place in serial order
  std::vector<ObjectPlan> objects;  // the first `global_count` are the harness's
  std::vector<unsigned> region_parent;  // region 0 is the root
  std::vector<unsigned> live_objects;   // in regions, at the end
  std::vector<unsigned> live_regions;   // directly below the root, at the end
  unsigned global_count;
};

// How large a program may become. Shrinking lowers the numbers.
struct Limits {
  unsigned task_max = 300;
  unsigned task_depth_max = 5;
  unsigned region_depth_max = 6;
  unsigned step_max = 14;  // a task
  unsigned spin_max = 400;
  unsigned global_max = 3;      // unmanaged objects that main has
  unsigned group_percent = 20;  // of spawns: several tasks in any order
};

// The same seed and limits make the same program.
[[nodiscard]] Program generate(std::uint64_t seed, const Limits& limits);

// One task does not declare all that it uses any more: an access is dropped, only for reading, or
// of half of the words. Which one the seed says.
void break_one_access(Program& program);

// What the broken program has lost (Orders), a line each: "lost T1 T2 o3", a pair of tasks that use
// the same memory in no order any more; "apart T1 T2 o3", a pair that does so by atomic operations,
// or one behind the other; "declared T1 T2 m3", tasks that only declare the same; "undeclared T1
// o3[0]", what a task uses and has not declared. And "unordered T1 T2 o3", what had no order
// before: a mistake of the generator, or of Orders.
void print_lost_orders(const Program& right, const Program& broken, std::ostream& out);

void dump(const Program& program, std::ostream& out);

// What a run leaves: a hash of all that each task read, and the content of each object alive at the
// end (for the others: nothing).
struct Outcome {
  std::vector<std::uint64_t> task_hash;
  std::vector<std::vector<std::uint64_t>> content;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Through the public interface, on the machine that MYR_ON names. Leaves no region or object
// behind.
[[nodiscard]] Outcome run_with_myrmidon(const Program& program);
// Without the runtime: the task tree is walked, each spawn is a call.
[[nodiscard]] Outcome run_serially(const Program& program);

}  // namespace myr::random_test
