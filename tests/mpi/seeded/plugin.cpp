// SPDX-License-Identifier: Apache-2.0
//
// libmyrmidon-seeded.so: the table of plugin.h without any MPI, for the processes that job.cpp
// starts. Whatever MPI leaves open happens when chance wants: when bytes are read and written, in
// which order that is done with several ranges, when either side is told, whose message is found
// first, whether a transfer is over before the other side has asked for it. Now and then something
// is late by a millisecond. A seed names what the dice say, not what threads do meanwhile.
//
// No sanitizer minds it. See docs/adr/0122-a-seeded-mpi.md.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "common.hpp"

using Ranges = std::vector<myr_mpi_range>;
using Bytes = std::vector<char>;

// All that is under way, of any kind.
struct myr_mpi_operation {
  std::uint64_t due_ns = 0;  // its next step, not before; once it is over: when that is told
  bool is_over = false;
  bool waits_for_other = false;  // until the other side has begun to receive it
  bool is_barrier = false;
  bool has_bytes = false;  // that have come, in `buffer`
  std::span<const char> message = {};
  Ranges ranges = {};
  std::size_t moved_count = 0;  // ranges, in the order of `order`
  std::vector<std::size_t> order = {};
  Bytes buffer = {};
  std::uint64_t number = 0;  // among the transfers from one process to another, or the barriers
};

namespace {

using Operation = myr_mpi_operation;

enum class Kind : std::uint32_t { Message, Acknowledged, Begun, Transfer, Asked, Barrier };
struct Head {
  Kind kind;
  std::uint64_t size;
};

struct Letter {
  Bytes bytes;
  std::uint64_t due_ns;
  bool is_acknowledged;
};

// The other process, and what is between it and this one.
struct Peer {
  int socket = -1;
  Bytes out = {};  // what the socket has not taken
  Bytes in = {};   // what is not complete
  std::deque<Operation*> messages = {};
  std::deque<Operation*> unacknowledged = {};
  std::deque<Operation*> transfers = {};
  std::deque<Operation*> unasked = {};  // transfers that have left
  std::deque<Operation*> receives = {};
  std::deque<Letter> letters = {};
  std::map<std::uint64_t, Bytes> arrived = {};  // transfers, by number
  std::uint64_t sent_count = 0;                 // transfers
  std::uint64_t received_count = 0;
  std::uint64_t arrived_count = 0;
  std::uint64_t asked_count = 0;  // that the other one has asked for
  std::uint64_t read_bytes = 0;
};

std::mt19937_64 dice;
std::size_t own_rank = 0;
std::vector<Peer> peers;
std::vector<void*> bells;
// Bytes that each process has written for each other one: to look there is no call of the system.
std::atomic<std::uint64_t>* written = nullptr;
std::uint64_t barrier_count = 0;
std::vector<std::uint64_t> barriers_of;  // by rank

std::atomic<std::uint64_t>& written_by(std::size_t from, std::size_t to) {
  return written[from * peers.size() + to];
}

std::uint64_t below(std::uint64_t limit) { return dice() % limit; }

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Mostly soon.
std::uint64_t some_time() {
  const std::uint64_t chance = below(100);
  const std::uint64_t late_ns = chance < 80 ? 0 : chance < 98 ? below(20'000) : below(1'000'000);
  return now_ns() + late_ns;
}

void end(Operation& operation) {
  operation.is_over = true;
  operation.due_ns = some_time();
}

// ---- frames in a stream -------------------------------------------------------------------------

void write_frame(Peer& peer, Kind kind, std::span<const char> bytes = {}) {
  const Head head{kind, bytes.size()};
  const auto* const first = reinterpret_cast<const char*>(&head);
  peer.out.insert(peer.out.end(), first, first + sizeof head);
  peer.out.insert(peer.out.end(), bytes.begin(), bytes.end());
}

// The other one may have ended: then nobody wants it. To itself a process writes without a socket.
void flush(Peer& peer, std::size_t rank) {
  if (peer.socket < 0) {
    peer.in.insert(peer.in.end(), peer.out.begin(), peer.out.end());
    peer.out.clear();
  }
  while (!peer.out.empty()) {
    const ssize_t count =
        send(peer.socket, peer.out.data(), peer.out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    peer.out.erase(peer.out.begin(), count < 0 ? peer.out.end() : peer.out.begin() + count);
    if (count > 0) {
      written_by(own_rank, rank)
          .fetch_add(static_cast<std::uint64_t>(count), std::memory_order_release);
    }
  }
}

void take_frame(Peer& peer, std::size_t rank, Kind kind, std::span<const char> bytes) {
  switch (kind) {
    case Kind::Message:
    case Kind::Acknowledged:
      peer.letters.push_back({.bytes = {bytes.begin(), bytes.end()},
                              .due_ns = some_time(),
                              .is_acknowledged = kind == Kind::Acknowledged});
      return;
    case Kind::Begun:
      end(*peer.unacknowledged.front());
      peer.unacknowledged.pop_front();
      return;
    case Kind::Transfer:
      peer.arrived[peer.arrived_count++] = {bytes.begin(), bytes.end()};
      return;
    case Kind::Asked:
      peer.asked_count += 1;
      return;
    case Kind::Barrier:
      barriers_of[rank] += 1;
      return;
  }
}

void read_frames(Peer& peer, std::size_t rank) {
  char piece[65536];
  while (peer.read_bytes < written_by(rank, own_rank).load(std::memory_order_acquire)) {
    const ssize_t count = recv(peer.socket, piece, sizeof piece, MSG_DONTWAIT);
    if (count <= 0) break;
    peer.in.insert(peer.in.end(), piece, piece + count);
    peer.read_bytes += static_cast<std::uint64_t>(count);
  }
  std::size_t done = 0;
  for (Head head{}; peer.in.size() - done >= sizeof head;) {
    std::memcpy(&head, peer.in.data() + done, sizeof head);
    if (peer.in.size() - done - sizeof head < head.size) break;
    take_frame(peer, rank, head.kind, std::span(peer.in).subspan(done + sizeof head, head.size));
    done += sizeof head + head.size;
  }
  peer.in.erase(peer.in.begin(), peer.in.begin() + static_cast<std::ptrdiff_t>(done));
}

// ---- what is under way --------------------------------------------------------------------------

// In order, as messages between two processes stay.
void send_messages(Peer& peer) {
  while (!peer.messages.empty() && peer.messages.front()->due_ns <= now_ns()) {
    Operation& sent = *peer.messages.front();
    peer.messages.pop_front();
    write_frame(peer, sent.waits_for_other ? Kind::Acknowledged : Kind::Message, sent.message);
    if (sent.waits_for_other) {
      peer.unacknowledged.push_back(&sent);
    } else {
      end(sent);
    }
  }
}

// Where each range lies in the buffer follows from those before it.
char* place_of(Operation& operation, std::size_t range) {
  char* place = operation.buffer.data();
  for (std::size_t i = 0; i < range; ++i) place += operation.ranges[i].bytes;
  return place;
}

// Some of the ranges. True: all are moved.
template <class Move>
bool move_some(Operation& operation, const Move& move) {
  while (operation.moved_count < operation.ranges.size() && operation.due_ns <= now_ns()) {
    const std::size_t next = operation.order[operation.moved_count++];
    const myr_mpi_range& range = operation.ranges[next];
    move(reinterpret_cast<char*>(range.address), place_of(operation, next), range.bytes);
    operation.due_ns = some_time();
  }
  return operation.moved_count == operation.ranges.size();
}

void send_transfers(Peer& peer) {
  const auto read = [](const char* memory, char* buffer, std::size_t bytes) {
    std::memcpy(buffer, memory, bytes);
  };
  for (Operation* const sent : peer.transfers) static_cast<void>(move_some(*sent, read));
  while (!peer.transfers.empty()) {
    Operation& first = *peer.transfers.front();
    if (first.moved_count != first.ranges.size()) break;
    peer.transfers.pop_front();
    write_frame(peer, Kind::Transfer, first.buffer);
    if (first.waits_for_other) {
      peer.unasked.push_back(&first);
    } else {
      end(first);
    }
  }
  while (!peer.unasked.empty() && peer.unasked.front()->number < peer.asked_count) {
    end(*peer.unasked.front());
    peer.unasked.pop_front();
  }
}

void receive_transfers(Peer& peer) {
  const auto write = [](char* memory, const char* buffer, std::size_t bytes) {
    std::memcpy(memory, buffer, bytes);
  };
  const auto is_received = [&](Operation* received) {
    if (const auto found = peer.arrived.find(received->number); found != peer.arrived.end()) {
      received->buffer = std::move(found->second);
      received->has_bytes = true;
      peer.arrived.erase(found);
    }
    if (!received->has_bytes || !move_some(*received, write)) return false;
    end(*received);
    return true;
  };
  std::erase_if(peer.receives, is_received);
}

void go_on() {
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    Peer& peer = peers[rank];
    send_messages(peer);
    send_transfers(peer);
    flush(peer, rank);
    read_frames(peer, rank);
    receive_transfers(peer);
  }
}

// MPI forbids to touch what a transfer is to write.
void refuse_awaited(const Operation& transfer) {
  for (const Peer& peer : peers) {
    for (const Operation* const awaited : peer.receives) {
      for (const myr_mpi_range& one : awaited->ranges) {
        for (const myr_mpi_range& other : transfer.ranges) {
          if (one.address >= other.address + other.bytes) continue;
          if (other.address >= one.address + one.bytes) continue;
          std::fputs("bytes are sent, or received, while a transfer brings them\n", stderr);
          std::abort();
        }
      }
    }
  }
}

Operation* new_transfer(const myr_mpi_range* ranges, std::size_t count, std::uint64_t number) {
  auto* const transfer = new Operation{.due_ns = some_time(), .number = number};
  for (std::size_t i = 0; i < count; ++i) {
    if (ranges[i].bytes == 0) continue;
    transfer->ranges.push_back(ranges[i]);
    transfer->order.push_back(transfer->order.size());
  }
  std::shuffle(transfer->order.begin(), transfer->order.end(), dice);
  refuse_awaited(*transfer);
  return transfer;
}

// ---- the table ----------------------------------------------------------------------------------

// SEEDED_JOB: "seed memory socket...", a socket for each rank, -1 for this one. With an even seed
// each process seems to be on a computer of its own.
int start(myr_mpi_job* job) {
  const char* const told = std::getenv("SEEDED_JOB");
  if (told == nullptr) {
    std::fputs("libmyrmidon-seeded.so is for processes that myr_seeded_job starts\n", stderr);
    std::exit(EXIT_FAILURE);
  }
  std::istringstream words(told);
  std::uint64_t seed = 0;
  int memory = -1;
  words >> seed >> memory;
  for (int socket; words >> socket;) peers.push_back({.socket = socket});
  own_rank = std::strtoul(std::getenv("PMIX_RANK"), nullptr, 10);
  dice.seed(seed * 1000 + own_rank);
  barriers_of.resize(peers.size());
  const std::size_t count = peers.size();
  void* const shared =
      mmap(nullptr, bytes_in_common(count), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (shared == MAP_FAILED) std::abort();
  written = static_cast<std::atomic<std::uint64_t>*>(shared);
  const bool are_together = seed % 2 != 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const bool is_here = are_together || rank == own_rank;
    bells.push_back(is_here ? static_cast<char*>(shared) + rank * MYR_MPI_BELL_BYTES +
                                  bytes_of_counts(count)
                            : nullptr);
  }
  job->rank = static_cast<int>(own_rank);
  job->size = static_cast<int>(peers.size());
  job->size_here = are_together ? job->size : 1;
  job->bells = bells.data();
  return 0;
}

void finish() {
  const auto is_done = [](const Peer& peer) {
    return peer.messages.empty() && peer.transfers.empty() && peer.out.empty();
  };
  do go_on();
  while (!std::all_of(peers.begin(), peers.end(), is_done));
}

// The program that has started the processes ends the others.
void end_job(int status) { _exit(status == 0 ? EXIT_FAILURE : status); }

myr_mpi_request send_bytes(const void* bytes, std::size_t size, int to, int is_acknowledged) {
  auto* const sent = new Operation{.due_ns = some_time(),
                                   .waits_for_other = is_acknowledged != 0,
                                   .message = {static_cast<const char*>(bytes), size}};
  peers[static_cast<std::size_t>(to)].messages.push_back(sent);
  go_on();
  return sent;
}

// Any of those that are there, and sometimes none.
int probe(int* from, std::size_t* size) {
  go_on();
  std::vector<std::size_t> found;
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    const auto& letters = peers[rank].letters;
    if (!letters.empty() && letters.front().due_ns <= now_ns()) found.push_back(rank);
  }
  if (found.empty() || below(8) == 0) return 0;
  const std::size_t rank = found[below(found.size())];
  *from = static_cast<int>(rank);
  *size = peers[rank].letters.front().bytes.size();
  return 1;
}

void receive(void* bytes, std::size_t size, int from) {
  Peer& peer = peers[static_cast<std::size_t>(from)];
  const Letter& letter = peer.letters.front();
  if (size != letter.bytes.size()) std::abort();
  std::copy(letter.bytes.begin(), letter.bytes.end(), static_cast<char*>(bytes));
  if (letter.is_acknowledged) write_frame(peer, Kind::Begun);
  peer.letters.pop_front();
  go_on();
}

myr_mpi_request send_ranges(const myr_mpi_range* ranges, std::size_t count, int to) {
  Peer& peer = peers[static_cast<std::size_t>(to)];
  Operation* const sent = new_transfer(ranges, count, peer.sent_count++);
  for (const myr_mpi_range& range : sent->ranges) {
    sent->buffer.resize(sent->buffer.size() + range.bytes);
  }
  sent->waits_for_other = below(2) == 0;
  peer.transfers.push_back(sent);
  go_on();
  return sent;
}

myr_mpi_request receive_ranges(const myr_mpi_range* ranges, std::size_t count, int from) {
  Peer& peer = peers[static_cast<std::size_t>(from)];
  Operation* const received = new_transfer(ranges, count, peer.received_count++);
  write_frame(peer, Kind::Asked);
  peer.receives.push_back(received);
  go_on();
  return received;
}

myr_mpi_request barrier() {
  barrier_count += 1;
  for (Peer& peer : peers) write_frame(peer, Kind::Barrier);
  go_on();
  return new Operation{.is_barrier = true, .number = barrier_count};
}

int test(myr_mpi_request request) {
  go_on();
  if (request->is_barrier) {
    request->is_over = std::all_of(barriers_of.begin(), barriers_of.end(),
                                   [&](std::uint64_t count) { return count >= request->number; });
  }
  if (!request->is_over || request->due_ns > now_ns()) return 0;
  delete request;
  return 1;
}

}  // namespace

const myr_mpi_plugin myr_mpi = {
    .version = MYR_MPI_PLUGIN_VERSION,
    .start = start,
    .finish = finish,
    .abort = end_job,
    .send = send_bytes,
    .probe = probe,
    .receive = receive,
    .send_ranges = send_ranges,
    .receive_ranges = receive_ranges,
    .barrier = barrier,
    .test = test,
};
