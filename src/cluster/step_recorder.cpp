// SPDX-License-Identifier: Apache-2.0
#include "cluster/step_recorder.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "sched/step_edges.hpp"

namespace myr::cluster {

using proto::Access;
using proto::Purpose;
using proto::UsedRange;

namespace {

// Before their ways are found.
bool is_same(const proto::Task& a, const proto::Task& b) {
  const bool has_loops = a.loop != nullptr && b.loop != nullptr;
  return a.purpose == b.purpose && a.accesses == b.accesses && a.ranges == b.ranges &&
         (has_loops ? *a.loop == *b.loop : a.loop == b.loop);
}

// Can schedulers replay it? Others use regions, whose content may change; parts, of which the
// queues know little; or a certain worker. Between processes also: what children alone use, which
// may run elsewhere.
bool can_repeat(const proto::Task& spawn) {
  const auto is_unknown = [&](const Access& access) {
    if (spawn.parcel != nullptr && !access.transfers) return true;
    return spawn.loop == nullptr && (access.node.is_region() || access.is_part);
  };
  if (spawn.purpose != Purpose::Run && spawn.purpose != Purpose::Spread) return false;
  if (proto::bound_to(spawn.parcel) != proto::kNoAgent) return false;
  return std::none_of(spawn.accesses.begin(), spawn.accesses.end(), is_unknown);
}

// What later runs are compared with.
std::unique_ptr<const proto::Task> record_of(const proto::Task& spawn) {
  auto record = std::make_unique<proto::Task>(spawn);
  record->parcel = nullptr;  // each run has others
  return record;
}

}  // namespace

void StepRecorder::begin(std::unique_ptr<base::StepRecord>& record) {
  if (is_in_step_) return;
  if (!is_of(record.get())) leave();
  is_in_step_ = true;
  if (state_ == State::Recorded) {
    state_ = State::Comparing;
    return;
  }
  if (record == nullptr) record = std::make_unique<Record>();
  record_ = static_cast<Record*>(record.get());
  if (record_->misses == kMissesMax) return;
  state_ = State::Recording;
  is_held_ = false;
  number_ += 1;
  recorded_.clear();
  range_count_ = 0;
}

void StepRecorder::end(const myr_site* site) {
  is_in_step_ = false;
  const bool is_first = state_ == State::Recording;
  const bool is_same = state_ == State::Comparing && kept_.size() == recorded_.size();
  if (recorded_.empty() || (!is_first && !is_same)) return leave();
  state_ = State::Recorded;
  if (is_first) return main_.tell(proto::StepRecorded{.step = number_});
  if (!is_held_) {
    proto::TaskPtr unit = main_.make_unit(site);
    fill_unit(*unit);
    main_.send_spawn({.task = std::move(unit)});
  }
  tell_run();
}

void StepRecorder::forget(const base::StepRecord* record) {
  if (is_of(record)) leave();
}

// False: no run can be replayed that has it, or it is not the recorded one.
bool StepRecorder::fits(const proto::Task& spawn) const {
  if (!is_in_step_) return state_ == State::None;
  if (state_ == State::None) return true;
  if (!can_repeat(spawn)) return false;
  if (state_ == State::Recording) {
    return recorded_.size() < kSpawnsMax &&
           range_count_ + spawn.ranges.size() <= sched::StepEdges::kRangesMax;
  }
  return kept_.size() < recorded_.size() && is_same(spawn, *recorded_[kept_.size()]);
}

void StepRecorder::issue(proto::TaskPtr spawn) {
  if (!fits(*spawn)) leave();
  if (state_ == State::Comparing) {
    main_.compared(*spawn);
    kept_.push_back(std::move(spawn));
    return;
  }
  if (state_ == State::Recording) {
    spawn->place = {.step = number_, .spawn = static_cast<std::uint32_t>(recorded_.size())};
    recorded_.push_back(record_of(*spawn));
    range_count_ += spawn->ranges.size();
  }
  main_.send_spawn({.task = std::move(spawn)});
}

// Each node and range once.
void StepRecorder::fill_unit(proto::Task& unit) {
  is_held_ = true;
  record_->misses = 0;
  unit.place.step = number_;
  std::unordered_map<std::uint64_t, std::size_t> known;
  std::unordered_map<std::uint64_t, std::size_t> known_ranges;
  for (const auto& spawn : recorded_) {
    for (const Access& access : spawn->accesses) {
      const auto [found, is_new] = known.try_emplace(access.node.bits, unit.accesses.size());
      if (is_new) {
        unit.accesses.push_back(
            {.node = access.node, .mode = access.mode, .transfers = false, .path = {}});
      } else {
        proto::Mode& mode = unit.accesses[found->second].mode;
        mode = std::max(mode, access.mode);
      }
    }
    for (const UsedRange& range : spawn->ranges) {
      const auto [found, is_new] = known_ranges.try_emplace(range.address, unit.ranges.size());
      if (is_new) {
        unit.ranges.push_back(range);
      } else {
        UsedRange& own = unit.ranges[found->second];
        own.mode = std::max(own.mode, range.mode);
        own.bytes = std::max(own.bytes, range.bytes);
      }
    }
  }
}

void StepRecorder::tell_run() {
  proto::StepRun run{.step = number_, .spawns = {}};
  for (const proto::TaskPtr& task : kept_) {
    run.spawns.push_back({.program = task->program,
                          .time = std::move(task->time),
                          .parcel = std::move(task->parcel)});
  }
  kept_.clear();
  tasks_ahead_ += run.spawns.size();
  if (waits_ && tasks_ahead_ > proto::StepRun::kTasksAheadMax) {
    run.waits = true;
    tasks_ahead_ = proto::StepRun::kTasksLeftMax;
  }
  main_.tell_run(std::move(run));
}

// What was kept comes behind the runs of the step.
void StepRecorder::leave() {
  const bool is_known = state_ != State::None && !recorded_.empty();
  if (is_known && !is_held_) record_->misses += 1;
  state_ = State::None;
  tasks_ahead_ = 0;
  if (is_known) main_.tell(proto::StepClose{.step = number_});
  recorded_.clear();
  for (proto::TaskPtr& spawn : std::exchange(kept_, {})) {
    main_.send_spawn({.task = std::move(spawn)});
  }
}

}  // namespace myr::cluster
