// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/clocks.hpp"

#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include "cluster/mpi/vigil.hpp"
#include "plat/clock.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr unsigned kQuestions = 16;

// The next notice about time; others are left for who comes later.
Bytes await_time(Rank& rank, unsigned from, std::uint64_t silence_ns,
                 std::deque<transport::mpi::Received>& others) {
  transport::mpi::Patience patience(rank.spins());
  Alarm alarm(rank.self(), silence_ns);
  for (;;) {
    alarm.look([from] { return from; });
    auto received = rank.receive();
    if (!received) {
      rank.settle();
      patience.pause();
    } else if (received->from == from && static_cast<Kind>(received->bytes.front()) == Kind::Time) {
      return std::move(received->bytes);
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
    rank.send(other, make_bytes(Kind::Time));
    const Bytes answer = await_time(rank, other, silence_ns, others);
    const std::uint64_t answered = plat::ticks();
    if (answered - asked >= least) continue;
    least = answered - asked;
    best.here = asked + least / 2;
    std::span<const std::byte> content = std::span(answer).subspan(1);
    read_into(content, best.there);
  }
  const std::byte enough{1};
  rank.send(other, make_bytes(Kind::Time, std::span(&enough, 1)));
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
  while (await_time(rank, 0, rank.self() * silence_ns, others).size() == 1) {
    const std::uint64_t ticks = plat::ticks();
    rank.send(0, make_bytes(Kind::Time, std::as_bytes(std::span(&ticks, 1))));
  }
  rank.give_back(std::move(others));
}

}  // namespace myr::cluster::mpi
