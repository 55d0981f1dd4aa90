// SPDX-License-Identifier: Apache-2.0
//
// Waiting threads of OpenMP: built by g++ for libgomp and by clang++ for LLVM's libomp. The second
// thread of a region says when it began.
#include "harness/openmp.hpp"

#include "busy/waiting.hpp"
#include "harness/core_clock.hpp"

namespace {

class Region final : public myr::bench::Team {
 public:
  explicit Region(unsigned threads) : threads_(threads) {}

  std::int64_t call() override {
    std::int64_t began = 0;
#pragma omp parallel num_threads(threads_)
    {
#pragma omp for schedule(static, 1)
      for (unsigned thread = 0; thread < 2; ++thread) {
        if (thread == 1) began = myr::bench::now_ns();
      }
    }
    return began;
  }

 private:
  unsigned threads_;
};

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = myr::bench::parse_threads(argc, argv);
  Region region(threads);
  return myr::bench::run_waiting(myr::bench::kOpenMpRuntime, threads, region);
}
