// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "sync/event_count.hpp"
#include "sync/fence.hpp"
#include "sync/return_stack.hpp"
#include "sync/sleepers.hpp"
#include "sync/work_ring.hpp"

using namespace myr;

namespace {

struct Numbered {
  int number = 0;
  Numbered* next = nullptr;
};
using Ring = sync::WorkRing<Numbered, 8>;

void push_all(Ring& ring, Numbered* items, int count) {
  for (int i = 0; i < count; ++i) {
    items[i].number = i;
    REQUIRE(ring.owner_push(&items[i]));
  }
}

}  // namespace

TEST_CASE("the owner gets the newest item, a thief the oldest") {
  Ring ring;
  Numbered items[3];
  CHECK(ring.owner_pop() == nullptr);
  CHECK(ring.thief_take() == nullptr);
  push_all(ring, items, 3);
  CHECK(ring.size_hint() == 3);
  CHECK(ring.owner_pop() == &items[2]);
  CHECK(ring.thief_take() == &items[0]);
  CHECK(ring.thief_take() == &items[1]);
  CHECK(ring.owner_pop() == nullptr);
  CHECK(ring.size_hint() == 0);
}

TEST_CASE("a full ring refuses, and takes again what there is room for") {
  Ring ring;
  Numbered items[9];
  push_all(ring, items, 8);
  CHECK_FALSE(ring.owner_push(&items[8]));
  CHECK(ring.thief_take() == &items[0]);
  CHECK(ring.owner_push(&items[8]));
  CHECK_FALSE(ring.owner_push(&items[0]));
  for (int i = 8; i >= 1; --i) CHECK(ring.owner_pop() == &items[i]);
  CHECK(ring.owner_pop() == nullptr);
}

TEST_CASE("a ring keeps its order over many laps") {
  Ring ring;
  Numbered items[5];
  for (int lap = 0; lap < 100; ++lap) {
    push_all(ring, items, 5);
    CHECK(ring.thief_take() == &items[0]);
    CHECK(ring.owner_pop() == &items[4]);
    CHECK(ring.thief_take() == &items[1]);
    CHECK(ring.thief_take() == &items[2]);
    CHECK(ring.thief_take() == &items[3]);
    CHECK(ring.thief_take() == nullptr);
  }
}

TEST_CASE("a thief takes at most half") {
  Ring ring;
  Numbered items[8];
  push_all(ring, items, 7);
  Numbered* taken[8];
  CHECK(ring.thief_take_some(taken, 2) == 2);
  CHECK(taken[0] == &items[0]);
  CHECK(taken[1] == &items[1]);
  CHECK(ring.thief_take_some(taken, 8) == 3);
  CHECK(taken[2] == &items[4]);
  CHECK(ring.thief_take_some(taken, 8) == 1);
  CHECK(ring.thief_take_some(taken, 8) == 1);
  CHECK(ring.thief_take_some(taken, 8) == 0);
}

TEST_CASE("a thief finds an item behind the place where the last one was") {
  Ring ring;
  Numbered items[4];
  push_all(ring, items, 2);
  CHECK(ring.thief_take() == &items[0]);  // the next search starts at position 1
  CHECK(ring.owner_pop() == &items[1]);
  CHECK(ring.owner_pop() == nullptr);
  push_all(ring, items + 2, 2);  // at positions 0 and 1
  CHECK(ring.owner_pop() == &items[3]);
  CHECK(ring.thief_take() == &items[2]);
  CHECK(ring.thief_take() == nullptr);
}

TEST_CASE("an item can be taken from a place in the middle") {
  Ring ring;
  Numbered items[4];
  push_all(ring, items, 4);
  CHECK(ring.thief_take_at(2) == &items[2]);
  CHECK(ring.thief_take_at(2) == &items[3]);
  CHECK(ring.thief_take_at(3) == &items[0]);  // nothing is there, or behind
  CHECK(ring.thief_take_at(0) == &items[1]);
  CHECK(ring.thief_take_at(1) == nullptr);
}

TEST_CASE("a return stack gives back everything, newest first") {
  sync::ReturnStack<Numbered> stack;
  CHECK(stack.owner_take_all() == nullptr);
  Numbered a, b, c;
  stack.any_push_chain(&a, &a);
  b.next = &c;
  stack.any_push_chain(&b, &c);
  Numbered* first = stack.owner_take_all();
  REQUIRE(first == &b);
  REQUIRE(first->next == &c);
  REQUIRE(first->next->next == &a);
  CHECK(first->next->next->next == nullptr);
  CHECK(stack.owner_take_all() == nullptr);
}

TEST_CASE("a post before the wait is not missed, and wakes no more than asked for") {
  sync::EventCount events;
  events.post(1);
  events.announce();
  events.announce();
  CHECK(events.sleepers() == 2);
  events.post(1);
  CHECK(events.sleepers() == 1);
  events.wait();
  events.cancel();
  CHECK(events.sleepers() == 0);
}

TEST_CASE("a cancel uses up the wake of a post that had nobody else to choose") {
  sync::EventCount events;
  events.announce();
  events.post(2);
  CHECK(events.sleepers() == 0);
  events.cancel();
  events.announce();
  CHECK(events.sleepers() == 1);
  events.cancel();
  CHECK(events.sleepers() == 0);
}

TEST_CASE("a post wakes a member that announced itself, and no more than one") {
  sync::Sleepers sleepers(3);
  sleepers.post();  // nobody sleeps
  sleepers.announce(1);
  sleepers.announce(2);
  CHECK(sleepers.count() == 2);
  sleepers.post();
  CHECK(sleepers.count() == 1);
  sleepers.wait(1);  // returns: it was chosen
  sleepers.cancel(2);
  CHECK(sleepers.count() == 0);
}

TEST_CASE("a post to one member leaves the others asleep") {
  sync::Sleepers sleepers(3);
  for (unsigned who = 0; who < 3; ++who) sleepers.announce(who);
  sleepers.post_to(2);
  sleepers.wait(2);
  CHECK(sleepers.count() == 2);
  sleepers.post_to(2);  // it is awake
  CHECK(sleepers.count() == 2);
}

TEST_CASE("a small change wakes nobody while somebody naps, another one does") {
  sync::Sleepers sleepers(3);
  sleepers.announce(0);
  sleepers.announce_nap(1);
  CHECK(sleepers.count() == 2);
  sleepers.post_small();
  CHECK(sleepers.count() == 2);
  sleepers.post();
  sleepers.wait(0);
  sleepers.post();
  sleepers.nap(1, ~std::uint64_t{0});  // returns: it was chosen
  CHECK(sleepers.count() == 0);
  sleepers.announce(2);
  sleepers.post_small();  // nobody naps
  sleepers.wait(2);
  CHECK(sleepers.count() == 0);
}

TEST_CASE("a nap ends by itself, by a post to the member, or by a cancel") {
  sync::Sleepers sleepers(2);
  sleepers.announce_nap(0);
  CHECK(sleepers.nap(0, 1000) == sync::Sleepers::kNoCpu);
  CHECK(sleepers.count() == 0);
  sleepers.announce_nap(1);
  CHECK(sleepers.post_to(1));
  CHECK(sleepers.nap(1, ~std::uint64_t{0}) != sync::Sleepers::kNoCpu);
  sleepers.announce_nap(1);
  sleepers.cancel(1);
  CHECK(sleepers.count() == 0);
}

TEST_CASE("a member that was woken and cancels passes the wake on") {
  sync::Sleepers sleepers(2);
  sleepers.announce(0);
  sleepers.announce(1);
  sleepers.post();
  sleepers.cancel(0);  // it was the chosen one
  CHECK(sleepers.count() == 0);
  sleepers.wait(1);
}
