// SPDX-License-Identifier: Apache-2.0
//
// Vigil: a process that has stopped, or whose computer has gone without a word, would leave all
// others waiting for ever. So each tells rank 0 now and then that it is there, and rank 0 tells
// each; one that has heard nothing for long ends the job.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/mpi/post.hpp"

namespace myr::cluster::mpi {

// How much longer than others a rank waits before it ends the job: so one of them says why.
[[nodiscard]] inline std::uint64_t patience_ns(unsigned rank) noexcept {
  constexpr std::uint64_t kStepNs = 2'000'000'000;
  return rank < 2 ? rank * kStepNs : 2 * kStepNs;
}

// Where no agents run, all wait for each other, between the parts of the job's life: so silence of
// one is soon that of all.
class Alarm {
 public:
  // `silence_ns`: as of Vigil.
  Alarm(unsigned self, std::uint64_t silence_ns);
  // Often. Ends the process if nothing has come for too long; `missing()`: from which rank.
  template <class Missing>
  void look(Missing&& missing) {
    if (is_due()) end(missing());
  }
  // Something has come.
  void heard() noexcept { heard_ns_ = looked_ns_; }

 private:
  [[nodiscard]] bool is_due();
  [[noreturn]] void end(unsigned rank) const;

  const std::uint64_t silence_ns_;
  const std::uint64_t limit_ns_;
  std::uint64_t looked_ns_;
  std::uint64_t heard_ns_;
};

class Vigil {
 public:
  // `silence_ns`: how long a process may say nothing; 0: for ever.
  Vigil(Post& post, std::uint64_t silence_ns);

  // Called often, by the thread that takes what comes, before it does. Ends the process, and so the
  // job, if another one has been silent for too long.
  void look();
  // Tells others only. For a thread that is about something long, and takes nothing meanwhile.
  void tell();
  // Something has come from there.
  void heard(unsigned rank) noexcept { heard_ns_[rank] = looked_ns_; }

 private:
  // Rank 0 watches all others, these watch rank 0.
  template <class Visit>
  void for_watched(Visit visit) const;

  Post& post_;
  const std::uint64_t silence_ns_;
  std::vector<std::uint64_t> heard_ns_;  // by rank: when the last time
  std::uint64_t looked_ns_;
  std::uint64_t told_ns_ = 0;
};

}  // namespace myr::cluster::mpi
