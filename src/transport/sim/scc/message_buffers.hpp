// SPDX-License-Identifier: Apache-2.0
//
// The cores' message buffers, which all cores read and write, in virtual time.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "transport/sim/scc/buffer_window.hpp"

namespace myr::transport::sim::scc {

class MessageBuffers {
 public:
  // `written(owner, time)`: a line of that core's buffer changes then.
  using Written = std::function<void(CoreNumber owner, Cycles time)>;
  explicit MessageBuffers(Written written)
      : written_(std::move(written)), lines_(kCores * BufferAddress::kLines), windows_(kCores) {}

  // All buffers, for one core; what it does costs its clock.
  class Access {
   public:
    Access(MessageBuffers& buffers, CoreNumber core, Cycles& clock)
        : buffers_(buffers), window_(buffers.windows_[core]), core_(core), clock_(clock) {}

    const BufferLine& read(BufferAddress at) {
      if (window_.has_copy(at)) clock_ += 1;
      return window_.read(*this, at);
    }
    void write(BufferAddress at, const BufferLine& line) {
      window_.write(*this, at, line);
      clock_ += kWriteCycles;
    }
    void flush() { window_.flush(*this); }
    void invalidate() {
      window_.invalidate();
      clock_ += kCosts.first_invalidate;
    }

    // ---- for the window
    BufferLine get(BufferAddress at) {
      clock_ += buffer_latency(core_, at.owner);
      return buffers_.lines_[at.index()];
    }
    void put(BufferAddress at, const BufferLine& line) {
      clock_ += buffer_latency(core_, at.owner);
      buffers_.lines_[at.index()] = line;
      buffers_.written_(at.owner, clock_);
    }

   private:
    MessageBuffers& buffers_;
    BufferWindow& window_;
    CoreNumber core_;
    Cycles& clock_;
  };
  [[nodiscard]] Access at(CoreNumber core, Cycles& clock) { return {*this, core, clock}; }

 private:
  static constexpr Cycles kWriteCycles = kLineBytes / 8;  // into the write-combining buffer

  Written written_;
  std::vector<BufferLine> lines_;
  std::vector<BufferWindow> windows_;
};

}  // namespace myr::transport::sim::scc
