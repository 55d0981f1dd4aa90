// SPDX-License-Identifier: Apache-2.0
//
// A whole tree of agents on more threads than processors, through channels of four messages: every
// agent sends every other one a series of numbers, hop by hop, in a random order. Each series must
// arrive complete and in order, no agent may sleep for ever, and all must be able to stop.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "plat/clock.hpp"
#include "plat/thread.hpp"
#include "sync/atomic.hpp"
#include "transport/threads/wires.hpp"

using namespace myr;
using namespace myr::transport::threads;

namespace {

// A binary tree of three levels; the agents below one follow it, as in proto/agent.hpp.
constexpr AgentId kAgents = 7;
constexpr std::array<AgentId, kAgents> kParent{0, 0, 1, 1, 0, 4, 4};
constexpr std::array<AgentId, kAgents> kEnd{7, 4, 3, 4, 7, 6, 7};  // behind those below

constexpr std::uint32_t kSeries = 100;  // messages from each agent to each other one
constexpr std::uint64_t kLimitNs = 700'000'000;

struct Letter {
  AgentId to = 0;
  AgentId from = 0;
  std::vector<std::uint32_t> number;  // one; owned, so that sanitizers watch the hand-over
};
struct LetterWire {
  using Message = Letter;
  static constexpr std::uint32_t kCapacity = 4;
  [[nodiscard]] static std::uint64_t bytes_of(const Letter& letter) { return sizeof letter; }
};
using Tree = BasicWires<LetterWire>;

std::vector<Edge> edges() {
  std::vector<Edge> edges;
  for (AgentId agent = 1; agent < kAgents; ++agent) {
    edges.emplace_back(agent, kParent[agent]);
    edges.emplace_back(kParent[agent], agent);
  }
  return edges;
}

AgentId next_hop(AgentId self, AgentId to) {
  if (to < self || to >= kEnd[self]) return kParent[self];
  AgentId child = to;
  while (kParent[child] != self) child = kParent[child];
  return child;
}

class Round {
 public:
  Round(std::uint64_t seed, unsigned spin_rounds)
      : seed_(seed), tree_(kAgents, edges(), spin_rounds) {}

  // Returns how many letters have arrived in order.
  std::uint32_t run() {
    std::vector<plat::Thread> threads;
    for (AgentId agent = 0; agent < kAgents; ++agent) {
      auto thread = plat::Thread::start({.name = "agent"}, [this, agent] { live(agent); });
      REQUIRE(static_cast<bool>(thread));
      threads.push_back(std::move(*thread));
    }
    threads.clear();
    return arrived_.load(sync::relaxed);
  }
  static constexpr std::uint32_t kLetters = kAgents * (kAgents - 1) * kSeries;

 private:
  void live(AgentId self) {
    Tree::Port& port = tree_.port(self);
    std::mt19937_64 random(seed_ + self);
    std::array<std::uint32_t, kAgents> sent{};
    std::array<std::uint32_t, kAgents> expected{};
    std::vector<AgentId> open;
    for (AgentId to = 0; to < kAgents; ++to) {
      if (to != self) open.push_back(to);
    }
    while (!is_over_.load(sync::acquire)) {
      if (auto incoming = port.receive()) {
        handle(self, std::move(incoming->message), expected);
      } else if (open.empty() || port.is_backed_up()) {
        port.wait();
      }
      if (open.empty() || port.is_backed_up()) continue;
      const std::size_t choice = random() % open.size();
      const AgentId to = open[choice];
      port.send(next_hop(self, to), {.to = to, .from = self, .number = {sent[to]}});
      sent[to] += 1;
      if (sent[to] == kSeries) open.erase(open.begin() + static_cast<std::ptrdiff_t>(choice));
    }
  }

  void handle(AgentId self, Letter letter, std::array<std::uint32_t, kAgents>& expected) {
    if (letter.to != self) {
      const AgentId hop = next_hop(self, letter.to);
      tree_.port(self).send(hop, std::move(letter));
      return;
    }
    if (letter.number.at(0) != expected[letter.from]) return;  // not counted: the round hangs
    expected[letter.from] += 1;
    if (arrived_.fetch_add(1, sync::acq_rel) + 1 != kLetters) return;
    is_over_.store(true, sync::release);
    for (AgentId agent = 0; agent < kAgents; ++agent) tree_.port(agent).wake();
  }

  std::uint64_t seed_;
  Tree tree_;
  sync::Atomic<std::uint32_t> arrived_{0};
  sync::Atomic<bool> is_over_{false};
};

}  // namespace

TEST_CASE("every agent of a tree writes to every other one, through small channels") {
  const std::uint64_t start_ns = plat::now_ns();
  std::uint64_t seed = 1;
  do {
    INFO("seed ", seed);
    REQUIRE(Round(seed, seed % 2 == 0 ? 0 : 20).run() == Round::kLetters);
    seed += 1;
  } while (plat::now_ns() - start_ns < kLimitNs);
  MESSAGE("rounds: ", seed - 1);
}
