// SPDX-License-Identifier: Apache-2.0
#include "mem/page_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/contract.hpp"
#include "base/format.hpp"
#include "mem/heap.hpp"
#include "plat/memory.hpp"

namespace myr::mem {

using sync::relaxed;

namespace {

constexpr std::size_t kOsPageBytes = 4096;
constexpr std::size_t kReserveBytesMin = std::size_t{1} << 30;
constexpr std::uint32_t kCommitPages = 64;  // pages made usable by one system call
// Idle pages that keep their memory: at most this many, or this share of those in use if that is
// more.
constexpr std::uint32_t kDirtyPagesMax = 1024;
constexpr std::uint32_t kDirtyShare = 8;
constexpr std::uint64_t kTrimEveryNs = 100'000'000;
constexpr std::uint32_t kStepPages = 64;  // that lose their memory while others wait for the lock

struct AddressRange {
  std::uintptr_t first;
  std::size_t bytes;
};

// The heap and its tables, with one entry more than there are slabs or pages; see kTableSlack.
std::array<AddressRange, 5> ranges_of(std::size_t heap_bytes) noexcept {
  const std::size_t slabs = heap_bytes / kSlabBytes + 1;
  const std::size_t pages = heap_bytes / kPageBytes + 1;
  std::array<AddressRange, 5> ranges = {{{kHeapBase, heap_bytes},
                                         {kSlabTable, slabs * sizeof(Slab)},
                                         {kRunTable, slabs * sizeof(Run)},
                                         {kPageRunTable, pages * sizeof(Run)},
                                         {kPageTable, pages * sizeof(Page)}}};
  for (AddressRange& range : ranges) range.bytes = base::round_up(range.bytes, kOsPageBytes);
  return ranges;
}

}  // namespace

int PageSource::reserve_all(std::size_t bytes) noexcept {
  const auto ranges = ranges_of(bytes);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const int error = i == 0 ? plat::reserve_at(ranges[i].first, ranges[i].bytes)
                             : plat::map_zeros_at(ranges[i].first, ranges[i].bytes);
    if (error == 0) continue;
    while (i-- > 0) plat::release(ranges[i].first, ranges[i].bytes);
    return error;
  }
  return 0;
}

base::Result<bool> PageSource::start(std::size_t bytes) {
  bytes = base::round_down(std::clamp(bytes, 2 * kPageBytes, kHeapBytesMax), kPageBytes);
  int error = reserve_all(bytes);
  while (error == ENOMEM && bytes / 2 >= kReserveBytesMin) {
    bytes /= 2;
    error = reserve_all(bytes);
  }
  if (error == EEXIST) {
    return base::Error{
        base::format("the addresses of the heap, from {:#x} on, are already in use; has this "
                     "process loaded a second Myrmidon?",
                     kHeapBase)};
  }
  if (error != 0) {
    return base::Error{
        base::format("cannot reserve {} MB of addresses at {:#x} for the heap: {}; "
                     "raise the limit (ulimit -v)",
                     bytes >> 20, kHeapBase, std::strerror(error))};
  }
  page_count_ = static_cast<std::uint32_t>(bytes / kPageBytes);
  const auto ranges = ranges_of(bytes);
  if (!plat::commit(ranges[3].first, ranges[3].bytes) ||
      !plat::commit(ranges[4].first, ranges[4].bytes)) {
    stop();
    return base::Error{"no memory for the tables of the heap; raise the limit (ulimit -v)"};
  }
  clean_.add({1, page_count_ - 1});  // page 0 stays out: its number means "none"
  count_free_locked();
  reserved_bytes.store(bytes, relaxed);
  described_granules.store(bytes / kGranuleBytes, relaxed);
  return true;
}

void PageSource::stop() noexcept {
  reserved_bytes.store(0, relaxed);
  idle_pages.store(0, relaxed);
  described_granules.store(0, relaxed);
  for (const AddressRange& range : ranges_of(std::size_t{page_count_} * kPageBytes)) {
    plat::release(range.first, range.bytes);
  }
}

// Commits in steps, with the tables that describe the pages, so that system calls stay rare. What
// is usable grows from its first page on: one memory area for the operating system, however pages
// are traded.
bool PageSource::commit_up_to(std::uint32_t page) noexcept {
  if (page <= committed_.end()) return true;
  const auto wanted = static_cast<std::uint32_t>(base::round_up(page, kCommitPages));
  const std::uint32_t end = std::min(wanted, page_count_);
  const Extent more = {committed_.end(), end - committed_.end()};
  if (!commit(more, plat::commit_fresh)) return false;
  committed_.count += more.count;
  return true;
}

// The pages, and what the tables say of them.
bool PageSource::commit(Extent pages, Commit commit) noexcept {
  const auto entries = [&](std::uintptr_t table, std::size_t bytes_each) {
    const std::size_t bytes = kPageSlabs * bytes_each;
    return commit(table + pages.first * bytes, pages.count * bytes);
  };
  static_assert(kPageSlabs * sizeof(Run) % kOsPageBytes == 0);
  return commit(kHeapBase + pages.first * kPageBytes, pages.count * kPageBytes) &&
         entries(kSlabTable, sizeof(Slab)) && entries(kRunTable, sizeof(Run));
}

Extent PageSource::set_aside(std::uint32_t count) noexcept {
  const std::lock_guard lock(mutex_);
  MYR_ASSERT(committed_.count == 0 && !aside_);
  while (count > clean_.free_count()) count /= 2;
  aside_ = clean_.take(count);
  committed_.first = aside_.end();
  count_free_locked();
  return aside_;
}

bool PageSource::make_usable(Extent pages) noexcept {
  const std::lock_guard lock(mutex_);
  MYR_ASSERT(aside_.covers(pages));
  if (!commit(pages, plat::commit)) return false;
  aside_used_ = std::max(aside_used_, pages.end() - aside_.first);
  return true;
}

// Takes the memory of at least `count` idle pages, if there are as many.
void PageSource::launder_locked(std::uint32_t count) noexcept {
  const std::uint32_t keep = dirty_.free_count() - std::min(count, dirty_.free_count());
  while (dirty_.free_count() > keep) {
    const Extent run = dirty_.take_longest();
    const Extent pages = {run.first, std::min(run.count, dirty_.free_count() + run.count - keep)};
    if (pages.count < run.count) dirty_.add({pages.end(), run.count - pages.count});
    plat::decommit(kHeapBase + pages.first * kPageBytes, pages.count * kPageBytes);
    clean_.add(pages);
  }
  note_idle_locked();
}

void PageSource::note_idle_locked() noexcept {
  dirty_least_ = std::min(dirty_least_, dirty_.free_count());
  idle_pages.store(dirty_.free_count(), relaxed);
}

void PageSource::trim(std::uint64_t now_ns) noexcept {
  std::uint32_t unwanted = 0;
  {
    const std::lock_guard lock(mutex_);
    if (now_ns - trimmed_ns_ < kTrimEveryNs) return;
    trimmed_ns_ = now_ns;
    unwanted = dirty_least_ - std::min(dirty_least_, kIdlePagesKept);
    dirty_least_ = dirty_.free_count();
  }
  while (unwanted != 0) {
    const std::uint32_t step = std::min(unwanted, kStepPages);
    const std::lock_guard lock(mutex_);
    launder_locked(step);
    unwanted -= step;
  }
}

Extent PageSource::take(std::uint32_t count) noexcept {
  const std::lock_guard lock(mutex_);
  Extent pages = dirty_.take(count);
  if (!pages) pages = clean_.take(count);
  if (!pages) {
    launder_locked(dirty_.free_count());  // joins dirty and clean neighbours
    pages = clean_.take(count);
  }
  if (!pages) return {};
  if (!commit_up_to(pages.end())) {
    clean_.add(pages);
    return {};
  }
  note_idle_locked();
  count_free_locked();
  return pages;
}

void PageSource::give(Extent pages) noexcept {
  // What would be laundered at once anyway is better laundered without the lock.
  const bool large = pages.count > kDirtyPagesMax;
  if (large) plat::decommit(kHeapBase + pages.first * kPageBytes, pages.count * kPageBytes);
  const std::lock_guard lock(mutex_);
  if (large) {
    clean_.add(pages);
  } else {
    dirty_.add(pages);
  }
  count_free_locked();
  const std::uint32_t most = std::max(kDirtyPagesMax, taken_count() / kDirtyShare);
  launder_locked(dirty_.free_count() - std::min(dirty_.free_count(), most));
}

void PageSource::reclaim() noexcept { Heap::reclaim(); }

void PageSource::count_free_locked() noexcept {
  const std::uint64_t free = dirty_.free_count() + clean_.free_count();
  free_pages_.store(static_cast<std::uint32_t>(free), relaxed);
  const std::uint64_t ease = std::min<std::uint64_t>(2 * free * kFullEase / page_count_, kFullEase);
  ease_.store(static_cast<std::uint32_t>(ease), relaxed);
}

std::uint32_t PageSource::dirty_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return dirty_.free_count();
}

std::array<Extent, 2> PageSource::used_extents() const noexcept {
  const std::lock_guard lock(mutex_);
  return {{{aside_.first, aside_used_}, committed_}};
}

}  // namespace myr::mem
