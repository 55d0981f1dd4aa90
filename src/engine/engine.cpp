// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.hpp"

#include "base/format.hpp"
#include "graph/task_arena.hpp"

namespace myr::engine {

namespace {
unsigned workers_without_processor(unsigned worker_count) {
  const unsigned processors = plat::usable_cpu_count();
  return worker_count > processors ? worker_count - processors : 0;
}
}  // namespace

Engine::Engine(graph::RegionSpace& space, const EngineOptions& options)
    : space_(space),
      options_(options),
      sleepers_(options.worker_count, workers_without_processor(options.worker_count)) {
  recyclers_.resize(options.worker_count);
  for (unsigned i = 0; i < options.worker_count; ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    recyclers_[i] = std::make_unique<graph::Recycler>(index, recyclers_);
    workers_.push_back(std::make_unique<Worker>(*this, index, *recyclers_[i]));
  }
}

base::Result<std::unique_ptr<Engine>> Engine::create(graph::RegionSpace& space,
                                                     const EngineOptions& options) {
  if (auto reserved = graph::TaskArena::reserve(); !reserved) return reserved.error();
  std::unique_ptr<Engine> engine(new Engine(space, options));
  Worker& first = *engine->workers_[0];
  graph::Task* root = first.draft(0, 0);
  root->depth = 0;
  root->parent = nullptr;
  root->site = nullptr;
  engine->recyclers_[0]->attach_interior(*root);
  first.adopt_root(root);
  first.adopt_thread();
  for (unsigned i = 1; i < options.worker_count; ++i) {
    Worker* worker = engine->workers_[i].get();
    auto thread = plat::Thread::start(
        {.name = base::format("myr-{}", i), .stack_bytes = Stacks::kBytes}, [worker] {
          worker->adopt_thread();
          worker->loop();
        });
    if (!thread) return thread.error();
    engine->threads_.push_back(std::move(*thread));
  }
  if (workers_without_processor(options.worker_count) != 0) {
    auto thread =
        plat::Thread::start({.name = "myr-watch"}, [&watch = engine->watch_] { watch.loop(); });
    if (!thread) return thread.error();
    engine->threads_.push_back(std::move(*thread));
  }
  return engine;
}

void Engine::stop() {
  // [engine.stop] The workers have nothing left to run; they only need to see that they may go.
  stopping_.store(true, sync::release);
  for (unsigned i = 0; i < worker_count(); ++i) sleepers_.post_to(i);
  watch_.stop();
  threads_.clear();
}

Engine::~Engine() {
  stop();
  recyclers_[0]->recycle(workers_[0]->task());
  Worker::forget_thread();
}

}  // namespace myr::engine
