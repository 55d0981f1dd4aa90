// SPDX-License-Identifier: Apache-2.0
//
// A device with streams, as a GPU: tasks start work there, and end when the device says so.
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <myr/myr.hpp>
#include <thread>
#include <utility>
#include <vector>

// In place of CUDA's or OpenCL's streams: calls what it is given in order, and returns at once.
class Stream {
 public:
  ~Stream() {
    launch(nullptr);
    thread_.join();
  }
  void launch(std::function<void()> kernel) {
    {
      const std::scoped_lock held(lock_);
      kernels_.push_back(std::move(kernel));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock held(lock_);
      changed_.wait(held, [this] { return !kernels_.empty(); });
      const std::function<void()> kernel = std::move(kernels_.front());
      kernels_.pop_front();
      held.unlock();
      if (!kernel) return;
      kernel();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> kernels_;
  std::thread thread_{[this] { run(); }};
};

using Block = std::vector<float>;

void square_on(Stream& stream, Block& block) {
  stream.launch([&block] {
    for (float& x : block) x *= x;
  });
  // A callback needs a number, as a void* of C; it ends the task.
  const myr_event event = myr::Event::create().release();
  stream.launch([event] { myr_event_complete(event); });
}

int main() {
  std::array<Stream, 2> streams;
  std::vector<Block> blocks(16);
  double sum = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    myr::spawn([](Block& block, float value) { block.assign(1'000, value); }, myr::out(blocks[i]),
               static_cast<float>(i));
    myr::spawn([&stream = streams[i % 2]](Block& block) { square_on(stream, block); },
               myr::inout(blocks[i]));
    myr::spawn(
        [](const Block& block, double& s) {
          for (const float x : block) s += x;
        },
        myr::in(blocks[i]), myr::inout(sum));
  }
  myr::wait_all();
  std::printf("%.0f\n", sum);
}
