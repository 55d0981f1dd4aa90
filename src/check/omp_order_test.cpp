// SPDX-License-Identifier: Apache-2.0
#include "check/omp_order.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using myr::check::Strands;

TEST_CASE("a strand is behind those of its chain, and of what it comes behind") {
  Strands strands;
  const auto fork = strands.go_on(Strands::kFirst);
  const auto one = strands.begin({fork});
  const auto other = strands.begin({fork});
  CHECK(strands.is_before(fork, one));
  CHECK(strands.is_before(fork, other));
  CHECK_FALSE(strands.is_before(one, other));
  const auto later = strands.go_on(one);
  CHECK(strands.is_before(one, later));
  CHECK_FALSE(strands.is_before(other, later));
  const auto join = strands.begin({later, other});
  CHECK(strands.is_before(one, join));
  CHECK(strands.is_before(other, join));
  CHECK(strands.is_before(Strands::kFirst, join));
}

TEST_CASE("what the creator does behind it is not before a task") {
  Strands strands;
  const auto task = strands.begin({Strands::kFirst});
  const auto creator = strands.go_on(Strands::kFirst);
  const auto next = strands.begin({creator});
  CHECK_FALSE(strands.is_before(task, next));
  CHECK_FALSE(strands.is_before(task, creator));
  const auto waited = strands.go_on(creator, {task});
  CHECK(strands.is_before(task, waited));
  CHECK_FALSE(strands.is_before(next, waited));
}

TEST_CASE("behind a barrier of all nothing that was before it is kept") {
  Strands strands;
  const auto one = strands.begin({Strands::kFirst});
  const auto other = strands.begin({Strands::kFirst});
  const auto barrier = strands.begin({one, other});
  strands.forget_before(barrier);
  const auto later = strands.go_on(one, {barrier});
  const auto beside = strands.go_on(other, {barrier});
  CHECK(strands.is_before(one, later));
  CHECK(strands.is_before(other, later));
  CHECK(strands.is_before(barrier, later));
  CHECK_FALSE(strands.is_before(later, beside));
}

TEST_CASE("random graphs have the order that a matrix of what comes before what gives") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Strands strands;
    std::vector<Strands::Id> last{Strands::kFirst};  // of each chain
    std::vector<std::vector<bool>> before{{true}};   // by the later one
    for (Strands::Id id = 1; id < 60; ++id) {
      std::vector<Strands::Id> edges;
      for (unsigned count = random() % 4; count != 0; --count) {
        edges.push_back(static_cast<Strands::Id>(random() % id));
      }
      const std::size_t chain = random() % (last.size() + 1);
      std::vector<bool> all(id + 1);
      all[id] = true;
      const auto add = [&](Strands::Id edge) {
        for (std::size_t i = 0; i <= edge; ++i) all[i] = all[i] || before[edge][i];
      };
      for (const Strands::Id edge : edges) add(edge);
      if (chain == last.size()) {
        last.push_back(strands.begin(edges));
      } else {
        add(last[chain]);
        last[chain] = strands.go_on(last[chain], edges);
      }
      before.push_back(all);
      for (int i = 0; i < 20; ++i) {
        const auto later = static_cast<Strands::Id>(random() % (id + 1));
        const auto earlier = static_cast<Strands::Id>(random() % (later + 1));
        REQUIRE(strands.is_before(earlier, later) == (before[later][earlier] || earlier == 0));
      }
    }
  }
}
