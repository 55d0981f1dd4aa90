// SPDX-License-Identifier: Apache-2.0
//
// The list exchange of the Myrmics allocator paper, section 6.5, as it is there: an SPMD program.
// Each worker builds a list; then, in stages, pairs of workers exchange their lists, change all
// nodes, and give the lists back. In one run, on the same processes, in three ways:
//
//   regions   a list is a region, which is sent as a whole
//   nodes     MPI alone: each node is fetched by MPI_Get and given back by MPI_Put
//   packed    MPI alone: lists are packed into messages and unpacked, written by hand
//
// One line of JSON for each way and repetition; times are those of the slowest worker.
#include <fmt/core.h>
#include <mpi.h>
#include <myr/spmd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "allocator/linked_lists/linked_lists.h"
#include "common/command_line.hpp"
#include "common/workers.hpp"

namespace {

MPI_Comm workers() {
  std::vector<int> ranks;
  for (unsigned worker = 0; worker < myr_worker_count(); ++worker) {
    ranks.push_back(static_cast<int>(myr_spmd_rank(worker)));
  }
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return comm;
}

// One way to have a list and to exchange it.
class Lists {
 public:
  explicit Lists(std::size_t node_count) : node_count_(node_count) {}
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  virtual ~Lists() = default;

  virtual void build() = 0;
  // This worker changes the other one's list, and the other way round.
  virtual void exchange(unsigned peer) = 0;
  virtual void barrier() = 0;
  [[nodiscard]] virtual std::uint64_t digest() = 0;
  virtual void release() = 0;

 protected:
  [[nodiscard]] std::size_t node_count() const noexcept { return node_count_; }
  // Links and fills nodes, which `next_node()` makes.
  template <class NextNode>
  node* build_with(NextNode&& next_node) {
    node* const head = next_node();
    node* last = head;
    node_begin(head, myr_worker_index(), 0);
    for (std::size_t i = 1; i < node_count_; ++i) {
      last->next = next_node();
      last = last->next;
      node_begin(last, myr_worker_index(), i);
    }
    last->next = nullptr;
    return head;
  }

 private:
  std::size_t node_count_;
};

class InRegions final : public Lists {
 public:
  using Lists::Lists;
  void build() override {
    region_ = myr_region_new(MYR_ROOT, 0);
    head_ = build_with([this] { return static_cast<node*>(myr_alloc(sizeof(node), region_)); });
  }
  void exchange(unsigned peer) override {
    // The head is in the region: it travels as a name only.
    myr_region theirs = 0;
    node* head = nullptr;
    myr_spmd_exchange(peer, &region_, 1, &head_, 1, &theirs, 1, &head, 1);
    list_visit(head, myr_worker_index());
    myr_spmd_exchange(peer, &theirs, 1, &head, 1, &region_, 1, &head_, 1);
  }
  void barrier() override { myr_spmd_barrier(); }
  [[nodiscard]] std::uint64_t digest() override { return list_digest(head_); }
  void release() override { myr_region_free(region_); }

 private:
  myr_region region_ = 0;
  node* head_ = nullptr;
};

// Nodes lie in the worker's window. `next` is the place in the window, plus one; 0 ends the list.
class ByNodes final : public Lists {
 public:
  ByNodes(std::size_t node_count, MPI_Comm comm) : Lists(node_count), comm_(comm) {}
  void build() override {
    MPI_Win_allocate(static_cast<MPI_Aint>(node_count() * sizeof(node)), 1, MPI_INFO_NULL, comm_,
                     &nodes_, &window_);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    for (std::size_t i = 0; i < node_count(); ++i) {
      node_begin(&nodes_[i], myr_worker_index(), i);
      set_next(nodes_[i], i + 1 < node_count() ? i + 2 : 0);
    }
    MPI_Win_sync(window_);
  }
  void exchange(unsigned peer) override {
    const int rank = static_cast<int>(peer);
    node here{};
    for (std::size_t place = 1; place != 0;) {
      const auto at = static_cast<MPI_Aint>((place - 1) * sizeof(node));
      MPI_Get(&here, sizeof here, MPI_BYTE, rank, at, sizeof here, MPI_BYTE, window_);
      MPI_Win_flush(rank, window_);
      node_visit(&here, myr_worker_index());
      MPI_Put(&here, sizeof here, MPI_BYTE, rank, at, sizeof here, MPI_BYTE, window_);
      MPI_Win_flush(rank, window_);
      place = next_of(here);
    }
  }
  void barrier() override {
    MPI_Barrier(comm_);
    if (window_ != MPI_WIN_NULL) MPI_Win_sync(window_);
  }
  [[nodiscard]] std::uint64_t digest() override {
    std::uint64_t digest = 0;
    for (std::size_t place = 1; place != 0; place = next_of(nodes_[place - 1])) {
      digest = node_digest(&nodes_[place - 1], digest);
    }
    return digest;
  }
  void release() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }

 private:
  static void set_next(node& one, std::uint64_t place) {
    std::memcpy(&one.next, &place, sizeof place);
  }
  static std::uint64_t next_of(const node& one) {
    std::uint64_t place = 0;
    std::memcpy(&place, &one.next, sizeof place);
    return place;
  }

  MPI_Comm comm_;
  MPI_Win window_ = MPI_WIN_NULL;
  node* nodes_ = nullptr;
};

// What a careful MPI programmer writes: one message each way, memory for it once.
class Packed final : public Lists {
 public:
  Packed(std::size_t node_count, MPI_Comm comm)
      : Lists(node_count), comm_(comm), out_(node_count), in_(node_count), guest_(node_count) {}
  void build() override {
    head_ = build_with([] { return static_cast<node*>(std::aligned_alloc(64, sizeof(node))); });
  }
  void exchange(unsigned peer) override {
    pack(head_);
    swap(peer);
    for (std::size_t i = 0; i < node_count(); ++i) {
      std::memcpy(guest_[i].words, in_[i].words, sizeof in_[i].words);
      guest_[i].next = i + 1 < node_count() ? &guest_[i + 1] : nullptr;
    }
    list_visit(guest_.data(), myr_worker_index());
    pack(guest_.data());
    swap(peer);
    const Item* item = in_.data();
    for (node* one = head_; one != nullptr; one = one->next) {
      std::memcpy(one->words, item->words, sizeof item->words);
      ++item;
    }
  }
  void barrier() override { MPI_Barrier(comm_); }
  [[nodiscard]] std::uint64_t digest() override { return list_digest(head_); }
  void release() override {
    while (head_ != nullptr) {
      node* const next = head_->next;
      std::free(head_);
      head_ = next;
    }
  }

 private:
  struct Item {
    std::uint64_t words[NODE_WORDS];
  };
  void pack(const node* list) {
    Item* item = out_.data();
    for (; list != nullptr; list = list->next) {
      std::memcpy(item->words, list->words, sizeof item->words);
      ++item;
    }
  }
  void swap(unsigned peer) {
    const int bytes = static_cast<int>(node_count() * sizeof(Item));
    const int rank = static_cast<int>(peer);
    MPI_Sendrecv(out_.data(), bytes, MPI_BYTE, rank, 0, in_.data(), bytes, MPI_BYTE, rank, 0, comm_,
                 MPI_STATUS_IGNORE);
  }

  MPI_Comm comm_;
  node* head_ = nullptr;
  std::vector<Item> out_;
  std::vector<Item> in_;
  std::vector<node> guest_;
};

// The digest that this worker's list must have: each node visited by all other workers in the order
// of the stages, `rounds` times.
std::uint64_t expected_digest(std::size_t node_count, unsigned rounds) {
  const unsigned self = myr_worker_index();
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < node_count; ++i) {
    node single{};
    node_begin(&single, self, i);
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned stage = 1; stage < myr_worker_count(); ++stage) {
        node_visit(&single, self ^ stage);
      }
    }
    digest = node_digest(&single, digest);
  }
  return digest;
}

struct Times {
  double build;
  double exchange;
  bool is_right;
};

void report(const std::string& way, std::size_t node_count, unsigned round, const Times& mine) {
  const std::vector<Times> all = kernels::gather(mine);
  if (all.empty()) return;
  Times slowest{};
  for (const Times& one : all) {
    slowest.build = std::max(slowest.build, one.build);
    slowest.exchange = std::max(slowest.exchange, one.exchange);
  }
  fmt::print(R"({{"bench": "linked_lists", "way": "{}", "workers": {}, "nodes": {}, "round": {}, )"
             R"("build_s": {:.6f}, "exchange_s": {:.6f}}})"
             "\n",
             way, all.size(), node_count, round, slowest.build, slowest.exchange);
  std::fflush(stdout);
  if (std::all_of(all.begin(), all.end(), [](const Times& one) { return one.is_right; })) return;
  fmt::print(stderr, "WRONG: {}: a list has other nodes than it should\n", way);
  std::abort();  // the others wait for nobody then
}

void run(const std::string& way, Lists& lists, std::size_t node_count, unsigned rounds) {
  lists.barrier();
  Times times{};
  const kernels::Stopwatch build;
  lists.build();
  lists.barrier();
  times.build = build.seconds();
  for (unsigned round = 0; round < rounds; ++round) {
    const kernels::Stopwatch exchange;
    for (unsigned stage = 1; stage < myr_worker_count(); ++stage) {
      lists.exchange(myr_worker_index() ^ stage);
      lists.barrier();
    }
    times.exchange = exchange.seconds();
    times.is_right = round + 1 < rounds || lists.digest() == expected_digest(node_count, rounds);
    report(way, node_count, round, times);
    lists.barrier();
  }
  lists.release();
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t nodes = 3000;
  unsigned rounds = 1;
  std::vector<std::string> ways{"regions", "nodes", "packed"};
  kernels::CommandLine line("Exchange of linked lists between all workers of an SPMD program.");
  line.add_count("--nodes", &nodes, "nodes of 256 bytes in a list", 1'000'000);
  line.add_count("--repeat", &rounds, "exchanges of all lists", 1000);
  line.add("--ways", &ways, "regions, nodes, packed: which, in this order");
  line.parse(argc, argv);
  if (!std::has_single_bit(myr_worker_count())) {
    fmt::print(stderr, "linked_lists: the number of workers must be a power of two\n");
    return 1;
  }
  MPI_Comm comm = workers();
  for (const std::string& way : ways) {
    std::unique_ptr<Lists> lists;
    if (way == "regions") lists = std::make_unique<InRegions>(nodes);
    if (way == "nodes") lists = std::make_unique<ByNodes>(nodes, comm);
    if (way == "packed") lists = std::make_unique<Packed>(nodes, comm);
    if (lists == nullptr) {
      fmt::print(stderr, "linked_lists: there is no way '{}'\n", way);
      return 1;
    }
    run(way, *lists, nodes, rounds);
  }
  MPI_Comm_free(&comm);
  return 0;
}
