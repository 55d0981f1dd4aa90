// SPDX-License-Identifier: Apache-2.0
//
// Teams and tasks of an OpenMP program under `myr check`: a runtime that executes the program once,
// on logical threads of which one runs at a time, and says what is ordered before what in every
// execution, however the work is shared out (ADR 126).
//
// - A task is executed where it is created: those before it in a list of dependences have ended by
//   then. Only its edges order it. Tasks get the numbers of different threads in turn, among those
//   that are at a barrier and could execute them.
// - In a loop that threads share out as they like, each thread gets every n-th chunk, and each
//   chunk is a strand of its own, behind the last barrier; so are sections. The n-th single is for
//   the n-th thread from the end.
//
// Threads: the one that has the baton. Every function is called inside (Watch::Inside), except
// where it calls what is the program's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "check/omp_baton.hpp"
#include "check/omp_races.hpp"
#include "check/omp_reduce.hpp"

namespace myr::check::omp {

using Strand = Strands::Id;
using Body = void (*)(void*);

// What a task hands on to those that it creates.
struct Settings {
  unsigned thread_count = 0;
  unsigned levels_max = 1;
  bool is_dynamic = false;
  int schedule = 1;
  int schedule_chunk = 0;
};

// A range that is shared out, iterations counted from 0.
struct Bounds {
  std::uint64_t start = 0;
  std::uint64_t step = 1;
  std::uint64_t count = 0;
};
[[nodiscard]] inline Bounds bounds_of(long start, long end, long step) noexcept {
  const long distance = step > 0 ? end - start : start - end;
  const long size = step > 0 ? step : -step;
  return {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(step),
          distance <= 0 ? 0 : static_cast<std::uint64_t>((distance + size - 1) / size)};
}
[[nodiscard]] inline Bounds bounds_of(bool up, std::uint64_t start, std::uint64_t end,
                                      std::uint64_t step) noexcept {
  const bool is_empty = up ? end <= start : start <= end;
  const std::uint64_t distance = up ? end - start : start - end;
  const std::uint64_t size = up ? step : -step;
  return {start, step, is_empty ? 0 : (distance - 1) / size + 1};
}
struct LoopRequest {
  Bounds bounds;
  std::uint64_t chunk = 1;
  bool is_static = false;  // who does what is known to the program
  bool is_ordered = false;
  Construct construct = {};
};

// A worksharing construct that threads of a team have met.
struct Work {
  LoopRequest loop;
  std::uint64_t turn = 0;  // of ordered: the chunk whose turn it is
  std::optional<Strand> last_ordered;
  std::vector<Bounds> dimensions;                       // of doacross
  std::map<std::vector<std::uint64_t>, Strand> posted;  // by iteration
  std::unique_ptr<std::byte[]> memory;
  std::uintptr_t* reductions = nullptr;
  unsigned left_count = 0;
  std::vector<std::uint64_t> left_over;  // the next chunk of each thread that has cancelled it
};

struct Group {
  Group* outer = nullptr;
  std::vector<Strand> ended = {};        // tasks
  unsigned pending_count = 0;            // tasks that wait for an event
  std::uintptr_t* reductions = nullptr;  // gcc's
  std::vector<KmpReduction> kmp_reductions = {};
  std::vector<Strand> cancels = {};
};
// What threads of a team share of one of clang's reductions over tasks.
struct TeamReductions {
  std::vector<KmpReduction> reductions = {};
  unsigned thread_count = 0;
  unsigned ended_count = 0;
};

constexpr std::uintptr_t kAllMemory = ~std::uintptr_t{0};  // as an address: omp_all_memory
enum class Depend : std::uint8_t { In, Out, Together, InTurn };
// The users of an address in depend clauses: a set of tasks that go in any order, and those before.
struct Depended {
  Depend way = Depend::Out;
  std::vector<Strand> before;
  std::vector<Strand> set;
};

struct Making;

// The children of a task. A task that waits for an event may outlive its parent.
struct Children {
  std::vector<Strand> ended = {};  // those that it has not waited for
  std::map<std::uintptr_t, Depended> depended = {};
  // Children that wait for an event, or behind such a child, in their order.
  std::vector<const Making*> pending = {};
};

struct Team;

struct Task {
  Team* team = nullptr;
  unsigned index = 0;  // of the thread in the team
  Races::Runner runner = {};
  std::uint64_t frame = 0;  // those below are its own
  Settings settings = {};
  bool is_final = false;
  bool is_explicit = false;
  unsigned system_lock_count = 0;  // that it holds
  Group* group = nullptr;
  std::shared_ptr<Children> children = std::make_shared<Children>();
  // ---- of a thread of a team
  bool is_at_barrier = false;  // where it may execute tasks
  unsigned met = 0;            // worksharing constructs
  std::shared_ptr<Work> work = nullptr;
  std::uint64_t next_chunk = 0;
  bool is_in_chunk = false;
  std::uint64_t chunk = 0;
  std::shared_ptr<Work> doacross = nullptr;  // clang's: apart from the loop
  unsigned asked_threads = 0;                // for its next region, by clang's code
  unsigned asked_teams = 0;
  Races::Runner outside = {};  // of the chunk
};

struct Team {
  unsigned size = 1;
  unsigned level = 0;
  unsigned active_level = 0;
  Team* outer = nullptr;
  unsigned outer_index = 0;
  bool is_alone = false;          // does nothing else run meanwhile?
  Strand base = Strands::kFirst;  // the last barrier
  std::vector<Task> tasks = {};   // implicit ones
  unsigned arrived = 0;           // at the barrier
  unsigned done_count = 0;        // threads but the first that have come to the region's end
  unsigned executor = 0;          // the thread whose number the last task got
  unsigned generation = 0;
  std::vector<Strand> ended = {};  // tasks and chunks since the last barrier
  unsigned pending_count = 0;      // tasks that wait for an event
  std::vector<Strand> region_cancels = {};
  std::vector<Strand> work_cancels = {};  // of a loop or sections, since the last barrier
  std::map<unsigned, std::shared_ptr<Work>> works = {};
  std::map<int, TeamReductions> reductions = {};  // of the region (0), and of a loop (1)
  void* copied = nullptr;                         // by single, to all
  Task* alone = nullptr;                          // of a region of one thread: the task around it
};

// ---- who runs

// The task of the calling thread, which has the baton.
Task& task() noexcept;
// The strand of the task goes on behind `before`, too.
void go_on(Task& task, const std::vector<Strand>& before = {});
Races& races() noexcept;
Baton& baton() noexcept;
// Runs that task on the calling thread from now on.
void run_as(Task& task);
// The program's frames below are gone.
void forget_frames(std::uint64_t frame);
// Accesses there are not checked.
void exclude(const void* first, std::size_t bytes);

// ---- regions (omp_team.cpp)

struct Region {
  Body body;
  void* data;
  unsigned size;
  std::uint64_t frame;
  Construct construct;
  const LoopRequest* loop = nullptr;  // the region is one
  Group* group = nullptr;
};
unsigned team_size_for(const Task& task, unsigned wanted);
void run_region(const Region& region);
// Returns whether the thread goes to the region's end, because the region is cancelled.
bool barrier();
void run_target(Body body, void* data, std::uint64_t frame, Construct construct);
void run_league(const Region& region);
// A region of one thread, which lasts until it is ended.
void begin_alone(std::uint64_t frame);
void end_alone();
void start_league(unsigned count);  // 0: as many as we like
bool next_in_league();
int league_size();
int league_index();

// ---- worksharing (omp_work.cpp)

Work& enter_work(const LoopRequest& request);
void leave_work();
bool next_chunk(std::uint64_t* first, std::uint64_t* behind);
void end_chunk();
bool is_single();
void start_ordered();
void end_ordered();
void post(Work& work, const std::uint64_t* iteration);
void wait_for_post(Work& work, const std::uint64_t* iteration);

// ---- cancelling (omp_cancel.cpp)

enum class Cancelled : std::uint8_t { Region, Work, Group };
[[nodiscard]] bool can_cancel();
// Both return whether the running task goes to the construct's end.
bool cancel(Cancelled what);
bool is_cancelled(Cancelled what);
bool is_behind_one(const std::vector<Strand>& cancels, Strand strand);

// ---- tasks (omp_task.cpp)

struct TaskRequest {
  Body body;
  void* data;
  void (*copy)(void*, void*);
  std::size_t bytes;
  std::size_t align;
  bool is_deferred;
  bool is_final;
  void** depend;
  void* detach = nullptr;  // where the name of the event goes that ends it
  void* event = nullptr;   // the same, if it has been made before; neither: it ends by itself
  std::uint64_t frame;
  Construct construct;
  const std::uint64_t* range = nullptr;  // of a taskloop: replaces the first two words
  bool is_target = false;                // with nowait one that is alone puts it off, too
};
void run_task(const TaskRequest& request);
void wait_for_children();
void wait_for_depend(void** depend);
void* make_event();
void fulfill(std::uintptr_t event);
void begin_group();
void end_group();

// ---- locks (omp_lock.cpp)

void acquire(std::uint64_t lock);
bool try_to_acquire(std::uint64_t lock);
void release(std::uint64_t lock);
// For a critical construct, whose effect other threads may be waiting to see.
void release_critical(std::uint64_t lock);
// The same for a lock of the system, which other threads cannot hold at that time.
void note_acquired(std::uint64_t lock);
void note_released(std::uint64_t lock);
// For locks that their owner may take again: returns how often it holds the lock then; 0: another
// owner has it.
unsigned acquire_nested(std::uint64_t lock);
unsigned try_to_acquire_nested(std::uint64_t lock);
void release_nested(std::uint64_t lock);

}  // namespace myr::check::omp
