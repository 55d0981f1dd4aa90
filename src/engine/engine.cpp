// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.hpp"

#include "base/contract.hpp"
#include "base/format.hpp"
#include "graph/task_arena.hpp"
#include "plat/cpu_quota.hpp"
#include "plat/task_stack.hpp"
#include "sync/events.hpp"

namespace myr::engine {

namespace {
// The nodes of a larger machine leave it to the operating system which thread runs.
unsigned workers_without_processor(const EngineOptions& options) {
  const unsigned processors = plat::usable_cpu_count();
  if (!options.nodes.empty() || options.worker_count <= processors) return 0;
  return options.worker_count - processors;
}
}  // namespace

sync::Atomic<std::uint64_t> Engine::count_{0};

Engine::Engine(graph::RegionSpace& space, const EngineOptions& options)
    : space_(space),
      options_(options),
      pins_(options.pins ? Pins(options.worker_count) : Pins()),
      // A node's guests sleep there, too: they wait for messages.
      sleepers_(options.worker_count + (options.nodes.empty() ? 0 : options.guests_max),
                workers_without_processor(options)),
      recyclers_(options.recyclers == nullptr ? own_recyclers_ : *options.recyclers) {
  // Guests come while others read these.
  own_recyclers_.resize(options.worker_count + options.guests_max);
  workers_.resize(options.worker_count + options.guests_max);
  for (unsigned i = 0; i < options.worker_count; ++i) {
    add_worker(i);
  }
}

unsigned Engine::workers_of_node() const noexcept {
  return options_.nodes.empty()
             ? options_.worker_count
             : options_.worker_count / static_cast<unsigned>(options_.nodes.size());
}

Outside* Engine::node_of(unsigned index) const noexcept {
  const std::vector<Outside*>& nodes = options_.nodes;
  if (nodes.empty()) return nullptr;
  if (index < options_.worker_count) return nodes[index / workers_of_node()];
  return nodes[(index - options_.worker_count) % nodes.size()];
}

Worker& Engine::add_worker(unsigned i) {
  const auto number = static_cast<std::uint16_t>(number_of(i));
  recyclers_[number] = std::make_unique<graph::Recycler>(number, recyclers_);
  workers_[i] = std::make_unique<Worker>(*this, static_cast<std::uint16_t>(i), *recyclers_[number]);
  return *workers_[i];
}

// Makes the worker run a root, which holds everything.
void Engine::plant_root(Worker& worker, deps::RegionIndex region_zero) {
  const bool is_apart = region_zero != deps::kRootRegion;
  graph::Task* root = worker.draft(0, is_apart ? 1 : 0);
  if (is_apart) *root->accesses() = myr_inout_region(space_.tree().id_of(region_zero));
  root->depth = 0;
  root->parent = nullptr;
  root->site = nullptr;
  recycler(worker.index()).attach_interior(*root);
  worker.adopt_root(root, region_zero);
}

base::Result<std::unique_ptr<Engine>> Engine::create(graph::RegionSpace& space,
                                                     const EngineOptions& options) {
  if (auto reserved = graph::TaskArena::reserve(); !reserved) return reserved.error();
  if (options.nodes.empty()) graph::TaskArena::clear();
  std::unique_ptr<Engine> engine(new Engine(space, options));
  if (options.has_main) {
    Worker& first = *engine->workers_[0];
    engine->plant_root(first, deps::kRootRegion);
    first.adopt_thread();
  }
  if (auto started = engine->start_threads(); !started) return started.error();
  if (options.has_main) engine->pins_.bind_main();  // not before: threads inherit it
  return engine;
}

base::Result<bool> Engine::start_threads() {
  for (unsigned i = options_.has_main ? 1 : 0; i < options_.worker_count; ++i) {
    Worker* worker = workers_[i].get();
    auto thread = plat::Thread::start({.name = base::format("myr-{}", options_.first_worker + i),
                                       .stack_bytes = plat::task_stack_bytes()},
                                      [this, worker] {
                                        pins_.bind(worker->index());
                                        worker->adopt_thread();
                                        worker->loop();
                                        Worker::forget_thread();
                                        plat::unwatch_stack();
                                      });
    if (!thread) return thread.error();
    threads_.push_back(std::move(*thread));
  }
  if (workers_without_processor(options_) != 0) {
    auto thread = plat::Thread::start({.name = "myr-watch"}, [this] { watch_.loop(); });
    if (!thread) return thread.error();
    threads_.push_back(std::move(*thread));
  }
  return true;
}

// ---- guests -------------------------------------------------------------------------------------

bool Engine::admit() {
  std::shared_ptr<Guest> guest;
  {
    const std::scoped_lock lock(guests_lock_);
    if (!idle_guests_.empty()) {
      guest = std::move(idle_guests_.back());
      idle_guests_.pop_back();
    } else {
      guest = make_guest();
    }
  }
  if (guest == nullptr) return false;
  Guest::attach_thread(guest);
  return true;
}

std::shared_ptr<Guest> Engine::make_guest() {
  const unsigned count = guest_count_.load(sync::relaxed);
  if (count == options_.guests_max) return nullptr;
  // The stores of a larger machine have locks: there is one region 0 for all.
  const deps::RegionIndex home = options_.nodes.empty() ? space_.create_apart() : deps::kRootRegion;
  if (home == deps::kNoRegion) return nullptr;
  Worker& worker = add_worker(worker_count() + count);
  plant_root(worker, home);
  guests_.push_back(std::make_shared<Guest>(*this, worker, home));
  // [engine.guest] A thread that sees the count sees the worker and its recycler.
  guest_count_.store(count + 1, sync::release);
  return guests_.back();
}

void Engine::leave(std::shared_ptr<Guest> guest) {
  const std::scoped_lock lock(guests_lock_);
  idle_guests_.push_back(std::move(guest));
}

void Engine::finish_guests(bool for_ever) {
  std::vector<std::shared_ptr<Guest>> guests;
  {
    const std::scoped_lock lock(guests_lock_);
    guests = guests_;
  }
  for (const auto& guest : guests) guest->finish(for_ever);
}

void Engine::give_back(void* object, deps::RegionIndex region) {
  const std::scoped_lock lock(guests_lock_);
  if (region == deps::kRootRegion) {
    returned_.push_back(object);
    has_returned_.store(true, sync::relaxed);
    return;
  }
  for (const auto& guest : guests_) {
    if (guest->home() == region) guest->give_back(object);
  }
}

void Engine::take_returned(Worker& worker) {
  if (!worker.runs_main()) return;
  std::vector<void*> taken;
  {
    const std::scoped_lock lock(guests_lock_);
    taken.swap(returned_);
    has_returned_.store(false, sync::relaxed);
  }
  for (void* object : taken) worker.free(object, nullptr);
}

std::vector<const LineTimes*> Engine::lines() const {
  std::vector<const LineTimes*> all;
  for (unsigned i = 0; i < worker_count(); ++i) {
    if (const LineTimes* const lines = workers_[i]->lines()) all.push_back(lines);
  }
  return all;
}

// ---- the end ------------------------------------------------------------------------------------

void Engine::stop() {
  // No task is left, so no event; but the thread that completed the last one may still be in
  // end_soon().
  sync::Events::instance().settle();
  // [engine.stop] The workers have nothing left to run; they only need to see that they may go.
  stopping_.store(true, sync::release);
  for (unsigned i = 0; i < worker_count(); ++i) sleepers_.post_to(i);
  watch_.stop();
  threads_.clear();
  pins_.release();
  MYR_DCHECK(broken_invariant() == nullptr);
}

const char* Engine::broken_invariant() const {
  if (!common_.is_empty()) return "a ready task that is no worker's has not run";
  for (unsigned i = 0; i < queue_count(); ++i) {
    if (const char* const broken = workers_[i]->broken_invariant()) return broken;
  }
  return sleepers_.broken_invariant();
}

Engine::~Engine() {
  stop();
  if (options_.has_main) recycler(0).recycle(workers_[0]->task());
  for (unsigned i = worker_count(); i < queue_count(); ++i) {
    recycler(i).recycle(workers_[i]->task());
  }
  if (!options_.has_main) return;
  Worker::forget_thread();
  plat::unwatch_stack();
}

}  // namespace myr::engine
