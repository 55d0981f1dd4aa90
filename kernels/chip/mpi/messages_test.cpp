// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <vector>

#include "chip/mpi/test_ranks.hpp"

namespace {

using myr::ranks::on_ranks;

constexpr int kLong = 1000;  // numbers, more than a message without a transfer can have

std::vector<int> numbers_from(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// Sends `count` numbers from rank 0 to rank 1, which waits first or lets the sender wait.
void send_numbers(int count, bool receiver_waits) {
  const std::string fault = on_ranks(2, [&](int rank) {
    myr_work((rank == 0) == receiver_waits ? 10'000 : 10);
    std::vector<int> numbers = numbers_from(7, count);
    if (rank == 0) {
      MPI_Send(numbers.data(), count, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
      std::vector<int> got(static_cast<std::size_t>(count) + 1);
      MPI_Status status;
      MPI_Recv(got.data(), count + 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &status);
      int got_count = -1;
      MPI_Get_count(&status, MPI_INT, &got_count);
      CHECK(got_count == count);
      CHECK(status.MPI_SOURCE == 0);
      CHECK(status.MPI_TAG == 3);
      got.pop_back();
      CHECK(got == numbers);
    }
  });
  CHECK(fault == "");
}

}  // namespace

TEST_CASE("a message arrives, short or long, whoever comes first") {
  for (const bool receiver_waits : {false, true}) {
    for (const int count : {0, 1, 16, 17, kLong}) send_numbers(count, receiver_waits);
  }
}

TEST_CASE("messages between two ranks are received in order, sent first or awaited first") {
  constexpr int kCount = 20;
  for (const bool receiver_waits : {false, true}) {
    const std::string fault = on_ranks(2, [&](int rank) {
      myr_work((rank == 0) == receiver_waits ? 100'000 : 10);
      std::vector<std::vector<int>> numbers(kCount, std::vector<int>(kLong));
      std::vector<MPI_Request> requests(kCount, MPI_REQUEST_NULL);
      for (int i = 0; i < kCount; ++i) {
        std::vector<int>& some = numbers[static_cast<std::size_t>(i)];
        MPI_Request* const request = &requests[static_cast<std::size_t>(i)];
        // Long and short ones in turn: a transfer must not be overtaken.
        const int size = i % 2 == 0 ? kLong : 1;
        if (rank == 0) {
          some.assign(kLong, i);
          MPI_Isend(some.data(), size, MPI_INT, 1, 0, MPI_COMM_WORLD, request);
        } else {
          MPI_Irecv(some.data(), kLong, MPI_INT, 0, 0, MPI_COMM_WORLD, request);
        }
      }
      MPI_Waitall(kCount, requests.data(), MPI_STATUSES_IGNORE);
      for (int i = 0; i < kCount; ++i) CHECK(numbers[static_cast<std::size_t>(i)][0] == i);
    });
    CHECK(fault == "");
  }
}

TEST_CASE("a receive takes the first message with its tag, and leaves the others") {
  const std::string fault = on_ranks(2, [](int rank) {
    if (rank == 0) {
      for (const int tag : {5, 6, 5}) {
        const int number = tag * 10;
        MPI_Send(&number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
      }
      return;
    }
    std::array<int, 3> got{};
    MPI_Status status;
    MPI_Recv(&got[0], 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &status);
    MPI_Recv(&got[1], 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_TAG == 5);
    MPI_Recv(&got[2], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    CHECK(got == std::array{60, 50, 50});
  });
  CHECK(fault == "");
}

TEST_CASE("a receive from any source takes what arrives first") {
  std::vector<int> sources;
  const std::string fault = on_ranks(4, [&](int rank) {
    if (rank > 0) {
      myr_work(static_cast<std::uint64_t>(4 - rank) * 1'000);
      MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
      return;
    }
    for (int i = 0; i < 3; ++i) {
      int number = 0;
      MPI_Status status;
      MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(number == status.MPI_SOURCE);
      CHECK(number == status.MPI_TAG);
      sources.push_back(number);
    }
  });
  CHECK(fault == "");
  CHECK(sources == std::vector{3, 2, 1});
}

TEST_CASE("requests are done in any order, and waited for in any other") {
  const std::string fault = on_ranks(3, [](int rank) {
    const std::vector<int> mine(kLong, rank);
    std::vector<std::vector<int>> theirs(3, std::vector<int>(kLong, -1));
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < 3; ++peer) {
      requests.emplace_back();
      MPI_Irecv(theirs[static_cast<std::size_t>(peer)].data(), kLong, MPI_INT, peer, 0,
                MPI_COMM_WORLD, &requests.back());
    }
    for (int peer = 2; peer >= 0; --peer) {
      requests.emplace_back();
      MPI_Isend(mine.data(), kLong, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests.back());
    }
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    std::array<MPI_Status, 6> statuses{};
    MPI_Waitall(6, requests.data(), statuses.data());
    for (int peer = 0; peer < 3; ++peer) {
      CHECK(theirs[static_cast<std::size_t>(peer)] == std::vector<int>(kLong, peer));
    }
    CHECK(statuses[2].MPI_SOURCE == 2);
    CHECK(statuses[1].MPI_SOURCE == MPI_ANY_SOURCE);  // was none any more
    for (const MPI_Request request : requests) CHECK(request == MPI_REQUEST_NULL);
  });
  CHECK(fault == "");
}

TEST_CASE("ranks in a ring pass on long messages at the same time") {
  const std::string fault = on_ranks(5, [](int rank) {
    const std::vector<int> mine(kLong, rank);
    std::vector<int> theirs(kLong);
    const int left = (rank + 4) % 5;
    MPI_Sendrecv(mine.data(), kLong, MPI_INT, (rank + 1) % 5, 0, theirs.data(), kLong, MPI_INT,
                 left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(theirs == std::vector<int>(kLong, left));
  });
  CHECK(fault == "");
}

TEST_CASE("messages to and from no rank are none") {
  const std::string fault = on_ranks(1, [](int) {
    int number = 5;
    MPI_Status status;
    MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(number == 5);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
  });
  CHECK(fault == "");
}

TEST_CASE("a sender may change what it has sent") {
  const std::string fault = on_ranks(2, [](int rank) {
    for (const int count : {16, kLong}) {
      std::vector<int> numbers(kLong, rank == 0 ? count : 0);
      if (rank == 0) {
        MPI_Send(numbers.data(), count, MPI_INT, 1, 0, MPI_COMM_WORLD);
        numbers.assign(kLong, 0);
      } else {
        myr_work(10'000);
        MPI_Recv(numbers.data(), count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(numbers[0] == count);
      }
    }
  });
  CHECK(fault == "");
}
