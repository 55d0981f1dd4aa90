// SPDX-License-Identifier: Apache-2.0
//
// Rank: this process as one of an MPI job: messages to other ranks and from them, and transfers of
// memory between them. The launcher has decided which MPI it is; its plug-in is loaded at run time.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/misuse.hpp"
#include "base/result.hpp"
#include "transport/mpi/plugin.h"

namespace myr::transport::mpi {

using Bytes = std::vector<std::byte>;
using Range = myr_mpi_range;

// What the launcher tells a process before MPI is started.
struct Launched {
  std::string mpi;  // which one: openmpi or mpich
  unsigned rank = 0;
  unsigned count = 0;  // of processes; 0: it does not say
};
// None: nobody has launched the process as one of several.
[[nodiscard]] std::optional<Launched> launched();

struct Received {
  unsigned from;
  Bytes bytes;
};

class Rank {
 public:
  // Once a process; all ranks do. Errors: no plug-in, or its MPI is of no use.
  [[nodiscard]] static base::Result<std::unique_ptr<Rank>> join(const std::string& mpi);
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  ~Rank() = default;
  // The process is about to end by a mistake, and no other thread uses it: all ranks will.
  void end_with_job() const noexcept { base::set_end_of_job(plugin_.abort); }
  // All ranks do, when nothing is under way: there is no MPI any more.
  void leave();

  [[nodiscard]] unsigned self() const noexcept { return static_cast<unsigned>(job_.rank); }
  [[nodiscard]] unsigned count() const noexcept { return static_cast<unsigned>(job_.size); }
  // Has each rank of this computer a processor of its own?
  [[nodiscard]] bool spins() const noexcept { return has_processors_beside(0); }
  // The same except for so many of them, which sleep most of the time.
  [[nodiscard]] bool has_processors_beside(std::size_t sleepers) const noexcept {
    return static_cast<std::size_t>(job_.size_here) <= processors_ + sleepers;
  }

  // Never blocks. Messages to one rank arrive in order.
  void send(unsigned to, Bytes bytes);
  // Receivers cannot follow: a sender that can wait had better do so before it sends more.
  [[nodiscard]] bool is_backed_up() const noexcept { return unacknowledged_ > kUnacknowledgedMax; }
  // The next message that has come.
  [[nodiscard]] std::optional<Received> receive();
  // These are received next.
  void give_back(std::deque<Received> received) {
    std::move(early_.begin(), early_.end(), std::back_inserter(received));
    early_ = std::move(received);
  }
  // Frees what has been sent. Has all been?
  bool settle();
  // Is something of it so long that it leaves only while this rank looks?
  [[nodiscard]] bool is_sending_much() const noexcept { return long_ones_ != 0; }

  // Transfers: the first one sent to a rank comes where the first one received there from this is
  // awaited, and so on. The memory is not touched until is_over().
  [[nodiscard]] myr_mpi_request fetch(std::span<const Range> ranges, unsigned from);
  [[nodiscard]] myr_mpi_request give(std::span<const Range> ranges, unsigned to);
  [[nodiscard]] bool is_over(myr_mpi_request request) { return plugin_.test(request) != 0; }

  // True at last, if all ranks ask: the ranks among `to` have received all that this one has sent,
  // and the same holds for the others. Keep receiving meanwhile.
  [[nodiscard]] bool is_drained(std::span<const unsigned> to, const Bytes& farewell);

 private:
  // One in so many messages is acknowledged; at most so many of these are on their way.
  static constexpr unsigned kAcknowledgedEach = 64;
  static constexpr unsigned kUnacknowledgedMax = 16;
  static constexpr std::size_t kLongBytes = 2'048;
  struct Sent {
    myr_mpi_request request;
    Bytes bytes;
    bool is_acknowledged;
    [[nodiscard]] bool is_long() const noexcept { return bytes.size() > kLongBytes; }
  };
  Rank(const myr_mpi_plugin& plugin, const myr_mpi_job& job);
  void send(unsigned to, Bytes bytes, bool is_acknowledged);
  void ring(unsigned rank) noexcept;

  const myr_mpi_plugin& plugin_;
  const myr_mpi_job job_;
  const std::size_t processors_;
  std::deque<Sent> sent_;
  std::deque<Received> early_;
  std::vector<unsigned> sent_counts_;  // by rank
  unsigned unacknowledged_ = 0;
  unsigned long_ones_ = 0;
  bool is_draining_ = false;
  myr_mpi_request barrier_ = nullptr;
};

// How a thread waits for what it can only find out by looking: MPI has nothing to sleep on. With a
// processor for each rank it looks again at once, for a while; otherwise it sleeps, no longer than
// until a process of this computer sends something. What others send, and what becomes of
// transfers, rings no bell: for these it looks soon, then after longer and longer naps.
class Patience {
 public:
  // A process may have a helper, a thread that answers others while the first one computes.
  enum class Who {
    Waiter,
    WaiterForHelper,  // which may rest until this one is gone
    Helper,
  };
  explicit Patience(bool spins, Who who = Who::Waiter) noexcept;
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;
  ~Patience();
  // Something has come.
  void reset() noexcept {
    naps_ = 0;
    spin_end_ns_ = 0;
  }
  // Is something under way that rings no bell?
  void expect(bool is_under_way) noexcept;
  void pause() noexcept;
  // For a helper.
  [[nodiscard]] static bool may_rest() noexcept;

 private:
  const bool spins_;
  const Who who_;
  unsigned naps_ = 0;
  std::uint64_t spin_end_ns_ = 0;  // 0: none has begun
  bool is_under_way_;
  std::uint32_t heard_;  // rings of this process's bell before the last look
};

}  // namespace myr::transport::mpi
