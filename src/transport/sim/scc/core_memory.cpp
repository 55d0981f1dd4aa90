// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/scc/core_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/contract.hpp"

namespace myr::transport::sim::scc {

namespace {

constexpr std::uint64_t kOffset = kLineBytes - 1;

std::byte* memory_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

// The bytes begin..end-1 of a line that are in it.
std::uint32_t mask_of(std::uint64_t line, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = std::max(begin, line) - line;
  const std::uint64_t count = std::min(end, line + kLineBytes) - line - from;
  return static_cast<std::uint32_t>((~std::uint64_t{0} >> (64 - count)) << from);
}

void copy_bytes(const std::byte* from, std::byte* to, std::uint32_t mask) {
  if (mask == ~std::uint32_t{0}) {
    std::memcpy(to, from, kLineBytes);
    return;
  }
  for (unsigned i = 0; i < kLineBytes; ++i) {
    if ((mask >> i & 1) != 0) to[i] = from[i];
  }
}

// Without begin() and end() the line has no bytes.
void write_back(Cache::Line& line) {
  copy_bytes(line.bytes.data(), memory_at(line.address), line.dirty & line.known);
  line.dirty = 0;
}

}  // namespace

std::size_t CoreMemory::save(std::uint64_t begin, std::uint64_t end) {
  const std::size_t place = saved_.size();
  saved_.insert(saved_.end(), memory_at(begin), memory_at(end));
  return place;
}

void CoreMemory::begin(std::vector<Extent> extents) {
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  held_.clear();
  hidden_.clear();
  saved_.clear();
  for (const Extent& extent : extents) {
    if (held_.empty() || held_.back().extent.end <= extent.begin) {
      held_.push_back({extent, 0});
      continue;
    }
    Extent& last = held_.back().extent;
    last.end = std::max(last.end, extent.end);
    last.writes = last.writes || extent.writes;
  }
  for (Held& held : held_) {
    if (held.extent.writes) held.place = save(held.extent.begin, held.extent.end);
  }
  if (!second_.is_empty()) hide_memory();
}

// Puts what the cache has in place of what is in memory.
void CoreMemory::hide_memory() {
  for (const Held& held : held_) {
    const Extent& extent = held.extent;
    for (std::uint64_t at = extent.begin & ~kOffset; at < extent.end; at += kLineBytes) {
      const Cache::Line* const line = second_.find(at);
      if (line == nullptr) continue;
      const std::uint32_t known = line->known & mask_of(at, extent.begin, extent.end);
      if (known == 0) continue;
      if (!extent.writes) {
        hidden_.push_back({at, known, saved_.size()});
        saved_.resize(saved_.size() + kLineBytes);
        copy_bytes(memory_at(at), &saved_[hidden_.back().place], known);
      }
      copy_bytes(line->bytes.data(), memory_at(at), known);
    }
  }
}

void CoreMemory::traffic(std::uint64_t address, std::uint64_t bytes, bool writes,
                         std::vector<Burst>& bursts) {
  const std::uint64_t end = address + bytes;
  for (std::uint64_t line = address & ~kOffset; line < end; line += kLineBytes) {
    visit(line, mask_of(line, address, end), writes, bursts);
  }
}

void CoreMemory::visit(std::uint64_t line, std::uint32_t bytes, bool writes,
                       std::vector<Burst>& bursts) {
  Cache::Line* const held = second_.find(line);
  if (held == nullptr) {
    if (writes) {
      ask(line, bursts).visited += 1;
      return;
    }
    Cache::Line& place = second_.victim(line);
    if (place.dirty != 0) {
      evict(place);
      ask(place.address, bursts);
    }
    second_.put(place, line);
    first_.put(first_.victim(line), line);
    ask(line, bursts).visited += 1;
    return;
  }
  if (bursts.empty()) bursts.emplace_back();
  bursts.back().visited += 1;
  if (writes) held->dirty |= bytes;
  if (first_.find(line) != nullptr) return;
  bursts.back().stalls += kCosts.second_cache;
  first_.put(first_.victim(line), line);
}

// Writes a line back while the task's view is in memory. What the task has declared is there.
void CoreMemory::evict(Cache::Line& line) {
  std::uint32_t declared = 0;
  for_held_in(line, [&](const Held&, std::uint32_t bytes) { declared |= bytes; });
  for (Hidden& hidden : hidden_) {
    if (hidden.line == line.address) hidden.known &= ~line.dirty;
  }
  line.dirty &= ~declared;
  write_back(line);
}

Burst& CoreMemory::ask(std::uint64_t line, std::vector<Burst>& bursts) {
  const auto controller = static_cast<std::uint8_t>(map_.controller_of(line));
  if (bursts.empty() || bursts.back().lines == kBurstMax ||
      (bursts.back().lines != 0 && bursts.back().controller != controller)) {
    bursts.emplace_back();
  }
  Burst& burst = bursts.back();
  burst.controller = controller;
  burst.lines += 1;
  return burst;
}

void CoreMemory::end() {
  second_.for_each([&](Cache::Line& line) { keep(line); });
  for (const Hidden& hidden : hidden_) {
    copy_bytes(&saved_[hidden.place], memory_at(hidden.line), hidden.known);
  }
}

// Calls act(held, bytes) for what has been declared of the line.
template <class Act>
void CoreMemory::for_held_in(const Cache::Line& line, Act act) const {
  auto held =
      std::upper_bound(held_.begin(), held_.end(), line.address,
                       [](std::uint64_t at, const Held& other) { return at < other.extent.end; });
  for (; held != held_.end() && held->extent.begin < line.address + kLineBytes; ++held) {
    act(*held, mask_of(line.address, held->extent.begin, held->extent.end));
  }
}

// What the task has left in the line is in the cache now. If that was written, memory is as before.
void CoreMemory::keep(Cache::Line& line) {
  for_held_in(line, [&](const Held& held, std::uint32_t bytes) {
    std::byte* const memory = memory_at(line.address);
    copy_bytes(memory, line.bytes.data(), bytes);
    line.known |= bytes;
    if (!held.extent.writes || (bytes & line.dirty) == 0) return;
    for (unsigned i = 0; i < kLineBytes; ++i) {
      if (((bytes & line.dirty) >> i & 1) == 0) continue;
      memory[i] = saved_[held.place + (line.address + i - held.extent.begin)];
    }
  });
}

void CoreMemory::flush(std::vector<Burst>& bursts) {
  second_.for_each([&](Cache::Line& line) {
    if (line.dirty == 0) return;
    write_back(line);
    ask(line.address, bursts);
  });
}

void CoreMemory::flush_by_reading(unsigned own_controller, std::vector<Burst>& bursts) {
  flush(bursts);
  for (std::size_t left = second_.line_count(); left != 0;) {
    const auto lines = static_cast<std::uint32_t>(std::min<std::size_t>(left, kBurstMax));
    bursts.push_back({.lines = lines, .controller = static_cast<std::uint8_t>(own_controller)});
    left -= lines;
  }
}

// ---- time ---------------------------------------------------------------------------------------

BurstWalk::BurstWalk(std::vector<Burst> bursts, Cycles work)
    : bursts_(std::move(bursts)), work_left_(work) {
  for (const Burst& burst : bursts_) lines_left_ += burst.visited;
}

Cycles BurstWalk::step(CoreNumber core, Controllers& controllers, Cycles now) {
  const Burst& burst = bursts_[next_++];
  if (burst.lines != 0) now = controllers.fetch(core, burst.controller, burst.lines, now);
  now += burst.stalls;
  if (burst.visited == 0) return now;
  const Cycles share = work_left_ * burst.visited / lines_left_;
  work_left_ -= share;
  lines_left_ -= burst.visited;
  return now + share;
}

}  // namespace myr::transport::sim::scc
