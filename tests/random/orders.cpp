// SPDX-License-Identifier: Apache-2.0
#include "orders.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "frame.hpp"

namespace myr::random_test {

namespace {

World memory_of(const Program& program) {
  World world;
  for (unsigned r = 1; r < program.region_parent.size(); ++r) {
    world.add_region(program.region_parent[r], {});
  }
  for (const ObjectPlan& object : program.objects)
    world.add_object(object.region, object.words, {});
  return world;
}

// Do tasks that declare these, of the same memory, have any order?
bool are_in_any_order(const Access& one, const Access& other) {
  return one.way == other.way && one.way != Way::Usual &&
         one.target.is_region == other.target.is_region &&
         one.target.is_whole == other.target.is_whole && one.target.index == other.target.index;
}

bool is_commutative(const Access& access) { return access.way == Way::Commutative; }

}  // namespace

Orders::Orders(const Program& program)
    : program_(program),
      world_(memory_of(program)),
      tasks_(program.tasks.size()),
      makers_(program.objects.size(), kMainTask) {
  before_.emplace_back();
  run_task(kMainTask);
}

// ---- what comes before what ---------------------------------------------------------------------

void Orders::begin_stretch(unsigned task) {
  const auto stretch = static_cast<unsigned>(before_.size());
  before_.emplace_back(stretch / 64 + 1);
  come_after(tasks_[task].stretch);
  tasks_[task].stretch = stretch;
}

// The latest stretch of all.
void Orders::come_after(unsigned stretch) {
  Stretches& latest = before_.back();
  latest[stretch / 64] |= std::uint64_t{1} << (stretch % 64);
  const Stretches& before = before_[stretch];
  for (std::size_t i = 0; i < before.size(); ++i) latest[i] |= before[i];
}

// A wait for a task waits until it has returned, then for those below that use the memory, and for
// those to which it has given memory that it has only found.
void Orders::come_after_task(unsigned task, const Test& needs) {
  come_after(tasks_[task].stretch);
  for (const unsigned child : tasks_[task].children) {
    if (has(child, needs)) come_after_task(child, needs);
    for (const Access& found : accesses(child)) {
      if (!is_foreign(task, found)) continue;
      come_after_task(child, [&](const Access& other) { return clash(other, found); });
    }
  }
}

void Orders::come_after_all(unsigned task) {
  come_after(tasks_[task].stretch);
  for (const unsigned child : tasks_[task].children) come_after_all(child);
}

// The task has not waited itself for what comes before its weak accesses.
void Orders::come_after_earlier(unsigned task, const Access& access) {
  if (!is_weak(task, access)) return;
  come_after_children(tasks_[task].parent, access);
  come_after_earlier(tasks_[task].parent, access);
}

bool Orders::is_weak(unsigned task, const Access& access) const {
  return !has(task, is_commutative) && has(task, [&](const Access& own) {
    return own.is_weak && world_.overlaps(own.target, access.target);
  });
}

// Those of a group have no order among each other, but with what is below others.
void Orders::come_after_children(unsigned task, const Access& access) {
  const auto needs = [&](const Access& other) { return clash(other, access); };
  for (const unsigned child : tasks_[task].children) {
    const bool is_waited_for = has(child, [&](const Access& other) {
      return clash(other, access) && !are_in_any_order(other, access);
    });
    if (is_waited_for) come_after_task(child, needs);
  }
}

bool Orders::has(unsigned task, const Test& test) const {
  return std::any_of(accesses(task).begin(), accesses(task).end(), test);
}

bool Orders::clash(const Access& one, const Access& other) const {
  return world_.overlaps(one.target, other.target) && (writes(one.mode) || writes(other.mode));
}

// Memory in no region of which the task has declared nothing.
bool Orders::is_foreign(unsigned task, const Access& of_child) const {
  if (task == kMainTask || of_child.target.is_region) return false;
  if (world_.object(of_child.target.index).region != kNoRegion) return false;
  return !has(task,
              [&](const Access& own) { return world_.overlaps(own.target, of_child.target); });
}

// ---- the walk -----------------------------------------------------------------------------------

void Orders::run_task(unsigned task) {
  tasks_[task].held = accesses(task);
  for (const Step& step : program_.tasks[task].steps) run_step(task, step);
  for (const Step& step : program_.tasks[task].steps) {
    if (step.kind == Step::Kind::DeclareLocal) use(task, {Kind::Words, step.index}, true);
  }
}

void Orders::run_step(unsigned task, const Step& step) {
  switch (step.kind) {
    case Step::Kind::Touch:
      return touch(task, step.access);
    case Step::Kind::Spawn:
      return spawn(task, step.index);
    case Step::Kind::Wait:
      use_addresses(task, step.accesses);
      begin_stretch(task);
      for (const Access& access : step.accesses) wait(task, access);
      return;
    case Step::Kind::WaitAll:
      return wait_all(task);
    case Step::Kind::Spin:
      return;
    default:
      return run_memory_step(task, step);
  }
}

void Orders::run_memory_step(unsigned task, const Step& step) {
  begin_stretch(task);
  const auto make = [&](unsigned object) {
    makers_[object] = task;
    use(task, {Kind::Words, object}, true);
    use(task, {Kind::ObjectAddress, object}, true);
    if (step.kind != Step::Kind::DeclareLocal) use_region(task, program_.objects[object].region);
  };
  const auto free = [&](const Target& target) {
    use_addresses(task, {{target, Mode::InOut, false}});
    wait(task, {target, Mode::InOut, false});
    for (unsigned o = 0; o < world_.object_count(); ++o) {
      const bool goes = world_.object_alive(o) && world_.covers(target, world_.object_target(o));
      if (goes) use(task, {Kind::Words, o}, true);
    }
  };
  switch (step.kind) {
    case Step::Kind::NewRegion:
      use_region(task, program_.region_parent[step.index]);
      return use(task, {Kind::RegionId, step.index}, true);
    case Step::Kind::FreeRegion:
      free(world_.region_target(step.index));
      return world_.kill_region(step.index);
    case Step::Kind::Allocate:
      for (unsigned i = 0; i < step.count; ++i) make(step.index + i);
      return;
    case Step::Kind::Reallocate:
      free(world_.object_target(step.old_index));
      world_.kill_object(step.old_index);
      return make(step.index);
    case Step::Kind::Free:
      free(world_.object_target(step.index));
      return world_.kill_object(step.index);
    default:
      return make(step.index);  // its local array
  }
}

void Orders::spawn(unsigned task, unsigned child) {
  use_addresses(task, accesses(child));
  tasks_[child].parent = task;
  tasks_[child].depth = tasks_[task].depth + 1;
  tasks_[child].stretch = tasks_[task].stretch;
  begin_stretch(child);
  const bool waits_for_all = has(child, is_commutative);
  for (const Access& access : accesses(child)) {
    if (access.is_weak && !waits_for_all) continue;
    come_after_children(task, access);
    come_after_earlier(task, access);
  }
  const unsigned begin = tasks_[child].stretch;
  run_task(child);
  use_declared(child, begin);
  tasks_[task].children.push_back(child);
  begin_stretch(task);
}

void Orders::wait(unsigned task, Access access) {
  access.way = Way::Usual;
  come_after_children(task, access);
  come_after_earlier(task, access);
  for (Access& held : tasks_[task].held) {
    held.no_transfer = held.no_transfer && !world_.overlaps(held.target, access.target);
  }
}

void Orders::wait_all(unsigned task) {
  begin_stretch(task);
  for (const unsigned child : tasks_[task].children) come_after_all(child);
  for (Access& held : tasks_[task].held) {
    if (held.is_weak) come_after_earlier(task, held);
    held.no_transfer = false;
  }
}

// ---- what uses which memory ---------------------------------------------------------------------

void Orders::touch(unsigned task, const Access& access) {
  const Target& target = access.target;
  const Use touch{.task = task,
                  .begin = tasks_[task].stretch,
                  .end = tasks_[task].stretch,
                  .first = target.first,
                  .count = target.count,
                  .writes = writes(access.mode),
                  .is_atomic = access.way == Way::Concurrent,
                  .is_declared = declares(task, target)};
  use(task, {Kind::ObjectAddress, target.index}, false);
  uses_[{Kind::Words, target.index}].push_back(touch);
  if (!touch.is_declared) uses_[{Kind::Declared, target.index}].push_back(touch);
  note_undeclared(task, access);
}

void Orders::use(unsigned task, Memory memory, bool writes) {
  const unsigned count = memory.first == Kind::Words ? program_.objects[memory.second].words : 1;
  uses_[memory].push_back({.task = task,
                           .begin = tasks_[task].stretch,
                           .end = tasks_[task].stretch,
                           .first = 0,
                           .count = count,
                           .writes = writes,
                           .is_atomic = false});
}

void Orders::use_addresses(unsigned task, const std::vector<Access>& accesses) {
  for (const Access& access : accesses) {
    const Kind kind = access.target.is_region ? Kind::RegionId : Kind::ObjectAddress;
    use(task, {kind, access.target.index}, false);
  }
}

// A task that makes something there waits for children that may do so, too.
void Orders::use_region(unsigned task, unsigned region) {
  use(task, {Kind::RegionId, region}, false);
  const auto needs = [&](const Access& other) {
    return other.target.is_region && writes(other.mode) &&
           world_.region_inside(region, other.target.index);
  };
  for (const unsigned child : tasks_[task].children) {
    if (has(child, needs)) come_after_task(child, needs);
  }
}

// Tasks may use what they declare as long as they run.
void Orders::use_declared(unsigned task, unsigned begin) {
  for (const Access& access : accesses(task)) {
    const Target& target = access.target;
    if (target.is_region || world_.object(target.index).region != kNoRegion) continue;
    uses_[{Kind::Declared, target.index}].push_back({.task = task,
                                                     .begin = begin,
                                                     .end = tasks_[task].stretch,
                                                     .first = target.first,
                                                     .count = target.count,
                                                     .writes = writes(access.mode),
                                                     .is_atomic = is_shared(task, access),
                                                     .is_weak = access.is_weak});
  }
}

bool Orders::declares(unsigned task, const Target& target) const {
  return task == kMainTask || is_below(makers_[target.index], task) ||
         has(task, [&](const Access& own) { return world_.covers(own.target, target); });
}

// Does the task, or one above it, declare it as concurrent?
bool Orders::is_shared(unsigned task, const Access& access) const {
  const auto shares = [&](const Access& own) {
    return own.way == Way::Concurrent && world_.overlaps(own.target, access.target);
  };
  while (task != kMainTask && !has(task, shares)) task = tasks_[task].parent;
  return task != kMainTask;
}

void Orders::note_undeclared(unsigned task, const Access& access) {
  const Target& target = access.target;
  for (unsigned word = target.first; word < target.first + target.count; ++word) {
    if (!is_mistake(task, access, word)) continue;
    undeclared_.push_back("T" + std::to_string(task) + " o" + std::to_string(target.index) + "[" +
                          std::to_string(word) + "]");
    return;
  }
}

bool Orders::is_mistake(unsigned task, const Access& touch, unsigned word) const {
  const unsigned object = touch.target.index;
  if (task == kMainTask || is_below(makers_[object], task)) return false;
  const Target one{
      .is_region = false, .is_whole = false, .index = object, .first = word, .count = 1};
  bool is_named = false;
  for (const Access& held : tasks_[task].held) {
    if (!world_.covers(held.target, one)) continue;
    if (!held.no_transfer && (writes(held.mode) || !writes(touch.mode))) return false;
    is_named = true;
  }
  return is_named || world_.object(object).region != kNoRegion;
}

bool Orders::is_below(unsigned task, unsigned other) const {
  while (tasks_[task].depth > tasks_[other].depth) task = tasks_[task].parent;
  return task == other;
}

// ---- what is asked ------------------------------------------------------------------------------

bool Orders::race(const Use& one, const Use& other) const {
  return one.task != other.task && (one.writes || other.writes) &&
         one.first < other.first + other.count && other.first < one.first + one.count &&
         !is_before(one.end, other.begin);
}

// Below `above`, what the task declares as commutative, or those above it do; a child of a weak
// task waits among the siblings of that one.
std::vector<Access> Orders::commutative_below(unsigned above, unsigned task) const {
  std::vector<Access> found;
  for (; task != above; task = tasks_[task].parent) {
    std::erase_if(found, [&](const Access& access) { return !is_weak(task, access); });
    std::copy_if(accesses(task).begin(), accesses(task).end(), std::back_inserter(found),
                 is_commutative);
  }
  return found;
}

unsigned Orders::common_above(unsigned one, unsigned other) const {
  while (one != other) {
    unsigned& deeper = tasks_[one].depth > tasks_[other].depth ? one : other;
    deeper = tasks_[deeper].parent;
  }
  return one;
}

bool Orders::take_turns(unsigned one, unsigned other) const {
  const unsigned above = common_above(one, other);
  const std::vector<Access> some = commutative_below(above, one);
  const std::vector<Access> others = commutative_below(above, other);
  return std::any_of(some.begin(), some.end(), [&](const Access& access) {
    return std::any_of(others.begin(), others.end(), [&](const Access& another) {
      return are_in_any_order(access, another) && world_.overlaps(access.target, another.target);
    });
  });
}

std::string Orders::name(const Memory& memory) const {
  const auto [kind, index] = memory;
  if (kind == Kind::RegionId) return "[R" + std::to_string(index) + "]";
  const bool is_object = program_.objects[index].region != kNoRegion;
  const std::string object = (is_object ? "o" : "m") + std::to_string(index);
  return kind == Kind::ObjectAddress ? "[" + object + "]" : object;
}

std::vector<Pair> Orders::unordered(Which which) const {
  std::set<Pair> found;
  const auto look_at = [&](const Memory& memory, const Use& one, const Use& other) {
    if (!race(one, other)) return;
    const bool are_declared = one.is_declared && other.is_declared;
    const bool are_apart = (one.is_atomic && other.is_atomic) || take_turns(one.task, other.task);
    Which found_one = are_apart ? Which::Apart : Which::AtAnyTime;
    if (memory.first == Kind::Declared) {
      if (is_below(one.task, other.task) || is_below(other.task, one.task)) return;
      if (are_declared && (are_apart || one.is_weak || other.is_weak)) return;
      found_one = are_declared ? Which::Declared : Which::Apart;
    }
    const char* const mark = found_one == Which::Apart && !are_declared ? "!" : "";
    if (found_one == which) found.insert({one.task, other.task, name(memory) + mark});
  };
  for (const auto& [memory, uses] : uses_) {
    for (auto later = uses.begin(); later != uses.end(); ++later) {
      for (auto one = uses.begin(); one != later; ++one) look_at(memory, *one, *later);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace myr::random_test
