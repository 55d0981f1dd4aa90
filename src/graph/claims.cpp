// SPDX-License-Identifier: Apache-2.0
#include "graph/claims.hpp"

#include <algorithm>

#include "graph/resolve.hpp"

namespace myr::graph {

namespace {

// Where the numbers of regions stand beside addresses.
constexpr std::uint64_t kRegions = std::uint64_t{1} << 63;

}  // namespace

void Claims::Line::append(Line other) noexcept {
  if (other.first == nullptr) return;
  (first == nullptr ? first : last->next) = other.first;
  last = other.last;
}

Task* Claims::Line::pop() noexcept {
  Task* task = first;
  if (task != nullptr) first = task->next;
  return task;
}

// The memory that the task claims: disjoint and ascending. It may name the same more than once.
std::vector<Claims::Span> Claims::spans_of(Task* task) {
  std::vector<Span> spans;
  for (std::uint32_t i = 0; i < task->access_count; ++i) {
    const myr_access access = copy_access(task->accesses()[i]);
    if ((access.flags & MYR_COMMUTATIVE) == 0) continue;
    if ((access.flags & MYR_REGION) != 0) {
      const std::uint64_t number = kRegions + static_cast<deps::RegionIndex>(access.region);
      spans.push_back({number, number + 1});
    } else if (access.address != nullptr) {
      const auto begin = reinterpret_cast<std::uint64_t>(access.address);
      spans.push_back({begin, begin + access.bytes});
    }
  }
  std::sort(spans.begin(), spans.end(), [](Span a, Span b) { return a.begin < b.begin; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].begin < spans[last].end) {
      spans[last].end = std::max(spans[last].end, spans[i].end);
    } else {
      spans[++last] = spans[i];
    }
  }
  if (!spans.empty()) spans.resize(last + 1);
  return spans;
}

// A claim on some of the span, or the end.
Claims::Map::iterator Claims::find(Span span) {
  auto behind = claims_.lower_bound(span.end);
  if (behind == claims_.begin()) return claims_.end();
  --behind;
  return behind->second.end > span.begin ? behind : claims_.end();
}

bool Claims::try_take(Task* task) {
  const std::vector<Span> spans = spans_of(task);
  for (const Span span : spans) {
    if (const auto held = find(span); held != claims_.end()) {
      task->next = nullptr;
      held->second.parked.append({task, task});
      return false;
    }
  }
  for (const Span span : spans) claims_.emplace(span.begin, Claim{span.end, {}});
  return true;
}

bool Claims::take(Task* task) {
  const std::scoped_lock lock(lock_);
  return try_take(task);
}

Task* Claims::give_up(Task* task) {
  const std::scoped_lock lock(lock_);
  const std::vector<Span> spans = spans_of(task);
  std::vector<Line> lines;
  for (const Span span : spans) {
    const auto ended = claims_.find(span.begin);
    lines.push_back(ended->second.parked);
    claims_.erase(ended);
  }
  Task* ready = nullptr;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    // As soon as one of those parked here has the memory again, the others are parked behind
    // it.
    for (Line& line = lines[i]; line.first != nullptr;) {
      if (const auto held = find(spans[i]); held != claims_.end()) {
        held->second.parked.append(line);
        break;
      }
      Task* next = line.pop();
      if (!try_take(next)) continue;
      next->next = ready;
      ready = next;
    }
  }
  return ready;
}

}  // namespace myr::graph
