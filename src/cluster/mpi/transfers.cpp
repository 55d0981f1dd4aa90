// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/transfers.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_map.hpp"

namespace myr::cluster::mpi {

void Transfers::fetch(const proto::Pieces& pieces, AgentId lender, std::span<const Loan> loans,
                      std::function<void()> then) {
  const GroupId group = next_group_++;
  groups_.emplace(group, Group{.missing = 1, .then = std::move(then)});  // this
  fetch_loans(group, lender, loans);
  std::map<AgentId, Wanted> wanted;
  // Pieces may overlap: then what is to be written is asked for as such, and the rest besides.
  for (const proto::Mode mode : {proto::Mode::Write, proto::Mode::Read}) {
    for (const proto::Piece& piece : pieces) {
      if (piece.mode == mode) want(piece, group, wanted);
    }
  }
  for (const proto::Piece& piece : pieces) {
    keep(piece);
    // What a task writes is here in no version that anybody knows.
    if (piece.mode == proto::Mode::Write) copies_.forget({piece.address, piece.bytes});
  }
  for (auto& [producer, from] : wanted) ask(producer, group, std::move(from));
  one_is_here(group);
}

void Transfers::want(const proto::Piece& piece, GroupId group, std::map<AgentId, Wanted>& wanted) {
  if (!piece.is_read || piece.producer == self_ || piece.producer == proto::kNoAgent) return;
  const Range range{piece.address, piece.bytes};
  const auto comes = [this, group](Copies::Arrival number) { wait_for(number, group); };
  for (const Range& part : copies_.lacking(range, piece.version, comes)) {
    const auto [found, is_new] = wanted.try_emplace(piece.producer, Wanted{next_arrival_});
    if (is_new) next_arrival_ += 1;
    Wanted& from = found->second;
    from.here.push_back(part);
    const bool is_written = piece.mode == proto::Mode::Write;
    from.fetch.ranges.push_back({part.address, part.bytes, is_written, piece.version});
    fetched_bytes_ += part.bytes;
    note(part, piece.version, from.number);
  }
}

void Transfers::note(const Range& range, std::uint64_t version, Copies::Arrival number) {
  copies_.add(range, version, number, arriving_.empty() ? number : arriving_.front().number);
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
  Wanted wanted{.number = next_arrival_};
  for (const Loan& loan : loans) {
    if (!loan.is_read) continue;
    wanted.fetch.ranges.push_back({.address = loan.address, .bytes = loan.bytes});
    wanted.here.push_back({loan.here, loan.bytes});
    fetched_bytes_ += loan.bytes;
  }
  if (wanted.here.empty()) return;
  next_arrival_ += 1;
  ask(lender, group, std::move(wanted));
}

void Transfers::ask(AgentId producer, GroupId group, Wanted wanted) {
  groups_.at(group).missing += 1;
  const Arriving arriving{
      .number = wanted.number, .request = wire_.fetch(wanted.here, producer), .groups = {group}};
  const auto later =
      std::partition_point(arriving_.begin(), arriving_.end(),
                           [&](const Arriving& other) { return other.number < wanted.number; });
  arriving_.insert(later, arriving);
  wire_.ask(producer, std::move(wanted.fetch));
}

// Nobody waits for what is over, or is this fetch's own.
void Transfers::wait_for(Copies::Arrival number, GroupId group) {
  const auto found =
      std::partition_point(arriving_.begin(), arriving_.end(),
                           [number](const Arriving& arriving) { return arriving.number < number; });
  if (found == arriving_.end() || found->number != number) return;
  if (found->groups.back() == group) return;
  found->groups.push_back(group);
  groups_.at(group).missing += 1;
}

// MPI may tell late that bytes have left: when a task has them again.
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

// What stays as it is must not be brought here by a task that comes from there: others may read it.
// What the task writes may overlap that.
void Transfers::give(const proto::Fetch& wanted, AgentId by) {
  std::vector<Range> ranges;
  for (const proto::Asked& one : wanted.ranges) {
    ranges.push_back({one.address, one.bytes});
    if (!one.is_written && one.version != 0) note(ranges.back(), one.version, next_arrival_++);
  }
  Leaving& leaving = leaving_.emplace_back();
  for (const proto::Asked& one : wanted.ranges) {
    if (!one.is_written) continue;
    const Range range{one.address, one.bytes};
    copies_.forget(range);  // a task that is given back leaves the version as it is
    if (poisons_) leaving.given_up.push_back(range);
  }
  leaving.request = wire_.give(ranges, by);
}

void Transfers::settle() {
  std::erase_if(arriving_, [this](const Arriving& arriving) {
    if (!wire_.is_over(arriving.request)) return false;
    for (const GroupId group : arriving.groups) one_is_here(group);
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
