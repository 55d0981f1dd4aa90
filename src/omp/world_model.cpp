// SPDX-License-Identifier: Apache-2.0
#include "omp/world_model.hpp"

#include <cstdlib>
#include <cstring>

#include "explore/must_hold.hpp"
#include "graph/task_arena.hpp"
#include "omp/gomp_calls.h"
#include "omp/places.hpp"
#include "omp/threads.hpp"

namespace myr::omp {

namespace {

World* world = nullptr;  // of the running execution

constexpr std::size_t kChunks = 4;  // one for each thread that makes tasks
alignas(4096) std::byte arena[(kChunks + 1) * graph::TaskArena::kChunkBytes];
std::size_t chunks_taken = 0;

void call_body(void* body) { (*static_cast<const World::Body*>(body))(self()); }

void run_worker(Thread& self) {
  wait_in_dock(self, 1);
  while (self.told_team != nullptr) {
    const unsigned team_size = self.told_team->size;
    run_part(self, *self.told_team, self.told_index);
    wait_in_dock(self, team_size);
  }
}

}  // namespace

bool is_low_on_stack(Thread&) noexcept { return false; }

World::World(unsigned worker_count, bool has_outsider) : crew_(worker_count + 1) {
  // What the last execution left of its tasks.
  std::memset(arena, 0, (chunks_taken + 1) * graph::TaskArena::kChunkBytes);
  chunks_taken = 0;
  world = this;
  for (unsigned i = 0; i <= worker_count; ++i) {
    add_thread();
    crew_[i] = threads_[i].get();
  }
  threads_[0]->crew = crew_.data();
  threads_[0]->crew_count = worker_count;
  if (has_outsider) add_thread();
}

void World::add_thread() {
  threads_.push_back(std::make_unique<Thread>());
  threads_.back()->is_started = true;
  static_cast<void>(leave_teams(*threads_.back(), shared_icv({})));
}

World::~World() {
  const auto free_team = [](Team* team) {
    std::free(static_cast<void*>(team->slots));
    std::free(static_cast<void*>(team));
  };
  for (const auto& thread : threads_) {
    free_team(thread->at.team);
    while (thread->spare_teams != nullptr) {
      free_team(std::exchange(thread->spare_teams, thread->spare_teams->next_spare));
    }
  }
}

void World::start(explore::Threads& threads, const Body& program) {
  threads.start([this, program] {
    program(thread(0));
    for (unsigned i = 1; i < crew_.size(); ++i) leave_dock(thread(i), nullptr, 0);
  });
  for (unsigned i = 1; i < crew_.size(); ++i) {
    threads.start([this, i] {
      Team* outside = thread(i).at.team;
      run_worker(thread(i));
      thread(i).at.team = outside;  // for ~World()
    });
  }
}

void World::start_outsider(explore::Threads& threads, const Body& body) {
  threads.start([this, body] { body(*threads_.back()); });
}

void must_hold(explore::Options options, unsigned worker_count, const World::Body& program) {
  options.random_executions = 4'000;  // a program has more operations than the bounds let vary
  explore::must_hold(options, [&](explore::Threads& threads) {
    World here(worker_count);
    here.start(threads, program);
    threads.join();
  });
}

void parallel(Thread& self, unsigned size, const World::Body& body) {
  World::Body copy = body;
  begin_region(self, {call_body, &copy, size});
  copy(self);
  end_region(self);
}

void task(Thread& self, const World::Body& body, const TaskKind& kind) {
  struct Call {
    void* event;  // spawn() writes it, for a detached task
    const World::Body* body;
  };
  Call call{nullptr, world->keep(body)};
  TaskRequest request{.body = [](void* data) { (*static_cast<Call*>(data)->body)(omp::self()); },
                      .data = &call,
                      .copy = nullptr,
                      .size = sizeof call,
                      .align = alignof(Call),
                      .deferred = kind.is_deferred,
                      .flags = 0,
                      .depend = kind.depend,
                      .priority = 0,
                      .detach = kind.event};
  if (kind.depend.any()) request.flags |= GOMP_TASK_DEPEND;
  if (kind.event != nullptr) request.flags |= GOMP_TASK_DETACH;
  if (kind.is_untied) request.flags |= GOMP_TASK_UNTIED;
  spawn(self, request);
}

// ---- In place of threads.cpp, wait.cpp, settings.cpp and places.cpp.

Thread& self() { return world->thread(explore::thread_index() - 1); }
void start(Thread&) { fail("a worker of a model has begun already"); }
void hire(Thread& self, unsigned count) { MYR_ASSERT(self.crew_count >= count); }
void give_crew_back(Thread&) {}
unsigned take_threads(unsigned size, unsigned) noexcept { return size; }
void give_threads_back(unsigned) noexcept {}

Settings settings;
unsigned processor_count() noexcept { return 8; }
const Icv* shared_icv(const Icv&) {
  static const Icv values;
  return &values;
}

unsigned place_count() noexcept { return 0; }
void choose_places(Thread&, Team&) {}
void give_places_back(Thread&, Team&) noexcept {}
void move_to_place(Thread&) {}
void announce_affinity(Thread&) {}

void count_awake(int) noexcept {}
bool too_many_awake() noexcept { return true; }
bool has_free_processor() noexcept { return true; }
void nap_while(const sync::Atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  sync::futex_wait_for(word, value, 0);
}
Spin::Spin(Patience& patience) noexcept
    : patience_(patience), start_(0), last_(0), limit_(settings.spin_count) {}
bool Spin::turn() noexcept {
  if (limit_ == 0) return false;
  limit_ -= 1;
  sync::spin_pause();
  return true;
}
void Spin::has_slept() noexcept { patience_.limit_ticks = start_; }

}  // namespace myr::omp

namespace myr::graph {

// Granule 0 is none.
std::byte* TaskArena::base_ = omp::arena;
std::byte* TaskArena::take_chunk() noexcept {
  if (omp::chunks_taken == omp::kChunks) return nullptr;
  omp::chunks_taken += 1;
  return base_ + omp::chunks_taken * kChunkBytes;
}

}  // namespace myr::graph
