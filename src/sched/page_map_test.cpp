// SPDX-License-Identifier: Apache-2.0
#include "sched/page_map.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

using myr::sched::AgentId;
using myr::sched::PageMap;
using myr::sched::PageRun;

namespace {
constexpr AgentId kFree = PageMap::kFree;
constexpr AgentId kElsewhere = PageMap::kElsewhere;
constexpr AgentId kStore = 1;
constexpr AgentId kChild = 2;
}  // namespace

TEST_CASE("a page has the holder that it was assigned to last") {
  PageMap map;
  map.assign({.first = 10, .count = 10}, kElsewhere, kFree);
  map.assign({.first = 12, .count = 3}, kFree, kChild);
  CHECK(map.holder(9) == kElsewhere);
  CHECK(map.holder(11) == kFree);
  CHECK(map.holder(12) == kChild);
  CHECK(map.holder(14) == kChild);
  CHECK(map.holder(15) == kFree);
  CHECK(map.holder(20) == kElsewhere);
  CHECK(map.free_count() == 7);
  map.assign({.first = 13, .count = 1}, kChild, kFree);
  CHECK(map.holder(12) == kChild);
  CHECK(map.holder(13) == kFree);
  CHECK(map.count_of(kChild) == 2);
}

TEST_CASE("neighbours join when they are free again") {
  PageMap map;
  map.assign({.first = 0, .count = 9}, kElsewhere, kFree);
  for (std::uint64_t page = 0; page < 9; ++page) {
    map.assign({.first = page, .count = 1}, kFree, page % 2 == 0 ? kStore : kChild);
  }
  for (const std::uint64_t page : {0U, 2U, 4U, 6U, 8U}) {
    map.assign({.first = page, .count = 1}, kStore, kFree);
  }
  CHECK(map.free_count() == 5);
  CHECK_FALSE(map.find_free(2));
  CHECK(map.has_free({.run = 1, .times = 5}));
  CHECK_FALSE(map.has_free({.run = 1, .times = 6}));
  map.assign({.first = 3, .count = 1}, kChild, kFree);
  CHECK(map.find_free(3) == PageRun{.first = 2, .count = 3});
  CHECK(map.longest_free(2) == PageRun{.first = 2, .count = 2});
}

TEST_CASE("the shortest run that is long enough is found") {
  PageMap map;
  map.assign({.first = 0, .count = 8}, kElsewhere, kFree);
  map.assign({.first = 10, .count = 3}, kElsewhere, kFree);
  map.assign({.first = 20, .count = 5}, kElsewhere, kFree);
  CHECK(map.find_free(3) == PageRun{.first = 10, .count = 3});
  CHECK(map.find_free(4) == PageRun{.first = 20, .count = 4});
  CHECK(map.find_free(8) == PageRun{.first = 0, .count = 8});
  CHECK_FALSE(map.find_free(9));
  CHECK(map.has_free({.run = 3, .times = 4}));
  CHECK_FALSE(map.has_free({.run = 3, .times = 5}));
  CHECK_FALSE(map.has_free({.run = 1, .times = ~std::uint64_t{0}}));
}

TEST_CASE("random assignments agree with a table of pages") {
  constexpr std::uint64_t kPages = 60;
  const char* const chosen = std::getenv("MYR_TEST_SEED");
  const auto seed = chosen != nullptr ? static_cast<unsigned>(std::strtoul(chosen, nullptr, 10))
                                      : std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::vector<AgentId> holders = {kElsewhere, kFree, kStore, kChild};
  std::vector<AgentId> table(kPages, kElsewhere);
  PageMap map;
  for (int step = 0; step < 3'000; ++step) {
    const std::uint64_t first = random() % kPages;
    const AgentId from = table[first];
    std::uint64_t count = 1;
    while (first + count < kPages && table[first + count] == from && random() % 4 != 0) ++count;
    const AgentId to = holders[random() % holders.size()];
    if (to == from) continue;
    map.assign({.first = first, .count = count}, from, to);
    std::fill_n(table.begin() + static_cast<std::ptrdiff_t>(first), count, to);
    for (std::uint64_t page = 0; page < kPages; ++page) REQUIRE(map.holder(page) == table[page]);
    const auto free = std::count(table.begin(), table.end(), kFree);
    REQUIRE(map.free_count() == static_cast<std::uint64_t>(free));
    const std::vector<AgentId> wanted(3, kFree);
    const bool has_three =
        std::search(table.begin(), table.end(), wanted.begin(), wanted.end()) != table.end();
    REQUIRE(map.find_free(3).has_value() == has_three);
  }
}
