// SPDX-License-Identifier: Apache-2.0
//
// What is said when a program of ranks makes a mistake.
#include <doctest/doctest.h>

#include <string>

#include "chip/mpi/test_ranks.hpp"

namespace {

using myr::ranks::on_ranks;

// Numbers that are sent or received; static, since a stopped rank leaves what it has.
int numbers[100];

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a chip that does not exist, or has too few cores, is refused") {
  const auto nothing = [](int) {};
  CHECK(on_ranks(1, nothing, "formic-0") == "There is no chip formic-0.");
  CHECK(on_ranks(17, nothing, "formic-8+16") == "formic-8+16 has 16 cores for ranks, not 17.");
  CHECK(on_ranks(0, nothing, "formic-8+16") == "formic-8+16 has 16 cores for ranks, not 0.");
  CHECK(myr_chip_rank_limit("formic-8+16") == 16);
  CHECK(myr_chip_rank_limit("formic-0") == 0);
}

TEST_CASE("ranks that wait for ever are named, with what they wait for") {
  const std::string fault = on_ranks(4, [](int rank) {
    if (rank == 0) MPI_Recv(numbers, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(numbers, 100, MPI_INT, 0, 8, MPI_COMM_WORLD);
    if (rank == 2) MPI_Barrier(MPI_COMM_WORLD);
  });
  CHECK(fault ==
        "3 of 4 ranks wait for ever, the others have ended:\n"
        "  rank 0 waits in MPI_Recv for a message from rank 1 with tag 7\n"
        "  rank 1 waits in MPI_Send for a receive by rank 0 with tag 8\n"
        "  rank 2 waits in MPI_Barrier for rank 3");
}

TEST_CASE("of many waiting ranks, some are named") {
  const std::string fault = on_ranks(64, [](int) {
    MPI_Recv(numbers, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CHECK(has(fault, "rank 7 waits in MPI_Recv for a message from any rank with any tag"));
  CHECK(has(fault, "and 56 more"));
}

TEST_CASE("different collective calls do not meet") {
  const std::string fault = on_ranks(2, [](int rank) {
    if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
  });
  CHECK(fault ==
        "1 of 2 ranks wait for ever, the others have ended:\n"
        "  rank 1 waits in MPI_Barrier for rank 0");
}

TEST_CASE("a message that is longer than its buffer is refused, whoever comes first") {
  for (const std::uint64_t work : {0, 1'000}) {
    for (const int count : {3, 50}) {
      const std::string fault = on_ranks(2, [&](int rank) {
        myr_work(rank == 0 ? 500 : work);
        if (rank == 0) {
          MPI_Send(numbers, count, MPI_INT, 1, 9, MPI_COMM_WORLD);
        } else {
          MPI_Recv(numbers, 2, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      });
      CHECK(fault == "MPI_Recv on rank 1: the message from rank 0 with tag 9 has " +
                         std::to_string(count * 4) + " bytes, the buffer 8.");
    }
  }
}

TEST_CASE("a rank, tag, count or type that cannot be is refused") {
  const auto fault_of = [](auto call) {
    return on_ranks(2, [&](int rank) {
      if (rank == 1) call();
    });
  };
  CHECK(fault_of([] { MPI_Send(numbers, 1, MPI_INT, 2, 0, MPI_COMM_WORLD); }) ==
        "MPI_Send on rank 1: the target is rank 2, of 2 ranks.");
  CHECK(fault_of([] { MPI_Send(numbers, 1, MPI_INT, 0, -1, MPI_COMM_WORLD); }) ==
        "MPI_Send on rank 1: the tag of a message is -1.");
  CHECK(fault_of([] { MPI_Recv(numbers, 1, MPI_INT, -3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }) ==
        "MPI_Recv on rank 1: the source is rank -3, of 2 ranks.");
  CHECK(fault_of([] { MPI_Recv(numbers, 1, MPI_INT, 0, -2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }) ==
        "MPI_Recv on rank 1: the tag of a message is -2.");
  CHECK(fault_of([] { MPI_Bcast(numbers, -1, MPI_INT, 0, MPI_COMM_WORLD); }) ==
        "MPI_Bcast on rank 1: the count is -1.");
  CHECK(fault_of([] { MPI_Bcast(numbers, 1, MPI_INT, 5, MPI_COMM_WORLD); }) ==
        "MPI_Bcast on rank 1: the root is rank 5, of 2 ranks.");
  CHECK(fault_of([] { MPI_Bcast(numbers, 1, static_cast<MPI_Datatype>(0), 0, MPI_COMM_WORLD); }) ==
        "MPI_Bcast on rank 1: there is no type 0.");
  CHECK(fault_of([] { MPI_Barrier(static_cast<MPI_Comm>(0)); }) ==
        "MPI_Barrier on rank 1: the communicator is not MPI_COMM_WORLD.");
  CHECK(fault_of([] { MPI_Reduce(numbers, numbers, 1, MPI_BYTE, MPI_SUM, 0, MPI_COMM_WORLD); }) ==
        "MPI_Reduce on rank 1: values of MPI_BYTE are not numbers.");
  CHECK(fault_of([] {
          MPI_Reduce(numbers, numbers, 1, MPI_INT, static_cast<MPI_Op>(0), 0, MPI_COMM_WORLD);
        }) == "MPI_Reduce on rank 1: there is no such operation.");
  CHECK(fault_of([] { MPI_Abort(MPI_COMM_WORLD, 3); }) ==
        "MPI_Abort on rank 1: the program aborts with code 3.");
}

TEST_CASE("a request is waited for once, by its rank") {
  const std::string fault = on_ranks(2, [](int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(numbers, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(numbers, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request copy = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Wait(&copy, MPI_STATUS_IGNORE);
  });
  CHECK(fault == "MPI_Wait on rank 1: the request does not belong to this rank.");
}

TEST_CASE("what is left at the end is a mistake") {
  CHECK(on_ranks(2, [](int rank) {
          if (rank == 1) MPI_Send(numbers, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
        }) == "Rank 0 has ended without receiving a message from rank 1 with tag 4.");
  CHECK(on_ranks(2, [](int rank) {
          MPI_Request request = MPI_REQUEST_NULL;
          if (rank == 1) MPI_Irecv(numbers, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        }) == "Rank 1 has ended with 1 requests that it has not waited for.");
}

TEST_CASE("a rank cannot run a program of ranks") {
  CHECK(on_ranks(1, [](int) {
          CHECK(on_ranks(1, [](int) {}) == "A rank cannot run a program of ranks.");
        }) == "");
}

TEST_CASE("after a mistake, the next run is as good as any") {
  CHECK(on_ranks(2, [](int) { MPI_Abort(MPI_COMM_WORLD, 1); }) != "");
  CHECK(on_ranks(2, [](int) { MPI_Barrier(MPI_COMM_WORLD); }) == "");
}
