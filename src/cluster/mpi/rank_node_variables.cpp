// SPDX-License-Identifier: Apache-2.0
//
// RankNode, second part: what processes tell each other of the program's variables, and bytes that
// come back to memory that was lent.
#include <cstring>

#include "cluster/mpi/faults.hpp"
#include "cluster/mpi/rank_context.hpp"
#include "cluster/mpi/rank_node.hpp"
#include "cluster/mpi/watched.hpp"

namespace myr::cluster::mpi {

namespace {

// What a process is told of a variable, before the name.
struct Changed {
  PlaceInModule place;
  std::uint64_t bytes;
  std::uint64_t name_bytes;
};

}  // namespace

void RankNode::publish(RankContext& context, PlaceInModule place,
                       std::span<const std::byte> value) {
  if (variables_ != nullptr) variables_->shared(value);
  Bytes content = bytes_of(Range{place, value.size()});
  content.insert(content.end(), value.begin(), value.end());
  tell_workers(context, Kind::Share, content);
}

void RankNode::tell_changes(RankContext& context) {
  if (variables_ == nullptr) return;
  Bytes content;
  for (const Variables::Variable* const variable : variables_->find_changed()) {
    const std::string name = name_in_source(*variable);
    put(content,
        Changed{modules_.place_of(variable->memory.data()), variable->memory.size(), name.size()});
    put(content, name.data(), name.size());
  }
  if (!content.empty()) tell_workers(context, Kind::Changed, content);
}

// Returns when all know.
void RankNode::tell_workers(RankContext& context, Kind kind, std::span<const std::byte> content) {
  context.begin_share(static_cast<unsigned>(topology_.workers().size()) - 1);
  Bytes asked = bytes_of(&context);
  asked.insert(asked.end(), content.begin(), content.end());
  {
    const std::scoped_lock lock(lock_);
    for (const AgentId worker : topology_.workers()) {
      if (worker != self_) post_.send(rank_of(topology_, worker), kind, asked);
    }
  }
  take_messages_until(context.worker(), [&context] { return context.is_answered(); });
}

// Who is asked for, then ranges, each with its bytes behind it. Of Share: by their places in the
// program.
void RankNode::put_bytes(const Post::Notice& notice) {
  std::span<const std::byte> left = notice.content();
  static_cast<void>(read_value<std::uint64_t>(left));
  while (!left.empty()) {
    const auto range = read_value<Range>(left);
    void* const first = notice.kind == Kind::Share
                            ? const_cast<void*>(modules_.address_of(range.address))
                            : reinterpret_cast<void*>(range.address);
    if (notice.kind == Kind::Share) {
      Watched::instance().forget({reinterpret_cast<std::uintptr_t>(first), range.bytes});
    }
    std::memcpy(first, read_bytes(left, range.bytes).data(), range.bytes);
  }
}

// Who is asked for, then variables, each with its name behind it. Not where several threads run
// tasks: words on which they wait for each other may lie beside these, where the system would not
// find them.
void RankNode::watch(const Post::Notice& notice) {
  if (options_.threads > 1 || !reports_access()) return;
  std::span<const std::byte> left = notice.content();
  static_cast<void>(read_value<std::uint64_t>(left));
  while (!left.empty()) {
    const auto changed = read_value<Changed>(left);
    const std::span<const std::byte> name = read_bytes(left, changed.name_bytes);
    const void* const first = modules_.address_of(changed.place);
    Watched::instance().watch({reinterpret_cast<std::uintptr_t>(first), changed.bytes},
                              {reinterpret_cast<const char*>(name.data()), name.size()});
  }
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
