// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <optional>
#include <vector>

#include "transport/threads/test_wire.hpp"

using namespace myr::transport::threads;

namespace {

using SmallWires = BasicWires<NumberWire<4>>;
using SmallPort = SmallWires::Port;

// A scheduler, 0, and its workers, 1 and so on.
std::vector<Edge> star(AgentId worker_count) {
  std::vector<Edge> edges;
  for (AgentId worker = 1; worker <= worker_count; ++worker) {
    edges.emplace_back(0, worker);
    edges.emplace_back(worker, 0);
  }
  return edges;
}

void send_all(SmallPort& port, AgentId to, int first, int end) {
  for (int number = first; number < end; ++number) port.send(to, number);
}

void check_received(SmallPort& port, AgentId from, int first, int end) {
  for (int number = first; number < end; ++number) {
    const auto incoming = port.receive();
    REQUIRE(incoming.has_value());
    CHECK(incoming->from == from);
    CHECK(incoming->message == number);
  }
}

}  // namespace

TEST_CASE("what was sent arrives in order, and is seen after a flush only") {
  SmallWires wires(2, star(1), 0);
  CHECK_FALSE(wires.port(1).receive().has_value());
  send_all(wires.port(0), 1, 0, 3);
  CHECK_FALSE(wires.port(1).receive().has_value());
  CHECK(wires.port(0).flush());
  check_received(wires.port(1), 0, 0, 3);
  CHECK_FALSE(wires.port(1).receive().has_value());
}

TEST_CASE("looking for messages shows others what was sent") {
  SmallWires wires(2, star(1), 0);
  send_all(wires.port(0), 1, 0, 1);
  CHECK_FALSE(wires.port(0).receive().has_value());
  check_received(wires.port(1), 0, 0, 1);
  send_all(wires.port(1), 0, 7, 8);
  wires.port(1).wake();
  wires.port(1).wait();
  check_received(wires.port(0), 1, 7, 8);
}

TEST_CASE("a port without neighbours receives nothing") {
  SmallWires wires(1, {}, 0);
  CHECK_FALSE(wires.port(0).receive().has_value());
  CHECK(wires.port(0).flush());
}

TEST_CASE("what exceeds a channel's capacity waits in the outbox, and goes out in order") {
  SmallWires wires(2, star(1), 0);
  SmallPort& sender = wires.port(0);
  SmallPort& receiver = wires.port(1);
  send_all(sender, 1, 0, 4);
  CHECK(sender.flush());
  CHECK_FALSE(sender.is_backed_up());
  send_all(sender, 1, 4, 11);
  CHECK_FALSE(sender.flush());
  CHECK(sender.is_backed_up());
  CHECK(sender.stats().messages_delayed == 7);

  // Credit comes back by half a channel, two messages.
  check_received(receiver, 0, 0, 1);
  CHECK_FALSE(sender.flush());
  CHECK_FALSE((check_received(receiver, 0, 1, 4), receiver.receive().has_value()));
  CHECK_FALSE(sender.flush());
  check_received(receiver, 0, 4, 8);
  sender.send(1, 11);  // there is room, but the three in the outbox go first
  CHECK(sender.flush());
  CHECK_FALSE(sender.is_backed_up());
  check_received(receiver, 0, 8, 12);
  CHECK_FALSE(receiver.receive().has_value());
}

TEST_CASE("a channel that is full does not keep others from being used") {
  SmallWires wires(3, star(2), 0);
  send_all(wires.port(0), 1, 0, 10);
  send_all(wires.port(0), 2, 100, 103);
  CHECK_FALSE(wires.port(0).flush());
  check_received(wires.port(2), 0, 100, 103);
  send_all(wires.port(2), 0, 200, 201);
  wires.port(2).flush();
  check_received(wires.port(0), 2, 200, 201);
  check_received(wires.port(1), 0, 0, 4);
  CHECK_FALSE(wires.port(0).flush());
  check_received(wires.port(1), 0, 4, 8);
}

TEST_CASE("channels keep their order over many laps") {
  SmallWires wires(2, star(1), 0);
  for (int lap = 0; lap < 1'000; ++lap) {
    send_all(wires.port(0), 1, 3 * lap, 3 * lap + 3);
    CHECK(wires.port(0).flush());
    check_received(wires.port(1), 0, 3 * lap, 3 * lap + 3);
  }
}

TEST_CASE("a neighbour that sends without end leaves others their turns") {
  using LargeWires = BasicWires<NumberWire<256>>;
  LargeWires wires(4, star(3), 0);
  for (int number = 0; number < 256; ++number) wires.port(1).send(0, number);
  wires.port(1).flush();
  wires.port(3).send(0, 1'000);
  wires.port(3).flush();
  for (unsigned received = 0; received <= LargeWires::Port::kTurn; ++received) {
    const auto incoming = wires.port(0).receive();
    REQUIRE(incoming.has_value());
    if (incoming->from == 3) return;
  }
  FAIL("one neighbour took more than its turn");
}

TEST_CASE("ports count what goes through them") {
  SmallWires wires(2, star(1), 0);
  send_all(wires.port(0), 1, 0, 6);
  wires.port(0).flush();
  check_received(wires.port(1), 0, 0, 4);
  CHECK(wires.port(0).stats().messages_sent == 6);
  CHECK(wires.port(0).stats().bytes_sent == 6 * sizeof(int));
  CHECK(wires.port(0).stats().messages_delayed == 2);
  CHECK(wires.port(0).stats().messages_received == 0);
  CHECK(wires.port(1).stats().messages_received == 4);
  CHECK(wires.port(1).stats().bytes_received == 4 * sizeof(int));
  CHECK(wires.port(1).stats().parks == 0);
}

// Each of these would sleep for ever if the wait missed what was there before it.
TEST_CASE("a wait is over at once when something is there") {
  for (const unsigned spin_rounds : {0U, 10U}) {
    SmallWires wires(2, star(1), spin_rounds);
    SmallPort& port = wires.port(0);
    port.wake();
    port.wait();

    wires.port(1).send(0, 5);
    wires.port(1).flush();
    port.wait();
    check_received(port, 1, 5, 6);

    send_all(port, 1, 0, 5);
    port.flush();
    check_received(wires.port(1), 0, 0, 2);
    port.wait();
    CHECK(port.flush());
    CHECK(port.stats().parks == 0);
  }
}
