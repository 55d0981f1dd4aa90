// SPDX-License-Identifier: Apache-2.0
//
// An SPMD program: regions, objects and their ways between workers, at random, the same in all
// workers: what one has built another one gets, with its pointers, and no more than that. The first
// argument is one of the cases below.
#include <myr/spmd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void require(bool condition, const char* what, unsigned line) {
  if (condition) return;
  std::fprintf(stderr, "worker %u: line %u: %s\n", myr_worker_index(), line, what);
  std::abort();
}
#define REQUIRE(condition) require((condition), #condition, __LINE__)

// A tree of nodes of many sizes, some of them in regions inside of the first one's.
struct Node {
  std::uint64_t words;  // behind the node
  std::uint64_t seed;
  Node* children[2];
  [[nodiscard]] std::uint64_t* begin() { return reinterpret_cast<std::uint64_t*>(this + 1); }
};

constexpr std::uint64_t kWordsMax = 40'000;

Node* build(std::mt19937_64& random, myr_region region, unsigned depth) {
  const bool is_large = random() % 16 == 0;
  const std::uint64_t words = random() % (is_large ? kWordsMax : 60);
  auto* const node = static_cast<Node*>(myr_alloc(sizeof(Node) + words * 8, region));
  node->words = words;
  node->seed = random();
  for (std::uint64_t i = 0; i < words; ++i) node->begin()[i] = node->seed + i;
  for (Node*& child : node->children) {
    child = nullptr;
    if (depth == 0 || random() % 8 == 0) continue;
    const bool is_apart = random() % 8 == 0;
    child =
        build(random, is_apart ? myr_region_new(region, static_cast<int>(random() % 3)) : region,
              depth - 1);
  }
  return node;
}

std::uint64_t sum_of(Node* node) {
  if (node == nullptr) return 0;
  std::uint64_t sum = node->seed;
  for (std::uint64_t i = 0; i < node->words; ++i) {
    REQUIRE(node->begin()[i] == node->seed + i);
    sum = sum * 31 + node->begin()[i];
  }
  return sum * 31 + sum_of(node->children[0]) * 17 + sum_of(node->children[1]);
}

void change(Node* node) {
  if (node == nullptr) return;
  node->seed += 1;
  for (std::uint64_t i = 0; i < node->words; ++i) node->begin()[i] += 1;
  for (Node* child : node->children) change(child);
}

// Each worker's tree goes once around the ring; each changes what it gets.
void ring() {
  const unsigned count = myr_worker_count();
  const unsigned self = myr_worker_index();
  const unsigned next = (self + 1) % count;
  const unsigned before = (self + count - 1) % count;
  for (unsigned round = 0; round < 4; ++round) {
    std::mt19937_64 random(100 * round + self);
    myr_region region = myr_region_new(MYR_ROOT, static_cast<int>(round % 3));
    auto** head = static_cast<Node**>(myr_alloc(sizeof(Node*), region));
    *head = build(random, region, 7);
    for (unsigned step = 0; step < count && count > 1; ++step) {
      void* object = head;
      const auto pass_on = [&] { myr_spmd_send(next, &region, 1, &object, 1); };
      if (self % 2 == 0) pass_on();
      myr_region got = 0;
      void* got_head = nullptr;
      myr_spmd_receive(before, &got, 1, &got_head, 1);
      if (self % 2 != 0) pass_on();
      region = got;
      head = static_cast<Node**>(got_head);
      change(*head);
    }
    // It has come around.
    std::mt19937_64 again(100 * round + self);
    const myr_region twin_region = myr_region_new(MYR_ROOT, 0);
    Node* twin = build(again, twin_region, 7);
    for (unsigned step = 0; step < count && count > 1; ++step) change(twin);
    REQUIRE(sum_of(*head) == sum_of(twin));
    myr_region_free(twin_region);
    myr_region_free(region);
    myr_spmd_barrier();
  }
}

// All pairs swap their trees and give them back changed; the one with the higher index sends a lone
// object beside its tree.
void exchanges() {
  const unsigned self = myr_worker_index();
  const unsigned count = myr_worker_count();
  if ((count & (count - 1)) != 0) return;  // not all have a peer in each stage
  std::mt19937_64 random(7 * self);
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  Node* const tree = build(random, region, 8);
  auto* const note = static_cast<unsigned*>(myr_alloc(sizeof(unsigned), MYR_ROOT));
  for (unsigned stage = 1; stage < count; ++stage) {
    const unsigned peer = self ^ stage;
    *note = 100 * self + stage;
    void* mine[] = {tree, note};
    void* theirs[] = {nullptr, nullptr};
    const bool is_high = self > peer;
    const std::size_t sent = is_high ? 2 : 1;
    const std::size_t received = is_high ? 1 : 2;
    myr_region their_region = 0;
    myr_spmd_exchange(peer, &region, 1, mine, sent, &their_region, 1, theirs, received);
    if (!is_high) REQUIRE(*static_cast<unsigned*>(theirs[1]) == 100 * peer + stage);
    change(static_cast<Node*>(theirs[0]));
    myr_region again = 0;
    void* same = nullptr;
    myr_spmd_exchange(peer, &their_region, 1, theirs, 1, &again, 1, &same, 1);
    REQUIRE(again == region);
    REQUIRE(same == tree);
  }
  std::mt19937_64 repeated(7 * self);
  Node* const twin = build(repeated, region, 8);
  for (unsigned stage = 1; stage < count; ++stage) change(twin);
  REQUIRE(sum_of(tree) == sum_of(twin));
  myr_spmd_barrier();
  myr_free(note);
  myr_region_free(region);
}

// Objects without their region; of what is not sent nothing comes.
void objects() {
  if (myr_worker_count() == 1) return;
  constexpr std::size_t kCount = 300;
  void* all[kCount];
  if (myr_worker_index() == 0) {
    const myr_region region = myr_region_new(MYR_ROOT, 0);
    myr_alloc_many(100, region, kCount, all);
    for (std::size_t i = 0; i < kCount; ++i)
      std::memset(all[i], static_cast<int>(i % 100) + 1, 100);
    myr_spmd_send(1, nullptr, 0, all, kCount / 2);
    for (std::size_t i = 0; i < kCount; ++i) std::memset(all[i], 101, 100);
    myr_spmd_send(1, &region, 1, nullptr, 0);
    myr_spmd_barrier();
    for (void* object : all) myr_free(object);
  } else {
    if (myr_worker_index() == 1) {
      myr_spmd_receive(0, nullptr, 0, all, kCount / 2);
      for (std::size_t i = 0; i < kCount / 2; ++i) {
        REQUIRE(*static_cast<unsigned char*>(all[i]) == i % 100 + 1);
        REQUIRE(static_cast<unsigned char*>(all[i])[99] == i % 100 + 1);
      }
      myr_region region = 0;
      myr_spmd_receive(0, &region, 1, nullptr, 0);
      for (std::size_t i = 0; i < kCount / 2; ++i) {
        REQUIRE(*static_cast<unsigned char*>(all[i]) == 101);
      }
    }
    myr_spmd_barrier();
  }
  myr_spmd_barrier();
}

// Memory that one worker's regions had serves those of others: pages go up and down the tree. Each
// worker in turn takes a third of all there is.
void pages() {
  constexpr std::size_t kLarge = std::size_t{16} << 30;
  constexpr std::size_t kPieces = 3;
  for (unsigned turn = 0; turn < 2 * myr_worker_count(); ++turn) {
    if (turn % myr_worker_count() == myr_worker_index()) {
      const myr_region region = myr_region_new(MYR_ROOT, 0);
      void* large[kPieces];
      myr_alloc_many(kLarge, region, kPieces, large);
      for (void* one : large) *static_cast<unsigned*>(one) = turn;
      for (void* one : large) REQUIRE(*static_cast<unsigned*>(one) == turn);
      if (turn % 2 == 0) {
        for (void* one : large) myr_free(one);
      }
      myr_region_free(region);
    }
    myr_spmd_barrier();
  }
}

void sizes() {
  const myr_region region = myr_region_new(MYR_ROOT, 99);
  const myr_region other = myr_region_new(region, 0);
  auto* bytes = static_cast<unsigned char*>(myr_alloc(10, region));
  for (unsigned i = 0; i < 10; ++i) bytes[i] = static_cast<unsigned char>(i);
  for (const std::size_t size : {100, 5'000, 3'000'000, 10}) {
    bytes = static_cast<unsigned char*>(myr_realloc(bytes, size, size == 5'000 ? other : region));
    for (unsigned i = 0; i < 10; ++i) REQUIRE(bytes[i] == i);
  }
  REQUIRE(myr_realloc(bytes, 0, region) == nullptr);
  REQUIRE(myr_alloc(0, region) == nullptr);
  myr_region_free(region);  // with the other one
}

// Regions in one region, made and freed by all workers at the same time; the top packs them.
void shared_parent() {
  const unsigned self = myr_worker_index();
  const unsigned count = myr_worker_count();
  myr_region parent = 0;
  if (self == 0) {
    parent = myr_region_new(MYR_ROOT, 99);
    for (unsigned worker = 1; worker < count; ++worker)
      myr_spmd_send(worker, &parent, 1, nullptr, 0);
  } else {
    myr_spmd_receive(0, &parent, 1, nullptr, 0);
  }
  for (unsigned round = 0; round < 30; ++round) {
    const myr_region mine = myr_region_new(parent, 0);
    void* object = myr_alloc(64, mine);
    *static_cast<unsigned*>(object) = 1000 * round + self;
    if (round % 3 == 0) myr_region_free(mine);
    // Worker 0 has the others' parents, and with them their regions, once they have said so.
    if (self != 0) {
      if (round % 3 != 0) myr_spmd_send(0, &parent, 1, &object, 1);
    } else {
      for (unsigned worker = 1; worker < count; ++worker) {
        if (round % 3 == 0) continue;
        myr_region same = 0;
        void* theirs = nullptr;
        myr_spmd_receive(worker, &same, 1, &theirs, 1);
        REQUIRE(same == parent);
        REQUIRE(*static_cast<unsigned*>(theirs) == 1000 * round + worker);
      }
    }
  }
  myr_spmd_barrier();
  if (self == count - 1) myr_region_free(parent);
}

int misuse(std::string_view name) {
  const unsigned next = (myr_worker_index() + 1) % myr_worker_count();
  if (myr_worker_index() != 0) {
    if (name == "counts") myr_spmd_receive(0, nullptr, 0, nullptr, 0);
    if (name == "both") {
      myr_region theirs = 0;
      myr_spmd_receive(0, &theirs, 1, nullptr, 0);
      myr_region again = 0;
      myr_spmd_exchange(0, &theirs, 1, nullptr, 0, &again, 1, nullptr, 0);
    }
    myr_spmd_barrier();
    return 0;
  }
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  void* object = myr_alloc(100, region);
  if (name == "counts") myr_spmd_send(next, &region, 1, nullptr, 0);
  if (name == "both") {
    myr_spmd_send(next, &region, 1, nullptr, 0);
    myr_region again = 0;
    myr_spmd_exchange(next, &region, 1, nullptr, 0, &again, 1, nullptr, 0);
  }
  if (name == "root") myr_region_free(MYR_ROOT);
  if (name == "twice") myr_region_free(region), myr_region_free(region);
  if (name == "free") myr_free(object), myr_free(object);
  if (name == "inside") myr_free(static_cast<char*>(object) + 1);
  if (name == "realloc") object = myr_realloc(&object, 8, region);
  if (name == "freed") myr_region_free(region), object = myr_alloc(8, region);
  if (name == "packed") myr_region_free(region), myr_spmd_send(next, &region, 1, nullptr, 0);
  if (name == "self") myr_spmd_send(0, &region, 1, nullptr, 0);
  if (name == "memory") object = myr_alloc(std::size_t{200} << 30, region);
  if (name == "spawn") myr_spawn_array([](const myr_access*) {}, nullptr, 0);
  myr_spmd_barrier();
  return object == nullptr ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "ranks") {
    std::printf("worker %u of %u\n", myr_worker_index(), myr_worker_count());
    return myr_worker_index() == 0 ? 3 : 0;
  }
  if (name == "silent") {  // longer than processes of other jobs may say nothing
    std::this_thread::sleep_for(std::chrono::seconds(5));
    myr_spmd_barrier();
    return myr_alloc(8, MYR_ROOT) == nullptr ? 1 : 0;
  }
  if (!name.empty()) return misuse(name);
  sizes();
  objects();
  exchanges();
  ring();
  shared_parent();
  pages();
  myr_spmd_barrier();
  if (myr_worker_index() == 0) std::puts("all is as it should be");
  return 0;
}
