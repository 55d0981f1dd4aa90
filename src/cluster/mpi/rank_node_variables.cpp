// SPDX-License-Identifier: Apache-2.0
//
// A part of RankNode: what all processes are to know of the program's variables and of regions
// that are cancelled, and bytes that come back to memory that was lent.
#include <cstring>
#include <string>
#include <utility>

#include "cluster/mpi/faults.hpp"
#include "cluster/mpi/rank_context.hpp"
#include "cluster/mpi/rank_node.hpp"
#include "cluster/mpi/watched.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::cluster::mpi {

template <class Notice>
void RankNode::tell_workers(RankContext& context, Notice notice) {
  context.begin_share(static_cast<unsigned>(topology_.workers().size()) - 1);
  notice.asker = reinterpret_cast<std::uintptr_t>(&context);
  const proto::Frame frame(std::move(notice));
  {
    const std::scoped_lock lock(lock_);
    for (const AgentId worker : topology_.workers()) {
      if (worker != self_) post_.send(rank_of(topology_, worker), frame);
    }
  }
  take_messages_until(context.worker(), [&context] { return context.is_answered(); });
}

void RankNode::publish(RankContext& context, PlaceInModule place,
                       std::span<const std::byte> value) {
  if (variables_ != nullptr) variables_->shared(value);
  tell_workers(context, proto::Share{.place = place, .bytes = value});
}

void RankNode::tell_changes(RankContext& context) {
  if (variables_ == nullptr) return;
  proto::Changed changed;
  for (const Variables::Variable* const variable : variables_->find_changed()) {
    changed.variables.push_back({.place = modules_.place_of(variable->memory.data()),
                                 .bytes = variable->memory.size(),
                                 .name = std::string(name_in_source(*variable))});
  }
  if (!changed.variables.empty()) tell_workers(context, std::move(changed));
}

// Returns when all know: what comes later, a task that is spawned as well as another life of the
// region, comes to processes that have heard of it.
void RankNode::cancel(RankContext& context, myr_region region) {
  tell_workers(context, proto::Cancel{.region = region});
}

// ---- what others tell ---------------------------------------------------------------------------

void RankNode::hear(const proto::Return& written, unsigned from) {
  for (const proto::LentBytes& one : written.memory) {
    std::memcpy(reinterpret_cast<void*>(one.address), one.bytes.data(), one.bytes.size());
  }
  post_.send(from, proto::Taken{.task = written.task});
}

void RankNode::hear(const proto::Share& variable, unsigned from) {
  void* const first = const_cast<void*>(modules_.address_of(variable.place));
  Watched::instance().forget({reinterpret_cast<std::uintptr_t>(first), variable.bytes.size()});
  std::memcpy(first, variable.bytes.data(), variable.bytes.size());
  post_.send(from, proto::Shared{.asker = variable.asker});
}

// Not where several threads run tasks: words on which they wait for each other may lie beside
// these, where the system would not find them.
void RankNode::hear(const proto::Changed& changed, unsigned from) {
  const bool watches = options_.threads == 1 && reports_access();
  for (const proto::ChangedVariable& variable : changed.variables) {
    if (!watches) break;
    const void* const first = modules_.address_of(variable.place);
    Watched::instance().watch({reinterpret_cast<std::uintptr_t>(first), variable.bytes},
                              variable.name);
  }
  post_.send(from, proto::Shared{.asker = changed.asker});
}

void RankNode::hear(const proto::Cancel& cancelled, unsigned from) {
  sync::CancelledRegions::add(cancelled.region);
  post_.send(from, proto::Shared{.asker = cancelled.asker});
}

// The program's variables among what the task was lent.
void RankNode::let_use_variables(const Guest& guest, bool may_use) const {
  if (!is_tested()) return;
  for (const Loan& loan : guest.parcel.loans) {
    const Range variable{loan.here, loan.bytes};
    if (modules_.place_of(reinterpret_cast<const void*>(loan.here)) == 0) continue;
    may_use ? Watched::instance().open(variable) : Watched::instance().close(variable);
  }
}

}  // namespace myr::cluster::mpi
