// SPDX-License-Identifier: Apache-2.0
#include "trace/timeline.hpp"

#include "base/format.hpp"

namespace myr::trace {

std::vector<Track> worker_tracks(unsigned count) {
  std::vector<Track> tracks;
  for (unsigned worker = 0; worker < count; ++worker) {
    tracks.push_back({.name = base::format("worker {}", worker),
                      .kind = worker == 0 ? Track::Kind::Main : Track::Kind::Worker});
  }
  return tracks;
}

bool Timeline::make_room(std::uint64_t ticks) noexcept {
  if (dropped_ == 0 && runs_.size() + spans_.size() + steals_.size() < events_max_) return true;
  if (dropped_ == 0) full_ticks_ = ticks;
  dropped_ += 1;
  return false;
}

void Timeline::begin_task(std::uint64_t ticks, TaskId task, const myr_site* site) {
  TaskRun* run = nullptr;
  if (make_room(ticks)) run = &runs_.emplace_back(TaskRun{ticks, ticks, task, site});
  open_.push_back({run, task, site});
}

void Timeline::end_task(std::uint64_t ticks) {
  TaskRun* run = open_.back().run;
  open_.pop_back();
  if (run != nullptr) run->end_ticks = ticks;
}

std::vector<Timeline::Open> Timeline::end_all(std::uint64_t ticks) {
  for (const Open& open : open_) {
    if (open.run != nullptr) open.run->end_ticks = ticks;
  }
  return std::exchange(open_, {});
}

void Timeline::begin_again(std::uint64_t ticks, const std::vector<Open>& tasks) {
  for (const Open& open : tasks) begin_task(ticks, open.task, open.site);
}

void Timeline::add_span(const StateSpan& span) {
  const bool is_busy = span.state == State::Task || span.state == State::Runtime;
  if (detail_ == Detail::Waits && is_busy && track_.kind != Track::Kind::Scheduler) return;
  if (!spans_.empty() && spans_.back().end_ticks == span.begin_ticks &&
      spans_.back().state == span.state) {
    spans_.back().end_ticks = span.end_ticks;
  } else if (make_room(span.begin_ticks)) {
    spans_.push_back(span);
  }
}

void Timeline::set(Recorded recorded) {
  runs_ = std::move(recorded.runs);
  spans_ = std::move(recorded.spans);
  steals_ = std::move(recorded.steals);
  dropped_ = recorded.dropped;
  full_ticks_ = recorded.full_ticks;
}

void Timeline::add_steal(const Steal& steal) {
  if (make_room(steal.ticks)) steals_.push_back(steal);
}

}  // namespace myr::trace
