// SPDX-License-Identifier: Apache-2.0
#include "metg/body.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

namespace metg {
namespace {

// As many as fill eight registers of two doubles: enough to hide the latency of an addition.
constexpr std::size_t kLanes = 16;

// Memory-bound work walks through a buffer that no second-level cache holds, one for each thread;
// so how much memory is in use does not depend on the size of a task.
constexpr std::size_t kBufferBytes = std::size_t{16} << 20;
constexpr std::size_t kBlockBytes = 128;  // read and written by an iteration

std::atomic<std::size_t> wrong_count{0};

// An iteration is a multiplication and an addition in each lane.
double compute(std::uint32_t iterations) noexcept {
  double lanes[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = static_cast<double>(i);
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    for (double& lane : lanes) lane = lane * 0.5 + 1;
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

class Buffer {
 public:
  // Reads the block at the cursor in one half of the buffer and writes it into the other half.
  void copy_block() noexcept {
    std::memcpy(bytes_.get() + kBufferBytes / 2 + cursor_, bytes_.get() + cursor_, kBlockBytes);
    cursor_ = (cursor_ + kBlockBytes) % (kBufferBytes / 2);
  }
  [[nodiscard]] double last() const noexcept { return static_cast<double>(bytes_[cursor_]); }

 private:
  std::unique_ptr<unsigned char[]> bytes_ = std::make_unique<unsigned char[]>(kBufferBytes);
  std::size_t cursor_ = 0;
};

double copy(std::uint32_t iterations) noexcept {
  thread_local Buffer buffer;
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) buffer.copy_block();
  return buffer.last();
}

}  // namespace

void run(const Task& task) noexcept {
  for (std::uint32_t i = 0; i < task.input_count; ++i) {
    if (!is_complete(*task.inputs[i])) wrong_count.fetch_add(1, std::memory_order_relaxed);
  }
  const double value = task.work == Work::Memory ? copy(task.iterations) : compute(task.iterations);
  std::fill_n(task.output, task.lines,
              Output{.step = task.step, .column = task.column, .value = value});
}

std::size_t wrong_inputs() noexcept { return wrong_count.load(std::memory_order_relaxed); }

}  // namespace metg
