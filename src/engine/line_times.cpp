// SPDX-License-Identifier: Apache-2.0
#include "engine/line_times.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "graph/task.hpp"

namespace myr::engine {

using graph::Task;

namespace {

// A wait is a wait, whatever main runs meanwhile.
Place run_in_place_of_main(const Task& task) {
  const Place before = MainPlace::place(MainPlace::now());
  if (before.kind == Place::Kind::OwnCode) {
    MainPlace::move_to({.kind = Place::Kind::Task, .site = task.site});
  }
  return before;
}

}  // namespace

void LineTimes::begin(const Task& task) {
  Line& line = lines_[task.site];
  line.tasks += 1;
  if (has_main_ && open_.empty()) main_was_at_ = run_in_place_of_main(task);
  open_.push_back({.task = &task, .line = &line, .ticks = 0});
}

void LineTimes::end(const Task& task) {
  const auto open = find(task);
  MYR_ASSERT(open != open_.end());
  open->line->longest_ticks = std::max(open->line->longest_ticks, open->ticks);
  open_.erase(open);
  if (has_main_ && open_.empty()) MainPlace::move_to(main_was_at_);
}

void LineTimes::add(const Task& task, std::uint64_t ticks) {
  const auto open = find(task);
  if (open == open_.end()) {
    main_ticks_ += ticks;
    return;
  }
  open->ticks += ticks;
  open->line->ticks += ticks;
}

double& LineTimes::idle_at(std::size_t place) {
  if (place >= idle_.size()) idle_.resize(place + 1);
  return idle_[place];
}

void LineTimes::add_idle(std::uint64_t ticks) {
  idle_at(MainPlace::now()) += static_cast<double>(ticks);
}

// In proportion to the time that main has been at each place.
void LineTimes::add_sleep(std::uint64_t ticks) {
  const std::vector<std::uint64_t> after = MainPlace::times();
  main_before_.resize(after.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    main_before_[i] = after[i] - std::min(after[i], main_before_[i]);
    sum += main_before_[i];
  }
  if (sum == 0) return add_idle(ticks);
  const double share = static_cast<double>(ticks) / static_cast<double>(sum);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (main_before_[i] != 0) idle_at(i) += share * static_cast<double>(main_before_[i]);
  }
}

std::vector<LineTimes::Open>::iterator LineTimes::find(const Task& task) {
  const auto from_behind = std::find_if(open_.rbegin(), open_.rend(),
                                        [&](const Open& open) { return open.task == &task; });
  return from_behind == open_.rend() ? open_.end() : std::prev(from_behind.base());
}

}  // namespace myr::engine
