// SPDX-License-Identifier: Apache-2.0
//
// The cores' message buffers, which all cores read and write, as each core sees them: reads fill
// its first cache, which nobody keeps up to date; writes are gathered in its write-combining buffer
// of one line, until it writes another line or flushes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transport/sim/scc/chip.hpp"

namespace myr::transport::sim::scc {

struct BufferLine {
  std::array<std::byte, kLineBytes> bytes{};
};

// A line of the buffer of a core.
struct BufferAddress {
  CoreNumber owner = 0;
  std::uint32_t line = 0;

  static constexpr std::uint32_t kLines = kBufferBytes / kLineBytes;
  [[nodiscard]] std::uint32_t index() const noexcept { return owner * kLines + line; }
  friend bool operator==(const BufferAddress&, const BufferAddress&) = default;
};

class MessageBuffers {
 public:
  // `written(owner, time)`: a line of that core's buffer changes then.
  using Written = std::function<void(CoreNumber owner, Cycles time)>;
  explicit MessageBuffers(Written written)
      : written_(std::move(written)), lines_(kCores * BufferAddress::kLines), cores_(kCores) {}

  // What the core reads there, and what that costs it. [assumed] Of what it has written itself it
  // reads the new value: it is sent first.
  const BufferLine& read(CoreNumber core, BufferAddress at, Cycles& clock) {
    Core& self = cores_[core];
    if (self.is_gathering && self.gathered_at == at) flush(core, clock);
    const auto [copy, is_new] = self.copies.try_emplace(at.index());
    if (is_new) {
      copy->second = lines_[at.index()];
      clock += buffer_latency(core, at.owner);
    } else {
      clock += 1;
    }
    return copy->second;
  }
  // A whole line.
  void write(CoreNumber core, BufferAddress at, const BufferLine& line, Cycles& clock) {
    Core& self = cores_[core];
    if (self.is_gathering && !(self.gathered_at == at)) flush(core, clock);
    self.is_gathering = true;
    self.gathered_at = at;
    self.gathered = line;
    if (const auto copy = self.copies.find(at.index()); copy != self.copies.end()) {
      copy->second = line;
    }
    clock += kWriteCycles;
  }
  // Sends what the write-combining buffer has.
  void flush(CoreNumber core, Cycles& clock) {
    Core& self = cores_[core];
    if (!self.is_gathering) return;
    self.is_gathering = false;
    clock += buffer_latency(core, self.gathered_at.owner);
    lines_[self.gathered_at.index()] = self.gathered;
    written_(self.gathered_at.owner, clock);
  }
  // Drops what the first cache has of message buffers.
  void invalidate(CoreNumber core, Cycles& clock) {
    cores_[core].copies.clear();
    clock += kCosts.first_invalidate;
  }

 private:
  static constexpr Cycles kWriteCycles = kLineBytes / 8;  // into the write-combining buffer

  struct Core {
    std::unordered_map<std::uint32_t, BufferLine> copies;  // in the first cache
    bool is_gathering = false;
    BufferAddress gathered_at;
    BufferLine gathered;
  };

  Written written_;
  std::vector<BufferLine> lines_;
  std::vector<Core> cores_;
};

}  // namespace myr::transport::sim::scc
