// SPDX-License-Identifier: Apache-2.0
//
// ThreadBuffers: message buffers of cores that are threads: 8 KB each, in lines of 32 bytes. Each
// core sees them as the chip's cores do (BufferWindow): through copies that are old until they are
// dropped, and a write-combining buffer.
//
// Threads: an Access by its core's.
//
// Invariant [master.line]: a line is written by one core at a time, its first word last. So a core
// that sees that word, which tells whose turn it is, sees the rest of the line, and all that the
// other core has done before: what tasks wrote, and what the program did before a spawn.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/bits.hpp"
#include "sync/atomic.hpp"
#include "transport/sim/scc/buffer_window.hpp"

namespace myr::cluster::master {

namespace scc = transport::sim::scc;

class ThreadBuffers {
 public:
  // One for each of so many cores.
  explicit ThreadBuffers(unsigned cores) : buffers_(new Buffer[cores]) {}

  // All buffers, for one core. `Sent`: sent(owner) is called when a line has been written.
  template <class Sent>
  class Access {
   public:
    Access(ThreadBuffers& buffers, Sent sent) : buffers_(buffers), sent_(std::move(sent)) {}

    const scc::BufferLine& read(scc::BufferAddress at) { return window_.read(*this, at); }
    void write(scc::BufferAddress at, const scc::BufferLine& line) {
      window_.write(*this, at, line);
    }
    void flush() { window_.flush(*this); }
    void invalidate() { window_.invalidate(); }

    // ---- for the window
    scc::BufferLine get(scc::BufferAddress at) const { return buffers_.get(at); }
    void put(scc::BufferAddress at, const scc::BufferLine& line) {
      buffers_.put(at, line);
      sent_(at.owner);
    }

   private:
    ThreadBuffers& buffers_;
    Sent sent_;
    scc::BufferWindow window_;
  };

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kWords = scc::kLineBytes / sizeof(Word);
  struct Line {
    std::array<sync::Atomic<Word>, kWords> words{};
  };
  // Whole lines of this computer's caches: an entry of a ring shares none with another one.
  struct alignas(base::kCacheLine) Buffer {
    std::array<Line, scc::BufferAddress::kLines> lines;
  };

  [[nodiscard]] scc::BufferLine get(scc::BufferAddress at) const {
    const Line& from = buffers_[at.owner].lines[at.line];
    std::array<Word, kWords> words;
    words[0] = from.words[0].load(sync::acquire);  // [master.line]
    for (std::size_t i = 1; i < kWords; ++i) words[i] = from.words[i].load(sync::relaxed);
    scc::BufferLine line;
    std::memcpy(line.bytes.data(), words.data(), sizeof words);
    return line;
  }
  void put(scc::BufferAddress at, const scc::BufferLine& line) {
    Line& to = buffers_[at.owner].lines[at.line];
    std::array<Word, kWords> words;
    std::memcpy(words.data(), line.bytes.data(), sizeof words);
    for (std::size_t i = 1; i < kWords; ++i) to.words[i].store(words[i], sync::relaxed);
    to.words[0].store(words[0], sync::release);  // [master.line]
  }

  std::unique_ptr<Buffer[]> buffers_;
};

}  // namespace myr::cluster::master
