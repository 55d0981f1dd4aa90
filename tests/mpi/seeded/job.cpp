// SPDX-License-Identifier: Apache-2.0
//
// myr_seeded_job: starts a program as a job of processes that speak by libmyrmidon-seeded.so. As
// launchers of MPI do, it ends all of them when one has failed, and then fails, too.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"

namespace {

constexpr const char* kUsage =
    "usage: myr_seeded_job [--kill] SEED MACHINE PROGRAM [ARGUMENT...]\n"
    "Runs the program on mpi:S+W or spmd:S+W, or xT behind, in processes of this computer between\n"
    "which all that MPI leaves open happens by dice. --kill: one of them is killed some time, and\n"
    "nobody tells the others, which must find out and fail.\n";

struct Job {
  std::uint64_t seed;
  std::string machine;
  std::vector<std::vector<int>> sockets;  // by rank, and by the rank at the other end
  int memory = -1;                        // that they have in common
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(EXIT_FAILURE);
}

void connect(Job& job, std::size_t count) {
  job.sockets.assign(count, std::vector<int>(count, -1));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) fail("socketpair");
      job.sockets[a][b] = ends[0];
      job.sockets[b][a] = ends[1];
    }
  }
  job.memory = memfd_create("seeded_job", 0);
  if (job.memory < 0) fail("memfd_create");
  if (ftruncate(job.memory, static_cast<off_t>(bytes_in_common(count))) != 0) fail("ftruncate");
}

[[noreturn]] void become(const Job& job, std::size_t rank, char** words) {
  std::string told = std::to_string(job.seed) + ' ' + std::to_string(job.memory);
  for (std::size_t a = 0; a < job.sockets.size(); ++a) {
    for (std::size_t b = 0; b < job.sockets.size(); ++b) {
      if (a != rank && job.sockets[a][b] >= 0) close(job.sockets[a][b]);
    }
  }
  for (const int socket : job.sockets[rank]) told += ' ' + std::to_string(socket);
  setenv("SEEDED_JOB", told.c_str(), 1);
  setenv("MYR_MPI", "seeded", 1);
  setenv("MYR_ON", job.machine.c_str(), 1);
  setenv("PMIX_RANK", std::to_string(rank).c_str(), 1);
  execvp(words[0], words);
  fail(words[0]);
}

// The process that has ended, and how: 128 and more is a signal.
std::pair<pid_t, int> wait_for_one() {
  int status = 0;
  const pid_t process = waitpid(-1, &status, 0);
  if (process < 0) fail("waitpid");
  return {process, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

// Returns the first failure, or success.
int wait_for(const std::vector<pid_t>& processes) {
  int failure = EXIT_SUCCESS;
  for (std::size_t left = processes.size(); left > 0; --left) {
    const int status = wait_for_one().second;
    if (status == EXIT_SUCCESS || failure != EXIT_SUCCESS) continue;
    failure = status;
    for (const pid_t process : processes) kill(process, SIGKILL);
  }
  return failure;
}

// Fails if somebody goes on without the one that was killed.
int kill_one_of(const std::vector<pid_t>& processes, std::uint64_t seed) {
  std::mt19937_64 dice(seed);
  usleep(static_cast<useconds_t>(dice() % 1'000'000));
  const pid_t victim = processes[dice() % processes.size()];
  kill(victim, SIGKILL);
  bool is_killed = false;
  std::size_t ended_well = 0;
  for (std::size_t left = processes.size(); left > 0; --left) {
    const auto [process, status] = wait_for_one();
    is_killed = is_killed || (process == victim && status == 128 + SIGKILL);
    ended_well += status == EXIT_SUCCESS ? 1 : 0;
  }
  std::printf("%s; %zu of %zu processes ended well\n", is_killed ? "killed" : "was too late",
              ended_well, processes.size());
  return is_killed && ended_well != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const bool kills = argc > 1 && std::string(argv[1]) == "--kill";
  if (kills) argv += 1, argc -= 1;
  unsigned schedulers = 0, workers = 0;
  if (argc < 4 || std::sscanf(argv[2], "%*[a-z]:%u+%u", &schedulers, &workers) != 2) {
    std::fputs(kUsage, stderr);
    return EXIT_FAILURE;
  }
  Job job{.seed = std::strtoull(argv[1], nullptr, 10), .machine = argv[2], .sockets = {}};
  const std::size_t count = schedulers + workers;
  connect(job, count);
  std::vector<pid_t> processes;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const pid_t process = fork();
    if (process < 0) fail("fork");
    if (process == 0) become(job, rank, argv + 3);
    processes.push_back(process);
  }
  for (const auto& of_rank : job.sockets) {
    for (const int socket : of_rank) {
      if (socket >= 0) close(socket);
    }
  }
  return kills ? kill_one_of(processes, job.seed) : wait_for(processes);
}
