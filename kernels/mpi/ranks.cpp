// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a job of Open MPI or MPICH: where the MPI versions of kernels run on real computers;
// see chip/ranks.h and machine.hpp. Every rank runs the whole program, and with it has the whole
// input and the serial version's result; rank 0 alone prints.
#include "chip/ranks.h"

#include <fmt/format.h>
#include <malloc.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "mpi/counts.h"

namespace kernels {
namespace {

constexpr std::size_t kCacheLine = 64;

struct Part {
  std::uintptr_t address;
  std::size_t bytes;
};

// A rank is a process, and has one thread.
std::vector<Part> result;  // of this rank
double start_time = 0;
std::optional<double> last_seconds;
bool prints_counts = false;

int own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// The parts of the result are Myrmidon's objects, which have the same addresses in all processes.
void share_result() {
  const int own = own_rank();
  for (int rank = 0; rank < ranks_count(); ++rank) {
    std::uint64_t count = result.size();
    PMPI_Bcast(&count, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
    std::vector<Part> parts(count);
    if (rank == own) parts = result;
    PMPI_Bcast(parts.data(), static_cast<int>(count * sizeof(Part)), MPI_BYTE, rank,
               MPI_COMM_WORLD);
    for (const Part& part : parts) {
      PMPI_Bcast(reinterpret_cast<void*>(part.address), static_cast<int>(part.bytes), MPI_BYTE,
                 rank, MPI_COMM_WORLD);
    }
  }
  result.clear();
}

void print_counts() {
  mpi_counts all{};
  MPI_Reduce(&mpi_counts_now, &all, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (own_rank() != 0) return;
  fmt::print(stderr,
             R"({{"messages": {}, "bytes": {}}})"
             "\n",
             all.messages, all.bytes);
}

void finish() {
  if (prints_counts) print_counts();
  MPI_Finalize();
}

}  // namespace

Machine machine() {
  return {.runtime = MYR_KERNEL_MPI,
          .name = fmt::format("{}:{}", MYR_KERNEL_MPI, ranks_count()),
          .threads = static_cast<unsigned>(ranks_count()),
          .text = fmt::format("{} ranks of {}", ranks_count(), MYR_KERNEL_MPI),
          .runs_tasks = false,
          .seconds = last_seconds};
}

bool is_simulated() { return false; }

std::vector<MachineOption> machine_options() {
  // The kernel's data are Myrmidon's objects here, too; that is all that Myrmidon has to do.
  setenv("MYR_ON", "serial", 1);
  // What a rank frees after one run it has in the next one, without a call of the system: a program
  // that runs for long has its memory, too.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  MPI_Init(nullptr, nullptr);
  std::atexit(finish);
  if (own_rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) std::abort();
  return {{"--counts", &prints_counts,
           "print how many messages and bytes all ranks have sent in the last run"}};
}

std::string machine_mistake() { return {}; }

}  // namespace kernels

int ranks_count() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

void ranks_run(void (*program)(void* argument), void* argument) {
  program(argument);
  kernels::share_result();
}

void ranks_start() {
  MPI_Barrier(MPI_COMM_WORLD);
  mpi_counts_now = {};
  kernels::start_time = MPI_Wtime();
}

void ranks_stop() {
  MPI_Barrier(MPI_COMM_WORLD);
  kernels::last_seconds = MPI_Wtime() - kernels::start_time;
}

// Parts behind one another become one.
void ranks_result(const void* part, size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(part);
  if (!kernels::result.empty()) {
    kernels::Part& last = kernels::result.back();
    if (last.address + last.bytes == address) {
      last.bytes += bytes;
      return;
    }
  }
  kernels::result.push_back({address, bytes});
}

void ranks_refuse(const char* rule) {
  if (kernels::own_rank() == 0) fmt::print(stderr, "{}\n", rule);
  std::exit(1);
}

void* ranks_memory(size_t bytes) {
  constexpr std::size_t kLine = kernels::kCacheLine;
  void* memory = std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
  if (memory == nullptr && bytes != 0) {
    fmt::print(stderr, "a rank gets no {} bytes of memory\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}
