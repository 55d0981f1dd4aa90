// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/spmd_worker.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/misuse.hpp"
#include "engine/access_check.hpp"
#include "mem/layout.hpp"
#include "plat/clock.hpp"
#include "proto/ids.hpp"

namespace myr::cluster::mpi {

using proto::NodeId;
using trace::State;

namespace {

// Limits for objects that a worker asks for before it wants them: their size, and how many regions
// and sizes.
constexpr std::size_t kSpareBytesMax = 1024;
constexpr std::size_t kSpareKindsMax = 1024;

// How many questions a worker asks at once.
constexpr std::size_t kQuestionsMax = 64;

// Changes the state of the log for a while.
class During {
 public:
  During(AgentLog& log, State state) : log_(log) { log.change(state, plat::ticks()); }
  During(const During&) = delete;
  During& operator=(const During&) = delete;
  ~During() { log_.change(State::Task, plat::ticks()); }

 private:
  AgentLog& log_;
};

NodeId node_of(const void* object) {
  return NodeId::object(reinterpret_cast<std::uintptr_t>(object));
}

NodeId node_of(const sched::Topology& topology, myr_region region, const char* call,
               const myr_site* site) {
  NodeId node;
  if (!sched::to_region(topology, region, node)) engine::reject_region(region, call, site);
  return node;
}

// Ascending, and neighbours become one.
void coalesce(std::vector<Range>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.address < b.address; });
  std::size_t count = 0;
  for (const Range& range : ranges) {
    if (count != 0 && range.address <= ranges[count - 1].address + ranges[count - 1].bytes) {
      Range& last = ranges[count - 1];
      last.bytes = std::max(last.bytes, range.address + range.bytes - last.address);
    } else {
      ranges[count++] = range;
    }
  }
  ranges.resize(count);
}

// The first address that lies in both, if any does. Both are ascending.
std::optional<std::uint64_t> first_common(std::span<const Range> a, std::span<const Range> b) {
  while (!a.empty() && !b.empty()) {
    const std::uint64_t begin = std::max(a.front().address, b.front().address);
    const std::uint64_t a_end = a.front().address + a.front().bytes;
    const std::uint64_t b_end = b.front().address + b.front().bytes;
    if (begin < std::min(a_end, b_end)) return begin;
    std::span<const Range>& earlier = a_end <= b_end ? a : b;
    earlier = earlier.subspan(1);
  }
  return {};
}

[[noreturn]] MYR_COLD void no_tasks(const myr_site* site) {
  base::misuse(site,
               "this spawns a task, but with MYR_ON=spmd:... each worker runs the whole program, "
               "and there are no tasks; use another machine, for example mpi:1+4");
}

}  // namespace

SpmdWorker::SpmdWorker(Rank& rank, const sched::Topology& topology)
    : rank_(rank),
      topology_(topology),
      self_(agent_at(topology, rank.self())),
      index_(topology.worker_number(self_)),
      post_(rank, topology),
      for_schedulers_(rank.spins()),
      for_workers_(rank.has_processors_beside(topology.schedulers().size())),
      log_(nullptr, State::Task, plat::ticks()) {
  set_current(this);
}

// Rank 0 is told by all, and then tells all: a worker that hears of the end has nothing to hear any
// more. A barrier() would not do, as somebody may still wait in it when rank 0 has left it.
void SpmdWorker::finish() {
  log_.change(State::Wait, plat::ticks());
  if (rank_.self() != 0) {
    post_.send(0, proto::Barrier{});
    await<proto::Stop>(0);
  } else {
    for (const AgentId worker : topology_.workers()) {
      if (worker != self_) await<proto::Barrier>(mpi::rank_of(topology_, worker));
    }
    for (unsigned other = 1; other < rank_.count(); ++other) post_.send(other, proto::Stop{});
  }
  log_.change(State::Idle, plat::ticks());
  set_current(nullptr);
}

AgentUsage SpmdWorker::usage() const {
  AgentUsage usage = log_.usage();
  usage.messages = post_.message_count();
  usage.message_bytes = post_.message_bytes();
  usage.fetched_bytes = fetched_bytes_;
  return usage;
}

unsigned SpmdWorker::worker_count() const {
  return static_cast<unsigned>(topology_.workers().size());
}

// ---- waiting ------------------------------------------------------------------------------------

template <class IsOver>
void SpmdWorker::wait_until(transport::mpi::Patience& patience, IsOver&& is_over) {
  patience.expect(true);
  while (!is_over()) patience.pause();
}

template <class Answer>
Answer SpmdWorker::ask(AgentId to, proto::Body question) {
  const During during(log_, State::Memory);
  post_.send(topology_.parent(self_), {.to = to, .body = std::move(question)});
  std::optional<sched::Incoming> answer;
  wait_until(for_schedulers_, [&] {
    static_cast<void>(post_.look());
    answer = post_.take_message();
    return answer.has_value();
  });
  return std::get<Answer>(std::move(answer->message.body));
}

// The worker's own scheduler has most of what it asks for; the top knows who has the rest.
template <class Answer, class Question>
Answer SpmdWorker::ask_about(const Question& question) {
  const AgentId near = topology_.parent(self_);
  Answer answer = ask<Answer>(near, question);
  if (!answer.is_known && near != proto::kTop) answer = ask<Answer>(proto::kTop, question);
  return answer;
}

template <class Kind>
Kind SpmdWorker::await(unsigned from) {
  std::optional<Kind> found;
  wait_until(for_workers_, [&] {
    while (post_.look()) {
    }
    while (auto notice = post_.take_notice()) notices_.push_back(std::move(*notice));
    const auto it = std::find_if(notices_.begin(), notices_.end(), [&](const Post::Notice& one) {
      return std::holds_alternative<Kind>(one.frame) && one.from == from;
    });
    if (it == notices_.end()) return false;
    found = std::get<Kind>(std::move(it->frame));
    notices_.erase(it);
    return true;
  });
  return std::move(*found);
}

// ---- memory -------------------------------------------------------------------------------------

myr_region SpmdWorker::new_region(myr_region parent, int level_hint, const myr_site* site) {
  const NodeId above = node_of(topology_, parent, "myr_region_new", site);
  const auto made = ask<proto::RegionMade>(
      proto::owner_of_region(above),
      proto::NewRegion{.request = 0, .asker = self_, .parent = above, .level_hint = level_hint});
  if (!made.is_parent_known) engine::reject_region(parent, "myr_region_new", site);
  if (!made.made) out_of_memory("myr_region_new", 0, 1, site);
  return made.region.value();
}

void SpmdWorker::free_region(myr_region region, const myr_site* site) {
  const NodeId node = node_of(topology_, region, "myr_region_free", site);
  if (node == proto::kRootRegion) root_is_not_freed(site);
  // What lies ready in regions that are inside goes with them; in others it stays until they go.
  spares_.forget_if([](const Spares::Kind& kind) { return kind.region != MYR_ROOT; });
  const auto released = ask<proto::Released>(
      proto::owner_of_region(node), proto::Release{.request = 0, .asker = self_, .node = node});
  if (!released.is_known) engine::reject_region(region, "myr_region_free", site);
}

void SpmdWorker::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                          const char* call, const myr_site* site) {
  if (bytes == 0) {
    static_cast<void>(node_of(topology_, region, call, site));
    std::fill_n(objects, count, nullptr);
  } else if (count == 1 && bytes <= kSpareBytesMax) {
    take_spare({region, bytes}, objects, call, site);
  } else {
    allocate_now(bytes, region, count, objects, call, site);
  }
}

void SpmdWorker::take_spare(const Spares::Kind& kind, void** object, const char* call,
                            const myr_site* site) {
  if (spares_.take(kind, {object, 1})) return;
  if (spares_.kind_count() == kSpareKindsMax) spares_.forget_if([](const auto&) { return true; });
  std::vector<void*> made(1 + spares_.more(kind, 1));
  allocate_now(kind.bytes, kind.region, made.size(), made.data(), call, site);
  std::reverse(made.begin(), made.end());  // taken from the end
  *object = made.back();
  made.pop_back();
  spares_.put(kind, made);
}

void SpmdWorker::allocate_now(std::size_t bytes, myr_region region, std::size_t count,
                              void** objects, const char* call, const myr_site* site) {
  const NodeId node = node_of(topology_, region, call, site);
  if (bytes > mem::kHeapBytesMax) out_of_memory(call, bytes, count, site);
  const auto allocated = ask<proto::Allocated>(
      proto::owner_of_region(node),
      proto::Allocate{
          .request = 0, .asker = self_, .region = node, .bytes = bytes, .count = count});
  if (!allocated.is_region_known) engine::reject_region(region, call, site);
  if (allocated.addresses.size() != count) out_of_memory(call, bytes, count, site);
  std::transform(allocated.addresses.begin(), allocated.addresses.end(), objects,
                 [](std::uint64_t address) { return reinterpret_cast<void*>(address); });
}

proto::Pieces SpmdWorker::find(void* object, const char* call, const myr_site* site) {
  auto packed = ask_about<proto::Packed>(
      proto::Pack{.request = 0, .asker = self_, .region = node_of(object)});
  if (!packed.is_known) no_live_object(call, object, site);
  return std::move(packed.pieces);
}

void* SpmdWorker::reallocate(void* object, std::size_t bytes, myr_region region,
                             const myr_site* site) {
  const std::size_t old_bytes = find(object, "myr_realloc", site).front().bytes;
  void* moved = nullptr;
  allocate(bytes, region, 1, &moved, "myr_realloc", site);
  std::memcpy(moved, object, std::min(bytes, old_bytes));
  free(object, "myr_realloc", site);
  return moved;
}

void SpmdWorker::free(void* object, const char* call, const myr_site* site) {
  const auto released = ask_about<proto::Released>(
      proto::Release{.request = 0, .asker = self_, .node = node_of(object)});
  if (!released.is_known) no_live_object(call, object, site);
}

// ---- from worker to worker ----------------------------------------------------------------------

unsigned SpmdWorker::rank_of_peer(unsigned worker, const char* call, const myr_site* site) const {
  if (worker < worker_count() && worker != index_) return rank_of(worker, site);
  base::misuse(site, base::format("{}: {} is no other worker; there are 0 to {}, and this is {}",
                                  call, worker, worker_count() - 1, index_));
}

unsigned SpmdWorker::rank_of(unsigned worker, const myr_site* site) const {
  if (worker < worker_count()) return mpi::rank_of(topology_, topology_.workers()[worker]);
  base::misuse(site, base::format("myr_spmd_rank: {} is no worker; there are 0 to {}", worker,
                                  worker_count() - 1));
}

// All at once, as each answer takes the way to a scheduler and back.
std::vector<proto::Packed> SpmdWorker::ask_all(std::span<const Asked> asked) {
  const During during(log_, State::Memory);
  std::vector<proto::Packed> answers(asked.size());
  for (std::size_t first = 0; first < asked.size(); first += kQuestionsMax) {
    const std::size_t end = std::min(first + kQuestionsMax, asked.size());
    for (std::size_t i = first; i < end; ++i) {
      post_.send(topology_.parent(self_),
                 {.to = asked[i].whom,
                  .body = proto::Pack{.request = i, .asker = self_, .region = asked[i].node}});
    }
    std::size_t missing = end - first;
    wait_until(for_schedulers_, [&] {
      while (post_.look()) {
      }
      while (auto answer = post_.take_message()) {
        auto& packed = std::get<proto::Packed>(answer->message.body);
        answers[packed.request] = std::move(packed);
        missing -= 1;
      }
      return missing == 0;
    });
  }
  return answers;
}

// The worker's own scheduler has most of what it asks for; the top knows who has the other objects.
std::vector<Range> SpmdWorker::pack(std::span<const myr_region> regions,
                                    std::span<void* const> objects, const Call& call) {
  const AgentId near = topology_.parent(self_);
  std::vector<Asked> asked;
  for (const myr_region region : regions) {
    const NodeId node = node_of(topology_, region, call.name, call.site);
    asked.push_back({proto::owner_of_region(node), node});
  }
  for (void* const object : objects) asked.push_back({near, node_of(object)});
  std::vector<proto::Packed> packed = ask_all(asked);
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    if (!packed[i].is_known && i < regions.size()) {
      engine::reject_region(regions[i], call.name, call.site);
    }
    if (!packed[i].is_known) {
      packed[i].pieces = find(objects[i - regions.size()], call.name, call.site);
    }
    for (const proto::Piece& piece : packed[i].pieces) {
      ranges.push_back({piece.address, piece.bytes});
    }
  }
  coalesce(ranges);
  return ranges;
}

std::vector<Range> SpmdWorker::offer(unsigned peer, std::span<const myr_region> regions,
                                     std::span<void* const> objects, const Call& call) {
  std::vector<Range> ranges = pack(regions, objects, call);
  proto::Offer offer{.regions = {regions.begin(), regions.end()}};
  for (void* const object : objects)
    offer.objects.push_back(reinterpret_cast<std::uintptr_t>(object));
  for (const Range& range : ranges) offer.ranges.push_back({range.address, range.bytes});
  post_.send(peer, std::move(offer));
  return ranges;
}

std::vector<Range> SpmdWorker::accept(unsigned worker, unsigned peer, std::span<myr_region> regions,
                                      std::span<void*> objects, const Call& call) {
  const During during(log_, State::Wait);
  const auto offer = await<proto::Offer>(peer);
  if (offer.regions.size() != regions.size() || offer.objects.size() != objects.size()) {
    base::misuse(call.site, base::format("{}: worker {} sends {} region(s) and {} object(s), and "
                                         "{} and {} are expected here",
                                         call.name, worker, offer.regions.size(),
                                         offer.objects.size(), regions.size(), objects.size()));
  }
  std::copy(offer.regions.begin(), offer.regions.end(), regions.begin());
  std::transform(offer.objects.begin(), offer.objects.end(), objects.begin(),
                 [](std::uint64_t address) { return reinterpret_cast<void*>(address); });
  std::vector<Range> ranges;
  for (const proto::Stretch& stretch : offer.ranges) {
    ranges.push_back({stretch.address, stretch.bytes});
    fetched_bytes_ += stretch.bytes;
  }
  return ranges;
}

void SpmdWorker::complete(std::span<Transfer* const> transfers) {
  const During during(log_, State::Wait);
  for_workers_.reset();
  for (;;) {
    bool is_over = true;
    bool has_moved = false;
    for (Transfer* const transfer : transfers) {
      has_moved |= transfer->advance();
      is_over &= transfer->is_over();
    }
    if (is_over) return;
    if (has_moved) {
      for_workers_.reset();
    } else {
      for_workers_.pause();
    }
  }
}

void SpmdWorker::send(unsigned worker, std::span<const myr_region> regions,
                      std::span<void* const> objects, const myr_site* site) {
  const Call call{"myr_spmd_send", site};
  const unsigned peer = rank_of_peer(worker, call.name, site);
  Transfer out(rank_, Transfer::Way::Out, peer, offer(peer, regions, objects, call));
  complete(std::array{&out});
}

void SpmdWorker::receive(unsigned worker, std::span<myr_region> regions, std::span<void*> objects,
                         const myr_site* site) {
  const Call call{"myr_spmd_receive", site};
  const unsigned peer = rank_of_peer(worker, call.name, site);
  Transfer in(rank_, Transfer::Way::In, peer, accept(worker, peer, regions, objects, call));
  complete(std::array{&in});
}

void SpmdWorker::exchange(unsigned worker, std::span<const myr_region> regions,
                          std::span<void* const> objects, std::span<myr_region> their_regions,
                          std::span<void*> their_objects, const myr_site* site) {
  const Call call{"myr_spmd_exchange", site};
  const unsigned peer = rank_of_peer(worker, call.name, site);
  const std::vector<Range> ours = offer(peer, regions, objects, call);
  const std::vector<Range> theirs = accept(worker, peer, their_regions, their_objects, call);
  const auto both = first_common(ours, theirs);
  if (both && index_ < worker) {  // the other one does not say it again
    base::misuse(site, base::format("myr_spmd_exchange: this worker and worker {} both send what "
                                    "lies at {:#x}; one of them is to send it",
                                    worker, *both));
  }
  Transfer out(rank_, Transfer::Way::Out, peer, ours);
  Transfer in(rank_, Transfer::Way::In, peer, theirs);
  complete(std::array{&out, &in});
}

// In round k each hears from the worker 2^k before it; then all have come, as each hears for all of
// whom those before it have heard.
void SpmdWorker::barrier() {
  const During during(log_, State::Wait);
  const unsigned count = worker_count();
  for (unsigned distance = 1; distance < count; distance *= 2) {
    const auto peer = [&](unsigned worker) {
      return mpi::rank_of(topology_, topology_.workers()[worker % count]);
    };
    post_.send(peer(index_ + distance), proto::Barrier{});
    await<proto::Barrier>(peer(index_ + count - distance));
  }
}

// ---- tasks --------------------------------------------------------------------------------------

myr_draft SpmdWorker::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  const std::size_t bytes = closure_bytes + access_count * sizeof(myr_access);
  draft_.resize(bytes / sizeof draft_[0] + 2);
  void* const accesses = draft_.data() + closure_bytes / sizeof draft_[0] + 1;
  return {draft_.data(), static_cast<myr_access*>(accesses), nullptr};
}
void SpmdWorker::submit(const myr_draft&, myr_body, const myr_site* site) { no_tasks(site); }
void SpmdWorker::spawn(myr_function, const myr_access*, std::size_t, const myr_site* site) {
  no_tasks(site);
}
std::uint64_t SpmdWorker::new_event(const myr_site* site) { no_tasks(site); }

}  // namespace myr::cluster::mpi
