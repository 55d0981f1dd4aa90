// SPDX-License-Identifier: Apache-2.0
#include "transport/threads/wires.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>

#include "plat/thread.hpp"

using namespace myr;
using namespace myr::transport::threads;

TEST_CASE("messages arrive with all that they own") {
  Wires wires(2, {{0, 1}, {1, 0}});
  proto::Work work{.task = 3};
  work.pieces = {{.address = 64, .bytes = 8}};
  wires.port(0).send(1, {.to = 1, .body = proto::Execute{.work = std::move(work)}});
  wires.port(0).flush();
  const auto incoming = wires.port(1).receive();
  REQUIRE(incoming.has_value());
  CHECK(incoming->from == 0);
  CHECK(incoming->message.to == 1);
  const auto* execute = std::get_if<proto::Execute>(&incoming->message.body);
  REQUIRE(execute != nullptr);
  CHECK(execute->work.task == 3);
  REQUIRE(execute->work.pieces.size() == 1);
  CHECK(execute->work.pieces[0].address == 64);
  CHECK(wires.port(0).stats().bytes_sent == wires.port(1).stats().bytes_received);
}

// Nothing but the sanitizers would notice if they were lost.
TEST_CASE("what nobody has received goes with the wires") {
  Wires wires(2, {{0, 1}, {1, 0}});
  for (std::uint32_t i = 0; i <= TreeWire::kCapacity; ++i) {
    wires.port(0).send(1, {.to = 1, .body = proto::Spawn{.task = std::make_unique<proto::Task>()}});
  }
  CHECK_FALSE(wires.port(0).flush());
  CHECK(wires.port(0).stats().messages_delayed == 1);
}

TEST_CASE("two agents hand a message to and fro, asleep or spinning in between") {
  constexpr std::uint64_t kRounds = 2'000;
  Wires wires(2, {{0, 1}, {1, 0}});
  const auto play = [&](AgentId self) {
    Port& port = wires.port(self);
    if (self == 0) port.send(1, {.to = 1, .body = proto::BodyEnded{.task = 0}});
    for (std::uint64_t round = 0; round < kRounds;) {
      auto incoming = port.receive();
      if (!incoming.has_value()) {
        port.wait();
        continue;
      }
      round += 1;
      const std::uint64_t task = std::get<proto::BodyEnded>(incoming->message.body).task;
      const bool is_last = self == 0 && round == kRounds;
      if (!is_last) {
        port.send(1 - self, {.to = 1 - self, .body = proto::BodyEnded{.task = task + 1}});
      }
      port.flush();
    }
  };
  {
    auto other = plat::Thread::start({.name = "test"}, [&] { play(1); });
    REQUIRE(static_cast<bool>(other));
    play(0);
  }
  CHECK(wires.port(0).stats().messages_received == kRounds);
  CHECK(wires.port(1).stats().messages_received == kRounds);
}
