// SPDX-License-Identifier: Apache-2.0
//
// What it costs to find out whose slab an address lies in, by three structures: the 8-way trie of
// the Myrmics allocator (three bits a level, nodes of 64 bytes for links), a balanced tree of
// ranges, and the side table that the heap uses. The numbers behind docs/adr/0004-heap-metadata.md.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "harness/core_clock.hpp"
#include "mem/heap.hpp"

namespace {

using myr::mem::Heap;
using myr::mem::Pool;

constexpr std::size_t kLookups = 200'000;
constexpr int kRuns = 7;

// Keys are slab numbers of kLevels * 3 bits, as many as there are in the heap's largest range.
class Trie {
 public:
  void insert(std::uint32_t key, std::uint32_t owner) {
    Node* node = &root_;
    for (int level = kLevels - 1; level > 0; --level) {
      std::unique_ptr<Node>& child = node->children[digit(key, level)];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
    }
    node->owners[digit(key, 0)] = owner;
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t key) const {
    const Node* node = &root_;
    for (int level = kLevels - 1; level > 0; --level) {
      node = node->children[digit(key, level)].get();
      if (node == nullptr) return Heap::kNoOwner;
    }
    return node->owners[digit(key, 0)];
  }

 private:
  static constexpr int kLevels = 9;
  struct Node {
    std::unique_ptr<Node> children[8];
    std::uint32_t owners[8] = {};
  };
  static unsigned digit(std::uint32_t key, int level) { return key >> (3 * level) & 7; }
  Node root_;
};

// Ranges by their first slab.
class RangeTree {
 public:
  void insert(std::uint32_t slab, std::uint32_t owner) { owners_[slab] = owner; }
  [[nodiscard]] std::uint32_t find(std::uint32_t slab) const {
    auto above = owners_.upper_bound(slab);
    return above == owners_.begin() ? Heap::kNoOwner : std::prev(above)->second;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> owners_;
};

std::uint32_t slab_of(const void* address) {
  return static_cast<std::uint32_t>(myr::mem::heap_offset(address) / myr::mem::kSlabBytes);
}

// Median ns of one find(address), over addresses in random order.
template <class Find>
double measure(const std::vector<void*>& addresses, std::uint64_t expected_sum, Find find) {
  std::vector<double> ns;
  for (int run = 0; run < kRuns; ++run) {
    std::uint64_t sum = 0;
    const std::int64_t start = myr::bench::now_ns();
    for (const void* address : addresses) sum += find(address);
    ns.push_back(static_cast<double>(myr::bench::now_ns() - start) /
                 static_cast<double>(addresses.size()));
    if (sum != expected_sum) std::abort();
  }
  std::nth_element(ns.begin(), ns.begin() + kRuns / 2, ns.end());
  return ns[kRuns / 2];
}

void compare(std::uint32_t region_count) {
  Heap& heap = Heap::instance();
  Trie trie;
  RangeTree ranges;
  std::vector<Pool*> pools;
  std::vector<void*> objects;
  for (std::uint32_t owner = 0; owner < region_count; ++owner) {
    pools.push_back(heap.pool_new(owner));
    objects.push_back(heap.alloc(*pools.back(), 64));
    trie.insert(slab_of(objects.back()), owner);
    ranges.insert(slab_of(objects.back()), owner);
  }
  std::mt19937 random(1);
  std::vector<void*> asked;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kLookups; ++i) {
    asked.push_back(objects[random() % objects.size()]);
    sum += Heap::owner_of(asked.back());
  }
  fmt::print("{:>9}{:>9.1f}{:>12.1f}{:>12.1f}\n", region_count,
             measure(asked, sum, [&](const void* p) { return trie.find(slab_of(p)); }),
             measure(asked, sum, [&](const void* p) { return ranges.find(slab_of(p)); }),
             measure(asked, sum, [](const void* p) { return Heap::owner_of(p); }));
  for (Pool* pool : pools) heap.pool_free(pool);
}

}  // namespace

int main() {
  if (auto heap = Heap::create(); !heap) {
    fmt::print(stderr, "lookup: {}\n", heap.error().text);
    return 1;
  }
  fmt::print("ns to find the owner of an address\n{:>9}{:>9}{:>12}{:>12}\n", "regions", "trie",
             "std::map", "side table");
  for (const std::uint32_t count : {100U, 10'000U, 100'000U}) compare(count);
  return 0;
}
