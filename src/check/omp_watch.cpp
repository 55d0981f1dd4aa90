// SPDX-License-Identifier: Apache-2.0
#include "check/omp_watch.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/byte_map.hpp"
#include "check/omp_report.hpp"
#include "check/omp_team.hpp"
#include "plat/stack_bounds.hpp"

namespace myr::check::omp {

namespace {

// What the calling thread has of its own.
struct Own {
  std::uint64_t stack_low = 0;
  std::uint64_t lowest = 0;  // that has been touched
  std::vector<Bytes> thread_locals = {};
};
thread_local Own* own __attribute__((tls_model("initial-exec"))) = nullptr;

Own& own_of_thread() {
  if (own == nullptr) {
    const auto low = reinterpret_cast<std::uint64_t>(plat::this_thread_stack().low);
    own = new Own{.stack_low = low, .lowest = ~std::uint64_t{0}};
    own->thread_locals = check::thread_locals();
  }
  return *own;
}

// What nobody looks at.
base::ByteMap<bool>& excluded() {
  static auto& excluded = *new base::ByteMap<bool>;
  return excluded;
}
bool is_excluded(std::uint64_t address) {
  bool found = false;
  excluded().visit(address, address + 1, [&](auto, auto, bool) { return !(found = true); });
  return found;
}

}  // namespace

void start() { Watch::instance().start_openmp(); }

void adopt_thread() { Watch::adopt_thread(); }

void exclude(const void* first, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(first);
  excluded().set(begin, begin + bytes, true);
}

void forget_frames(std::uint64_t frame) {
  Own& mine = own_of_thread();
  if (mine.lowest < frame) races().forget(mine.lowest, frame);
  mine.lowest = frame;
}

void forget_own_stack() {
  Own& mine = own_of_thread();
  forget_frames(address_of(__builtin_frame_address(0)));
  mine.lowest = ~std::uint64_t{0};
}

void wait_until(const std::function<bool()>& condition) {
  baton().wait_for(condition);
  forget_lines();
}

void let_others_run() {
  if (task().system_lock_count != 0) return;  // they could wait for it as threads do
  baton().yield();
  forget_lines();
}

void look(const Touch& touch) noexcept {
  Task& task = omp::task();
  Own& mine = own_of_thread();
  if (contain(mine.thread_locals, touch.address) || is_excluded(touch.address)) return;
  const bool is_own = mine.stack_low <= touch.address && touch.address < task.frame;
  if (is_own) mine.lowest = std::min(mine.lowest, touch.address);
  if (!touch.writes && task.runner.locks != Locks::kNone) {
    const std::vector<Strand> senders = races().senders(touch, task.runner);
    if (!senders.empty()) go_on(task, senders);
  }
  const Race race = races().look(touch, task.runner, is_own);
  if (!race) return;
  if (race.is_of_one_thread) {
    const Bytes block = Watch::instance().block_of_thread(race.first);
    if (block.end != 0) return excluded().set(block.begin, block.end, true);
  }
  report(race);
}

void synchronize(std::uint64_t address, Watch::Atomic::Kind kind, int order) noexcept {
  using Kind = Watch::Atomic::Kind;
  static auto& released = *new std::unordered_map<std::uint64_t, Strand>;
  Task& task = omp::task();
  const bool acquires = order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
  const bool releases = order >= __ATOMIC_RELEASE;
  if (kind != Kind::Store && acquires) {
    const auto found = released.find(address);
    if (found != released.end()) go_on(task, {found->second});
  }
  if (kind != Kind::Load && releases) {
    released[address] = task.runner.strand;
    go_on(task);
  } else if (kind == Kind::Store) {
    released.erase(address);
  }
  // It may have got a number that no other thread has.
  const bool is_change = kind == Kind::Swap || kind == Kind::Add;
  if (is_change && !task.is_in_chunk && !task.is_explicit) {
    races().part(task.runner.part).knows_thread = true;
  }
  constexpr unsigned kBetween = 64;  // a thread may wait for what another one stores
  static unsigned count = 0;
  if (!is_change && ++count % kBetween == 0) let_others_run();
}

void took_lock(std::uint64_t lock) noexcept {
  const Inside inside;
  Task& task = omp::task();
  task.system_lock_count += 1;
  note_acquired(lock);
}

void lets_lock_go(std::uint64_t lock) noexcept {
  const Inside inside;
  Task& task = omp::task();
  note_released(lock);
  if (task.system_lock_count != 0) task.system_lock_count -= 1;  // a semaphore may be another one's
}

void allocated(std::uint64_t first, std::uint64_t bytes) noexcept {
  Task& task = omp::task();
  races().allocated(first, first + bytes, task.is_explicit ? 0 : task.runner.part);
}

void freed(std::uint64_t first, std::uint64_t bytes) noexcept {
  races().forget(first, first + bytes);
  excluded().erase(first, first + bytes);
}

}  // namespace myr::check::omp
