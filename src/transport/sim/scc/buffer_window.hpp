// SPDX-License-Identifier: Apache-2.0
//
// BufferWindow: the message buffers of the chip's cores as one core sees them: reads fill its first
// cache, which nobody keeps up to date; writes are gathered in its write-combining buffer of one
// line, until it writes another line or flushes.
//
// `lines`, which is given to each call, knows where the lines themselves are: get(at) and
// put(at, line) are a line's way through the mesh.
//
// Threads: the core's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

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

class BufferWindow {
 public:
  // [assumed] The core reads the new value of what it has written itself: that is sent first.
  template <class Lines>
  const BufferLine& read(Lines&& lines, BufferAddress at) {
    if (is_gathering_ && gathered_at_ == at) flush(lines);
    const auto [copy, is_new] = copies_.try_emplace(at.index());
    if (is_new) copy->second = lines.get(at);
    return copy->second;
  }
  // A whole line.
  template <class Lines>
  void write(Lines&& lines, BufferAddress at, const BufferLine& line) {
    if (is_gathering_ && !(gathered_at_ == at)) flush(lines);
    is_gathering_ = true;
    gathered_at_ = at;
    gathered_ = line;
    if (const auto copy = copies_.find(at.index()); copy != copies_.end()) copy->second = line;
  }
  // Sends what the write-combining buffer has.
  template <class Lines>
  void flush(Lines&& lines) {
    if (!is_gathering_) return;
    is_gathering_ = false;
    lines.put(gathered_at_, gathered_);
  }
  // Drops what the first cache has of message buffers.
  void invalidate() { copies_.clear(); }
  [[nodiscard]] bool has_copy(BufferAddress at) const { return copies_.contains(at.index()); }

 private:
  std::unordered_map<std::uint32_t, BufferLine> copies_;  // in the first cache
  bool is_gathering_ = false;
  BufferAddress gathered_at_;
  BufferLine gathered_;
};

}  // namespace myr::transport::sim::scc
