// SPDX-License-Identifier: Apache-2.0
//
// Overhead of rayon's tasks. rayon knows no dependences: independent tasks are spawned into one
// scope, each task of a chain spawns the next one, and fib joins. A scope ends in a wait, so what
// is to be spawned is noted, and the wait is the scope.
#include "rayon/rayon.hpp"

#include <utility>

#include "harness/program.hpp"

namespace {

using myr::bench::Bench;
using myr::bench::Object;
using myr::bench::Pattern;

class Rayon final : public myr::bench::Runtime {
 public:
  explicit Rayon(unsigned threads) { rayon::rival_rayon_start(threads); }

  void spawn(const Pattern& pattern, std::size_t first, std::size_t last) override {
    pattern_ = &pattern;
    next_ = first;
    last_ = last;
  }

  void wait() override {
    const bool is_chain = pattern_->deps != 0 && pattern_->chained;
    rayon::rival_rayon_scope(is_chain ? run_chain : spawn_all, this);
  }

  [[nodiscard]] bool can_run(Bench bench) const override {
    return Runtime::can_run(bench) && bench != Bench::Spawn;
  }
  std::uint64_t fib(unsigned n) override { return rayon::rival_rayon_fib(n); }

 private:
  static void run(rayon::Scope*, void* object) { ++static_cast<Object*>(object)->value; }

  static void spawn_all(rayon::Scope* scope, void* data) {
    const auto& self = *static_cast<Rayon*>(data);
    for (std::size_t task = self.next_; task < self.last_; ++task) {
      rayon::rival_rayon_spawn(scope, run, self.pattern_->of(task)[0]);
    }
  }

  static void run_chain(rayon::Scope* scope, void* data) {
    auto& self = *static_cast<Rayon*>(data);
    run(scope, self.pattern_->of(self.next_)[0]);
    if (++self.next_ < self.last_) rayon::rival_rayon_spawn(scope, run_chain, data);
  }

  const Pattern* pattern_ = nullptr;
  std::size_t next_ = 0;
  std::size_t last_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  Rayon runtime(options.threads);
  return myr::bench::run_program(options, {.name = "rayon"}, runtime);
}
