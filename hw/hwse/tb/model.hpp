// SPDX-License-Identifier: Apache-2.0
//
// What the scheduling engine answers, in C++: the golden model of its bench. It serves one request
// after the other. hwse.h says what each means.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hwse.h"

namespace myr::hw {

class HwseModel {
 public:
  struct Sizes {
    unsigned cores, teams, queues, heaps, queue_depth, counters, count_max;
    std::uint32_t word_mask, word_base;  // what a queue keeps of a word, and has for the rest
  };
  struct Request {
    bool write;
    unsigned reg;
    unsigned argument = 0;
    std::uint32_t data = 0;
  };

  explicit HwseModel(Sizes sizes)
      : sizes_(sizes),
        threads_(sizes.cores),
        teams_(sizes.teams),
        queues_(sizes.queues),
        counters_(sizes.counters) {}

  // The answer to a core's request; error() is then the first mistake so far.
  std::uint32_t serve(unsigned core, const Request& request);
  [[nodiscard]] std::uint32_t error() const { return error_; }

 private:
  enum class Place { Outside, Fresh, Going, Over };
  struct Thread {
    bool member = false;
    unsigned team = 0, rank = 0, turn = 0;
    Place place = Place::Outside;
    bool arrived = false, phase = false;
    std::uint32_t chunk_end = 0;
    bool taken = false;
  };
  struct Team {
    unsigned size = 0, arrived = 0;
    bool phase = false;
  };
  // Iterations [next, end) in steps of chunks; counts down if `down`.
  struct Bounds {
    std::int32_t next = 0, end = 0;
    std::uint32_t step = 1;
    bool down = false;
    unsigned reg = HWSE_LOOP_DYNAMIC;
    [[nodiscard]] std::uint32_t left() const {
      return down ? std::uint32_t(next) - std::uint32_t(end)
                  : std::uint32_t(end) - std::uint32_t(next);
    }
    [[nodiscard]] std::int32_t moved(std::int32_t from, std::uint32_t by) const {
      return static_cast<std::int32_t>(down ? std::uint32_t(from) - by : std::uint32_t(from) + by);
    }
    void set_step(std::int32_t value, unsigned as) {
      step = value == 0 ? 1 : value < 0 ? 0U - std::uint32_t(value) : std::uint32_t(value);
      down = value < 0;
      reg = as;
      if (down ? next < end : next > end) end = next;
    }
  };
  struct Share {
    bool open = false;
    unsigned gone = 0;
    Bounds bounds;
  };
  struct Queue {
    std::deque<std::uint32_t> words;
    Bounds heap;
  };
  using Chunk = std::pair<std::int32_t, std::int32_t>;

  std::uint32_t fail(unsigned error) {
    failed_ = failed_ == 0 ? error : failed_;
    return 0;
  }
  std::uint32_t done(const Request& request);
  std::uint32_t context(const Request& request);
  std::uint32_t init(bool single);
  void fill(const Request& request);
  std::uint32_t fetch();
  void leave();
  std::uint32_t sync();
  std::uint32_t queue(const Request& request);
  std::uint32_t count(const Request& request);
  std::optional<Chunk> next_chunk(const Bounds& bounds) const;

  // Work-shares are known by team and turn; there are at most two of a team.
  Share* share() {
    const auto found = shares_.find({thread_->team, thread_->turn});
    return found == shares_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_member() const {
    return thread_->member && teams_[thread_->team].size != 0;
  }
  [[nodiscard]] bool is_inside() const { return is_member() && thread_->place != Place::Outside; }

  Sizes sizes_;
  std::vector<Thread> threads_;
  std::vector<Team> teams_;
  std::map<std::pair<unsigned, unsigned>, Share> shares_;
  std::vector<Queue> queues_;
  std::vector<unsigned> counters_;
  std::uint32_t error_ = 0;
  // For the request that is served.
  Thread* thread_ = nullptr;
  unsigned failed_ = 0;
  bool refused_ = false;
};

inline std::uint32_t HwseModel::serve(unsigned core, const Request& request) {
  thread_ = &threads_[core];
  failed_ = 0;
  refused_ = false;
  const std::uint32_t answer = done(request);
  if (request.write) thread_->taken = !refused_ && (failed_ == 0 || failed_ == HWSE_ERR_STEP);
  if (failed_ != 0 && error_ == 0) error_ = failed_ | core << 8;
  return answer;
}

inline std::uint32_t HwseModel::done(const Request& request) {
  const bool write = request.write;
  switch (request.reg) {
    case HWSE_TEAM_OPEN:
    case HWSE_TEAM_CLOSE:
    case HWSE_CONTEXT:
      return context(request);
    case HWSE_CHUNK_END:
      if (write) thread_->chunk_end = request.data;
      return write ? 0 : thread_->chunk_end;
    case HWSE_SHARE_INIT:
    case HWSE_SINGLE:
      return write ? fail(HWSE_ERR_REGISTER) : init(request.reg == HWSE_SINGLE);
    case HWSE_LOOP_START:
    case HWSE_LOOP_END:
    case HWSE_LOOP_STATIC:
    case HWSE_LOOP_DYNAMIC:
    case HWSE_LOOP_GUIDED:
    case HWSE_SECTIONS:
      if (!write) return fail(HWSE_ERR_REGISTER);
      fill(request);
      return 0;
    case HWSE_SHARE_FETCH:
      return write ? fail(HWSE_ERR_REGISTER) : fetch();
    case HWSE_SHARE_LEAVE:
      if (!write) return fail(HWSE_ERR_REGISTER);
      leave();
      return 0;
    case HWSE_SYNC:
      return write ? fail(HWSE_ERR_REGISTER) : sync();
    case HWSE_QUEUE_PUSH:
    case HWSE_QUEUE_POP:
    case HWSE_HEAP_START:
    case HWSE_HEAP_END:
    case HWSE_HEAP_STEP:
      return queue(request);
    case HWSE_COUNT:
    case HWSE_COUNT_UP:
    case HWSE_COUNT_DOWN:
      return count(request);
    case HWSE_TAKEN:
      return write ? fail(HWSE_ERR_REGISTER) : thread_->taken;
    case HWSE_ERROR:
      if (!write) return error_;
      error_ = 0;
      return 0;
    default:
      return fail(HWSE_ERR_REGISTER);
  }
}

inline std::uint32_t HwseModel::context(const Request& request) {
  Thread& thread = *thread_;
  const std::uint32_t word = request.data;
  const unsigned team = word >> 1 & 15;
  const bool open = team < sizes_.teams && teams_[team].size != 0;
  if (request.reg == HWSE_TEAM_OPEN) {
    if (request.write) return fail(HWSE_ERR_REGISTER);
    if (request.argument == 0 || request.argument > sizes_.cores) return fail(HWSE_ERR_ARGUMENT);
    for (unsigned i = 0; i < sizes_.teams; ++i) {
      if (teams_[i].size != 0) continue;
      teams_[i].size = request.argument;
      return i << 1 | 1;
    }
    return 0;
  }
  if (request.reg == HWSE_TEAM_CLOSE) {
    if (!request.write) return fail(HWSE_ERR_REGISTER);
    bool busy = !open || teams_[team].arrived != 0;
    for (unsigned turn = 0; turn < 4; ++turn) busy = busy || shares_.contains({team, turn});
    if (busy) return fail(HWSE_ERR_TEAM);
    teams_[team].size = 0;
    return 0;
  }
  if (!request.write) {
    return (thread.arrived ? 1U << 15 : 0) | (thread.phase ? 1U << 14 : 0) |
           static_cast<unsigned>(thread.place) << 12 | thread.turn << 10 | thread.rank << 5 |
           thread.team << 1 | (thread.member ? 1 : 0);
  }
  Thread changed{.chunk_end = thread.chunk_end, .taken = thread.taken};
  if ((word & 1) != 0) {
    changed.member = true;
    changed.team = team;
    changed.rank = word >> 5 & 31;
    changed.turn = word >> 10 & 3;
    changed.place = static_cast<Place>(word >> 12 & 3);
    changed.phase = (word >> 14 & 1) != 0;
    changed.arrived = (word >> 15 & 1) != 0;
    if (!open || changed.rank >= teams_[team].size) return fail(HWSE_ERR_CONTEXT);
  }
  thread = changed;
  return 0;
}

inline std::uint32_t HwseModel::init(bool single) {
  Thread& thread = *thread_;
  if (!is_member()) return fail(HWSE_ERR_NO_TEAM);
  if (is_inside()) return fail(HWSE_ERR_NESTED);
  if (shares_.contains({thread.team, thread.turn ^ 2})) return 0;
  const bool first = share() == nullptr;
  if (first) shares_[{thread.team, thread.turn}].open = single;
  if (!first && !share()->open) return 0;
  thread.place = Place::Fresh;
  if (single) leave();
  return first ? 1 : 2;
}

inline void HwseModel::fill(const Request& request) {
  if (!is_inside() || share() == nullptr || share()->open) {
    fail(HWSE_ERR_NOT_FILLING);
    return;
  }
  Bounds& bounds = share()->bounds;
  const auto value = static_cast<std::int32_t>(request.data);
  if (request.reg == HWSE_LOOP_START) {
    bounds.next = value;
  } else if (request.reg == HWSE_LOOP_END) {
    bounds.end = value;
  } else if (request.reg == HWSE_SECTIONS) {
    bounds = {.next = 1, .end = static_cast<std::int32_t>(request.data + 1)};
    share()->open = true;
  } else {
    bounds.set_step(value, request.reg);
    share()->open = true;
    if (value == 0) fail(HWSE_ERR_STEP);
  }
}

inline std::optional<HwseModel::Chunk> HwseModel::next_chunk(const Bounds& bounds) const {
  const Thread& thread = *thread_;
  const unsigned size = teams_[thread.team].size;
  std::uint64_t offset = 0;
  if (bounds.reg == HWSE_LOOP_STATIC) {
    const bool fresh = thread.place == Place::Fresh;
    Bounds before = bounds;
    before.end = static_cast<std::int32_t>(thread.chunk_end);
    offset = fresh ? std::uint64_t{thread.rank} * bounds.step
                   : before.left() + std::uint64_t{size - 1} * bounds.step;
  }
  if (offset >= bounds.left()) return std::nullopt;
  const std::uint32_t left = bounds.left() - static_cast<std::uint32_t>(offset);
  std::uint32_t amount = bounds.step;
  if (bounds.reg == HWSE_LOOP_GUIDED) {
    unsigned rounded = 1;
    while (rounded < size) rounded *= 2;
    amount = std::max(amount, left / rounded);
  }
  const std::int32_t start = bounds.moved(bounds.next, static_cast<std::uint32_t>(offset));
  return Chunk{start, bounds.moved(start, std::min(amount, left))};
}

inline std::uint32_t HwseModel::fetch() {
  Thread& thread = *thread_;
  if (!is_inside() || share() == nullptr || !share()->open) return fail(HWSE_ERR_NOT_INSIDE);
  Bounds& bounds = share()->bounds;
  const auto chunk = thread.place == Place::Over ? std::nullopt : next_chunk(bounds);
  thread.place = chunk ? Place::Going : Place::Over;
  thread.chunk_end = chunk ? static_cast<std::uint32_t>(chunk->second) : 0;
  if (!chunk) return 0;
  if (bounds.reg != HWSE_LOOP_STATIC) bounds.next = chunk->second;
  return static_cast<std::uint32_t>(chunk->first);
}

inline void HwseModel::leave() {
  Thread& thread = *thread_;
  if (!is_inside() || share() == nullptr || !share()->open) {
    fail(HWSE_ERR_NOT_INSIDE);
    return;
  }
  share()->gone += 1;
  if (share()->gone == teams_[thread.team].size) shares_.erase({thread.team, thread.turn});
  thread.place = Place::Outside;
  thread.turn = (thread.turn + 1) % 4;
}

inline std::uint32_t HwseModel::sync() {
  Thread& thread = *thread_;
  if (!is_member()) return fail(HWSE_ERR_NO_TEAM);
  Team& team = teams_[thread.team];
  if (!thread.arrived) {
    team.arrived += 1;
    thread.phase = team.phase;
    if (team.arrived == team.size) {
      team.arrived = 0;
      team.phase = !team.phase;
      return 1;
    }
    thread.arrived = true;
    return 0;
  }
  thread.arrived = team.phase == thread.phase;
  return thread.arrived ? 0 : 1;
}

inline std::uint32_t HwseModel::queue(const Request& request) {
  if (request.write == (request.reg == HWSE_QUEUE_POP)) return fail(HWSE_ERR_REGISTER);
  if (request.argument >= sizes_.queues) return fail(HWSE_ERR_ARGUMENT);
  Queue& queue = queues_[request.argument];
  const auto value = static_cast<std::int32_t>(request.data);
  if (request.reg >= HWSE_HEAP_START && request.argument >= sizes_.heaps) {
    return fail(HWSE_ERR_ARGUMENT);
  }
  switch (request.reg) {
    case HWSE_QUEUE_PUSH:
      refused_ = queue.words.size() == sizes_.queue_depth;
      if (!refused_) queue.words.push_back((request.data & sizes_.word_mask) | sizes_.word_base);
      return 0;
    case HWSE_HEAP_START:
      queue.heap.next = value;
      return 0;
    case HWSE_HEAP_END:
      queue.heap.end = value;
      return 0;
    case HWSE_HEAP_STEP:
      queue.heap.set_step(value, HWSE_LOOP_DYNAMIC);
      queue.words.clear();
      if (value == 0) fail(HWSE_ERR_STEP);
      return 0;
    default:
      break;
  }
  Bounds& heap = queue.heap;
  if (heap.left() >= heap.step) {
    const std::int32_t bin = heap.next;
    heap.next = heap.moved(bin, heap.step);
    return static_cast<std::uint32_t>(bin);
  }
  if (queue.words.empty()) return 0;
  const std::uint32_t word = queue.words.front();
  queue.words.pop_front();
  return word;
}

inline std::uint32_t HwseModel::count(const Request& request) {
  if (request.write && request.reg != HWSE_COUNT) return fail(HWSE_ERR_REGISTER);
  if (request.argument >= sizes_.counters) return fail(HWSE_ERR_ARGUMENT);
  unsigned& counter = counters_[request.argument];
  if (request.write) {
    if (request.data > sizes_.count_max) return fail(HWSE_ERR_COUNT);
    counter = request.data;
    return 0;
  }
  const unsigned limit = request.reg == HWSE_COUNT_UP ? sizes_.count_max : 0;
  if (request.reg == HWSE_COUNT) return counter;
  if (counter == limit) {
    fail(HWSE_ERR_COUNT);
  } else {
    counter += request.reg == HWSE_COUNT_UP ? 1U : ~0U;
  }
  return counter;
}

}  // namespace myr::hw
