// SPDX-License-Identifier: Apache-2.0
//
// Loops, sections, singles, ordered.
#include <algorithm>

#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

namespace myr::check::omp {

Work& enter_work(const LoopRequest& request) {
  Task& task = omp::task();
  std::shared_ptr<Work>& work = task.team->works[task.met++];
  if (work == nullptr) {
    work = std::make_shared<Work>();
    work->loop = request;
    if (work->loop.chunk == 0) {
      work->loop.chunk = (request.bounds.count + task.team->size - 1) / task.team->size;
      work->loop.chunk = std::max<std::uint64_t>(work->loop.chunk, 1);
    }
  }
  task.work = work;
  task.next_chunk = task.index;
  return *work;
}

void leave_work() {
  end_chunk();
  Task& task = omp::task();
  if (task.work == nullptr) return;
  const LoopRequest& loop = task.work->loop;
  if (!loop.is_static && task.next_chunk * loop.chunk < loop.bounds.count) {
    task.work->left_over.push_back(task.next_chunk);
  }
  if (++task.work->left_count == task.team->size) {
    std::erase_if(task.team->works, [&](const auto& each) { return each.second == task.work; });
  }
  task.work = nullptr;
}

namespace {

// Whichever thread executes the chunk comes from the last barrier; nothing else is known of it.
void begin_chunk(Task& task, const LoopRequest& loop) {
  task.is_in_chunk = true;
  task.outside = task.runner;
  task.runner.construct = races().add_construct(loop.construct);
  if (!loop.is_static && task.team->size > 1) {
    task.runner.strand = races().strands().begin({task.team->base});
  }
  forget_lines();
}

}  // namespace

void end_chunk() {
  Task& task = omp::task();
  if (!task.is_in_chunk) return;
  task.is_in_chunk = false;
  Work& work = *task.work;
  if (work.loop.is_ordered) {
    wait_until([&] { return work.turn >= task.chunk; });
    work.turn = task.chunk + 1;
  }
  if (races().strands().are_of_one_chain(task.outside.strand, task.runner.strand)) {
    task.outside.strand = task.runner.strand;
  } else {
    task.team->ended.push_back(task.runner.strand);
  }
  task.runner = task.outside;
  go_on(task);
}

bool next_chunk(std::uint64_t* first, std::uint64_t* behind) {
  end_chunk();
  Task& task = omp::task();
  const LoopRequest& loop = task.work->loop;
  std::vector<std::uint64_t>& left_over = task.work->left_over;
  if (task.next_chunk * loop.chunk >= loop.bounds.count && !left_over.empty()) {
    task.next_chunk = left_over.back();
    left_over.pop_back();
  }
  const std::uint64_t begin = task.next_chunk * loop.chunk;
  if (begin >= loop.bounds.count) return false;
  const std::uint64_t end = std::min(begin + loop.chunk, loop.bounds.count);
  task.chunk = task.next_chunk;
  task.next_chunk += task.team->size;
  begin_chunk(task, loop);
  *first = loop.bounds.start + begin * loop.bounds.step;
  *behind = loop.bounds.start + end * loop.bounds.step;
  return true;
}

bool is_single() {
  Task& task = omp::task();
  return (task.met++ + task.index + 1) % task.team->size == 0;
}

void start_ordered() {
  Task& task = omp::task();
  if (task.work == nullptr || !task.is_in_chunk) return;
  Work& work = *task.work;
  wait_until([&] { return work.turn == task.chunk; });
  go_on(task, work.last_ordered ? std::vector<Strand>{*work.last_ordered} : std::vector<Strand>());
}

void end_ordered() {
  Task& task = omp::task();
  if (task.work == nullptr || !task.is_in_chunk) return;
  task.work->last_ordered = task.runner.strand;
  go_on(task);
}

void post(Work& work, const std::uint64_t* iteration) {
  Task& task = omp::task();
  work.posted[{iteration, iteration + work.dimensions.size()}] = task.runner.strand;
  go_on(task);
}

void wait_for_post(Work& work, const std::uint64_t* iteration) {
  const std::vector<std::uint64_t> wanted(iteration, iteration + work.dimensions.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Bounds& bounds = work.dimensions[i];
    const bool goes_up = static_cast<std::int64_t>(bounds.step) > 0;
    const std::uint64_t away = goes_up ? wanted[i] - bounds.start : bounds.start - wanted[i];
    const std::uint64_t step = goes_up ? bounds.step : -bounds.step;
    if (away / step >= bounds.count) return;  // there is no such iteration
  }
  wait_until([&] { return work.posted.contains(wanted); });
  go_on(task(), {work.posted.at(wanted)});
}

}  // namespace myr::check::omp
