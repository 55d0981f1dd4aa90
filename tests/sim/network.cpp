// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include "base/contract.hpp"
#include "machine.hpp"

namespace myr::sim_test {

using proto::AgentId;

void Network::End::ask(AgentId worker, Fetch wanted) {
  const Way way{self_, worker};
  network_.asked_[way].push_back(std::move(wanted));
  network_.machine_.much_later([&network = network_, way] {
    std::deque<Fetch>& fetches = network.asked_[way];
    const Fetch first = std::move(fetches.front());
    fetches.pop_front();
    network.ears_.at(way.second)->asked(first, way.first);
  });
}

Network::Request Network::End::fetch(std::span<const Range> here, AgentId from) {
  const Way way{from, self_};
  const Request request = network_.awaited_[way].emplace_back(network_.new_side(here)).request;
  for (const Range& range : here) {
    assert_untouched(range);
    awaited_.set(range.address, range.address + range.bytes, request);
  }
  network_.match(way);
  return request;
}

bool Network::End::is_over(Request request) {
  if (network_.over_.erase(request) == 0) return false;
  awaited_.erase_if([request](Request other) { return other == request; });
  return true;
}

void Network::End::assert_untouched(const Range& range) const {
  awaited_.visit(range.address, range.address + range.bytes, [](auto, auto, Request) {
    MYR_ASSERT(!"bytes are fetched, or given, while a transfer brings them");
    return false;
  });
}

Network::Request Network::End::give(std::span<const Range> ranges, AgentId to) {
  for (const Range& range : ranges) assert_untouched(range);
  const Way way{self_, to};
  const Request request = network_.sent_[way].emplace_back(network_.new_side(ranges)).request;
  network_.match(way);
  return request;
}

void Network::End::overwrite(const Range& range) {
  network_.machine_.versions().spoil(self_, range.address, range.bytes);
}

Network::Side Network::new_side(std::span<const Range> ranges) {
  waiting_ += 1;
  next_request_ += 1;
  return {.request = reinterpret_cast<Request>(next_request_),
          .ranges = {ranges.begin(), ranges.end()}};
}

void Network::match(const Way& way) {
  std::deque<Side>& sent = sent_[way];
  std::deque<Side>& awaited = awaited_[way];
  if (sent.empty() || awaited.empty()) return;
  waiting_ -= 2;
  const std::size_t count = sent.front().ranges.size();
  const auto transfer = std::make_shared<Transfer>(Transfer{.way = way,
                                                            .sent = std::move(sent.front()),
                                                            .awaited = std::move(awaited.front()),
                                                            .unread = count,
                                                            .unwritten = count});
  sent.pop_front();
  awaited.pop_front();
  MYR_ASSERT(transfer->sent.ranges.size() == transfer->awaited.ranges.size());
  for (std::size_t i = 0; i < transfer->sent.ranges.size(); ++i) {
    const Range& range = transfer->sent.ranges[i];
    MYR_ASSERT(range.address == transfer->awaited.ranges[i].address);
    MYR_ASSERT(range.bytes == transfer->awaited.ranges[i].bytes);
    move(transfer, range);
  }
}

void Network::move(const std::shared_ptr<Transfer>& transfer, const Range& range) {
  machine_.later([this, transfer, range] {
    const auto [from, to] = transfer->way;
    Versions::Words words = machine_.versions().read(from, range.address, range.bytes);
    if (--transfer->unread == 0) tell_over(from, transfer->sent.request);
    machine_.later([this, transfer, words = std::move(words)] {
      machine_.versions().set(transfer->way.second, words);
      if (--transfer->unwritten == 0) tell_over(transfer->way.second, transfer->awaited.request);
    });
  });
}

void Network::tell_over(AgentId agent, Request request) {
  machine_.much_later([this, agent, request] {
    over_.insert(request);
    machine_.later([this, agent] { ears_.at(agent)->look(); });
  });
}

}  // namespace myr::sim_test
