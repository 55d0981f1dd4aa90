// SPDX-License-Identifier: Apache-2.0
//
// SpmdWorker: a worker of an SPMD program: a process that runs main. It asks the schedulers for
// what it wants of regions, one question at a time; what it has in them goes straight to other
// workers. There are no tasks, and schedulers do not know who has written what.
//
// Threads: main's.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "base/thread_context.hpp"
#include "cluster/agent_log.hpp"
#include "cluster/mpi/post.hpp"
#include "cluster/mpi/spares.hpp"
#include "cluster/mpi/transfer.hpp"
#include "sched/topology.hpp"

namespace myr::cluster::mpi {

class SpmdWorker final : public base::ThreadContext, public base::SpmdCalls {
 public:
  // The caller is main of this worker, from now on.
  SpmdWorker(Rank& rank, const sched::Topology& topology);
  // All workers call it: then main is no worker any more, and nothing is left for the schedulers to
  // do.
  void finish();

  // Once it has finished.
  [[nodiscard]] AgentUsage usage() const;

  // ---- SpmdCalls
  void send(unsigned worker, std::span<const myr_region> regions, std::span<void* const> objects,
            const myr_site* site) override;
  void receive(unsigned worker, std::span<myr_region> regions, std::span<void*> objects,
               const myr_site* site) override;
  void exchange(unsigned worker, std::span<const myr_region> regions,
                std::span<void* const> objects, std::span<myr_region> their_regions,
                std::span<void*> their_objects, const myr_site* site) override;
  void barrier() override;
  [[nodiscard]] unsigned rank_of(unsigned worker, const myr_site* site) const override;

  // ---- ThreadContext
  [[nodiscard]] base::SpmdCalls* spmd() override { return this; }
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override { free(object, "myr_free", site); }
  [[nodiscard]] unsigned worker_index() const override { return index_; }
  [[nodiscard]] unsigned worker_count() const override;
  [[nodiscard]] bool runs_main() const override { return true; }
  void main_ends(const void* /*kept*/) override {}
  // There are none to wait for.
  void wait(const myr_access*, std::size_t, const myr_site*) override {}
  void wait_all() override {}
  [[nodiscard]] std::optional<base::Failure> take_failure() override { return {}; }
  void fail(base::Exception) override {}
  void cancel_region(myr_region, const myr_site*) override {}
  [[nodiscard]] bool is_cancelled() override { return false; }
  // Mistakes. A draft is memory until it is submitted, as only that has a place in the program.
  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;

 private:
  // A call of the program, for messages.
  struct Call {
    const char* name;
    const myr_site* site;
  };
  // The agent that is asked what a node consists of.
  struct Asked {
    AgentId whom;
    proto::NodeId node;
  };

  // The answer to a question, which somebody in the tree has: `to` is on the way there.
  template <class Answer>
  [[nodiscard]] Answer ask(AgentId to, proto::Body question);
  // The same about an object, whose owner only those above it know.
  template <class Answer, class Question>
  [[nodiscard]] Answer ask_about(const Question& question);
  // The next notice of that kind from that rank.
  template <class Kind>
  Kind await(unsigned from);
  template <class IsOver>
  static void wait_until(transport::mpi::Patience& patience, IsOver&& is_over);
  void take_spare(const Spares::Kind& kind, void** object, const char* call, const myr_site* site);
  void allocate_now(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                    const char* call, const myr_site* site);
  void free(void* object, const char* call, const myr_site* site);
  [[nodiscard]] proto::Pieces find(void* object, const char* call, const myr_site* site);
  [[nodiscard]] std::vector<proto::Packed> ask_all(std::span<const Asked> asked);
  [[nodiscard]] std::vector<Range> pack(std::span<const myr_region> regions,
                                        std::span<void* const> objects, const Call& call);
  // The ranges that are to travel: after it has told, or heard, which they are.
  [[nodiscard]] std::vector<Range> offer(unsigned peer, std::span<const myr_region> regions,
                                         std::span<void* const> objects, const Call& call);
  [[nodiscard]] std::vector<Range> accept(unsigned worker, unsigned peer,
                                          std::span<myr_region> regions, std::span<void*> objects,
                                          const Call& call);
  void complete(std::span<Transfer* const> transfers);
  [[nodiscard]] unsigned rank_of_peer(unsigned worker, const char* call,
                                      const myr_site* site) const;

  Rank& rank_;
  const sched::Topology& topology_;
  const AgentId self_;
  const unsigned index_;  // among the workers
  Post post_;
  // Where schedulers have no processor of their own, a thread that waits for one lets it have the
  // worker's.
  transport::mpi::Patience for_schedulers_;
  transport::mpi::Patience for_workers_;
  AgentLog log_;                      // Task: main; Memory: schedulers; Wait: other workers
  std::deque<Post::Notice> notices_;  // that nobody has awaited yet
  std::vector<std::max_align_t> draft_;
  Spares spares_;
  std::uint64_t fetched_bytes_ = 0;
};

}  // namespace myr::cluster::mpi
