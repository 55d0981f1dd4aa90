// SPDX-License-Identifier: Apache-2.0
//
// myr_seeded_job: starts a program as a job of processes that speak by libmyrmidon-seeded.so. As
// launchers of MPI do, it ends all of them when one has failed, and then fails, too.
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "common.hpp"

namespace {

constexpr const char* kUsage =
    "usage: myr_seeded_job [--kill|--stop SECONDS] SEED MACHINE PROGRAM [ARGUMENT...]\n"
    "Runs the program on mpi:S+W or spmd:S+W, or xT behind, in processes of this computer between\n"
    "which all that MPI leaves open happens by dice. --kill: one of them is killed some time, and\n"
    "nobody tells the others, which must find out and fail. --stop: one is stopped, and goes on "
    "so\n"
    "much later.\n";
constexpr unsigned kStartSeconds = 60;  // how long a job may take to come to its first task

// What happens to one of the processes.
struct Harm {
  int signal = 0;  // 0: nothing
  unsigned seconds = 0;
};

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

// How one of the processes has ended: 128 and more is a signal.
int wait_for_one() {
  int status = 0;
  if (waitpid(-1, &status, 0) < 0) fail("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns the first failure, or success.
int wait_for(const std::vector<pid_t>& processes) {
  int failure = EXIT_SUCCESS;
  for (std::size_t left = processes.size(); left > 0; --left) {
    const int status = wait_for_one();
    if (status == EXIT_SUCCESS || failure != EXIT_SUCCESS) continue;
    failure = status;
    for (const pid_t process : processes) kill(process, SIGKILL);
  }
  return failure;
}

bool has_ended(pid_t process) {
  siginfo_t how{};
  if (waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOHANG | WNOWAIT) != 0) {
    fail("waitid");
  }
  return how.si_pid != 0;
}

// False: it had ended before. A process that is stopped goes on sooner if no other one is left.
bool strike(pid_t victim, const Harm& harm, const std::vector<pid_t>& processes) {
  kill(victim, harm.signal);
  siginfo_t after{};
  const auto id = static_cast<id_t>(victim);
  if (waitid(P_PID, id, &after, WEXITED | WSTOPPED | WNOWAIT) != 0) fail("waitid");
  if (after.si_code == CLD_EXITED) return false;
  const auto is_alone = [&] {
    const auto ended = std::count_if(processes.begin(), processes.end(), has_ended);
    return static_cast<std::size_t>(ended) + 1 == processes.size();
  };
  for (unsigned tenth = 0; tenth < 10 * harm.seconds && !is_alone(); ++tenth) usleep(100'000);
  kill(victim, SIGCONT);
  return true;
}

// Between their greeting and the program's first task the others may wait for rank 0 as long as it
// likes, and only a launcher knows if it has died. So that time is let pass.
void let_greeting_pass(const Job& job) {
  const std::size_t count = job.sockets.size();
  void* const shared = mmap(nullptr, bytes_in_common(count), PROT_READ, MAP_SHARED, job.memory, 0);
  if (shared == MAP_FAILED) fail("mmap");
  const auto* const written = static_cast<const std::atomic<std::uint64_t>*>(shared);
  const auto said = [&](std::size_t from) {
    std::uint64_t bytes = 0;
    for (std::size_t to = 0; to < count; ++to) {
      bytes += written[from * count + to].load(std::memory_order_relaxed);  // only compared
    }
    return bytes;
  };
  for (std::size_t rank = 1; rank < count; ++rank) {
    const std::uint64_t greeting = said(rank);
    for (unsigned tenth = 0; greeting != 0 && said(rank) == greeting; ++tenth) {
      if (tenth == 10 * kStartSeconds) return;
      usleep(100'000);
    }
  }
}

// Nobody ends the others. That one was stopped must not matter; that one was killed must, to all.
int harm_one_of(const Job& job, const std::vector<pid_t>& processes, const Harm& harm) {
  std::mt19937_64 dice(job.seed);
  usleep(static_cast<useconds_t>(dice() % 1'000'000));
  let_greeting_pass(job);
  const bool is_harmed = strike(processes[dice() % processes.size()], harm, processes);
  std::size_t ended_well = 0;
  for (std::size_t left = processes.size(); left > 0; --left) {
    ended_well += wait_for_one() == EXIT_SUCCESS ? 1 : 0;
  }
  const char* const how = harm.signal == SIGKILL ? "killed" : "stopped";
  std::printf("%s; %zu of %zu processes ended well\n", is_harmed ? how : "was too late", ended_well,
              processes.size());
  const bool must_fail = is_harmed && harm.signal == SIGKILL;
  return ended_well == (must_fail ? 0 : processes.size()) ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Takes the option from the words. False: it is none of those.
bool read_harm(int& argc, char**& argv, Harm& harm) {
  const std::string option = argc > 1 ? argv[1] : "";
  if (!option.starts_with("--")) return true;
  const bool stops = option == "--stop" && argc > 2;
  if (!stops && option != "--kill") return false;
  harm.signal = stops ? SIGSTOP : SIGKILL;
  if (stops) harm.seconds = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  argv += stops ? 2 : 1;
  argc -= stops ? 2 : 1;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Harm harm;
  unsigned schedulers = 0, workers = 0;
  if (!read_harm(argc, argv, harm) || argc < 4 ||
      std::sscanf(argv[2], "%*[a-z]:%u+%u", &schedulers, &workers) != 2) {
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
  return harm.signal != 0 ? harm_one_of(job, processes, harm) : wait_for(processes);
}
