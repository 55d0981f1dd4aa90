// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/post.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <variant>

#include "base/contract.hpp"
#include "cluster/mpi/vigil.hpp"
#include "proto/wire_format.hpp"

namespace myr::cluster::mpi {

unsigned rank_of(const sched::Topology& topology, AgentId agent) {
  const AgentId main = topology.workers().front();
  if (agent == main) return 0;
  return agent < main ? agent + 1 : agent;
}

AgentId agent_at(const sched::Topology& topology, unsigned rank) {
  const AgentId main = topology.workers().front();
  if (rank == 0) return main;
  return rank <= main ? rank - 1 : rank;
}

Bytes make_bytes(const proto::Frame& frame) {
  Bytes bytes;
  proto::encode(frame, bytes);
  return bytes;
}

void Post::send(AgentId neighbour, proto::Message&& message) {
  rank_.send(rank_of(topology_, neighbour), make_bytes(std::move(message)));
}

void Post::overwrite(const Range& range) {
  constexpr int kPoison = 0xa5;
  std::memset(reinterpret_cast<void*>(range.address), kPoison, range.bytes);
}

Post::Notice Post::read(transport::mpi::Received received) {
  Notice notice{.frame = {}, .from = received.from, .bytes = std::move(received.bytes)};
  std::span<const std::byte> rest = notice.bytes;
  std::optional<proto::Frame> frame = proto::decode(rest);
  MYR_ASSERT(frame.has_value() && rest.empty());
  notice.frame = std::move(*frame);
  return notice;
}

bool Post::look() {
  rank_.settle();
  if (is_over_) return false;
  auto received = rank_.receive();
  if (!received) return false;
  if (proto::holds<proto::Farewell>(received->bytes)) {  // its sender has heard of the end before
    ahead_.push_back(std::move(*received));
    return true;
  }
  Notice notice = read(std::move(*received));
  if (std::holds_alternative<proto::Stop>(notice.frame)) {
    is_over_ = true;
    rank_.give_back(std::move(ahead_));
  }
  if (auto* const message = std::get_if<proto::Message>(&notice.frame)) {
    message_count_ += 1;
    message_bytes_ += notice.bytes.size();
    messages_.push_back({agent_at(topology_, notice.from), std::move(*message)});
  } else {
    notices_.push_back(std::move(notice));
  }
  return true;
}

std::optional<sched::Incoming> Post::take_message() {
  if (messages_.empty()) return {};
  std::optional<sched::Incoming> taken(std::move(messages_.front()));
  messages_.pop_front();
  return taken;
}

std::optional<Post::Notice> Post::take_notice() {
  if (notices_.empty()) return {};
  std::optional<Notice> taken(std::move(notices_.front()));
  notices_.pop_front();
  return taken;
}

void drain(Rank& rank, std::uint64_t silence_ns,
           const std::function<void(const Post::Notice&)>& heard) {
  std::vector<unsigned> others;
  for (unsigned other = 0; other < rank.count(); ++other) {
    if (other != rank.self()) others.push_back(other);
  }
  const Bytes farewell = make_bytes(proto::Farewell{});
  std::vector<bool> is_gone(rank.count());
  std::size_t gone_count = 0;
  std::deque<transport::mpi::Received> early;
  transport::mpi::Patience patience(rank.spins());
  patience.expect(true);  // a barrier rings no bell
  bool is_drained = false;
  Alarm alarm(rank.self(), silence_ns);
  const auto missing = [&] {
    const auto one =
        std::find_if(others.begin(), others.end(), [&](unsigned other) { return !is_gone[other]; });
    return one == others.end() ? others.front() : *one;
  };
  for (;;) {
    alarm.look(missing);
    is_drained = is_drained || rank.is_drained(others, farewell);
    if (is_drained && gone_count == others.size()) break;
    auto received = rank.receive();
    if (!received) {
      patience.pause();
      continue;
    }
    patience.reset();
    alarm.heard();
    if (is_gone[received->from]) {
      early.push_back(std::move(*received));
    } else if (proto::holds<proto::Farewell>(received->bytes)) {
      is_gone[received->from] = true;
      gone_count += 1;
    } else {
      heard(Post::read(std::move(*received)));
    }
  }
  rank.give_back(std::move(early));
}

}  // namespace myr::cluster::mpi
