// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/records.hpp"

#include <cstring>
#include <utility>

namespace myr::cluster::mpi {

namespace {

struct Head {
  std::uint64_t track;
  std::uint64_t runs;
  std::uint64_t spans;
  std::uint64_t steals;
  std::uint64_t dropped;
  std::uint64_t full_ticks;
};

Bytes bytes_of(const trace::Timeline& timeline, unsigned track, const Modules& modules) {
  Bytes bytes;
  put(bytes, Head{.track = track,
                  .runs = timeline.runs().size(),
                  .spans = timeline.spans().size(),
                  .steals = timeline.steals().size(),
                  .dropped = timeline.dropped(),
                  .full_ticks = timeline.full_ticks()});
  for (trace::TaskRun run : timeline.runs()) {
    const PlaceInModule site = modules.place_of(run.site);
    std::memcpy(&run.site, &site, sizeof site);
    put(bytes, run);
  }
  for (const trace::StateSpan& span : timeline.spans()) put(bytes, span);
  for (const trace::Steal& steal : timeline.steals()) put(bytes, steal);
  return bytes;
}

// Into the timeline, on the clock of this process.
void read(std::span<const std::byte> bytes, const Head& head, const ClockMap& clock,
          const Modules& modules, trace::Timeline& timeline) {
  trace::Recorded recorded;
  for (std::uint64_t i = 0; i < head.runs; ++i) {
    trace::TaskRun run{0, 0, trace::TaskId::main(), nullptr};
    read_into(bytes, run);
    PlaceInModule site = 0;
    std::memcpy(&site, &run.site, sizeof site);
    run.site = static_cast<const myr_site*>(modules.address_of(site));
    run.begin_ticks = clock.here(run.begin_ticks);
    run.end_ticks = clock.here(run.end_ticks);
    recorded.runs.push_back(run);
  }
  for (std::uint64_t i = 0; i < head.spans; ++i) {
    trace::StateSpan span = read_value<trace::StateSpan>(bytes);
    span.begin_ticks = clock.here(span.begin_ticks);
    span.end_ticks = clock.here(span.end_ticks);
    recorded.spans.push_back(span);
  }
  for (std::uint64_t i = 0; i < head.steals; ++i) {
    trace::Steal steal = read_value<trace::Steal>(bytes);
    steal.ticks = clock.here(steal.ticks);
    recorded.steals.push_back(steal);
  }
  recorded.dropped = head.dropped;
  recorded.full_ticks = clock.here(head.full_ticks);
  timeline.set(std::move(recorded));
}

}  // namespace

Wishes Wishes::of(const Options& options) {
  Wishes wishes{.times = options.measures_time};
  if (options.recording == nullptr || options.recording->timelines.empty()) return wishes;
  wishes.timelines = true;
  wishes.detail = options.recording->timelines.front().detail();
  return wishes;
}

Wishes Wishes::in(const Post::Notice& notice) {
  Wishes wishes;
  std::span<const std::byte> content = notice.content();
  if (!content.empty()) read_into(content, wishes);
  return wishes;
}

Bytes Wishes::bytes() const {
  const auto raw = std::as_bytes(std::span(this, 1));
  return {raw.begin(), raw.end()};
}

ClockMap Collection::clock_of(unsigned rank) const {
  if (started_.empty()) return {};
  return {started_[rank], stopped_[rank]};
}

void Collection::take(const Post::Notice& notice) {
  const ClockMap clock = clock_of(notice.from);
  std::span<const std::byte> content = notice.content();
  if (notice.kind == Kind::Usage) {
    auto usage = read_value<AgentUsage>(content);
    for (std::uint64_t AgentUsage::* const ticks :
         {&AgentUsage::task_ticks, &AgentUsage::runtime_ticks, &AgentUsage::memory_ticks,
          &AgentUsage::wait_ticks, &AgentUsage::idle_ticks}) {
      usage.*ticks = clock.span_here(usage.*ticks);
    }
    usage_[agent_at(topology_, notice.from)] = usage;
  } else if (notice.kind == Kind::Timeline) {
    const auto head = read_value<Head>(content);
    MYR_ASSERT(head.track < options_.recording->timelines.size());
    read(content, head, clock, modules_, options_.recording->timelines[head.track]);
  }
}

OwnRecords::OwnRecords(const Options& options, const sched::Topology& topology,
                       const Wishes& wishes)
    : options_(options) {
  options_.measures_time |= wishes.any();
  if (!wishes.timelines) return;
  recording_ = std::make_unique<trace::Recording>(tracks_of(topology, options.threads),
                                                  trace::Wishes{.timeline = wishes.detail});
  options_.recording = recording_.get();
}

void OwnRecords::send(Rank& rank, const sched::Topology& topology, const Modules& modules,
                      const AgentUsage& usage) const {
  rank.send(0, make_bytes(Kind::Usage, std::as_bytes(std::span(&usage, 1))));
  if (recording_ == nullptr) return;
  const AgentId self = agent_at(topology, rank.self());
  const unsigned first = first_track(topology, self, options_.threads);
  const unsigned end = first + (topology.is_worker(self) ? options_.threads : 1);
  for (unsigned track = first; track < end; ++track) {
    rank.send(0,
              make_bytes(Kind::Timeline, bytes_of(recording_->timelines[track], track, modules)));
  }
}

}  // namespace myr::cluster::mpi
