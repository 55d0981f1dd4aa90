// SPDX-License-Identifier: Apache-2.0
#include "cluster/step_recorder.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/contract.hpp"

namespace myr::cluster {

using proto::Access;
using proto::Purpose;
using proto::UsedRange;
using proto::Window;

namespace {

bool is_same(const Access& a, const Access& b) {
  return a.node == b.node && a.mode == b.mode && a.transfers == b.transfers &&
         a.is_read == b.is_read && a.is_part == b.is_part && a.is_weak == b.is_weak;
}
bool is_same(const UsedRange& a, const UsedRange& b) {
  return a.address == b.address && a.bytes == b.bytes && a.mode == b.mode;
}
bool is_same(const Window& a, const Window& b) {
  return a.region == b.region && a.mode == b.mode && a.transfers == b.transfers &&
         a.is_read == b.is_read && a.first == b.first && a.count == b.count &&
         a.before == b.before && a.behind == b.behind;
}
template <class List>
bool are_same(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return is_same(x, y); });
}
bool is_same(const proto::LoopPtr& a, const proto::LoopPtr& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->iterations.begin == b->iterations.begin && a->iterations.end == b->iterations.end &&
         a->grain == b->grain && are_same(a->windows, b->windows) && a->objects == b->objects;
}
bool is_same(const proto::Task& a, const proto::Task& b) {
  return a.purpose == b.purpose && are_same(a.accesses, b.accesses) &&
         are_same(a.ranges, b.ranges) && is_same(a.loop, b.loop);
}

bool runs(const proto::Task& spawn) {
  return spawn.purpose == Purpose::Run || spawn.purpose == Purpose::Spread;
}

}  // namespace

void StepRecorder::begin(std::unique_ptr<base::StepRecord>& record) {
  is_in_step_ = true;
  if (state_ == State::Recorded && record != nullptr && record.get() == record_) {
    state_ = State::Comparing;
    return;
  }
  MYR_ASSERT(state_ == State::None);
  if (record == nullptr) record = std::make_unique<Record>();
  record_ = static_cast<Record*>(record.get());
  if (record_->misses == kMissesMax) return;
  state_ = State::Recording;
  is_held_ = false;
  number_ += 1;
  recorded_.clear();
}

StepRecorder::Ended StepRecorder::end() {
  is_in_step_ = false;
  const bool is_first = state_ == State::Recording;
  const bool is_same = state_ == State::Comparing && kept_.size() == recorded_.size();
  if (recorded_.empty() || (!is_first && !is_same)) return Ended::Otherwise;
  state_ = State::Recorded;
  return is_first ? Ended::Recorded : Ended::Again;
}

bool StepRecorder::fits(const proto::Task& spawn) const {
  if (!is_in_step_) return state_ == State::None;
  if (state_ == State::None) return true;
  if (state_ == State::Recording) return runs(spawn);
  return kept_.size() < recorded_.size() && is_same(spawn, *recorded_[kept_.size()]);
}

proto::TaskPtr StepRecorder::take(proto::TaskPtr spawn) {
  if (state_ == State::Comparing) {
    kept_.push_back(std::move(spawn));
    return nullptr;
  }
  if (state_ != State::Recording) return spawn;
  spawn->place = {.step = number_, .spawn = static_cast<std::uint32_t>(recorded_.size())};
  recorded_.push_back(std::make_unique<const proto::Task>(*spawn));
  return spawn;
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

proto::StepRun StepRecorder::take_run() {
  proto::StepRun run{.step = number_, .spawns = {}};
  for (const proto::TaskPtr& task : kept_) {
    run.spawns.push_back({.program = task->program, .time = task->time});
  }
  kept_.clear();
  return run;
}

std::vector<proto::TaskPtr> StepRecorder::leave(std::uint32_t& step) {
  step = state_ == State::None || recorded_.empty() ? 0 : number_;
  if (step != 0 && !is_held_) record_->misses += 1;
  state_ = State::None;
  return std::exchange(kept_, {});
}

}  // namespace myr::cluster
