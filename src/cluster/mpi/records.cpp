// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/records.hpp"

#include <bit>
#include <utility>
#include <variant>

namespace myr::cluster::mpi {

namespace {

proto::Timeline to_message(const trace::Timeline& timeline, unsigned track,
                           const Modules& modules) {
  proto::Timeline message{
      .track = track, .dropped = timeline.dropped(), .full_ticks = timeline.full_ticks()};
  for (const trace::TaskRun& run : timeline.runs()) {
    message.runs.push_back({.begin_ticks = run.begin_ticks,
                            .end_ticks = run.end_ticks,
                            .task = std::bit_cast<std::uint64_t>(run.task),
                            .place = modules.place_of(run.site)});
  }
  for (const trace::StateSpan& span : timeline.spans()) {
    message.spans.push_back({.begin_ticks = span.begin_ticks,
                             .end_ticks = span.end_ticks,
                             .state = static_cast<std::uint32_t>(span.state)});
  }
  for (const trace::Steal& steal : timeline.steals()) {
    message.steals.push_back(
        {.ticks = steal.ticks, .victim = steal.victim, .task_count = steal.task_count});
  }
  return message;
}

// On the clock of this process.
trace::Recorded from_message(const proto::Timeline& message, const ClockMap& clock,
                             const Modules& modules) {
  trace::Recorded recorded;
  for (const proto::TimelineRun& run : message.runs) {
    recorded.runs.push_back({.begin_ticks = clock.here(run.begin_ticks),
                             .end_ticks = clock.here(run.end_ticks),
                             .task = std::bit_cast<trace::TaskId>(run.task),
                             .site = static_cast<const myr_site*>(modules.address_of(run.place))});
  }
  for (const proto::TimelineSpan& span : message.spans) {
    recorded.spans.push_back({.begin_ticks = clock.here(span.begin_ticks),
                              .end_ticks = clock.here(span.end_ticks),
                              .state = static_cast<trace::State>(span.state)});
  }
  for (const proto::TimelineSteal& steal : message.steals) {
    recorded.steals.push_back(
        {.ticks = clock.here(steal.ticks), .victim = steal.victim, .task_count = steal.task_count});
  }
  recorded.dropped = message.dropped;
  recorded.full_ticks = clock.here(message.full_ticks);
  return recorded;
}

}  // namespace

Wishes wishes_of(const Options& options) {
  Wishes wishes{.times = options.measures_time};
  if (options.recording == nullptr || options.recording->timelines.empty()) return wishes;
  wishes.timelines = true;
  wishes.detail = static_cast<std::uint8_t>(options.recording->timelines.front().detail());
  return wishes;
}

ClockMap Collection::clock_of(unsigned rank) const {
  if (started_.empty()) return {};
  return {started_[rank], stopped_[rank]};
}

void Collection::take(const Post::Notice& notice) {
  const ClockMap clock = clock_of(notice.from);
  if (const auto* const told = std::get_if<proto::Usage>(&notice.frame)) {
    AgentUsage usage = *told;
    for (std::uint64_t AgentUsage::* const ticks :
         {&AgentUsage::task_ticks, &AgentUsage::runtime_ticks, &AgentUsage::memory_ticks,
          &AgentUsage::wait_ticks, &AgentUsage::idle_ticks}) {
      usage.*ticks = clock.span_here(usage.*ticks);
    }
    usage_[agent_at(topology_, notice.from)] = usage;
  } else if (const auto* const timeline = std::get_if<proto::Timeline>(&notice.frame)) {
    MYR_ASSERT(timeline->track < options_.recording->timelines.size());
    options_.recording->timelines[timeline->track].set(from_message(*timeline, clock, modules_));
  }
}

OwnRecords::OwnRecords(const Options& options, const sched::Topology& topology,
                       const Wishes& wishes)
    : options_(options) {
  options_.measures_time |= wishes.any();
  if (!wishes.timelines) return;
  recording_ = std::make_unique<trace::Recording>(
      tracks_of(topology, options.threads),
      trace::Wishes{.timeline = static_cast<trace::Detail>(wishes.detail)});
  options_.recording = recording_.get();
}

void OwnRecords::send(Rank& rank, const sched::Topology& topology, const Modules& modules,
                      const AgentUsage& usage) const {
  rank.send(0, make_bytes(usage));
  if (recording_ == nullptr) return;
  const AgentId self = agent_at(topology, rank.self());
  const unsigned first = first_track(topology, self, options_.threads);
  const unsigned end = first + (topology.is_worker(self) ? options_.threads : 1);
  for (unsigned track = first; track < end; ++track) {
    rank.send(0, make_bytes(to_message(recording_->timelines[track], track, modules)));
  }
}

}  // namespace myr::cluster::mpi
