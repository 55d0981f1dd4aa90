// SPDX-License-Identifier: Apache-2.0
//
// What runs of ranks take, in cycles.
#include <doctest/doctest.h>

#include <vector>

#include "chip/mpi/test_ranks.hpp"
#include "transport/sim/costs.hpp"

namespace {

using myr::ranks::cycles_of;
using myr::ranks::on_ranks;
using myr::transport::sim::kFormic;

// From rank 0 to another one and back.
auto ping_pong(int other) {
  return [other](int rank) {
    int number = 0;
    if (rank == 0) {
      MPI_Send(&number, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
      MPI_Recv(&number, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == other) {
      MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  };
}

// Waits and messages whose order depends on time alone.
void mixed_program(int rank) {
  constexpr int kRanks = 16;
  std::vector<int> numbers(100, rank);
  for (int i = 0; i < 10; ++i) {
    myr_work(static_cast<std::uint64_t>(rank * 37 + i * 91) % 500);
    MPI_Send(numbers.data(), 10 + rank % 2, MPI_INT, (rank * 5 + i) % kRanks, i, MPI_COMM_WORLD);
    MPI_Recv(numbers.data(), 100, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(numbers.data(), &numbers[50], 50, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}

}  // namespace

TEST_CASE("a round trip takes what the paper says") {
  CHECK(cycles_of(512, ping_pong(1), "formic-512") == 38);
  CHECK(cycles_of(512, ping_pong(511), "formic-512") == 131 - 1);  // halves are whole cycles
}

TEST_CASE("work takes its cycles, side by side") {
  CHECK(cycles_of(4, [](int rank) { myr_work(rank == 2 ? 900 : 500); }) == 900);
}

TEST_CASE("outside of ranks the clock goes on by work and by runs") {
  const std::uint64_t start = myr_cycles();
  myr_work(100);
  CHECK(myr_cycles() == start + 100);
  CHECK(on_ranks(2, [&](int) {
          CHECK(myr_cycles() == start + 100);
          myr_work(50);
          CHECK(myr_cycles() == start + 150);
        }) == "");
  CHECK(myr_cycles() == start + 150);
}

TEST_CASE("a rank's seconds are its cycles") {
  CHECK(on_ranks(1, [](int) {
          const double start = MPI_Wtime();
          myr_work(3 * kFormic.hertz);
          CHECK(MPI_Wtime() - start == doctest::Approx(3));
          CHECK(MPI_Wtick() * static_cast<double>(kFormic.hertz) == doctest::Approx(1));
        }) == "");
}

TEST_CASE("a long message moves while its sender and its receiver work") {
  constexpr int kBytes = 40'000;
  constexpr std::uint64_t kWork = 50'000;
  std::vector<char> from(kBytes);
  std::vector<char> to(kBytes);
  const auto exchange = [&](int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      MPI_Isend(from.data(), kBytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    } else {
      MPI_Irecv(to.data(), kBytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    }
    myr_work(kWork);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  CHECK(cycles_of(2, exchange) == kWork + kFormic.dma_start);
}

TEST_CASE("a core has one engine: its transfers take turns") {
  constexpr int kBytes = 40'000;
  constexpr std::uint64_t kTransfer = kBytes / 4;
  static_assert(kFormic.bytes_per_cycle == 4);
  std::vector<char> from(kBytes);
  std::vector<std::vector<char>> to(3, from);
  const auto scatter = [&](int rank) {
    std::vector<MPI_Request> requests(3, MPI_REQUEST_NULL);
    if (rank == 0) {
      for (int peer = 1; peer <= 3; ++peer) {
        MPI_Isend(from.data(), kBytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(peer) - 1]);
      }
    } else {
      MPI_Irecv(to[static_cast<std::size_t>(rank) - 1].data(), kBytes, MPI_CHAR, 0, 0,
                MPI_COMM_WORLD, &requests[0]);
    }
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
  };
  // Notice, answer and the last bytes cross the board before, before and after.
  CHECK(cycles_of(4, scatter) == 3 * kTransfer + 3 * (kFormic.round_trip_nearest / 2));
}

TEST_CASE("the same program takes the same cycles every time") {
  const std::uint64_t cycles = cycles_of(16, mixed_program);
  CHECK(cycles > 0);
  for (int i = 0; i < 3; ++i) CHECK(cycles_of(16, mixed_program) == cycles);
}
