// SPDX-License-Identifier: Apache-2.0
//
// Exchange: messages between ranks of a simulated chip, matched as MPI says, at the costs of the
// chip's network. The ranks' software costs nothing besides: programs of ranks are a baseline, and
// this one is as fast as the network allows.
//
//   sender                                    receiver
//   send(): core busy for `push`    ------->  matched with a receive of the same channel, source
//                                             and tag, each list in order
//                                             short message: received
//   long message: engine copies it, <-------  "there is room"
//   one after the other; sent       ------->  received
//
// A long message keeps the sender's core busy for `dma_start` instead; the rest is the engines'.
// All this takes the chip's latency each time; the network itself is never full.
//
// Invariants
//   1. Messages of a pair of ranks come to be matched in the order in which they were sent: the
//      latency between two cores is always the same.
//   2. A request is in `posted_` of its owner from its time until a message matches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "chip/mpi/virtual_clock.hpp"

namespace myr::ranks {

// Messages of a channel are matched only with receives of the same one.
enum class Channel : std::uint8_t { Program, Collective };

inline constexpr int kAnyPeer = -1;
inline constexpr int kNoPeer = -2;  // a request with it is done at once, with nothing
inline constexpr int kAnyTag = -1;

// What a call asks for.
struct Order {
  const char* call;  // its name
  int peer;
  int tag;
  Channel channel;
  std::size_t bytes;
};

class Exchange;

// A send or a receive.
class Request final : public Event {
 public:
  [[nodiscard]] bool is_done() const noexcept { return is_done_; }
  // For a receive that is done: what came.
  [[nodiscard]] int source() const noexcept { return source_; }
  [[nodiscard]] int tag() const noexcept { return tag_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  friend class Exchange;
  void happen() override;

  Exchange* exchange_ = nullptr;
  Rank owner_ = 0;
  Order order_{};
  std::byte* buffer_ = nullptr;
  bool is_open_ = false;
  bool is_send_ = false;
  bool is_done_ = false;
  int source_ = kNoPeer;
  int tag_ = kAnyTag;
  std::size_t bytes_ = 0;
};

class Exchange {
 public:
  // The chip has so many weak cores.
  Exchange(Chip chip, Rank rank_count);

  // Runs a program on all ranks. Returns what went wrong, or nothing.
  [[nodiscard]] std::string run(VirtualClock::Program program, void* argument);

  [[nodiscard]] VirtualClock& virtual_clock() noexcept { return virtual_clock_; }

  // ---- for the rank that runs. REQUIRES: peer and tag can be.

  [[nodiscard]] Request& send(const Order& order, const void* from);
  [[nodiscard]] Request& receive(const Order& order, void* to);
  // Until it is done. REQUIRES: the rank's own.
  void wait(Request& request);
  // The request is another one from now on. REQUIRES: done.
  void release(Request& request);
  // Whether the rank may wait for it.
  [[nodiscard]] bool is_own(const Request& request) const;
  // Memory that lives as long as the rank, for the calls of this layer.
  [[nodiscard]] std::byte* scratch(std::size_t bytes);
  // How many collective calls the rank has made, with this one.
  [[nodiscard]] int next_collective();

 private:
  friend class Request;
  enum class Stage : std::uint8_t { Announced, Cleared, Sent, Received };

  struct Message final : Event {
    void happen() override;

    Exchange* exchange = nullptr;
    Stage stage = Stage::Announced;
    Rank source = 0;
    Rank target = 0;
    int tag = 0;
    Channel channel = Channel::Program;
    std::size_t bytes = 0;
    std::vector<std::byte> copy;  // of a short message
    Request* send = nullptr;      // of a long one
    Request* receive = nullptr;   // once matched
  };

  struct Place {
    std::vector<Request*> posted;
    std::vector<Message*> arrived;  // and not matched
    const Request* awaited = nullptr;
    Cycles engine_free_at = 0;
    unsigned open_requests = 0;
    int collectives = 0;
    std::vector<std::byte> scratch;
  };

  [[nodiscard]] Request& open(const Order& order, bool is_send, std::byte* buffer);
  [[nodiscard]] Message& new_message();
  [[nodiscard]] Cycles latency(Rank from, Rank to) const;
  [[nodiscard]] static bool fits(const Request& request, const Message& message);

  void post(Request& request);
  void announce(Message& message);
  void match(Message& message, Request& request);
  void clear(Message& message);
  void copy(Message& message);
  void deliver(Message& message);
  void complete(Request& request);

  [[nodiscard]] std::string leftovers() const;
  [[nodiscard]] std::string waiting_ranks() const;

  VirtualClock virtual_clock_;
  std::vector<Place> places_;
  std::deque<Request> requests_;
  std::vector<Request*> free_requests_;
  std::deque<Message> messages_;
  std::vector<Message*> free_messages_;
};

}  // namespace myr::ranks
