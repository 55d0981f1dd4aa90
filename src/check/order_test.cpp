// SPDX-License-Identifier: Apache-2.0
#include "check/order.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

using myr::check::Order;

TEST_CASE("a task comes behind those that it waits for, and those that these wait for") {
  Order order;
  const Order::Id a = order.begin(Order::kMain, {});
  const Order::Id b = order.begin(Order::kMain, {a});
  const Order::Id c = order.begin(Order::kMain, {b});
  const Order::Id d = order.begin(Order::kMain, {});
  CHECK(order.is_before(a, b));
  CHECK(order.is_before(a, c));
  CHECK(!order.is_before(a, d));
  CHECK(!order.is_before(d, c));
  CHECK(!order.is_before(a, Order::kMain));
  CHECK(order.is_before(Order::kMain, d));
  order.wait(Order::kMain, {b});
  CHECK(order.is_before(a, Order::kMain));
  CHECK(!order.is_before(c, Order::kMain));
  const Order::Id e = order.begin(Order::kMain, {});
  CHECK(order.is_before(a, e));
  CHECK(!order.is_before(c, e));
  order.wait_all(Order::kMain);
  CHECK(order.is_before(c, Order::kMain));
  CHECK(order.is_before(d, order.begin(Order::kMain, {})));
}

TEST_CASE("what a task has spawned may go on when it has ended") {
  Order order;
  const Order::Id a = order.begin(Order::kMain, {});
  const Order::Id inner = order.begin(a, {});
  CHECK(!order.is_before(inner, a));
  CHECK(order.is_before(a, inner));
  const Order::Id b = order.begin(Order::kMain, {a});
  CHECK(order.is_before(a, b));
  CHECK(!order.is_before(inner, b));
  const Order::Id c = order.begin(Order::kMain, {});
  const Order::Id waited = order.begin(c, {});
  order.wait_all(c);
  const Order::Id d = order.begin(Order::kMain, {c});
  const Order::Id below = order.begin(d, {});
  CHECK(order.is_before(waited, below));
  CHECK(!order.is_before(inner, below));
}

TEST_CASE("a wait for all waits for what is below its children, too") {
  for (const bool is_for_all : {false, true}) {
    Order order;
    const Order::Id a = order.begin(Order::kMain, {});
    const Order::Id b = order.begin(a, {});
    const Order::Id c = order.begin(b, {});
    CHECK(!order.is_before(c, a));
    if (is_for_all) {
      order.wait_all(a);
    } else {
      order.wait(a, {b});
    }
    CHECK(order.is_before(b, a));
    CHECK(order.is_before(c, a) == is_for_all);
    CHECK(order.is_before(c, order.begin(a, {})) == is_for_all);
    CHECK(order.is_before(c, order.begin(Order::kMain, {a})) == is_for_all);
  }
}

TEST_CASE("what is before what, in any order of questions") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    Order order;
    std::vector<Order::Id> children;
    std::vector<std::set<Order::Id>> before;  // each child
    std::set<Order::Id> waited;               // main
    const auto add = [&](std::set<Order::Id>& known, std::size_t child) {
      known.insert(children[child]);
      known.insert(before[child].begin(), before[child].end());
    };
    const auto check = [&](const std::set<Order::Id>& known, Order::Id later) {
      const Order::Id earlier = children[random() % children.size()];
      if (earlier != later) CHECK(order.is_before(earlier, later) == known.contains(earlier));
    };
    for (int step = 0; step < 100; ++step) {
      const std::size_t some = children.empty() ? 0 : random() % children.size();
      const std::size_t other = children.empty() ? 0 : random() % children.size();
      switch (random() % 16) {
        case 0:
          order.wait_all(Order::kMain);
          waited.insert(children.begin(), children.end());
          break;
        case 1:
        case 2:
          if (children.empty()) break;
          order.wait(Order::kMain, {children[some], children[other]});
          add(waited, some);
          add(waited, other);
          break;
        default: {
          std::set<Order::Id> known = waited;
          std::vector<Order::Id> siblings;
          if (!children.empty() && step % 3 != 0) {
            siblings = {children[some], children[other]};
            add(known, some);
            add(known, other);
          }
          children.push_back(order.begin(Order::kMain, siblings));
          before.push_back(std::move(known));
        }
      }
      if (children.empty()) continue;
      for (int i = 0; i < 3; ++i) check(before[some % before.size()], children[some]);
      check(waited, Order::kMain);
      check(before.back(), children.back());
    }
  }
}

TEST_CASE("for a weak sibling waits what a task spawns, and what comes after it") {
  Order order;
  const Order::Id a = order.begin(Order::kMain, {});
  const Order::Id b = order.begin(Order::kMain, {}, {a});
  CHECK(!order.is_before(a, b));
  CHECK(order.is_before(a, order.begin(b, {})));
  CHECK(!order.is_before(a, b));
  CHECK(order.is_before(a, order.begin(Order::kMain, {b})));
  order.wait_for_weak(b);
  CHECK(order.is_before(a, b));
}

TEST_CASE("those above a task are found however deep it is") {
  Order order;
  std::vector<Order::Id> way{Order::kMain};  // each with a sibling
  std::vector<Order::Id> beside{Order::kMain};
  for (std::size_t depth = 1; depth != 200; ++depth) {
    beside.push_back(order.begin(way.back(), {}));
    way.push_back(order.begin(way.back(), {beside.back()}));
  }
  for (std::size_t depth = 0; depth + 1 != way.size(); ++depth) {
    CHECK(order.is_below(way.back(), way[depth]));
    CHECK(order.child_above(way.back(), way[depth]) == way[depth + 1]);
    CHECK(order.child_above(way[depth], way.back()) == Order::kMain);
    CHECK(order.is_below(way.back(), beside[depth]) == (depth == 0));
    CHECK(order.is_before(beside[depth], way.back()));
  }
}
