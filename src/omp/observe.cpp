// SPDX-License-Identifier: Apache-2.0
#include "omp/observe.hpp"

#include <unistd.h>

#include "base/format.hpp"
#include "omp/observe_record.hpp"
#include "plat/clock.hpp"
#include "sync/atomic.hpp"

namespace myr::omp {

namespace {

// [omp.records] A reader of the list sees the records, as they were made.
sync::Atomic<ThreadRecord*> record_list{nullptr};
sync::Atomic<unsigned> observed_count{0};
constinit thread_local ThreadRecord* own_record = nullptr;

// Never freed: a thread that has ended shows, too.
ThreadRecord& make_record() {
  const unsigned number = observed_count.fetch_add(1, sync::relaxed);
  const bool is_main = gettid() == getpid();
  trace::Track track{.name = base::format("thread {}", number),
                     .kind = is_main ? trace::Track::Kind::Main : trace::Track::Kind::Worker};
  auto* record = new ThreadRecord(number, std::move(track), plat::ticks());
  ThreadRecord* head = record_list.load(sync::relaxed);
  do {
    record->next = head;
  } while (!record_list.compare_exchange_weak(head, record, sync::release,  // [omp.records]
                                              sync::relaxed));
  return *record;
}

ThreadRecord& own() {
  if (own_record == nullptr) own_record = &make_record();
  return *own_record;
}

// What the thread did until now.
void end_state(ThreadRecord& record, std::uint64_t now) {
  const trace::State state = record.is_resting ? record.rest : trace::State::Task;
  if (now > record.state_since) record.timeline.add_span({record.state_since, now, state});
  record.state_since = now;
}

void end_innermost(ThreadRecord& record, std::uint64_t now) {
  const ThreadRecord::Open open = record.open.back();
  record.open.pop_back();
  record.timeline.end_task(now);
  open.seen->times += 1;
  open.seen->ticks += now - open.begun;
}

}  // namespace

Seen& SeenTable::get(Construct construct, const void* code) noexcept {
  const auto bits = reinterpret_cast<std::uint64_t>(code) * 0x9E3779B97F4A7C15ULL;
  std::size_t at = (bits >> 32) % kRoom;
  for (std::size_t tries = 0; tries < kRoom; ++tries, at = (at + 1) % kRoom) {
    Seen& entry = seen[at];
    if (entry.code == code && entry.construct == construct) return entry;
    if (entry.code != nullptr) continue;
    entry.construct = construct;
    entry.code = code;
    return entry;
  }
  return rest;
}

ThreadRecord::ThreadRecord(unsigned its_number, trace::Track track, std::uint64_t now)
    : timeline(std::move(track), trace::Detail::AllStates,
               wants_timelines() ? trace::Timeline::kEventsMax : 0),
      state_since(now),
      number(its_number) {}

ThreadRecord* all_records() noexcept { return record_list.load(sync::acquire); }  // [omp.records]

void close(ThreadRecord& record, std::uint64_t now) {
  const std::lock_guard guard(record.lock);
  while (!record.open.empty()) end_innermost(record, now);
  end_state(record, now);
  record.is_closed = true;
}

unsigned observe_begin(Construct construct, const void* code) noexcept {
  ThreadRecord& record = own();
  const std::lock_guard guard(record.lock);
  if (record.is_closed) return 0;
  const std::uint64_t now = plat::ticks();
  Seen& seen = record.table.get(construct, code);
  record.timeline.begin_task(now, {record.number, record.task_count++}, &seen.site);
  record.open.push_back({&seen, now});
  return static_cast<unsigned>(record.open.size() - 1);
}

void observe_end(unsigned outer_count) noexcept {
  ThreadRecord& record = own();
  const std::lock_guard guard(record.lock);
  const std::uint64_t now = plat::ticks();
  while (!record.is_closed && record.open.size() > outer_count) end_innermost(record, now);
}

bool observe_rest(Rest rest) noexcept {
  ThreadRecord& record = own();
  const std::lock_guard guard(record.lock);
  if (record.is_closed || record.is_resting) return false;
  end_state(record, plat::ticks());
  record.is_resting = true;
  record.rest = rest == Rest::InTeam ? trace::State::Wait : trace::State::Idle;
  return true;
}

void observe_sleep() noexcept {
  ThreadRecord& record = own();
  const std::lock_guard guard(record.lock);
  if (record.is_closed) return;
  end_state(record, plat::ticks());
  record.rest = trace::State::Asleep;
}

void observe_rest_end() noexcept {
  ThreadRecord& record = own();
  const std::lock_guard guard(record.lock);
  if (record.is_closed) return;
  end_state(record, plat::ticks());
  record.is_resting = false;
}

}  // namespace myr::omp
