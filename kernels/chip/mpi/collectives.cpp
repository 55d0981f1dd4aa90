// SPDX-License-Identifier: Apache-2.0
//
// The collective calls of mpi.h, on binomial trees. Counted from the root, a rank's parent has the
// lowest bit that is set cleared; so with the root at rank 0 the lowest subtrees lie on one board,
// and each level of the tree goes twice as far as the one below it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "chip/mpi/call.hpp"

namespace {

using myr::ranks::Call;
using myr::ranks::Channel;
using myr::ranks::Cycles;
using myr::ranks::Order;
using myr::ranks::Rank;

enum Kind { Barrier, Broadcast, Reduce, Allreduce, Kinds };
constexpr const char* kNames[Kinds] = {"MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce"};

// What one collective call sends and receives. Its tag tells it from all others.
class Tree {
 public:
  Tree(const Call& call, Kind kind, Rank root)
      : call_(call),
        name_(kNames[kind]),
        root_(root),
        count_(call.rank_count()),
        place_((call.rank() + count_ - root) % count_),
        tag_(call.exchange().next_collective() * Kinds + kind) {}

  [[nodiscard]] bool is_root() const noexcept { return place_ == 0; }
  [[nodiscard]] int parent() const noexcept { return rank_at(place_ & (place_ - 1)); }
  // Child 0 has the smallest subtree, a leaf.
  [[nodiscard]] unsigned child_count() const noexcept {
    const Rank below = is_root() ? count_ : std::min(place_ & -place_, count_ - place_);
    return static_cast<unsigned>(std::bit_width(below - 1));
  }
  [[nodiscard]] int child(unsigned index) const noexcept {
    return rank_at(place_ + (Rank{1} << index));
  }

  void send(int peer, const void* from, std::size_t bytes) const {
    call_.finish(call_.exchange().send(order(peer, bytes), from), MPI_STATUS_IGNORE);
  }
  void receive(int peer, void* to, std::size_t bytes) const {
    call_.finish(call_.exchange().receive(order(peer, bytes), to), MPI_STATUS_IGNORE);
  }

 private:
  [[nodiscard]] int rank_at(Rank place) const noexcept {
    return static_cast<int>((place + root_) % count_);
  }
  [[nodiscard]] Order order(int peer, std::size_t bytes) const noexcept {
    return {name_, peer, tag_, Channel::Collective, bytes};
  }

  const Call& call_;
  const char* name_;
  Rank root_;
  Rank count_;
  Rank place_;
  int tag_;
};

// From the root to all. Those with the largest subtrees first: they have the most to pass on.
void send_down(const Tree& tree, void* buffer, std::size_t bytes) {
  if (!tree.is_root()) tree.receive(tree.parent(), buffer, bytes);
  for (unsigned i = tree.child_count(); i-- > 0;) tree.send(tree.child(i), buffer, bytes);
}

template <class Number>
void combine_numbers(MPI_Op op, Number* into, const Number* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    switch (op) {
      case MPI_SUM:
        into[i] += from[i];
        break;
      case MPI_MIN:
        into[i] = std::min(into[i], from[i]);
        break;
      case MPI_MAX:
        into[i] = std::max(into[i], from[i]);
        break;
    }
  }
}

struct Reduction {
  MPI_Op op;
  MPI_Datatype type;
  std::size_t count;
  std::size_t bytes;
  Cycles number_cycles;
};

void combine(const Reduction& what, std::byte* into, const std::byte* from) {
  const auto as = [&]<class Number>(Number) {
    combine_numbers(what.op, reinterpret_cast<Number*>(into), reinterpret_cast<const Number*>(from),
                    what.count);
  };
  switch (what.type) {
    case MPI_BYTE:
      break;  // refused before
    case MPI_CHAR:
      return as(char{});
    case MPI_INT:
      return as(int{});
    case MPI_INT64_T:
      return as(std::int64_t{});
    case MPI_UINT64_T:
      return as(std::uint64_t{});
    case MPI_FLOAT:
      return as(float{});
    case MPI_DOUBLE:
      return as(double{});
  }
}

[[nodiscard]] Reduction reduction(const Call& call, int count, MPI_Datatype type, MPI_Op op) {
  const std::size_t bytes = call.bytes_of(count, type);
  if (type == MPI_BYTE) call.fail("values of MPI_BYTE are not numbers");
  if (op < MPI_SUM || op > MPI_MAX) call.fail("there is no such operation");
  const auto& costs = call.virtual_clock().chip().costs();
  return {.op = op,
          .type = type,
          .count = static_cast<std::size_t>(count),
          .bytes = bytes,
          .number_cycles = type == MPI_DOUBLE ? costs.combine_double : costs.combine};
}

// To the root. `sum` has the rank's own numbers, then those of all below it: in the order of the
// tree, so that the same numbers give the same bits.
void send_up(const Call& call, const Tree& tree, const Reduction& what, std::byte* sum,
             std::byte* part) {
  for (unsigned i = 0; i < tree.child_count(); ++i) {
    tree.receive(tree.child(i), part, what.bytes);
    combine(what, sum, part);
    call.virtual_clock().work(what.count * what.number_cycles);
  }
  if (!tree.is_root()) tree.send(tree.parent(), sum, what.bytes);
}

}  // namespace

int MPI_Barrier(MPI_Comm comm) {
  const Call call(kNames[Barrier], comm);
  const Tree tree(call, Barrier, 0);
  for (unsigned i = 0; i < tree.child_count(); ++i) tree.receive(tree.child(i), nullptr, 0);
  if (!tree.is_root()) tree.send(tree.parent(), nullptr, 0);
  send_down(tree, nullptr, 0);
  return MPI_SUCCESS;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Call call(kNames[Broadcast], comm);
  const Tree tree(call, Broadcast, call.root(root));
  send_down(tree, buffer, call.bytes_of(count, type));
  return MPI_SUCCESS;
}

int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  const Call call(kNames[Reduce], comm);
  const Reduction what = reduction(call, count, type, op);
  const Tree tree(call, Reduce, call.root(root));
  std::byte* sum = call.exchange().scratch(2 * what.bytes);
  std::memcpy(sum, from, what.bytes);
  send_up(call, tree, what, sum, sum + what.bytes);
  if (tree.is_root()) std::memcpy(to, sum, what.bytes);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const Call call(kNames[Allreduce], comm);
  const Reduction what = reduction(call, count, type, op);
  const Tree tree(call, Allreduce, 0);
  std::memcpy(to, from, what.bytes);
  send_up(call, tree, what, static_cast<std::byte*>(to), call.exchange().scratch(what.bytes));
  send_down(tree, to, what.bytes);
  return MPI_SUCCESS;
}
