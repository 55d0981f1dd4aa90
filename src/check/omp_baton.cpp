// SPDX-License-Identifier: Apache-2.0
#include "check/omp_baton.hpp"

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/contract.hpp"

namespace myr::check {

namespace {
// Threads that follow each other on one processor need not wake another one up.
void stay_on_processor() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(sched_getcpu(), &processors);
  pthread_setaffinity_np(pthread_self(), sizeof processors, &processors);
}
}  // namespace

Baton::Baton() {
  stay_on_processor();
  threads_.push_back(std::make_unique<Thread>());
  threads_.front()->job = [] {};
}

bool Baton::can_run(const Thread& thread) {
  return thread.job != nullptr && (thread.waits_for == nullptr || (*thread.waits_for)());
}

void* Baton::run(void* data) {
  const std::unique_ptr<Start> start(static_cast<Start*>(data));
  for (;;) {
    start->thread->baton.acquire();
    start->thread->job();
    start->thread->job = nullptr;
    start->baton->hand_on();
  }
}

void Baton::start(Job job) {
  for (const std::unique_ptr<Thread>& thread : threads_) {
    if (thread->job != nullptr) continue;
    thread->job = std::move(job);
    return;
  }
  threads_.push_back(std::make_unique<Thread>());
  Thread* const thread = threads_.back().get();
  thread->job = std::move(job);
  pthread_t id{};
  const int failure = pthread_create(&id, nullptr, &run, new Start{this, thread});
  MYR_ASSERT(failure == 0);
  pthread_detach(id);
}

void Baton::hand_on() {
  const std::size_t from = running_;
  for (std::size_t i = 1; i <= threads_.size(); ++i) {
    const std::size_t next = (from + i) % threads_.size();
    if (!can_run(*threads_[next])) continue;
    if (next == from) return;
    Thread& me = *threads_[from];
    const bool is_idle = me.job == nullptr;
    running_ = next;
    threads_[next]->baton.release();
    if (!is_idle) me.baton.acquire();
    return;
  }
  std::fputs("myr check: all threads of the program wait for each other\n", stderr);
  std::exit(EXIT_FAILURE);
}

void Baton::wait_for(const Condition& condition) {
  if (condition()) return;
  Thread& me = *threads_[running_];
  me.waits_for = &condition;
  hand_on();
  threads_[running_]->waits_for = nullptr;
}

void Baton::yield() { hand_on(); }

}  // namespace myr::check
