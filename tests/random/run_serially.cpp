// SPDX-License-Identifier: Apache-2.0
//
// The reference: plain C++ without the runtime. Objects are vectors, a spawn is a recursive call.
#include "interpret.hpp"

namespace myr::random_test {

namespace {

class SerialRun {
 public:
  explicit SerialRun(const Program& program) : program_(program) {
    outcome_.task_hash.resize(program.tasks.size());
    outcome_.content.resize(program.objects.size());
    for (unsigned i = 0; i < program.global_count; ++i) create(i, 0);
  }

  Outcome run() {
    run_task(kMainTask);
    for (unsigned i = program_.global_count; i < program_.objects.size(); ++i) {
      if (program_.objects[i].region == kNoRegion) outcome_.content[i].clear();  // a task's local
    }
    return std::move(outcome_);
  }

 private:
  void create(unsigned object, std::uint64_t hash) {
    outcome_.content[object].resize(program_.objects[object].words);
    fill(hash, object, outcome_.content[object]);
  }

  void run_task(unsigned task) {
    std::uint64_t hash = first_hash(task);
    for (const Step& step : program_.tasks[task].steps) run_step(step, hash);
    outcome_.task_hash[task] = hash;
  }

  void run_step(const Step& step, std::uint64_t& hash) {
    switch (step.kind) {
      case Step::Kind::Touch: {
        const Target& target = step.access.target;
        const std::span<std::uint64_t> words(outcome_.content[target.index]);
        touch(hash, words.subspan(target.first, target.count), step.access);
        break;
      }
      case Step::Kind::Spawn:
        run_task(step.index);
        break;
      case Step::Kind::Allocate:
        for (unsigned i = 0; i < step.count; ++i) create(step.index + i, hash);
        break;
      case Step::Kind::DeclareLocal:
        create(step.index, hash);
        break;
      case Step::Kind::Reallocate:
        reallocate(step, hash);
        break;
      case Step::Kind::Free:
        outcome_.content[step.index].clear();
        break;
      case Step::Kind::FreeRegion:
        free_region(step.index);
        break;
      case Step::Kind::Wait:
      case Step::Kind::WaitAll:
      case Step::Kind::NewRegion:
      case Step::Kind::Spin:
        break;
    }
  }

  void reallocate(const Step& step, std::uint64_t hash) {
    std::vector<std::uint64_t> words = std::move(outcome_.content[step.old_index]);
    outcome_.content[step.old_index].clear();
    const std::size_t kept =
        std::min<std::size_t>(words.size(), program_.objects[step.index].words);
    words.resize(program_.objects[step.index].words);
    fill(hash, step.index, std::span(words).subspan(kept));
    outcome_.content[step.index] = std::move(words);
  }

  void free_region(unsigned region) {
    for (unsigned i = 0; i < program_.objects.size(); ++i) {
      if (program_.objects[i].region != kNoRegion && inside(program_.objects[i].region, region)) {
        outcome_.content[i].clear();
      }
    }
  }

  bool inside(unsigned region, unsigned ancestor) const {
    while (region != ancestor && region != kRootRegion) region = program_.region_parent[region];
    return region == ancestor;
  }

  const Program& program_;
  Outcome outcome_;
};

}  // namespace

Outcome run_serially(const Program& program) { return SerialRun(program).run(); }

}  // namespace myr::random_test
