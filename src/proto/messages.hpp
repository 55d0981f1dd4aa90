// SPDX-License-Identifier: Apache-2.0
//
// What agents of a tree machine tell each other. Each message has one receiver and travels hop by
// hop along the tree; between neighbours, messages stay in order, and the whole protocol relies on
// that: what two agents tell each other arrives in the order in which it was said.
//
// This is the only description of each message: its members, which visit_fields() finds; kParts,
// the list that counts as its parts; and kEffort, what handling it takes. From these follow its
// size in memory (sizes.hpp), its cost on simulated chips, and its bytes (wire_format.hpp).
//
// A task has a home: the lowest scheduler with all that the task uses in its subtree. The home of
// its parent chooses it, and writes it into the task's id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/bits.hpp"
#include "base/small_vector.hpp"
#include "deps/access_path.hpp"
#include "deps/queue_tree.hpp"
#include "proto/agent.hpp"
#include "proto/ids.hpp"
#include "proto/pages.hpp"
#include "proto/serial_time.hpp"

namespace myr::proto {

using deps::Mode;
using deps::NodeId;
using deps::Path;
using deps::TaskId;

// What a message costs schedulers on simulated chips, besides sending and taking it, in steps.
// [assumed] A walk through the region tree, an entry into a queue or out of it, a packing and a
// choice of a child cost a step each; writing down what a message says costs nothing. What comes
// with the same message, or is in the same region, costs less: see transport/sim/costs.hpp.
enum class Effort : std::uint8_t {
  None,
  Step,  // to handle it
  // The same, and for each further node that it tells of:
  Ask,    // to find its way
  Reach,  // to enter, if the way ends with this scheduler
  Leave,
  Choice,   // a step before it is sent: a child is chosen for it
  Part,     // what entering the accesses of a part of a loop takes: see transport/sim/costs.hpp
  PartEnd,  // the same for leaving them
  // In a recorded step, for each of so many accesses or tasks: see transport/sim/costs.hpp.
  Record,       // whom they wait for is found out
  Share,        // they are put into the portion of the scheduler below which they ran,
  Keep,         // and kept there, and by workers
  ReplayBegin,  // before one is sent to its worker
  ReplayEnd,    // one that was replayed has ended
};

// Whatever answers a request carries the number that the asker gave it.
using RequestId = std::uint64_t;

// A dependence of a task, and how its data moves.
struct Access {
  NodeId node;
  Mode mode = Mode::Read;
  bool transfers = true;     // the data goes to the worker that runs the task
  bool is_read = true;       // false: what is there now is of no use to the task
  bool is_part = false;      // of an object: which bytes, the task's ranges tell
  bool is_weak = false;      // only what the task spawns waits for what goes on below the node
  AgentId owner = kNoAgent;  // of the node; known once the access is resolved
  Path path = {};            // from a node of the parent's to this one; empty until resolved
  friend bool operator==(const Access&, const Access&) = default;
};
using Accesses = base::SmallVector<Access, 2>;

// Bytes that a task will use, and the worker that has them.
struct Piece {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  AgentId producer = kNoAgent;  // the worker that wrote them last
  // Numbers the bytes that these addresses ever hold: an agent that has this one need not fetch it.
  std::uint64_t version = 0;
  Mode mode = Mode::Read;
  bool is_read = true;     // false: nobody needs to bring them, but to have them still counts
  bool goes_on = false;    // with the object of the piece before it
  bool in_region = false;  // of a region: no object need begin or end where it does
};
using Pieces = base::SmallVector<Piece, 1>;

// What a task will have written where it runs: all that is brought to be written.
struct Written {
  NodeId node;
  AgentId owner = kNoAgent;
  bool is_part = false;  // as in Access
};

// Bytes, of memory that is in no region or of an object, that children of one task use and that
// keep these in order.
struct UsedRange {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Mode mode = Mode::Read;
  bool is_weak = false;  // of memory that is in no region: only what the task spawns waits
  friend bool operator==(const UsedRange&, const UsedRange&) = default;
};
[[nodiscard]] inline bool overlap(const UsedRange& a, const UsedRange& b) noexcept {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

// Iterations of a loop; none: the task is no part of one.
struct Iterations {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool none() const noexcept { return begin == end; }
  friend bool operator==(const Iterations&, const Iterations&) = default;
};

// Which objects of a region the iterations of a loop use: those that belong to them, one to each,
// and to so many iterations before and behind them.
struct Window {
  NodeId region;
  Mode mode = Mode::Read;
  bool transfers = true;
  bool is_read = true;
  std::int64_t first = 0;  // the iteration that the first object belongs to
  std::uint64_t count = 0;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

// The objects of the window, by number, that these iterations use: [first, last).
[[nodiscard]] inline std::pair<std::uint64_t, std::uint64_t> objects_of(
    const Window& window, Iterations iterations) noexcept {
  const bool is_late = window.first >= 0;  // the first object's iteration
  const auto first = static_cast<std::uint64_t>(window.first);
  const std::uint64_t on = is_late ? 0 : 0 - first;
  const std::uint64_t back = is_late ? first : 0;
  // Moves so many on and back from the iteration's number.
  const auto number = [&](std::uint64_t iteration, std::uint64_t ahead, std::uint64_t behind) {
    const std::uint64_t object = ahead < behind ? iteration - std::min(iteration, behind - ahead)
                                                : base::saturated_sum(iteration, ahead - behind);
    return std::min(object, window.count);
  };
  return {number(iterations.begin, on, base::saturated_sum(back, window.before)),
          number(iterations.end, base::saturated_sum(on, window.after), back)};
}

// A loop, which its home cuts into parts of so many iterations: tasks that the loop spawns, in
// order. The loop's own accesses are the regions of its windows, and only pass through these.
struct Loop {
  Iterations iterations;
  std::uint64_t grain = 1;
  std::vector<Window> windows;
  std::vector<std::uint64_t> objects;  // of all windows, one after the other
  static constexpr auto kParts = &Loop::objects;
  friend bool operator==(const Loop&, const Loop&) = default;
};
// nullptr: there is none. Nobody changes it.
using LoopPtr = std::shared_ptr<Loop>;

// What to do when a task's accesses are granted.
enum class Purpose : std::uint8_t {
  Run,         // run its function on a worker
  Spread,      // spawn the parts of its loop
  Wait,        // tell the parent, which waits for these accesses
  FreeObject,  // free the one object that it has
  FreeRegion,  // free the one region that it has
  Hold,        // hold what a recorded step uses, while it is replayed
};

// For a task on a machine of several processes, which share no memory.
struct Parcel {
  AgentId bound_to = kNoAgent;   // the worker that alone can run it
  std::vector<std::byte> bytes;  // what to call with what; mean something to workers only
};
// nullptr: there is none. Nobody changes it.
using ParcelPtr = std::shared_ptr<Parcel>;
// kNoAgent: any worker can run the task.
[[nodiscard]] inline AgentId bound_to(const ParcelPtr& parcel) noexcept {
  return parcel == nullptr ? kNoAgent : parcel->bound_to;
}

// An exception that a task let out, on its way to a wait of its parent or of a task above that.
struct Failure {
  SerialTime time;               // when the serial program would throw it
  std::vector<std::byte> bytes;  // what was thrown; mean something to workers only
};
using FailurePtr = std::shared_ptr<Failure>;
// Keeps the first in the serial program.
inline void keep_first(FailurePtr& kept, FailurePtr&& other) {
  if (other == nullptr) return;
  if (kept == nullptr || other->time < kept->time) kept = std::move(other);
}

// Where a task stands in a step that main has marked (myr_recording).
struct StepPlace {
  std::uint32_t step = 0;   // none: it is in no step. No number is used again
  std::uint32_t spawn = 0;  // of the step
  bool is_replayed = false;
};

struct Task {
  TaskId id = 0;  // given by its parent's home
  TaskId parent = 0;
  Purpose purpose = Purpose::Run;
  SerialTime time;            // when its spawn is executed
  std::uint64_t program = 0;  // what to run; means something to workers only
  Accesses accesses;
  base::SmallVector<Written, 2> written;  // filled in by the maker
  std::vector<UsedRange> ranges;
  bool waits_for_siblings = false;  // they use the same memory; its maker tells when to go
  ParcelPtr parcel = nullptr;
  LoopPtr loop = nullptr;  // to spread
  Iterations iterations;   // of the loop that it is a part of
  StepPlace place = {};
  static constexpr auto kParts = &Task::accesses;
};
using TaskPtr = std::unique_ptr<Task>;
// Does it leave waiting for siblings to what it spawns?
[[nodiscard]] inline bool goes_ahead(const Task& task) noexcept {
  return task.purpose == Purpose::Run &&
         std::all_of(task.ranges.begin(), task.ranges.end(),
                     [](const auto& range) { return range.is_weak; });
}

// ---- a worker to the home of the task that it runs -------------------------------------------

struct Spawn {  // also: wait for accesses, free
  TaskPtr task;
  static constexpr Effort kEffort = Effort::None;  // except for the ways: see Environment
};
struct WaitAll {
  TaskId task;
  SerialTime time;
  static constexpr Effort kEffort = Effort::None;
};
struct BodyEnded {
  TaskId task;
  FailurePtr failure = nullptr;
  static constexpr Effort kEffort = Effort::Step;
};
// Comes before BodyEnded, or the last WaitAll: the task's local variables are gone, and no child of
// it may use them.
struct LocalsGone {
  TaskId task;
  UsedRange locals;
  static constexpr Effort kEffort = Effort::None;
};

// ---- answers to a worker ---------------------------------------------------------------------

// The wait of the worker's running task is over, once it has fetched the pieces.
struct WaitOver {
  TaskId task;
  Pieces pieces;
  FailurePtr failure = nullptr;  // of a wait for all: the first of those since the last one
  static constexpr auto kParts = &WaitOver::pieces;
  static constexpr Effort kEffort = Effort::None;
};

// ---- the ways of accesses, when the parent's home does not know them ---------------------------

// One of the accesses of the spawn that the parent's home is launching.
struct Sought {
  NodeId node;
  std::uint32_t index;   // which access that is
  bool is_part = false;  // as in Access: the node may name a place within the object
};

// Goes down to the owner of the nodes, which divides it by the regions around them; then up from
// owner to owner, its path growing at its front, until it is where it came from.
struct Resolve {
  TaskId parent;
  AgentId asker;  // its home
  base::SmallVector<Sought, 2> sought;
  AgentId owner = kNoAgent;  // of the nodes, once it is known; then they have the path in common,
  Path path = {};            // to the region around them
  bool is_known = true;      // false: there are no such nodes
  static constexpr auto kParts = &Resolve::sought;
  static constexpr Effort kEffort = Effort::Ask;
};

// ---- dependences -----------------------------------------------------------------------------

// To the task's home, before its accesses enter: keep the record of this task.
struct Adopt {
  TaskPtr task;
  static constexpr Effort kEffort = Effort::Step;
};
// The loop's home to itself: the part that begins with this iteration is next; a part is over.
struct NextPart {
  TaskId loop;
  std::uint64_t begin;
  std::uint32_t accesses;  // of a part, about
  static constexpr Effort kEffort = Effort::Part;
};
struct PartOver {
  TaskId part;
  std::uint32_t accesses;
  static constexpr Effort kEffort = Effort::PartEnd;
};
// To the owner of the first node on the ways: let these accesses in. See deps::QueueTree.
struct Enter {
  TaskId parent;
  deps::Use use;
  deps::Ways ways;
  static constexpr auto kParts = &Enter::ways;
  static constexpr Effort kEffort = Effort::Reach;
};
struct Arrive {
  deps::Use use;
  deps::Ways ways;
  static constexpr auto kParts = &Arrive::ways;
  static constexpr Effort kEffort = Effort::Reach;
};
struct EndedBelow {
  NodeId node;
  deps::Ended ended;
  static constexpr Effort kEffort = Effort::Step;
};
using Nodes = base::SmallVector<NodeId, 6>;
// To the home: these accesses of the task may begin.
struct Granted {
  TaskId task;
  // One region or object; or several objects. Then the pieces of each follow those of the one
  // before it, and only the first of them does not go on.
  Nodes nodes;
  Pieces pieces;
  bool is_known = true;  // false: the nodes have been freed since their ways were found
  static constexpr Effort kEffort = Effort::None;
  [[nodiscard]] std::size_t parts() const noexcept { return std::max(nodes.size(), pieces.size()); }
};
// To the owners: the task uses these nodes no more.
struct Done {
  TaskId task;
  Nodes nodes;
  static constexpr auto kParts = &Done::nodes;
  static constexpr Effort kEffort = Effort::Leave;
};
// To the parent's home: a task and all its descendants have ended.
struct Completed {
  TaskId parent;
  TaskId child;
  FailurePtr failure = nullptr;  // that nobody below has taken
  static constexpr Effort kEffort = Effort::None;
};
// From the home of the parent to that of the task: all siblings that it waited for have completed.
struct SiblingsDone {
  TaskId task;
  static constexpr Effort kEffort = Effort::None;
};

// ---- packing: what a region's subtree holds --------------------------------------------------

struct Pack {
  RequestId request;
  AgentId asker;
  NodeId region;  // or an object
  static constexpr Effort kEffort = Effort::Step;
};
struct Packed {
  RequestId request;
  Pieces pieces;
  bool is_known = true;  // false: there is no such node
  static constexpr auto kParts = &Packed::pieces;
  static constexpr Effort kEffort = Effort::None;
};
// The worker has what these nodes hold at that time: it will have written all of it.
struct Relocate {
  Nodes nodes;
  AgentId producer;
  SerialTime time;
  std::vector<UsedRange> parts = {};  // of one object, and perhaps of others; none: all of it
  static constexpr auto kParts = &Relocate::nodes;
  static constexpr Effort kEffort = Effort::None;
};

// ---- choosing a worker -----------------------------------------------------------------------

// What a worker has to know of a task. The pieces tell where its data is.
struct Work {
  TaskId task = 0;
  std::uint64_t program = 0;
  SerialTime time;
  Pieces pieces;
  ParcelPtr parcel = nullptr;
  Iterations iterations;  // as in Task
  StepPlace place = {};   // the same
  static constexpr auto kParts = &Work::pieces;

  // May another worker below `top` have the task before it begins? Those below its home may; and of
  // two schedulers above a worker, the upper one has the smaller number. A step is recorded, and
  // replayed, where it was placed.
  [[nodiscard]] bool may_leave_for(AgentId top) const noexcept {
    return bound_to(parcel) == kNoAgent && place.step == 0 && home_of(task) <= top;
  }
};
// Goes down from the home: choose a worker. Each scheduler chooses one child.
struct Place {
  Work work;
  static constexpr Effort kEffort = Effort::Choice;
};
// From the lowest scheduler to the worker that it has chosen: run this;
struct Execute {
  Work work;
  static constexpr Effort kEffort = Effort::Choice;
};
// and to the home: it runs there.
struct Placed {
  TaskId task;
  AgentId worker;
  static constexpr Effort kEffort = Effort::None;
};
// To the scheduler above, when the load has changed enough.
struct Load {
  std::uint32_t tasks;       // placed in the subtree and not ended
  std::uint32_t regions;     // that live there
  std::uint64_t places = 0;  // Place and WaitOver messages that have come from above, ever
  // How many more tasks could run there at once. Negative: how many wait for a thread.
  std::int32_t room = 0;
  static constexpr Effort kEffort = Effort::None;
};

// ---- steps that main marks: see sched::StepKeeper -----------------------------------------------

// One spawn of a run.
struct StepSpawn {
  std::uint64_t program;
  SerialTime time;
  ParcelPtr parcel = nullptr;
};
// Main to the top: the first run of the step has been spawned.
struct StepRecorded {
  std::uint32_t step;
  static constexpr Effort kEffort = Effort::None;
};
// Main to the top: the step comes once more, with the same accesses.
struct StepRun {
  std::uint32_t step;
  std::vector<StepSpawn> spawns;
  // Main has told of about kTasksAheadMax tasks, and waits until kTasksLeftMax have not begun.
  bool waits = false;
  static constexpr std::size_t kTasksAheadMax = 4096;
  static constexpr std::size_t kTasksLeftMax = kTasksAheadMax / 2;
  static constexpr auto kParts = &StepRun::spawns;
  static constexpr Effort kEffort = Effort::None;
};
// Main to the top: what comes next is something else. The record is of no use any more.
struct StepClose {
  std::uint32_t step;
  static constexpr Effort kEffort = Effort::None;
};
// From the home of a task of the recorded run to the top: that task has spawned.
struct StepUnfit {
  std::uint32_t step;
  static constexpr Effort kEffort = Effort::None;
};
// The top to itself: find out next which tasks some more tasks wait for; put some more into
// portions; all are there.
struct StepAnalyse {
  std::uint32_t step;
  std::uint32_t accesses;
  static constexpr Effort kEffort = Effort::Record;
};
struct StepShare {
  std::uint32_t step;
  std::uint32_t tasks;
  static constexpr Effort kEffort = Effort::Share;
};
struct StepSeal {
  std::uint32_t step;
  static constexpr Effort kEffort = Effort::Step;
};
// The top to all others. Note: from now on tell where tasks of the step run, some at a time. Tell:
// tell now what has not been told, and other tasks as they are placed. Forget: nothing of the step
// is of any use.
enum class StepOrder : std::uint8_t { Note, Tell, Forget };
struct StepNoting {
  std::uint32_t step;
  StepOrder order;
  static constexpr Effort kEffort = Effort::None;
};
// The answer: tasks of the step, and their pieces, one task's after the other's.
struct StepNote {
  std::uint32_t spawn;
  std::uint64_t first_iteration;
  AgentId worker;
  std::uint32_t piece_count;
};
struct StepNotes {
  std::uint32_t step;
  std::vector<StepNote> notes;
  std::vector<Piece> pieces;
  static constexpr auto kParts = &StepNotes::pieces;
  static constexpr Effort kEffort = Effort::None;
};
// The top to a scheduler of workers: some tasks of the step for these, with their pieces, one
// task's after the other's. One without a worker stands for those here that a task elsewhere waits
// for.
struct StepTask {
  std::uint32_t spawn;  // of those that are told to this scheduler
  Iterations iterations;
  AgentId worker;
  std::uint32_t piece_count;
};
// A task of some portion waits for `elder`, which is here. `elder` is kElsewhere: `task` is here,
// and waits for one elsewhere.
struct StepLink {
  static constexpr std::uint32_t kElsewhere = ~std::uint32_t{0};
  std::uint32_t elder;
  AgentId scheduler;
  std::uint32_t task;
};
// A task of the portion uses a piece that `writer`, a task of the whole step, will have written;
// where that one runs is not known yet.
struct StepOpen {
  std::uint32_t task;
  std::uint32_t piece;
  std::uint32_t writer;
};
struct StepPortion {
  std::uint32_t step;
  std::vector<StepTask> tasks;
  std::vector<Piece> pieces;
  std::vector<StepOpen> open;
  std::vector<StepLink> links;
  static constexpr auto kParts = &StepPortion::pieces;
  static constexpr Effort kEffort = Effort::Keep;
};
// The top to a scheduler of workers: its portion is complete; and where other tasks run.
struct StepWriter {
  std::uint32_t task;
  AgentId worker;
};
struct StepSealed {
  std::uint32_t step;
  std::vector<StepWriter> writers;
  static constexpr auto kParts = &StepSealed::writers;
  static constexpr Effort kEffort = Effort::Step;
};
// The top to the schedulers of workers: a run begins. Back: this portion of it is over.
struct StepBegin {
  std::uint32_t step;
  StepRuns runs;
  std::vector<StepSpawn> spawns;  // those that the scheduler is told
  static constexpr auto kParts = &StepBegin::spawns;
  static constexpr Effort kEffort = Effort::None;
};
struct StepOver {
  std::uint32_t step;
  bool has_spawned;              // one of its tasks
  FailurePtr failure = nullptr;  // the first of these
  static constexpr Effort kEffort = Effort::None;
};
// Between schedulers of workers: all that the task waits for at the sender have ended.
struct StepCount {
  std::uint32_t step;
  std::uint32_t task;
  static constexpr Effort kEffort = Effort::ReplayEnd;
};
// To a worker: one task more that it will run in each run of the step, and what it fetches for
// that; where a piece of that will be; that it will not run any of the step again.
struct StepWork {
  std::uint32_t step;
  Iterations iterations;
  Pieces pieces;
  static constexpr auto kParts = &StepWork::pieces;
  static constexpr Effort kEffort = Effort::None;
};
struct StepPiece {
  std::uint32_t step;
  std::uint32_t work;
  std::uint32_t piece;
  AgentId producer;
  static constexpr Effort kEffort = Effort::ReplayBegin;
};
struct StepForgotten {
  std::uint32_t step;
  static constexpr Effort kEffort = Effort::None;
};
// To a worker, in place of Execute: run this task of the step. Its answer, in place of BodyEnded.
struct Replay {
  TaskId task;
  std::uint32_t step;
  std::uint32_t work;  // of the step
  StepRuns runs;
  StepSpawn spawn;
  static constexpr Effort kEffort = Effort::ReplayBegin;
};
struct ReplayEnded {
  TaskId task;
  bool has_spawned = false;  // it ran its children by itself, one after the other
  FailurePtr failure = nullptr;
  static constexpr Effort kEffort = Effort::ReplayEnd;
};

// ---- taking tasks back, where others have nothing to do: see sched::TakeBack --------------------

// Goes down: some worker below `top` wants a task that has not begun.
struct GiveBack {
  AgentId top;
  static constexpr Effort kEffort = Effort::Step;
};
// Goes up, to the neighbour that asked. If the task is 0, main's number, there is none.
struct GivenBack {
  AgentId top;
  Work work = {};
  static constexpr Effort kEffort = Effort::Step;
};

// ---- memory ----------------------------------------------------------------------------------

struct NewRegion {
  RequestId request;
  AgentId asker;
  NodeId parent;
  std::int32_t level_hint;
  static constexpr Effort kEffort = Effort::Step;
};
// To the scheduler one level down that is to make and own the region.
struct Foster {
  RequestId request;
  AgentId asker;
  NodeId parent;
  AgentId location;  // producer of the parent
  std::int32_t level_hint;
  static constexpr Effort kEffort = Effort::Step;
};
// To the owner of the parent region: it is made. The owner answers the asker, if one is named.
struct Fostered {
  NodeId parent;
  NodeId child;
  RequestId request = 0;
  AgentId asker = kNoAgent;
  static constexpr Effort kEffort = Effort::None;
};
// To the asker of NewRegion. Not made: there is no such parent, or no memory.
struct RegionMade {
  RequestId request;
  NodeId region;
  bool made;
  bool is_parent_known = true;
  static constexpr Effort kEffort = Effort::None;
};
// To the owner, when the free is granted: also the end of the task that frees. It goes on to the
// owners of regions inside, without a task.
struct Free {
  NodeId node;
  TaskId task = 0;
  std::uint64_t program = 0;  // of the task
  static constexpr Effort kEffort = Effort::Step;
};
// To the owner of the parent region: the child is gone.
struct Orphaned {
  NodeId parent;
  NodeId child;
  static constexpr Effort kEffort = Effort::None;
};
struct Allocate {
  RequestId request;
  AgentId asker;
  NodeId region;
  std::uint64_t bytes;
  std::uint64_t count;
  SerialTime time;
  static constexpr Effort kEffort = Effort::Step;
};
// To the asker of Allocate. No addresses: there is no such region, or no memory.
struct Allocated {
  RequestId request;
  std::vector<std::uint64_t> addresses;
  bool is_region_known = true;
  static constexpr auto kParts = &Allocated::addresses;
  static constexpr Effort kEffort = Effort::None;
};

// A process makes regions for its own tasks by itself, inside one that the receiver owns, with
// indices and pages that it asks the owner to lend here. The answer may have less.
struct Lend {
  RequestId request;
  AgentId asker;
  std::uint64_t indices;
  std::uint64_t pages;
  static constexpr Effort kEffort = Effort::Step;
};
struct Lent {
  RequestId request;
  AgentId owner;
  std::vector<std::uint64_t> indices;  // see RegionTree::lend()
  std::vector<PageRun> pages;
  static constexpr auto kParts = &Lent::indices;
  static constexpr Effort kEffort = Effort::None;
};
// Before others may use such regions, their owner is told which ones there are, with all that is in
// them. Regions come before those in them.
struct MadeRegion {
  NodeId region;
  NodeId parent;
};
struct HandOver {
  AgentId maker;
  std::vector<MadeRegion> regions;
  std::vector<std::byte> memory;  // of one after the other: see Store::take_over()
  static constexpr auto kParts = &HandOver::regions;
  static constexpr Effort kEffort = Effort::Step;
};

// A process that keeps order among its own tasks asks the owner, or one that knows more, about a
// region, or the object around an address.
struct Describe {
  RequestId request;
  AgentId asker;
  NodeId node;
  static constexpr Effort kEffort = Effort::Step;
};
// No regions: there is no such node.
struct Described {
  RequestId request;
  std::vector<std::uint64_t> regions;  // it, or that around it, and those around that, as far as
                                       // the owner knows
  std::vector<std::byte> objects;      // see Store::describe()
  static constexpr auto kParts = &Described::regions;
  static constexpr Effort kEffort = Effort::None;
};

// A worker that runs no tasks (SPMD) asks the owner, or a scheduler above it, to free a region or
// an object now. See RegionTable.
struct Release {
  RequestId request;
  AgentId asker;
  NodeId node;
  static constexpr Effort kEffort = Effort::Step;
};
struct Released {
  RequestId request;
  bool is_known;  // false: there is no such node
  static constexpr Effort kEffort = Effort::None;
};

// ---- trading of pages, between neighbours ----------------------------------------------------

// Asks the scheduler above for pages, which answers each with PagesGranted. One is under way at a
// time.
struct PagesWanted {
  PageNeed need;
  std::uint64_t spare;  // more that would be welcome
  static constexpr Effort kEffort = Effort::None;
};
// No runs: nobody in the whole tree has them idle.
struct PagesGranted {
  std::vector<PageRun> runs;
  static constexpr auto kParts = &PagesGranted::runs;
  static constexpr Effort kEffort = Effort::None;
};
// Goes down from the top: give back all that lies idle in your subtree.
struct PagesDemanded {
  static constexpr Effort kEffort = Effort::None;
};
// To the scheduler above: these pages lay idle.
struct PagesReturned {
  std::vector<PageRun> runs;
  bool was_demanded;
  static constexpr auto kParts = &PagesReturned::runs;
  static constexpr Effort kEffort = Effort::None;
};

using Body = std::variant<
    Spawn, WaitAll, BodyEnded, LocalsGone, WaitOver, Resolve, Adopt, NextPart, PartOver, Enter,
    Arrive, EndedBelow, Granted, Done, Completed, SiblingsDone, Pack, Packed, Relocate, Place,
    Execute, Placed, Load, GiveBack, GivenBack, NewRegion, Foster, Fostered, RegionMade, Free,
    Orphaned, Allocate, Allocated, Lend, Lent, HandOver, Describe, Described, Release, Released,
    PagesWanted, PagesGranted, PagesDemanded, PagesReturned, StepRecorded, StepRun, StepClose,
    StepUnfit, StepAnalyse, StepShare, StepSeal, StepNoting, StepNotes, StepPortion, StepSealed,
    StepBegin, StepOver, StepCount, StepWork, StepPiece, StepForgotten, Replay, ReplayEnded>;

struct Message {
  AgentId to = kNoAgent;
  Body body;
};

}  // namespace myr::proto
