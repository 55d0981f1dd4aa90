// SPDX-License-Identifier: Apache-2.0
//
// Overhead of OpenMP tasks: built by g++ for libgomp and by clang++ for LLVM's libomp. Dependences
// are `depend(inout: ...)` clauses, whose number must be written out; one thread spawns inside
// parallel + single.
#include "harness/openmp.hpp"

#include "harness/program.hpp"
#include "with_dependences.hpp"

namespace {

using myr::bench::Object;
using myr::bench::Pattern;

// The number of dependences of a task is part of its source text.
template <unsigned Deps>
void spawn_tasks(const Pattern& pattern, std::size_t first, std::size_t last) {
  for (std::size_t task = first; task < last; ++task) {
    [[maybe_unused]] Object* const* o = pattern.of(task);
    Object* own = o[0];
    if constexpr (Deps == 0) {
#pragma omp task firstprivate(own)
      ++own->value;
    } else if constexpr (Deps == 1) {
#pragma omp task firstprivate(own) depend(inout : o[0][0])
      ++own->value;
    } else if constexpr (Deps == 3) {
#pragma omp task firstprivate(own) depend(inout : o[0][0], o[1][0], o[2][0])
      ++own->value;
    } else {
      static_assert(Deps == 15);
#pragma omp task firstprivate(own)                                                         \
    depend(inout : o[0][0], o[1][0], o[2][0], o[3][0], o[4][0], o[5][0], o[6][0], o[7][0], \
               o[8][0], o[9][0], o[10][0], o[11][0], o[12][0], o[13][0], o[14][0])
      ++own->value;
    }
  }
}

class OpenMp final : public myr::bench::Runtime {
 public:
  explicit OpenMp(unsigned threads) : threads_(threads) {}

  void as_producer(const std::function<void()>& work) override {
#pragma omp parallel num_threads(threads_)
#pragma omp single
    work();
  }

  void spawn(const Pattern& pattern, std::size_t first, std::size_t last) override {
    myr::bench::with_dependences(pattern.deps,
                                 [&]<unsigned Deps> { spawn_tasks<Deps>(pattern, first, last); });
  }

  void wait() override {
#pragma omp taskwait
  }

  std::uint64_t fib(unsigned n) override { return fib_task(n); }

  [[nodiscard]] bool can_run(myr::bench::Bench bench) const override {
    return bench != myr::bench::Bench::ReplayedChain;
  }
  // In the way that costs least: all in one parallel region.
  void loops(std::size_t count) override {
#pragma omp parallel num_threads(threads_)
    for (std::size_t loop = 0; loop < count; ++loop) {
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < myr::bench::kIterations; ++i) myr::bench::iterate(i);
    }
  }

 private:
  static std::uint64_t fib_task(unsigned n) {
    if (n < 2) return n;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
#pragma omp task shared(left) firstprivate(n)
    left = fib_task(n - 1);
#pragma omp task shared(right) firstprivate(n)
    right = fib_task(n - 2);
#pragma omp taskwait
    return left + right;
  }

  unsigned threads_;
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  OpenMp runtime(options.threads);
  return myr::bench::run_program(options, {.name = myr::bench::kOpenMpRuntime}, runtime);
}
