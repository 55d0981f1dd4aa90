// SPDX-License-Identifier: Apache-2.0
//
// Tasks, what they wait for, and groups of them.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

namespace myr::check::omp {

namespace {

using Depends = std::map<std::uintptr_t, Depend>;

// The strongest way counts.
void add_depend(Depends& depends, std::uintptr_t address, Depend way) {
  const auto [found, is_new] = depends.try_emplace(address, way);
  if (!is_new && found->second != way) found->second = Depend::Out;
}

// Adds a dependence that the program describes by an object: its address and kind.
void add_object(Depends& depends, const void* object) {
  const auto* const words = static_cast<const std::uintptr_t*>(object);
  constexpr Depend kWays[] = {Depend::In,  Depend::In,     Depend::Out,
                              Depend::Out, Depend::InTurn, Depend::Together};
  add_depend(depends, words[0], kWays[std::min<std::uintptr_t>(words[1], 5)]);
}

// The compiler's list, in its short form or in its long one.
Depends read(void** depend) {
  Depends depends;
  if (depend == nullptr) return depends;
  const auto word = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(depend[i]); };
  const bool is_short = word(0) != 0;
  const std::size_t count = word(is_short ? 0 : 1);
  const std::size_t outs = word(is_short ? 1 : 2);
  const std::size_t in_turn = is_short ? 0 : word(3);
  const std::size_t ins = is_short ? count - outs : word(4);
  const std::size_t first = is_short ? 2 : 5;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < outs) {
      // As gcc writes omp_all_memory; as an address it would be in order with less.
      const bool is_all = word(first + i) == 0;
      add_depend(depends, is_all ? kAllMemory : word(first + i), Depend::Out);
    } else if (i < outs + in_turn) {
      add_depend(depends, word(first + i), Depend::InTurn);
    } else if (i < outs + in_turn + ins) {
      add_depend(depends, word(first + i), Depend::In);
    } else {
      add_object(depends, depend[first + i]);
    }
  }
  return depends;
}

bool is_of_set(const Depended& depended, Depend way) {
  return way != Depend::Out && depended.way == way && !depended.set.empty();
}

// Siblings that come before one with these.
std::vector<Strand> before(const Children& siblings, const Depends& depends) {
  std::vector<Strand> strands;
  const auto add = [&](const std::vector<Strand>& some) {
    strands.insert(strands.end(), some.begin(), some.end());
  };
  if (depends.contains(kAllMemory)) {
    for (const auto& [address, depended] : siblings.depended) add(depended.set);
    return strands;
  }
  for (const auto& [address, way] : depends) {
    const auto found = siblings.depended.find(address);
    if (found == siblings.depended.end()) continue;
    add(is_of_set(found->second, way) ? found->second.before : found->second.set);
  }
  const auto all = siblings.depended.find(kAllMemory);
  if (!depends.empty() && all != siblings.depended.end()) add(all->second.set);
  return strands;
}

void enter(Children& siblings, const Depends& depends, Strand ended) {
  if (depends.contains(kAllMemory)) siblings.depended.clear();  // all of it is behind this one
  for (const auto& [address, way] : depends) {
    Depended& depended = siblings.depended[address];
    if (!is_of_set(depended, way)) {
      depended.before = std::move(depended.set);
      depended.set.clear();
      depended.way = way;
    }
    depended.set.push_back(ended);
  }
}

// Tasks that go in turn hold a lock that only such tasks of the same address take.
void take_turns(Races::Runner& runner, const Depends& depends) {
  constexpr std::uint64_t kOfDepend = std::uint64_t{1} << 63;
  for (const auto& [address, way] : depends) {
    if (way == Depend::InTurn) {
      runner.locks = races().locks().with(runner.locks, {address | kOfDepend});
    }
  }
}

}  // namespace

// What the task works on: the creator's values of its variables.
class Arguments {
 public:
  explicit Arguments(const TaskRequest& request) : bytes_(request.bytes + request.align) {
    if (!request.is_deferred && request.copy == nullptr && request.range == nullptr) {
      data_ = request.data;
      return;
    }
    block_ = std::malloc(bytes_);
    const std::uint64_t align = std::max<std::uint64_t>(request.align, 1);
    data_ = reinterpret_cast<void*>((address_of(block_) + align - 1) / align * align);
    if (request.copy != nullptr) {
      const Outside outside;
      request.copy(data_, request.data);
    } else {
      std::memcpy(data_, request.data, request.bytes);
    }
    if (request.range != nullptr) std::memcpy(data_, request.range, 2 * sizeof *request.range);
  }
  ~Arguments() {
    if (block_ == nullptr) return;
    races().forget(address_of(block_), address_of(block_) + bytes_);
    std::free(block_);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  [[nodiscard]] void* data() const noexcept { return data_; }

 private:
  std::size_t bytes_;
  void* block_ = nullptr;
  void* data_;
};

// A task from its creation to its end.
struct Making {
  TaskRequest request;
  Depends depends;
  Arguments arguments;
  Task task;  // as its parent makes it
  std::shared_ptr<Children> siblings;
  Strand created;  // the parent's, by then

  Making(Task& parent, const TaskRequest& wanted);
};

namespace {

// The event of a task, which may come before the task has ended its body, or after that.
struct Event {
  std::shared_ptr<Making> making = nullptr;  // of a task that has ended its body
  std::optional<Strand> fulfilled = {};
};

}  // namespace

namespace {

// The thread whose number a task gets: the next one that could execute it.
unsigned executor_of(const Task& parent, bool is_deferred) {
  Team& team = *parent.team;
  for (unsigned i = 1; is_deferred && i <= team.tasks.size(); ++i) {
    const unsigned index = (team.executor + i) % team.size;
    if (team.tasks[index].is_at_barrier) return team.executor = index;
  }
  return parent.index;
}

std::uint32_t number_of(const Task& parent, unsigned executor) {
  const Task& task = executor == parent.index ? parent : parent.team->tasks[executor];
  return races().part(task.runner.part).number;
}

}  // namespace

Making::Making(Task& parent, const TaskRequest& wanted)
    : request(wanted),
      depends(read(wanted.depend)),
      arguments(wanted),
      siblings(parent.children),
      created(parent.runner.strand) {
  task.team = parent.team;
  task.index = executor_of(parent, wanted.is_deferred);
  task.settings = parent.settings;
  task.is_final = parent.is_final || wanted.is_final;
  task.is_explicit = true;
  task.group = parent.group;
  const std::uint32_t thread = races().part(parent.runner.part).thread;
  const std::uint32_t number = number_of(parent, task.index);
  task.runner = {.part = races().add_part({.thread = thread, .number = number}),
                 .construct = races().add_construct(wanted.construct),
                 .locks = wanted.is_deferred ? Locks::kNone : parent.runner.locks};
  take_turns(task.runner, depends);
}

namespace {

void note_ended(const Making& making, Strand ended) {
  enter(*making.siblings, making.depends, ended);
  if (making.request.is_deferred) making.siblings->ended.push_back(ended);
  if (making.task.group != nullptr) making.task.group->ended.push_back(ended);
  making.task.team->ended.push_back(ended);
}

void change_pending(const Making& making, unsigned change) {
  if (making.task.group != nullptr) making.task.group->pending_count += change;
  making.task.team->pending_count += change;
}

void begin_pending(const Making& making) {
  change_pending(making, 1);
  making.siblings->pending.push_back(&making);
}

void end_pending(const Making& making, Strand ended) {
  note_ended(making, ended);
  change_pending(making, ~0U);
  std::erase(making.siblings->pending, &making);
}

bool have_common(const Depends& some, const Depends& others) {
  if (some.empty() || others.empty()) return false;
  if (some.contains(kAllMemory) || others.contains(kAllMemory)) return true;
  return std::any_of(some.begin(), some.end(),
                     [&](const auto& depend) { return others.contains(depend.first); });
}

// Is there no pending task before it that names an address in common with it?
bool can_begin(const Making& making) {
  const auto& pending = making.siblings->pending;
  const auto end = std::find(pending.begin(), pending.end(), &making);
  return std::none_of(pending.begin(), end, [&](const Making* other) {
    return have_common(making.depends, other->depends);
  });
}

void run_body(Making& making, std::uint64_t frame) {
  Task& task = making.task;
  std::vector<Strand> strands = before(*making.siblings, making.depends);
  strands.push_back(making.created);
  task.runner.strand = races().strands().begin(strands);
  task.frame = frame;
  const std::vector<Strand>* const cancels = task.group == nullptr ? nullptr : &task.group->cancels;
  if (cancels != nullptr && is_behind_one(*cancels, task.runner.strand)) return;
  if (is_behind_one(task.team->region_cancels, task.runner.strand)) return;
  forget_frames(frame);
  run_as(task);
  {
    const Outside outside;
    making.request.body(making.arguments.data());
  }
  forget_frames(frame);
}

// Its end, if it is over.
std::optional<Strand> end_of(const Making& making, const Event* event) {
  if (event == nullptr) return making.task.runner.strand;
  if (!event->fulfilled) return std::nullopt;
  return races().strands().begin({making.task.runner.strand, *event->fulfilled});
}

// Runs the task on a thread of its own, when the pending tasks before it have ended.
void put_off(const std::shared_ptr<Making>& making, Event* event) {
  begin_pending(*making);
  baton().start([making, event] {
    adopt_thread();
    const Inside inside;
    forget_own_stack();
    wait_until([&] { return can_begin(*making); });
    run_body(*making, address_of(__builtin_frame_address(0)));
    if (const std::optional<Strand> end = end_of(*making, event)) {
      end_pending(*making, *end);
    } else {
      event->making = making;
    }
  });
}

Event* event_of(const TaskRequest& request) {
  if (request.event != nullptr) return static_cast<Event*>(request.event);
  if (request.detach == nullptr) return nullptr;
  auto* const event = new Event;
  std::memcpy(request.detach, &event, sizeof event);
  std::memcpy(request.data, &event, sizeof event);
  return event;
}

}  // namespace

void run_task(const TaskRequest& wanted) {
  TaskRequest request = wanted;
  Task& parent = task();
  // A thread that is alone does one task after the other, except for target regions.
  const bool can_wait = parent.team->size > 1 || request.is_target;
  request.is_deferred = request.is_deferred && !parent.is_final && !request.is_final && can_wait;
  Event* const event = event_of(request);
  const auto making = std::make_shared<Making>(parent, request);
  if (request.is_deferred && !can_begin(*making)) {
    put_off(making, event);
    return go_on(parent);
  }
  wait_until([&] { return can_begin(*making); });
  run_body(*making, request.frame);
  run_as(parent);
  if (const std::optional<Strand> end = end_of(*making, event)) {
    note_ended(*making, *end);
  } else {
    event->making = making;
    begin_pending(*making);
  }
  go_on(parent, request.is_deferred ? std::vector<Strand>()
                                    : std::vector<Strand>{making->task.runner.strand});
}

void* make_event() { return new Event; }

void fulfill(std::uintptr_t name) {
  auto* const event = reinterpret_cast<Event*>(name);
  event->fulfilled = task().runner.strand;
  go_on(task());
  if (event->making == nullptr) return;
  const std::shared_ptr<Making> making = std::move(event->making);
  end_pending(*making, *end_of(*making, event));
}

void wait_for_children() {
  Task& task = omp::task();
  Children& children = *task.children;
  wait_until([&] { return children.pending.empty(); });
  if (children.ended.empty()) return;
  go_on(task, children.ended);
  children.ended.clear();
}

void wait_for_depend(void** depend) {
  Task& task = omp::task();
  Children& children = *task.children;
  wait_until([&] { return children.pending.empty(); });
  const std::vector<Strand> strands = before(children, read(depend));
  if (!strands.empty()) go_on(task, strands);
}

void begin_group() {
  Task& task = omp::task();
  task.group = new Group{.outer = task.group};
}

void end_group() {
  Task& task = omp::task();
  const std::unique_ptr<Group> group(task.group);
  task.group = group->outer;
  wait_until([&] { return group->pending_count == 0; });
  if (!group->ended.empty()) go_on(task, group->ended);
}

}  // namespace myr::check::omp
