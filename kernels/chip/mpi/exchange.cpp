// SPDX-License-Identifier: Apache-2.0
#include "chip/mpi/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/contract.hpp"

namespace myr::ranks {

namespace {

constexpr Rank kNamedMax = 8;  // ranks named in an error text

std::string peer_text(int peer) {
  return peer == kAnyPeer ? "any rank" : fmt::format("rank {}", peer);
}

std::string text_of(const Order& order, bool is_send) {
  // Tags of collective calls are numbers of ours.
  if (order.channel == Channel::Collective) {
    return fmt::format("in {} for {}", order.call, peer_text(order.peer));
  }
  const std::string tag = order.tag == kAnyTag ? "any tag" : fmt::format("tag {}", order.tag);
  return fmt::format("in {} for {} {} with {}", order.call,
                     is_send ? "a receive by" : "a message from", peer_text(order.peer), tag);
}

}  // namespace

void Request::happen() { exchange_->post(*this); }

void Exchange::Message::happen() {
  switch (stage) {
    case Stage::Announced:
      return exchange->announce(*this);
    case Stage::Cleared:
      return exchange->clear(*this);
    case Stage::Sent:
      return exchange->copy(*this);
    case Stage::Received:
      return exchange->deliver(*this);
  }
}

Exchange::Exchange(Chip chip, Rank rank_count)
    : virtual_clock_(std::move(chip), rank_count), places_(rank_count) {}

std::string Exchange::run(VirtualClock::Program program, void* argument) {
  if (auto ran = virtual_clock_.run(program, argument); !ran) return ran.error().text;
  if (!virtual_clock_.why_stopped().empty()) return virtual_clock_.why_stopped();
  std::string waiting = waiting_ranks();
  return waiting.empty() ? leftovers() : waiting;
}

// ---- requests

Request& Exchange::open(const Order& order, bool is_send, std::byte* buffer) {
  if (free_requests_.empty()) free_requests_.push_back(&requests_.emplace_back());
  Request& request = *free_requests_.back();
  free_requests_.pop_back();
  request = Request{};
  request.exchange_ = this;
  request.owner_ = virtual_clock_.running();
  request.order_ = order;
  request.buffer_ = buffer;
  request.is_open_ = true;
  request.is_send_ = is_send;
  request.is_done_ = order.peer == kNoPeer;
  places_[request.owner_].open_requests += 1;
  return request;
}

void Exchange::release(Request& request) {
  MYR_ASSERT(request.is_done_);
  request.is_open_ = false;
  places_[request.owner_].open_requests -= 1;
  free_requests_.push_back(&request);
}

bool Exchange::is_own(const Request& request) const {
  return request.is_open_ && request.owner_ == virtual_clock_.running();
}

void Exchange::wait(Request& request) {
  if (request.is_done_) return;
  places_[request.owner_].awaited = &request;
  virtual_clock_.sleep();
}

void Exchange::complete(Request& request) {
  request.is_done_ = true;
  Place& place = places_[request.owner_];
  if (place.awaited != &request) return;
  place.awaited = nullptr;
  virtual_clock_.wake(request.owner_);
}

std::byte* Exchange::scratch(std::size_t bytes) {
  std::vector<std::byte>& memory = places_[virtual_clock_.running()].scratch;
  if (memory.size() < bytes) memory.resize(bytes);
  return memory.data();
}

int Exchange::next_collective() { return ++places_[virtual_clock_.running()].collectives; }

// ---- messages

Request& Exchange::send(const Order& order, const void* from) {
  auto* buffer = static_cast<std::byte*>(const_cast<void*>(from));
  Request& request = open(order, true, buffer);
  if (order.peer == kNoPeer) return request;
  const transport::sim::Costs& costs = virtual_clock_.chip().costs();
  const bool is_short = order.bytes <= costs.push_bytes;
  Message& message = new_message();
  message.exchange = this;
  message.stage = Stage::Announced;
  message.source = virtual_clock_.running();
  message.target = static_cast<Rank>(order.peer);
  message.tag = order.tag;
  message.channel = order.channel;
  message.bytes = order.bytes;
  message.copy.assign(buffer, is_short ? buffer + order.bytes : buffer);
  message.send = is_short ? nullptr : &request;
  message.receive = nullptr;
  request.is_done_ = is_short;
  // A round trip has the work of both cores in it.
  virtual_clock_.schedule(virtual_clock_.clock() + latency(message.source, message.target),
                          message);
  virtual_clock_.work(is_short ? costs.push : costs.dma_start);
  return request;
}

Request& Exchange::receive(const Order& order, void* to) {
  Request& request = open(order, false, static_cast<std::byte*>(to));
  if (order.peer != kNoPeer) virtual_clock_.schedule(virtual_clock_.clock(), request);
  return request;
}

Exchange::Message& Exchange::new_message() {
  if (free_messages_.empty()) free_messages_.push_back(&messages_.emplace_back());
  Message& message = *free_messages_.back();
  free_messages_.pop_back();
  return message;
}

Cycles Exchange::latency(Rank from, Rank to) const {
  return virtual_clock_.chip().latency(virtual_clock_.core_of(from), virtual_clock_.core_of(to));
}

bool Exchange::fits(const Request& request, const Message& message) {
  const Order& order = request.order_;
  return order.channel == message.channel &&
         (order.peer == kAnyPeer || order.peer == static_cast<int>(message.source)) &&
         (order.tag == kAnyTag || order.tag == message.tag);
}

void Exchange::post(Request& request) {
  Place& place = places_[request.owner_];
  const auto found = std::find_if(place.arrived.begin(), place.arrived.end(),
                                  [&](const Message* message) { return fits(request, *message); });
  if (found == place.arrived.end()) {
    place.posted.push_back(&request);
    return;
  }
  Message& message = **found;
  place.arrived.erase(found);
  match(message, request);
}

void Exchange::announce(Message& message) {
  Place& place = places_[message.target];
  const auto found = std::find_if(place.posted.begin(), place.posted.end(),
                                  [&](const Request* request) { return fits(*request, message); });
  if (found == place.posted.end()) {
    place.arrived.push_back(&message);
    return;
  }
  Request& request = **found;
  place.posted.erase(found);
  match(message, request);
}

void Exchange::match(Message& message, Request& request) {
  if (message.bytes > request.order_.bytes) {
    virtual_clock_.stop(fmt::format(
        "{} on rank {}: the message from rank {} with tag {} has {} bytes, the buffer {}.",
        request.order_.call, request.owner_, message.source, message.tag, message.bytes,
        request.order_.bytes));
    return;
  }
  request.source_ = static_cast<int>(message.source);
  request.tag_ = message.tag;
  request.bytes_ = message.bytes;
  message.receive = &request;
  if (message.send == nullptr) {
    std::copy(message.copy.begin(), message.copy.end(), request.buffer_);
    deliver(message);
  } else {
    message.stage = Stage::Cleared;
    virtual_clock_.schedule(virtual_clock_.now() + latency(message.target, message.source),
                            message);
  }
}

void Exchange::clear(Message& message) {
  const std::uint64_t rate = virtual_clock_.chip().costs().bytes_per_cycle;
  Cycles& free_at = places_[message.source].engine_free_at;
  free_at = std::max(free_at, virtual_clock_.now()) + (message.bytes + rate - 1) / rate;
  message.stage = Stage::Sent;
  virtual_clock_.schedule(free_at, message);
}

void Exchange::copy(Message& message) {
  std::memcpy(message.receive->buffer_, message.send->buffer_, message.bytes);
  complete(*message.send);
  message.stage = Stage::Received;
  virtual_clock_.schedule(virtual_clock_.now() + latency(message.source, message.target), message);
}

void Exchange::deliver(Message& message) {
  complete(*message.receive);
  free_messages_.push_back(&message);
}

// ---- what went wrong

std::string Exchange::waiting_ranks() const {
  std::string text;
  Rank count = 0;
  for (Rank rank = 0; rank < virtual_clock_.rank_count(); ++rank) {
    if (virtual_clock_.has_ended(rank)) continue;
    if (count++ >= kNamedMax) continue;
    const Request& request = *places_[rank].awaited;
    text += fmt::format("\n  rank {} waits {}", rank, text_of(request.order_, request.is_send_));
  }
  if (count == 0) return "";
  if (count > kNamedMax) text += fmt::format("\n  and {} more", count - kNamedMax);
  return fmt::format("{} of {} ranks wait for ever, the others have ended:{}", count,
                     virtual_clock_.rank_count(), text);
}

std::string Exchange::leftovers() const {
  for (Rank rank = 0; rank < virtual_clock_.rank_count(); ++rank) {
    const Place& place = places_[rank];
    if (place.open_requests != 0) {
      return fmt::format("Rank {} has ended with {} requests that it has not waited for.", rank,
                         place.open_requests);
    }
    if (!place.arrived.empty()) {
      const Message& message = *place.arrived.front();
      return fmt::format("Rank {} has ended without receiving a message from rank {} with tag {}.",
                         rank, message.source, message.tag);
    }
  }
  return "";
}

}  // namespace myr::ranks
