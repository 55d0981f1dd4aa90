// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/clocks.hpp"

#include <deque>
#include <limits>
#include <utility>
#include <variant>

#include "cluster/mpi/vigil.hpp"
#include "plat/clock.hpp"
#include "proto/wire_format.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr unsigned kQuestions = 16;

// The next notice of that kind; others are left for later calls.
template <class Kind>
Kind await_time(Rank& rank, unsigned from, std::uint64_t silence_ns,
                std::deque<transport::mpi::Received>& others) {
  transport::mpi::Patience patience(rank.spins());
  Alarm alarm(rank.self(), silence_ns);
  for (;;) {
    alarm.look([from] { return from; });
    auto received = rank.receive();
    if (!received) {
      rank.settle();
      patience.pause();
    } else if (received->from == from && proto::holds<Kind>(received->bytes)) {
      return std::get<Kind>(Post::read(std::move(*received)).frame);
    } else {
      others.push_back(std::move(*received));
    }
  }
}

Moment ask_one(Rank& rank, unsigned other, std::uint64_t silence_ns,
               std::deque<transport::mpi::Received>& others) {
  Moment best{};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (unsigned i = 0; i < kQuestions; ++i) {
    const std::uint64_t asked = plat::ticks();
    rank.send(other, make_bytes(proto::AskTime{}));
    const auto answer = await_time<proto::TellTime>(rank, other, silence_ns, others);
    const std::uint64_t answered = plat::ticks();
    if (answered - asked >= least) continue;
    least = answered - asked;
    best.here = asked + least / 2;
    best.there = answer.ticks;
  }
  rank.send(other, make_bytes(proto::AskTime{.has_enough = true}));
  return best;
}

}  // namespace

ClockMap::ClockMap(const Moment& first, const Moment& second) noexcept : first_(first) {
  if (second.there <= first.there || second.here <= first.here) return;
  ratio_ = static_cast<double>(second.here - first.here) /
           static_cast<double>(second.there - first.there);
}

std::uint64_t ClockMap::here(std::uint64_t there) const noexcept {
  const auto since = static_cast<std::int64_t>(there - first_.there);
  return first_.here +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<double>(since) * ratio_));
}

std::uint64_t ClockMap::span_here(std::uint64_t ticks) const noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ticks) * ratio_);
}

std::vector<Moment> ask_for_time(Rank& rank, std::uint64_t silence_ns) {
  std::vector<Moment> moments(rank.count());
  std::deque<transport::mpi::Received> others;
  for (unsigned other = 1; other < rank.count(); ++other) {
    moments[other] = ask_one(rank, other, silence_ns, others);
  }
  rank.give_back(std::move(others));
  return moments;
}

// Rank 0 asks one after the other.
void tell_time(Rank& rank, std::uint64_t silence_ns) {
  std::deque<transport::mpi::Received> others;
  const std::uint64_t limit_ns = rank.self() * silence_ns;
  while (!await_time<proto::AskTime>(rank, 0, limit_ns, others).has_enough) {
    rank.send(0, make_bytes(proto::TellTime{.ticks = plat::ticks()}));
  }
  rank.give_back(std::move(others));
}

}  // namespace myr::cluster::mpi
