// SPDX-License-Identifier: Apache-2.0
//
// METG of oneTBB's task_group, whose dependences the program counts.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include "metg/counters.hpp"

namespace {

using metg::Counters;
using oneapi::tbb::global_control;

class Tbb final : public metg::Runtime {
 public:
  explicit Tbb(int threads)
      : limit_(global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)) {}
  ~Tbb() noexcept override {}  // task_group's own may throw, but only if tasks are left

  void prepare(const metg::Graph& graph) override { counters_.prepare(graph); }
  void run(const metg::Graph&) override {
    counters_.start([this](Counters::Node* node) { spawn(node); });
    group_.wait();
  }

 private:
  void spawn(Counters::Node* node) {
    group_.run([this, node] {
      Counters::run_from(node, [this](Counters::Node* ready) { spawn(ready); });
    });
  }

  global_control limit_;
  oneapi::tbb::task_group group_;
  Counters counters_;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  Tbb runtime(options.threads);
  return metg::run_program(options, {.name = "onetbb"}, runtime);
}
