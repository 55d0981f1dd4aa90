// SPDX-License-Identifier: Apache-2.0
//
// Loops. A loop becomes a few tasks, its first parts, which the graph orders like any others: so
// loops wait for each other part by part. A part runs grain by grain; between two grains it looks
// whether some worker has nothing to do. If so it ends, after it has spawned the two halves of what
// is left of it, one of them for that worker: what waits for the part now waits for those of the
// halves that use the same memory.
//
// Invariants
//   1. Parts and halves are spawned in the order of their iterations. So the graph makes those that
//      conflict run in that order, and the first failure in spawn order is the loop's first.
//   2. A part that has spawned its halves runs nothing any more: its body's tasks come before them.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/format.hpp"
#include "base/refusal.hpp"
#include "base/sanitizers.hpp"
#include "deps/region_tree.hpp"
#include "mem/heap.hpp"
#include "plat/clock.hpp"
#include "runtime/loop_history.hpp"
#include "runtime/runtime.hpp"

using myr::runtime::check_filled;
using myr::runtime::check_size;
using myr::runtime::context;
using myr::runtime::LoopHistory;
using myr::runtime::LoopPace;
using myr::runtime::LoopPlaces;
using myr::runtime::with_memory;

namespace {

using myr::base::PartRange;
using myr::base::ThreadContext;
using myr::base::WholeLoop;
using myr::sync::Place;
using myr::sync::Placement;

// Enough first parts that loops may follow each other closely and parts be stolen whole.
constexpr std::size_t kPartsPerWorker = 4;
constexpr std::uint64_t kGrainTicks = 8'000;  // about what ten tasks cost
constexpr std::size_t kGrowth = 8;            // of a grain whose time is not known yet
// A part that has run for long looks less often: after a sixteenth of that time, or ten grains.
constexpr std::uint64_t kLongTicks = 16 * kGrainTicks;
constexpr std::uint64_t kGrainsMax = 10;

// One loop; its parts share it, and the last that ends deletes it.
struct Loop {
  myr_loop what;
  const myr_site* site;
  LoopPace* pace;
  myr::sync::Atomic<std::size_t> holders{1};
  // Do its halves wait for each other? Then there is no use in cutting parts. A hint.
  myr::sync::Atomic<bool> is_chain{false};

  void hold(std::size_t parts = 1) noexcept { holders.fetch_add(parts, myr::sync::relaxed); }
  // The caller holds it once more.
  void let_go(std::size_t parts) noexcept { holders.fetch_sub(parts, myr::sync::relaxed); }
  void drop() noexcept {
    if (myr::base::is_watched_for_races()) myr::base::tell_release(this);
    // [runtime.loop] The one that deletes it sees what all parts did.
    if (holders.fetch_sub(1, myr::sync::acq_rel) != 1) return;
    if (myr::base::is_watched_for_races()) myr::base::tell_acquire(this);
    if (what.destroy != nullptr) what.destroy(what.data);
    delete this;
  }
};

struct DropLoop {
  void operator()(Loop* loop) const noexcept { loop->drop(); }
};
using LoopHold = std::unique_ptr<Loop, DropLoop>;

// The closure of a task.
struct Part {
  Loop* loop;
  std::size_t begin, end;
  LoopPlaces* places;  // nullptr: it is a half, or nobody wants to know

  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};

void run_part(void* closure, const myr_access* accesses);

// The same, for any process: what run() looks at is behind it.
struct alignas(16) PartOfBytes {
  PartRange range;
  int (*run)(void* data, std::size_t begin, std::size_t end);
};

void run_part_of_bytes(void* closure, const myr_access* accesses) {
  if (accesses == MYR_CANCELLED) return;
  auto* const part = static_cast<PartOfBytes*>(closure);
  part->run(part + 1, part->range.begin, part->range.end);
}

std::size_t bytes_of_part(const myr_loop& what) {
  return myr::base::saturated_sum(sizeof(PartOfBytes), what.data_bytes);
}

void write_part_of_bytes(void* closure, const myr_loop& what, PartRange range) {
  auto* const part = new (closure) PartOfBytes{range, what.run};
  std::memcpy(part + 1, what.data, what.data_bytes);
}

// A footprint that throws leaves a task behind that uses nothing and does nothing.
void fill_accesses(ThreadContext& here, const Part& part, const myr_draft& draft,
                   std::size_t count) {
  const myr_loop& what = part.loop->what;
  try {
    what.footprint(what.data, part.begin, part.end, draft.accesses);
  } catch (...) {
    std::fill_n(draft.accesses, count, myr_pointer(nullptr));
    here.submit(draft, [](void*, const myr_access*) {}, part.loop->site);
    throw;
  }
}

// False: the part stays in this process, as its loop or its task does.
bool spawn_for_others(ThreadContext& here, const Part& part) {
  const myr_loop& what = part.loop->what;
  if (what.data_bytes == 0 || !here.spawns_for_others()) return false;
  const std::size_t count = what.footprint(what.data, part.begin, part.end, nullptr);
  check_size(bytes_of_part(what), count, part.loop->site);
  const myr_draft draft = here.new_draft(bytes_of_part(what), count);
  fill_accesses(here, part, draft, count);
  write_part_of_bytes(draft.closure, what, {part.begin, part.end});
  here.submit(draft, run_part_of_bytes, part.loop->site);
  return true;
}

myr_draft draft_part(ThreadContext& here, const Part& part) {
  Loop& loop = *part.loop;
  const std::size_t count = loop.what.footprint(loop.what.data, part.begin, part.end, nullptr);
  check_size(sizeof(Part), count, loop.site);
  const myr_draft draft = here.new_draft(sizeof(Part), count);
  fill_accesses(here, part, draft, count);
  if (loop.what.data_bytes == 0) here.keep_here(draft);
  loop.hold();
  new (draft.closure) Part(part);
  return draft;
}

void spawn(ThreadContext& here, const Part& part, const Placement& best) {
  if (spawn_for_others(here, part)) return;
  here.submit_to(best, draft_part(here, part), run_part, part.loop->site);
}

// ---- may two halves run at the same time? -----------------------------------------------------

// Not in a region inside of it: this is a hint.
bool is_directly_in(const void* object, myr_region region) {
  return myr::mem::Heap::object_at(object).owner == myr::deps::RegionTree::index_of(region);
}

bool may_conflict(const myr_access& a, const myr_access& b) {
  const unsigned either = a.flags | b.flags, both = a.flags & b.flags;
  if ((either & MYR_VALUE) != 0 || (either & MYR_OUT) == 0 || (both & MYR_CONCURRENT) != 0) {
    return false;
  }
  if ((both & MYR_REGION) != 0) return a.region == b.region;
  if ((a.flags & MYR_REGION) != 0) return is_directly_in(b.address, a.region);
  if ((b.flags & MYR_REGION) != 0) return is_directly_in(a.address, b.region);
  const auto* first = static_cast<const char*>(a.address);
  const auto* second = static_cast<const char*>(b.address);
  if (first == nullptr || second == nullptr) return false;
  // The length 0 stands for all of an object: one byte of it is compared, for this is a hint.
  return first < second + std::max<std::size_t>(b.bytes, 1) &&
         second < first + std::max<std::size_t>(a.bytes, 1);
}

// A hint: many accesses are not looked at.
bool are_a_chain(const myr_loop& loop, const Part& left, const Part& right) {
  constexpr std::size_t kMax = 8;
  std::array<myr_access, kMax> lefts;
  std::array<myr_access, kMax> rights;
  const std::size_t left_count = loop.footprint(loop.data, left.begin, left.end, nullptr);
  const std::size_t right_count = loop.footprint(loop.data, right.begin, right.end, nullptr);
  if (std::max(left_count, right_count) > kMax) return false;
  loop.footprint(loop.data, left.begin, left.end, lefts.data());
  loop.footprint(loop.data, right.begin, right.end, rights.data());
  for (std::size_t i = 0; i < left_count; ++i) {
    for (std::size_t j = 0; j < right_count; ++j) {
      if (may_conflict(lefts[i], rights[j])) return true;
    }
  }
  return false;
}

// ---- running a part -----------------------------------------------------------------------

// How many iterations take kGrainTicks, by a measurement.
std::size_t iterations_for_grain(std::uint64_t ticks, std::size_t iterations) {
  const double each = static_cast<double>(ticks) / static_cast<double>(iterations);
  const double found = static_cast<double>(kGrainTicks) / std::max(each, 0.001);
  return found < 1 ? 1 : static_cast<std::size_t>(found);
}

// Hands half of what is left to a worker that has nothing. False: there is none.
bool split(ThreadContext& here, const Part& rest) {
  const std::size_t middle = rest.begin + rest.size() / 2;
  const Part left{rest.loop, rest.begin, middle, nullptr};
  const Part right{rest.loop, middle, rest.end, nullptr};
  if (are_a_chain(rest.loop->what, left, right)) {
    rest.loop->is_chain.store(true, myr::sync::relaxed);
    return false;
  }
  const std::optional<unsigned> beggar = here.take_beggar();
  if (!beggar) return false;
  spawn(here, left, Placement::at(here.worker_index()));
  spawn(here, right, Placement::at(*beggar));
  return true;
}

void run_in_grains(const Part& part) {
  Loop& loop = *part.loop;
  const std::uint64_t known = loop.pace->get();
  std::size_t grain = loop.what.grain;
  const bool measures = grain == 0;
  if (measures) grain = known == 0 ? 1 : iterations_for_grain(known, 1024);
  std::size_t longest = measures && known == 0 ? 1 : grain;
  const std::uint64_t begin = myr::plat::ticks();
  std::uint64_t ticks = 0;
  for (std::size_t at = part.begin; at < part.end;) {
    const std::size_t count = std::min(longest, part.end - at);
    if (loop.what.run(loop.what.data, at, at + count) != 0) return;
    const std::uint64_t before = std::exchange(ticks, myr::plat::ticks() - begin);
    at += count;
    if (measures) {
      grain = iterations_for_grain(ticks - before, count);
      const std::size_t grains = std::clamp<std::uint64_t>(ticks / kLongTicks, 1, kGrainsMax);
      longest = std::min(grain * grains, count * kGrowth);
    }
    if ((part.end - at) / 2 < grain || loop.is_chain.load(myr::sync::relaxed)) continue;
    ThreadContext& here = context(nullptr);
    if (here.is_work_wanted() && split(here, {&loop, at, part.end, nullptr})) return;
  }
  loop.pace->note(ticks, part.size());
}

// The slot of an iteration.
std::size_t slot_of(const Part& part, std::size_t at) {
  const myr_loop& what = part.loop->what;
  return (at - what.begin) * LoopPlaces::kSlots / (what.end - what.begin);
}

void run_part(void* closure, const myr_access* accesses) {
  const Part part = *static_cast<const Part*>(closure);
  const LoopHold hold(part.loop);
  if (accesses == MYR_CANCELLED) return;
  const ThreadContext& here = context(nullptr);
  if (part.places != nullptr) {
    part.places->note(slot_of(part, part.begin), slot_of(part, part.end), here.worker_index());
  }
  if (here.splits_loops()) {
    try {
      run_in_grains(part);
    } catch (...) {  // what the loop's footprint throws, where the part is cut
      context(nullptr).fail(myr::base::Exception::caught());
    }
  } else {
    part.loop->what.run(part.loop->what.data, part.begin, part.end);
  }
}

// ---- the first parts ----------------------------------------------------------------------

std::size_t part_count(const ThreadContext& here, const Loop& loop) {
  const std::size_t workers = here.loop_worker_count();
  if (workers == 1 && !here.splits_loops()) return 1;
  const std::size_t wanted = here.splits_loops() ? workers * kPartsPerWorker : workers;
  std::size_t grain = here.cuts_below_grain() ? 1 : std::max<std::size_t>(loop.what.grain, 1);
  if (loop.what.grain == 0 && here.splits_loops()) {
    // A task of main's is worth its while if it takes as long as a grain. In other tasks loops are
    // cut only if some worker waits for work.
    const std::uint64_t known = loop.pace->get();
    if (known != 0) grain = iterations_for_grain(known, 1024);
    if (!here.runs_main() && !here.is_work_wanted()) return 1;
  }
  return std::clamp<std::size_t>((loop.what.end - loop.what.begin) / grain, 1, wanted);
}

void make_closure(void* closure, void* loop, std::size_t begin, std::size_t end) {
  new (closure) Part{static_cast<Loop*>(loop), begin, end, nullptr};
}

// The same for parts that may run in other processes.
bool hand_over_bytes(ThreadContext& here, const Loop& loop, std::size_t grain) {
  if (loop.what.data_bytes == 0) return false;
  check_size(bytes_of_part(loop.what), 0, loop.site);
  std::vector<std::byte> closure(bytes_of_part(loop.what));
  write_part_of_bytes(closure.data(), loop.what, {});
  return here.submit_whole({.what = &loop.what,
                            .grain = grain,
                            .closure_bytes = closure.size(),
                            .make_closure = nullptr,
                            .body = run_part_of_bytes,
                            .loop = nullptr,
                            .bytes = closure},
                           loop.site);
}

// The machine makes the parts. False: it does not want to.
bool hand_over(ThreadContext& here, Loop& loop, std::size_t parts) {
  const std::size_t size = loop.what.end - loop.what.begin;
  const std::size_t grain = (size - 1) / parts + 1;
  if (here.spawns_for_others()) return hand_over_bytes(here, loop, grain);
  const WholeLoop whole{.what = &loop.what,
                        .grain = grain,
                        .closure_bytes = sizeof(Part),
                        .make_closure = make_closure,
                        .body = run_part,
                        .loop = &loop};
  loop.hold(whole.part_count());
  const bool is_taken = here.submit_whole(whole, loop.site);
  if (!is_taken) loop.let_go(whole.part_count());
  return is_taken;
}

// The loop is one part.
void spawn_whole(ThreadContext& here, const Part& part) {
  if (spawn_for_others(here, part)) return;
  const std::uint64_t known = part.loop->pace->get();
  const bool is_brief = known != 0 && part.size() <= iterations_for_grain(known, 1024);
  const myr_draft draft = draft_part(here, part);
  if (is_brief) {
    here.submit_brief(draft, run_part, part.loop->site);
  } else {
    here.submit(draft, run_part, part.loop->site);
  }
}

void spawn_parts(ThreadContext& here, Loop& loop) {
  const myr_loop& what = loop.what;
  const std::size_t parts = part_count(here, loop);
  if (what.window_count != 0 && hand_over(here, loop, parts)) return;
  if (parts == 1) return spawn_whole(here, {&loop, what.begin, what.end, nullptr});
  LoopPlaces& places = LoopHistory::instance().places(what.begin, what.end);
  const std::size_t size = what.end - what.begin;
  Part part{&loop, what.begin, what.begin, &places};
  for (std::size_t i = 0; i < parts; ++i) {
    part.begin = part.end;
    part.end += size / parts + (i < size % parts ? 1 : 0);
    // This worker's own parts come last: until then it spawns, and the others have theirs.
    const std::size_t first = here.worker_index() + 1 + i * here.worker_count() / parts;
    Place& place = places.at(slot_of(part, part.begin));
    place.offer(static_cast<unsigned>(first % here.worker_count()));
    spawn(here, part, Placement(place));
  }
}

}  // namespace

void myr_outside_part_at(size_t element, size_t from, size_t to, const myr_site* site) {
  with_memory(
      site,
      [&] {
        const std::string declared =
            from < to ? myr::base::format("it uses {} to {} only", from, to - 1)
                      : std::string("it uses none, as the array has no such part");
        myr::base::refuse(site,
                          myr::base::format("an iteration uses element {}, and declares here that "
                                            "{}; let the part grow, or name the element in "
                                            "another access",
                                            element, declared));
      },
      false);
}

void myr_for_at(const myr_loop* loop, const myr_site* site) {
  with_memory(site, [&] {
    check_filled(loop->size, sizeof *loop, "myr_loop");
    for (std::size_t i = 0; i < loop->window_count; ++i) {
      check_filled(loop->windows[i].size, sizeof *loop->windows, "myr_window");
    }
    ThreadContext& here = context(site);
    auto& pace = LoopHistory::instance().pace(reinterpret_cast<std::uintptr_t>(loop->run));
    const LoopHold hold(new Loop{*loop, site, &pace});
    if (loop->begin < loop->end) spawn_parts(here, *hold);
  });
}
