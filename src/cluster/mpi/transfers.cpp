// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/transfers.hpp"

#include <map>
#include <utility>

#include "base/byte_map.hpp"

namespace myr::cluster::mpi {

bool Transfers::is_here(const proto::Piece& piece) const {
  if (piece.producer == self_ || piece.producer == proto::kNoAgent || !piece.is_read) return true;
  return copies_.have({piece.address, piece.bytes}, piece.version);
}

void Transfers::fetch(const proto::Pieces& pieces, AgentId lender, std::span<const Loan> loans,
                      std::function<void()> then) {
  const GroupId group = next_group_++;
  groups_.emplace(group, Group{.missing = 1, .then = std::move(then)});  // this
  fetch_loans(group, lender, loans);
  std::map<AgentId, Arriving> arriving;
  for (const proto::Piece& piece : pieces) {
    keep(piece);
    if (is_here(piece)) {
      note_arrival(piece);
    } else {
      arriving[piece.producer].pieces.push_back(piece);
      fetched_bytes_ += piece.bytes;
    }
  }
  for (auto& [producer, from] : arriving) {
    proto::Fetch wanted;
    std::vector<Range> ranges;
    for (const proto::Piece& piece : from.pieces) {
      ranges.push_back({piece.address, piece.bytes});
      wanted.ranges.push_back({piece.address, piece.bytes, piece.mode == proto::Mode::Write});
    }
    from.group = group;
    ask(producer, std::move(from), ranges, std::move(wanted));
  }
  one_is_here(group);
}

void Transfers::fetch_unread(const proto::Pieces& pieces, std::function<void()> then) {
  base::ByteMap<AgentId> unread;  // who has it
  const auto end_of = [](const proto::Piece& piece) { return piece.address + piece.bytes; };
  for (const proto::Piece& piece : pieces) {
    if (!piece.is_read) unread.set(piece.address, end_of(piece), piece.producer);
  }
  for (const proto::Piece& piece : pieces) {
    if (piece.is_read) unread.erase(piece.address, end_of(piece));
  }
  proto::Pieces rest;
  unread.visit(0, ~std::uint64_t{0}, [&](auto begin, auto end, AgentId producer) {
    rest.push_back(
        {.address = begin, .bytes = end - begin, .producer = producer, .mode = proto::Mode::Write});
    return true;
  });
  fetch(rest, proto::kNoAgent, {}, std::move(then));
}

void Transfers::fetch_loans(GroupId group, AgentId lender, std::span<const Loan> loans) {
  proto::Fetch wanted;
  std::vector<Range> here;
  for (const Loan& loan : loans) {
    if (!loan.is_read) continue;
    wanted.ranges.push_back({.address = loan.address, .bytes = loan.bytes});
    here.push_back({loan.here, loan.bytes});
    fetched_bytes_ += loan.bytes;
  }
  if (!here.empty()) ask(lender, {.group = group}, here, std::move(wanted));
}

void Transfers::ask(AgentId producer, Arriving arriving, std::span<const Range> here,
                    proto::Fetch wanted) {
  arriving.request = wire_.fetch(here, producer);
  groups_.at(arriving.group).missing += 1;
  arriving_.push_back(std::move(arriving));
  wire_.ask(producer, std::move(wanted));
}

// MPI may tell that bytes have left when they are a task's again.
void Transfers::keep(const proto::Piece& piece) {
  for (Leaving& leaving : leaving_) {
    std::erase_if(leaving.given_up, [&piece](const Range& left) {
      return left.address < piece.address + piece.bytes &&
             piece.address < left.address + left.bytes;
    });
  }
}

void Transfers::one_is_here(GroupId group) {
  const auto found = groups_.find(group);
  if (--found->second.missing != 0) return;
  complete_.push_back(std::move(found->second.then));
  groups_.erase(found);
}

// What a task writes is here in no version that anybody knows.
void Transfers::note_arrival(const proto::Piece& piece) {
  const Range range{piece.address, piece.bytes};
  if (piece.mode == proto::Mode::Write || piece.producer == self_) {
    copies_.forget(range);
  } else if (piece.is_read && piece.producer != proto::kNoAgent) {
    copies_.add(range, piece.version);
  }
}

void Transfers::give(const proto::Fetch& wanted, AgentId by) {
  std::vector<Range> ranges;
  Leaving& leaving = leaving_.emplace_back();
  for (const proto::Asked& one : wanted.ranges) {
    ranges.push_back({one.address, one.bytes});
    if (!one.is_written) continue;
    copies_.forget(ranges.back());  // a task that is given back leaves the version as it is
    if (poisons_) leaving.given_up.push_back(ranges.back());
  }
  leaving.request = wire_.give(ranges, by);
}

void Transfers::settle() {
  std::erase_if(arriving_, [this](const Arriving& arriving) {
    if (!wire_.is_over(arriving.request)) return false;
    for (const proto::Piece& piece : arriving.pieces) note_arrival(piece);
    one_is_here(arriving.group);
    return true;
  });
  std::erase_if(leaving_, [this](const Leaving& leaving) {
    if (!wire_.is_over(leaving.request)) return false;
    for (const Range& range : leaving.given_up) wire_.overwrite(range);
    return true;
  });
  while (!complete_.empty()) {
    const std::function<void()> then = std::move(complete_.back());
    complete_.pop_back();
    then();
  }
}

}  // namespace myr::cluster::mpi
