// SPDX-License-Identifier: Apache-2.0
#include "mem/run_heap.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"

namespace myr::mem {

using sync::relaxed;

// Bins 0..31 hold lengths 1..32; each further bin twice the lengths of the one before; the last bin
// the rest. So every run in a bin above bin_of(n) has at least n entries.
std::uint32_t RunHeap::bin_of(std::uint32_t length) noexcept {
  if (length <= kExactBins) return length - 1;
  constexpr unsigned kExactBits = std::bit_width(kExactBins - 1);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(length - 1));
  return std::min(kExactBins - 1 + bits - kExactBits, kBinCount - 1);
}

const char* RunHeap::broken_invariant() const noexcept {
  std::uint32_t free = 0;
  const char* broken = nullptr;
  for_each([&](Extent run) {
    free += run.count;
    if (const char* const what = broken_invariant(run)) broken = what;
  });
  if (broken != nullptr) return broken;
  return free == free_count_ ? nullptr : "another number of free entries is counted";
}

const char* RunHeap::broken_invariant(Extent run) const noexcept {
  const Run& first = table_[run.first];
  const Run& last = table_[run.end() - 1];
  if (first.holder.load(relaxed) != holder_ || last.holder.load(relaxed) != holder_) {
    return "a run ends that nobody holds";
  }
  if (last.length != run.count) return "a run's ends have two lengths";
  for (std::uint32_t i = run.first + 1; i + 1 < run.end(); ++i) {
    if (table_[i].holder.load(relaxed) != 0) return "a run begins inside of another";
  }
  const std::uint32_t bin = bin_of(run.count);
  const bool is_head = is_in_use(bin) && heads_[bin] == run.first;
  if (is_head != (first.prev == kNone)) return "a run is in the bin of another length";
  const bool has_way_back = is_head || table_[first.prev].next == run.first;
  return has_way_back ? nullptr : "a link back is not the way";
}

void RunHeap::link(Extent run) noexcept {
  const std::uint32_t bin = bin_of(run.count);
  const std::uint32_t old_head = is_in_use(bin) ? heads_[bin] : kNone;
  Run& first = table_[run.first];
  first.next = old_head;
  first.prev = kNone;
  first.length = run.count;
  first.holder.store(holder_, relaxed);
  Run& last = table_[run.end() - 1];
  last.length = run.count;
  last.holder.store(holder_, relaxed);
  if (old_head != kNone) table_[old_head].prev = run.first;
  heads_[bin] = run.first;
  bins_in_use_ |= std::uint64_t{1} << bin;
}

void RunHeap::unlink(Extent run) noexcept {
  Run& first = table_[run.first];
  first.holder.store(0, relaxed);
  table_[run.end() - 1].holder.store(0, relaxed);
  if (first.next != kNone) table_[first.next].prev = first.prev;
  if (first.prev != kNone) {
    table_[first.prev].next = first.next;
    return;
  }
  const std::uint32_t bin = bin_of(run.count);
  heads_[bin] = first.next;
  if (first.next == kNone) bins_in_use_ &= ~(std::uint64_t{1} << bin);
}

Extent RunHeap::add(Extent extent) noexcept {
  free_count_ += extent.count;
  const Run& left = table_[extent.first - 1];
  if (left.holder.load(relaxed) == holder_) {
    const Extent run{extent.first - left.length, left.length};
    unlink(run);
    extent = {run.first, run.count + extent.count};
  }
  const Run& right = table_[extent.end()];
  if (right.holder.load(relaxed) == holder_) {
    const Extent run{extent.end(), right.length};
    unlink(run);
    extent.count += run.count;
  }
  link(extent);
  return extent;
}

Extent RunHeap::take_front(Extent run, std::uint32_t count) noexcept {
  unlink(run);
  if (run.count > count) link({run.first + count, run.count - count});
  free_count_ -= count;
  return {run.first, count};
}

// All runs of the bin are looked at only if there is no longer one.
Extent RunHeap::take(std::uint32_t count) noexcept {
  MYR_DCHECK(count > 0);
  const std::uint32_t own_bin = bin_of(count);
  const std::uint64_t longer_bins = bins_in_use_ & ~((std::uint64_t{2} << own_bin) - 1);
  std::uint32_t looks = longer_bins == 0 ? kNone : kLooksMax;
  std::uint32_t i = is_in_use(own_bin) ? heads_[own_bin] : kNone;
  while (i != kNone && table_[i].length < count) i = --looks == 0 ? kNone : table_[i].next;
  if (i == kNone && longer_bins != 0) i = heads_[std::countr_zero(longer_bins)];
  return i == kNone ? Extent{} : take_front({i, table_[i].length}, count);
}

Extent RunHeap::take_longest() noexcept {
  if (bins_in_use_ == 0) return {};
  const std::uint32_t first = heads_[std::bit_width(bins_in_use_) - 1];
  const std::uint32_t length = table_[first].length;
  return take_front({first, length}, length);
}

void RunHeap::cut(Extent run, Extent part) noexcept {
  MYR_DCHECK(run.covers(part));
  unlink(run);
  if (part.first > run.first) link({run.first, part.first - run.first});
  if (run.end() > part.end()) link({part.end(), run.end() - part.end()});
  free_count_ -= part.count;
}

void RunHeap::forget() noexcept {
  for (std::uint32_t bin = 0; bin < kBinCount; ++bin) {
    if (!is_in_use(bin)) continue;
    for (std::uint32_t i = heads_[bin]; i != kNone; i = table_[i].next) {
      table_[i + table_[i].length - 1].holder.store(0, relaxed);
      table_[i].holder.store(0, relaxed);
    }
  }
  bins_in_use_ = 0;
  free_count_ = 0;
}

}  // namespace myr::mem
