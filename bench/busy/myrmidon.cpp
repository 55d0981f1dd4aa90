// SPDX-License-Identifier: Apache-2.0
//
// Waiting threads of Myrmidon: main spawns a task and does not wait for it, so that another worker
// has to begin it.
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <myr/myr.hpp>

#include "busy/waiting.hpp"
#include "harness/core_clock.hpp"

namespace {

class Workers final : public myr::bench::Team {
 public:
  std::int64_t call() override {
    // Order: main sees `began` when it sees `has_begun`.
    std::atomic<bool> has_begun{false};
    std::int64_t began = 0;
    myr::spawn([&] {
      began = myr::bench::now_ns();
      has_begun.store(true, std::memory_order_release);
    });
    while (!has_begun.load(std::memory_order_acquire)) {
    }
    myr::wait_all();
    return began;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = myr::bench::parse_threads(argc, argv);
  setenv("MYR_ON", fmt::format("smp:{}", threads).c_str(), 1);
  Workers workers;
  return myr::bench::run_waiting("myrmidon", threads, workers);
}
