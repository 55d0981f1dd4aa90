// SPDX-License-Identifier: Apache-2.0
#include "check/omp_history.hpp"

#include <algorithm>

namespace myr::check {

AccessHistory::Word& AccessHistory::word_at(std::uint64_t address) {
  const std::uint64_t number = address / kPage;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_number_ = number;
    last_ = page.get();
  }
  return (*last_)[address % kPage / kWord];
}

bool AccessHistory::stands_for(const Access& later, const Access& earlier) const {
  return (earlier.bytes & ~later.bytes) == 0 && (later.writes || !earlier.writes) &&
         (!later.is_atomic || earlier.is_atomic) && locks_.contain(earlier.locks, later.locks) &&
         strands_.is_before(earlier.strand, later.strand);
}

void AccessHistory::drop(std::uint32_t& link) {
  const std::uint32_t entry = link;
  link = entries_[entry].next;
  entries_[entry].next = free_;
  free_ = entry;
}

// The latest of many readers are enough: an access that conflicts with one of them conflicts with
// most.
void AccessHistory::drop_covered(std::uint32_t& list, const Access& access) {
  constexpr unsigned kKept = 64;
  unsigned count = 0;
  for (std::uint32_t* link = &list; *link != kNone;) {
    if (++count > kKept || stands_for(access, entries_[*link].access)) {
      drop(*link);
    } else {
      link = &entries_[*link].next;
    }
  }
}

void AccessHistory::keep(std::uint32_t& list, const Access& access) {
  std::uint32_t entry = free_;
  if (entry == kNone) {
    entry = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    free_ = entries_[entry].next;
  }
  entries_[entry] = {access, list};
  list = entry;
}

void AccessHistory::forget_bytes(std::uint32_t& list, std::uint8_t bytes) {
  for (std::uint32_t* link = &list; *link != kNone;) {
    Access& access = entries_[*link].access;
    access.bytes &= static_cast<std::uint8_t>(~bytes);
    if (access.bytes == 0) {
      drop(*link);
    } else {
      link = &entries_[*link].next;
    }
  }
}

void AccessHistory::forget(std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const std::uint64_t page_end = std::min(end, (begin / kPage + 1) * kPage);
    if (const auto page = pages_.find(begin / kPage); page != pages_.end()) {
      while (begin < page_end) {
        const std::uint64_t first = begin % kWord;
        const std::uint64_t count = std::min(kWord - first, page_end - begin);
        Word& word = (*page->second)[begin % kPage / kWord];
        const auto bytes = static_cast<std::uint8_t>(((1U << count) - 1U) << first);
        forget_bytes(word.writes, bytes);
        forget_bytes(word.reads, bytes);
        begin += count;
      }
    }
    begin = page_end;
  }
}

}  // namespace myr::check
