// SPDX-License-Identifier: Apache-2.0
//
// Ports under the explorer: nothing is lost, read before it is written or overwritten before it is
// read, and no wake-up is lost, neither one for messages nor one for room. A lost one shows as "all
// threads that are left sleep". Nobody spins here: what ends a wait is in the code that parks.
#include <doctest/doctest.h>

#include "explore/must_hold.hpp"
#include "transport/threads/test_wire.hpp"

using namespace myr;
using namespace myr::transport::threads;

namespace {

template <class Port>
void receive_all(Port& port, AgentId from, int first, int end) {
  for (int number = first; number != end;) {
    const auto incoming = port.receive();
    if (!incoming.has_value()) {
      port.wait();
      continue;
    }
    explore::check(incoming->from == from && incoming->message == number, "in order");
    number += 1;
  }
}

template <class Port>
void send_all(Port& port, AgentId to, int first, int end) {
  for (int number = first; number != end; ++number) port.send(to, number);
  while (!port.flush()) port.wait();
}

}  // namespace

TEST_CASE("a receiver sleeps until something has come") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    BasicWires<NumberWire<2>> wires(2, {{0, 1}}, 0);
    threads.start([&] { send_all(wires.port(0), 1, 0, 2); });
    threads.start([&] { receive_all(wires.port(1), 0, 0, 2); });
    threads.join();
  });
}

TEST_CASE("a sender sleeps until there is room for its outbox") {
  explore::must_hold({.preemptions_max = 2}, [](explore::Threads& threads) {
    BasicWires<NumberWire<2>> wires(2, {{0, 1}}, 0);
    threads.start([&] { send_all(wires.port(0), 1, 0, 5); });
    threads.start([&] { receive_all(wires.port(1), 0, 0, 5); });
    threads.join();
  });
}

TEST_CASE("credit that is withheld does not keep a sender asleep") {
  explore::must_hold({.preemptions_max = 2}, [](explore::Threads& threads) {
    BasicWires<NumberWire<4>> wires(2, {{0, 1}}, 0);  // returned by twos
    threads.start([&] { send_all(wires.port(0), 1, 0, 7); });
    threads.start([&] { receive_all(wires.port(1), 0, 0, 7); });
    threads.join();
  });
}

TEST_CASE("two agents that flood each other both get through") {
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 1}, [](explore::Threads& threads) {
    BasicWires<NumberWire<2>> wires(2, {{0, 1}, {1, 0}}, 0);
    for (AgentId self = 0; self < 2; ++self) {
      threads.start([&wires, self] {
        auto& port = wires.port(self);
        for (int number = 0; number < 3; ++number) port.send(1 - self, number);
        receive_all(port, 1 - self, 0, 3);
        while (!port.flush()) port.wait();
      });
    }
    threads.join();
  });
}

TEST_CASE("an agent hears both of its neighbours, and passes on what they say") {
  explore::must_hold({.preemptions_max = 2, .stale_reads_max = 1}, [](explore::Threads& threads) {
    BasicWires<NumberWire<2>> wires(3, {{1, 0}, {2, 0}}, 0);
    for (AgentId self = 1; self < 3; ++self) {
      threads.start([&wires, self] { send_all(wires.port(self), 0, 0, 1); });
    }
    threads.start([&] {
      for (int received = 0; received < 2;) {
        if (wires.port(0).receive().has_value()) {
          received += 1;
        } else {
          wires.port(0).wait();
        }
      }
    });
    threads.join();
  });
}

TEST_CASE("a call ends the wait under way, or the next one, and shows what was written") {
  explore::must_hold({.preemptions_max = 3}, [](explore::Threads& threads) {
    BasicWires<NumberWire<2>> wires(1, {}, 0);
    sync::Plain<int> note{0};
    threads.start([&] {
      wires.port(0).wait();
      explore::check(note == 1, "the note is there");
    });
    threads.start([&] {
      note = 1;
      wires.port(0).wake();
    });
    threads.join();
  });
}
