// SPDX-License-Identifier: Apache-2.0
//
// Makes a random program by "running" it serially on a World: a spawned task's body is generated at
// its spawn, so every step sees the memory that it will see in the serial run.
#include <algorithm>

#include "frame.hpp"
#include "rng.hpp"
#include "world.hpp"

namespace myr::random_test {

namespace {

constexpr unsigned kLiveObjectMax = 150;

class Generator {
 public:
  Generator(std::uint64_t seed, const Limits& limits) : rng_(seed), limits_(limits) {
    program_.seed = seed;
    const unsigned size = 1 + rng_.below(limits_.task_max);
    task_max_ = 1 + (rng_.chance(70) ? size / 6 : size);
    spin_max_ = rng_.chance(50) ? 1 + limits_.spin_max / 20 : 1 + limits_.spin_max;
    handed_on_percent_ = seed % 10 < 7 ? 8 : 50;
  }

  Program generate() {
    program_.tasks.emplace_back();
    std::vector<Access> footprint{{world_.region_target(kRootRegion), Mode::InOut, false}};
    program_.global_count = rng_.below(limits_.global_max + 1);
    for (unsigned i = 0; i < program_.global_count; ++i) {
      const unsigned object = world_.add_object(kNoRegion, 1 + rng_.below(60), {kMainTask, 0});
      footprint.push_back({world_.object_target(object), Mode::InOut, false});
    }
    Frame frame(world_, nullptr, kMainTask, std::move(footprint), ++time_);
    for (unsigned i = 3 + rng_.below(10); i > 0; --i) add_memory_step(frame);
    while (program_.tasks.size() < task_max_ && main_steps_left()) add_steps(frame);
    finish();
    return std::move(program_);
  }

 private:
  [[nodiscard]] bool main_steps_left() const {
    return program_.tasks[kMainTask].steps.size() < 3u * task_max_ + 40;
  }

  void finish() {
    for (unsigned o = program_.global_count; o < world_.object_count(); ++o) {
      if (world_.object_alive(o) && world_.object(o).region != kNoRegion) {
        program_.live_objects.push_back(o);
      }
    }
    for (unsigned r = 1; r < world_.region_count(); ++r) {
      if (world_.region_alive(r) && world_.parent(r) == kRootRegion) {
        program_.live_regions.push_back(r);
      }
    }
    program_.objects = world_.objects();
    program_.region_parent = world_.region_parents();
  }

  void emit(const Frame& frame, Step step) {
    program_.tasks[frame.task()].steps.push_back(std::move(step));
    ++time_;
  }
  Birth birth(const Frame& frame) { return {frame.task(), ++time_}; }

  void add_steps(Frame& frame) {
    const unsigned count = 1 + rng_.below(limits_.step_max);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned kind = rng_.below(100);
      if (kind < 30) {
        add_touch(frame);
      } else if (kind < 66) {
        add_spawns(frame);
      } else if (kind < 75) {
        add_wait(frame);
      } else if (kind < 77) {
        add_wait_all(frame);
      } else if (kind < 92) {
        add_memory_step(frame);
      } else {
        add_spin(frame);
      }
    }
  }

  void add_spin(const Frame& frame) {
    emit(frame, {.kind = Step::Kind::Spin, .count = rng_.below(spin_max_)});
  }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[rng_.below(static_cast<unsigned>(from.size()))];
  }

  Mode pick_mode(Mode widest) {
    if (!writes(widest)) return Mode::In;
    const unsigned percent = rng_.below(100);
    return percent < 45 ? Mode::In : percent < 90 ? Mode::InOut : Mode::Out;
  }

  // Sometimes only a part of an object.
  Target narrow(Target target) {
    if (target.is_region || target.count < 2 || !rng_.chance(40)) return target;
    const unsigned first = rng_.below(target.count);
    target.count = 1 + rng_.below(target.count - first);
    target.first += first;
    target.is_whole = false;
    return target;
  }

  void touch(const Frame& frame, const Target& target, Mode mode) {
    const Way way = frame.way_of(target);
    if (way != Way::Usual) mode = Mode::InOut;
    if (!frame.may_touch(target, mode)) return;
    emit(frame, {.kind = Step::Kind::Touch, .access = {target, mode, false, way}});
  }

  void add_touch(const Frame& frame) {
    const std::vector<Access> held = frame.reachable();
    for (unsigned attempt = 0; attempt < 6 && !held.empty(); ++attempt) {
      const Access& access = pick(held);
      if (access.target.is_region) continue;
      const Target target = narrow(access.target);
      const Mode mode = pick_mode(access.mode);
      if (!frame.may_touch(target, mode)) continue;
      touch(frame, target, mode);
      return;
    }
  }

  // Touches everything that an access covers, as far as the task may: `out` data before any use.
  void sweep(const Frame& frame, const Access& access) {
    for (const Access& held : frame.reachable()) {
      if (held.target.is_region || !world_.covers(access.target, held.target)) continue;
      touch(frame, held.target, access.mode);
    }
  }

  std::vector<Access> pick_accesses(const Frame& frame, unsigned count) {
    std::vector<Access> result;
    const std::vector<Access> held = frame.reachable();
    for (unsigned i = 0; i < count && !held.empty(); ++i) {
      const Access& access = pick(held);
      const bool no_transfer = rng_.chance(handed_on_percent_);
      result.push_back({narrow(access.target), pick_mode(access.mode), no_transfer});
    }
    return result;
  }

  Way pick_way(const Target& target) {
    return target.is_region || rng_.chance(50) ? Way::Commutative : Way::Concurrent;
  }

  // Data declared `out` need not arrive: keep the mode only where the task surely writes it all
  // first.
  void keep_out_honest(const Frame& frame, std::vector<Access>& accesses) {
    for (Access& access : accesses) {
      const auto overlapping = [&](const Access& other) {
        return &other != &access && world_.overlaps(other.target, access.target);
      };
      const bool shared = std::any_of(accesses.begin(), accesses.end(), overlapping);
      const bool adds = frame.way_of(access.target) != Way::Usual;
      if (access.mode == Mode::Out && (shared || adds || access.no_transfer)) {
        access.mode = Mode::InOut;
      }
    }
  }

  void add_spawns(Frame& frame) {
    if (!rng_.chance(limits_.group_percent)) {
      spawn(frame, pick_accesses(frame, rng_.below(5)));
    } else {
      add_group(frame);
    }
  }

  // Some tasks that use the same memory in the same way, or some part of it.
  void add_group(Frame& frame) {
    std::vector<Access> held = frame.reachable();
    std::erase_if(held, [](const Access& access) { return !writes(access.mode); });
    if (held.empty()) return;
    const Access& shared = pick(held);
    const Target around = narrow(shared.target);
    const Way way = pick_way(around);
    const bool parts = rng_.chance(30);
    for (unsigned i = 2 + rng_.below(3); i > 0; --i) {
      std::vector<Access> accesses = pick_accesses(frame, rng_.below(3));
      const Target target = parts ? narrow(around) : around;
      accesses.push_back({target, Mode::InOut, shared.no_transfer, way});
      spawn(frame, std::move(accesses));
    }
  }

  void spawn(Frame& frame, std::vector<Access> accesses) {
    if (frame.depth() >= limits_.task_depth_max || program_.tasks.size() >= task_max_) return;
    keep_out_honest(frame, accesses);
    for (Access& access : accesses) {
      access.is_weak = access.no_transfer && access.way == Way::Usual && rng_.chance(50);
    }
    const auto task = static_cast<unsigned>(program_.tasks.size());
    program_.tasks.emplace_back().accesses = accesses;
    emit(frame, {.kind = Step::Kind::Spawn, .index = task});
    for (Access& access : accesses) {
      frame.on_spawn(access, time_);
      access.way = std::max(access.way, frame.way_of(access.target));
    }
    Frame child(world_, &frame, task, std::move(accesses), ++time_);
    add_body(child);
  }

  void add_body(Frame& frame) {
    add_spin(frame);
    const std::vector<Access> accesses = frame.footprint();
    for (const Access& access : accesses) {
      if (access.mode == Mode::Out || rng_.chance(60)) sweep(frame, access);
    }
    if (!rng_.chance(30)) add_steps(frame);
    settle_local(frame);
  }

  // A task must not end while its children use its local array.
  void settle_local(Frame& frame) {
    for (const Access& held : frame.footprint()) {
      const bool local = !held.target.is_region &&
                         world_.object(held.target.index).region == kNoRegion &&
                         world_.object_birth(held.target.index).task == frame.task() &&
                         held.target.index >= program_.global_count;
      if (!local) continue;
      if (!frame.may_touch(held.target, Mode::InOut)) wait(frame, {held});
      world_.kill_object(held.target.index);
    }
  }

  void wait(Frame& frame, const std::vector<Access>& accesses) {
    emit(frame, {.kind = Step::Kind::Wait, .accesses = accesses});
    for (const Access& access : accesses) frame.on_wait(access, time_);
  }

  void add_wait(Frame& frame) {
    std::vector<Access> accesses = pick_accesses(frame, 1 + rng_.below(3));
    if (accesses.empty()) return;
    Access& first = accesses.front();
    if (first.mode == Mode::InOut && rng_.chance(limits_.group_percent))
      first.way = pick_way(first.target);
    wait(frame, accesses);
    if (rng_.chance(40)) sweep(frame, {pick(accesses).target, Mode::In, false});
  }

  void add_wait_all(Frame& frame) {
    emit(frame, {.kind = Step::Kind::WaitAll});
    frame.on_wait_all(time_);
  }

  void add_memory_step(Frame& frame) {
    const unsigned kind = rng_.below(100);
    if (kind < 30) {
      add_region(frame);
    } else if (kind < 70) {
      add_allocation(frame);
    } else if (kind < 80) {
      add_free(frame);
    } else if (kind < 85) {
      add_free_region(frame);
    } else if (kind < 93) {
      add_reallocation(frame);
    } else {
      add_local(frame);
    }
  }

  // Regions or objects that pass `test`, of all that the task can name.
  template <class Test>
  std::vector<Target> select(const Frame& frame, bool regions, Test test) {
    std::vector<Target> result;
    for (const Access& held : frame.reachable()) {
      if (held.target.is_region == regions && test(held.target)) result.push_back(held.target);
    }
    return result;
  }
  std::vector<Target> regions_to_fill(const Frame& frame) {
    return select(frame, true, [&](const Target& t) { return frame.may_allocate_in(t.index); });
  }
  std::vector<Target> things_to_free(const Frame& frame, bool regions) {
    return select(frame, regions, [&](const Target& t) { return frame.may_free(t); });
  }

  void add_region(const Frame& frame) {
    const std::vector<Target> parents = regions_to_fill(frame);
    if (parents.empty()) return;
    const unsigned parent = pick(parents).index;
    if (world_.depth(parent) >= limits_.region_depth_max) return;
    const unsigned region = world_.add_region(parent, birth(frame));
    emit(frame, {.kind = Step::Kind::NewRegion, .index = region});
  }

  unsigned pick_words() {
    const unsigned percent = rng_.below(100);
    return 1 + rng_.below(percent < 70 ? 24 : percent < 95 ? 200 : 1500);
  }

  void add_allocation(const Frame& frame) {
    const std::vector<Target> regions = regions_to_fill(frame);
    const unsigned count = rng_.chance(80) ? 1 : 1 + rng_.below(6);
    if (regions.empty() || world_.live_object_count() + count > kLiveObjectMax) return;
    const unsigned region = pick(regions).index;
    const unsigned words = pick_words();
    const unsigned first = world_.object_count();
    for (unsigned i = 0; i < count; ++i) world_.add_object(region, words, birth(frame));
    emit(frame, {.kind = Step::Kind::Allocate, .index = first, .count = count});
  }

  void add_reallocation(const Frame& frame) {
    const std::vector<Target> regions = regions_to_fill(frame);
    const std::vector<Target> old = things_to_free(frame, false);
    if (regions.empty() || old.empty()) return;
    const unsigned old_object = pick(old).index;
    const bool same_region = rng_.chance(50);
    const unsigned region = same_region ? world_.object(old_object).region : pick(regions).index;
    world_.kill_object(old_object);
    const unsigned object = world_.add_object(region, pick_words(), birth(frame));
    emit(frame, {.kind = Step::Kind::Reallocate, .index = object, .old_index = old_object});
  }

  void add_free(const Frame& frame) {
    const std::vector<Target> objects = things_to_free(frame, false);
    if (objects.empty()) return;
    const unsigned object = pick(objects).index;
    world_.kill_object(object);
    emit(frame, {.kind = Step::Kind::Free, .index = object});
  }

  void add_free_region(const Frame& frame) {
    const std::vector<Target> regions = things_to_free(frame, true);
    if (regions.empty()) return;
    const unsigned region = pick(regions).index;
    world_.kill_region(region);
    emit(frame, {.kind = Step::Kind::FreeRegion, .index = region});
  }

  void add_local(Frame& frame) {
    const bool has_local = std::any_of(
        program_.tasks[frame.task()].steps.begin(), program_.tasks[frame.task()].steps.end(),
        [](const Step& step) { return step.kind == Step::Kind::DeclareLocal; });
    if (has_local || frame.task() == kMainTask) return;
    const unsigned words = 1 + rng_.below(kLocalWords);
    const unsigned object = world_.add_object(kNoRegion, words, birth(frame));
    emit(frame, {.kind = Step::Kind::DeclareLocal, .index = object});
    frame.on_local({world_.object_target(object), Mode::InOut, false});
  }

  Rng rng_;
  Limits limits_;
  World world_;
  Program program_{};
  unsigned task_max_;
  unsigned spin_max_;
  unsigned handed_on_percent_;  // of accesses: tasks with many of them hardly touch anything
  unsigned time_ = 0;
};

}  // namespace

Program generate(std::uint64_t seed, const Limits& limits) {
  return Generator(seed, limits).generate();
}

}  // namespace myr::random_test
