// SPDX-License-Identifier: Apache-2.0
//
// Blocks of numbers for programs whose tasks work on blocks: each is an object of its own and
// fills whole cache lines, so that no two share one and that a task names a block by its address.
// The serial and the task version use a set of blocks each.
//
// Threads: made and freed by the main thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <myr/myr.hpp>
#include <vector>

namespace kernels {

inline constexpr std::size_t kBlockAlignment = 64;

// How many elements a block of `count` has with the rest of its last cache line.
template <class T>
[[nodiscard]] constexpr std::size_t padded_count(std::size_t count) noexcept {
  std::size_t padded = count;
  while (padded * sizeof(T) % kBlockAlignment != 0) ++padded;
  return padded;
}

template <class T>
class Blocks {
 public:
  // Undefined: no page of theirs is touched; that is for tasks that write first.
  enum class Contents { Zeros, Undefined };
  // `count` blocks of `elements` each.
  Blocks(std::size_t count, std::size_t elements, Contents contents = Contents::Zeros)
      : elements_(padded_count<T>(elements)), first_(count) {
    if (contents == Contents::Undefined) {
      myr_alloc_many(elements_ * sizeof(T), region_.id(), count,
                     reinterpret_cast<void**>(first_.data()));
      return;
    }
    for (T*& block : first_) block = region_.make_array<T>(elements_);
  }
  ~Blocks() { region_.free(); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] myr::Region region() const noexcept { return region_; }
  // The blocks' first elements, side by side.
  [[nodiscard]] T** data() noexcept { return first_.data(); }
  [[nodiscard]] T* operator[](std::size_t block) const noexcept { return first_[block]; }
  [[nodiscard]] std::size_t count() const noexcept { return first_.size(); }
  // Elements of a block, those that only fill it up among them.
  [[nodiscard]] std::size_t elements() const noexcept { return elements_; }

  void fill(const T& value) const {
    for (T* block : first_) std::fill_n(block, elements_, value);
  }
  [[nodiscard]] bool same_bits(const Blocks& other) const noexcept {
    return std::equal(
        first_.begin(), first_.end(), other.first_.begin(), other.first_.end(),
        [&](const T* a, const T* b) { return std::memcmp(a, b, elements_ * sizeof(T)) == 0; });
  }

 private:
  std::size_t elements_;
  // High in a tree of schedulers, as tasks on blocks are for all workers.
  myr::Region region_ = myr::Region::create(myr::Region::root(), 99);
  std::vector<T*> first_;
};

}  // namespace kernels
