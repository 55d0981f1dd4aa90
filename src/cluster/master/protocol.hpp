// SPDX-License-Identifier: Apache-2.0
//
// How master and workers of paper 3's runtime speak: a ring of entries in the message buffer of
// each worker. The master writes tasks into it, the worker marks them as completed, each in the
// order of the ring; each of them knows by itself which one comes to an entry next.
//
//   line 0    state, the task's number
//   line 1..  its accesses, two a line; those that find no room are read from memory
#pragma once

#include <cstdint>
#include <cstring>

#include "transport/sim/scc/buffer_window.hpp"

namespace myr::cluster::master {

namespace scc = transport::sim::scc;
using scc::CoreNumber;
using transport::sim::Cycles;

// An entry takes whole lines, so that nothing but itself is written with it.
inline constexpr std::uint32_t kEntryLines = 4;
inline constexpr std::uint32_t kEntries = 8;  // [assumed]: the paper does not say how many
static_assert(kEntries * kEntryLines <= scc::BufferAddress::kLines);
inline constexpr std::uint32_t kAccessesPerLine = 2;

// The descriptors that the master has: as many tasks as may be spawned and not released.
// [assumed]
inline constexpr std::uint32_t kDescriptors = 4096;

enum class EntryState : std::uint32_t { Empty, Ready, Completed };

struct EntryHead {
  EntryState state = EntryState::Empty;
  std::uint32_t task = 0;      // a descriptor's number
  std::uint32_t accesses = 0;  // of the task
};

[[nodiscard]] inline scc::BufferAddress entry_of(CoreNumber worker, std::uint32_t entry,
                                                 std::uint32_t line = 0) noexcept {
  return {.owner = worker, .line = entry * kEntryLines + line};
}
[[nodiscard]] inline EntryHead head_of(const scc::BufferLine& line) noexcept {
  EntryHead head;
  std::memcpy(&head, line.bytes.data(), sizeof head);
  return head;
}
[[nodiscard]] inline scc::BufferLine line_of(const EntryHead& head) noexcept {
  scc::BufferLine line;
  std::memcpy(line.bytes.data(), &head, sizeof head);
  return line;
}
// Lines behind the head.
[[nodiscard]] inline std::uint32_t access_lines(std::uint32_t accesses) noexcept {
  return (accesses + kAccessesPerLine - 1) / kAccessesPerLine;
}

// What keeps copies from being old. Each is needed: a test leaves one out at a time. On the chip
// the master does not send what it writes: that goes when it writes another line, or polls for the
// task's end.
struct Care {
  bool worker_drops_lines = true;      // of message buffers, before it looks at an entry
  bool worker_sends_completed = true;  // out of its write-combining buffer
  bool worker_invalidates = true;      // its caches, before a task
  bool worker_flushes = true;          // them, after it
  bool master_drops_lines = true;      // before it looks at an entry
  bool master_sends = false;           // tasks, before the program goes on
};

// A worker's side: it looks at one entry after the other. `Buffers`: all of them, for its core.
class WorkerRing {
 public:
  explicit WorkerRing(CoreNumber self) : self_(self) {}

  // Is there a task? Then it is the worker's, until complete().
  template <class Buffers>
  [[nodiscard]] bool look(Buffers&& buffers, const Care& care) {
    if (care.worker_drops_lines) buffers.invalidate();
    head_ = head_of(buffers.read(entry_of(self_, entry_)));
    return head_.state == EntryState::Ready;
  }
  [[nodiscard]] const EntryHead& head() const noexcept { return head_; }
  [[nodiscard]] scc::BufferAddress line(std::uint32_t line) const noexcept {
    return entry_of(self_, entry_, line);
  }
  template <class Buffers>
  void complete(Buffers&& buffers, const Care& care) {
    head_.state = EntryState::Completed;
    buffers.write(entry_of(self_, entry_), line_of(head_));
    if (care.worker_sends_completed) buffers.flush();
    entry_ = (entry_ + 1) % kEntries;
  }

 private:
  CoreNumber self_;
  std::uint32_t entry_ = 0;  // the one that gets the next task
  EntryHead head_;
};

}  // namespace myr::cluster::master
